"""The table of path quality on a small KG: its reader, its rows, and that the exact search is its ceiling."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.films import write_files
from trivium.evals.path_starts import start_rows
from trivium.evals.paths import (
    ABLATIONS,
    PathFigures,
    Runs,
    case_of,
    measure,
    spread,
    train_runs,
    without,
)
from trivium.kg.loaders import Choice, Question, read_questions
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.examples import make_examples
from trivium.policies.paths.extraction import path_tables
from trivium.policies.paths.learn import PathTraining, prepare
from trivium.policies.paths.policy import PathInputs, PathNetwork
from trivium.policies.paths.train import PolicySettings, train_policy


async def test_the_exact_search_is_the_ceiling(films_kg: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["Michael Mann", "Jean Reno", "Ridley Scott", "Sigourney Weaver"]
    questions = [
        Question(str(i), text, choices=tuple(Choice(str(j), name) for j, name in enumerate(names)))
        for i, text in enumerate(["who directed Heat?", "who played in Alien?", "is Ronin like Diner?"])
    ]
    await measure(films_kg, questions, None, 1.0)
    heading, mapped, _, *rows = capsys.readouterr().out.splitlines()
    assert heading.endswith("connected within 3 hops")
    assert re.fullmatch(r"W: [\d.]+ % nearer to their own question, without it [\d.]+ %", mapped)
    table = {tuple(row.split()[:2]): [float(cell) for cell in row.split()[2:]] for row in rows}
    assert set(table) == {(p, w) for p in ("random", "structural") for w in "128"} | {("exact", "-"), ("P_sub", "-")}
    assert table["exact", "-"][:3] == [100.0, 100.0, 100.0]
    assert table["exact", "-"][4] == 1.0
    assert all(cells[0] <= 100 and cells[2] <= 100 and cells[4] <= 1.0 for cells in table.values())
    assert all(cells[3] <= table["exact", "-"][3] for cells in table.values())
    assert table["random", "8"][0] >= table["random", "1"][0]
    assert table["random", "8"][7] > table["random", "1"][7] > 0  # neighbors read
    assert 0 < table["P_sub", "-"][0] <= 100


@pytest.fixture
async def films_inputs(films_kg: Path) -> AsyncIterator[PathInputs]:
    base = Knowledge.open(films_kg)
    tables = await path_tables(base)
    assert tables is not None
    yield PathInputs.of(tables.features, tables.structure(lambda *_: None), tables.graph.degrees)
    await base.close()


def test_mean_and_spread() -> None:
    rows = [PathFigures(*[float(value)] * 9) for value in (90, 92, 94)]
    mean, deviation = spread("both", 2, rows).splitlines()
    assert mean.split()[:4] == ["both", "mean", "2", "92.0"]
    assert deviation.split()[:4] == ["both", "+-", "2", "2.0"]


async def test_runs_are_trained_once(films_kg: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Warm start, then REINFORCE from it, is one training; a second command reads what the first one trained."""
    pytest.importorskip("torch", reason="training needs the extra train")
    *_, train = write_files(tmp_path)
    settings = PolicySettings(
        network=PathNetwork(16, 8), warm_steps=20, reinforce_steps=6, batch_size=64, pairs_a_step=8, evaluate_every=2
    )
    base = Knowledge.open(films_kg)
    tables = await path_tables(base)
    assert tables is not None
    number = {key: row for row, key in enumerate(tables.snapshot.keys.slice(0, tables.snapshot.entities))}
    lessons = await make_examples(base.store, read_questions(train), number)
    course = prepare(tables, lessons, lambda *_: None, PathTraining(settings))
    runs = Runs(tmp_path / "runs", seeds=2, settings=settings)
    first = list(train_runs(course, runs))
    assert [(run.variant, run.seed) for run in first] == list(product(("warm", "both", "reinforce"), (0, 1)))
    whole = train_policy(course.task, course.inputs, course.taught, settings, lambda *_: None)
    assert first[2].held_out == whole.measure
    half = {name: array.astype(np.float16) for name, array in whole.parameters.items()}
    assert all(np.array_equal(first[2].model.parameters[name], half[name]) for name in half)
    capsys.readouterr()
    again = list(train_runs(course, runs))
    assert [run.held_out for run in again] == [run.held_out for run in first]
    assert not capsys.readouterr().err  # no step was made
    (bare,) = train_runs(course, Runs(tmp_path / "bare", ["no-neighbor"], settings=settings))
    assert not np.array_equal(bare.model.parameters["key_out"], first[0].model.parameters["key_out"])
    assert not bare.model.inputs.key_inputs()[:, : course.inputs.text.shape[1]].any()
    await base.close()


async def test_each_start_stands_alone_and_before_reinforce(films_kg: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra train")
    settings = PolicySettings(
        network=PathNetwork(16, 8), warm_steps=30, reinforce_steps=4, batch_size=64, pairs_a_step=8, prior=False
    )
    base = Knowledge.open(films_kg)
    tables = await path_tables(base)
    assert tables is not None
    number = {key: row for row, key in enumerate(tables.snapshot.keys.slice(0, tables.snapshot.entities))}
    lessons = await make_examples(base.store, read_questions(write_files(tmp_path)[-1]), number)
    course = prepare(tables, lessons, lambda *_: None, PathTraining(settings))
    case = case_of(tables, lessons, lessons, course, 1.0)
    drawn, taught = [list(start_rows(case, course, start, 0, settings, tmp_path)) for start in ("none", "bfs")]
    for start, rows in (("none", drawn), ("bfs", taught)):
        assert [(name, width) for name, width, _ in rows] == list(product((start, f"{start} + RL"), (1, 2, 8)))
    assert taught[0][2].reach > drawn[0][2].reach, "what imitates paths finds more than parameters as drawn"
    await base.close()


def test_each_ablation_leaves_one_thing_out(films_inputs: PathInputs) -> None:
    whole, columns = films_inputs, films_inputs.text.shape[1]
    left = {name: without(whole, name) for name in ABLATIONS}
    assert not left["no-relation"].relation.any()
    every = np.arange(len(whole.place))
    assert np.array_equal(left["no-relation"].rows(every), whole.rows(every))
    assert not left["no-degree"].key_inputs()[:, -1].any()
    assert not left["no-degree"].terms(np.arange(9), np.arange(9)[::-1])[:, 2].any()
    assert not left["no-structure"].rows(every)[:, columns:].any()
    assert not left["no-structure"].terms(np.arange(9), np.arange(9)[::-1])[:, :2].any()
    assert np.array_equal(left["no-structure"].rows(every)[:, :columns], whole.rows(every)[:, :columns])
    assert np.array_equal(left["no-neighbor"].key_inputs()[:, columns:], whole.key_inputs()[:, columns:])
    assert np.array_equal(left["no-neighbor"].rows(every), whole.rows(every))
