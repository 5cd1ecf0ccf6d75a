// Labels are data: every text of the graph goes through `el` into textContent, and no HTML is ever parsed.
export function el(tag, given = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "text") made.textContent = value;
    else if (name === "hidden" || name === "disabled") made[name] = true;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...inside.flat().filter((each) => each !== null && each !== undefined));
  return made;
}

export function clip(text, most = 120) {
  const line = String(text).replace(/[\u0000-\u001f\u007f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, " ").trim();
  const letters = line.length > most ? Array.from(line.slice(0, 2 * most)) : [];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : line;
}

let words = new Map();
export function setRelations(relations) { words = new Map(relations.map((each) => [each.name, each.words])); }

// A relation in words; of an IRI its local name.
export function relationWords(name) {
  return clip(words.get(name) || String(name).replace(/^.*[\/#:](?=[^\/#:]+$)/, "").replaceAll("_", " "), 60);
}

// A set of ids with their labels, as the server knows them; what is no entity is its own label.
export class Names {
  constructor() { this.known = new Map(); }
  add(entities) { for (const [id, each] of Object.entries(entities)) this.known.set(id, each); }
  of(id) { return clip(this.known.get(id)?.label ?? id); }
  types(id) { return this.known.get(id)?.types ?? []; }
  has(id) { return this.known.has(id); }
}

// What a path walks: its first entity, then each triple's other end.
export function walked(path) {
  const [first] = path.triples;
  return [first.inverse ? first.tail : first.head, ...path.triples.map((each) => (each.inverse ? each.head : each.tail))];
}
