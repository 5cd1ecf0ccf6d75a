"""Pairs set on the KG: the topic is found by what its chain reaches, and answers tell about exclusion."""

from __future__ import annotations

from trivium.kg.loaders.questions import Question, parse_question
from trivium.kg.types import parse_chain
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.mentions import SplitQuestion
from trivium.policies.reader.chains.pairs import AlignedPair, align_pairs
from trivium.policies.reader.chains.similar_mentions import widened


def _pair(**line: object) -> Question:
    return parse_question(line, "1")


async def _aligned(base: Knowledge, **line: object) -> AlignedPair | None:
    (found,) = [pair async for pair in align_pairs([_pair(**line)], base.store)]
    return found


def _topics(pair: AlignedPair) -> list[tuple[str, list[str]]]:
    mentions = [pair.question.mentions[place] for place in pair.gold]
    return [(mention.text, [hit.id for hit in mention.hits]) for mention in mentions]


async def test_a_topic_that_nothing_marks_is_found(films: Knowledge) -> None:
    found = await _aligned(
        films, question="who directed Jackie Brown, not Heat?", chain=["directed_by"], answers=["tarantino"]
    )
    assert found is not None
    assert _topics(found) == [("Jackie Brown", ["jackie"])]
    assert found.chains == (parse_chain(["directed_by"]),)


async def test_answers_may_be_labels_or_missing(films: Knowledge) -> None:
    by_label = await _aligned(films, question="who wrote Heat", chain=["written_by"], answers=["michael mann"])
    without = await _aligned(films, question="who wrote Heat", chain=["written_by"])
    assert by_label is not None
    assert without is not None
    assert _topics(by_label) == _topics(without) == [("Heat", ["heat"])]


async def test_of_two_names_the_one_that_leads_to_the_answers(films: Knowledge) -> None:
    question = "who acted in Heat, and who in Ronin?"
    for topic, answers in (("Heat", ["deniro", "pacino"]), ("Ronin", ["deniro", "reno"])):
        found = await _aligned(films, question=question, chain=["starring"], answers=answers)
        assert found is not None
        assert [text for text, _ in _topics(found)] == [topic]


async def test_a_marked_topic_is_taken_although_another_fits(films: Knowledge) -> None:
    found = await _aligned(
        films,
        question="is Heat or Ronin a thriller?",
        chain=["has_genre"],
        answers=["thriller"],
        topic_entities=["ronin"],
    )
    assert found is not None
    assert [text for text, _ in _topics(found)] == ["Ronin"]


async def test_a_pair_whose_chain_does_not_explain_its_answers_is_left_out(films: Knowledge) -> None:
    wrong = await _aligned(films, question="who directed Heat?", chain=["directed_by"], answers=["weaver"])
    nowhere = await _aligned(films, question="who directed Heat?", chain=["has_member"], answers=["mann"])
    unnamed = await _aligned(films, question="who directed that?", chain=["directed_by"], answers=["mann"])
    unchained = await _aligned(films, question="who directed Heat?", answers=["mann"])
    assert (wrong, nowhere) == (None, None)
    assert (unnamed, unchained) == (None, None)


async def test_branches_have_a_topic_each(films: Knowledge) -> None:
    branches = [{"topic": "Robert De Niro", "chain": ["^starring"]}, {"topic": "mann", "chain": ["^directed_by"]}]
    found = await _aligned(
        films,
        question="when did Michael Mann's film with Robert De Niro come out",
        branches=branches,
        chain=["release_year"],
        answers=["1995"],
    )
    assert found is not None
    assert [text for text, _ in _topics(found)] == ["Robert De Niro", "Michael Mann"]
    assert found.chains == (parse_chain(["^starring", "release_year"]), parse_chain(["^directed_by", "release_year"]))
    missing = await _aligned(films, question="films with Robert De Niro", branches=branches)
    assert missing is None


async def test_answers_tell_whether_the_topic_is_left_out(films: Knowledge) -> None:
    chain, question = ["directed_by", "^directed_by"], "films by the director of Alien"
    without = await _aligned(films, question=question, chain=chain, answers=["runner", "gladiator"])
    kept = await _aligned(films, question=question, chain=chain, answers=["alien", "runner", "gladiator"])
    alone = await _aligned(films, question="films by the director of Heat", chain=chain, answers=["heat"])
    assert without is not None
    assert kept is not None
    assert alone is not None
    assert [item.excluded for item in without.exclusion] == [True]
    assert [item.excluded for item in kept.exclusion] == [False]
    assert [item.excluded for item in alone.exclusion] == [False]
    assert {str(item.hop) for item in (*without.exclusion, *kept.exclusion)} == {"^directed_by"}


async def test_a_chain_that_never_comes_back_tells_nothing(films: Knowledge) -> None:
    found = await _aligned(
        films,
        question="who starred in films by Ridley Scott",
        chain=["^directed_by", "starring"],
        answers=["weaver", "ford"],
    )
    assert found is not None
    assert found.exclusion == ()


async def test_many_pairs_come_in_their_order(films: Knowledge) -> None:
    titles = ["Heat", "nothing", "Alien"] * 100
    pairs = [_pair(question=f"who directed {title}", chain=["directed_by"]) for title in titles]
    found = [pair async for pair in align_pairs(pairs, films.store)]
    assert [pair is None for pair in found] == [title == "nothing" for title in titles]
    assert [_topics(pair)[0][0] for pair in found if pair] == ["Heat", "Alien"] * 100


async def test_a_pair_that_no_exact_name_explains_is_tried_with_parts_of_names(films: Knowledge) -> None:
    async def wider(question: SplitQuestion) -> SplitQuestion:
        return await widened(question, frozenset({"what", "has", "directed"}), films.store, {})

    pairs = [
        _pair(question="what has Quentin directed?", chain=["^directed_by"], answers=["jackie"]),
        _pair(question="what has Quentin directed?", chain=["^directed_by"], answers=["heat"]),
        _pair(question="who directed Heat?", chain=["directed_by"], answers=["mann"]),
    ]
    assert [pair is None for pair in [p async for p in align_pairs(pairs, films.store)]] == [True, True, False]
    right, wrong, exact = [pair async for pair in align_pairs(pairs, films.store, wider)]
    assert right is not None
    assert exact is not None
    assert _topics(right) == [("Quentin", ["tarantino"])]
    assert wrong is None  # its answers say that this is not the name
    assert [mention.text for mention in exact.question.mentions] == ["Heat"]
