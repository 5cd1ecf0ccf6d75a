"""The freshness rule: what was learned before the last change of a KG stays in use, is named, and renewed on demand.

What is cheap to derive is made again at its next use (`Knowledge.derived`), so it is never stale. What training made
is: `stale` names it, an answer that used it carries an event, `trivium kg add` says what to run, and `renew` makes all
of it again from the questions that are kept with the KG.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from trivium.kg.artifact import joined, read_head
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.errors import TriviumError
from trivium.kg.examples import has_examples, read_examples
from trivium.kg.types import Progress
from trivium.knowledge.knowledge import Knowledge, changed_at

Learned = Literal["keqing", "knowgpt", "entities", "vectors"]
"""What may be stale: what pairs taught Keqing, the path policy, the index of labels by meaning, rows of vectors."""


@dataclass(frozen=True, slots=True)
class Stale:
    """Something learned or derived that is older than the KG, or that an older Trivium wrote; it stays in use.

    Attributes:
        what: which.
        message: for people: what it is, and the command that renews it.
    """

    what: Learned
    message: str


_LEARNED: dict[Learned, tuple[str, str]] = {
    "keqing": ("keqing/decomposer.json", "what Keqing learned"),
    "knowgpt": ("knowgpt/paths.json", "the path policy of KnowGPT"),
}


async def stale(kg: Knowledge, *which: Learned) -> list[Stale]:
    """What is older than the KG as it is now; of all that may be, or of `which`. Microseconds while nothing changes."""
    if isinstance(kg.store, EmbeddedStore):
        await kg.store.refresh()
    now = await kg.sources()
    # What the schema of a database taught is brought up to date when a relation comes or goes.
    partly = "kg" not in kg.cheap(now)
    large = partly and isinstance(kg.store, EmbeddedStore)
    found = []
    for what in which or get_args(Learned):
        where = _LEARNED[what][0] if what in _LEARNED else "indexes/entities" if what == "entities" else "vectors"
        fingerprint = f"{changed_at(joined(kg.path, where))} {now['kg']} {now['embedder']}"
        old_in_part = partly if what == "entities" else large
        make = partial(asyncio.to_thread, _stale, kg, what, now, large=old_in_part)
        found += await kg.derived(f"stale {what}", fingerprint, make)
    return found


def _stale(kg: Knowledge, what: Learned, now: dict[str, str], *, large: bool) -> list[Stale]:
    again = f"trivium learn --renew --kg {kg.name}"
    if what == "entities":
        old = large and kg.entities_are_stale(now["kg"])
        why = f"the index of entities by meaning is from before the last change; to renew it: {again}"
    elif what == "vectors":
        old = kg.vectors_are_stale()
        why = f"the vectors of entities are made again as they are met; all at once: trivium kg vectors {kg.name}"
    else:
        file, name = _LEARNED[what]
        head = read_head(kg.path / file)
        if head is None:
            return []
        made_from, data = head
        old = any(made_from.get(source) != now[source] for source in ("kg", "embedder"))
        # What the schema of a KG that is not large taught is brought up to date at the next question.
        if what == "keqing" and made_from and not data.get("pairs") and not large:
            old = False
        # What keeps no questions (version 1) cannot be learned again without them.
        if what == "knowgpt" or data.get("pairs") or not made_from:
            again = again if has_examples(kg.path, what) else f"trivium learn {what} --kg {kg.name} --questions F"
        kept = "is from before the last change of the graph, and stays in use"
        why = f"{name} {kept if made_from else 'was written by an older Trivium'}; to renew it: {again}"
    return [Stale(what, why)] if old else []


@dataclass(frozen=True, slots=True)
class Renewed:
    """What renewing one thing came to.

    Attributes:
        what: which.
        done: whether it is up to date now.
        message: for people: what was done, or why not and what to do.
    """

    what: Learned
    done: bool
    message: str


async def renew(kg: Knowledge, progress: Progress) -> list[Renewed]:
    """Make everything that was learned or derived from a KG again, from the questions that are kept with it.

    What was never learned is left alone. One thing that fails does not keep the others from being renewed.
    """
    steps: dict[Learned, Callable[[Knowledge, Progress], Awaitable[str]]] = {
        "keqing": _renew_keqing,
        "knowgpt": _renew_paths,
        "entities": _renew_entities,
        "vectors": _renew_vectors,
    }
    out = []
    for what, step in steps.items():
        try:
            message = await step(kg, progress)
        except TriviumError as error:
            out.append(Renewed(what, False, str(error)))
            continue
        if message:
            out.append(Renewed(what, not message.startswith("left"), message))
    await kg.derive()
    return out


async def _renew_keqing(kg: Knowledge, progress: Progress) -> str:
    from trivium.policies.reader.chains.teaching import teach

    head = read_head(kg.path / _LEARNED["keqing"][0])
    if head is None:
        return ""
    pairs = await asyncio.to_thread(read_examples, kg.path, "keqing")
    if pairs is None and head[1].get("pairs"):
        return f"left as it was: Keqing's questions are not kept: trivium learn keqing --kg {kg.name} --questions F"
    learned = await teach(kg, pairs, progress)
    source = f"{learned.pairs} questions" if pairs else "the schema"
    return f"Keqing learned again from {source}: {len(learned.templates)} templates"


async def _renew_paths(kg: Knowledge, progress: Progress) -> str:
    if not (kg.path / _LEARNED["knowgpt"][0]).exists():
        return ""
    questions = await asyncio.to_thread(read_examples, kg.path, "knowgpt")
    if questions is None:
        again = f"trivium learn knowgpt --kg {kg.name} --questions F"
        return f"left as it was: the path policy's questions are not kept: {again}"
    from trivium.policies.paths.learn import learn_paths

    report = (await learn_paths(kg, questions, progress)).report
    return f"the path policy learned again from {report['questions']:,} questions"


async def _renew_entities(kg: Knowledge, _: Progress) -> str:
    if not (kg.path / "indexes" / "entities").exists():
        return ""
    return f"the index of {len(await kg.entities(renew=True)):,} entities by meaning is up to date"


async def _renew_vectors(kg: Knowledge, progress: Progress) -> str:
    if not kg.vectors_are_stale():
        return ""
    path = await asyncio.to_thread(kg.make_vectors, progress)
    return f"wrote {path.name}" if isinstance(kg.store, EmbeddedStore) else f"wrote {path.name}, of the local snapshot"
