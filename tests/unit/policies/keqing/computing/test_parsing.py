"""Questions that compute, taken apart in words: names in [brackets] stand for what a KG would find."""

from __future__ import annotations

import re

import pytest

from trivium.kg.text import tokens
from trivium.policies.keqing.computing.asked import Computation, Step
from trivium.policies.keqing.computing.cues import has_cue
from trivium.policies.keqing.computing.parsing import parse


def _parse(marked: str) -> Computation | None:
    text = marked.replace("[", "").replace("]", "")
    words, spans, at = [token.text for token in tokens(text)], [], 0
    for name in re.findall(r"\[([^]]*)\]", marked):
        inside = [token.text for token in tokens(name)]
        at = next(p for p in range(at, len(words)) if words[p : p + len(inside)] == inside)
        spans.append((at, at + len(inside)))
    return parse(text, spans)


@pytest.mark.parametrize(
    ("question", "core", "steps"),
    [
        ("How many films did [Mann] direct?", "which films did Mann direct?", [Step("count")]),
        ("In how many films did [Mann] act?", "in which films did Mann act?", [Step("count")]),
        ("What is the number of films by [Mann]?", "which films by Mann?", [Step("count")]),
        ("Which films by [Mann] came out before 1990?", "Which films by Mann?", [Step("filter", "<", "1990")]),
        (
            "Which films by [Mann] were not released before 1990?",
            "Which films by Mann?",
            [Step("filter", ">=", "1990")],
        ),
        ("Films by [Mann] from the 1980s", "Films by Mann", [Step("filter", "between", "1980..1989")]),
        ("Films by [Mann] between 1980 and 1985", "Films by Mann", [Step("filter", "between", "1980..1985")]),
        (
            "How many films did [Mann] direct since 1990?",
            "which films did Mann direct?",
            [Step("filter", ">=", "1990"), Step("count")],
        ),
        ("What is the oldest film by [Mann]?", "which film by Mann?", [Step("extreme", "min")]),
        ("Which of [Mann]'s films came out first?", "Which of Mann's films?", [Step("extreme", "min")]),
        ("When was the first film by [Mann] released?", None, [Step("extreme", "min", asks_value=True)]),
        ("Who starred in the most films by [Mann]?", "Who starred in films by Mann?", [Step("most", "max")]),
        ("What is the best rated film by [Mann]?", "which film by Mann?", [Step("extreme", "max")]),
    ],
)
def test_one_plain_question_and_its_steps(question: str, core: str | None, steps: list[Step]) -> None:
    found = _parse(question)
    assert found is not None
    assert list(found.steps) == steps
    assert found.join is None
    if core is not None:
        assert found.cores == (core,)


@pytest.mark.parametrize(
    ("question", "cores", "join", "steps"),
    [
        (
            "Which films were directed by [Scott] or [Mann]?",
            ("Which films were directed by Scott?", "Which films were directed by Mann?"),
            Step("union"),
            [],
        ),
        (
            "Which films are by [Scott] or starring [Pacino]?",
            ("Which films are by Scott?", "Which films starring Pacino?"),
            Step("union"),
            [],
        ),
        (
            "Which films by [Scott] do not star [Crowe]?",
            ("Which films by Scott?", "Which films star Crowe?"),
            Step("difference"),
            [],
        ),
        (
            "How many films did [Scott] or [Mann] direct?",
            ("which films did Scott direct?", "which films did Mann direct?"),
            Step("union"),
            [Step("count")],
        ),
        (
            "Did [Scott] direct more films than [Mann]?",
            ("Did Scott direct films?", "Did Mann direct films?"),
            Step("compare", ">", by="count"),
            [],
        ),
        (
            "Who directed more films, [Scott] or [Mann]?",
            ("what films Scott directed", "what films Mann directed"),
            Step("choose", "max", by="count"),
            [],
        ),
    ],
)
def test_two_plain_questions_and_how_they_join(
    question: str, cores: tuple[str, str], join: Step, steps: list[Step]
) -> None:
    found = _parse(question)
    assert found is not None
    assert found.cores == cores
    assert found.join == join
    assert list(found.steps) == steps


@pytest.mark.parametrize(
    ("question", "join"),
    [
        ("Did [Heat] come out before [Ronin]?", Step("compare", "<")),
        ("Is [Scott] younger than [Mann]?", Step("compare", ">")),
        ("Which came out first, [Heat] or [Ronin]?", Step("choose", "min")),
        ("Who is younger, [Scott] or [Mann]?", Step("choose", "max")),
    ],
)
def test_two_names_alone(question: str, join: Step) -> None:
    found = _parse(question)
    assert found is not None
    assert (found.cores, found.join) == ((), join)
    assert found.pair is not None


@pytest.mark.parametrize(
    "question",
    [
        "who directed [Heat]?",
        "who directed [Before Sunrise]?",
        "who starred in [The Last Samurai]?",
        "which films got the [Palme d'Or]?",
        "in which year was [Jane Eyre] first printed?",
        "which films came out in [1995]?",
        "did anybody?",
        "or",
        "",
    ],
)
def test_plain_questions_are_left_alone(question: str) -> None:
    assert _parse(question) is None


def test_most_questions_are_passed_over_at_the_first_look() -> None:
    assert not has_cue("which other films did the director of Alien direct?")
    assert not has_cue("who starred in the films directed by Ridley Scott in 1982?")
    assert has_cue("how many films are there?")
    assert has_cue("films from 1990 on")
    assert has_cue("films of the 80s")
