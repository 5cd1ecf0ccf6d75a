"""KnowGPT's paths on a real Neo4j: live through the store, and on a local copy, beside the embedded store's."""

from __future__ import annotations

import random
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import get_args

import pytest

from trivium.kg import sample
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.embedders import CachedEmbedder, open_embedder
from trivium.kg.errors import NotAKnowledgeBaseError
from trivium.kg.loaders import read_entities, read_triples
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.artifacts import prepare
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.loading import load
from trivium.kg.neo4j.opening import open_store
from trivium.kg.neo4j.settings import RemoteKG
from trivium.kg.neo4j.snapshots import LocalCopy
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.view import MADE
from trivium.kg.types import Entity, Triple
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.extraction import Extraction, PolicyName, extract_paths
from trivium.policies.paths.live import FAN_OUT
from trivium.policies.paths.subgraph import extract_subgraph

QUESTION = "which bridge was painted near the harbour?"
_WORDS = ["film", "actor", "river", "city", "song", "painter", "bridge", "novel", "harbour", "violin"]
_RELATIONS = ["born in", "painted by", "near", "part of"]
_HUB = FAN_OUT + 200  # neighbors of the hub


def world() -> tuple[list[Triple], list[Entity]]:
    """A random graph of 60 entities, a hub with leaves, and an island; one entity stands in no triple."""
    rng = random.Random(7)
    names = [Entity(f"n{i}", f"{_WORDS[i % 10]} {_WORDS[i // 10]} {i}") for i in range(60)]
    made = {
        Triple(f"n{rng.randrange(60)}", rng.choice(_RELATIONS), f"n{int(60 * rng.random() ** 2)}") for _ in range(150)
    }
    made |= {Triple("hub", "near", f"leaf{i:04}") for i in range(_HUB)} | {Triple("n1", "near", "hub")}
    made |= {Triple("island", "near", "shore"), Triple("n2", "near", "n2")}
    return sorted(made), [*names, Entity("lonely", "Lonely")]


class _Live(Knowledge):
    """A KG that has no adjacency at hand, as a database without a local copy."""

    def snapshot(self) -> None:
        return None


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    triples, entities = world()
    build(tmp_path / "kg", [triples], entities)
    return tmp_path / "kg"


@pytest.fixture
async def remote(neo4j_address: Address, directory: Path, tmp_path: Path) -> AsyncIterator[Knowledge]:
    """The world in Neo4j, live."""
    source, store = EmbeddedStore.open(directory), Neo4jStore(Client(neo4j_address), MADE)
    await load(store.client, source, lambda *_: None)
    await source.close()
    yield Knowledge(tmp_path / "artifacts", store, CachedEmbedder(open_embedder("static")))
    await store.close()


def round_trips(base: Knowledge) -> int:
    assert isinstance(base.store, Neo4jStore)
    return base.store.client.round_trips


def shown(found: Extraction) -> list[tuple[object, ...]]:
    return [(path.source, path.target, path.path, pytest.approx(path.reward, abs=1e-5)) for path in found.paths]


@pytest.mark.parametrize("policy", ["learned", pytest.param("random", marks=pytest.mark.slow)])
@pytest.mark.usefixtures("nothing_ages")
async def test_live_paths_are_those_of_the_embedded_store(
    remote: Knowledge, directory: Path, policy: PolicyName
) -> None:
    local, whole = _Live.open(directory), Knowledge.open(directory)
    sources, targets = ["n0", "n30", "n41"], ["n5", "n17", "n58", "hub"]
    exact = await extract_paths(whole, QUESTION, sources, targets, policy="exact", paths_per_pair=10_000)
    walks = {(path.path[0].start, *(step.end for step in path.path)) for path in exact.paths}
    for width in (1, 3, 60):
        asked = round_trips(remote)
        theirs = await extract_paths(remote, QUESTION, sources, targets, beam_width=width, policy=policy)
        # The entities of all pairs in one request, then one a hop, however many pairs and partial paths there are.
        assert round_trips(remote) <= asked + 1 + 1 + 3
        ours = await extract_paths(local, QUESTION, sources, targets, beam_width=width, policy=policy)
        assert shown(theirs) == shown(ours)
        assert theirs.policy == ("random" if policy == "random" else "text")
        assert (theirs.expanded, theirs.policy, theirs.events) == (ours.expanded, ours.policy, ours.events)
        assert {(path.path[0].start, *(step.end for step in path.path)) for path in theirs.paths} <= walks
        if width == 60:  # wide enough to see everything that the exact search sees
            joined = {(path.source, path.target) for path in exact.paths}
            assert {(path.source, path.target) for path in theirs.paths} == joined
    local.close_now()
    whole.close_now()


@pytest.mark.usefixtures("nothing_ages")
async def test_a_live_subgraph_is_that_of_the_directory(remote: Knowledge, directory: Path) -> None:
    whole, linked = Knowledge.open(directory), (["n0", "n1"], ["n5", "n17", "nobody"])
    asked = round_trips(remote)
    theirs = await extract_subgraph(remote, QUESTION, *linked)
    assert round_trips(remote) <= asked + 1 + 3  # entities, their neighbors, the neighbors of those that are kept
    ours = await extract_subgraph(whole, QUESTION, *linked)
    assert set(theirs.entities) == set(ours.entities)
    assert len(theirs.entities) > 4, "bridges"
    assert sorted(theirs.triples) == sorted(ours.triples)
    few = await extract_subgraph(remote, QUESTION, *linked, limit=2)
    assert len(few.entities) == 2
    assert set(few.entities) < {"n0", "n1", "n5", "n17"}
    whole.close_now()


@pytest.mark.parametrize("policy", get_args(PolicyName))
async def test_what_has_no_path_live(remote: Knowledge, policy: PolicyName) -> None:
    for sources, targets in (
        (["nobody"], ["n1"]),
        (["n1"], ["0x` }) DETACH DELETE n //"]),
        (["n1"], ["n1"]),
        (["island"], ["n1"]),
        (["lonely"], ["n1"]),
        (["n1"], ["lonely"]),
        ([], ["n1"]),
        (["n1"], []),
    ):
        found = await extract_paths(remote, QUESTION, sources, targets, policy=policy)
        assert found.paths == ()
    assert (await extract_subgraph(remote, QUESTION, ["nobody"], [])).entities == ()
    mixed = await extract_paths(remote, "", ["nobody", "n1", "lonely"], ["n1", "hub"], policy=policy)
    assert {(path.source, path.target) for path in mixed.paths} == {("n1", "hub")}


@pytest.mark.usefixtures("nothing_ages")
async def test_of_a_hub_a_part_is_read(remote: Knowledge) -> None:
    first, last = "leaf0000", f"leaf{_HUB - 1:04}"
    asked = round_trips(remote)
    (found,) = (await extract_paths(remote, QUESTION, ["n1"], [first])).paths
    assert [step.end for step in found.path] == ["hub", first]
    assert round_trips(remote) <= asked + 1 + 4
    # Beyond the cap a leaf is out of sight from the hub (docs/explanation/knowgpt-paths.md), but not the hub from it.
    assert not (await extract_paths(remote, QUESTION, ["n1"], [last])).paths
    assert (await extract_paths(remote, QUESTION, [last], ["hub"])).paths
    around = await remote.store.labelled_neighbors(["hub"], limit=FAN_OUT)
    assert [len(each) for each in around] == [FAN_OUT]


async def test_an_emptied_kg_has_no_paths(remote: Knowledge) -> None:
    triples, _ = world()
    await remote.store.delete(triples)
    for policy in get_args(PolicyName):
        assert (await extract_paths(remote, QUESTION, ["n1"], ["n2"], policy=policy)).paths == ()
    assert (await extract_subgraph(remote, QUESTION, ["n1"], ["n2"])).triples == ()


async def test_an_empty_database_is_no_kg(neo4j_address: Address, tmp_path: Path) -> None:
    client = Client(neo4j_address)
    with pytest.raises(NotAKnowledgeBaseError, match="trivium kg copy"):
        await open_store(client, RemoteKG(neo4j_address), tmp_path)
    client.close_now()


@pytest.fixture
async def sampled(neo4j_address: Address, tmp_path: Path) -> AsyncIterator[tuple[Knowledge, Knowledge]]:
    """The sample with the path policy that ships for it: a directory, and Neo4j with a local copy."""
    folder = tmp_path / "sample"
    build(folder, read_triples(sample.TRIPLES), read_entities(sample.ENTITIES))
    shutil.copytree(sample.PATHS, folder / "knowgpt")
    local, store = Knowledge.open(folder), Neo4jStore(Client(neo4j_address), MADE)
    await load(store.client, local.store, lambda *_: None)
    artifacts = prepare(tmp_path / "artifacts", neo4j_address)
    shutil.copytree(sample.PATHS, artifacts / "knowgpt")
    copies = LocalCopy(store, artifacts)
    await copies.renew(lambda *_: None)
    remote = Knowledge(artifacts, store, local.embedder, copies)
    yield local, remote
    await local.close()
    await remote.close()


@pytest.mark.slow
async def test_every_policy_walks_a_snapshot_of_the_database_as_the_directory(
    sampled: tuple[Knowledge, Knowledge],
) -> None:
    local, remote = sampled
    ids = [entity.id async for batch in local.store.all_entities() for entity in batch]
    drawn, question = random.Random(3).sample(ids, 8), "where is White Fang set?"
    for policy in get_args(PolicyName):
        theirs = await extract_paths(remote, question, drawn[:3], drawn[3:], policy=policy)
        ours = await extract_paths(local, question, drawn[:3], drawn[3:], policy=policy)
        assert shown(theirs) == shown(ours)
        assert (theirs.policy, theirs.expanded, theirs.events) == (policy, ours.expanded, ())


@pytest.mark.slow
async def test_a_policy_of_another_state_of_the_database_stays_in_use_and_says_so(
    sampled: tuple[Knowledge, Knowledge],
) -> None:
    _, remote = sampled
    source, targets = ["novel/white_fang"], ["novel/the_call_of_the_wild"]
    assert (await extract_paths(remote, QUESTION, source, targets)).events == ()
    assert await remote.store.add([Triple("novel/white_fang", "set in", "somewhere else")]) == 1
    stale = await extract_paths(remote, QUESTION, source, targets)
    assert (stale.policy, [note.event for note in stale.events]) == ("learned", ["stale"])
    assert (await extract_paths(remote, QUESTION, source, targets, policy="structural")).policy == "structural"
    # Live no policy is looked at, whatever lies in the folder.
    live = await extract_paths(_Live(remote.path, remote.store, remote.embedder), QUESTION, source, targets)
    assert (live.policy, len(live.events)) == ("text", 1)
