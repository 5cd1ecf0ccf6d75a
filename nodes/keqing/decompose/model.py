"""Decomposition by a chat model (Keqing, section 3.1), with the relations that the question's entities have in view."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from trivium.kg.indexes.words import brief_name
from trivium.kg.text import fold_name
from trivium.kg.types import EntityHit, Hop
from trivium.nodes.keqing.conditions import Condition
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.decompose.follow_up import LastAnswers, from_all, hits_of
from trivium.nodes.keqing.decompose.prompt import (
    DECOMPOSE,
    EITHER_WAY,
    LAST_ANSWERS,
    AskedDecomposition,
    before,
    conditions,
    in_full,
    problem,
    sub_questions,
)
from trivium.nodes.model import ModelReply, ask_typed
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.model.prompt_data import as_data
from trivium.nodes.run.usage import estimate_tokens
from trivium.tools.decompose_question import NO_DEPENDENCY, Decomposition, SubQuestion
from trivium.tools.decomposition_hints import Exemplar, RelationHint, decomposition_hints
from trivium.tools.describe_entities import EntityDescription, describe_entities
from trivium.tools.find_entities import find_entities
from trivium.tools.list_relations import list_relations
from trivium.tools.match_templates import match_templates
from trivium.tools.next_relations import next_relations

_ANSWERS = 20  # of the last run, named in the prompt
_RELATIONS = 30  # hops; both ways of one relation share a line
_PROMPT = 950  # tokens of the prompt without its schema; exemplars are left out from where it would be longer
_TELLING = 14  # characters of a relation's name that can do without a wording
_FEWEST = 12  # relations that are offered however long their names are
_WORDING = 60  # characters of a template that is shown beside its relation
_KINDS = 2  # types shown at each end of a relation
_CANDIDATES = 5  # entities of a name that are tried


@dataclass(frozen=True, slots=True)
class ModelDecomposition:
    """A model's decomposition; None where its answer cannot be used, as the outcome says."""

    found: Decomposition | None
    outcome: ModelReply[AskedDecomposition]
    only: dict[int, Condition] = field(default_factory=dict)


async def decompose_by_model(
    question: str, topics: Sequence[str], context: KeqingContext, last: LastAnswers | None = None
) -> ModelDecomposition:
    """Ask the model once.

    Args:
        question: in words.
        topics: entities that it is known to be about, ids or labels.
        context: the run's settings, which name a model.
        last: what the thread's last run answered; the question may be about that.
    """
    kg = context.kg
    hits = await hits_of(last.ids, kg) if last else []
    hints = await decomposition_hints(kg, question, topics, _RELATIONS, context.exemplars)
    known = {each.name for each in await list_relations(kg)}
    values = {
        "question": as_data(question, 10_000),
        "entities": "\n".join(map(_entity, hints.entities)) or "(none was found by its name)",
        "context": _before(last, hits),
    }
    names = _brief(known)
    prompt = _within(values, hints.relations, list(map(_shown, hints.exemplars)), names)
    outcome: ModelReply[AskedDecomposition] = await ask_typed(
        context, None, prompt, AskedDecomposition, stage="decompose", check=_checker(known, hints.entities, names)
    )
    if outcome.value is None:
        return ModelDecomposition(None, outcome)
    asked = in_full(outcome.value, {brief: name for name, brief in names.items()})
    subs = await _with_habits(sub_questions(asked, excludes_used=hints.excludes), kg)
    subs, links = await _walkable(subs, await _linked(subs, topics, kg), kg)
    found = Decomposition(subs, links)
    if hits:
        found = from_all(found, LAST_ANSWERS, hits)
    return ModelDecomposition(found, outcome, conditions(asked, last.ids if last else ()))


def _brief(relations: Collection[str]) -> dict[str, str]:
    """Names to show in place of long ones, where each means one relation alone."""
    briefs = {name: brief_name(name) for name in relations}
    count = Counter([*briefs.values(), *(name for name, brief in briefs.items() if name != brief)])
    return {name: brief for name, brief in briefs.items() if brief != name and count[brief] == 1}


def _checker(
    relations: Collection[str], entities: Sequence[EntityDescription], names: Mapping[str, str]
) -> Callable[..., str | None]:
    """What is wrong with a decomposition, for the model to read; that an entity lacks a relation is said once only."""
    full = {brief: name for name, brief in names.items()}
    hops = {fold_name(name): each for each in entities for name in (each.label, each.id)}
    told = False

    def check(said: AskedDecomposition) -> str | None:
        nonlocal told
        asked = in_full(said, full)
        if (wrong := problem(asked, relations)) or told:
            return wrong
        for sub in sub_questions(asked, excludes_used=False):
            for each in (hops.get(fold_name(name)) for name in sub.seed_entities):
                if each and sub.chain and not any(hop.relation == sub.chain[0].relation for hop in each.hops):
                    told = True
                    relation = names.get(sub.chain[0].relation, sub.chain[0].relation)
                    return f"{each.label} has no {relation}: take a relation that it has, or leave it out"
        return None

    return check


def _within(
    values: Mapping[str, str], hints: Sequence[RelationHint], exemplars: Sequence[str], names: Mapping[str, str]
) -> str:
    """The prompt within its length: without the farthest exemplars, then wordings, and then relations."""
    prompt = operator_prompt(DECOMPOSE)
    briefly = [
        each._replace(hop=Hop(names.get(each.hop.relation, each.hop.relation), each.hop.inverse)) for each in hints
    ]
    text = ""
    for shown, relations in _shorter(briefly, exemplars):
        text = prompt.fill(**values, relations=relations, exemplars="".join(shown))
        if estimate_tokens(text) <= _PROMPT:
            break
    return text


def _shorter(hints: Sequence[RelationHint], exemplars: Sequence[str]) -> Iterator[tuple[Sequence[str], str]]:
    """Exemplars and relations to show, ever fewer of them."""
    whole = _relations(hints, {})
    for left_out in range(len(exemplars) + 1):
        yield exemplars[left_out:], whole
    own, others = ([each for each in hints if each.own is wanted] for wanted in (True, False))
    written: _Written = {}
    while True:
        yield (), _relations([*own, *others], written, terse=True)
        if len(own) + len(others) <= _FEWEST:
            return
        (own if len(own) > len(others) else others).pop()  # the farthest


def _entity(each: EntityDescription) -> str:
    label = as_data(each.label) + (f" [{as_data(each.id)}]" if each.id != each.label else "")
    return label + (f" ({', '.join(map(as_data, each.types[:_KINDS]))})" if each.types else "")


_Written = dict[tuple[Hop, int], str]
"""Lines of relations by their first way and the number of ways; a prompt that is too long is written many times."""


def _relations(hints: Sequence[RelationHint], written: _Written, *, terse: bool = False) -> str:
    """The relations that the entities have, and apart from them those that can only come later.

    With `terse` without the wordings of long names, which say themselves what they mean. `written` keeps the lines.
    """
    own, others = (
        _lines([each for each in hints if each.own is wanted], written, terse=terse) for wanted in (True, False)
    )
    if not own or not others:
        return "\n".join([*own, *others])
    return "\n".join(["Of these entities, for a first step:", *own, "Of other entities, for later steps:", *others])


def _lines(hints: Sequence[RelationHint], written: _Written, *, terse: bool) -> list[str]:
    """A line for each relation, both ways of it together: `(^)written_by  "who wrote [mask]?"  ^"what did …"`."""
    ways: dict[str, list[RelationHint]] = {}
    for each in hints:
        ways.setdefault(each.hop.relation, []).append(each)
    out = list[str]()
    for found in ways.values():
        found.sort(key=lambda each: each.hop.inverse)
        key = found[0].hop, len(found)
        if key not in written:
            written[key] = _relation(found, terse=terse)
        out.append(written[key])
    return out


def _relation(ways: Sequence[RelationHint], *, terse: bool) -> str:
    first, both = ways[0], len(ways) == 2
    name = f"{EITHER_WAY}{as_data(first.hop.relation)}" if both else as_data(str(first.hop))
    ends = " -> ".join(as_data(" or ".join(kinds[:_KINDS])) or "*" for kinds in (first.starts, first.ends))
    said = [
        ("^" if both and each.hop.inverse else "") + f'"{as_data(each.wording)}"'
        for each in ways
        if each.wording and len(each.wording) <= _WORDING and not (terse and len(each.hop.relation) > _TELLING)
    ]
    return "  ".join([name, *([] if ends == "* -> *" else [ends]), *said])


def _before(last: LastAnswers | None, hits: Sequence[EntityHit]) -> str:
    """The part of the prompt about the last run."""
    if last is None:
        return ""
    names = "; ".join(as_data(hit.label) for hit in hits[:_ANSWERS])
    more = f" and {len(hits) - _ANSWERS} more" if len(hits) > _ANSWERS else ""
    return before(as_data(last.question), names + more)


def _shown(exemplar: Exemplar) -> str:
    subs = json.dumps({"sub_questions": list(exemplar.sub_questions)}, ensure_ascii=False)
    return f"Input: {as_data(exemplar.question)}\nOutput: {subs}\n\n"


async def _with_habits(subs: Sequence[SubQuestion], kg: str) -> tuple[SubQuestion, ...]:
    """Sub-questions in a template's very words exclude what they start from as the pairs of that template do."""
    found = await match_templates(kg, [sub.question for sub in subs], 1)
    own = [
        matches[0].template if matches and matches[0].template.text == sub.question else None
        for sub, matches in zip(subs, found, strict=True)
    ]
    habits = [template.exclusion if template else "cue" for template in own]
    return tuple(
        sub if habit == "cue" else replace(sub, excludes_used=habit == "always" and sub.dep != (NO_DEPENDENCY,))
        for sub, habit in zip(subs, habits, strict=True)
    )


async def _walkable(
    subs: Sequence[SubQuestion], links: Mapping[str, tuple[EntityHit, ...]], kg: str
) -> tuple[tuple[SubQuestion, ...], dict[str, tuple[EntityHit, ...]]]:
    """The relations that the model named, turned round where only that can be walked, and given up where nothing can.

    Of the entities that a name may mean, first those that have the relation: "French" is a people and a language.
    """
    out, linked = list[SubQuestion](), dict(links)
    ends: dict[int, Hop] = {}
    for sub in subs:
        if sub.chain is None:
            out.append(sub)
            continue
        (hop,) = sub.chain
        either = (hop, Hop(hop.relation, not hop.inverse))
        if sub.dep == (NO_DEPENDENCY,):
            way = await _way_from_names(sub.seed_entities, either, linked, kg)
        else:
            able = await next_relations(kg, [ends[dep] for dep in sub.dep if dep in ends])
            way = next((each for each in either if all(each in hops for hops in able)), None)
        if way is not None:
            ends[sub.id] = way
        out.append(replace(sub, chain=(way,) if way else None))
    return tuple(out), linked


async def _way_from_names(
    names: Sequence[str], either: Sequence[Hop], linked: dict[str, tuple[EntityHit, ...]], kg: str
) -> Hop | None:
    """The first of these hops that an entity of each name can take; those that can come first in `linked`."""
    for hop in either:
        able: dict[str, tuple[EntityHit, ...]] = {}
        for name in names:
            hits = linked.get(name) or tuple((await find_entities(kg, [name], _CANDIDATES))[0])
            described = await describe_entities(kg, [hit.id for hit in hits])
            can = [hit for hit, each in zip(hits, described, strict=True) if each is not None and hop in each.hops]
            able[name] = (*can, *(hit for hit in hits if hit not in can)) if can else ()
        if all(able.values()):
            linked.update(able)
            return hop
    return None


async def _linked(subs: Sequence[SubQuestion], topics: Sequence[str], kg: str) -> dict[str, tuple[EntityHit, ...]]:
    """Mentions of the entities that the client named; all others are left to `link_entities`."""
    mentions = [name for sub in subs if sub.dep == (NO_DEPENDENCY,) for name in sub.seed_entities]
    if not topics or not mentions:
        return {}
    named = [hits[0] for hits in await find_entities(kg, list(topics), fuzzy=False) if hits]
    wanted = {hit.id: hit for hit in named}
    if len(wanted) == len(set(mentions)) == 1:
        return {mentions[0]: (named[0],)}
    found = await find_entities(kg, mentions, fuzzy=False)
    right = {name: [hit for hit in hits if hit.id in wanted] for name, hits in zip(mentions, found, strict=True)}
    return {name: tuple(hits[:1]) for name, hits in right.items() if hits}
