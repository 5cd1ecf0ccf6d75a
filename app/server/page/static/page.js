// The page: the question, its run as it goes on, the conversation, and what was asked before.
import * as api from "./api.js";
import { answerView, claims, idsOf, NAMES } from "./answer.js";
import { recolor } from "./draw.js";
import * as entity from "./entity.js";
import { clip, el, Names, setRelations } from "./text.js";

const $ = (id) => document.getElementById(id);
const STAGES = {
  plan_methods: "Choosing a method", decompose: "Reading the question", link_entities: "Finding its names", link_task_entities: "Finding its names",
  match_template: "Choosing relations", review: "Waiting for you", retrieve: "Following them", reason: "Weighing what was found", respond: "Writing the answer",
  select_prompt: "Choosing how to show the evidence", extract: "Walking paths", verbalize: "Putting paths into words", answer: "Choosing the answer",
  observe: "Observing the graph", act: "Acting", choose_action: "Acting", reflect: "Reflecting", judge_answer: "Judging the answer",
  keqing: "Keqing", knowgpt: "KnowGPT", oda: "ODA",
};
const SHOWN = 5;
const open = { thread: null, metadata: {}, turns: [], busy: false };
let graph = { questions: [], relations: [], types: [] }, offset = 0;

const say = (text) => { $("status").textContent = text; };
const chosen = () => ({ kg: $("kg").value, method: $("method").value, model: $("model").value });

// What is offered

function fill(select, names, spoken = (name) => name) {
  select.replaceChildren(...names.map((name) => el("option", { value: name, text: clip(spoken(name), 40) })));
  select.parentElement.hidden = names.length < 2;
}

async function showGraph() {
  const { kg } = chosen();
  try { graph = await api.graph(kg); } catch (error) { graph = { questions: [], relations: [], types: [] }; $("holds").textContent = clip(error.message, 300); return; }
  setRelations(graph.relations);
  const count = (number) => number.toLocaleString("en");
  const short = (number) => (number < 1e6 ? count(number) : number.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 }));
  $("about").replaceChildren(...[kg, " · ", `${short(graph.entities)} entities,`, " ", `${short(graph.triples)} facts`].map((text) => el("span", { text })));
  const types = graph.types.slice(0, 6).map((name) => clip(name, 30));
  $("holds").textContent = `It holds ${count(graph.triples)} facts${types.length ? ` on ${types.join(", ")}${graph.types.length > types.length ? " and more" : ""}` : ""}. Every answer comes with the path through the graph that proves it, and where there is none, it says so.`;
  offset = 0;
  showExamples();
}

function showExamples() {
  const all = graph.questions, some = all.slice(offset, offset + SHOWN);
  $("examples").replaceChildren(...some.map(({ question }) => el("li", {}, el("button", { type: "button", text: clip(question, 200), onclick: () => ask(question) }))));
  $("examples-title").hidden = !all.length;
  $("others").hidden = all.length <= SHOWN;
}

$("others").addEventListener("click", () => { offset = offset + SHOWN >= graph.questions.length ? 0 : offset + SHOWN; showExamples(); });
$("kg").addEventListener("change", () => { entity.close(); begin(); showGraph(); });

// Turns

function turnView(question, note) {
  const stages = el("ol", { class: "stages" }), body = el("div", {}, stages);
  const view = el("section", { class: "turn", "aria-label": clip(question, 80) }, el("p", { class: "asked", text: clip(question, 2000), dir: "auto" }), note ? el("p", { class: "note", text: note }) : null, body);
  $("turns").append(view);
  $("start").hidden = true;
  return { view, body, stages };
}

function detail(stage, found) {
  if (!found) return "";
  const subs = found.sub_questions?.map((each) => each.question.replaceAll("[mask]", each.seed_entities.filter((name) => !name.startsWith("<GENERATED>")).join(" and ") || "…"));
  if (subs?.length) return clip(subs.join(" · "), 160);
  if (stage.startsWith("link") && found.links) return clip(Object.values(found.links).map((each) => each[0]?.label).filter(Boolean).join(", "), 120);
  const walked = found.retrieved && Object.values(found.retrieved).map((each) => each.found?.length ?? 0).reduce((sum, each) => sum + each, 0);
  if (walked !== undefined && walked !== false) return `${walked} found`;
  return "";
}

function watch(turn) {
  let text = null;
  return (name, data) => {
    if (name === "updates") {
      for (const [stage, added] of Object.entries(data)) {
        if (stage.startsWith("__") || (!STAGES[stage] && !added)) continue;
        if (["keqing", "knowgpt", "oda"].includes(stage)) continue;
        const words = STAGES[stage] || stage, more = detail(stage, added?.found ?? added);
        turn.stages.append(el("li", { "data-stage": stage }, el("span", {}, el("b", { text: words }), more ? el("span", { text: `  ${more}` }) : "")));
        say(words);
      }
    } else if (name === "messages" && Array.isArray(data) && data[0]?.type === "AIMessageChunk" && typeof data[0].content === "string") {
      text ??= turn.body.appendChild(el("p", { class: "said" }));
      text.textContent += data[0].content;
    }
  };
}

async function settle(turn, record, { focus = true } = {}) {
  const { answer, run } = record, names = new Names(), kg = answer.kg;
  const about = answer.steps.find((each) => each.assessed)?.assessed?.about;
  try { names.add((await api.labels(kg, [...idsOf(answer), ...(about ? [about] : [])])).entities); } catch { /* ids are shown instead */ }
  const later = [];
  const view = answerView(answer, names, {
    entity: (id) => entity.open(kg, id, takeUp),
    suggestion: (each) => suggested(answer, each),
    edited: (subs) => edited(record, subs),
    relations: () => graph.relations,
    once: (method) => api.answerOnce(method, kg, answer.model, answer.question),
    thumb: (thumb) => thumbed(record, thumb),
    thumbed: open.metadata.thumbs?.[run],
    connected: (draw) => later.push(draw),
    about: (given) => (!claims(given) && about && names.has(about) ? about : null),
    say,
  });
  turn.body.replaceChildren(view);
  later.forEach((draw) => draw().catch(() => {}));
  say(claims(answer) ? "Answered." : "There is no answer.");
  if (focus) { view.querySelector(".answer").focus({ preventScroll: true }); turn.view.scrollIntoView({ block: "start", behavior: "instant" }); }
}

function takeUp(label) {
  if (innerWidth < 1100) entity.close();
  $("question").value = `${$("question").value}${$("question").value && !$("question").value.endsWith(" ") ? " " : ""}${label}`;
  grow();
  $("question").focus();
}

async function ready(question) {
  if (open.thread) return;
  const { kg, method } = chosen();
  open.metadata = { title: clip(question, 140), kg, method };
  open.thread = (await api.newThread(open.metadata)).thread_id;
  location.hash = open.thread;
}

// Runs something for a turn; what is wrong is said in the turn.
async function busy(question, note, work) {
  if (open.busy) return;
  open.busy = true;
  $("send").disabled = true;
  const turn = turnView(question, note);
  turn.view.scrollIntoView({ block: "start" });
  turn.stages.append(el("li", {}, el("b", { text: "Starting" })));
  say("Starting");
  try {
    await ready(question);
    await work(turn);
    showThreads();
  } catch (error) {
    turn.body.replaceChildren(el("p", { class: "wrong", role: "alert", text: clip(error.message, 500) }));
  } finally {
    open.busy = false;
    $("send").disabled = false;
  }
}

async function outcome(run) {
  const now = await api.state(open.thread);
  const record = { answer: now.values.answer, run, before: open.turns.at(-1)?.checkpoint ?? null, checkpoint: now.checkpoint };
  if (!record.answer) throw new Error("The run ended without an answer.");
  open.turns.push(record);
  return record;
}

function ask(question, given = {}) {
  const { kg, method, model } = chosen();
  return busy(question, given.note, async (turn) => {
    const input = { messages: [{ role: "user", content: question }], ...(given.topics ? { topic_entities: given.topics } : {}) };
    const run = await api.stream(open.thread, { assistant_id: method, input, context: { kg, model }, ...(given.checkpoint ? { checkpoint: given.checkpoint } : {}) }, watch(turn));
    await settle(turn, await outcome(run));
  });
}

// The same question with a name that was meant: in place of the one that was not found, else as its topic.
function suggested(answer, each) {
  const wrong = /'(.+)'$/.exec(each.why)?.[1];
  if (/\?\s*$/.test(each.label)) return ask(each.label);
  if (wrong && answer.question.includes(wrong)) return ask(answer.question.replace(wrong, () => each.label));
  return ask(answer.question, { topics: [each.id], note: clip(`${each.label}: ${each.why}`, 160) });
}

// From an edited reading: the turn's question is decomposed again by Keqing, what it decomposed is replaced, and the
// run goes on behind it, in a branch of the thread that begins where the turn began.
function edited(record, subs) {
  const { answer } = record, context = { kg: answer.kg, model: answer.model };
  return busy(answer.question, "With your reading", async (turn) => {
    const input = { messages: [{ role: "user", content: answer.question }] };
    await api.wait(open.thread, { assistant_id: "keqing", input, context, interrupt_after: ["decompose"], ...(record.before ? { checkpoint: record.before } : {}) });
    const now = await api.state(open.thread);
    const noted = { stage: "review", event: "edited", message: "a person edited the sub-questions" };
    const values = { sub_questions: subs, assessed: null, plan: null, reading: null, unread: [], links: {}, matches: {}, stopped: null, events: [noted] };
    const branch = await api.update(open.thread, values, "decompose", now.checkpoint);
    const run = await api.stream(open.thread, { assistant_id: "keqing", input: null, context, checkpoint: branch.checkpoint }, watch(turn));
    const told = await outcome(run);
    told.before = record.before;
    await settle(turn, told);
  });
}

async function thumbed(record, thumb) {
  open.metadata = { ...open.metadata, thumbs: { ...open.metadata.thumbs, [record.run]: thumb } };
  await api.mark(open.thread, open.metadata);
  const counted = record.answer.steps.find((each) => each.stage === "select_prompt")?.run;
  await api.feedback(record.answer.kg, counted, record.run, thumb).catch(() => {}); // counted once: a second thought stays a note
  say(thumb === "up" ? "Noted as right." : "Noted as wrong.");
}

// The conversation, and those before it

function begin() {
  Object.assign(open, { thread: null, metadata: {}, turns: [], busy: false });
  $("turns").replaceChildren();
  $("start").hidden = false;
  if (location.hash) window.history.replaceState(null, "", location.pathname + location.search);
  markOpen();
}

async function show(id) {
  begin();
  open.thread = id;
  $("start").hidden = true;
  let found, states;
  try { [found, states] = await Promise.all([api.thread(id), api.history(id)]); }
  catch (error) { begin(); say(error.message); return; }
  if (open.thread !== id) return;
  open.metadata = Object.fromEntries(Object.entries(found.metadata).filter(([name]) => ["title", "kg", "method", "thumbs"].includes(name)));
  if ([...$("kg").options].some((each) => each.value === open.metadata.kg) && $("kg").value !== open.metadata.kg) { $("kg").value = open.metadata.kg; showGraph(); }
  const ends = states.filter((each) => !each.next.length && each.values?.answer && each.metadata?.run_id).reverse();
  window.history.replaceState(null, "", `#${id}`);
  for (const state of ends) {
    const record = { answer: state.values.answer, run: state.metadata.run_id, before: open.turns.at(-1)?.checkpoint ?? null, checkpoint: state.checkpoint };
    open.turns.push(record);
    await settle(turnView(record.answer.question, record.answer.events.some((each) => each.event === "edited") ? "With your reading" : ""), record, { focus: false });
  }
  markOpen();
  document.querySelector(".turn:last-child .answer")?.focus({ preventScroll: true });
  document.querySelector(".turn:last-child")?.scrollIntoView({ block: "start" });
}

function markOpen() {
  for (const each of $("history").children) each.toggleAttribute("data-open", each.dataset.id === open.thread);
}

async function showThreads() {
  let found;
  try { found = await api.threads(); } catch { return; }
  $("history").replaceChildren(...found.map((each) => {
    const title = clip(each.metadata.title || "Untitled", 140);
    return el("li", { "data-id": each.thread_id }, el("button", { type: "button", class: "open", text: title, onclick: () => { menu(false); show(each.thread_id); } }),
      el("button", { type: "button", class: "drop", "aria-label": `Delete: ${clip(title, 60)}`, text: "×", onclick: async () => { await api.drop(each.thread_id); if (open.thread === each.thread_id) begin(); showThreads(); } }));
  }));
  if (!found.length) $("history").append(el("li", { class: "none", text: "What you ask is listed here." }));
  markOpen();
}

// The composer, keys, colors

const grow = () => { const field = $("question"); field.style.height = "auto"; field.style.height = `${field.scrollHeight + 2}px`; };
$("question").addEventListener("input", grow);
$("question").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); $("ask").requestSubmit(); }
});
$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const question = $("question").value.trim();
  if (!question || open.busy) return;
  $("question").value = "";
  grow();
  ask(question);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !$("key-dialog").open) { entity.close() || menu(false); }
  if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName)) { event.preventDefault(); $("question").focus(); }
});
function menu(shown) {
  $("threads").classList.toggle("shown", shown);
  $("menu").setAttribute("aria-expanded", String(shown));
}
$("menu").addEventListener("click", () => menu(!$("threads").classList.contains("shown")));
$("new").addEventListener("click", () => { menu(false); begin(); $("question").focus(); });
$("home").addEventListener("click", (event) => { event.preventDefault(); begin(); });

function paint(theme) {
  document.documentElement.dataset.theme = theme;
  $("theme").setAttribute("aria-pressed", String(theme === "dark"));
  recolor();
}
const wanted = matchMedia("(prefers-color-scheme: dark)");
paint(localStorage.getItem("trivium-theme") || (wanted.matches ? "dark" : "light"));
wanted.addEventListener("change", () => { if (!localStorage.getItem("trivium-theme")) paint(wanted.matches ? "dark" : "light"); });
$("theme").addEventListener("click", () => { const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; localStorage.setItem("trivium-theme", next); paint(next); });

let waiting = null;
function askKey(why) {
  return (waiting ??= new Promise((resolve) => {
    $("key-why").textContent = why;
    $("key-value").value = "";
    $("key-dialog").returnValue = "cancel";
    $("key-dialog").showModal();
    $("key-dialog").addEventListener("close", () => {
      const use = $("key-dialog").returnValue === "use";
      if (use) api.setKey($("key-value").value.trim());
      waiting = null;
      resolve(use && api.key() !== "");
    }, { once: true });
  }));
}
api.onKeyNeeded(() => askKey(api.key() ? "The server does not know this key. Try another." : "This server asks for a key. It is kept in this tab until you close it."));
$("key").addEventListener("click", async () => { if (await askKey("The key that the server's operator gave you. It is kept in this tab until you close it.")) start(); });

async function start() {
  try {
    const offered = await api.offer();
    fill($("kg"), offered.kgs);
    fill($("method"), offered.methods, (name) => NAMES[name] || name);
    fill($("model"), offered.models, (name) => (name === "none" ? "no language model" : name));
    const id = location.hash.slice(1);
    await Promise.all([showGraph(), showThreads(), /^[0-9a-f-]{36}$/.test(id) ? show(id) : null]);
  } catch (error) {
    $("holds").textContent = clip(error.message, 300);
  }
  document.documentElement.dataset.ready = "true";
}
start();
