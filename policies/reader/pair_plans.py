"""The plans that a user's pairs may mean, each with how well its answer fits the pair's."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from trivium.kg.errors import TimeLimitError
from trivium.kg.loaders import Question as Pair
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import QueryPlan
from trivium.kg.plans.result import PlanResult, item_id, item_label, materialize
from trivium.kg.text import fold_name
from trivium.policies.reader.ranking import Ranked, plan_features
from trivium.policies.reader.reader import Outcome, Reader

PAIRS = 600
"""Pairs that are read, evenly over all of them: some 0.2 s each."""
_CANDIDATES = 12
_SECONDS = 10.0
_ROWS = 2_000_000


def pair_plans(
    reader: Reader, columns: GraphColumns, pairs: Sequence[Pair], progress: Callable[[str, int, int | None], None]
) -> list[list[Ranked] | None]:
    """For each pair its candidates, best by the hand score first; None where it has no answers or is passed over."""
    with_answers = [place for place, pair in enumerate(pairs) if pair.answers]
    chosen = with_answers[:: -(-len(with_answers) // PAIRS) or 1]
    out: list[list[Ranked] | None] = [None] * len(pairs)
    for number, place in enumerate(chosen):
        progress("read plans", number, len(chosen))
        out[place] = _candidates(reader, columns, pairs[place])
    progress("read plans", len(chosen), len(chosen))
    return out


def _candidates(reader: Reader, columns: GraphColumns, pair: Pair) -> list[Ranked]:
    executor = Executor(columns, row_limit=_ROWS, deadline=time.monotonic() + _SECONDS)
    found: dict[QueryPlan, PlanResult] = {}

    def run(plan: QueryPlan) -> Outcome:
        try:
            found[plan] = materialize(executor, plan)
        except TimeLimitError:
            return Outcome(-1)
        value = found[plan].value
        return Outcome(found[plan].total if value is None else int(bool(value.value)))

    gold = {fold_name(each) for each in pair.answers}
    return [
        Ranked(
            each.score,
            plan_features(pair.question, each.plan, each.unread),
            _f1(found[each.plan], gold) if each.plan in found else 0.0,
        )
        for each in reader.read(pair.question, seconds=_SECONDS, most=_CANDIDATES, executor=run)
    ]


def _f1(result: PlanResult, gold: set[str]) -> float:
    """F1 of what a plan gives, each by its id or label, against the answers; of rows their cells."""
    cells = [
        *result.entities,
        *(item for row in result.rows for item in row),
        *([result.value] if result.value else []),
    ]
    told = {item_id(each): {fold_name(item_id(each)), fold_name(item_label(each))} for each in cells}
    right = sum(bool(names & gold) for names in told.values())
    covered = len(gold & set[str]().union(*told.values()))
    if not right:
        return 0.0
    precision, recall = right / len(told), covered / len(gold)
    return 2 * precision * recall / (precision + recall)
