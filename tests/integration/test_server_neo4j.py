"""`langgraph dev` over a KG in Neo4j that trivium.toml names: all three methods answer, and no call blocks the loop."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client

from tests.films import write_files
from tests.integration.conftest import ROOT, serving
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.loading import load

WHO = "who directed Heat?"


@pytest.mark.slow
async def test_all_three_methods_answer_over_neo4j(neo4j_address: Address, films_kg: Path, tmp_path: Path) -> None:
    source, client = EmbeddedStore.open(films_kg), Client(neo4j_address)
    await load(client, source, lambda *_: None)
    await source.close()
    client.close_now()
    login = {"TRIVIUM_NEO4J_USER": neo4j_address.user or "", "TRIVIUM_NEO4J_PASSWORD": neo4j_address.password or ""}
    pairs = write_files(tmp_path)[2]
    learn = [
        sys.executable,
        "-m",
        "trivium.app.cli.main",
        "learn",
        "keqing",
        "--kg",
        neo4j_address.uri,
        "--questions",
        str(pairs),
    ]
    process = await asyncio.create_subprocess_exec(*learn, env={**os.environ, **login, "PYTHONPATH": str(ROOT)})
    assert await process.wait() == 0
    settings = f'[kg.films]\nuri = "{neo4j_address.uri}"\n'
    given: dict[str, dict[str, Any]] = {
        "keqing": {},
        "oda": {"topic_entities": ["heat"]},
        "knowgpt": {"choices": [{"id": "A", "text": "Ridley Scott"}, {"id": "B", "text": "Michael Mann"}]},
    }
    with serving(tmp_path, settings, "films", **login) as server:
        sdk = get_client(url=server.url, api_key=None)
        for method, more in given.items():
            told: Any = await sdk.runs.wait(None, method, input={"question": WHO, **more}, context={"kg": "films"})
            answer = told["answer"]
            right = "B" if method == "knowgpt" else "mann"  # of choices, the choice's id
            assert [item["id"] for item in answer["answers"]][:1] == [right], (method, answer)
            assert answer["paths"][0]["triples"], method
        await sdk.aclose()
        written = server.log.read_text()
    assert "BlockingError" not in written
    assert login["TRIVIUM_NEO4J_PASSWORD"] not in written
