"""What a run found, before it is put in words; and the LLM-free reading of the memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trivium.kg.types import ChainResult, Hop, LogicalChain, Reached, ReasoningPath
from trivium.kg.values import read_value
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.state import OdaState
from trivium.nodes.oda.ways import settled
from trivium.nodes.run.answer_record import Value
from trivium.tools.find_task_entities import question_kind
from trivium.tools.follow_chain import follow_chain
from trivium.tools.get_labels import get_labels
from trivium.tools.neighbors import neighbors

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
    held = await settled(state, context)
    found = {
        topic: await follow_chain(context.kg, [topic], [chain], _CHAIN_LIMIT) for topic, (_, chain) in held.items()
    }
    truncated = any(result.truncated for result in found.values())
    reached = {topic: _ends(state, result, len(held[topic][1])) for topic, result in found.items()}
    if question_kind(state["question"]) == "fact":
        return await _checked(state, reached, held, context.kg)
    answers = _agreed(reached, {topic: score for topic, (score, _) in held.items()})
    labels = await get_labels(context.kg, [found.id for found in answers[:2]])
    return OdaResult(answers, value=value_of(state["question"], answers, labels), truncated=truncated)


def _ends(state: OdaState, result: ChainResult, hops: int) -> list[Reached]:
    """Where a chain led; several hops do not lead back to a topic, as a path passes no entity twice."""
    return [end for end in result.reached if hops == 1 or end.id not in state["topics"]]


def _agreed(reached: Mapping[str, Sequence[Reached]], scores: Mapping[str, float]) -> list[FoundAnswer]:
    """The entities that the most topics lead to; where no two agree, those of the best topic."""
    topics = sorted(reached, key=lambda topic: -scores[topic])
    counted = Counter(end.id for topic in topics for end in reached[topic])
    most = max(counted.values(), default=0)
    # Topics that agree on nothing are no conditions to be met together: the best one decides.
    if most == 1:
        topics = next(([topic] for topic in topics if reached[topic]), [])
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
