// Drawings of paths and of an entity's surroundings, by cytoscape.js, which is loaded for the first of them.
// Cytoscape writes labels on a canvas: they are data there too. The text beside a drawing says the same.
import { clip, relationWords, walked } from "./text.js";

let library;
const load = () => (library ??= import("./cytoscape.min.js").then((module) => module.default));
const shown = new Set();

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function style(wide) {
  const [ink, soft, line, accent, raised, onAccent] = ["ink", "soft", "line", "accent", "raised", "on-accent"].map(color);
  const font = getComputedStyle(document.body).fontFamily;
  return [
    { selector: "node", style: { label: "data(label)", color: ink, "font-family": font, "font-size": 13, "text-wrap": "wrap", "text-max-width": wide, "text-valign": "center", "text-halign": "center", shape: "round-rectangle", width: "data(w)", height: "data(h)", padding: 9, "background-color": raised, "border-width": 1, "border-color": soft } },
    { selector: "node[?value]", style: { "border-style": "dashed" } },
    { selector: "node[?answer]", style: { "background-color": accent, "border-color": accent, color: onAccent } },
    { selector: "edge", style: { label: "data(label)", color: soft, "font-family": font, "font-size": 11, width: 1.2, "line-color": soft, "target-arrow-color": soft, "target-arrow-shape": "triangle", "arrow-scale": .8, "curve-style": "bezier", "text-background-color": raised, "text-background-opacity": 1, "text-background-padding": 3 } },
    { selector: "edge[?around]", style: { "curve-style": "unbundled-bezier", "control-point-distances": "data(around)", "control-point-weights": .5 } },
    { selector: "node:active, edge:active", style: { "overlay-opacity": .06, "overlay-color": accent } },
  ];
}

const pen = document.createElement("canvas").getContext("2d");

// The room that a label takes, in lines of at most so many pixels; words that are longer widen them.
function size(label, wide) {
  pen.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  let lines = 1, line = "", most = 0;
  for (const word of label.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    if (line && pen.measureText(longer).width > wide) { lines += 1; line = word; } else line = longer;
    most = Math.max(most, pen.measureText(line).width);
  }
  return { w: Math.ceil(most), h: 14 * lines + 2 };
}

async function draw(box, elements, layout, onEntity, wide = 130) {
  const cytoscape = await load();
  if (!box.isConnected) return;
  for (const { data } of elements) if (data.key !== undefined) Object.assign(data, size(data.label, wide));
  const cy = cytoscape({ container: box, elements, style: style(wide), layout, minZoom: .25, maxZoom: 1.4, pixelRatio: Math.max(2, devicePixelRatio), userZoomingEnabled: false, boxSelectionEnabled: false, autounselectify: true });
  cy.fit(undefined, 18);
  if (cy.zoom() > 1) { cy.zoom(1); cy.center(); }
  cy.on("tap", "node[!value]", (event) => onEntity(event.target.data("key")));
  cy.on("mouseover", "node[!value]", () => { box.style.cursor = "pointer"; });
  cy.on("mouseout", "node", () => { box.style.cursor = ""; });
  const fit = new ResizeObserver(() => { cy.resize(); cy.fit(undefined, 18); if (cy.zoom() > 1) { cy.zoom(1); cy.center(); } });
  fit.observe(box);
  const known = { box, cy, wide, stop: () => { fit.disconnect(); cy.destroy(); } };
  for (const each of shown) if (!each.box.isConnected) { each.stop(); shown.delete(each); }
  shown.add(known);
  box.dataset.drawn = String(cy.nodes().length);
  return cy;
}

export function recolor() { for (const { cy, wide } of shown) cy.style(style(wide)); }

// Paths from left to right: what they start from first, answers filled.
export function drawPaths(box, given, names, answers, onEntity) {
  const narrow = box.clientWidth < 520, paths = narrow ? given.slice(0, 3) : given; // a phone shows few, from top to bottom
  const depth = new Map(), edges = new Map();
  for (const path of paths) {
    walked(path).forEach((id, at) => depth.set(id, Math.max(depth.get(id) ?? 0, at)));
    for (const each of path.triples) edges.set(`${each.head}\u0000${each.relation}\u0000${each.tail}`, each);
  }
  const columns = [];
  for (const [id, at] of depth) (columns[at] ??= []).push(id);
  // Each column in the order of what leads to it, so that lines cross less.
  columns.forEach((ids, at) => {
    const before = new Map((columns[at - 1] ?? []).map((id, row) => [id, row]));
    const row = (id) => {
      const rows = [...edges.values()].filter((each) => each.head === id || each.tail === id).map((each) => before.get(each.head === id ? each.tail : each.head)).filter((each) => each !== undefined);
      return rows.length ? rows.reduce((sum, each) => sum + each, 0) / rows.length : Infinity;
    };
    const ordered = new Map(ids.map((id) => [id, row(id)]));
    ids.sort((a, b) => (ordered.get(a) === ordered.get(b) ? 0 : ordered.get(a) - ordered.get(b)));
  });
  const rows = Math.max(...columns.map((each) => each?.length ?? 0));
  box.dataset.rows = String(Math.min(rows, 6));
  const key = new Map([...depth.keys()].map((id, at) => [id, `n${at}`]));
  const place = new Map();
  columns.forEach((ids, column) => ids.forEach((id, row) => {
    const across = (row - (ids.length - 1) / 2) * (narrow ? 138 : 58);
    place.set(key.get(id), narrow ? { x: across, y: column * 105 } : { x: column * 265, y: across });
  }));
  if (narrow) box.dataset.rows = String(Math.min(6, columns.length + 1));
  const nodes = [...depth.keys()].map((id) => ({ data: { id: key.get(id), key: id, label: clip(names.of(id), 40), value: !names.has(id), answer: answers.has(id) } }));
  // A line over a column bends around what stands in between: above it, whichever way it points.
  const around = ({ head, tail }) => (Math.abs(depth.get(head) - depth.get(tail)) < 2 ? 0 : Math.sign(depth.get(tail) - depth.get(head)) * -((narrow ? 138 : 58) * rows + 12));
  const lines = [...edges.values()].map((each) => ({ data: { source: key.get(each.head), target: key.get(each.tail), label: clip(relationWords(each.relation), 28), around: around(each) } }));
  return draw(box, [...nodes, ...lines], { name: "preset", positions: (node) => place.get(node.id()) }, onEntity);
}

// An entity in the middle of some of its neighbors, which the text beside it lists by relation.
export function drawAround(box, entity, triples, names, onEntity) {
  const ends = [...new Set(triples.map((each) => (each.head === entity ? each.tail : each.head)))].filter((id) => id !== entity).slice(0, 6);
  const ids = [entity, ...ends], key = new Map(ids.map((id, at) => [id, `n${at}`])), place = new Map([["n0", { x: 0, y: 0 }]]);
  ends.forEach((id, at) => {
    const angle = (2 * Math.PI * at) / ends.length - Math.PI / 2;
    place.set(key.get(id), { x: 105 * Math.cos(angle), y: 105 * Math.sin(angle) });
  });
  const nodes = ids.map((id) => ({ data: { id: key.get(id), key: id, label: clip(names.of(id), 24), value: !names.has(id), answer: id === entity } }));
  const lines = triples.filter((each) => key.has(each.head) && key.has(each.tail)).map((each) => ({ data: { source: key.get(each.head), target: key.get(each.tail), label: "" } }));
  return draw(box, [...nodes, ...lines], { name: "preset", positions: (node) => place.get(node.id()) }, onEntity, 84);
}
