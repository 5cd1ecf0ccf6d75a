"""KGs without anything learned, which KnowGPT and ODA do without: the bundled sample, and the small one of films."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.films import build_films
from trivium.kg.embedded import build
from trivium.kg.loaders import read_entities, read_triples
from trivium.kg.sample import ENTITIES, TRIPLES
from trivium.knowledge.knowledge import close_all


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


@pytest.fixture(scope="session")
def plain_films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_films(tmp_path_factory.mktemp("plain-films"))[0]


@pytest.fixture
async def kg(plain_films: Path) -> AsyncIterator[str]:
    """The films' name for runs."""
    yield str(plain_films)
    await close_all()


@pytest.fixture
async def own_kg(plain_films: Path, tmp_path: Path) -> AsyncIterator[str]:
    """A copy, for a test that looks at what runs leave in it."""
    shutil.copytree(plain_films, tmp_path / "kg", ignore=shutil.ignore_patterns("bandit.db*"))
    yield str(tmp_path / "kg")
    await close_all()


@pytest.fixture
async def own_learned_kg(films_kg: Path, tmp_path: Path) -> AsyncIterator[str]:
    """A copy of the learned films, in which runs may log what they choose."""
    shutil.copytree(films_kg, tmp_path / "learned", ignore=shutil.ignore_patterns("bandit.db*"))
    yield str(tmp_path / "learned")
    await close_all()
