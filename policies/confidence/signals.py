"""What is known of an answer's reading before anything is claimed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from trivium.kg.plans.plan import Entities, Follow, Holds, NonEmpty, QueryPlan, Term, ValueOf, nodes, relations
from trivium.kg.text import fold_case, tokens
from trivium.kg.types import PropertyKind, RelationSchema
from trivium.policies.reader.chains.decomposer import Decomposition
from trivium.policies.reader.chains.open_world import names_relation
from trivium.policies.reader.chains.question_words import ASKING, FUNCTION_WORDS, YES_NO
from trivium.policies.reader.reader import Part, Reading

_FAR = 8.0
"""Nats beyond which a lead says no more."""
_NAME = 0.84
"""Score of a match from which a name is the entity's."""
_NONE_FULL = 2.0
"""Lead of the best reading where none reaches anything, in nats."""
_OF_THINGS = frozenset({"who", "whom", "where"})
_NO_SCHEMA: Mapping[str, RelationSchema] = {}
_MOST = 4.0
"""Words beyond which their number says no more."""


@dataclass(frozen=True, slots=True)
class AnswerSignals:
    """Signals of an answer; numbers only, each 0 where its reader did not read the question.

    Those of the chains that a decomposer chose:

    Attributes:
        gap: nats by which the best reading over the whole schema is ahead of the chosen one.
        foreign: words that speak for other relations than the chosen ones.
        strange: words that are like none of the schema's, and that the plan reader leaves unread too.
        odd: those of them that look like part of a name: capitals within the question, digits.
        unnamed: share of the chosen hops that no word speaks for.
        loose: names that the question gives in part, by initials or with a typo.
        wrong: names that have other words than the question's.
        gap_unsaid: `gap` where a hop is said by no word, or a word speaks for another relation.
        detour: 1 where the best reading over the whole schema is the end of a longer chain that was chosen.
        left: names in the question that the reading does not use.
        half: 1 where the question asks for a computation that neither the chains nor a plan make.
        share: the share of the reading, and of those that reach the same, among all, in [0, 1]; with several topics the
            geometric mean a topic.
        beside: strange words right before a name, that say what it is: "the singer X".
        far: how far the content words are from every word for the answer's relations, in [0, 4]: the sum of 1 - cosine.
        farthest: that of the farthest of them, in [0, 1].
        kind: how far the noun that is asked for is from the types of what is found, in [0, 1]; 0 without either.
        asked_for: 1 where a strange word is what the question asks for: "which team …".
        misfit: 1 where the answer is what another asking word asks for: a person for "when did X marry?", or a year
            for "who owns X?"; and where it is what something is asked about: penguins for "what do penguins eat?".
        taught: 1 where pairs taught the decomposer.

    Those of the plan reader:

        plan: 1 where the answer is that of a plan, 0 where it is that of chains.
        read: 1 where the plan reader read the question.
        ahead: nats of words by which its best reading that reaches nothing is ahead of the best one that does.
        agrees: 1 where its best reading by words walks the relations of the chains, unless both guess at a word.
        unread: content words that its best reading leaves unread.
        unused: operator words that it does not use.
        weakest: score of the worst match of its words, in [0, 1].
        mean: mean score of the matches.
        height: its score without what execution says.
        thin: 1 where it reads no word but asking and function words.
        vague: names that it matches in part.
        mute: mean over a plan's relations of how far the nearest word is, in [0, 1]; 0 for one that a word was read as,
            or a type that it joins.
        typed: share of a plan's relations that only such a type speaks for, in [0, 1].
        untrue: 1 where the question asks for yes or no and the answer is neither.
    """

    gap: float = 0.0
    foreign: float = 0.0
    strange: float = 0.0
    odd: float = 0.0
    unnamed: float = 0.0
    loose: float = 0.0
    wrong: float = 0.0
    gap_unsaid: float = 0.0
    detour: float = 0.0
    left: float = 0.0
    half: float = 0.0
    share: float = 0.0
    beside: float = 0.0
    far: float = 0.0
    farthest: float = 0.0
    kind: float = 0.0
    asked_for: float = 0.0
    misfit: float = 0.0
    taught: float = 0.0
    plan: float = 0.0
    read: float = 0.0
    ahead: float = 0.0
    agrees: float = 0.0
    unread: float = 0.0
    unused: float = 0.0
    weakest: float = 0.0
    mean: float = 0.0
    height: float = 0.0
    thin: float = 0.0
    vague: float = 0.0
    mute: float = 0.0
    typed: float = 0.0
    untrue: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """As in the log of an answer; signals that are 0 left out."""
        return {name: round(value, 4) for name, value in asdict(self).items() if value}

    @classmethod
    def from_json(cls, given: Mapping[str, float]) -> Self:
        """What `to_json` wrote; unknown names are ignored."""
        known = {each.name for each in fields(cls)}
        return cls(**{name: float(value) for name, value in given.items() if name in known})


@dataclass(frozen=True, slots=True)
class Distances:
    """How far a question's words are from an answer's relations and types: 1 - the highest cosine, in [0, 1].

    Attributes:
        words: of each content word to all of the relations' words.
        nearest: for each relation, of the nearest content word; 1 for those left out.
        kind: of the noun that is asked for to the types of what is found; 0 without either.
    """

    words: Sequence[float] = ()
    nearest: Mapping[str, float] = field(default_factory=dict)
    kind: float = 0.0


def signals_of(
    found: Decomposition | None,
    readings: Sequence[Reading],
    *,
    plan: bool,
    question: str = "",
    schema: Mapping[str, RelationSchema] = _NO_SCHEMA,
    away: Distances | None = None,
) -> AnswerSignals:
    """The signals of an answer that comes from a decomposition's chains, or from the first of the readings.

    Args:
        found: the decomposition; None without one.
        readings: the plan reader's, best first; empty where it read nothing.
        plan: whether the answer is the first reading's.
        question: in words.
        schema: the KG's relations and properties by name.
        away: how far the question's words are from the words of `relations_used`; None where it is not known.
    """
    away = away or Distances()
    known = found.support if found is not None else None
    walked = _walked(found) if found is not None else frozenset[str]()
    best = max(readings, key=lambda each: each.lexical, default=None)
    same = [each for each in readings if walked and relations_of(each.plan) == walked]
    if plan:
        same = list(readings[:1])
    unread = {word for each in same[:1] for text in _left(each) for word in fold_case(text).split()}
    strange = [word for word in known.strange if not same or word in unread] if known else []
    judged = plan and isinstance(readings[0].plan, Holds | NonEmpty)
    apart = judged or (found is not None and bool(found.computes))  # its words ask for more than chains
    direct = plan and known is not None and known.detour and len(relations_of(readings[0].plan)) < known.hops
    if plan and known is not None and (apart or direct or not _uses(readings[0].plan, known.about)):
        # The chains are about something else, or make a detour that the plan does not.
        known = replace(known, gap=0.0, foreign=(), unnamed=0, loose=0, wrong=0, detour=False)
    half = not plan and apart and (best is None or bool(best.unused))
    repeats = any(each.repeats for each in same[:1]) and (plan or bool(strange))
    kinds = {name: each.kind for name, each in schema.items()}
    misfit = repeats or is_misfit(question, end_of(found, readings[0].plan if plan else None), kinds)
    misfit = misfit or (plan and _merely_exists(readings[0].plan)) or (known is not None and known.misfit and not plan)
    out: dict[str, float] = {"plan": float(plan), "half": float(half), "misfit": float(misfit)}
    if found is not None:
        starts = sum(sub.dep == (-1,) for sub in found.sub_questions)
        out |= {
            "taught": float(found.taught),
            "left": min(len(found.unread), _MOST),
            "share": found.confidence ** (1 / max(starts, 1)),
        }
    if known is not None:
        out |= {
            "gap": min(known.gap, _FAR),
            "foreign": min(len(known.foreign), _MOST),
            "strange": min(len(strange), _MOST),
            "odd": min(sum(word in known.names for word in strange), _MOST),
            "unnamed": known.unnamed / max(known.hops, 1),
            "beside": min(known.beside, _MOST),
            "far": min(sum(away.words), _MOST),
            "farthest": max(away.words, default=0.0),
            "kind": away.kind,
            "asked_for": float(known.asked_for and bool(strange)),
            "loose": float(known.loose),
            "wrong": float(known.wrong),
            "gap_unsaid": min(known.gap, _FAR) if known.foreign or known.unnamed else 0.0,
            "detour": float(known.detour),
        }
    if best is not None:
        # Two guesses at a word that both cannot place, for a relation that no word names, are not two readings.
        guessed = known is not None and bool(strange) and known.unnamed >= known.hops
        # "No" is an answer, and so is 0.
        computes = isinstance(best.plan, Holds | NonEmpty) or apart
        most = max((each.lexical for each in readings if not each.empty), default=best.lexical - _NONE_FULL)
        top = readings[0] if plan else best
        scores = [min(max(part.score, 0.0), 1.0) for part in top.parts] or [0.0]
        out |= {
            "read": 1.0,
            "ahead": 0.0 if computes else max(0.0, best.lexical - most),
            "agrees": float(bool(walked) and relations_of(best.plan) == walked and not guessed),
            "unread": min(len(top.unread), _MOST),
            "odd": min(sum(_is_name(word) for word in top.unread), _MOST) if plan else out.get("odd", 0.0),
            "unused": min(len(top.unused), _MOST),
            "weakest": min(scores),
            "mean": sum(scores) / len(scores),
            "height": max(min(top.lexical, 2.0), -4.0),
            "thin": float(all(_says_nothing(part.word) for part in top.parts)),
            "vague": float(sum(map(_is_vague, top.parts))),
        }
    if plan:
        out |= _unsaid(readings[0], question, schema, away.nearest)
    out["untrue"] = float(asks_truth(question) and not (plan and isinstance(readings[0].plan, Holds | NonEmpty)))
    return AnswerSignals(**out)


def _merely_exists(plan: QueryPlan) -> bool:
    """Whether a plan says yes because a walk of several hops from one entity leads somewhere: nobody asks whether."""
    return isinstance(plan, NonEmpty) and isinstance(plan.source, Follow) and len(plan.source.steps) > 1


def asks_truth(question: str) -> bool:
    """Whether a question begins as one does that asks for yes or no."""
    words = tokens(question)
    return bool(words) and words[0].text in YES_NO


def relations_used(found: Decomposition | None, readings: Sequence[Reading], *, plan: bool) -> frozenset[str]:
    """The relations and properties that the answer comes from; as `signals_of`."""
    if plan:
        return relations_of(readings[0].plan)
    return _walked(found) if found is not None else frozenset()


def types_found(
    found: Decomposition | None, readings: Sequence[Reading], *, plan: bool, schema: Mapping[str, RelationSchema]
) -> tuple[str, ...]:
    """The types of what a chain, or a plan that only follows relations, leads to; () where it is not known."""
    if plan:
        node = readings[0].plan
        step = node.steps[-1] if isinstance(node, Follow) else None
        relation, back = (step.relation, step.direction == "in") if step and step.direction != "any" else ("", False)
    else:
        chain = found.sub_questions[-1].chain if found is not None and found.sub_questions else None
        relation, back = (chain[-1].relation, chain[-1].inverse) if chain else ("", False)
    known = schema.get(relation)
    return () if known is None else known.head_types if back else known.tail_types


def _unsaid(
    reading: Reading, question: str, schema: Mapping[str, RelationSchema], nearest: Mapping[str, float]
) -> dict[str, float]:
    """The shares of a plan's relations that no word was read as, nor as a type of their ends; and that a type alone."""
    words = [word.text for word in tokens(question)]
    said = {part.element for part in reading.parts}
    said |= {end for element in said for end in (element.split(" = ")[0], element.split(" = ")[0].split(".")[-1])}
    said |= {element.split(".")[0] for element in said}
    used = relations_of(reading.plan)
    unsaid = [schema[name] for name in used - said if name in schema and not names_relation(words, name)]
    typed = [each for each in unsaid if not said.isdisjoint([*each.head_types, *each.tail_types])]
    mute = sum(nearest.get(each.name, 1.0) for each in unsaid if each not in typed)
    return {"mute": mute / max(len(used), 1), "typed": len(typed) / max(len(used), 1)}


def is_misfit(question: str, end: str, kinds: Mapping[str, PropertyKind | None]) -> bool:
    """Whether a question asks for a person or a place, and what answers it are numbers, dates or times.

    Args:
        question: in words.
        end: the relation or property that the answers are the end of.
        kinds: what the values of each property are; None for relations.
    """
    asked = ASKING.intersection(fold_case(question).split())
    return bool(asked) and asked <= _OF_THINGS and kinds.get(end) not in (None, "text", "point")


def end_of(found: Decomposition | None, plan: QueryPlan | None) -> str:
    """The relation or property that a plan's answers are the end of, without one those of chains; "" for none."""
    if isinstance(plan, ValueOf):
        return plan.columns[0].property
    chains = [sub.chain for sub in found.sub_questions if sub.chain] if found is not None and plan is None else []
    return chains[-1][-1].relation if chains else ""


def relations_of(plan: QueryPlan) -> frozenset[str]:
    """The relations that a plan walks and the properties that it reads."""
    return frozenset(
        [*relations(plan), *(node.property for node in nodes(plan) if isinstance(node, Term) and node.property)]
    )


def _left(reading: Reading) -> list[str]:
    """What a reading leaves unread, and the names that it matches in part."""
    return [*reading.unread, *(part.word for part in reading.parts if _is_vague(part))]


def _is_vague(part: Part) -> bool:
    """Whether a part is a name that an entity carries in part."""
    return 0 < part.score < _NAME and _is_name(part.word) and not _says_nothing(part.word)


def _says_nothing(text: str) -> bool:
    return all(word in FUNCTION_WORDS for word in fold_case(text).split())


def _is_name(word: str) -> bool:
    return word[:1].isupper() or any(letter.isdigit() for letter in word)


def _uses(plan: QueryPlan, entity: str) -> bool:
    """Whether a plan starts from an entity."""
    return any(entity in node.ids for node in nodes(plan) if isinstance(node, Entities))


def _walked(found: Decomposition) -> frozenset[str]:
    return frozenset(hop.relation for sub in found.sub_questions for hop in sub.chain or ())
