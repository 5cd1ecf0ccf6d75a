"""The benchmark on the films: figures hold together; their sizes are the machine's business."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from trivium.evals.bench import observing
from trivium.evals.bench.answering import (
    Tape,
    measure_answering,
    measure_bandit,
    measure_learned,
    measure_prompting,
    replaying,
)
from trivium.evals.bench.building import measure_building
from trivium.evals.bench.model import CALL_SECONDS, measure_model
from trivium.evals.bench.plans import measure_plans, plans_folder
from trivium.evals.bench.report import Figure, in_turn, percentile
from trivium.evals.bench.walking import measure_walking
from trivium.graphs.keqing import graph
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.loaders.questions import Choice, Question, parse_question
from trivium.nodes.keqing.context import KeqingContext

JOIN = "when were the films starring both Robert De Niro and Al Pacino released?"


def _questions() -> list[Question]:
    both = [{"topic": topic, "chain": ["^starring", "release_year"]} for topic in ("deniro", "pacino")]
    return [
        parse_question({"question": "who directed Heat?", "topic_entities": ["heat"], "chain": ["directed_by"]}, "1"),
        parse_question({"question": JOIN, "branches": both}, "2"),
        parse_question({"question": "what is the airspeed of an unladen swallow"}, "3"),
    ]


async def test_a_replay_runs_the_same_stages_and_ends_in_the_same_answer(kg_name: str) -> None:
    tape, context = Tape(), KeqingContext(kg=kg_name)
    for question in [question.question for question in _questions()]:
        await tape.record(question, context)
        tape.rewind(question)
        drawn = [list(update) async for update in replaying(tape).astream(
            {"question": question}, context=context, stream_mode="updates")]  # fmt: skip
        real = [list(update) async for update in graph.astream(
            {"question": question}, context=context, stream_mode="updates")]  # fmt: skip
        assert drawn == real
        tape.rewind(question)
        told = (await replaying(tape).ainvoke({"question": question}, context=context))["answer"]
        assert told["question"] == question


async def test_reading_with_pairs_is_measured_beside_the_schema_alone(films_kg: Path) -> None:
    (figure,) = await measure_learned(films_kg, _questions()[:2])
    assert figure.value > 0 < figure.against
    assert figure.met == (figure.value <= figure.against + 5)


@pytest.mark.slow
def test_a_slow_model_is_measured(films_kg: Path) -> None:
    asked = [
        parse_question(
            {"question": f"who directed {label}?", "topic_entities": [topic], "chain": ["directed_by"]}, topic
        )
        for topic, label in (("heat", "Heat"), ("alien", "Alien"))
    ]
    figure, *used = measure_model(str(films_kg), asked, 4)
    assert figure.name == "4 questions, 4 at once, 12 calls"
    assert figure.against == pytest.approx(4 / (3 * CALL_SECONDS))
    assert figure.value > 0  # four questions behind a hundred say nothing of a steady rate
    told = ["processor time a question", "cores busy meanwhile"] if sys.platform == "linux" else []
    assert [each.name for each in used] == told


async def test_answering_is_measured(kg_name: str) -> None:
    figures = {figure.name: figure for figure in await measure_answering(kg_name, _questions())}
    assert figures["questions a second"].value > 0
    assert figures["a question, p50"].value <= figures["a question, p99"].value
    share = figures["the graph machinery's share of a run"]
    assert 0 < share.value < 1.5
    assert share.met is not None


async def test_walking_is_measured_where_both_sides_agree(films_kg: Path) -> None:
    neighbours, chain = await measure_walking(films_kg)
    assert neighbours.name.startswith("neighbors of ")
    assert chain.yardstick.startswith("SQLite: starring ^starring ")
    for figure in (neighbours, chain):
        assert figure.value > 0
        assert figure.against > 0


def test_a_figures_line() -> None:
    line = Figure("speed", 3.0, "ms", "light", 2.0, "<= 1", met=False).line()
    assert line.split() == ["speed", "3", "ms", "light", "2", "ms", "1.5x", "<=", "1", "SHORT"]
    assert Figure("speed", 3.0, "ms", "light", 2.0).line().endswith("1.5x")


def test_percentiles_and_turns() -> None:
    assert percentile([0.001 * n for n in range(1, 101)], 0.5) == pytest.approx(51.0)
    assert percentile([0.002], 0.99) == 2.0
    calls: list[str] = []
    in_turn(lambda: calls.append("a"), lambda: calls.append("b"), rounds=2)
    assert calls == ["a", "b"] * 3


async def test_observing_is_measured_on_a_graph_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path))
    for name, value in (("TRIPLES", 4_000), ("_BATCH", 1_000), ("ENTITIES", 500), ("_ASKED", 3)):
        monkeypatch.setattr(observing, name, value)
    observation, ratio, rows = await observing.measure_observing()
    assert observation.value > 0
    assert ratio.value == pytest.approx(observation.value / observation.against)
    assert (observation.met, ratio.met) != (None, None)
    assert rows.value < rows.against


def test_extraction_gathers_what_lies_within(films_kg: Path) -> None:
    figure = observing.measure_extraction(films_kg)
    assert figure.against == 3282.834
    store = EmbeddedStore.open(films_kg)
    try:
        snapshot = store.snapshot
        heat = snapshot.row("heat")
        assert len(observing.within(snapshot, heat, 1)) == snapshot.degrees(np.array([heat]))[0]
        whole = observing.within(snapshot, heat, 3)
        assert len(set(whole.tolist())) == len(whole) > len(observing.within(snapshot, heat, 2))
    finally:
        store.close_now()


async def test_knowgpts_figures(films_kg: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.evals.bench.answering._PULLS", 10)
    choices = (Choice("A", "Michael Mann"), Choice("B", "Ridley Scott"))
    asked = [Question(str(n), f"who directed {name}?", choices=choices) for n, name in enumerate(("Heat", "Alien"))]
    figure = await measure_prompting(str(films_kg), asked)
    assert figure.against > 0  # how the two compare is a benchmark's affair: a busy machine turns it round
    assert figure.value > 0
    assert figure.met == (figure.value <= 100)
    bandit = measure_bandit()
    assert bandit.value > 0
    assert bandit.unit == "us"


async def test_plans_are_measured_against_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.evals.bench.plans.ITEMS", 500)
    alone, proved = await measure_plans(plans_folder(tmp_path))
    assert alone.name == "filter, count over 500, p50"
    assert min(alone.value, proved.value) > 0


@pytest.mark.slow
def test_a_build_is_measured_in_a_process_of_its_own(films_kg: Path) -> None:
    took, cpu, peak, size = measure_building(lambda: films_kg)
    assert took.name.startswith("build of ")
    assert min(took.value, cpu.value, took.against, peak.against) > 0
    assert 20 < peak.value < 4_000, "megabytes of an interpreter with NumPy, not bytes or kilobytes"
    assert size.value > size.against > 0, "the record, the snapshot and the manifest; the film's few rows in pages"
