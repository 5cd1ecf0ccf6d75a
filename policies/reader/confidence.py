"""How far a reading can be trusted: signals of a reading, and the chance that what it gives is right.

The signals compare the best reading with the question (words that it leaves unread, operator words that it does not
use, how well its words match) and with the readings after it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from trivium.policies.reader.reader import Reading


@dataclass(frozen=True, slots=True)
class ReadingSignals:
    """What is known of a reading before its answer is claimed.

    Attributes:
        unread: content words that nothing in the plan accounts for.
        unused: operator words that the plan does not use.
        read: words that the plan accounts for.
        weakest: score of the worst match among them, in [0, 1].
        mean: mean score of the matches.
        margin: how far the best reading is ahead of the next one, at most 3.
        height: the reading's score without what execution says.
        empty: 1 where the plan gives nothing, else 0.
    """

    unread: float
    unused: float
    read: float
    weakest: float
    mean: float
    margin: float
    height: float
    empty: float

    @classmethod
    def of(cls, readings: Sequence[Reading]) -> Self:
        """The signals of the first of the readings, which is there."""
        best = readings[0]
        scores = [min(max(part.score, 0.0), 1.0) for part in best.parts] or [0.0]
        margin = best.score - readings[1].score if len(readings) > 1 else 3.0
        return cls(
            unread=float(len(best.unread)),
            unused=float(len(best.unused)),
            read=float(len(best.parts)),
            weakest=min(scores),
            mean=sum(scores) / len(scores),
            margin=min(max(margin, 0.0), 3.0),
            height=best.lexical,
            empty=float(bool(best.empty)),
        )

    def to_json(self) -> dict[str, Any]:
        """As in the log of an answer."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


_WEIGHTS = {"unread": -1.6, "unused": -1.0, "weakest": 0.8, "mean": 1.5, "margin": 0.6, "empty": -0.5}
_BIAS = 0.3


def confidence(signals: ReadingSignals) -> float:
    """The chance in [0, 1] that the answer of a reading is right."""
    total = _BIAS + sum(_WEIGHTS.get(each.name, 0.0) * getattr(signals, each.name) for each in fields(signals))
    return 1 / (1 + math.exp(-total))
