"""The paper's frequency rule on pairs small enough to count by hand, and exclusion habits."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trivium.kg.types import EntityHit, parse_chain
from trivium.policies.reader.chains.learning import exclusion_habits, mine_templates
from trivium.policies.reader.chains.mentions import Mention, SplitQuestion, split_question
from trivium.policies.reader.chains.pairs import AlignedPair
from trivium.policies.reader.chains.templates import Exclusion


def _pair(text: str, topic: str, *chain: str) -> AlignedPair:
    words, name = split_question(text), split_question(topic)
    place = next(i for i, word in enumerate(words) if word.text == name[0].text)
    mention = Mention(place, place + len(name), topic, (EntityHit(topic, topic, 1.0, 1, "exact"),))
    return AlignedPair(SplitQuestion(text, words, (mention,)), (0,), (parse_chain(chain),))


def _mined(pairs: Sequence[AlignedPair]) -> list[tuple[str, list[list[str]], int]]:
    return [(t.text, [[str(hop) for hop in chain] for chain in t.chains], t.count) for t in mine_templates(pairs)]


def test_each_chain_goes_to_its_most_frequent_template() -> None:
    pairs = [
        _pair("who directed Heat?", "Heat", "directed_by"),
        _pair("who directed Alien?", "Alien", "directed_by"),
        _pair("who made Alien?", "Alien", "directed_by"),
        _pair("who made Ronin?", "Ronin", "produced_by"),
    ]
    assert _mined(pairs) == [
        ("who directed [mask]?", [["directed_by"]], 2),
        ("who made [mask]?", [["produced_by"]], 1),
    ]
    assert sum(count for *_, count in _mined(pairs)) == 3, "a rarer wording owns nothing and counts for nothing"


def test_a_template_owns_every_chain_that_chose_it_the_most_frequent_first() -> None:
    pairs = [
        _pair("who made Heat", "Heat", "produced_by"),
        *[_pair(f"who made {title}", title, "directed_by") for title in ("Heat", "Alien")],
        _pair("who made Ronin", "Ronin", "written_by", "^written_by"),
    ]
    assert _mined(pairs) == [("who made [mask]", [["directed_by"], ["produced_by"], ["written_by", "^written_by"]], 4)]
    assert _mined([]) == []


def test_ties_go_to_the_wording_that_fewer_other_chains_use_then_to_the_shorter() -> None:
    shared = [
        _pair("about Heat", "Heat", "directed_by"),
        _pair("who directed Heat", "Heat", "directed_by"),
        _pair("about Heat", "Heat", "has_genre"),
        _pair("about Ronin", "Ronin", "has_genre"),
    ]
    assert {text: chains for text, chains, _ in _mined(shared)} == {
        "about [mask]": [["has_genre"]],
        "who directed [mask]": [["directed_by"]],
    }
    short = [_pair("Heat's director please", "Heat", "directed_by"), _pair("director of Heat", "Heat", "directed_by")]
    assert [text for text, *_ in _mined(short)] == ["director of [mask]"]


def test_wordings_that_differ_in_case_and_punctuation_are_one() -> None:
    pairs = [
        _pair("Who directed Heat?", "Heat", "directed_by"),
        _pair("who directed Alien", "Alien", "directed_by"),
        _pair("Who directed Ronin?", "Ronin", "directed_by"),
    ]
    assert _mined(pairs) == [("Who directed [mask]?", [["directed_by"]], 3)]
    assert _mined(pairs) == _mined(pairs[::-1])


def test_pairs_of_two_topics_give_no_template() -> None:
    one = _pair("films with Heat", "Heat", "^starring")
    two = AlignedPair(one.question, (0, 0), one.chains * 2)
    assert _mined([two]) == []
    assert len(_mined([one, two])) == 1


@pytest.mark.parametrize(
    ("left_out", "kept", "habit"),
    [(1, 0, "always"), (9, 1, "always"), (8, 2, "cue"), (1, 1, "cue"), (1, 19, "never"), (0, 3, "never")],
)
def test_exclusion_is_a_habit_where_nearly_all_answers_agree(left_out: int, kept: int, habit: Exclusion) -> None:
    evidence = [("a", True)] * left_out + [("a", False)] * kept
    assert exclusion_habits([*evidence, ("b", True)]) == {"a": habit, "b": "always"}
    assert exclusion_habits(evidence[::-1]) == {"a": habit}
