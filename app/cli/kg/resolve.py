"""From what a person typed to an entity's id or a relation's name, or a refusal that says what is close."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from trivium.app.cli.output import complain
from trivium.kg.errors import UnknownEntityError, UnknownRelationError
from trivium.kg.store import GraphStore
from trivium.kg.types import EntityHit

_SHOWN = 3
_LONGEST = 80


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
        [similar] = await store.find([text], limit=_SHOWN)
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
        similar = get_close_matches(name.removeprefix("^").casefold(), folded, _SHOWN, 0.5)
        raise UnknownRelationError(f"no relation is named {_quoted(name)}{_hint([folded[key] for key in similar])}")


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def _hint(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return f"; did you mean {' or '.join(map(_quoted, distinct))}?" if distinct else ""


def _entry(hit: EntityHit) -> str:
    return f"{hit.id} ({hit.degree} triples)"
