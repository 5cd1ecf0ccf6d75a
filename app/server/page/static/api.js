// The server: LangGraph's threads and runs, and the page's own routes. Addresses are relative to the page.
const ROOT = new URL("../", document.baseURI);
let asked = async () => false;

export function onKeyNeeded(ask) { asked = ask; }
export function key() { return sessionStorage.getItem("trivium-key") || ""; }
export function setKey(value) { value ? sessionStorage.setItem("trivium-key", value) : sessionStorage.removeItem("trivium-key"); }

async function send(path, body, { method = body === undefined ? "GET" : "POST", signal } = {}) {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  if (key()) headers["x-api-key"] = key();
  const reply = await reached(fetch(new URL(path, ROOT), { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) }));
  if (reply.status === 401 && await asked()) return send(path, body, { method, signal });
  if (!reply.ok) throw new Error(await problem(reply));
  return reply;
}

// What the network gives; a browser's own words for a server that is gone ("Failed to fetch") help nobody.
async function reached(wanted) {
  try { return await wanted; } catch (error) {
    throw error instanceof TypeError ? new Error("The server cannot be reached. Ask again in a moment; if it stays so, tell whoever runs it.") : error;
  }
}

async function problem(reply) {
  const text = await reply.text();
  try {
    const { detail, error, message } = JSON.parse(text);
    return String((detail ?? error?.message ?? message) || reply.status);
  } catch { return `The server answered with status ${reply.status}.`; }
}

async function json(path, body, options) {
  const reply = await send(path, body, options);
  return reply.status === 204 ? null : reply.json();
}

export const offer = () => json("app/api/offer");
export const graph = (kg) => json("app/api/graph", { kg });
export const labels = (kg, ids) => json("app/api/labels", { kg, ids });
export const neighbors = (kg, entity, limit = 60) => json("app/api/neighbors", { kg, entity, limit });
export const find = (kg, text) => json("app/api/find", { kg, text });
export const feedback = (kg, run, trace, thumb) => json("feedback", { kg, run, trace, thumb });

export const newThread = (metadata) => json("threads", { metadata: { ...metadata, app: "trivium" } });
export const threads = () => json("threads/search", { metadata: { app: "trivium" }, limit: 60, sort_by: "created_at", sort_order: "desc", select: ["thread_id", "metadata", "created_at"] });
export const thread = (id) => json(`threads/${id}`);
export const mark = (id, metadata) => json(`threads/${id}`, { metadata }, { method: "PATCH" });
export const drop = (id) => json(`threads/${id}`, undefined, { method: "DELETE" });
export const history = (id, before) => json(`threads/${id}/history`, { limit: 100, ...(before ? { before } : {}) });
export const state = (id) => json(`threads/${id}/state`);
export const update = (id, values, asNode, checkpoint) => json(`threads/${id}/state`, { values, as_node: asNode, checkpoint });
export const wait = (id, body) => json(`threads/${id}/runs/wait`, body);

// One answer in process, without a thread: the whole typed answer.
export async function answerOnce(method, kg, model, question, signal) {
  const messages = [{ role: "user", content: question }];
  const told = await json("v1/chat/completions", { model: `${method}/${kg}`, messages, context: { model } }, { signal });
  return told.choices[0].message.trivium;
}

// A run of a thread: calls on(name, data) for each event of its stream; the run's id, or an error.
export async function stream(id, body, on, signal) {
  const wanted = { stream_mode: ["updates", "messages-tuple"], stream_subgraphs: true, multitask_strategy: "interrupt", ...body };
  const reply = await send(`threads/${id}/runs/stream`, wanted, { signal });
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let left = "", run = null;
  for (;;) {
    const { value, done } = await reached(reader.read());
    if (done) return run;
    left = (left + value).replaceAll("\r\n", "\n");
    for (let end; (end = left.indexOf("\n\n")) >= 0; left = left.slice(end + 2)) {
      let name = "message", data = "";
      for (const line of left.slice(0, end).split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data += line.slice(5).trim();
      }
      if (!data) continue;
      const given = JSON.parse(data);
      if (name === "metadata") run = given.run_id;
      if (name === "error") throw new Error(given.message || given.error || "The run ended with an error.");
      on(name.split("|")[0], given, name.includes("|"));
    }
  }
}
