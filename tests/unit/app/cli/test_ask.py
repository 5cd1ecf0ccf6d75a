"""`trivium ask`: one question, what is refused, and what a terminal sees."""

from __future__ import annotations

import gc
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.fake_openai import FakeOpenAI
from tests.films import build_films
from tests.unit.app.cli.running import Trivium, finish, refused, start
from trivium.app.cli import batch
from trivium.graphs import methods
from trivium.nodes.run.answer_record import Answer

KEYS = {
    "id", "question", "kg", "method", "model", "answer", "answers", "choice", "value", "paths", "steps", "stop_reason",
    "usage", "events", "values", "confidence", "suggestions", "evidence", "plan", "query",
}  # fmt: skip


def test_json_is_the_contracts_answer(trivium: Trivium, films_kg: Path) -> None:
    told = trivium("ask", "who directed Blade Runner?", "--kg", films_kg, "--json")
    assert (told.code, told.err) == (0, "")
    answer = told.json
    assert set(answer) == KEYS
    assert answer["answers"] == [{"id": "scott", "label": "Ridley Scott", "score": pytest.approx(1, abs=1e-4)}]
    assert answer["paths"] == [
        {
            "triples": [{"head": "runner", "relation": "directed_by", "tail": "scott", "inverse": False}],
            "answer": "scott",
        }
    ]
    assert (answer["method"], answer["model"], answer["stop_reason"]) == ("keqing", "none", "answered")
    first = answer["steps"][0]
    assert first["stage"] == "decompose"
    assert set(first["sub_questions"][0]) == {"id", "question", "dep", "seed_entities"}
    assert set(answer["usage"]) == {"llm_calls", "prompt_tokens", "completion_tokens", "seconds"}


def test_one_question_runs_without_the_garbage_collector_and_it_is_on_again_afterwards(
    trivium: Trivium, films_kg: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, collects = methods.answer, list[bool]()

    async def noted(*words: Any, **options: Any) -> Answer:
        collects.append(gc.isenabled())
        return await answer(*words, **options)

    monkeypatch.setattr(methods, "answer", noted)
    assert trivium("ask", "who directed Blade Runner?", "--kg", films_kg, "--json").code == 0
    assert (collects, gc.isenabled()) == ([False], True)
    refused(trivium("ask", "who?", "--kg", films_kg / "none", "--json"), "NotAKnowledgeBaseError")
    assert (collects, gc.isenabled()) == ([False, False], True), "after a refusal too"


def test_a_file_of_questions_runs_with_the_garbage_collector(
    trivium: Trivium, films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collects = []
    answer_file = batch.answer_file

    async def noted(*words: Any) -> str | None:
        collects.append(gc.isenabled())
        return await answer_file(*words)

    monkeypatch.setattr(batch, "answer_file", noted)
    (asked := tmp_path / "in.jsonl").write_text('{"id": "1", "question": "who directed Blade Runner?"}\n')
    assert trivium("ask", "--batch", asked, "--out", tmp_path / "out.jsonl", "--kg", films_kg).code == 0
    assert collects == [True], "it may run for hours"


def test_stages_and_path_are_drawn(trivium: Trivium, films_kg: Path) -> None:
    told = trivium("ask", "who starred in the films directed by Michael Mann?", "--kg", films_kg)
    assert (told.code, told.err) == (0, "")
    stages = [line.split()[0] for line in told.out.splitlines() if line.strip()][:6]
    assert stages == ["auto", "decompose", "decompose", "link", "retrieve", "retrieve"]
    assert "Michael Mann\n└── <-directed_by- Heat\n    ├── -starring-> " in told.out
    assert {"Al Pacino", "Robert De Niro"} == set(re.findall("─ -starring-> (.*)\n", told.out))
    assert "keqing, model none" in told.out


def test_the_query_of_an_answer_is_shown_and_gives_it(trivium: Trivium, films_kg: Path) -> None:
    asked = ("ask", "which films did Ridley Scott direct?", "--kg", films_kg)
    told = trivium(*asked, "--show-query")
    assert (told.code, told.err) == (0, "")
    assert "cypher  MATCH" in told.out
    assert "sparql  SELECT" in told.out
    assert "cypher" not in trivium(*asked).out
    answer = trivium(*asked, "--json").json
    plan = films_kg.parent / "plan.json"
    plan.write_text(json.dumps(answer["plan"]))
    again = trivium("query", plan, "--kg", films_kg, "--json").json
    assert {each["id"] for each in again["answers"]} == {each["id"] for each in answer["answers"]} != set()
    assert again["query"] == answer["query"]


def test_explain_shows_the_readings_before_the_answer(trivium: Trivium, films_kg: Path) -> None:
    told = trivium("ask", "which purple films did Ridley Scott direct?", "--kg", films_kg, "--explain")
    assert (told.code, told.err) == (0, "")
    first = told.out.splitlines()[0].split()
    assert first[:2] == ["read", "1."]
    assert "directed_by" in told.out.splitlines()[0]
    assert "unread: purple" in told.out
    assert trivium("ask", "who?", "--kg", films_kg, "--explain", "--json").code == 2


def test_odas_rounds_are_drawn(trivium: Trivium, films_kg: Path) -> None:
    asked = ("ask", "who starred in the films directed by Michael Mann?", "--kg", films_kg, "--method", "oda")
    told = trivium(*asked)
    assert (told.code, told.err) == (0, "")
    stages = [line.split()[0] for line in told.out.splitlines() if line.strip()][:7]
    assert stages == ["link", "observe", "act", "reflect", "observe", "act", "reflect"]
    assert "GetNeighbor(Michael Mann)  ^directed_by promises" in told.out
    assert "kept 1: Heat directed_by Michael Mann" in told.out
    assert "Michael Mann\n└── <-directed_by- Heat\n    ├── -starring-> " in told.out
    assert "oda, model none" in told.out
    few = trivium(*asked, "--json", "--set", "max_iterations=1")
    assert [event["event"] for event in few.json["events"]] == ["iterations_spent"]
    assert trivium(*asked, "--set", "reflection=guess").code == 2


def test_what_a_name_could_mean_besides_is_shown(trivium: Trivium, films_kg: Path) -> None:
    told = trivium("ask", "who directed Solaris?", "--kg", films_kg)
    assert told.code == 0
    assert "Solaris = Solaris [solaris" in told.out
    assert "(or: solaris" in told.out
    events = trivium("ask", "who directed Solaris?", "--kg", films_kg, "--json").json["events"]
    assert [event["event"] for event in events] == ["method", "ambiguous"]


def test_a_question_that_nothing_answers_exits_0_and_says_so(trivium: Trivium, films_kg: Path) -> None:
    question = "what is the airspeed of an unladen swallow"
    answer = trivium("ask", question, "--kg", films_kg, "--json")
    assert answer.code == 0
    assert (answer.json["answers"], answer.json["stop_reason"]) == ([], "not_understood")
    shown = trivium("ask", question, "--kg", films_kg)
    assert shown.code == 0
    assert "could not map the question" in shown.out
    assert 'This graph has nothing on "airspeed", "unladen swallow".' in shown.out


@pytest.mark.parametrize("question", ["", "   ", "why " * 25_000])
def test_a_question_that_cannot_be_read_is_wrong_usage(trivium: Trivium, films_kg: Path, question: str) -> None:
    refused(trivium("ask", question, "--kg", films_kg), "UsageError", "question", code=2)
    refused(trivium("ask", question, "--kg", films_kg, "--json"), "UsageError", "question", code=2)


def test_methods_and_models(trivium: Trivium, films_kg: Path) -> None:
    asked = ("ask", "who directed Heat?", "--kg", films_kg)
    refused(trivium(*asked, "--method", "magic"), "UsageError", "'magic'", "auto, keqing", code=2)
    refused(trivium(*asked, "--templates", 0), "UsageError", "templates_per_sub_question", code=2)
    refused(trivium(*asked, "--model", "gpt-4o"), "ModelError", "'gpt-4o'", "openai:gpt-4o-mini", code=1)
    for method in ("auto", "keqing"):
        assert trivium(*asked, "--method", method, "--json").json["method"] == "keqing"


def test_a_missing_key_is_refused_before_the_run(
    trivium: Trivium, films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked = ("--kg", films_kg, "--model", "openai:gpt-4o")
    refused(trivium("ask", "who directed Heat?", *asked), "ModelError", "OPENAI_API_KEY is not set")
    batch, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    batch.write_text('{"id": "1", "question": "who directed Heat?"}\n')
    refused(trivium("ask", "--batch", batch, "--out", out, *asked), "ModelError", "OPENAI_API_KEY is not set")
    assert not out.exists()


def test_any_setting_can_be_set(trivium: Trivium, films_kg: Path) -> None:
    asked = ("ask", "who directed Heat?", "--kg", films_kg)
    assert trivium(*asked, "--set", "max_entities=7", "--set", "temperature=none", "--json").code == 0
    refused(trivium(*asked, "--set", "max_entities=0"), "UsageError", "max_entities must be at least 1", code=2)
    refused(trivium(*asked, "--set", "max_entities=many"), "UsageError", "a whole number, not 'many'", code=2)
    refused(trivium(*asked, "--set", "color=red"), "UsageError", "'color=red'", "max_llm_calls", code=2)


def test_a_model_is_seen_to_speak_and_to_fail(
    trivium: Trivium, films_kg: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    sub = {"question": "who directed [mask]?", "id": 0, "args": {"seed_entities": ["Heat"]}}
    rules = [
        {"match": "sub-questions", "reply": {"json": [sub]}},
        {"match": "logs", "times": 1, "reply": "Michael Mann [did]."},
        {"match": "logs", "reply": {"status": 401, "message": "no"}},
    ]
    asked = ("ask", "who directed Heat?", "--kg", films_kg, "--model", "openai:fake", "--set", "decompose=llm")
    with FakeOpenAI(rules) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        told = trivium(*asked)
        assert told.out.count("Michael Mann [did].") == 1, "as it is said, and not again"
        assert "link  Heat = Heat [heat]" in told.out
        assert "keqing, model openai:fake, 2 calls" in told.out
        told = trivium(*asked)
        assert "Michael Mann. Evidence for Michael Mann: " in told.out
        assert "note  respond: llm_failed: the model's server answered 401" in told.out
        assert (told.code, server.count) == (0, 4)


def test_a_batch_asks_a_model_for_every_line(
    trivium: Trivium, films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    batch, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    batch.write_text("".join(f'{{"id": "{i}", "question": "who directed Heat?"}}\n' for i in range(3)))
    with FakeOpenAI([{"match": "logs", "reply": "Michael Mann did."}]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        settings = ("--kg", films_kg, "--model", "openai:fake", "--set", "sure=0")
        assert trivium("ask", "--batch", batch, "--out", out, *settings).code == 0
    told = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["answer"] for line in told] == ["Michael Mann did."] * 3
    assert sum(line["usage"]["llm_calls"] for line in told) == server.count == 3


def test_kgs_that_cannot_answer(trivium: Trivium, tmp_path: Path) -> None:
    refused(trivium("ask", "who?", "--kg", tmp_path / "no"), "NotAKnowledgeBaseError", "trivium kg build")
    refused(trivium("ask", "who?", "--kg", tmp_path), "NotAKnowledgeBaseError", str(tmp_path))


def test_a_kg_that_nothing_was_learned_on_is_read_from_its_schema(trivium: Trivium, tmp_path: Path) -> None:
    folder, _ = build_films(tmp_path)
    found = trivium("ask", "who directed Heat?", "--kg", folder, "--method", "keqing", "--json").json
    assert [item["id"] for item in found["answers"]] == ["mann"]


def test_neither_or_both_of_question_and_batch_is_wrong_usage(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    for words in ([], ["--batch", "x"], ["who?", "--out", "y"], ["who?", "--batch", "x", "--out", "y"]):
        refused(trivium("ask", *words, "--kg", films_kg), "UsageError", "--batch IN.jsonl with --out", code=2)
    assert list(tmp_path.iterdir()) == []


def test_exit_codes_of_real_processes(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    question = "who directed Heat?"
    for code, said in (
        (2, trivium("ask", "", "--kg", films_kg)),
        (2, trivium("ask", "x" * 100_000, "--kg", films_kg)),
        (2, trivium("ask", question, "--kg", films_kg, "--method", "magic")),
        (1, trivium("ask", question, "--kg", films_kg, "--model", "gpt-4o")),
        (1, finish(start("ask", question, "--kg", tmp_path / "no"))),
    ):
        assert (said.code, said.out) == (code, ""), said
        assert said.err.startswith("trivium: ")
        assert said.err.count("\n") == 1
    told = finish(start("ask", "who directed Heat?", "--kg", films_kg, "--json"))
    assert told.code == 0
    assert [item["id"] for item in json.loads(told.out)["answers"]] == ["mann"]
