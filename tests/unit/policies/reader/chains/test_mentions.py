"""Which spans of a question name an entity, and a small model that learns which of them are meant."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.store import GraphStore
from trivium.kg.types import Entity, Triple
from trivium.policies.reader.chains.mentions import (
    DEFAULT_MENTION_MODEL,
    FEATURES,
    MAX_WORDS,
    Mention,
    SplitQuestion,
    find_mentions,
    mention_features,
    split_question,
    train_mention_model,
)
from trivium.policies.reader.chains.similar_mentions import find_similar, place_of, widened, with_initials

KNOWN = frozenset(["who", "directed", "which", "films", "did", "the", "other", "direct", "in", "wrote", "s"])
TRIPLES = [
    Triple("f1", "directed_by", "p1"),
    Triple("f2", "directed_by", "p1"),
    Triple("f3", "directed_by", "p2"),
    Triple("f4", "directed_by", "p2"),
    Triple("f5", "directed_by", "p2"),
]
NAMES = [
    Entity("f1", "Dune"), Entity("f2", "Dune Part Two"), Entity("f3", "Amélie"), Entity("f4", "Other"),
    Entity("f5", "Dune"), Entity("p1", "Denis Villeneuve"), Entity("p2", "Jean-Pierre Jeunet"),
]  # fmt: skip


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[GraphStore]:
    build(tmp_path / "kg", [TRIPLES], NAMES)
    opened = EmbeddedStore.open(tmp_path / "kg")
    yield opened
    await opened.close()


async def _one(text: str, store: GraphStore, known: frozenset[str] = frozenset()) -> SplitQuestion:
    (found,) = await find_mentions([text], store, known)
    return found


def _spans(question: SplitQuestion) -> dict[str, list[str]]:
    return {mention.text: [hit.id for hit in mention.hits] for mention in question.mentions}


async def test_overlapping_names_are_all_kept(store: GraphStore) -> None:
    question = await _one("who directed Dune Part Two?", store)
    assert _spans(question) == {"Dune": ["f1", "f5"], "Dune Part Two": ["f2"]}
    short, long = question.mentions
    assert short.overlaps(long)
    assert short.inside(long)
    assert not long.inside(short)
    assert not long.inside(long)


async def test_accents_case_and_possessives(store: GraphStore) -> None:
    for text in ("who directed amelie", "AMÉLIE", "who is Amélie's director?", "who is Amelie\u2019s director?"):
        assert list(_spans(await _one(text, store)).values()) == [["f3"]], text
    both = await _one("jean pierre jeunet, Denis VILLENEUVE", store)
    assert _spans(both) == {"jean pierre jeunet": ["p2"], "Denis VILLENEUVE": ["p1"]}


async def test_spans_of_known_words_alone_are_passed_over(store: GraphStore) -> None:
    text = "which other films did the director of Other direct"
    assert _spans(await _one(text, store)) == {"other": ["f4"], "Other": ["f4"]}
    assert _spans(await _one(text, store, KNOWN)) == {}
    assert _spans(await _one("who directed Dune", store, KNOWN)) == {"Dune": ["f1", "f5"]}


async def test_many_questions_in_one_look_up_and_long_ones_in_their_last_words(store: GraphStore) -> None:
    found = await find_mentions(["Dune", "nothing here", ""], store)
    assert [len(question.mentions) for question in found] == [1, 0, 0]
    long = await _one("Amélie " + "word " * MAX_WORDS + "Dune", store)
    assert len(long.words) == MAX_WORDS
    assert list(_spans(long)) == ["Dune"]


async def test_misspelt_names_are_found_among_unknown_words(store: GraphStore) -> None:
    question = await _one("which films did Denis Vileneuve direct", store, KNOWN)
    assert question.mentions == ()
    similar = await find_similar(question, KNOWN, store, {})
    assert similar[0].hits[0].id == "p1"
    assert similar[0].hits[0].match == "fuzzy"
    assert question.plain[similar[0].start : similar[0].stop] == ["denis", "vileneuve"]


async def test_three_letters_are_no_misspelt_name(store: GraphStore) -> None:
    assert await find_similar(await _one("who directed Dne", store, KNOWN), KNOWN, store, {}) == ()
    (typo,) = await find_similar(await _one("who directed Dunne", store, KNOWN), KNOWN, store, {})
    assert {hit.id for hit in typo.hits} == {"f1", "f5"}


async def test_parts_of_names_and_initials_are_found_before_typos(store: GraphStore) -> None:
    question = await _one("which films did villeneuve direct", store, KNOWN)
    (part,) = await find_similar(question, KNOWN, store, {})
    assert (part.hits[0].id, part.hits[0].match) == ("p1", "partial")
    short = await _one("which films did DV direct", store, KNOWN)
    (initials,) = await find_similar(short, KNOWN, store, {"dv": ["p1"]})
    assert [hit.id for hit in initials.hits] == ["p1"]


async def test_features_tell_long_well_spelt_unknown_names(store: GraphStore) -> None:
    question = await _one("who directed Dune Part Two, the other", store)
    features = mention_features(question, KNOWN)
    assert features.shape == (len(question.mentions), FEATURES)
    assert np.isfinite(features).all()
    order = np.argsort(-DEFAULT_MENTION_MODEL.log_odds(features))
    assert question.mentions[int(order[0])].text == "Dune Part Two"
    lowered = mention_features(question, KNOWN, lowered=True)
    assert (lowered != features).any()
    assert mention_features(SplitQuestion("", (), ()), KNOWN).shape == (0, FEATURES)


def test_the_model_learns_which_feature_decides() -> None:
    random = np.random.default_rng(0)
    questions, gold = [], []
    for _ in range(200):
        features = random.normal(size=(int(random.integers(2, 6)), FEATURES))
        gold.append(int(np.argmax(2 * features[:, 3] - features[:, 7])))
        questions.append(features)
    model = train_mention_model(questions, gold)
    right = [int(np.argmax(model.log_odds(f))) == g for f, g in zip(questions, gold, strict=True)]
    assert np.mean(right) > 0.95
    assert int(np.argmax(model.weights)) == 3
    assert int(np.argmin(model.weights)) == 7


def test_without_a_choice_the_weights_set_by_hand_stay() -> None:
    asked = np.random.default_rng(1).normal(size=(4, FEATURES))
    expected = DEFAULT_MENTION_MODEL.log_odds(asked)
    for model in (train_mention_model([], []), train_mention_model([np.ones((1, FEATURES))], [0])):
        odds = model.log_odds(asked)
        assert odds - odds[0] == pytest.approx(expected - expected[0])


def test_a_few_questions_do_not_unlearn_what_names_look_like() -> None:
    features = np.zeros((2, FEATURES))
    features[0, 0] = 1.0  # the longer name, once not meant
    model = train_mention_model([features], [1])
    assert 0 < model.weights[3] == pytest.approx(DEFAULT_MENTION_MODEL.weights[3] * 1e-3)
    many = train_mention_model([features] * 200, [1] * 200)
    assert many.log_odds(features)[0] < model.log_odds(features)[0]


async def test_no_part_is_looked_for_within_a_longer_name(store: GraphStore) -> None:
    question = await _one("which films did Denis Villeneuve direct", store, KNOWN)
    wider = await widened(question, KNOWN, store, {})
    assert wider is question  # "Denis" and "Villeneuve" are parts of it
    part = await widened(await _one("what is Jeunet's film", store, KNOWN), KNOWN, store, {})
    assert {mention.text: mention.hits[0].id for mention in part.mentions} == {"Jeunet": "p2"}


async def test_a_name_may_stand_for_another_entity_too(store: GraphStore) -> None:
    question = await with_initials(await _one("who is in Dune?", store, KNOWN), store, {"dune": ["f2", "f1"]})
    (mention,) = question.mentions
    assert [hit.id for hit in mention.hits] == ["f1", "f5", "f2"]
    assert [hit.match for hit in mention.hits] == ["exact", "exact", "partial"]


async def test_of_two_names_side_by_side_the_greater_says_where(store: GraphStore) -> None:
    question = await _one("Am\u00e9lie Jean-Pierre Jeunet", store)
    small, great = (mention_features(question, KNOWN)[place, -1] for place in (0, 1))
    assert (small, great) == (1.0, 0.0)
    alone = await _one("Am\u00e9lie by Jean-Pierre Jeunet", store)
    assert not mention_features(alone, KNOWN)[:, -1].any()


def test_a_topic_that_no_word_names_has_features_too() -> None:
    empty = SplitQuestion("", (), (Mention(0, 0, "Dune", ()),))
    assert empty.mentions[0].start == empty.mentions[0].stop
    assert not empty.mentions[0].overlaps(empty.mentions[0])


@pytest.mark.parametrize(
    ("question", "label", "said"),
    [
        ("where was lovelace born?", "Ada Lovelace", "lovelace"),
        ("what state is the naval college in?", "United States Naval College", "naval college"),
        ("where is the university of north vale?", "North Vale University", "university of north vale"),
        ("what was king otto iv religion?", "Otto IV of Brunswick", "otto iv"),
        ("when was the war of the rose fought?", "Wars of the Roses", "war of the rose"),
        ("what does the fso regulate?", "Federal Seed Office", "fso"),
        ("where did ptk lindqvist live?", "P. T. K. Lindqvist", "ptk lindqvist"),
        ("what do nigerians speak?", "Nigeria", "nigerians"),
        ("where is danish used?", "Danish Language", "danish"),
        ("what language is said in danish schools?", "Danish Language", "danish"),  # "language" is a question's word
        ("which movies star lindquist?", "Anna Lindqvist", "lindquist"),
        ("who runs new vale?", "Newvale", "new vale"),
        ("who is ella bernstorff?", "Ella Burnstow", "ella bernstorff"),
        ("who was his wife?", "Otto IV of Brunswick", None),
        ("what is this about?", "What Was It", None),
        ("what happened in the invasion?", "Invasion of Northvale", "invasion"),  # "in" is no initials
        ("", "Nigeria", None),
    ],
)
def test_a_topic_that_is_known_is_placed_where_words_name_it(question: str, label: str, said: str | None) -> None:
    split = SplitQuestion(question, split_question(question), ())
    found = place_of(split, label, KNOWN | {"language", "religion"})
    assert (None if found is None else " ".join(split.plain[slice(*found)])) == said
