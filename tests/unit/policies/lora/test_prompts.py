"""Table 1's format written and read: what a model may get wrong is mended, what changes the meaning is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.kg.loaders import Branch
from trivium.kg.types import parse_chain
from trivium.policies.lora import serve
from trivium.policies.lora.examples import (
    read_answers,
    read_chains,
    read_decomposition,
    reason_prompt,
    sub_questions,
    write_answers,
    write_chains,
    write_decomposition,
)
from trivium.policies.lora.serve import Generated, LoraReasoner, ReasonerQuestion
from trivium.policies.reader.chains.decomposer import SubQuestion

SUBS = (
    SubQuestion(0, "who was the director of [mask]?", (-1,), ("Written on the Wind",)),
    SubQuestion(1, "[mask] was the director of which movies?", (0,), ("<GENERATED>-0",)),
    SubQuestion(2, "who acted in the movie [mask]?", (1,), ("<GENERATED>-1",)),
)
PAPER = (
    '{"question": "who was the director of [mask]?", "id": 0, "dep": [-1], "args": {"seed_entities": '
    '["Written on the Wind"]}}, {"question": "[mask] was the director of which movies?", "id": 1, "dep": [0], '
    '"args": {"seed_entities": ["<GENERATED>-0"]}}, {"question": "who acted in the movie [mask]?", "id": 2, '
    '"dep": [1], "args": {"seed_entities": ["<GENERATED>-1"]}}]'
)


def test_what_is_written_is_read_again() -> None:
    assert read_decomposition(write_decomposition(SUBS)) == SUBS
    joined = (
        SubQuestion(0, "films starring [mask]", (-1,), ("Al Pacino",)),
        SubQuestion(1, "films starring [mask]", (-1,), ("Robert De Niro",)),
        SubQuestion(2, "when was [mask] released?", (0, 1), ("<GENERATED>-0", "<GENERATED>-1")),
    )
    assert read_decomposition(write_decomposition(joined)) == joined


@pytest.mark.parametrize(
    "text", [PAPER, f"[{PAPER}", f"Sure:\n```json\n[{PAPER}\n```", PAPER.replace('"id": 2', '"id": 7')]
)
def test_the_papers_own_slips_are_read(text: str) -> None:
    assert read_decomposition(text) == SUBS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot do that",
        "[]",
        '[{"question": "who directed it?", "id": 0, "dep": [-1], "args": {"seed_entities": ["Heat"]}}]',
        '[{"question": "who directed [mask]?", "id": 0, "dep": [0], "args": {"seed_entities": ["Heat"]}}]',
        '[{"question": "who directed [mask]?", "id": 0, "dep": [3], "args": {}}]',
        '[{"question": "who directed [mask]?", "id": 0, "dep": [-1], "args": {"seed_entities": []}}]',
        '[{"question": "who directed [mask]?", "id": 0, "dep": [-1], "args": {"seed_entities": ["<GENERATED>-4"]}}]',
        "[1, 2]",
    ],
)
def test_what_is_no_decomposition_is_nothing(text: str) -> None:
    assert read_decomposition(text) == ()


def test_sub_questions_of_branches_and_their_common_rest() -> None:
    starring, released = parse_chain(["^starring", "release_year"])
    phrases = {starring: "films starring [mask]", released: "when was [mask] released?"}
    subs = sub_questions(
        [Branch("Al Pacino", (starring,)), Branch("Robert De Niro", (starring,))], (released,), phrases
    )
    assert [(sub.id, sub.dep) for sub in subs] == [(0, (-1,)), (1, (-1,)), (2, (0, 1))]
    assert subs[1].seed_entities == ("Robert De Niro",)
    assert sub_questions([Branch("Heat", parse_chain(["unknown"]))], (), phrases) == ()


def test_logical_chains_are_read_as_the_sub_questions_that_they_stand_for() -> None:
    starring, released = parse_chain(["^starring", "release_year"])
    phrases = {starring: "films starring [mask]", released: "when was [mask] released?"}
    line = write_chains([Branch("Al Pacino", (starring, released))], ())
    assert line == (
        '[{"chain": ["^starring", "release_year"], "id": 0, "dep": [-1], "args": {"seed_entities": ["Al Pacino"]}}]'
    )
    branches = [Branch("Al Pacino", (starring,)), Branch("Robert De Niro", (starring,))]
    for written, subs in (
        (line, sub_questions([Branch("Al Pacino", (starring, released))], (), phrases)),
        (write_chains(branches, (released,)), sub_questions(branches, (released,), phrases)),
    ):
        found = read_chains(written, phrases)
        assert [replace(sub, chain=None) for sub in found] == list(subs)
        assert [sub.chain for sub in found] == [
            (starring,) if sub.question == phrases[starring] else (released,) for sub in subs
        ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "^starring, release_year",
        '[{"chain": [], "id": 0, "dep": [-1], "args": {"seed_entities": ["Heat"]}}]',
        '[{"chain": ["starred"], "id": 0, "dep": [-1], "args": {"seed_entities": ["Heat"]}}]',
        '[{"chain": ["starring", 3], "id": 0, "dep": [-1], "args": {"seed_entities": ["Heat"]}}]',
        '[{"chain": ["starring"], "id": 0, "dep": [-1], "args": {"seed_entities": []}}]',
        '[{"chain": ["starring"], "id": 0, "dep": [1], "args": {}}]',
        write_decomposition(SUBS),
    ],
)
def test_what_is_no_chain_of_the_graph_is_nothing(text: str) -> None:
    assert read_chains(text, {parse_chain(["starring"])[0]: "who starred in [mask]?"}) == ()


def test_what_a_model_said_is_remembered_and_like_lengths_are_continued_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []

    def generate(base: object, prompts: list[str]) -> list[Generated]:
        asked.append(prompts)
        return [Generated(prompt.upper(), 0.5) for prompt in prompts]

    monkeypatch.setattr(serve, "generate", generate)
    monkeypatch.setattr(serve, "_TOGETHER", 2)
    speak = serve.speaker(None)  # type: ignore[arg-type]  # `generate` takes the model's place
    assert [one.text for one in speak(["long one", "a", "bb", "a"])] == ["LONG ONE", "A", "BB", "A"]
    assert asked == [["a", "bb"], ["long one"]]
    assert [one.text for one in speak(["bb", "c"])] == ["BB", "C"]
    assert asked[2:] == [["c"]]


async def test_only_candidates_may_be_answers() -> None:
    seen: list[str] = []

    def speak(prompts: list[str]) -> list[Generated]:  # a model that names one candidate, one twice, and one of its own
        seen.extend(prompts)
        return [Generated('["Douglas Sirk", "douglas sirk", "Alan Smithee"]', 0.9) for _ in prompts]

    asked = ReasonerQuestion(
        "Who directed it?", ("It directed by Douglas Sirk",), {"p1": "Douglas Sirk", "p2": "Rock Hudson"}
    )
    (chosen,) = await LoraReasoner(speak).choose([asked])  # type: ignore[arg-type]  # a list is a sequence here
    assert (chosen.ids, chosen.invented) == (("p1",), ("Alan Smithee",))
    assert seen == [reason_prompt("Who directed it?", ["It directed by Douglas Sirk"])]
    assert "It directed by Douglas Sirk.\nInput: Who directed it?" in seen[0]


def test_answers_are_read_as_a_list_of_texts() -> None:
    assert read_answers(write_answers(["Amélie", "Heat"])) == ["Amélie", "Heat"]
    assert read_answers("I don't know") == []
    assert read_answers('"Heat"') == ["Heat"]
