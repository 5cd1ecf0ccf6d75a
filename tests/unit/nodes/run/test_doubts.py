"""What is said in place of an answer to something else than what was asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.graphs.methods import answer, method_named
from trivium.kg.types import Hop, parse_chain
from trivium.nodes.run.answer_record import AnswerEntity, PathRecord, path_record
from trivium.nodes.run.context import Context
from trivium.nodes.run.doubts import _agreed, _missing, doubts, whole_chains
from trivium.nodes.run.write_answer import Claim
from trivium.policies.confidence.signals import AnswerSignals
from trivium.policies.reader.chains.decomposer import Decomposition, SubQuestion
from trivium.tools.assess_reading import Assessment


@pytest.mark.parametrize(
    ("question", "chain", "said", "unknown"),
    [
        ("who wrote Gladiator?", "written_by", ("written by", "Gladiator"), []),
        ("who directed Gladiator?", "directed_by", ("", ""), []),
        ("who wrote Gladiator?", "", ("", ""), []),
        ("who wrote Zorro?", "written_by", ("", ""), ["Zorro"]),
    ],
)
async def test_the_relation_that_an_entity_lacks_is_named_unless_the_name_is_unknown(
    question: str, chain: str, said: tuple[str, str], unknown: list[str], kg_name: str
) -> None:
    best = Assessment(
        0.1,
        AnswerSignals(),
        missing=(Hop(chain, inverse=False),) if chain else (),
        names=tuple(map(str.lower, unknown)),
        about="gladiator",
    )
    found = Decomposition((), {})
    signals = await _missing(question, Context(kg=kg_name), best, found, read=True, doubtful=True)
    assert ((signals.missing, signals.of), list(signals.unknown)) == (said, unknown)


def _sub(number: int, chain: str, *dep: int) -> SubQuestion:
    return SubQuestion(number, "[mask]?", dep or (-1,), ("x",), chain=parse_chain(chain.split()) if chain else None)


@pytest.mark.parametrize(
    ("subs", "chains"),
    [
        ([_sub(0, "^a"), _sub(1, "b c", 0)], ["^a b c"]),
        ([_sub(0, "^a"), _sub(1, "^b")], ["^a", "^b"]),
        ([_sub(0, "a"), _sub(1, "b"), _sub(2, "c", 0, 1)], ["a c", "b c"]),
        ([_sub(0, "a"), _sub(1, "")], []),
        ([], []),
    ],
)
def test_chains_are_followed_from_what_is_named_to_the_answer(subs: list[SubQuestion], chains: list[str]) -> None:
    assert whole_chains(subs) == [parse_chain(chain.split()) for chain in chains]


STARS = "who starred in films directed by Ridley Scott?"
TO_FILM = ("gladiator", "directed_by", "scott", True)
TO_STAR = ("gladiator", "starring", "crowe", False)
TO_GENRE = ("gladiator", "has_genre", "drama", False)


def _claim(*steps: tuple[str, str, str, bool]) -> Claim:
    end = steps[-1][0] if steps[-1][3] else steps[-1][2]
    paths: list[PathRecord] = [path_record(steps, end)]
    return Claim("", [AnswerEntity(id=end, label=end, score=1.0)], paths=paths, confidence=0.9)


@pytest.mark.parametrize("topics", [(), ("scott",)], ids=["found", "given"])
@pytest.mark.parametrize(
    ("claim", "stands"),
    [
        (_claim(TO_FILM, TO_STAR), True),
        (_claim(TO_FILM), False),
        (_claim(TO_FILM, TO_GENRE), False),
    ],
    ids=["asked", "half of the way", "another relation"],
)
async def test_what_another_method_found_stands_where_the_reading_gives_it(
    claim: Claim, stands: bool, topics: tuple[str, ...], kg_name: str
) -> None:
    claim = replace(claim)
    signals = await doubts(
        STARS, Context(kg=kg_name), claim, read=True, given=bool(topics), by_model=False, topics=topics
    )
    assert (signals.found, claim.confidence != 0.0) == (stands, stands)


async def test_of_a_given_topic_what_was_found_stands_where_no_reading_is_sure(kg_name: str) -> None:
    question = "what is the vibe of Gladiator?"
    for topics in ((), ("gladiator",)):
        claim, given = _claim(("gladiator", "has_genre", "drama", False)), bool(topics)
        context = Context(kg=kg_name)
        signals = await doubts(question, context, claim, read=True, given=given, by_model=False, topics=topics)
        assert (signals.found, claim.confidence == 0.9) == (given, given)


COUNT = "how many films did Ridley Scott direct?"


async def test_of_a_computed_answer_the_value_is_compared(kg_name: str) -> None:
    for value, stands in ((1, False), (None, True)):
        counted = await answer("keqing", COUNT, method_named("keqing").context(kg=kg_name))
        claim = Claim(value=counted["value"] if value is None else value, paths=counted["paths"][:1])
        signals = await doubts(COUNT, Context(kg=kg_name), claim, read=True, given=False, by_model=False)
        assert signals.found == stands


@pytest.mark.parametrize(
    ("assessment", "surer"),
    [
        (Assessment(0.45, AnswerSignals(strange=1.0)), True),
        (Assessment(0.45, AnswerSignals(misfit=1.0)), False),
        (Assessment(0.45, AnswerSignals(turned=1.0)), False),
        (Assessment(0.45, AnswerSignals(), names=("3",)), False),
    ],
)
def test_a_method_that_agrees_with_an_answer_to_another_question_makes_it_no_surer(
    assessment: Assessment, surer: bool
) -> None:
    assert (_agreed(assessment) > 0.5, _agreed(assessment) > assessment.confidence) == (surer, surer)
