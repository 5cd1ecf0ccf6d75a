"""How good a ranked list of answers is against a question's gold answers.

Each answer is given by all its names (id and label), since data sets name their answers either way; A_i is the set of
names of the answer at place i, G the gold answers, both folded (case, accents and white space).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from trivium.graphs.methods import refusal
from trivium.kg.errors import UnknownEntityError
from trivium.kg.loaders import Question
from trivium.kg.plans.columns import number_text
from trivium.kg.text import fold_case
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.context import Context

_PLACES = 6  # of decimals that are compared: the order of adding changes later ones
_SPOKEN = {"yes": "true", "no": "false"}


@dataclass(frozen=True, slots=True)
class Score:
    """One question's figures, each in [0, 1], 1 is best; averaged over questions they are the usual percentages.

    Attributes:
        top1: strict Hits@1, 1 if A_1 and G share a name: the single best answer is right.
        any_hit: 1 if any A_i and G share a name; the looser reading of "Hits@1" that some papers report.
        f1: 2 P R / (P + R), P = share of answers that are right, R = share of G that is named; 0 where both are 0.
        exact: 1 if P = R = 1: nothing wrong and nothing missing.
    """

    top1: float
    any_hit: float
    f1: float
    exact: float


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """A question with its answer and how good it is."""

    question: Question
    answer: Answer
    score: Score


def score(answers: Sequence[Collection[str]], gold: Collection[str]) -> Score:
    """Score answers, best first, each by its names.

    No gold answer means that nothing should be said: silence then scores 1 throughout, anything else 0. Namesakes count
    alike, so a right label on a wrong entity passes: give ids as gold where they are known.
    """
    wanted = {fold_case(name) for name in gold}
    said = [{fold_case(name) for name in names} for names in answers]
    if not wanted:
        silent = float(not said)
        return Score(silent, silent, silent, silent)
    right = [bool(names & wanted) for names in said]
    precision = sum(right) / len(right) if right else 0.0
    recall = len(wanted & set[str]().union(*said)) / len(wanted)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Score(float(right[:1] == [True]), float(any(right)), f1, float(precision == recall == 1))


def score_answer(answer: Mapping[str, Any], gold: Collection[str], rows: Sequence[Sequence[str]] = ()) -> Score:
    """Score an answer in the shape of the contract (`nodes.run.answer_record`); one entity said twice counts once.

    A choice, else a value, else the entities (by id, label, or the key that a table has for them), else the literal
    values are scored; a value also as the graph writes it, which the answer shows: "1944 CE" for 1944. Numbers are
    equal as numbers, and where a gold number has decimals, to so many decimals; true is also yes, false no. Where gold
    answers are `rows` of several cells, all cells of both sides are compared; an answer that has no rows may give the
    rows' first cells alone: a query also returns what it sorts by.
    """
    if not rows:
        return score(_claims(answer, gold), [*map(_plain, gold)])
    found = score(_claims(answer, gold, cells=True), [*map(_plain, gold)])
    if not any(isinstance(each, Mapping) for each in answer.get("values", ())):
        first = {_plain(row[0]): None for row in rows if row}
        found = max(found, score(_claims(answer, gold), list(first)), key=lambda each: each.f1)
    return found


def claims(answer: Mapping[str, Any]) -> bool:
    """Whether an answer claims something ("The contract" in the design)."""
    return bool(_claims(answer, ()))


def _claims(answer: Mapping[str, Any], gold: Collection[str], *, cells: bool = False) -> list[set[str]]:
    """What an answer claims, best first, each by all its names; of rows the keys, or all `cells`."""
    if answer.get("choice") is not None:
        return [{answer["choice"]}]
    if answer.get("value") is not None:
        written = answer["answers"] if len(answer["answers"]) == 1 else ()  # as the graph has it: 1944 of "1944 CE"
        return [set[str].union(_names(answer["value"], gold), *(_names(item["label"], gold) for item in written))]
    entities = {
        item["id"]: set[str]().union(*(_names(each, gold) for each in (item["id"], item["label"], _key(item["id"]))))
        for item in answer["answers"]
    }
    if entities:
        return list(entities.values())
    values = [part for each in answer.get("values", ()) for part in (_row_cells(each) if cells else [_row_key(each)])]
    return [_names(each, gold) for each in (dict.fromkeys(values) if cells else values)]


def _key(id_: str) -> str:
    """What a table has for the key of a row (`series/8`: 8); other ids as they are."""
    found = re.fullmatch(r"\w+/([^/]+)", id_)
    return found[1] if found else id_


def _row_key(value: object) -> object:
    return value["key"] if isinstance(value, Mapping) else value


def _row_cells(row: object) -> list[object]:
    """All cells of a row as an answer has it (`kg.plans.result.row_json`), entities by their labels."""
    if not isinstance(row, Mapping):
        return [row]
    cells = [*(row.get("keys") or [row["key"]]), *(row.get("values") or [row["value"]])]
    return [each["label"] if isinstance(each, Mapping) else each for each in cells if each is not None]


def _names(value: object, gold: Collection[str]) -> set[str]:
    """The texts that a value may be given by: a number also rounded as numbers of `gold` are."""
    text = _plain(value)
    try:
        number = float(text)
    except ValueError:
        return {text}
    decimals = {len(each.partition(".")[2]) for each in gold if re.fullmatch(r"-?\d+\.\d+", each)}
    return {text, *(number_text(round(number, places)) for places in decimals)}


def _plain(value: object) -> str:
    text = str(value)
    if re.fullmatch(r"-?\d{1,15}(\.\d+)?", text) and not re.match(r"-?0\d", text):
        return number_text(round(float(text), _PLACES))
    return _SPOKEN.get(text.casefold(), text)


def mean(scores: Iterable[Score]) -> Score:
    """Each figure's mean over questions; all 0 where there are none."""
    rows = [(item.top1, item.any_hit, item.f1, item.exact) for item in scores]
    return Score(*(sum(column) / len(rows) for column in zip(*rows, strict=True))) if rows else Score(0, 0, 0, 0)


Graph = CompiledStateGraph[Any, Any, Any, Any]


async def ask(
    graph: Graph, questions: Iterable[Question], context: Context, *, topics: bool = True
) -> list[ScoredAnswer]:
    """Run each question through a method's graph, in order; `topics`: pass the questions' topic entities.

    A topic that the KG does not have is an answer that claims nothing, as in a batch.
    """
    done = []
    for question in questions:
        given = {"question": question.question, "topic_entities": list(question.topic_entities) if topics else []}
        try:
            answer: Answer = (await graph.ainvoke(given, context=context))["answer"]
        except UnknownEntityError as error:
            answer = refusal(graph.name, question.question, question.id, context, error)
        done.append(ScoredAnswer(question, answer, score_answer(answer, question.answers)))
    return done


def score_table(what: str, groups: Mapping[str, Sequence[Score]]) -> str:
    """A line a group and one for all: n, Hits@1, F1 and exact sets in percent; `what` the groups are."""
    lines = [f"{what:16} {'n':>5} {'Hits@1':>8} {'F1':>8} {'exact':>8}"]
    for name, scores in (*groups.items(), ("all", [each for part in groups.values() for each in part])):
        means = mean(scores)
        figures = " ".join(f"{100 * figure:8.1f}" for figure in (means.top1, means.f1, means.exact))
        lines.append(f"{name:16} {len(scores):5} {figures}")
    return "\n".join(lines)
