// The UI component `paths` of LangGraph's generative UI: draws an answer's proof in agent-chat-ui and Studio.
// `POST /ui/ASSISTANT` sends it as the body of a <script>; React is the chat's own. Labels are text, never markup.
((id) => {
  const store = window[Symbol.for("LGUI_EXT_STORE")];
  const host = document.getElementById(id);
  if (!store || !host?.shadowRoot) return;
  const chat = window[Symbol.for("LGUI_REQUIRE")];
  const { createElement: h, useState } = chat("react");
  const { useStreamContext } = chat("@langchain/langgraph-sdk/react-ui");
  const [WIDTH, HEIGHT, GAP, ROW, LONGEST] = [180, 34, 120, 58, 20];
  const short = (text, most = LONGEST) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  // An entity stands in the column of its first place on a path; in a column from top to bottom as they come.
  function layout(paths) {
    const places = new Map(), rows = [], edges = new Map();
    for (const { entities, steps } of paths) {
      entities.forEach(({ id: key, label }, column) => {
        if (places.has(key)) return;
        rows[column] = (rows[column] ?? 0) + 1;
        places.set(key, { key, label, column, row: rows[column] - 1, edges: 0 });
      });
      steps.forEach(({ relation, inverse }, n) => {
        const [from, to] = [entities[n].id, entities[n + 1].id];
        const [head, tail] = inverse ? [to, from] : [from, to];
        const known = edges.get(JSON.stringify([head, tail]));
        if (!known) edges.set(JSON.stringify([head, tail]), { head, tail, relations: [relation] });
        else if (!known.relations.includes(relation)) known.relations.push(relation);
      });
    }
    for (const each of edges.values()) for (const end of [each.head, each.tail]) places.get(end).edges += 1;
    const height = Math.max(...rows) * ROW;
    for (const place of places.values()) {
      place.x = place.column * (WIDTH + GAP) + 1;
      place.y = ((place.row + 0.5) * height) / rows[place.column] - HEIGHT / 2;
    }
    return { places, edges: [...edges.values()], width: rows.length * (WIDTH + GAP) - GAP + 2, height };
  }

  // What the chat has painted behind a place, for words to stand on.
  function paper(place) {
    for (let at = place; at; at = at.parentElement ?? at.getRootNode().host) {
      const { backgroundColor } = getComputedStyle(at);
      if (!/^transparent$|[,/] ?0\)$/.test(backgroundColor)) return backgroundColor;
    }
    return "Canvas";
  }

  function edge({ head, tail, relations }, places, n) {
    const [a, b] = [places.get(head), places.get(tail)];
    const words = relations.join(", ");
    let line, x, y;
    if (a.column === b.column) { // one below the other, or an entity and itself: around the right side
      const [right, top, bottom] = [a.x + WIDTH, a.y + HEIGHT / 2, b.y + HEIGHT / 2 + (a === b ? 12 : 0)];
      [x, y] = [right + 62, (top + bottom) / 2];
      line = `M${right},${top} C${right + 48},${top} ${right + 48},${bottom} ${right},${bottom}`;
    } else {
      const forward = a.column < b.column;
      const [x1, x2] = forward ? [a.x + WIDTH, b.x] : [a.x, b.x + WIDTH];
      const [y1, y2] = [a.y + HEIGHT / 2, b.y + HEIGHT / 2];
      const bend = (x1 + x2) / 2;
      line = `M${x1},${y1} C${bend},${y1} ${bend},${y2} ${x2},${y2}`;
      const near = a.edges === b.edges ? 0 : a.edges < b.edges ? -0.16 : 0.16; // where fewer edges meet
      [x, y] = [bend + near * (x2 - x1), (y1 + y2) / 2 + 2.4 * near * (y2 - y1)];
    }
    return [
      h("path", { key: n, d: line, fill: "none", stroke: "currentColor", opacity: 0.55, markerEnd: `url(#arrow-${id})` }),
      h("text", { key: n, x, y: y + 4, textAnchor: "middle", className: "relation" }, short(words, 20), h("title", null, words))];
  }

  function Thumbs({ run, kg }) { // for the runs that KnowGPT's bandit learns from; with the chat's own key
    const { client } = useStreamContext();
    const [said, say] = useState("");
    const send = (thumb) => client.runs.fetch("/feedback", { method: "POST", json: { run, kg, thumb } })
      .then(() => say(thumb), () => say("not counted"));
    const button = (thumb, label) => h("button", { type: "button",
      "aria-pressed": said === thumb, disabled: said === "up" || said === "down", onClick: () => send(thumb) }, label);
    return h("div", null, button("up", "Right"), button("down", "Wrong"), h("output", null,
      said === "not counted" ? said : said && "Thank you"));
  }

  function Paths({ paths, run, kg }) {
    const { places, edges, width, height } = layout(paths);
    const lines = edges.map((each, n) => edge(each, places, n));
    const said = paths.map(({ entities, steps }) => entities[0].label + steps.map(({ relation, inverse }, n) =>
      ` ${inverse ? "←" : "→"} ${relation} ${inverse ? "←" : "→"} ${entities[n + 1].label}`).join("")).join("; ");
    return h("div", null, h("svg", { role: "img", "aria-label": `Evidence: ${said}`, viewBox: `0 0 ${width} ${height}`,
      style: { maxWidth: `min(100%, ${width}px)` } },
    h("defs", null, h("marker", { id: `arrow-${id}`, viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8,
      markerHeight: 8, orient: "auto" }, h("path", { d: "M0,0 L8,4 L0,8 z", fill: "currentColor" }))),
    lines.map(([line]) => line), lines.map(([, words]) => words), // no line crosses words
    [...places.values()].map(({ key, label, x, y }) => h("g", { key },
      h("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 9, className: "entity" }),
      h("text", { x: x + WIDTH / 2, y: y + HEIGHT / 2 + 5, textAnchor: "middle" }, short(label), h("title", null, label))))),
    run && h(Thumbs, { run, kg }));
  }

  const style = document.createElement("style");
  style.textContent = `svg { display: block; font: 14px system-ui, sans-serif; margin: 4px 0; overflow: visible }
    text { fill: currentColor } .relation { font-size: 12px; paint-order: stroke; stroke: ${paper(host)}; stroke-width: 7px; stroke-linejoin: round }
    .entity { fill: color-mix(in srgb, currentColor 7%, transparent); stroke: currentColor; stroke-opacity: 0.35 }
    button { font: 13px system-ui, sans-serif; margin-right: 6px; padding: 3px 10px; cursor: pointer; color: inherit;
      background: none; border-radius: 8px; border: 1px solid color-mix(in srgb, currentColor 30%, transparent) }
    button[aria-pressed=true] { border-color: currentColor } output { font: 13px system-ui, sans-serif; margin: 0 8px }`;
  const target = document.createElement("div");
  host.shadowRoot.append(style, target);
  store.respond(id, Paths, target);
})("{{shadowRootId}}");
