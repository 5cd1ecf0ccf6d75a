"""The graphs in users' manner: their files hold together, and the schema alone answers most of their questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.evals.own_graphs import FOLDER, graphs, measure, table
from trivium.kg.loaders import read_entities, read_questions, read_triples


@pytest.mark.parametrize("name", graphs())
def test_files_hold_together(name: str) -> None:
    named = {entity.id: entity.label for entity in read_entities(FOLDER / name / "entities.tsv")}
    triples = [triple for batch in read_triples(FOLDER / name / "triples.tsv") for triple in batch]
    assert {key for triple in triples for key in (triple.head, triple.tail)} <= set(named)
    questions = read_questions(FOLDER / name / "questions.jsonl")
    assert len({question.id for question in questions}) == len(questions) >= 40
    labels = set(named.values())
    assert all(answer in labels or answer.isdigit() for question in questions for answer in question.answers)


async def test_the_schema_alone_answers_most_questions(tmp_path: Path) -> None:
    done = await measure("movies_neo4j", tmp_path)
    assert sum(outcome.score.exact for outcome in done) >= 0.9 * len(done)
    assert table({"movies_neo4j": done}).splitlines()[-1].startswith("all")


@pytest.mark.slow
async def test_oda_which_learns_nothing_answers_fewer(tmp_path: Path) -> None:
    done, by_oda = await measure("movies_neo4j", tmp_path), await measure("movies_neo4j", tmp_path / "oda", "oda")
    assert sum(outcome.score.top1 for outcome in by_oda) < sum(outcome.score.top1 for outcome in done)
