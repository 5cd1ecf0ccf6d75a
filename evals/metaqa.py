"""MetaQA (Zhang et al., 2018): questions over a movie KG with 1 to 3 hops, read from its own files.

Published at https://github.com/yuyuz/MetaQA. Question types such as `movie_to_director_to_movie` give the chains.
Methods find the topic themselves, though the files mark it. Questions are split by their text's hash, so that what is
learned from and what is asked never share a question.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle, pairwise
from pathlib import Path

from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question
from trivium.kg.types import Hop

HOPS = (1, 2, 3)
_STEPS = {
    "movie year": "release_year",
    "movie director": "directed_by",
    "movie actor": "starred_actors",
    "movie writer": "written_by",
    "movie genre": "has_genre",
    "movie tags": "has_tags",
    "movie language": "in_language",
    "movie imdbrating": "has_imdb_rating",
    "movie imdbvotes": "has_imdb_votes",
    "tag movie": "^has_tags",
    "director movie": "^directed_by",
    "actor movie": "^starred_actors",
    "writer movie": "^written_by",
}


def data_folder() -> Path | None:
    """Where public data sets are: `TRIVIUM_DATA`, else ../shared/data; None where there is no such folder."""
    folder = Path(os.environ.get("TRIVIUM_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    return folder if folder.is_dir() else None


def triples_file(data: Path) -> Path:
    """The KG's file, `head|relation|tail` a line."""
    return data / "metaqa" / "kb.txt"


def read_metaqa(data: Path, hops: int, split: str = "dev", *, topics: bool = False) -> list[Question]:
    """All questions of one hop count, with chain and answers, and with `topics` the topic that the files mark.

    Raises:
        BadInputError: a file is missing, or the two files differ in length.
    """
    folder = data / "metaqa" / f"{hops}-hop"
    texts, kinds = folder / "vanilla" / f"qa_{split}.txt", folder / f"qa_{split}_qtype.txt"
    try:
        pairs = list(zip(_lines(texts), _lines(kinds), strict=True))
    except (OSError, ValueError) as error:
        raise BadInputError(f"not a MetaQA split ({error})", path=folder) from error
    return [metaqa_question(f"{hops}-{number}", line, kind, topics=topics) for number, (line, kind) in enumerate(pairs)]


def is_held_out(question: Question) -> bool:
    """Whether a question is among the fifth that is asked and never learned from."""
    return int(hashlib.sha1(question.question.encode(), usedforsecurity=False).hexdigest(), 16) % 5 == 0


def spread(questions: Sequence[Question], count: int) -> list[Question]:
    """`count` questions evenly over all, or all where there are fewer."""
    return [questions[i * len(questions) // count] for i in range(count)] if count < len(questions) else list(questions)


def reworded(data: Path, questions: Sequence[Question]) -> list[tuple[Question, Question]]:
    """Each of these questions beside the same in words that no MetaQA question has; none where its file is not there.

    `metaqa/reworded.tsv` has a type of question and a wording with `{topic}` on each line; a question takes the next
    wording of its type. `questions` name their topics.
    """
    try:
        rows = [line.split("\t") for line in _lines(data / "metaqa" / "reworded.tsv")]
    except OSError:
        return []
    wordings: dict[tuple[Hop, ...], Iterator[str]] = {}
    for kind in dict.fromkeys(kind for kind, _ in rows):
        wordings[_chain(kind)] = cycle([wording for other, wording in rows if other == kind])
    return [
        (each, replace(each, question=next(wordings[each.chain]).format(topic=each.topic_entities[0])))
        for each in questions
        if each.chain in wordings and each.topic_entities
    ]


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]


def metaqa_question(key: str, line: str, kind: str, *, topics: bool) -> Question:
    """The question of a line, with the chain of its type where that is not ""; raises `ValueError` or `KeyError`."""
    text, _, gold = line.partition("\t")
    chain = _chain(kind) or None
    topic = text[text.index("[") + 1 : text.index("]")]
    plain = text.replace("[", "").replace("]", "")
    answers = tuple(gold.split("|"))
    return Question(key, plain, (topic,) if topics else (), answers=answers, chain=chain, labeled=True)


def _chain(kind: str) -> tuple[Hop, ...]:
    """The chain of a type of question, such as movie_to_actor_to_movie; raises `KeyError`."""
    return tuple(Hop.parse(_STEPS[f"{a} {b}"]) for a, b in pairwise(kind.split("_to_")))
