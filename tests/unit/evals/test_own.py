"""`trivium eval own`: scores, causes, intervals and comparisons, on answers given by hand and over a small KG."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from tests.unit.app.cli.running import Trivium, refused
from trivium.evals.intervals import interval
from trivium.evals.metrics import score_answer
from trivium.evals.own.causes import Causes
from trivium.evals.own.report import html_page, text_report
from trivium.evals.own.runs import Run, RunAnswer, disagreements, read_runs, write_runs
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.errors import BadInputError
from trivium.kg.loaders.questions import parse_question
from trivium.nodes.run.answer_record import Answer


@pytest.fixture
def trivium(capsys: pytest.CaptureFixture[str]) -> Trivium:
    return Trivium(capsys)


@pytest.fixture
def shop(tmp_path: Path, trivium: Trivium) -> Path:
    (tmp_path / "t.tsv").write_text(
        "lamp\tmade_by\ttamsin\ndesk\tmade_by\ttamsin\ncoil\tmade_by\tbergmann\nlamp\tprice\t45\ndesk\tprice\t250\n"
    )
    (tmp_path / "e.tsv").write_text("lamp\tLamp\t\tproduct\ndesk\tDesk\t\tproduct\ncoil\tCoil\t\tproduct\n")
    assert (
        trivium("kg", "build", "--out", tmp_path / "kg", tmp_path / "t.tsv", "--entities", tmp_path / "e.tsv").code == 0
    )
    return tmp_path / "kg"


def answer(*ids: str, **fields: Any) -> Answer:
    given = {
        "answers": [{"id": each, "label": each.title(), "score": 1.0} for each in ids],
        "choice": None, "value": None, "values": [], "confidence": 0.9, "paths": [],
        "stop_reason": "answered" if ids or fields else "not_found",
        "usage": {"llm_calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "seconds": 0.1},
    }  # fmt: skip
    return cast("Answer", given | fields)


@pytest.mark.parametrize(
    ("given", "gold", "right"),
    [
        (answer(value=3), ["3"], True),
        (answer(value=3.0), ["3"], True),
        (answer(value=12.3456), ["12.35"], True),
        (answer(value=12.3456), ["12.36"], False),
        (answer(value=12.3), ["12"], False),
        (answer(value=True), ["yes"], True),
        (answer(value=False), ["yes"], False),
        (answer(value=1), ["true"], False),
        (answer("lamp"), ["LAMP"], True),
        (answer("007"), ["7"], False),
        (answer("series/8"), ["8"], True),  # the key that the user's table has
        (answer("http://a.b/8"), ["8"], False),
        (answer(values=["red", "blue"]), ["blue", "red"], True),
        (answer(values=[{"key": "red", "value": 2}]), ["red"], True),
        (answer(choice="B"), ["B"], True),
        (answer(), [], True),
        (answer(value=0), [], False),
    ],
)
def test_every_form_of_answer_is_scored(given: Answer, gold: list[str], *, right: bool) -> None:
    assert score_answer(given, gold).top1 == float(right)


def asked(question: str, *gold: str, **more: Any) -> Any:  # noqa: ANN401 - fields of a question line
    return parse_question({"question": question, "answers": list(gold), **more}, "1")


async def test_causes(shop: Path) -> None:
    store = EmbeddedStore.open(shop)
    causes = Causes(store)
    path = {
        "triples": [{"head": "coil", "relation": "made_by", "tail": "bergmann", "inverse": False}],
        "answer": "bergmann",
    }
    unknown = answer(stop_reason="unknown_entity")
    cases = [
        (asked("who made the lamp?", "tamsin"), answer("tamsin"), ""),
        (asked("who made the lamp?", "tamsin"), answer("bergmann", "tamsin"), "right answer not first"),
        (asked("who made the lamp?", "tamsin"), answer("bergmann"), "wrong relation"),
        (asked("who made it?", "tamsin", topic_entities=["Lamp"]), answer("bergmann", paths=[path]), "wrong entity"),
        (asked("who made it?", "tamsin", topic_entities=["Coil"]), answer("bergmann", paths=[path]), "wrong relation"),
        (asked("who made the lamp?", "nobody at all"), answer("bergmann"), "not in the graph"),
        (asked("what does the lamp cost?", "45"), answer("tamsin"), "operator missing"),
        (asked("who made the lapm?", "tamsin"), unknown, "name not found"),
        (asked("how many lamps are there?", "1"), answer("lamp", value=2), "wrong relation"),
        (asked("who painted the lamp?"), answer("tamsin"), "claimed without evidence"),
        (asked("who painted the lamp?"), answer(), ""),
    ]
    assert [await causes.of(question, given) for question, given, _ in cases] == [cause for *_, cause in cases]
    await store.close()


def run(method: str, *answers: Answer) -> Run:
    questions = [
        asked("a?", "x", id="a"),
        asked("b?", "y", id="b"),
        asked("c?", id="c"),
        parse_question({"question": "d?"}, "d"),
    ]
    return Run(method, "none", [RunAnswer(q, given, "") for q, given in zip(questions, answers, strict=True)])


def test_figures_leave_out_what_has_no_gold_answer() -> None:
    figures = run("auto", answer("x"), answer(), answer("z"), answer("w")).figures()
    assert (figures["n"], figures["hits"].mean, figures["withheld"]) == (2, 0.5, 1)
    assert (figures["false_claims"], figures["unanswerable"]) == (1, 1)
    assert figures["calibration"] == pytest.approx(0.4)  # two claims at 0.9, one right


def test_the_interval_holds_the_mean_and_narrows() -> None:
    few, many = interval([1.0, 0.0] * 5), interval([1.0, 0.0] * 200)
    assert few.low < few.mean == 0.5 < few.high
    assert many.high - many.low < few.high - few.low
    assert interval([1.0] * 9) == interval([1.0] * 9, seed=3)
    assert (interval([]).low, interval([]).high) == (0.0, 1.0)


def test_disagreements_put_unlabeled_questions_first() -> None:
    one = run("auto", answer("x"), answer("y"), answer(), answer("w"))
    other = run("oda", answer("v"), answer("y"), answer("z"), answer("u"))
    assert [question.id for question, _ in disagreements([one, other])] == ["d", "a"]


def test_a_run_is_kept_and_compared(tmp_path: Path) -> None:
    before = run("auto", answer("v"), answer("y"), answer("z"), answer("w"))
    now = run("auto", answer("x"), answer("v"), answer(), answer("w"))
    write_runs(tmp_path / "run.jsonl", [before])
    read = read_runs(tmp_path / "run.jsonl")
    assert [each.score for each in read[0].scored] == [each.score for each in before.scored]
    assert not read[0].answers[3].question.labeled
    said = text_report([now], read)
    assert "won   a?        V       X" in said
    assert "lost  b?        Y       V" in said
    (tmp_path / "other.jsonl").write_text('{"question": "q"}\n')
    with pytest.raises(BadInputError, match=r"other\.jsonl"):
        read_runs(tmp_path / "other.jsonl")


def test_the_page_escapes_what_was_asked() -> None:
    question = asked("<b>who</b>?", "x")
    page = html_page("kg", [Run("auto", "none", [RunAnswer(question, answer("<i>"), "wrong relation")])])
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;b&gt;who&lt;/b&gt;?" in page


def test_from_the_command_line(shop: Path, trivium: Trivium, tmp_path: Path) -> None:
    mine = tmp_path / "mine.jsonl"
    words = ("eval", "own", mine, "--kg", shop, "--method", "oda", "--make", "8", "--out", tmp_path / "run.jsonl")
    said = trivium(*words)
    assert said.code == 0, said.err
    made = [json.loads(line) for line in mine.read_text().splitlines()]
    assert f"{sum(bool(line['answers']) for line in made)} " in said.out.splitlines()[2]
    assert len((tmp_path / "run.jsonl").read_text().splitlines()) == len(made) > 4
    refused(trivium(*words), "UsageError", "mine.jsonl exists", code=2)
    refused(trivium("eval", "own", mine, "--kg", shop, "--set", "colour=red"), "UsageError", "'colour'", code=2)
