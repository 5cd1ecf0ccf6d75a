"""`trivium kg find`, `neighbors` and `paths`: a look into a KG."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer

from trivium.app.cli.kg.options import JsonOption, KGArgument
from trivium.app.cli.output import complain, print_json, print_rows, print_text
from trivium.kg.errors import UnknownEntityError, UnknownRelationError, UsageError
from trivium.kg.types import Direction, EntityHit, ReasoningPath, WalkedTriple

if TYPE_CHECKING:
    from trivium.kg.store import GraphStore

_SIMILAR = 3  # names suggested
_LONGEST = 80  # characters of a text that is quoted

EntityArgument = Annotated[str, typer.Argument(metavar="ENTITY", help="An entity's id, label or alias.")]


def find(
    kg: KGArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A name; case, accents and typos do not matter.")],
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 10,
    as_json: JsonOption = False,
) -> None:
    """Find the entities that a text may name, best first."""
    from trivium.knowledge.knowledge import Knowledge

    if not text.strip():
        raise UsageError("the text is empty; give an id, a label or a part of one")
    with Knowledge.open(kg) as opened:
        hits = asyncio.run(opened.store.find([text], limit=limit))[0]
    if as_json:
        print_json({"entities": [_hit(hit) for hit in hits]})
        return
    print_rows(("id", "label", "score", "degree"), [tuple(_hit(hit).values()) for hit in hits])
    if not hits:
        complain("no entity has a similar name")


def neighbors(
    kg: KGArgument,
    entity: EntityArgument,
    relation: Annotated[str | None, typer.Option(metavar="R", help="Only triples of this relation.")] = None,
    direction: Annotated[Direction, typer.Option(help="out: the entity is the head; in: it is the tail.")] = "both",
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """Show the triples around an entity, sorted by relation."""
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(kg) as opened:
        triples, labels = asyncio.run(_neighbors(opened.store, entity, relation, direction, limit))
    if len(triples) > limit:
        complain(f"there are more triples than --limit {limit}; the first by relation and name are shown")
    shown = triples[:limit]
    if as_json:
        print_json({"triples": [{"head": x.head, "relation": x.relation, "tail": x.tail, "score": 1.0} for x in shown]})
    else:
        print_rows(("head", "relation", "tail"), [(labels[x.head], x.relation, labels[x.tail]) for x in shown])


def paths(
    kg: KGArgument,
    source: Annotated[str, typer.Argument(metavar="A", help="Where the paths begin: an id, label or alias.")],
    target: Annotated[str, typer.Argument(metavar="B", help="Where they end.")],
    max_hops: Annotated[int, typer.Option(min=1, max=8, help="Triples a path at most.")] = 3,
    limit: Annotated[int, typer.Option(min=1, help="How many paths at most.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """Show the paths between two entities in either direction of each triple, shortest first."""
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(kg) as opened:
        end, found, labels = asyncio.run(_paths(opened.store, source, target, max_hops, limit))
    if len(found) > limit:
        complain(f"there are more paths than --limit {limit}; the first are shown")
    if as_json:
        listed = [{"triples": [x._asdict() for x in path], "answer": end} for path in found[:limit]]
        print_json({"paths": listed})
    elif found:
        print_text("\n".join(_drawn(path, labels) for path in found[:limit]))
    else:
        complain(f"no path of {max_hops} triples or fewer; --max-hops N for longer ones")


async def _neighbors(
    store: GraphStore, entity: str, relation: str | None, direction: Direction, limit: int
) -> tuple[list[WalkedTriple], dict[str, str]]:
    """One triple more than `limit`, so that a cut is noticed; and how to write their entities."""
    key = await resolve_entity(store, entity)
    [triples] = await store.neighbors([key], relation=relation, direction=direction, limit=limit + 1)
    if not triples and relation is not None:
        await check_relation(store, relation)
    return triples, await _names(store, triples)


async def _paths(
    store: GraphStore, source: str, target: str, max_hops: int, limit: int
) -> tuple[str, list[ReasoningPath], dict[str, str]]:
    """Where the paths end, one path more than `limit`, and how to write their entities."""
    start, end = await resolve_entity(store, source), await resolve_entity(store, target)
    found = await store.paths(start, end, max_hops=max_hops, limit=limit + 1)
    return end, found, await _names(store, (triple for path in found for triple in path))


async def _names(store: GraphStore, triples: Iterable[WalkedTriple]) -> dict[str, str]:
    """`id` -> `label`, or `label (id)` where the label is another."""
    ids = list(dict.fromkeys(key for triple in triples for key in (triple.head, triple.tail)))
    labels: Sequence[str] = await store.labels(ids)
    return {key: key if key == label else f"{label} ({key})" for key, label in zip(ids, labels, strict=True)}


def _hit(hit: EntityHit) -> dict[str, object]:
    return {"id": hit.id, "label": hit.label, "score": round(hit.score, 4), "degree": hit.degree}


def _drawn(path: ReasoningPath, labels: dict[str, str]) -> str:
    """`A → relation → B ← relation ← C`."""
    parts = [labels[path[0].start]]
    for triple in path:
        arrow = "←" if triple.inverse else "→"
        parts += [arrow, triple.relation, arrow, labels[triple.end]]
    return " ".join(parts)


async def resolve_entity(store: GraphStore, text: str) -> str:
    """The id that `text` is, or else the best entity of that label or alias; what else has that name goes to stderr.

    Raises:
        UnknownEntityError: neither; the message names up to three similar entities.
    """
    [entity] = await store.entities([text])
    if entity is not None:
        return text
    [hits] = await store.find([text], fuzzy=False)
    if not hits:
        [similar] = await store.find([text], limit=_SIMILAR)
        raise UnknownEntityError(f"no entity has the id or label {_quoted(text)}{_hint([x.label for x in similar])}")
    best, *others = [hit for hit in hits if hit.score == hits[0].score]
    if others:
        complain(
            f"{text} names {len(others) + 1} entities; taken: {_entry(best)}, not: {', '.join(map(_entry, others))}"
        )
    return best.id


async def check_relation(store: GraphStore, name: str) -> None:
    """Raise `UnknownRelationError` where no relation has that name; the message names up to three similar ones."""
    names = [relation.name for relation in await store.schema()]
    if name not in names:
        folded = {known.casefold(): known for known in names}
        similar = get_close_matches(name.removeprefix("^").casefold(), folded, _SIMILAR, 0.5)
        raise UnknownRelationError(f"no relation is named {_quoted(name)}{_hint([folded[key] for key in similar])}")


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def _hint(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return f"; did you mean {' or '.join(map(_quoted, distinct))}?" if distinct else ""


def _entry(hit: EntityHit) -> str:
    return f"{hit.id} ({hit.degree} triples)"
