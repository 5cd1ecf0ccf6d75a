"""The trained decomposer on the films: chains, joins, given topics, typos, exclusion, and questions it cannot read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.artifact import load_decomposer
from trivium.policies.reader.chains.compact_decomposer import CompactDecomposer
from trivium.policies.reader.chains.decomposer import Decomposition


@pytest.fixture
def decomposer(films: Knowledge) -> CompactDecomposer:
    return load_decomposer(films.learnt, films.embedder)


async def _hops(found: Decomposition, base: Knowledge) -> list[str]:
    """What each sub-question asks for, by the chain of its own template."""
    templates = await base.templates()
    chains = [template.chains[0] for sub in found.sub_questions if (template := templates.get(sub.question))]
    return [str(hop) for chain in chains for hop in chain]


def _shape(found: Decomposition) -> list[tuple[int, tuple[int, ...], tuple[str, ...]]]:
    return [(sub.id, sub.dep, sub.seed_entities) for sub in found.sub_questions]


@pytest.mark.parametrize(
    ("question", "mention", "hops"),
    [
        ("who directed Blade Runner?", "Blade Runner", ["directed_by"]),
        ("what movies did Al Pacino star in", "Al Pacino", ["^starring"]),
        ("which films did Quentin Tarantino direct?", "Quentin Tarantino", ["^directed_by"]),
        ("who starred in the films directed by Barry Levinson?", "Barry Levinson", ["^directed_by", "starring"]),
        ("when were the films starring Russell Crowe released?", "Russell Crowe", ["^starring", "release_year"]),
        ("what genre are the films starring Harrison Ford?", "Harrison Ford", ["^starring", "has_genre"]),
    ],
)
async def test_one_sub_question_a_hop(
    films: Knowledge, decomposer: CompactDecomposer, question: str, mention: str, hops: list[str]
) -> None:
    found = await decomposer.decompose(question, films.store)
    assert await _hops(found, films) == hops
    line = [(0, (-1,), (mention,))]
    line += [(place, (place - 1,), (f"<GENERATED>-{place - 1}",)) for place in range(1, len(hops))]
    assert _shape(found) == line
    assert all("[mask]" in sub.question for sub in found.sub_questions)
    assert list(found.links) == [mention]
    assert 0 < found.confidence <= 1


async def test_both_and_makes_a_join(films: Knowledge, decomposer: CompactDecomposer) -> None:
    found = await decomposer.decompose("which films star both Robert De Niro and Jean Reno?", films.store)
    assert _shape(found) == [(0, (-1,), ("Robert De Niro",)), (1, (-1,), ("Jean Reno",))]
    assert {mention: links[0].id for mention, links in found.links.items()} == {
        "Robert De Niro": "deniro",
        "Jean Reno": "reno",
    }
    assert await _hops(found, films) == ["^starring"] * 2


async def test_what_comes_after_a_join_depends_on_both(films: Knowledge, decomposer: CompactDecomposer) -> None:
    question = "when were the films starring both Robert De Niro and Al Pacino released?"
    found = await decomposer.decompose(question, films.store)
    assert [sub.dep for sub in found.sub_questions] == [(-1,), (-1,), (0, 1)]
    assert found.sub_questions[2].seed_entities == ("<GENERATED>-0", "<GENERATED>-1")
    assert await _hops(found, films) == ["^starring", "^starring", "release_year"]


async def test_given_topics_are_taken_by_id_or_label(films: Knowledge, decomposer: CompactDecomposer) -> None:
    question = "who directed Solaris?"
    for topic, director in (("solaris72", "solaris72"), ("solaris02", "solaris02")):
        found = await decomposer.decompose(question, films.store, [topic])
        assert [hit.id for hit in found.links["Solaris"]] == [director]
    unnamed = await decomposer.decompose("who directed this film?", films.store, ["Jackie Brown"])
    assert [hit.id for links in unnamed.links.values() for hit in links] == ["jackie"]
    assert await _hops(unnamed, films) == ["directed_by"]


async def test_an_ambiguous_name_keeps_its_alternatives(films: Knowledge, decomposer: CompactDecomposer) -> None:
    found = await decomposer.decompose("who directed Solaris?", films.store)
    assert {hit.id for hit in found.links["Solaris"]} == {"solaris72", "solaris02"}
    assert len(found.sub_questions) == 1


async def test_typos_and_accents_are_read(films: Knowledge, decomposer: CompactDecomposer) -> None:
    for question, entity in (
        ("which films did Sigourney Weever act in?", "weaver"),
        ("who directed amelie", "amelie"),
        ("which films did QUENTIN TARRANTINO direct?", "tarantino"),
    ):
        found = await decomposer.decompose(question, films.store)
        assert [links[0].id for links in found.links.values()] == [entity], question
        assert len(found.sub_questions) == 1


async def test_the_words_say_whether_used_entities_are_answers(films: Knowledge, decomposer: CompactDecomposer) -> None:
    other = await decomposer.decompose("which other films did the director of Gladiator direct?", films.store)
    assert [sub.excludes_used for sub in other.sub_questions] == [False, True]
    plain = await decomposer.decompose("who starred in the films directed by Ridley Scott?", films.store)
    assert [sub.excludes_used for sub in plain.sub_questions] == [False, False]
    first = await decomposer.decompose("which other films did Ridley Scott direct?", films.store)
    assert [sub.excludes_used for sub in first.sub_questions] == [False], (
        "a first hop has nothing behind it to leave out"
    )


async def test_what_cannot_be_read_is_empty(films: Knowledge, decomposer: CompactDecomposer) -> None:
    for question in ("zzz qqq", "?", "who is the prime minister of Freedonia"):
        found = await decomposer.decompose(question, films.store)
        assert found.sub_questions == (), question
        assert (found.links, found.confidence) == ({}, 0.0)


async def test_pairs_are_doubted_of_chains_of_a_length_that_none_shows(
    films: Knowledge, decomposer: CompactDecomposer
) -> None:
    learned = decomposer.reader.learned
    assert learned is not None
    many = replace(learned, mix=replace(learned.mix, doubt=None, only_known=False))
    short = replace(many, candidates=replace(many.candidates, lengths=frozenset({1})))
    for reader, doubts in ((many, [None, None]), (short, [None, 0.0])):
        taught = replace(decomposer, reader=replace(decomposer.reader, learned=reader))
        found = [
            await taught.decompose(question, films.store)
            for question in ("who directed Blade Runner?", "who starred in the films directed by Barry Levinson?")
        ]
        assert [len(each.sub_questions) for each in found] == [1, 2]
        assert [each.doubt for each in found] == doubts


async def test_the_hops_of_a_schema_are_kept_until_it_changes(films: Knowledge, decomposer: CompactDecomposer) -> None:
    schema = await films.store.schema()
    kept = decomposer._hops(schema)
    assert decomposer._hops(await films.store.schema()) is kept
    assert len(decomposer._hops(schema[1:])) == len(kept) - 2
    assert decomposer._hops(schema) == kept


async def test_the_same_question_is_read_the_same_way(films: Knowledge, decomposer: CompactDecomposer) -> None:
    question = "which actors appear in the films written by Quentin Tarantino?"
    first = await decomposer.decompose(question, films.store)
    again = await load_decomposer(films.learnt, films.embedder).decompose(question, films.store)
    assert first == await decomposer.decompose(question, films.store)
    assert first == again
