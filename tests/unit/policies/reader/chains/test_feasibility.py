"""Which reading the graph can answer: the chain tells which of two namesakes is meant, and where results join."""

from __future__ import annotations

from trivium.kg.types import parse_chain
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.feasibility import Feasible, first_feasible
from trivium.policies.reader.chains.mentions import Mention, find_mentions
from trivium.policies.reader.chains.readings import ChainReading, Topic


async def _feasible(
    base: Knowledge, *readings: tuple[tuple[str, list[str]], ...], question: str = "which films are named"
) -> Feasible | None:
    """The first feasible of these readings of a question, each of (name, chain) topics."""
    made: list[ChainReading] = []
    for number, topics in enumerate(readings):
        mentions = [(await find_mentions([name], base.store))[0].mentions[-1] for name, _ in topics]
        chains = [parse_chain(chain) for _, chain in topics]
        made.append(ChainReading(-float(number), tuple(map(Topic, mentions, chains))))
    hits = {hit.id for reading in made for topic in reading.topics for hit in topic.mention.hits}
    hops = dict(zip(sorted(hits), await base.store.hops(sorted(hits)), strict=True))
    return await first_feasible(made, hops, base.store, (await find_mentions([question], base.store))[0])


def _links(found: Feasible | None) -> list[list[str]]:
    assert found is not None
    return [[hit.id for hit in hits] for hits in found.links]


async def test_the_chain_tells_namesakes_apart(films: Knowledge) -> None:
    assert _links(await _feasible(films, (("Avalon", ["directed_by"]),))) == [["avalon"]]
    assert _links(await _feasible(films, (("Avalon", ["has_member"]),))) == [["band"]]
    (both,) = _links(await _feasible(films, (("Solaris", ["directed_by"]),)))
    assert set(both) == {"solaris72", "solaris02"}


async def test_a_chain_that_breaks_off_later_is_passed_over(films: Knowledge) -> None:
    found = await _feasible(films, (("Alien", ["directed_by", "has_member"]),), (("Alien", ["directed_by"]),))
    assert found is not None
    assert found.reading.score == -1.0
    assert await _feasible(films, (("Alien", ["has_member"]),)) is None
    assert await _feasible(films) is None


async def test_excluding_leaves_the_topic_out_of_what_is_reached(films: Knowledge) -> None:
    back = ["directed_by", "^directed_by"]
    assert await _feasible(films, (("Heat", back),)) is not None
    assert await _feasible(films, (("Heat", back),), question="which other films") is None
    assert await _feasible(films, (("Alien", back),), question="which other films") is not None


async def test_two_topics_must_meet(films: Knowledge) -> None:
    chain = ["^starring"]
    met = await _feasible(films, (("Robert De Niro", chain), ("Pam Grier", chain)))
    assert _links(met) == [["deniro"], ["grier"]]
    assert met is not None
    assert met.shared == 0
    assert await _feasible(films, (("Russell Crowe", chain), ("Pam Grier", chain))) is None


async def test_results_join_before_the_chains_common_rest(films: Knowledge) -> None:
    chain = ["^starring", "release_year"]
    found = await _feasible(films, (("Robert De Niro", chain), ("Al Pacino", chain)))
    assert found is not None
    assert found.shared == 1
    late = await _feasible(films, (("Mickey Rourke", chain), ("Rutger Hauer", chain)))
    assert late is not None
    assert late.shared == 0, "no film of both, but films of one year"


async def test_an_alternative_of_a_topic_is_tried(films: Knowledge) -> None:
    (question,) = await find_mentions(["Solaris"], films.store)
    assert {hit.id for hit in question.mentions[0].hits} == {"solaris02", "solaris72"}
    found = await _feasible(films, (("Solaris", ["starring"]), ("Andrei Tarkovsky", ["^directed_by", "starring"])))
    assert _links(found) == [["solaris72"], ["tarkovsky"]]


def test_mentions_overlap_where_they_share_a_word() -> None:
    mentions = [Mention(0, 2, "a b", ()), Mention(1, 3, "b c", ()), Mention(2, 3, "c", ())]
    assert mentions[0].overlaps(mentions[1])
    assert not mentions[0].overlaps(mentions[2])
