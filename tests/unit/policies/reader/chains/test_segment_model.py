"""Chains by what words speak for: every split counted out, and what the schema alone says of the films."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.types import Hop
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.learning import learn, schema_model
from trivium.policies.reader.chains.schema_words import HopWords
from trivium.policies.reader.chains.segment_model import Marks, SegmentModel
from trivium.policies.reader.chains.wording import Wording

HOPS = tuple(sorted(Hop(name, inverse) for name in "abc" for inverse in (False, True)))


def _model(seed: int) -> SegmentModel:
    random = np.random.default_rng(seed)
    words = {hop: HopWords({str(hop): 1.0}, {}, {}) for hop in HOPS}
    follows = random.random((len(HOPS), len(HOPS))).astype(np.float32)
    follows[random.random(follows.shape) < 0.4] = 0
    return SegmentModel.of(words, HOPS, follows, HashingEmbedder())


def _marks(seed: int) -> Marks:
    random = np.random.default_rng(seed + 100)
    left, right = (np.zeros((1 + n, len(HOPS)), np.float32) for n in (4, 3))
    for side in (left, right):
        side[1:] = random.normal(size=side[1:].shape).cumsum(axis=0)
    first, last = random.normal(size=(2, len(HOPS))).astype(np.float32)
    return Marks(left, right, first, last, same=False, also=True)


def _best_split(chain: tuple[int, ...], marks: Marks) -> float:
    """The most that words give a chain when each side's words go to its hops outwards, all splits counted out."""
    total = 0.0
    for side in (marks.left, marks.right):
        cuts = itertools.combinations_with_replacement(range(len(side)), len(chain) - 1)
        total += max(
            sum(
                float(side[stop, hop] - side[start, hop])
                for hop, (start, stop) in zip(chain, itertools.pairwise((0, *cut, len(side) - 1)), strict=True)
            )
            for cut in cuts
        )
    return total


@pytest.mark.parametrize("seed", range(6))
def test_every_chain_gets_its_best_split(seed: int) -> None:
    model, marks = _model(seed), _marks(seed)
    grown, scores = model.candidates(marks, np.arange(len(HOPS)))
    assert [len(chains) for chains in grown.codes] == [1, 2, 3]
    allowed = {pair for pair in itertools.product(range(len(HOPS)), repeat=2) if model.follows[pair] > 0}
    assert {tuple(pair) for pair in grown.codes[1].T.tolist()} == allowed
    chains = [tuple(grown.chain(place)) for place in range(len(scores))]
    assert [chain[0] for chain in chains] == grown.first.tolist()
    by_score = {chain: score - _best_split(chain, marks) for chain, score in zip(chains, scores.tolist(), strict=True)}
    # What is left is what the chain costs, which no word changes: the same for the same hops under other evidence.
    again = marks._replace(left=2 * marks.left, right=marks.right[:2])
    same, found = model.candidates(again, np.arange(len(HOPS)))
    assert same is grown, "the chains themselves are no wording's"
    for chain, score in zip(chains, found.tolist(), strict=True):
        back = any(model.inverse[a] == b for a, b in itertools.pairwise(chain))
        if not back:
            assert score - _best_split(chain, again) == pytest.approx(by_score[chain], abs=1e-3)


def test_a_schema_without_a_way_on_has_single_hops_alone() -> None:
    model = _model(0)
    model.follows[:] = 0
    grown, scores = model.candidates(_marks(0), np.array([0, 2]))
    assert [chains.tolist() for chains in grown.codes] == [[[0, 2]]]
    assert scores.shape == (2,)
    with pytest.raises(IndexError):
        grown.chain(2)


@pytest.fixture
async def films_words(films: Knowledge) -> SegmentModel:
    return await schema_model(films.store, films.embedder, {})


@pytest.mark.parametrize(
    ("question", "chain"),
    [
        ("who is the filmmaker behind [mask]", ["directed_by"]),
        ("which pictures did [mask] direct", ["^directed_by"]),
        ("in which year did [mask] come out", ["release_year"]),
        ("what sort of movie is [mask]", ["has_genre"]),
        ("who penned the film [mask]", ["written_by"]),
        ("who acted in the films directed by [mask]", ["^directed_by", "starring"]),
        ("which movies share the director with [mask]", ["directed_by", "^directed_by"]),
        ("when were the films by the director of [mask] released", ["directed_by", "^directed_by", "release_year"]),
    ],
)
async def test_words_that_no_relation_has(films_words: SegmentModel, question: str, chain: list[str]) -> None:
    words = tuple(question.split())
    first = [Hop.parse(hop) for hop in ("directed_by", "starring", "written_by", "has_genre", "release_year")]
    if chain[0].startswith("^"):
        first = [Hop(hop.relation, True) for hop in first[:3]]
    best = ChainModel(films_words).best(Wording(words, words.index(MASK)), first, 3)
    assert [str(hop) for hop in best[0].chain] == chain
    assert best[0].score > best[1].score


async def test_function_words_and_names_say_nothing(films_words: SegmentModel) -> None:
    marks = films_words.marks(Wording(("what", "of", "the", MASK, "<name>"), 3))
    assert not marks.left.any()
    assert not marks.right.any()
    assert films_words.evidence("directed").anywhere.max() > 1


async def test_a_user_s_synonyms_speak_for_their_relation(films: Knowledge) -> None:
    wording = Wording(("who", "zorbed", MASK), 2)
    first = [Hop("starring", False), Hop("directed_by", False), Hop("written_by", False)]
    model = await schema_model(films.store, films.embedder, {"written_by": ["zorbed"]})
    assert ChainModel(model).best(wording, first, 1)[0].chain == (Hop("written_by", False),)
    learnt = await learn(None, films.store, films.embedder, lambda *_: None, {"starring": ["zorbed"]})
    found = await learnt.decomposer.decompose("who zorbed Heat?", films.store)
    assert [sub.question for sub in found.sub_questions] == [learnt.decomposer.phrases[Hop("starring", False)]]
