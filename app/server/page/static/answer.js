// An answer: what was found first, then the paths that prove it, how the question was read, and the query.
import { drawPaths } from "./draw.js";
import { editor, readingOf } from "./reading.js";
import { clip, el, relationWords, walked } from "./text.js";

const WHY = {
  not_found: "The graph lacks this fact.",
  not_understood: "The question does not match this graph.",
  unknown_entity: "The graph does not know this name.",
  ambiguous: "The question could mean several things.",
  out_of_scope: "That is not a question to the graph.",
  time_limit: "Time ran out before an answer was found.",
  budget: "The budget for the chat model ran out.",
  store_error: "The graph's database could not be reached.",
};
const DRAWN = 5, NAMED = 12;
const THUMB = "M6.5 9v7.5H3.5V9zM6.5 9l3-6c1.4 0 2 .9 2 2.2L11 8h4.6c1 0 1.6.9 1.4 1.8l-1.1 5.3c-.2.8-.8 1.4-1.6 1.4H6.5";

function svg(path, turned) {
  const ns = "http://www.w3.org/2000/svg", made = document.createElementNS(ns, "svg"), line = document.createElementNS(ns, "path");
  made.setAttribute("viewBox", "0 0 20 20");
  made.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  if (turned) line.setAttribute("transform", "rotate(180 10 10)");
  made.append(line);
  return made;
}

export const claims = (answer) => answer.stop_reason === "answered";

function spoken(value) {
  if (value === true || value === false) return value ? "Yes" : "No";
  if (typeof value === "number") return value.toLocaleString("en");
  if (value && typeof value === "object") return "key" in value ? `${value.key?.label ?? spoken(value.key)}: ${spoken(value.value)}` : String(value.label ?? JSON.stringify(value));
  return clip(value, 400);
}

// Every id that an answer shows, for the labels to be looked up once.
export function idsOf(answer) {
  const ids = new Set(answer.answers.slice(0, 60).map((each) => each.id));
  for (const path of answer.paths.slice(0, 40)) walked(path).forEach((id) => ids.add(id));
  return [...ids].slice(0, 480);
}

export function shortAnswer(answer) {
  if (!claims(answer)) return "No answer";
  if (answer.value !== null && answer.value !== undefined) return spoken(answer.value);
  const said = answer.answers.length ? answer.answers.map((each) => clip(each.label, 80)) : answer.values.map(spoken);
  if (!said.length) return clip(answer.answer, 200);
  return said.length > 6 ? `${said.slice(0, 6).join(", ")} and ${said.length - 6} more` : said.join(", ");
}

function heading(answer, names, on) {
  const title = el("h2", { class: "answer", tabindex: "-1", dir: "auto" });
  if (!claims(answer)) {
    title.textContent = WHY[answer.stop_reason] || "No answer.";
    return title;
  }
  const value = answer.value !== null && answer.value !== undefined;
  const items = value ? [spoken(answer.value)] : answer.answers.length ? answer.answers : answer.values.map(spoken);
  if (!items.length) items.push(clip(answer.answer, 600));
  const show = (count) => {
    title.replaceChildren();
    items.slice(0, count).forEach((item, at) => {
      const entity = typeof item === "object" && names.has(item.id);
      const name = entity ? el("button", { type: "button", text: clip(item.label), "data-entity": item.id, onclick: () => on.entity(item.id) }) : el("span", { text: clip(item.label ?? item, 600) });
      title.append(at ? " " : "", el("span", { class: "item" }, name, at < Math.min(count, items.length) - 1 ? "," : "")); // no line begins with a comma
    });
    if (items.length > count) title.append(" ", el("button", { type: "button", class: "more", text: `and ${items.length - count} more`, onclick: () => { show(Infinity); title.focus(); } }));
    title.classList.toggle("long", title.textContent.length > 70);
  };
  show(NAMED);
  return title;
}

function pathLine(path, names, on) {
  const ids = walked(path), line = el("li");
  ids.forEach((id, at) => {
    if (at) {
      const step = path.triples[at - 1], words = relationWords(step.relation);
      line.append(el("span", { class: "rel", text: step.inverse ? `← ${words} –` : `– ${words} →` }));
    }
    line.append(names.has(id) ? el("button", { type: "button", class: "name", text: names.of(id), "data-entity": id, onclick: () => on.entity(id) }) : el("span", { class: "name", text: names.of(id) }));
  });
  return line;
}

function proof(answer, names, on) {
  if (!answer.paths.length) return null;
  const found = new Set(answer.answers.map((each) => each.id));
  const canvas = el("div", { class: "canvas", "aria-hidden": "true" });
  const list = el("ul", { class: "paths" });
  const more = el("button", { type: "button", class: "quiet" });
  const paths = answer.paths.filter((each) => each.triples.length);
  if (!paths.length) return null;
  if (answer.choice !== null) for (const each of paths) found.add(walked(each).at(-1)); // a choice's own paths end at it
  const fill = (count) => {
    list.replaceChildren(...paths.slice(0, count).map((each) => pathLine(each, names, on)));
    more.hidden = paths.length <= count;
    more.textContent = `Show ${Math.min(paths.length, 100) - count} more paths`;
  };
  fill(DRAWN);
  more.addEventListener("click", () => { fill(100); more.hidden = true; });
  on.connected(() => drawPaths(canvas, paths.slice(0, DRAWN), names, found, on.entity));
  return el("section", { class: "part proof" }, el("h3", { text: paths.length === 1 ? "The path that proves it" : "The paths that prove it" }), el("div", { class: "drawing" }, canvas), list, more);
}

function evidence(answer) {
  const rows = answer.evidence?.rows;
  if (!rows?.length) return null;
  const said = rows.map((row) => (Array.isArray(row) ? row : [row]).map(spoken).join(" · "));
  const more = answer.evidence.more ? [el("li", { class: "note", text: `and ${answer.evidence.more} more` })] : [];
  return el("section", { class: "part" }, el("h3", { text: "What was compared or counted" }), el("ul", { class: "paths" }, said.map((line) => el("li", { text: clip(line, 300) })), more));
}

function query(answer) {
  const given = Object.entries(answer.query || {}).filter(([, text]) => text);
  if (!given.length) return null;
  const code = el("pre", { tabindex: "0", "aria-label": "Query" }), said = el("span", { class: "note", role: "status" });
  let text = "";
  const tabs = given.map(([name, each]) => el("button", { type: "button", class: "quiet", text: name === "cypher" ? "Cypher" : "SPARQL", "aria-pressed": "false", onclick: (event) => choose(event.currentTarget, each) }));
  function choose(tab, each) {
    text = code.textContent = each;
    said.textContent = "";
    tabs.forEach((other) => other.setAttribute("aria-pressed", String(other === tab)));
  }
  const copy = el("button", { type: "button", class: "quiet", text: "Copy", onclick: async () => {
    try { await navigator.clipboard.writeText(text); said.textContent = "Copied"; }
    catch { getSelection().selectAllChildren(code); said.textContent = "Selected: press Ctrl+C to copy"; }
  } });
  choose(tabs[0], given[0][1]);
  return el("div", { class: "query", hidden: true }, el("div", { class: "row" }, tabs, copy, said), code);
}

function suggestions(answer, on) {
  if (!answer.suggestions.length) return null;
  const meant = answer.stop_reason !== "out_of_scope"; // else questions that the graph answers
  const items = answer.suggestions.slice(0, 8).map((each) => el("button", { type: "button", onclick: () => on.suggestion(each) }, el("strong", { text: clip(each.label) }), meant ? el("small", { text: clip(each.why, 160) }) : null));
  return el("section", { class: "part suggestions" }, el("h3", { text: meant ? "Did you mean" : "Ask, for example" }), el("div", { class: meant ? "suggest" : "suggest questions" }, items));
}

function reading(answer, on) {
  const steps = readingOf(answer), part = el("section", { class: "part reading" }, el("h3", { text: answer.stop_reason === "answered" ? "How the question was read" : "The nearest reading" }));
  part.append(steps.length
    ? el("ol", {}, steps.map((each, at) => el("li", {}, el("span", { class: "no", text: `${at + 1}` }), el("span", {}, el("span", { text: each.shown }), each.relation ? el("span", { class: "how", text: `  ${each.relation}` }) : null))))
    : el("p", { class: "note", text: answer.method === "keqing" ? "It could not be read into steps." : "This method does not split a question into steps; the steps below are yours to write." }));
  const edit = el("button", { type: "button", class: "quiet", text: steps.length ? "Correct the reading" : "Write the steps", "aria-expanded": "false" });
  edit.addEventListener("click", () => {
    part.querySelector(".edit")?.remove();
    const form = editor(answer, on.relations(), {
      cancel: () => { form.remove(); edit.setAttribute("aria-expanded", "false"); edit.focus(); },
      run: (subs) => on.edited(subs),
    });
    edit.setAttribute("aria-expanded", "true");
    part.append(form);
    form.querySelector("input")?.focus({ preventScroll: true });
    form.scrollIntoView({ block: "center" });
  });
  part.append(el("div", { class: "row" }, edit));
  return part;
}

// The methods beside each other: each row fills as its answer arrives.
function comparison(answer, on) {
  const body = el("tbody"), part = el("section", { class: "part compare" }, el("h3", { text: "The same question by each method" }), el("table", { class: "methods" }, el("thead", {}, el("tr", {}, ["Method", "Answer", "Confidence"].map((text, at) => el("th", { text, scope: "col", class: at === 2 ? "num" : null })))), body));
  const rows = ["keqing", "knowgpt", "oda"].map(async (method) => {
    const said = el("td", { text: "…" }), sure = el("td", { class: "num" });
    body.append(el("tr", {}, el("th", { text: NAMES[method], scope: "row" }), said, sure));
    try {
      const other = await on.once(method);
      said.replaceChildren(el("span", { text: shortAnswer(other) }), claims(other) ? "" : el("div", { class: "note", text: WHY[other.stop_reason] || "" }));
      sure.textContent = claims(other) && other.confidence !== null ? other.confidence.toFixed(2) : "–";
    } catch (error) { said.textContent = clip(error.message, 200); }
  });
  return [part, Promise.all(rows)];
}

export const NAMES = { auto: "Automatic", keqing: "Keqing", knowgpt: "KnowGPT", oda: "ODA" };

// The whole answer; `on` has: entity, suggestion, edited, relations, once, thumb, thumbed, connected, about.
export function answerView(answer, names, on) {
  const view = el("article", { class: "result", "data-stop": answer.stop_reason });
  view.append(heading(answer, names, on));
  const own = claims(answer) ? "" : answer.answer.replace(WHY[answer.stop_reason] || "\u0000", "").trim();
  const worded = answer.model !== "none" && claims(answer) ? answer.answer : own;
  if (worded) view.append(el("p", { class: "said", dir: "auto", text: clip(worded, 3000) }));
  const facts = [NAMES[answer.method] || answer.method, ...(answer.model === "none" ? [] : [answer.model])];
  if (claims(answer) && answer.confidence !== null) facts.push(`confidence ${answer.confidence.toFixed(2)}`);
  facts.push(`${answer.usage.seconds < 10 ? answer.usage.seconds.toFixed(2) : Math.round(answer.usage.seconds)} s`);
  facts.push(...answer.events.filter((each) => each.event === "follow_up").map((each) => clip(each.message, 160)));
  if (answer.events.some((each) => each.event === "edited")) facts.push("reading corrected by you");
  if (answer.events.some((each) => each.event === "stale")) facts.push("what was learned is out of date");
  view.append(el("p", { class: "facts" }, facts.map((text) => el("span", { text }))));
  const code = query(answer), about = on.about(answer);
  const read = answer.stop_reason === "out_of_scope" ? null : reading(answer, on); // small talk has no steps
  for (const part of [suggestions(answer, on), proof(answer, names, on), evidence(answer), read]) if (part) view.append(part);
  const tools = el("div", { class: "tools" });
  if (about) tools.append(el("button", { type: "button", class: "quiet about-it", text: `What the graph knows about ${names.of(about)}`, onclick: () => on.entity(about) }));
  if (code) tools.append(el("button", { type: "button", class: "quiet", text: "Query", "aria-expanded": "false", onclick: (event) => { code.hidden = !code.hidden; event.currentTarget.setAttribute("aria-expanded", String(!code.hidden)); if (!code.hidden) code.scrollIntoView({ block: "nearest" }); } }));
  tools.append(el("button", { type: "button", class: "quiet", text: "Compare methods", onclick: (event) => {
    event.currentTarget.disabled = true;
    const [part, done] = comparison(answer, on);
    view.append(part);
    part.scrollIntoView({ block: "nearest" });
    done.then(() => { part.dataset.done = "true"; on.say("Every method has answered."); part.scrollIntoView({ block: "nearest" }); });
  } }));
  tools.append(el("span", { class: "spacer" }));
  const thumbs = ["up", "down"].map((thumb) => el("button", { type: "button", class: "quiet", "data-thumb": thumb, "aria-label": thumb === "up" ? "Right answer" : "Wrong answer", "aria-pressed": String(on.thumbed === thumb), onclick: async (event) => {
    const chosen = event.currentTarget;
    await on.thumb(thumb);
    thumbs.forEach((each) => each.setAttribute("aria-pressed", String(each === chosen)));
  } }, svg(THUMB, thumb === "down")));
  tools.append(...thumbs);
  view.append(tools);
  if (code) view.append(code);
  return view;
}
