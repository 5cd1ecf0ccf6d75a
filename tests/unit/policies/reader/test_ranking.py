"""What pairs with answers alone teach about plans, and when it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from trivium.kg.embedded import build
from trivium.kg.loaders.questions import Question
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.plan import ChainStep, Entities, Follow, QueryPlan
from trivium.kg.text import fold_name
from trivium.kg.types import Entity, Triple
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.artifact import load_decomposer, load_ranking
from trivium.policies.reader.chains.teaching import teach
from trivium.policies.reader.pair_plans import carriers
from trivium.policies.reader.ranking import FEWEST, PlanRanking, Ranked, learn_ranking, plan_features, told_apart
from trivium.tools.read_question import read_question


def _plan(relation: str) -> QueryPlan:
    return Follow(Entities(("x",)), (ChainStep(relation),))


def _asked(question: str, right: str, wrong: str) -> list[Ranked]:
    """The hand score prefers the wrong plan a little."""
    return [
        Ranked(1.0, plan_features(question, _plan(wrong)), 0.0),
        Ranked(0.8, plan_features(question, _plan(right)), 1.0),
    ]


def test_words_of_the_pairs_choose_the_relation() -> None:
    pairs = [_asked(f"who bagged n{i}?", "CAUGHT", "SAW") for i in range(60)]
    pairs += [_asked(f"who eyed n{i}?", "SAW", "CAUGHT") for i in range(60)]
    ranking, report = learn_ranking(pairs)
    assert (report.before, report.after) == (0.0, 1.0)
    for verb, right, wrong in (("bagged", "CAUGHT", "SAW"), ("eyed", "SAW", "CAUGHT")):
        question = f"who {verb} another?"
        assert ranking.of(question, _plan(right)) > ranking.of(question, _plan(wrong)) + 0.2


def test_a_chance_hit_is_told_apart_by_the_other_pairs() -> None:
    both = [each._replace(f1=1.0) for each in _asked("who bagged n0?", "CAUGHT", "SAW")]
    pairs = [both, *(_asked(f"who bagged n{i}?", "CAUGHT", "SAW") for i in range(1, 120))]
    ranking, report = learn_ranking(pairs)
    assert report.after == 1.0
    assert ranking.of("who bagged n0?", _plan("CAUGHT")) > ranking.of("who bagged n0?", _plan("SAW"))


def test_two_hundred_pairs_of_many_words_teach_sense_not_chance() -> None:
    random = np.random.default_rng(0)

    def pair() -> list[Ranked]:
        """Five plans: the hand score finds the right one in three of four, a word often names it, others are noise."""
        right, out = int(random.integers(5)), []
        for place in range(5):
            told = {f"w{word}|R" for word in random.integers(3_000, size=60)}
            if place == right and random.random() < 0.6:
                told.add(f"named{random.integers(6)}|R")
            out.append(Ranked(random.normal(0.5 * (place == right), 0.25), tuple(told), float(place == right)))
        return out

    def f1(weights: Mapping[str, float], pairs: Sequence[Sequence[Ranked]]) -> float:
        best = (max(each, key=lambda one: one.score + sum(weights.get(f, 0.0) for f in one.features)) for each in pairs)
        return sum(one.f1 for one in best) / len(pairs)

    asked = [pair() for _ in range(400)]
    ranking, report = learn_ranking([pair() for _ in range(200)])
    assert report.share > 0
    assert f1(ranking.weights, asked) > f1({}, asked) + 0.04


def test_what_does_not_help_on_held_out_pairs_is_not_used() -> None:
    chance = [_asked(f"who w{i}?", *(("CAUGHT", "SAW") if i % 2 else ("SAW", "CAUGHT"))) for i in range(140)]
    easy = [_asked(f"who w{i}?", "CAUGHT", "SAW")[::-1] for i in range(140)]
    right_first = [[each[0]._replace(score=2.0), each[1]] for each in easy]
    for pairs in (right_first, chance[: FEWEST - 1]):
        ranking, report = learn_ranking(pairs)
        assert ranking == PlanRanking()
        assert report.after == report.before
        assert report.share == 0
    _, report = learn_ranking(chance)
    assert report.after >= report.before


def test_a_word_that_right_plans_leave_unread_speaks_against_none() -> None:
    def asked(number: int, unread: str, f1: float) -> list[Ranked]:
        return [Ranked(1.0, plan_features(f"who saw n{number}?", _plan("SAW"), (unread,)), f1)]

    right = [asked(number, "Currently", 1.0) for number in range(3)]
    wrong = [asked(number, "Rarely", float(number > 1)) for number in range(5)]
    ranking, _ = learn_ranking([*right, *wrong])
    assert ranking.still_unread(("currently", "Currently", "rarely", "ever")) == ("rarely", "ever")
    assert learn_ranking(right[1:])[0].still_unread(("currently",)) == ("currently",), "two may be chance"


def test_pairs_that_were_not_read_have_no_figures() -> None:
    assert learn_ranking([None, _asked("who bagged n0?", "CAUGHT", "SAW"), None])[1].f1 == {1: 0.0}
    assert learn_ranking([])[1].after == 0.0


@pytest.fixture
def cases(tmp_path: Path) -> Iterator[Knowledge]:
    """Case i has Person i as its party, and Person i + 1 investigates it."""
    people = [Entity(f"p{i}", f"Person{i}", types=("Person",)) for i in range(120)]
    files = [Entity(f"c{i}", f"Case{i}", types=("Case",)) for i in range(120)]
    triples = [
        Triple(f"c{i}", relation, f"p{(i + shift) % 120}")
        for i in range(120)
        for relation, shift in (("PARTY_TO", 0), ("INVESTIGATED_BY", 1))
    ]
    build(tmp_path / "cases", [triples], [*people, *files])
    base = Knowledge.open(tmp_path / "cases")
    yield base
    base.store.close_now()


def _frobbed(count: int) -> list[Question]:
    return [Question(str(i), f"who frobbed Case{i}?", answers=(f"Person{i}",), labeled=True) for i in range(count)]


async def test_learned_words_change_the_reading_and_go_with_the_lesson(cases: Knowledge) -> None:
    learnt = await teach(cases, _frobbed(120), lambda *_: None, network=False)
    assert learnt.plans is not None
    assert learnt.plans.after >= learnt.plans.before
    assert load_ranking(cases.learnt) == load_decomposer(cases.learnt, cases.embedder).ranking
    first, *_ = await read_question.operation(cases, "who frobbed Case7?")
    assert "PARTY_TO" in str(first.plan)


async def test_twenty_pairs_on_a_graph_with_types_speak_for_their_own_words(cases: Knowledge) -> None:
    learnt = await teach(cases, _frobbed(20), lambda *_: None, network=False)
    assert learnt.held_out is not None
    assert learnt.held_out.after > learnt.held_out.before
    assert not learnt.held_out.used
    taught = {
        question: (await learnt.decomposer.decompose(question, cases.store)).taught
        for question in ("who frobbed Case70?", "who investigated Case70?", "who is the party to Case70?")
    }
    assert list(taught.values()) == [True, False, False]


def test_words_count_as_what_they_were_read_as() -> None:
    def asked(number: int, word: str, wrong: str) -> list[Ranked]:
        """The right plan reads the word as the place; plan and question are alike otherwise."""
        question = f"who {word} n{number}?"
        return [
            Ranked(1.0, plan_features(question, _plan("SAW"), (), [(word, wrong)]), 0.0),
            Ranked(0.9, plan_features(question, _plan("SAW"), (), [(word, f"Place.name = n{number}")]), 1.0),
        ]

    ranking, report = learn_ranking([asked(i, "beat", "Drum") for i in range(120)])
    assert (report.before, report.after) == (0.0, 1.0)
    place, drum = (ranking.of("who beat n1?", _plan("SAW"), (), [("beat", each)]) for each in ("Place.name", "Drum"))
    assert place > drum


def test_what_all_candidates_share_is_not_kept_but_for_unread_words() -> None:
    kept = told_apart(_asked("who bagged n0?", "CAUGHT", "SAW"))
    assert "bagged|CAUGHT" in kept[1].features
    assert not any("entity" in name for each in kept for name in each.features)
    (alone,) = told_apart([Ranked(1.0, plan_features("who saw n0?", _plan("SAW"), ("Now",)), 1.0)])
    assert alone.features == ("now|unread",)
    assert told_apart([]) == []


def test_inflections_of_an_unread_word_are_one() -> None:
    right = [
        [Ranked(1.0, plan_features("who n?", _plan("SAW"), (word,)), 1.0)] for word in ("lasted", "lasting", "lasts")
    ]
    assert learn_ranking(right)[0].still_unread(("lasting", "Lasted", "other")) == ("other",)


def test_held_out_pairs_tell_how_likely_a_plan_is_right() -> None:
    """What one verb means is learned, and another one means either."""
    sure = [_asked(f"who bagged n{i}?", "CAUGHT", "SAW") for i in range(100)]
    unsure = [_asked(f"who met n{i}?", *(("CAUGHT", "SAW") if i % 2 else ("SAW", "CAUGHT"))) for i in range(100)]
    ranking, _ = learn_ranking([*sure, *unsure])
    far, near = (ranking.log_odds((2.0, 2.0 - ahead), 1.0, 0) for ahead in (2.0, 0.0))
    assert far is not None
    assert near is not None
    assert far > max(near, 1.0)
    assert PlanRanking().log_odds((1.0,), 0.0, 0) is None


def test_an_answer_names_what_carries_it() -> None:
    columns = GraphColumns.of(
        [
            ("c1", ["Call"], {"day": "15/08/2017", "time": "01:00", "cost": 3}),
            ("c2", ["Call"], {"day": "15/08/2017", "time": "02:00", "cost": 15}),
            ("p1", ["Place"], {"address": "152 Chestnut Avenue"}),
        ]
    )
    call, place = fold_name("15/08/2017 01:00"), fold_name("152 Chestnut Avenue")
    assert carriers(columns, {call, place, "15", "elsewhere"}) == {"c1": {call}, "p1": {place}}
