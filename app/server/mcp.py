"""A KG for any agent, over the Model Context Protocol: questions, and an agent's own steps through the graph.

Results are typed (structured content), at most `RESULT_BYTES` of JSON each, with `more` saying how much was left out;
an answer, which is also given as text, is at most `ANSWER_TOKENS` of the reading model's in either form.
An error says what to do about it. The four steps by relation are those that agents trained on KGs use (KG-R1,
arXiv 2509.26383): relations and entities on the head's and on the tail's side.

Here the operator chose the KG, the method and the model; a client names neither.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, Literal, ParamSpec, cast

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field
from typing_extensions import TypedDict

from trivium.api import aask
from trivium.app.server.turns import turns_of
from trivium.graphs.methods import method_named
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.errors import RequestError
from trivium.kg.types import Direction, Triple
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.markdown import without_evidence
from trivium.nodes.run.path_text import path_texts
from trivium.tools.find_entities import find_entities as find
from trivium.tools.find_paths import find_paths as paths_between
from trivium.tools.get_labels import get_labels
from trivium.tools.neighbors import neighbors as triples_around
from trivium.tools.resolve_entities import resolve_entities

P = ParamSpec("P")

RESULT_BYTES = 2_000
"""The longest result, in bytes of JSON."""

ANSWER_TOKENS = 600
"""The longest answer, in tokens as Llama 2 counts them; newer vocabularies are larger and need fewer."""

_MOST = 100  # items of a list that could fit
_CUTS = 10  # tokens that it counts more or less where it cuts long words
_LABEL = 200  # characters that are shown of a label, half of those of a path
_VALUE, _TEXT = 60, 250  # tokens of a value, and of an answer's text, whose names stand in `answers` too
_tokens = StaticEmbedder()

_READ = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_TRIPLES = 200  # triples read of an entity before they are cut to a result's size
_SHOWN_RELATIONS = 25  # relations that the server's description names

Name = Annotated[str, Field(min_length=1, max_length=500, description="an entity's id or label")]
Relation = Annotated[
    str, Field(min_length=1, max_length=500, description="a relation's name, as get_*_relations give it")
]
Offset = Annotated[int, Field(ge=0, le=100_000, description="how many to skip: `next` of the result before")]


class EntityRef(TypedDict, total=False):
    """An entity of the graph."""

    id: str
    label: str
    score: float


class TripleOf(TypedDict):
    """A fact as it is stored, by ids."""

    head: str
    relation: str
    tail: str


class AnswerWithProof(TypedDict, total=False):
    """An answer with its proof; `stop_reason` other than `answered` says why there is none."""

    answer: str
    answers: list[EntityRef]
    choice: str | None
    value: Any
    confidence: float | None
    stop_reason: str
    proof: list[str]
    did_you_mean: list[str]
    method: str
    more: int


class EntityPage(TypedDict, total=False):
    """Entities, best first; `more` were left out, and `next` continues."""

    entities: list[EntityRef]
    more: int
    next: int


class Relations(TypedDict, total=False):
    """Names of relations; `more` were left out."""

    relations: list[str]
    more: int


class Triples(TypedDict, total=False):
    """Facts, with the labels of ids that are not their own label; `more` were left out, and `next` continues."""

    triples: list[TripleOf]
    labels: dict[str, str]
    more: int
    next: int


class Paths(TypedDict, total=False):
    """Paths, shortest first: `A -relation-> B <-relation- C`; `more` were left out."""

    paths: list[str]
    more: int


class Verified(TypedDict):
    """Which facts are in the graph."""

    all_in_graph: bool
    facts: list[bool]


async def make_server(kg: str, *, method: str = "auto", model: str = "none", name: str = "") -> MCPServer[Any]:
    """An MCP server over one KG.

    Args:
        kg: the KG argument; it is opened now.
        method: of its answers.
        model: the chat model of its answers.
        name: how the KG is called before clients; else by its argument.

    Raises:
        TriviumError: the KG, the method or the model cannot be used.
    """
    method_named(method).context(kg=kg, model=model).check()
    base = await open_knowledge(kg)
    about = await _about(base, name or kg)
    await asyncio.to_thread(_tokens.count_tokens, about)  # which reads its vocabulary
    server: MCPServer[Any] = MCPServer("trivium", title=f"Trivium: {name or kg}", instructions=about)
    for tool in _tools(kg, method, model):
        server.add_tool(tool, annotations=_READ)
    return server


async def _about(kg: Knowledge, name: str) -> str:
    """What the KG holds, for a model to know what to ask."""
    info, schema = await kg.store.info(), await kg.store.schema()
    said = ", ".join(relation.name for relation in schema[:_SHOWN_RELATIONS])
    rest = f" and {len(schema) - _SHOWN_RELATIONS} more" if len(schema) > _SHOWN_RELATIONS else ""
    return (
        f"The knowledge graph {name}: {info.triples:,} facts about {info.entities:,} entities. "
        f"Relations: {said}{rest}. `ask` answers a question in words with the path that proves it. For steps of your "
        "own, find an entity by name, look at its relations, follow one. What is not in the graph is said to be not "
        "there: do not guess."
    )


def _tools(kg: str, method: str, model: str) -> Sequence[Callable[..., Awaitable[CallToolResult]]]:
    """The tools, over one KG."""

    async def ask(
        question: Annotated[str, Field(min_length=1, max_length=10_000, description="the question in words")],
        topic_entities: Annotated[list[Name], Field(max_length=20, description="what it is about, if known")] = [],  # noqa: B006 - a schema's default
        choices: Annotated[list[Name], Field(max_length=50, description="options to choose among, if any")] = [],  # noqa: B006
    ) -> Annotated[CallToolResult, AnswerWithProof]:
        """Answer a question from the knowledge graph, with the path that proves it."""
        chosen = "knowgpt" if choices and method != "auto" else method
        async with turns_of(model).turn():
            answer = await aask(
                question, kg=kg, method=chosen, model=model, topic_entities=topic_entities, choices=choices
            )
        return await answer_result(answer, kg)

    async def find_entities(
        text: Annotated[str, Field(min_length=1, max_length=500, description="a name, or words like one")],
        limit: Annotated[int, Field(ge=1, le=50)] = 5,
    ) -> Annotated[CallToolResult, EntityPage]:
        """Find entities of the knowledge graph by name: exact, with typos, else by meaning."""
        (hits,) = await find(kg, [text], limit)
        return _result(
            {"entities": [{"id": hit.id, "label": _short(hit.label), "score": round(hit.score, 3)} for hit in hits]},
            "entities",
        )

    async def neighbors(
        entity: Name,
        relation: Annotated[str | None, Field(max_length=500, description="only this relation")] = None,
        direction: Annotated[Direction, Field(description="out: the entity is the head; in: the tail")] = "both",
        offset: Offset = 0,
    ) -> Annotated[CallToolResult, Triples]:
        """The facts around an entity."""
        (key,) = await resolve_entities(kg, [entity])
        (around,) = await triples_around(kg, [key], relation=relation, direction=direction, limit=offset + _TRIPLES)
        return await _triples(kg, [Triple(*triple[:3]) for triple in around], offset)

    async def find_paths(
        source: Name,
        target: Name,
        max_hops: Annotated[int, Field(ge=1, le=4)] = 3,
        limit: Annotated[int, Field(ge=1, le=20)] = 5,
    ) -> Annotated[CallToolResult, Paths]:
        """Paths between two entities, shortest first."""
        one, other = await resolve_entities(kg, [source, target])
        found = await paths_between(kg, one, other, max_hops=max_hops, limit=limit)
        records = [{"triples": [step._asdict() for step in path], "answer": other} for path in found]
        return _result({"paths": await path_texts(cast(Any, records), kg)}, "paths")

    async def verify(
        facts: Annotated[list[TripleOf], Field(min_length=1, max_length=50, description="facts, by ids or labels")],
    ) -> Annotated[CallToolResult, Verified]:
        """Whether facts are in the knowledge graph, each as head, relation, tail."""
        base = await open_knowledge(kg)
        texts = [fact[end] for fact in facts for end in ("head", "tail")]
        known = {
            text: [hit.id for hit in hits]
            for text, hits in zip(texts, await find(kg, texts, 5, fuzzy=False), strict=True)
        }
        held = []
        for fact in facts:
            heads, tails = known[fact["head"]], known[fact["tail"]] or [fact["tail"]]
            meant = [Triple(head, fact["relation"], tail) for head in heads for tail in tails]
            held.append(any(await base.store.contains(meant)) if meant else False)
        return _result({"all_in_graph": all(held), "facts": held})

    async def get_tail_relations(entity: Name) -> Annotated[CallToolResult, Relations]:
        """The relations of facts whose head is the entity: (entity, relation, ?)."""
        return await _relations(kg, entity, inverse=False)

    async def get_head_relations(entity: Name) -> Annotated[CallToolResult, Relations]:
        """The relations of facts whose tail is the entity: (?, relation, entity)."""
        return await _relations(kg, entity, inverse=True)

    async def get_tail_entities(
        entity: Name, relation: Relation, offset: Offset = 0
    ) -> Annotated[CallToolResult, EntityPage]:
        """The tails of the entity's facts of one relation: (entity, relation, ?)."""
        return await _entities(kg, entity, relation, "out", offset)

    async def get_head_entities(
        entity: Name, relation: Relation, offset: Offset = 0
    ) -> Annotated[CallToolResult, EntityPage]:
        """The heads of facts of one relation whose tail is the entity: (?, relation, entity)."""
        return await _entities(kg, entity, relation, "in", offset)

    steps = (get_tail_relations, get_head_relations, get_tail_entities, get_head_entities)
    return [_telling(each) for each in (ask, find_entities, neighbors, find_paths, verify, *steps)]


def _telling(run: Callable[P, Awaitable[CallToolResult]]) -> Callable[P, Awaitable[CallToolResult]]:
    """A tool whose refusals reach the model in words; of other errors it hears the class alone."""

    @wraps(run)
    async def told(*args: P.args, **kwargs: P.kwargs) -> CallToolResult:
        try:
            return await run(*args, **kwargs)
        except RequestError as error:
            raise ToolError(str(error).replace("trivium kg find looks for another", "call find_entities")) from None

    return told


async def answer_result(answer: Answer, kg: str) -> CallToolResult:
    """An answer for an agent: of its answers, paths and suggestions as many as there is room for, the rest counted."""
    told = await _asked(answer, kg)
    lists = [name for name in ("answers", "proof", "did_you_mean") if name in told]
    return _result(told, *lists, text=_said, tokens=ANSWER_TOKENS - _CUTS)


async def _asked(answer: Answer, kg: str) -> dict[str, Any]:
    labels = [
        {"id": item["id"], "label": _short(item["label"]), "score": round(item["score"], 3)}
        for item in answer["answers"]
    ]
    told: dict[str, Any] = {
        "answer": _cut(await without_evidence(answer, kg), _TEXT),
        "stop_reason": answer["stop_reason"],
        "method": answer["method"],
        "confidence": answer["confidence"],
        "answers": labels,
        "proof": [_short(path, 2 * _LABEL) for path in await path_texts(answer["paths"][:10], kg)],
    }
    if answer["value"] is not None:
        told["value"] = _cut(answer["value"], _VALUE) if isinstance(answer["value"], str) else answer["value"]
    if answer["choice"] is not None:
        told["choice"] = answer["choice"]
    if answer["suggestions"]:
        told["did_you_mean"] = [_short(each["label"]) for each in answer["suggestions"][:5]]
    return told


def _short(text: str, most: int = _LABEL) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _cut(text: str, most: int) -> str:
    """A text of so many tokens at most; none is shorter than a byte."""
    shown = text[: 4 * most]
    while len(shown.encode(errors="replace")) >= most and _tokens.count_tokens(shown) >= most:
        shown = shown[: len(shown) * 3 // 4]
    return text if shown == text else f"{shown}…"


async def _relations(kg: str, entity: str, *, inverse: bool) -> CallToolResult:
    (key,) = await resolve_entities(kg, [entity])
    (hops,) = await (await open_knowledge(kg)).store.hops([key])
    return _result({"relations": sorted(hop.relation for hop in hops if hop.inverse is inverse)}, "relations")


async def _entities(
    kg: str, entity: str, relation: str, direction: Literal["in", "out"], offset: int
) -> CallToolResult:
    (key,) = await resolve_entities(kg, [entity])
    (around,) = await triples_around(kg, [key], relation=relation, direction=direction, limit=offset + _TRIPLES)
    ends = list(dict.fromkeys(triple.tail if direction == "out" else triple.head for triple in around))[offset:]
    if not ends and not offset:
        side = "get_tail_relations" if direction == "out" else "get_head_relations"
        raise ToolError(f"{entity!r} has no fact of the relation {relation!r} on that side: see {side}")
    labels = await get_labels(kg, ends, ends_of=[relation if direction == "out" else ""] * len(ends))
    listed = [{"id": end, "label": _short(label)} for end, label in zip(ends, labels, strict=True)]
    return _result({"entities": listed}, "entities", offset=offset)


async def _triples(kg: str, triples: Sequence[Triple], offset: int) -> CallToolResult:
    shown = list(triples)[offset:]
    ids = list(dict.fromkeys(end for triple in shown for end in (triple.head, triple.tail)))
    known = dict(zip(ids, await (await open_knowledge(kg)).store.labels(ids), strict=True)) if ids else {}
    found = {"triples": [triple._asdict() for triple in shown]}
    return _result(found, "triples", offset=offset, labels=known)


def _said(out: Mapping[str, Any]) -> str:
    """An answer as a client without structured content reads it."""
    lines = [f"- {path}" for path in out["proof"]]
    more = [f"({out['more']} more answers or paths)"] if out.get("more") else []
    return "\n".join([out["answer"], *(["", "Evidence:", *lines] if lines else []), *more])


def _result(
    found: Mapping[str, Any],
    *lists: str,
    text: Callable[[Mapping[str, Any]], str] | None = None,
    tokens: int | None = None,
    offset: int | None = None,
    labels: Mapping[str, str] | None = None,
) -> CallToolResult:
    """A result that fits: the ends of its lists are left out until it does, the longest list first.

    Args:
        found: what was found.
        lists: the names of lists that may be cut.
        text: makes of a result what a client without structured content reads; else that is the JSON.
        tokens: the most that either has.
        offset: where the list began, for `next`.
        labels: labels of ids; those of the triples that are shown are added.
    """
    held = {name: list(found[name][:_MOST]) for name in lists}
    total = sum(len(found[name]) for name in lists)

    def made() -> tuple[dict[str, Any], str, str]:
        out = {**found, **held}
        if labels is not None:
            ends = {end for triple in held["triples"] for end in (triple["head"], triple["tail"])}
            out["labels"] = {key: labels[key] for key in sorted(ends) if labels[key] != key}
        if left := total - sum(map(len, held.values())):
            out["more"] = left
            if offset is not None:
                out["next"] = offset + max(1, len(next(iter(held.values()))))  # one that never fits is skipped
        json_text = _json(out).decode()
        return out, json_text, text(out) if text else json_text

    def fits(*forms: str) -> bool:
        if any(len(form.encode()) > RESULT_BYTES for form in forms):
            return False
        return tokens is None or all(_tokens.count_tokens(form) <= tokens for form in forms)

    out, *forms = made()
    while not fits(*forms) and any(held.values()):
        longest = max(held.values(), key=lambda items: len(_json(items)))
        del longest[-max(1, len(longest) // 8) :]
        out, *forms = made()
    return CallToolResult(content=[TextContent(type="text", text=forms[1])], structured_content=out)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode(errors="replace")
