"""What a model is shown of a sub-question's candidates: triples as lines in one of two formats (Keqing, section 3.3).

Entities without a name of their own between two hops, as Freebase's compound values (figure 4) and blank nodes, are
flattened: (s, r1, cvt), (cvt, r2, o) are shown as (s, r1 r2, o).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from trivium.kg.indexes import relation_words
from trivium.kg.indexes.words import brief_name
from trivium.kg.text import fold_name
from trivium.kg.types import Triple
from trivium.nodes.keqing.state import Found
from trivium.nodes.model.prompt_data import as_data
from trivium.nodes.run.state import Step
from trivium.nodes.run.usage import estimate_tokens

Format = Literal["tuples", "text"]

# Freebase mids, blank nodes, Wikidata statements and UUIDs: ids that stand for a fact, where no label says otherwise.
_NAMELESS = re.compile(
    r"_:.*|/?[mg][./][0-9a-z_]+|(?:wds:|statement/)?[QP]?\d*-?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    re.IGNORECASE,
)


_DIGITS = 8  # of the longest number that a candidate may have


def is_nameless(entity: str, label: str) -> bool:
    """Whether an entity is CVT-like: its label is its id, and the id is not a name."""
    return entity == label and _NAMELESS.fullmatch(entity) is not None


@dataclass
class ShownEvidence:
    """The lines that a model is shown for one sub-question, and the candidates in them.

    Attributes:
        lines: triples in the chosen format, each once.
        names: for each candidate's name as it is shown, folded, the candidates that carry it.
        left_out: candidates beyond the token budget.
        numbers: the candidates by the numbers that they are shown with; none where they have none.
    """

    lines: list[str] = field(default_factory=list)
    names: dict[str, list[Found]] = field(default_factory=dict)
    left_out: list[Found] = field(default_factory=list)
    numbers: dict[int, Found] = field(default_factory=dict)

    def called(self, said: str | int) -> list[Found]:
        """The candidates that a model means by this number or name; none where it means no candidate."""
        name = str(said).removeprefix("#").strip()
        number = int(name) if name.isdecimal() and len(name) < _DIGITS else None
        if number in self.numbers and (isinstance(said, int) or fold_name(said) not in self.names):
            return [self.numbers[number]]
        return self.names.get(fold_name(str(said)), []) or self.names.get(fold_name(name), [])


def gather(
    candidates: Sequence[Found],
    labels: Mapping[str, str],
    style: Format,
    tokens: int,
    notes: Mapping[Triple, str] | None = None,
    *,
    numbered: bool = False,
) -> ShownEvidence:
    """The evidence of a sub-question within a token budget, best candidates first.

    Args:
        candidates: with their paths; ids of all entities on them are in `labels`.
        labels: by id.
        style: the triple format.
        tokens: the budget, as `estimate_tokens` counts; the first candidate is shown in any case.
        notes: what stands behind a triple's line (`trivium.nodes.run.qualifiers`).
        numbered: show each candidate after its number, from 1.
    """
    shown = _shown_names(candidates, labels)
    called = dict(shown)
    if numbered:
        shown |= {each["id"]: f"#{place} {shown[each['id']]}" for place, each in enumerate(candidates, 1)}
    out, seen, spent = ShownEvidence(), set[str](), 0
    for number, candidate in enumerate(candidates, 1):
        lines = [line for line in _lines(candidate["path"], shown, labels, style, notes or {}) if line not in seen]
        spent += sum(map(estimate_tokens, lines))
        if spent > tokens and out.lines:
            out.left_out.append(candidate)
            continue
        seen.update(lines)
        out.lines += lines
        if numbered:
            out.numbers[number] = candidate
        for name in {shown[candidate["id"]], called[candidate["id"]], labels[candidate["id"]], candidate["id"]}:
            known = out.names.setdefault(fold_name(name), [])
            if candidate not in known:
                known.append(candidate)
    return out


def _shown_names(candidates: Iterable[Found], labels: Mapping[str, str]) -> dict[str, str]:
    """Each entity's label, with its id where two of the candidates are called the same."""
    count: dict[str, int] = {}
    for candidate in candidates:
        name = fold_name(labels[candidate["id"]])
        count[name] = count.get(name, 0) + 1
    same = {c["id"] for c in candidates if count[fold_name(labels[c["id"]])] > 1}
    return {
        key: as_data(f"{label} [{key}]" if key in same and key != label else label) for key, label in labels.items()
    }


def _lines(
    path: Sequence[Step],
    shown: Mapping[str, str],
    labels: Mapping[str, str],
    style: Format,
    notes: Mapping[Triple, str],
) -> list[str]:
    """A path as lines; nameless entities between two of its steps are passed over."""
    out, run = list[str](), list[Step]()
    for place, step in enumerate(path):
        run.append(step)
        end = step[0] if step[3] else step[2]
        if place + 1 < len(path) and is_nameless(end, labels[end]):
            continue
        out.append(_line(run, shown, style) + "".join(notes.get(Triple(*each[:3]), "") for each in run))
        run = []
    return out


def _line(run: Sequence[Step], shown: Mapping[str, str], style: Format) -> str:
    """Steps through nameless entities, or a single step, as one line in the direction in which it is stored."""
    first, last = run[0], run[-1]
    start = shown[first[2] if first[3] else first[0]]
    end = shown[last[0] if last[3] else last[2]]
    relations = [as_data(step[1]) for step in run]
    if all(step[3] for step in run):
        start, end, relations = end, start, relations[::-1]
    if style == "text":
        return f"{start} {' '.join(map(relation_words, relations))} {end}."
    return f"({start}, {' '.join(map(brief_name, relations))}, {end})"
