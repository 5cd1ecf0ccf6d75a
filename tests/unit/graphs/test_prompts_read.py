"""Prompts as models get them, on the bundled sample (and the films, which have learned): each in a file of
tests/data/prompts, so that a review can read it.

TRIVIUM_WRITE_PROMPTS=1 writes the files anew; what changed in them belongs into the review.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from trivium.graphs.filled_prompts import filled_prompts
from trivium.kg.loaders import lettered

FILES = Path(__file__).resolve().parents[2] / "data" / "prompts"
WHO = "who starred in the films directed by Alfred Hitchcock?"
MANN = "who starred in the films directed by Michael Mann?"
CHOICES = ("Michael Curtiz", "Alfred Hitchcock", "Frank Capra", "Humphrey Bogart")
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "keqing_choose_plan": ("keqing", "how many films did Alfred Hitchcock direct after 1955?", {"plan": "llm"}),
    "keqing_decompose": ("keqing", WHO, {"plan": "trained", "decompose": "llm"}),
    "keqing_reason_tuples": ("keqing", MANN, {"plan": "trained", "reason": "llm"}),
    "keqing_reason_text": ("keqing", MANN, {"plan": "trained", "reason": "llm", "triple_format": "text"}),
    "keqing_respond": ("keqing", WHO, {}),
    "oda_act": ("oda", WHO, {}),
    "oda_reflect": ("oda", WHO, {}),
    "oda_reflect-combined": ("oda", WHO, {"combined": True}),
    "oda_generate_facts": ("oda", WHO, {"reflection": "generated_fact"}),
    "oda_answer": ("oda", WHO, {}),
    "knowgpt_choose-sentences": ("knowgpt", "who directed Casablanca?", {"prompt": "rl/sentences"}),
    "knowgpt_choose-triples": ("knowgpt", "who directed Casablanca?", {"prompt": "sub/triples"}),
    "knowgpt_describe": ("knowgpt", "who directed Casablanca?", {"prompt": "rl/graph"}),
    "knowgpt_propose": ("knowgpt", "who directed Casablanca?", {"prompt": "rl/triples"}),
}
"""A file's name is its prompt's, with what is special about it after a hyphen."""


@pytest.mark.parametrize("name", CASES)
async def test_a_prompt_reads_as_its_file(
    sample: str, kg_name: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    method, question, settings = CASES[name]
    choices = lettered(CHOICES) if method == "knowgpt" and "propose" not in name else ()
    filled = await filled_prompts(
        method, question, kg_name if question == MANN else sample, choices=choices, settings=settings
    )
    text = filled[name.partition("-")[0]][0].strip() + "\n"
    file = FILES / f"{name}.txt"
    if os.environ.get("TRIVIUM_WRITE_PROMPTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), f"read what changed, then write {file.name} anew"


def test_no_file_is_left_over() -> None:
    assert {file.stem for file in FILES.glob("*.txt")} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_what_no_prompt_does(name: str) -> None:
    text = (FILES / f"{name}.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if re.match(r"\s*(\d+\. )?\(.+, .+, .+\)", line)]
    parts = text.split("Observation")  # of the observation and the candidates none says what the other says
    assert len(set(lines)) == len(lines), "a triple twice"
    assert not [line for line in lines if re.search(r"\((.+), [^,]+, \1\)", line)], "a triple of one entity with itself"
    assert len(parts) <= 2
    assert not re.search(r"\{[a-z_]+\}", text.partition("JSON schema")[0]), "a place that is not filled"
