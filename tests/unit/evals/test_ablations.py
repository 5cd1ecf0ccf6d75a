"""The ablations on the films: each variant is a real one, and each figure is what its name says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.films import build_films, pairs, walk
from trivium.evals.ablations.asking import taught
from trivium.evals.ablations.report import FigureTable, plot, show, table
from trivium.evals.ablations.run import ABLATIONS, KS, MODES, free_words, main, outcome, train_whole_chains, wording
from trivium.evals.metrics import ScoredAnswer, ask
from trivium.evals.webqsp import FOLDS, folds
from trivium.graphs.keqing import graph
from trivium.kg.errors import BadInputError
from trivium.kg.loaders.questions import Question, parse_question
from trivium.kg.types import Hop
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.policies.reader.chains.artifact import load_decomposer
from trivium.policies.reader.chains.pairs import align_pairs


def _pairs() -> list[Question]:
    return [parse_question(line, "") for line in pairs()]


async def test_whole_chains_answer_what_was_seen_and_cannot_answer_what_was_not(films: Knowledge) -> None:
    compact = load_decomposer(films.learnt, films.embedder)
    aligned = [pair async for pair in align_pairs(_pairs(), films.store) if pair is not None]
    whole = train_whole_chains(aligned, compact)
    assert set(await whole.answer("who directed Heat?", films.store)) == {"mann"}
    others = "which other films did the director of Alien direct?"
    assert set(await whole.answer(others, films.store)) == walk(["alien"], ["directed_by", "^directed_by"], ["alien"])
    # No pair asks for the genres of a person's films: the compact decomposer puts the chain together, a class cannot.
    new = "what genre are the films starring Harrison Ford?"
    gold = walk(["ford"], ["^starring", "has_genre"])
    (asked,) = await ask(graph, [Question("1", new, answers=tuple(gold))], KeqingContext(kg=str(films.path)))
    assert {item["id"] for item in asked.answer["answers"]} == gold
    assert set(await whole.answer(new, films.store)) != gold
    assert await whole.answer("what is the airspeed of an unladen swallow", films.store) == []


async def test_more_templates_reach_no_less(films: Knowledge) -> None:
    asked = [Question("1", "who was Heat made by?", ("heat",), answers=("mann",), chain=_pairs()[0].chain)]
    reach = await free_words(films, asked)
    assert list(reach) == list(KS)
    assert [len(found) for found in reach.values()] == [1] * len(KS)
    counts = [found[0].candidates for found in reach.values()]
    assert counts == sorted(counts)
    best = [found[0].best for found in reach.values()]
    assert best == sorted(best)
    assert reach[10][0].right
    assert reach[10][0].best == 1.0


async def test_the_supplement_adds_evidence_and_changes_no_answer(films_kg: Path, kg_name: str) -> None:
    gold = walk(["alien"], ["starring"])
    question = Question("1", "who starred in Alien?", answers=tuple(gold))
    asked: dict[str, list[ScoredAnswer]] = {
        m: await ask(graph, [question], KeqingContext(kg=kg_name, supplement=m)) for m in MODES
    }
    found = outcome(asked)
    assert found.columns["F1"] == [100.0] * 3
    assert found.columns["right in evidence"] == [100.0] * 3
    never, auto, always = found.columns["dense triples (number)"]
    assert never == auto == 0
    assert always > 0


@pytest.mark.usefixtures("without_torch")
async def test_a_kg_is_taught_each_split(tmp_path: Path) -> None:
    folder, lines = build_films(tmp_path)
    directors = [pair for pair in lines if pair.chain and str(pair.chain[0]) == "directed_by" and len(pair.chain) == 1]
    async with taught(folder, directors) as base:
        phrases = load_decomposer(base.learnt, base.embedder).phrases
        assert phrases[Hop("directed_by", inverse=False)] == "who directed [mask]?"
    asked = _pairs()
    assert sorted(q.question for _, part in folds(asked) for q in part) == sorted(q.question for q in asked)
    assert len(folds(asked)) == FOLDS
    assert all(set(a).isdisjoint(b) for a, b in folds(asked))


def test_table_and_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = FigureTable("What was varied", "K", ["1", "10"], {"F1": [50.0, 75.25], "n": [1.0, 2.0]}, ("F1",))
    head, names, *rows = table(found).splitlines()
    assert (head, names.split()) == ("What was varied", ["K", "F1", "n"])
    assert [row.split() for row in rows] == [["1", "50.0", "1.0"], ["10", "75.2", "2.0"]]
    path = tmp_path / "made" / "plot.svg"
    assert plot(found, path)
    assert path.read_text().startswith("<?xml")
    show(found, None)
    assert "plot" not in capsys.readouterr().out


def test_the_words_without_the_topic_and_missing_data(tmp_path: Path) -> None:
    assert wording(Question("1", "who directed Heat?", ("Heat",))) == "who directed [mask]?"
    for name in ABLATIONS:
        with pytest.raises(BadInputError, match="TRIVIUM_DATA"):
            main([name, "--data", str(tmp_path)])
