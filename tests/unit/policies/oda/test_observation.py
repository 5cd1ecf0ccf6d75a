"""The observation against the paper's algorithm in plain Python, on each of its roads."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from trivium.kg.embedded import EmbeddedStore, Snapshot, build
from trivium.kg.embedders import CachedEmbedder, Embedder, FloatArray, unit
from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.indexes import relation_words
from trivium.kg.types import Direction, Triple, WalkedTriple
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.oda.observation import Observation, ObservationLimits, observe

WORDS = ["film", "actor", "river", "city", "song", "painter", "bridge", "novel", "harbour", "violin"]


def naive(
    triples: Sequence[Triple], embedder: Embedder, question: str, entity: str, limits: ObservationLimits
) -> list[str]:
    """The paper's update and refine, word for word: what is observed, a line a triple."""
    (asked,) = embedder.embed([question])
    frontier, visited, observed = [entity], {entity}, list[WalkedTriple]()
    for _ in range(limits.max_hops):
        around = [WalkedTriple(*t, False) for t in triples if t.head in frontier and limits.direction != "in"]
        around += [WalkedTriple(*t, True) for t in triples if t.tail in frontier and limits.direction != "out"]
        texts = [f"{relation_words(t.relation)} {t.end}" for t in around]
        scores = embedder.embed(texts) @ asked if texts else np.empty(0)
        seen = {t[:3] for t in observed}
        best: list[WalkedTriple] = []
        for place in np.argsort(-scores, kind="stable"):
            if around[place][:3] not in seen and len(best) < limits.top_n:
                seen.add(around[place][:3])
                best.append(around[place])
        observed += best
        frontier = [end for end in dict.fromkeys(t.end for t in best[: limits.top_p]) if end not in visited]
        visited.update(frontier)
    return sorted(f"{t.head} {t.relation} {t.tail}" for t in observed)


def lines(observation: Observation) -> list[str]:
    return sorted(f"{t.head} {t.relation} {t.tail}" for t, _, _ in observation)


def tree(seed: int) -> list[Triple]:
    """A tree of 80 entities with names of two words: no two triples read alike, so that no scores tie."""
    rng = random.Random(seed)
    names = rng.sample([f"{one} {two}" for one in WORDS for two in WORDS], 80)
    return [
        Triple(names[rng.randrange(i)], rng.choice(["born in", "made by", "part of"]), names[i]) for i in range(1, 80)
    ]


class Contextual:
    """Vectors of whole texts, which do not add up."""

    name, dimensions, fingerprint = "contextual", 64, "contextual"

    def embed(self, texts: Sequence[str]) -> FloatArray:
        return unit(HashingEmbedder(64).embed([text[::-1] for text in texts]) ** 2)


def opened(folder: Path, triples: list[Triple]) -> Knowledge:
    build(folder, [triples])
    return Knowledge.open(folder)


def contextual(base: Knowledge) -> Knowledge:
    return Knowledge(base.path, base.store, CachedEmbedder(Contextual()))


class Counting(EmbeddedStore):
    """A store that counts the batches of neighbors asked of it."""

    asked = 0

    async def neighbors(self, *args: object, **kwargs: object) -> list[list[WalkedTriple]]:
        self.asked += 1
        return await super().neighbors(*args, **kwargs)  # type: ignore[arg-type] # handed on as it came


class WithoutSnapshot(Knowledge):
    """A KG that shows no arrays, as a live database."""

    def snapshot(self) -> Snapshot | None:
        return None


async def test_what_is_remembered_is_asked_again_with_other_limits_and_after_a_write(tmp_path: Path) -> None:
    triples, question = tree(1), "which river bridge painter novel"
    base = opened(tmp_path / "kg", triples)
    entity = triples[-1].head
    try:
        (wide,) = await observe(base, question, [entity], ObservationLimits(top_n=6))
        (narrow,) = await observe(base, question, [entity], ObservationLimits(top_n=2, max_hops=1))
        assert (len(narrow), len(wide) > 2) == (2, True)
        assert (await observe(base, question, [entity], ObservationLimits(top_n=6)))[0] is wide
        await base.store.add([Triple(entity, "river bridge of", "painter novel")])
        (after,) = await observe(base, question, [entity], ObservationLimits(top_n=2, max_hops=1))
        assert "river bridge of" in {observed.triple.relation for observed in after}
    finally:
        await base.close()


@pytest.mark.parametrize("direction", ["both", "out"])
@pytest.mark.parametrize("seed", range(4))
async def test_it_is_the_papers_algorithm(tmp_path: Path, seed: int, direction: Direction) -> None:
    triples = tree(seed)
    limits = ObservationLimits(max_hops=3, top_n=6, top_p=3, direction=direction)
    base = contextual(opened(tmp_path / "kg", triples))
    slow = WithoutSnapshot(base.path, base.store, base.embedder)
    entities = sorted({t.head for t in triples})[:5]
    question = "which river bridge painter novel"
    try:
        fast = await observe(base, question, entities, limits)
        through = await observe(slow, question, entities, limits)
    finally:
        await base.close()
    for entity, observation, other in zip(entities, fast, through, strict=True):
        expected = naive(triples, base.embedder, question, entity, limits)
        assert lines(observation) == expected
        assert lines(other) == expected
        assert len(observation) <= 18


async def test_the_protocol_is_asked_once_a_turn_for_all_entities(tmp_path: Path) -> None:
    triples = tree(1)
    build(tmp_path / "kg", [triples])
    store = Counting.open(tmp_path / "kg")
    base = WithoutSnapshot(tmp_path / "kg", store, Knowledge.open(tmp_path / "kg").embedder)
    entities = sorted({t.head for t in triples})[:7]
    try:
        found = await observe(base, "which river", entities, ObservationLimits(max_hops=3), run="one")
        assert store.asked <= 3
        again = await observe(base, "which river", entities, ObservationLimits(max_hops=3), run="one")
        assert again == found
        assert store.asked <= 3  # an identical observation of a run is made once
        await observe(base, "which river", entities, ObservationLimits(max_hops=3), run="two")
        assert store.asked > 3  # a live graph may have changed since
    finally:
        await base.close()


async def test_additive_vectors_score_as_the_embedder_does(tmp_path: Path) -> None:
    triples = tree(2)
    base = opened(tmp_path / "kg", triples)
    slow = WithoutSnapshot(base.path, base.store, base.embedder)
    limits = ObservationLimits(max_hops=1, top_n=5)
    try:
        for entity in sorted({t.head for t in triples})[:8]:
            (fast,), (through,) = (
                await observe(base, "which painter", [entity], limits),
                await observe(slow, "which painter", [entity], limits),
            )
            assert [each.score for each in fast] == pytest.approx([each.score for each in through], abs=1e-3)
            assert [each.score for each in fast] == sorted((each.score for each in fast), reverse=True)
    finally:
        await base.close()


async def test_a_hub_shows_all_its_relations_and_stays_within_its_cap(tmp_path: Path) -> None:
    hub = [Triple("hub", f"r{i % 5}", f"leaf number {i}" if i != 1_234 else "a violin") for i in range(4_000)]
    base = opened(tmp_path / "kg", hub)
    try:
        (found,) = await observe(base, "leaf", ["hub"], ObservationLimits(max_hops=1, top_n=200, per_entity=200))
        assert len(found) == 200
        assert {each.triple.relation for each in found} == {f"r{i}" for i in range(5)}
        (whole,) = await observe(base, "which violin", ["hub"], ObservationLimits(max_hops=1, top_n=1))
        assert whole.triples[0].triple.tail == "a violin"
    finally:
        await base.close()


async def test_unknown_and_bare_entities_and_a_changed_kg(tmp_path: Path) -> None:
    base = opened(tmp_path / "kg", [Triple("a", "knows", "b"), Triple("a", "is", "a")])
    try:
        nothing, loop = await observe(base, "who knows", ["nobody", "a"])
        assert len(nothing) == 0
        assert lines(loop) == ["a is a", "a knows b"]  # a self-loop once
        await base.store.add([Triple("b", "knows", "c")])
        _, grown = await observe(base, "who knows", ["nobody", "a"])
        assert "b knows c" in lines(grown)
    finally:
        await base.close()


async def test_other_limits_are_another_observation(tmp_path: Path) -> None:
    base = opened(tmp_path / "kg", tree(1))
    entity = tree(1)[0].head
    try:
        sizes = []
        for top_n in (1, 3, 1):
            (found,) = await observe(base, "which river", [entity], ObservationLimits(max_hops=1, top_n=top_n))
            sizes.append(len(found))
        assert sizes == [1, 3, 1], "an observation is remembered with its limits"
    finally:
        await base.close()
