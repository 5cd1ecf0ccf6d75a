// How a question was read: Keqing's sub-questions, shown and edited. An edited reading goes on from `decompose`.
import { clip, el, relationWords } from "./text.js";

const MADE = /^<GENERATED>-(\d+)$/;

export function subQuestions(answer) {
  return answer.steps.find((each) => each.stage === "decompose")?.sub_questions ?? [];
}

const starts = (sub) => sub.seed_entities.filter((name) => !MADE.test(name));
const before = (sub) => sub.dep.filter((id) => id >= 0);

// Each step in words, the name in place of its mask, and the relations that it followed.
export function readingOf(answer) {
  const subs = subQuestions(answer), place = new Map(subs.map((each, at) => [each.id, at + 1]));
  const followed = new Map(answer.steps.filter((each) => each.stage === "retrieve").map((each) => [each.id, each.chains ?? []]));
  return subs.map((sub) => {
    const names = [...starts(sub), ...before(sub).map((id) => `[${place.get(id)}]`)];
    const chain = followed.get(sub.id)?.[0] ?? [];
    return { shown: clip(sub.question.replaceAll("[mask]", names.join(" and ") || "…"), 300), relation: chain.map(hop).join(" ") };
  });
}

const hop = (name) => (name.startsWith("^") ? `← ${relationWords(name.slice(1))}` : `${relationWords(name)} →`);

// The form: for each step what it starts from, its words, and the relation to follow; run(sub_questions) at the end.
export function editor(answer, relations, { run, cancel }) {
  const followed = new Map(answer.steps.filter((each) => each.stage === "retrieve").map((each) => [each.id, each.chains ?? []]));
  let steps = subQuestions(answer).map((sub) => ({ question: sub.question, from: starts(sub).join("; "), dep: before(sub), id: sub.id, chain: (followed.get(sub.id)?.[0] ?? []).join(", ") }));
  if (!steps.length) steps = [{ question: "", from: "", dep: [], id: 0, chain: "" }];
  const form = el("form", { class: "edit", "aria-label": "Correct the reading", novalidate: true }), rows = el("div"), wrong = el("p", { class: "wrong", role: "alert", hidden: true });
  const choices = relations.filter((each) => !each.value).flatMap((each) => [each.name, `^${each.name}`]).concat(relations.filter((each) => each.value).map((each) => each.name));

  function show() {
    rows.replaceChildren(...steps.map((step, at) => {
      const words = el("input", { value: step.question, maxlength: 1000, oninput: (event) => { step.question = event.target.value; if (!step.picked) { step.chain = ""; relation.value = ""; } } });
      const from = el("input", { value: step.from, maxlength: 400, oninput: (event) => { step.from = event.target.value; } });
      const after = el("select", { onchange: (event) => { step.dep = event.target.value === "" ? [] : [Number(event.target.value)]; show(); } }, el("option", { value: "", text: "an entity" }), steps.slice(0, at).map((other, index) => el("option", { value: other.id, text: `the answers of step ${index + 1}`, selected: step.dep.includes(other.id) })));
      const known = step.chain && !choices.includes(step.chain) ? [step.chain] : [];
      const relation = el("select", { onchange: (event) => { step.chain = event.target.value; step.picked = step.chain !== ""; } }, el("option", { value: "", text: "whatever the words mean" }), [...known, ...choices].map((name) => el("option", { value: name, text: name.split(", ").map(hop).join(" "), selected: name === step.chain })));
      return el("fieldset", {}, el("legend", { text: `Step ${at + 1}` }),
        el("label", { class: "full" }, "Question, with [mask] for the name", words),
        at ? el("label", {}, "Starts from", after) : null,
        step.dep.length ? null : el("label", {}, "Entity", from),
        el("label", {}, "Relation to follow", relation),
        steps.length > 1 ? el("button", { type: "button", class: "quiet", text: "Remove step", onclick: () => { steps = steps.filter((each) => each !== step).map((each) => ({ ...each, dep: each.dep.filter((id) => id !== step.id) })); show(); } }) : null);
    }));
  }
  show();

  form.append(rows, el("button", { type: "button", class: "quiet", text: "Add a step", onclick: () => { const last = steps.at(-1); steps.push({ question: "", from: "", dep: [last.id], id: Math.max(...steps.map((each) => each.id)) + 1, chain: "" }); show(); } }), wrong,
    el("div", { class: "row" }, el("button", { type: "submit", class: "strong", text: "Run from here" }), el("button", { type: "button", class: "quiet", text: "Cancel", onclick: cancel })));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const problem = steps.map((step, at) => {
      if (!step.question.trim() && !step.chain) return `Step ${at + 1} has neither words nor a relation.`;
      if (!step.dep.length && !step.from.trim()) return `Step ${at + 1} starts from nothing: name an entity.`;
      return "";
    }).find(Boolean);
    wrong.hidden = !problem;
    wrong.textContent = problem || "";
    if (problem) return;
    run(steps.map((step) => ({
      id: step.id,
      question: step.question.includes("[mask]") ? step.question.trim() : `${step.question.trim() || step.chain} [mask]`,
      dep: step.dep.length ? step.dep : [-1],
      seed_entities: step.dep.length ? step.dep.map((id) => `<GENERATED>-${id}`) : step.from.split(";").map((name) => name.trim()).filter(Boolean),
      excludes_used: false,
      ...(step.chain ? { chain: step.chain.split(", ") } : {}),
    })));
  });
  return form;
}
