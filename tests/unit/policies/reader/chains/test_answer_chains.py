"""Chains found from answers alone: the shortest that explain them, and chance ones filtered by frequency."""

from __future__ import annotations

from dataclasses import replace

from tests.films import pairs
from trivium.kg.loaders.questions import parse_question
from trivium.kg.types import parse_chain
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.answer_chains import add_chains


async def test_most_chains_of_the_films_are_found_again(films: Knowledge) -> None:
    # A year is no entity: what was released in it is a condition on a property, which no chain says.
    known = [parse_question(pair, "1") for pair in pairs() if "chain" in pair and pair["chain"] != ["^release_year"]]
    told: list[int] = []
    found = await add_chains(
        [replace(pair, chain=None) for pair in known], films.store, lambda done, total: told.append(done)
    )
    right = sum(pair.chain == again.chain for pair, (again, _) in zip(known, found, strict=True))
    # Not all can be: three directors wrote their films, so that either relation explains the answers.
    assert right >= 0.85 * len(known), f"{right} of {len(known)}"
    assert told[-1] == len(known)


async def test_of_chains_that_explain_as_much_the_shared_one_is_taken(films: Knowledge) -> None:
    # Michael Mann wrote and directed Heat: by itself either relation explains the answer.
    ask = [("who directed Heat?", "mann"), ("who directed Alien?", "scott"), ("who directed Ronin?", "frank")]
    given = [parse_question({"question": text, "answers": [who]}, "1") for text, who in ask]
    found = await add_chains(given, films.store, lambda *_: None)
    assert [pair.chain for pair, _ in found] == [parse_chain(["directed_by"])] * 3


async def test_what_nothing_explains_and_what_has_a_chain_stay_as_they_are(films: Knowledge) -> None:
    given = [
        parse_question({"question": "who directed Heat?", "answers": ["1982"]}, "1"),
        parse_question({"question": "who directed Heat?", "answers": ["mann"], "chain": ["written_by"]}, "2"),
        parse_question({"question": "who directed Heat?"}, "3"),
    ]
    found = await add_chains(given, films.store, lambda *_: None)
    assert [pair.chain for pair, _ in found][1:] == [parse_chain(["written_by"]), None]
    assert found[2] == (given[2], False)


async def test_chains_from_two_names_are_found_where_one_does_not_explain_the_answers(films: Knowledge) -> None:
    given = [
        parse_question({"question": "which sci-fi films did Ridley Scott direct?", "answers": ["alien", "runner"]}, "1")
    ]
    ((pair, more),) = await add_chains(given, films.store, lambda *_: None)
    assert {branch.topic: branch.chain for branch in pair.branches} == {
        "sci-fi": parse_chain(["^has_genre"]),
        "scott": parse_chain(["^directed_by"]),
    }
    assert not more


async def test_a_name_that_narrows_the_answers_no_further_may_be_a_topic(films: Knowledge) -> None:
    given = [
        parse_question({"question": "which film has both Robert De Niro and Jean Reno?", "answers": ["ronin"]}, "1")
    ]
    ((pair, more),) = await add_chains(given, films.store, lambda *_: None)
    assert pair.chain == parse_chain(["^starring"])  # of Jean Reno's films one is Robert De Niro's too: his only one
    assert more
