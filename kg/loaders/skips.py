"""What a reader does with a line that it cannot read: refuse the file, or count it and go on."""

from __future__ import annotations

from dataclasses import dataclass, field

from trivium.kg.errors import BadInputError

KEEP = 5
"""How many skipped lines are kept word for word; the others are only counted."""


@dataclass
class SkipLog:
    """Malformed lines of one file.

    Attributes:
        allowed: whether malformed lines are skipped (`--skip-bad`) or refused.
        count: how many were skipped.
        first: the errors of the first few of them, each with its file and line.
    """

    allowed: bool = False
    count: int = 0
    first: list[BadInputError] = field(default_factory=list)

    def take(self, error: BadInputError) -> None:
        """Count a malformed line, or raise its error where skipping is not allowed."""
        if not self.allowed:
            raise error
        self.count += 1
        if len(self.first) < KEEP:
            self.first.append(error)

    def __str__(self) -> str:
        return f"{self.count} malformed line{'' if self.count == 1 else 's'} skipped"
