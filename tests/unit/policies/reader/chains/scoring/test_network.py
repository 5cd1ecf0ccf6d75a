"""The chain network: it learns a small problem, numpy says what torch says, and it is deterministic."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.types import Hop
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.schema_words import HopWords
from trivium.policies.reader.chains.scoring.examples import ChainExample
from trivium.policies.reader.chains.scoring.network import ChainInputs, PreparedNetwork
from trivium.policies.reader.chains.scoring.train import NetworkSettings, _Training, has_torch, train_network
from trivium.policies.reader.chains.segment_model import SegmentModel
from trivium.policies.reader.chains.wording import Wording

pytestmark = pytest.mark.skipif(not has_torch(), reason="training needs the extra `train` (torch)")

NAMES = ("spouse", "parent", "school", "town")
HOPS = tuple(sorted(Hop(name, inverse) for name in NAMES for inverse in (False, True)))
COUNT = len(HOPS)
SEGMENTS = SegmentModel.of(
    {hop: HopWords({hop.relation: 1.0}, {}, {}) for hop in HOPS},
    HOPS,
    np.ones((COUNT, COUNT), np.float32),
    HashingEmbedder(),
)
SAID = {"spouse": "darling", "parent": "folks", "school": "learned", "town": "dwells"}
SETTINGS = NetworkSettings(epochs=40, dropout=0.1)
EVERY = np.ones(COUNT, dtype=bool)
FOLLOWS = np.ones((COUNT, COUNT), dtype=bool)


def _wording(*said: str) -> Wording:
    """The outer hop is said first: `dwells the darling of [mask]`."""
    words = (*(word for each in reversed(said) for word in (SAID[each], "of")), MASK)
    return Wording(words, len(words) - 1)


def _examples() -> tuple[list[ChainExample], list[ChainExample]]:
    """One and two hops; of those of two some are held out, and all of three."""
    number = SEGMENTS.number
    made = [
        ChainExample(_wording(*names), tuple(number[Hop(name, False)] for name in names))
        for hops in (1, 2)
        for names in product(NAMES, repeat=hops)
    ]
    other = Wording((MASK, "of", "the", "wrong", "kind"), 0)
    held = [each for place, each in enumerate(made) if len(each.chain) == 2 and place % 4 == 1]
    return [*(each for each in made if each not in held), ChainExample(other, ())], held


@pytest.fixture(scope="module")
def trained() -> PreparedNetwork:
    examples, _ = _examples()
    inputs = ChainInputs(SEGMENTS, tuple(sorted(set(SAID.values()) | {"of", "the"})))
    return train_network(examples, inputs, SETTINGS, lambda *_: None).prepared(inputs)


def test_it_learns_words_that_the_schema_has_not_and_puts_chains_together(trained: PreparedNetwork) -> None:
    examples, held = _examples()
    shown = [each for each in examples if each.chain]
    right = [trained.read(each.wording).beams(EVERY, FOLLOWS, 8, 3)[0].codes == each.chain for each in shown]
    assert np.mean(right) == 1.0
    new = [trained.read(each.wording).beams(EVERY, FOLLOWS, 8, 3)[0].codes == each.chain for each in held]
    assert np.mean(new) >= 0.5, "pairs of hops that no example shows together"


def test_a_name_that_is_no_topic_is_told(trained: PreparedNetwork) -> None:
    examples, _ = _examples()
    odds = [(bool(each.chain), trained.read(each.wording).topic()) for each in examples]
    assert min(value for topic, value in odds if topic) > 0 > max(value for topic, value in odds if not topic)


def test_beams_begin_and_go_on_as_the_graph_allows(trained: PreparedNetwork) -> None:
    allowed, follows = EVERY.copy(), FOLLOWS.copy()
    allowed[0], follows[:, 1] = False, False
    for beam in trained.read(_wording("spouse", "town")).beams(allowed, follows, 8, 3):
        assert beam.codes[0] != 0
        assert 1 not in beam.codes[1:]


def test_chains_are_scored_as_the_beams_score_them(trained: PreparedNetwork) -> None:
    read = trained.read(_wording("parent", "school"))
    beams = read.beams(EVERY, FOLLOWS, 8, 3)
    assert [beam.score for beam in beams] == sorted((beam.score for beam in beams), reverse=True)
    assert read.score([beam.codes for beam in beams], 3) == pytest.approx([beam.score for beam in beams], abs=1e-4)


def test_numpy_gives_the_loss_that_torch_gives() -> None:
    import torch

    examples, _ = _examples()
    inputs = ChainInputs(SEGMENTS, tuple(sorted(set(SAID.values()) | {"of"})))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        training = _Training(examples, inputs, NetworkSettings(dropout=0.0, forget=0.0, take_out=0.0))
        for parameter in training.parameters.values():
            parameter.data += 0.1 * torch.randn_like(parameter)
        served = training.network().prepared(inputs)
        batch = np.arange(len(examples))
        loss = float(training._loss(batch).detach())
    losses = []
    for each in examples:
        read = served.read(each.wording)
        odds = read.topic()
        if each.chain:
            losses.append(np.log1p(np.exp(-odds)) - read.score([each.chain], 3)[0])
        else:
            losses.append(np.log1p(np.exp(odds)))
    assert np.mean(losses) == pytest.approx(loss, rel=1e-4)


def test_the_same_examples_give_the_same_weights() -> None:
    examples, _ = _examples()
    inputs = ChainInputs(SEGMENTS, ("of",))
    short = NetworkSettings(epochs=1, min_steps=3)
    first, second = (train_network(examples, inputs, short, lambda *_: None).weights for _ in range(2))
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_nothing_to_learn_from_is_refused() -> None:
    with pytest.raises(ValueError, match="no example"):
        train_network([], ChainInputs(SEGMENTS, ()), SETTINGS, lambda *_: None)
