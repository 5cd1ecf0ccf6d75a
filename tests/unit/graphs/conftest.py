"""The bundled sample as a KG without anything learnt, which ODA does without."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kg.embedded import build
from kg.loaders import read_entities, read_triples
from kg.sample import ENTITIES, TRIPLES
from tools.knowledge import close_all


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "kg"
    build(folder, read_triples(TRIPLES), read_entities(ENTITIES))
    return folder


@pytest.fixture
async def sample(sample_folder: Path) -> AsyncIterator[str]:
    """Its name for runs; what they opened is closed afterwards."""
    yield str(sample_folder)
    await close_all()
