"""The observation, and a whole run of ODA, over a real Neo4j: the same as over the directory it was loaded from."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from trivium.graphs.oda import graph
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.embedders import CachedEmbedder, open_embedder
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.loading import load
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.view import MADE
from trivium.knowledge.knowledge import Knowledge, close_all
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.run.state import QuestionInput
from trivium.policies.oda.observation import Observation, ObservationLimits, observe


@pytest.fixture
async def live(neo4j_address: Address, films_kg: Path, tmp_path: Path) -> AsyncIterator[Knowledge]:
    """The films in Neo4j, without a walking snapshot."""
    source, store = EmbeddedStore.open(films_kg), Neo4jStore(Client(neo4j_address), MADE)
    await load(store.client, source, lambda *_: None)
    await source.close()
    yield Knowledge(tmp_path, store, CachedEmbedder(open_embedder("static")))
    await store.close()


def shown(observation: Observation) -> set[tuple[object, ...]]:
    return {(*each.triple, each.turn) for each in observation}


@pytest.mark.usefixtures("nothing_ages")
async def test_it_observes_what_the_directory_shows_in_a_round_trip_a_layer(live: Knowledge, films: Knowledge) -> None:
    question, entities = "who starred in the films of its director?", ["heat", "ronin", "band"]
    whole = ObservationLimits(max_hops=3, top_n=500, top_p=500)  # nothing is cut, so that no tie decides
    assert live.snapshot() is None
    assert isinstance(live.store, Neo4jStore)
    client = live.store.client
    await live.store.renew_view()
    before = client.round_trips
    found = await observe(live, question, entities, whole, run="1")
    for theirs, ours in zip(await observe(films, question, entities, whole), found, strict=True):
        assert shown(ours) == shown(theirs)
    assert client.round_trips == before + whole.max_hops  # a layer is one, labels and all
    before = client.round_trips
    await observe(live, "who directed it?", entities, ObservationLimits(max_hops=2), run="1")
    assert client.round_trips == before + 2
    await observe(live, "who directed it?", entities, ObservationLimits(max_hops=2), run="1")
    assert client.round_trips == before + 2, "an observation of a run is made once"


async def test_a_run_over_it_answers_as_over_the_directory(
    live: Knowledge, neo4j_address: Address, films_kg: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("USER", neo4j_address.user), ("PASSWORD", neo4j_address.password)):
        if value is not None:
            monkeypatch.setenv(f"TRIVIUM_NEO4J_{name}", value)
    question: QuestionInput = {"question": "who starred in the films directed by Michael Mann?"}
    try:
        told = []
        for kg in (neo4j_address.uri, str(films_kg)):
            answer = (await graph.ainvoke(question, context=OdaContext(kg=kg)))["answer"]
            told.append(({item["id"] for item in answer["answers"]}, answer["stop_reason"]))
        assert told[0] == told[1] == ({"deniro", "pacino"}, "answered")
    finally:
        await close_all()
