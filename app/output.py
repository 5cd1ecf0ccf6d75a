"""What a command prints: results on stdout, everything else on stderr. Slow libraries load only for a terminal."""

from __future__ import annotations

import sys


def complain(text: str) -> None:
    """One line on stderr, marked as Trivium's."""
    sys.stderr.write(f"trivium: {' '.join(text.splitlines())}\n")
    sys.stderr.flush()
