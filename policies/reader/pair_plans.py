"""The plans that a user's pairs may mean, each with how well its answer fits the pair's."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

from trivium.kg.errors import TimeLimitError
from trivium.kg.loaders import Question as Pair
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import QueryPlan
from trivium.kg.plans.result import PlanResult, item_id, item_label, materialize
from trivium.kg.text import fold_name
from trivium.policies.reader.ranking import RIGHT, Ranked, plan_features, told_apart
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Outcome

PAIRS = 2_000
"""Pairs that are read, evenly over all of them: some 0.1 s each."""
CANDIDATES = 24
"""Plans of a pair that are run and learned from, the best by the hand score."""
_CARRIED = 1_000
"""Entities that carry an answer as a property, beyond which it names none of them."""
_SECONDS = 10.0
_ROWS = 2_000_000


def pair_plans(
    reader: Reader, columns: GraphColumns, pairs: Sequence[Pair], progress: Callable[[str, int, int | None], None]
) -> list[list[Ranked] | None]:
    """For each pair its candidates, best by the hand score first; None where it has no answers or is passed over."""
    with_answers = [place for place, pair in enumerate(pairs) if pair.answers]
    count = min(PAIRS, len(with_answers))
    chosen = [with_answers[number * len(with_answers) // count] for number in range(count)]
    carried = carriers(columns, {fold_name(each) for place in chosen for each in pairs[place].answers})
    out: list[list[Ranked] | None] = [None] * len(pairs)
    for number, place in enumerate(chosen):
        progress("read plans", number, len(chosen))
        out[place] = _candidates(reader, columns, pairs[place], carried)
    progress("read plans", len(chosen), len(chosen))
    return out


def carriers(columns: GraphColumns, answers: Collection[str]) -> dict[str, set[str]]:
    """The answers that an entity, by its id, carries as a text or date of its own, or as two side by side.

    `answers` are folded names. A call may be named "15/08/2017 01:00", a place by its address.
    """
    wanted = {part for each in answers for part in (each, *(half for halves in _halves(each) for half in halves))}
    rows: defaultdict[str, set[int]] = defaultdict(set)
    for name in columns.properties:
        column = columns.main(name)
        if column is None or column.kind in ("number", "boolean"):
            continue
        for value, text in enumerate(column.texts):
            folded = fold_name(text)
            owners = column.owners[column.starts[value] : column.starts[value + 1]]
            if folded in wanted:
                rows[folded].update(owners.tolist())
    out: defaultdict[str, set[str]] = defaultdict(set)
    for answer in answers:
        own = rows.get(answer) or set().union(*(rows[a] & rows[b] for a, b in _halves(answer) if a in rows))
        for row in own if len(own) <= _CARRIED else ():
            out[columns.ids[row]].add(answer)
    return dict(out)


def _halves(text: str) -> list[tuple[str, str]]:
    """A text taken apart at each of its spaces."""
    return [(text[:at], text[at + 1 :]) for at, letter in enumerate(text) if letter == " "]


def _candidates(reader: Reader, columns: GraphColumns, pair: Pair, carried: Mapping[str, set[str]]) -> list[Ranked]:
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
    readings = reader.read(pair.question, seconds=_SECONDS, most=CANDIDATES, executor=run)
    f1 = [_f1(found[each.plan], gold, {}) if each.plan in found else 0.0 for each in readings]
    if max(f1, default=0.0) <= RIGHT:  # no plan gives the answers by name
        f1 = [_f1(found[each.plan], gold, carried) if each.plan in found else 0.0 for each in readings]
    return told_apart(
        [
            Ranked(each.score, plan_features(pair.question, each.plan, each.unread, each.read_as()), figure)
            for each, figure in zip(readings, f1, strict=True)
        ]
    )


def _f1(result: PlanResult, gold: set[str], carried: Mapping[str, set[str]]) -> float:
    """F1 of what a plan gives, each by its id, label or what it carries, against the answers; of rows their cells."""
    cells = [
        *result.entities,
        *(item for row in result.rows for item in row),
        *([result.value] if result.value else []),
    ]
    told = {
        item_id(each): {fold_name(item_id(each)), fold_name(item_label(each))} | carried.get(item_id(each), set())
        for each in cells
    }
    right = sum(bool(names & gold) for names in told.values())
    covered = len(gold & set[str]().union(*told.values()))
    if not right:
        return 0.0
    precision, recall = right / len(told), covered / len(gold)
    return 2 * precision * recall / (precision + recall)
