"""What speaks against an answer, and what the graph knows instead: the signals by which a run abstains."""

from __future__ import annotations

from collections.abc import Collection

from trivium.kg.text import fold_case, tokens
from trivium.kg.types import parse_chain
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import AssessedState, KeqingState
from trivium.nodes.run.abstain import Signals, Suggestion
from trivium.nodes.run.known import known_in, known_of
from trivium.nodes.run.missing import absent_names, missing_hop, namesakes, near_names, unknown_names


async def signals_of(state: KeqingState, context: KeqingContext, *, found: bool) -> Signals:
    """The signals of a run that comes to its end: what it found may be claimed, or what is missing."""
    assessed, links = state.get("assessed"), state["links"]
    if found and not (assessed and assessed["withheld"]):
        return Signals(found=True, readings=await _namesakes(state, context) if assessed else ())
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


async def _namesakes(state: KeqingState, context: KeqingContext) -> list[Suggestion]:
    if state.get("plan"):
        return []
    return await namesakes(state.get("question", ""), state["sub_questions"], state["links"], context.kg)


def _unmet(state: KeqingState, assessed: AssessedState) -> list[str]:
    """Names and numbers of the question that no answer meets, where nothing fits all of it."""
    left = [name for name in dict.fromkeys(state.get("unread") or ()) if name != name.lower() or name.isdigit()]
    numbers = [name for name in assessed["names"] if name.isdigit()]
    return [*left, *(number for number in numbers if number not in left)]


def _in_order(question: str, words: Collection[str]) -> list[str]:
    place = {word.text: at for at, word in enumerate(tokens(question))}
    return sorted((fold_case(word) for word in words), key=lambda word: place.get(word, len(place)))
