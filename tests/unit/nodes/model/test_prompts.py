"""Prompt templates: placeholders are checked when a prompt is made, values are put in once."""

from __future__ import annotations

import pytest

from trivium.nodes.model.prompts import Prompt, PromptError


def test_a_prompt_puts_values_in_once() -> None:
    prompt = Prompt('Q: {question}\nLike {"id": 1} and {{question}}: {facts}', ["question"], ["facts"])
    assert prompt.fill(question="{facts}?", facts="a{b}") == 'Q: {facts}?\nLike {"id": 1} and {question}: a{b}'
    with pytest.raises(PromptError, match=r"no value for the placeholder \{facts\}"):
        prompt.fill(question="x")


def test_a_prompt_names_the_placeholder_that_is_wrong() -> None:
    with pytest.raises(PromptError, match=r"decompose: the placeholder \{question\} is missing"):
        Prompt("no placeholder", ["question"], name="decompose")
    with pytest.raises(PromptError, match=r"\{questoin\} is unknown; known are \{facts\}, \{question\}"):
        Prompt("{question} {questoin}", ["question"], ["facts"])
