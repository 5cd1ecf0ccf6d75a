"""WorldCup2014 (Zhang, Winn and Tomioka, 2016): paths of one and two hops and conjunctions over football players.

Published with https://arxiv.org/abs/1612.01229. Conjunctions come with answers alone, as a user's questions may.
"""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

from trivium.kg.errors import BadInputError
from trivium.kg.files import write_atomic
from trivium.kg.loaders import Question
from trivium.kg.types import Hop


def read_worldcup(data: Path) -> tuple[list[Question], list[Question]]:
    """Questions to learn from (three fifths) and to ask (one fifth); the last fifth is kept for acceptance checks.

    Raises:
        BadInputError: a file is missing.
    """
    learned, asked = list[Question](), list[Question]()
    for name in ("P1", "P2", "C"):
        for number, line in enumerate(_lines(data, f"WC-{name}")):
            text, _, path, answers = line.split("\t")[:4]
            key = f"{name}-{number}"
            fifth = int(hashlib.sha1(key.encode(), usedforsecurity=False).hexdigest(), 16) % 5
            steps = path.split("#<end>")[0].split("#")[1::2]
            question = Question(
                key,
                _spaced(text.strip()),
                answers=tuple(_spaced(each) for each in answers.split("/") if each),
                chain=None if "*" in path else tuple(Hop(step, inverse=False) for step in steps),
            )
            if fifth:
                (asked if fifth == 1 else learned).append(question)
    return learned, asked


def write_worldcup(data: Path, path: Path) -> None:
    """Write its triples by tab, names with blanks, as a user's file would have them; each inverse is its own relation.

    Raises:
        BadInputError: the file is missing.
    """
    rows = (line.split("\t")[:3] for line in _lines(data, "WC2014"))
    text = "".join(f"{_spaced(head)}\t{relation}\t{_spaced(tail)}\n" for head, relation, tail in rows)
    write_atomic(path, text.encode())


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _lines(data: Path, name: str) -> list[str]:
    path = data / "worldcup2014" / f"{name}.txt.gz"
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return [line for line in file.read().split("\n") if line]
    except OSError as error:
        raise BadInputError(f"cannot be read ({error})", path=path) from error
