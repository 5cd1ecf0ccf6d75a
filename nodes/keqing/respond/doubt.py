"""What speaks against an answer, and what the graph knows instead: the signals by which a run abstains."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trivium.kg.indexes.words import relation_words
from trivium.kg.text import fold_case, tokens
from trivium.kg.types import parse_chain
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import AssessedState, KeqingState, Link
from trivium.nodes.run.abstain import Signals, Suggestion
from trivium.nodes.run.known import known_in, known_of
from trivium.nodes.run.missing import EXACT, absent_names, missing_hop, near_names, unknown_names
from trivium.nodes.run.write_answer import listed
from trivium.tools.decompose_question import NO_DEPENDENCY
from trivium.tools.describe_entities import describe_entities
from trivium.tools.follow_chain import follow_chain
from trivium.tools.get_labels import get_labels

_OFFERED = 3
_SEVERAL = 2
_KNOWN_BETTER = 3
"""Times the triples of its namesake from which an entity is meant without a word that says so."""
_NAMED = 3  # entities that a message names as the way to what is missing


async def signals_of(state: KeqingState, context: KeqingContext, *, found: bool) -> Signals:
    """The signals of a run that comes to its end: what it found may be claimed, or what is missing."""
    assessed, links = state.get("assessed"), state["links"]
    if found and not (assessed and assessed["withheld"]):
        return Signals(found=True, readings=await namesakes(state, context) if assessed else ())
    read = bool(state["sub_questions"])
    unlinked = [mention for mention, hits in links.items() if not hits]
    if assessed is None:
        return Signals(found=False, read=read, unknown=unlinked)
    question = state.get("question", "")
    matches = {mention: [hit["match"] for hit in hits] for mention, hits in links.items()}
    nothing = not links and not assessed["about"]
    unknown = unlinked or await absent_names(
        unknown_names(question, matches, assessed["names"], nothing=nothing, unread=bool(assessed["unread"])),
        context.kg,
    )
    label, knows = await known_of(context.kg, assessed["about"], question)
    if not label:
        knows = await known_in(context.kg)
    missing, of = "", ""
    if not unknown:
        missing, of = await missing_hop(parse_chain(assessed["missing"]), assessed["about"], context.kg, label)
    return Signals(
        found=False,
        read=read,
        doubtful=assessed["withheld"],
        unknown=unknown,
        unread=_in_order(question, assessed["unread"]),
        missing=missing,
        of=of,
        about=label,
        knows=knows,
        unmet=[] if unknown or missing else _unmet(state, assessed),
        suggestions=await near_names(unknown, context.kg),
        chat=assessed["chat"] and not unknown,
    )


async def namesakes(state: KeqingState, context: KeqingContext) -> list[Suggestion]:
    """The entities of one name that the question may mean alike, each with its kind and what is found for it.

    Nothing where the question's words tell them apart, where one is far better known, or where the answer is the same.
    """
    subs, links = state["sub_questions"], state["links"]
    deps = [[NO_DEPENDENCY], *([sub["id"]] for sub in subs)]
    one_line = all(
        sub["dep"] == dep and "chain" in sub and "only" not in sub for sub, dep in zip(subs, deps, strict=False)
    )
    if state.get("plan") or len(links) != 1 or not one_line:
        return []
    (hits,) = links.values()
    alike = [hit for hit in hits if _alike(hit, hits[0])][:_OFFERED]
    if len(alike) < _SEVERAL:
        return []
    chain = [hop for sub in subs for hop in sub["chain"]]
    ids = [hit["id"] for hit in alike]
    described = await describe_entities(context.kg, ids, relations=False)
    kinds = [list(each.types) if each else [] for each in described]
    fitting = [_is_said(own, state.get("question", "")) for own in kinds]
    if fitting[0] and not all(fitting):
        return []
    reached = [(await follow_chain(context.kg, [key], [parse_chain(chain)])).reached for key in ids]
    if len({frozenset(item.id for item in each) for each in reached if each}) < 2:
        return []
    out = []
    for hit, own, found in zip(alike, kinds, reached, strict=True):
        if found:
            labels = await get_labels(context.kg, [item.id for item in found[:_NAMED]])
            why = f"{', '.join([*own[:1], hit['id']])}: {listed(labels, max(0, len(found) - _NAMED))}"
            out.append(Suggestion(id=hit["id"], label=hit["label"], why=why))
    return out


def _alike(hit: Link, first: Link) -> bool:
    """Whether a namesake may be meant as well as the first: named as well, and not far less known."""
    same = hit["match"] == first["match"] or {hit["match"], first["match"]} <= EXACT
    return same and hit["match"] != "fuzzy" and hit["degree"] * _KNOWN_BETTER >= first["degree"]


def _is_said(kinds: Sequence[str], question: str) -> bool:
    """Whether the question says one of the kinds: "the film Psycho"."""
    said = {word.text.removesuffix("s") for word in tokens(question)}
    return any(word.removesuffix("s") in said for kind in kinds for word in relation_words(kind).split())


def _unmet(state: KeqingState, assessed: AssessedState) -> list[str]:
    """Names and numbers of the question that no answer meets, where nothing fits all of it."""
    left = [name for name in dict.fromkeys(state.get("unread") or ()) if name != name.lower() or name.isdigit()]
    numbers = [name for name in assessed["names"] if name.isdigit()]
    return [*left, *(number for number in numbers if number not in left)]


def _in_order(question: str, words: Collection[str]) -> list[str]:
    place = {word.text: at for at, word in enumerate(tokens(question))}
    return sorted((fold_case(word) for word in words), key=lambda word: place.get(word, len(place)))
