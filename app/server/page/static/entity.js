// The panel beside the answers: an entity, what lies around it, and the way that led there.
import * as api from "./api.js";
import { drawAround } from "./draw.js";
import { clip, el, Names, relationWords } from "./text.js";

const panel = document.getElementById("entity"), frame = document.querySelector(".frame");
let trail = [], from = null, opened = 0;

export function close() {
  if (panel.hidden) return false;
  panel.hidden = true;
  frame.classList.remove("with-entity");
  trail = [];
  if (from?.isConnected) from.focus();
  return true;
}

export async function open(kg, id, ask) {
  if (panel.hidden) from = document.activeElement;
  const mine = ++opened;
  panel.hidden = false;
  frame.classList.add("with-entity");
  const back = trail.length ? el("button", { type: "button", class: "quiet", text: `← ${clip(trail.at(-1).label, 24)}`, onclick: () => { const { id: last } = trail.pop(); trail.pop(); open(kg, last, ask); } }) : el("span");
  const shut = el("button", { type: "button", class: "icon", "aria-label": "Close", onclick: close }, "×");
  const top = el("div", { class: "top" }, back, shut);
  panel.replaceChildren(top, el("p", { class: "note", text: "Looking…" }));
  let found;
  try { found = await api.neighbors(kg, id); }
  catch (error) { if (mine === opened) panel.replaceChildren(top, el("p", { class: "wrong", text: clip(error.message, 300) })); return; }
  if (mine !== opened) return;
  const names = new Names();
  names.add(found.entities);
  const label = names.of(found.entity), title = el("h2", { text: label, tabindex: "-1", dir: "auto" });
  const walk = (next) => { trail.push({ id: found.entity, label }); open(kg, next, ask); };
  const groups = new Map();
  for (const each of found.triples) {
    const out = each.head === found.entity, name = `${out ? "" : "← "}${relationWords(each.relation)}${out ? " →" : ""}`;
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(out ? each.tail : each.head);
  }
  const canvas = el("div", { class: "canvas", "aria-hidden": "true" });
  panel.replaceChildren(top, title,
    el("p", { class: "kind", text: clip(names.types(found.entity).slice(0, 6).join(", "), 120) }),
    el("div", { class: "drawing" }, canvas),
    ...[...groups].flatMap(([name, ids]) => [el("h3", { text: name }), el("ul", {}, [...new Set(ids)].map((each) => el("li", {}, names.has(each) ? el("button", { type: "button", class: "name", "data-entity": each, text: names.of(each), onclick: () => walk(each) }) : el("span", { text: names.of(each) }))))]),
    found.more ? el("p", { class: "note", text: "There are more than are shown here." }) : "",
    el("div", { class: "tools" }, el("button", { type: "button", class: "quiet", text: "Ask about it", onclick: () => ask(label) })));
  panel.dataset.id = found.entity;
  title.focus({ preventScroll: true });
  panel.scrollTop = 0;
  drawAround(canvas, found.entity, found.triples, names, (next) => { if (next !== found.entity) walk(next); });
}
