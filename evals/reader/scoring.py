"""Two rules of scoring plans' answers: GeoQuery's gold lists, and Mind-the-Query's (POLE's too) sets and rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

ONE_VALUE = frozenset({"count", "average", "sum", "ratio", "max", "min", "boolean", "several_values"})


@dataclass(frozen=True)
class Answered:
    """What a plan gave: entities as (id, label), values as text, one value as text or None."""

    entities: tuple[tuple[str, str], ...] = ()
    values: tuple[str, ...] = ()
    value: str | None = None

    @property
    def bare(self) -> bool:
        """Whether it claims nothing."""
        return not self.entities and not self.values and self.value is None


class Figures(NamedTuple):
    """Set F1 and whether nothing was claimed."""

    f1: float
    refused: bool

    @property
    def wrong(self) -> bool:
        """Whether something was claimed and none of it is right."""
        return self.f1 == 0 and not self.refused


def plain(text: object) -> str:
    """Case, accents and spaces folded."""
    folded = unicodedata.normalize("NFKD", str(text)).casefold()
    return re.sub(r"\s+", " ", "".join(c for c in folded if not unicodedata.combining(c))).strip()


def number(text: str) -> float | None:
    """The number that a text is, or None."""
    if re.fullmatch(r"[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?(e[-+]?\d+)?", text):
        return float(text.replace(",", ""))
    return None


def _same(one: str, gold: str, share: float) -> bool:
    a, b = number(one), number(gold)
    if a is None or b is None:
        return plain(one) == plain(gold)
    return a == b if b == int(b) else abs(a - b) <= share * max(abs(b), 1.0 if share > 0.001 else 0.0)


def judge_lists(gold: Sequence[Sequence[str]], answer: Answered) -> Figures:
    """GeoQuery: each inner list is one answer, by any of its names; nothing, or 0, is right where gold is empty."""
    if (
        answer.value is not None
        and len(gold) == 1
        and (number(gold[0][0]) is not None or gold[0][0] in ("true", "false"))
    ):
        told: list[tuple[str, ...]] = [(answer.value,)]
    else:
        cells = [(answer.value,)] if answer.value is not None else []
        told = list({each[0]: each for each in [*cells, *((v,) for v in answer.values), *answer.entities]}.values())
    if not gold:
        right = not told or told == [("0",)]
        return Figures(float(right), not told)
    found = [
        {i for i, names in enumerate(gold) if any(_same(a, b, 0.001) for a in each for b in names)} for each in told
    ]
    matched = sum(bool(each) for each in found)
    covered = len(set().union(*found)) if found else 0
    return Figures(_f1(matched, len(told), covered, len(gold)), not told)


def _f1(right: int, told: int, covered: float, gold: int) -> float:
    if not right:
        return 0.0
    precision, recall = right / told, covered / gold
    return 2 * precision * recall / (precision + recall)


def _fold(value: object) -> str:
    text = unicodedata.normalize("NFKC", str(value)).casefold().strip()
    if match := re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", text):
        return f"{match[3]}-{int(match[2]):02}-{int(match[1]):02}"
    return {"yes": "true", "no": "false"}.get(text, text)


def judge_nodes(question: Mapping[str, Any], answer: Answered, called: Mapping[str, frozenset[str]]) -> Figures:
    """Mind-the-Query's score.py: the best F1 over the readings of the gold; `called` gives the names of nodes."""
    kind, any_of = question["kind"], bool(question.get("any_of"))
    claims: list[tuple[str | None, str]] = [(i, _fold(label)) for i, label in answer.entities]
    claims += [(None, _fold(value)) for value in answer.values]
    if answer.value is not None and (kind in ONE_VALUE or not claims):
        claims = [(None, _fold(answer.value))]
    claims = list({(i or text): (i, text) for i, text in claims}.values())
    golds = [_gold(question, "answers", "nodes")]
    if "answers_published" in question:
        golds.append(_gold(question, "answers_published", "nodes_published"))
    best = max(_set_f1(claims, gold, called, any_of=any_of or i > 0) for i, gold in enumerate(golds))
    if "rows" in question:
        cells = [(None, x) for x in dict.fromkeys(_fold(x) for row in question["rows"] for x in row if x is not None)]
        best = max(best, _set_f1(claims, cells, called, any_of=False))
    return Figures(best, not claims)


def _gold(question: Mapping[str, Any], answers: str, nodes: str) -> list[tuple[str | None, str]]:
    texts = [_fold(each) for each in question[answers]]
    return list(zip(question.get(nodes) or [None] * len(texts), texts, strict=True))


def _set_f1(
    claims: Sequence[tuple[str | None, str]],
    golds: Sequence[tuple[str | None, str]],
    called: Mapping[str, frozenset[str]],
    *,
    any_of: bool,
) -> float:
    def is_it(claim: tuple[str | None, str], gold: tuple[str | None, str]) -> bool:
        if gold[0] is not None and claim[0] is not None:
            return claim[0] == gold[0]
        return _same(claim[1], gold[1], 0.005) or (gold[0] is not None and claim[1] in called.get(gold[0], ()))

    if not claims or not golds:
        return 0.0
    right = sum(any(is_it(c, g) for g in golds) for c in claims)
    found = sum(any(is_it(c, g) for c in claims) for g in golds)
    return _f1(right, len(claims), (1.0 if found else 0.0) * len(golds) if any_of else found, len(golds))
