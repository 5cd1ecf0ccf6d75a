"""One question set right: a pair is added, the KG learns again, and what else changes is looked at before it stays."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.examples import read_examples
from trivium.kg.loaders import Question
from trivium.kg.plans.plan import Entities, Follow, QueryPlan, chain_of
from trivium.kg.plans.run import run_plan
from trivium.kg.text import fold_case
from trivium.kg.types import LogicalChain
from trivium.knowledge.knowledge import Knowledge
from trivium.knowledge.written_questions import write_questions
from trivium.policies.reader.chains.learning import Learnt, Progress
from trivium.policies.reader.chains.pairs import align_pairs
from trivium.policies.reader.chains.schema_words import Synonyms
from trivium.policies.reader.chains.teaching import take_back, teach
from trivium.policies.reader.chains.versions import list_versions

OTHERS = 60
"""Questions that the KG writes of itself to see what else changes."""
CORRECTION = "correction-"
"""How the ids of pairs begin that corrected a question."""

Ask = Callable[[str], Awaitable[list[str]]]
"""What is answered to a question: ids and labels, or values as text; empty where nothing is claimed."""


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A question of the KG's own that is answered otherwise since."""

    question: str
    before: list[str]
    after: list[str]
    right_before: bool
    right_after: bool


@dataclass(frozen=True, slots=True)
class Correction:
    """What a correction did.

    Attributes:
        before, after: what the corrected question was answered, and is.
        right: whether it is answered right now.
        asked: how many other questions were asked before and after.
        changes: those of them that are answered otherwise.
        kept: whether the KG keeps what it learned.
        pairs: pairs that the KG has learned from.
    """

    question: str
    before: list[str]
    after: list[str]
    right: bool
    asked: int
    changes: list[ChangedAnswer]
    kept: bool
    pairs: int

    @property
    def better(self) -> int:
        """Other questions that are right since."""
        return sum(each.right_after and not each.right_before for each in self.changes)

    @property
    def worse(self) -> int:
        """Other questions that were right before."""
        return sum(each.right_before and not each.right_after for each in self.changes)


async def correct(kg: Knowledge, pair: Question, ask: Ask, *, preview: bool = False, keep: bool = False) -> Correction:
    """Learn again with one more pair; taken back with `preview`, and where more of the others are worse than better.

    Args:
        kg: the KG.
        pair: the question with its chain or its answers.
        ask: asks the KG as it is now.
        preview: take it back in any case.
        keep: keep it whatever else changes.

    Raises:
        BadInputError: the pair teaches nothing on this KG.
        BusyError: another process is writing.
    """
    known = read_examples(kg.path, "keqing") or []
    kept = [each for each in known if fold_case(each.question) != fold_case(pair.question)]
    pair = replace(pair, id=f"{CORRECTION}{1 + max(map(_number, kept), default=0)}")
    others = await write_questions(kg.store, OTHERS)
    asked = [pair.question, *(each.question for each in others)]
    before = [await ask(question) for question in asked]
    learned = await teach(kg, [*kept, pair], lambda *_: None, correction=True)
    after = [await ask(question) for question in asked]
    changes = [
        ChangedAnswer(each.question, was, now, _is_right(was, each.answers), _is_right(now, each.answers))
        for each, was, now in zip(others, before[1:], after[1:], strict=True)
        if was != now
    ]
    found = Correction(
        pair.question, before[0], after[0], _is_right(after[0], pair.answers), len(others), changes, True, learned.pairs
    )
    if preview or (found.worse > found.better and not keep):
        await take_back(kg, known or None)
        return replace(found, kept=False)
    return found


async def undo(kg: Knowledge) -> str:
    """Take the last correction back, its pair too; returns its question.

    What was learned before it is put back; where the KG has learned anew since, or that version is no longer kept, it
    learns again without the pair.

    Raises:
        UsageError: the KG has no correction.
    """
    known = read_examples(kg.path, "keqing") or []
    last = max(known, key=_number, default=None)
    if last is None or not _number(last):
        raise UsageError(f"{kg.name} has no correction; trivium learn versions lists what it learned")
    left = [each for each in known if each is not last] or None
    versions = list_versions(kg.learnt)
    used = next((version for version in versions if version.current), None)
    if used is not None and used.correction and used.number > versions[0].number:
        await take_back(kg, left)
    else:
        await teach(kg, left, lambda *_: None)
    return last.question


def _number(pair: Question) -> int:
    """The number of a correction, from 1; 0 for any other pair."""
    number = pair.id.removeprefix(CORRECTION)
    return int(number) if number != pair.id and number.isdecimal() else 0


@dataclass(frozen=True, slots=True)
class Relearned:
    """What learning anew came to.

    Attributes:
        learned: from the pairs and the corrections.
        corrections: how many of these were kept.
        replaced: how many pairs have the question of a correction, which was learned in their place.
        dropped: how many corrections were not kept, for nothing on this KG explains them any more.
    """

    learned: Learnt
    corrections: int = 0
    replaced: int = 0
    dropped: int = 0


async def learn_anew(
    kg: Knowledge, pairs: Sequence[Question] | None, progress: Progress, synonyms: Synonyms | None = None
) -> Relearned:
    """Learn from pairs, or with None from the schema alone, in place of the pairs before; corrections are kept.

    A correction takes the place of a pair with its question: it was made of what such pairs had taught.

    Raises:
        BadInputError: the pairs teach nothing on this KG, or synonyms name a relation that it does not have.
        BusyError: another process is writing.
    """
    corrections = [each for each in read_examples(kg.path, "keqing") or () if _number(each)]
    teaching = pairs is None or any(each.chain or each.branches or each.answers for each in pairs)
    if not corrections or not teaching:
        return Relearned(await teach(kg, pairs, progress, synonyms))
    corrected = {fold_case(each.question) for each in corrections}
    others = [each for each in pairs or () if fold_case(each.question) not in corrected]
    try:
        learned = await teach(kg, [*others, *corrections], progress, synonyms)
    except BadInputError:
        return Relearned(await teach(kg, pairs, progress, synonyms), dropped=len(corrections))
    return Relearned(learned, len(corrections), len(pairs or ()) - len(others))


async def pair_of(
    kg: Knowledge,
    question: str,
    *,
    chain: LogicalChain | None = None,
    plan: QueryPlan | None = None,
    answers: Sequence[str] = (),
    topics: Sequence[str] = (),
) -> Question:
    """A pair of what is known of a question; a plan is computed, and gives its answers, its chain and its topic.

    Raises:
        BadInputError: nothing is known, a relation or an entity is unknown, or a plan gives no entity.
        PlanError, TimeLimitError: the plan does not fit the graph, or took too long.
    """
    if plan is not None:
        result = (await run_plan(kg.store, plan)).result
        answers = [each.id for each in result.entities]
        if not answers:
            raise BadInputError("the plan gives no entity: a correction needs entities as answers")
        if isinstance(plan, Follow) and isinstance(plan.source, Entities) and (walked := chain_of(plan.steps)):
            chain, topics = walked, plan.source.ids
    if chain is not None:
        names = [relation.name for relation in await kg.store.schema()]
        for hop in chain:
            if hop.relation not in names:
                near = get_close_matches(hop.relation, names, 1)
                hint = f"; closest: {near[0]!r}" if near else ""
                raise BadInputError(f"unknown relation {hop.relation!r} in the chain{hint}")
    if chain is None and not answers:
        raise BadInputError("what is right? give --chain, --plan or --answers")
    for name, hits in zip(answers, await kg.store.find(list(answers), limit=1, fuzzy=False), strict=True):
        if not hits:
            raise BadInputError(f"unknown entity {name!r} among the answers")
    pair = Question(CORRECTION, question, tuple(topics), answers=tuple(answers), chain=chain)
    if chain is not None:
        (aligned,) = [each async for each in align_pairs([pair], kg.store)]
        if aligned is None:
            raise BadInputError("no name in the question leads along the chain to an answer; give --topic, or a plan")
        pair = replace(pair, answers=tuple(answers) or tuple(sorted(aligned.reached)))
    return pair


def _is_right(said: Sequence[str], gold: Sequence[str]) -> bool:
    """Whether what is said first is among the answers; of a question without any, whether nothing is said."""
    if not gold:
        return not said
    return any(fold_case(each) in set(map(fold_case, gold)) for each in said[:2])
