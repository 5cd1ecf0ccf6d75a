"""Stage `answer`: the question answered from the memory, each answer with its path (ODA, section 2.2).

Without a model the memory is read by what its chains reached (`Result`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from trivium.kg.text import fold_name
from trivium.kg.types import ChainResult, Hop, LogicalChain, Reached, ReasoningPath, WalkedTriple
from trivium.kg.values import read_value
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.oda.action import meant
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.memory import traces, triples_of
from trivium.nodes.oda.prompts import ANSWER
from trivium.nodes.oda.state import OdaState
from trivium.nodes.oda.text import EntityNames, entities_of_run, named_in
from trivium.nodes.oda.ways import alternatives, settled
from trivium.nodes.run.abstain import Signals
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import AnswerEntity, PathRecord, Value, path_record
from trivium.nodes.run.doubts import doubts
from trivium.nodes.run.write_answer import Claim, evidence, named, write_answer
from trivium.tools.find_task_entities import question_kind
from trivium.tools.follow_chain import follow_chain
from trivium.tools.get_labels import get_labels
from trivium.tools.neighbors import neighbors

_TRUE, _FALSE = frozenset({"true", "yes"}), frozenset({"false", "no"})


class FinalAnswer(BaseModel):
    """What the model answers."""

    answers: list[bool | int | float | str] = Field(description="one answer, or several, the best first")


async def ask_answer(state: OdaState, context: OdaContext) -> tuple[OdaResult | None, dict[str, Any], str | None]:
    """The model's answer tied to the memory, else None with the reason; and usage and events."""
    from trivium.nodes.model import ask_typed, state_update

    names = await EntityNames.of(context.kg, entities_of_run(state))
    prompt = operator_prompt(ANSWER).fill(memory=names.memory(state), question=state["question"])
    known = {fold_name(names.label(key)) for key in named_in(triples_of(state["memory"]))}
    outcome = await ask_typed(
        context,
        state.get("usage"),
        prompt,
        FinalAnswer,
        stage="answer",
        check=lambda said: _problem(said, state["question"], known),
    )
    if outcome.value is None:
        return None, state_update(outcome), outcome.reason
    texts = [str(answer).strip() for answer in outcome.value.answers if str(answer).strip()]
    return _supported(state, texts, names), state_update(outcome), None


def _problem(said: FinalAnswer, question: str, known: set[str]) -> str | None:
    """A number where things are to be counted is a guess, unless the memory holds that number itself."""
    if question_kind(question) != "count" or not said.answers:
        return None
    guessed = [answer for answer in said.answers if literal_value(str(answer)) is not None]
    if len(guessed) == len(said.answers) and not any(fold_name(str(answer)) in known for answer in guessed):
        return "a number was given: list the things to be counted by name, they are counted for you"
    return None


def _supported(state: OdaState, texts: Sequence[str], names: EntityNames) -> OdaResult:
    """Each answer as the memory's entity that it names, with the path to it; the others are the model's own."""
    triples = triples_of(state["memory"])
    if question_kind(state["question"]) == "fact" and texts and texts[0].casefold() in _TRUE | _FALSE:
        shown: list[ReasoningPath] = [tuple(WalkedTriple(*step) for step in path) for path in state["memory"]]
        return OdaResult(value=texts[0].casefold() in _TRUE, shown=shown) if shown else OdaResult(own=[texts[0]])
    inside = list(dict.fromkeys(named_in(triples)))
    ways = traces(state["memory"], state["topics"])
    result = OdaResult()
    for text, key in zip(texts, meant(texts, inside, names), strict=True):
        # A path from a topic where the memory has one; else the piece of it that at least holds the entity.
        path = ways.get(key, ()) or _path_to(key, state) if key else ()
        if key and path:
            result.answers.append(FoundAnswer(key, 1.0, [path]))
        else:
            result.own.append(names.label(key) if key else text)
    # Each entity once, where the model named it first: its order is the order of its answers.
    result.answers = list({found.id: found for found in reversed(result.answers)}.values())[::-1]
    labels = [names.label(found.id) for found in result.answers]
    result.value = value_of(state["question"], result.answers, labels)
    return result


def _path_to(key: str, state: OdaState) -> ReasoningPath:
    """The part of a memory path that leads to an entity which the memory does not join to a topic."""
    for path in state["memory"]:
        steps = [WalkedTriple(*step) for step in path]
        for place, step in enumerate(steps, 1):
            if step.end == key:
                return tuple(steps[:place])
            if step.start == key:
                return (WalkedTriple(*step[:3], not step.inverse),)
    return ()


_UNSURE = 0.1  # a score below it says that the relations followed are hardly like the question
_SHOWN = 15  # paths that are listed where the answer names no entity


async def answer(state: OdaState, runtime: Runtime[OdaContext]) -> dict[str, Any]:
    """Write the typed result; what no path supports is marked as the model's own knowledge."""
    context, follow_up = runtime.context, state.get("follow_up")
    if follow_up and follow_up["unclear"]:
        said, lacking = Claim(follow_up["unclear"], confidence=0.0), Signals(found=False, read=False)
        return await write_answer("oda", state, context, said, signals=lacking, steps=state["log"])
    result, spent, by_model = await _result(state, context)
    narrowed = follow_up is not None and bool(follow_up["among"] or follow_up["besides"])
    if follow_up and narrowed:
        among, besides = set(follow_up["among"]), set(follow_up["besides"])
        kept = [found for found in result.answers if found.id not in besides and (not among or found.id in among)]
        result.answers, result.own = kept, []
    labels = await get_labels(context.kg, [found.id for found in result.answers])
    if narrowed and not isinstance(result.value, bool):
        result.value = value_of(state["question"], result.answers, labels)
    answers = [
        AnswerEntity(id=found.id, label=label, score=found.score)
        for found, label in zip(result.answers, labels, strict=True)
    ]
    paths = [path_record(path, found.id) for found in result.answers for path in found.paths]
    paths += [path_record(path, path[-1].end) for path in result.shown[:_SHOWN]]
    claim = Claim(
        await _sentence(answers, result, paths, context.kg),
        answers,
        result.value,
        paths=paths,
        confidence=answers[0]["score"] if answers else float(result.value is not None),
    )
    if by_model:
        claim.confidence = None
    given = bool(state["log"] and state["log"][0].get("given"))
    signals = await doubts(
        follow_up["of_one"] if follow_up else state["question"],
        context,
        claim,
        read=bool(state["topics"]),
        given=given,
        topics=follow_up["about"][:1] if follow_up else state["topics"] if given else (),
        by_model=by_model,
    )
    return await write_answer(
        "oda",
        state,
        context,
        claim,
        signals=signals,
        steps=state["log"],
        events=_events(state, context, result),
        state_update=spent,
    )


async def _result(state: OdaState, context: OdaContext) -> tuple[OdaResult, dict[str, Any], bool]:
    """The model's answer, or the memory read without a model where there is none or it says nothing usable.

    With what it cost, and whether it is the model's.
    """
    if context.model == NO_MODEL:
        return await similar_result(state, context), {}, False

    result, spent, reason = await ask_answer(state, context)
    if result is None:
        event = {"stage": "answer", "event": "answer_replaced", "message": f"read by similarity: {reason}"}
        spent["events"] = [*spent["events"], event]
        return await similar_result(state, context), spent, False
    return result, spent, True


async def _sentence(answers: Sequence[AnswerEntity], result: OdaResult, paths: Sequence[PathRecord], kg: str) -> str:
    """The answer in words: value, names, the path of the first, and what nothing proves."""
    said = []
    if isinstance(result.value, bool):
        said.append("Yes." if result.value else "No.")
    elif answers and isinstance(result.value, int) and str(result.value) != answers[0]["label"]:
        said.append(f"{result.value}: {named(answers)}.")
    elif answers:
        said.append(f"{'Unsure: ' * (answers[0]['score'] < _UNSURE)}{named(answers)}.")
    if said:
        first = [path for path in paths if not answers or path["answer"] == answers[0]["id"]]
        said.append(await evidence(first[:3], kg, answers[0]["label"] if answers else ""))
    if result.own:
        said.append(f"From the model's own knowledge, which no path proves: {', '.join(result.own)}.")
    return " ".join(filter(None, said))


def _events(state: OdaState, context: OdaContext, result: OdaResult) -> list[dict[str, Any]]:
    """What a user should know beside the answer."""
    events: list[dict[str, Any]] = []
    last = state["action"]
    if state["iteration"] >= context.max_iterations and last and last["name"] != "Answer":
        message = f"{context.max_iterations} iterations were done before the action was to answer"
        events.append({"stage": "reflect", "event": "iterations_spent", "message": message})
    if result.answers and result.answers[0].score < _UNSURE:
        message = f"low relevance ({result.answers[0].score:.3f}): the relations followed may not answer the question"
        events.append({"stage": "answer", "event": "unsure", "message": message})
    if result.truncated:
        message = "a chain leads to more entities than are followed: the answer may lack some, and a count is too low"
        events.append({"stage": "answer", "event": "truncated", "message": message})
    if result.own:
        message = f"no path supports: {', '.join(result.own)}"
        events.append({"stage": "answer", "event": "own_knowledge", "message": message})
    return events


_CHAIN_LIMIT = 10_000  # entities that a chain reaches at most, a hop
_SPEAKS = 0.3  # score from which a chain is about what a fact states, so that where it leads elsewhere denies it


@dataclass
class FoundAnswer:
    """An answer: an entity, its score in [0, 1], and the paths that lead to it."""

    id: str
    score: float
    paths: list[ReasoningPath]


@dataclass
class OdaResult:
    """What a run found.

    Attributes:
        answers: best first.
        value: where the answer is not an entity.
        shown: paths that prove the value, where it names no entity.
        own: what the model said and nothing in the memory supports.
        truncated: whether a chain led to more entities than were followed.
    """

    answers: list[FoundAnswer] = field(default_factory=list)
    value: Value | None = None
    shown: list[ReasoningPath] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    truncated: bool = False


async def similar_result(state: OdaState, context: OdaContext) -> OdaResult:
    """What the memory says, read without a model.

    The best chain that it holds from each topic is followed to all its ends, so that lists and counts are whole though
    a reflection keeps 15 triples; entities that more topics lead to come first, and alone.
    """
    held, meant = await settled(state, context), alternatives(state)
    if best := max((held[topic] for topic in meant if topic in held), default=None):
        held |= dict.fromkeys(meant, best)
    found = {
        topic: await follow_chain(context.kg, [topic], [chain], _CHAIN_LIMIT) for topic, (_, chain) in held.items()
    }
    truncated = any(result.truncated for result in found.values())
    reached = {topic: _ends(state, result, len(held[topic][1])) for topic, result in found.items()}
    if question_kind(state["question"]) == "fact":
        return await _checked(state, reached, held, context.kg)
    answers = _agreed(reached, {topic: score for topic, (score, _) in held.items()}, meant)
    labels = await get_labels(context.kg, [found.id for found in answers[:2]])
    return OdaResult(answers, value=value_of(state["question"], answers, labels), truncated=truncated)


def _ends(state: OdaState, result: ChainResult, hops: int) -> list[Reached]:
    """Where a chain led; several hops do not lead back to a topic, as a path passes no entity twice."""
    return [end for end in result.reached if hops == 1 or end.id not in state["topics"]]


def _agreed(
    reached: Mapping[str, Sequence[Reached]], scores: Mapping[str, float], alternatives: Sequence[str] = ()
) -> list[FoundAnswer]:
    """The entities that the most topics lead to; where no two agree, those of the best topic.

    Topics any of which may be meant are one condition together.
    """
    topics = sorted(reached, key=lambda topic: -scores[topic])
    condition = {topic: "" if topic in alternatives else topic for topic in topics}
    pairs = dict.fromkeys((condition[topic], end.id) for topic in topics for end in reached[topic])
    counted = Counter(end for _, end in pairs)
    most = max(counted.values(), default=0)
    # Topics that agree on nothing are no conditions to be met together: the best one decides.
    if most == 1:
        best = next((condition[topic] for topic in topics if reached[topic]), None)
        topics = [topic for topic in topics if condition[topic] == best]
    found: dict[str, FoundAnswer] = {}
    for topic in topics:
        strongest = max((end.support for end in reached[topic]), default=1)
        for end in reached[topic]:
            if counted[end.id] == most:
                share = max(0.0, min(1.0, scores[topic])) * end.support / strongest
                known = found.setdefault(end.id, FoundAnswer(end.id, round(share, 6), []))
                known.score = max(known.score, round(share, 6))
                known.paths.append(end.path)
    return sorted(found.values(), key=lambda each: -each.score)


async def _checked(
    state: OdaState,
    reached: Mapping[str, Sequence[Reached]],
    held: Mapping[str, tuple[float, LogicalChain]],
    kg: str,
) -> OdaResult:
    """A fact about two entities: true where what is asked of one leads to the other, false where it leads elsewhere.

    A KG does not hold every fact. What it says elsewhere denies a fact only by a relation that is like what is stated
    and leads to the other entity from somewhere: "cancer" is not a place that a place of death could have named. Where
    it says nothing there is no value.
    """
    for topic, ends in reached.items():
        others = _others(state, topic)
        true = [end for end in ends if end.id in others]
        if true:
            return OdaResult([FoundAnswer(end.id, 1.0, [end.path]) for end in true], value=True)
    denying: list[ReasoningPath] = []
    for topic, (score, chain) in held.items():
        if score >= _SPEAKS and await _could_say(chain[-1], _others(state, topic), kg):
            denying += [end.path for end in reached[topic]]
    return OdaResult(value=False if denying else None, shown=denying)


def _others(state: OdaState, topic: str) -> list[str]:
    """The entities that the question names besides this one, each with its namesakes, but not the topic's own."""
    namesakes = state["namesakes"]
    named = [entity for entity in (*state["topics"], *state["named"]) if topic not in namesakes.get(entity, [entity])]
    return [same for entity in named for same in namesakes.get(entity, [entity])]


async def _could_say(hop: Hop, entities: Sequence[str], kg: str) -> bool:
    """Whether a hop leads to one of these entities from anywhere."""
    back = await neighbors(kg, entities, relation=hop.relation, direction="out" if hop.inverse else "in", limit=1)
    return any(back)


def value_of(question: str, answers: Sequence[FoundAnswer], labels: Sequence[str]) -> Value | None:
    """The value where the answer is not an entity: how many there are, or the one number or date that was found."""
    literal = literal_value(labels[0]) if len(answers) == 1 else None
    if question_kind(question) == "count":
        # Nothing found is not zero: a KG does not hold every fact.
        counted = len(answers) or None
        return literal if isinstance(literal, int | float) else counted
    return literal


def literal_value(text: str) -> Value | None:
    """A text that is a number without a unit, or a date, as such; None for any other."""
    value = read_value(text.strip())
    if value.kind == "number" and not value.unit:
        return int(value.number) if value.number.is_integer() else value.number
    return value.text if value.kind in ("date", "datetime") else None
