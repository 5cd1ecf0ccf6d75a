"""An open KG: what is derived is loaded, and made again where it is missing, stale, damaged or another's."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.films import TRIPLES, build_films
from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedded.verify import verify
from trivium.kg.embedded.write import add_triples, delete_triples
from trivium.kg.errors import EmbedderError, NotAKnowledgeBaseError
from trivium.kg.manifest import read_manifest
from trivium.kg.types import Hop, RelationSchema, Triple
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.templates import QuestionTemplate, current_templates, save_templates

RELATIONS = {relation for _, relation, _ in TRIPLES}
TEMPLATES = 2 * len(RELATIONS) - 1
"""One a direction; nothing leads back from a year, which is a value."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build_films(tmp_path)[0]


@pytest.fixture
def base(folder: Path) -> Iterator[Knowledge]:
    opened = Knowledge.open(folder)
    yield opened
    opened.store.close_now()


def _written(folder: Path) -> dict[Path, int]:
    """When each file of an index or of templates was written."""
    return {path: path.stat().st_mtime_ns for name in ("indexes", "templates") for path in (folder / name).rglob("*.*")}


async def _reopened(folder: Path, embedder: str = "static") -> tuple[list[str], list[str]]:
    """Relations and templates as a new process finds them."""
    base = Knowledge.open(folder, embedder)
    try:
        return sorted((await base.relations()).keys), [template.text for template in (await base.templates()).templates]
    finally:
        await base.close()


async def test_derive_makes_both_indexes_and_guards_their_files(folder: Path, base: Knowledge) -> None:
    assert not (folder / "indexes").exists()
    await base.derive()
    names = {name.split("/")[0] for name in read_manifest(folder).derived}
    assert {"indexes", "templates"} <= names
    assert verify(folder) == []
    assert (folder / "vectors.npz").exists()
    assert len((await base.templates()).templates) == TEMPLATES


async def test_what_is_there_is_loaded_and_not_made_again(folder: Path, base: Knowledge) -> None:
    await base.derive()
    before = _written(folder)
    relations, templates = await _reopened(folder)
    assert set(relations) == RELATIONS
    assert len(templates) == TEMPLATES
    assert before
    assert _written(folder) == before


@pytest.mark.parametrize("name", ["indexes/relations", "templates"])
async def test_a_damaged_index_is_made_again_with_a_warning(
    folder: Path, base: Knowledge, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    await base.derive()
    for path in [*(folder / name).glob("vectors*"), *(folder / name).glob("*.safetensors")]:
        path.write_bytes(b"damage")
    with caplog.at_level("WARNING", "trivium.kg"):
        relations, templates = await _reopened(folder)
    assert (set(relations), len(templates)) == (RELATIONS, TEMPLATES)
    assert ["is damaged" in record.getMessage() for record in caplog.records] == [True]
    caplog.clear()
    await _reopened(folder)
    assert caplog.records == []
    assert verify(folder) == []


async def test_a_missing_index_is_made_again(folder: Path, base: Knowledge) -> None:
    await base.derive()
    shutil.rmtree(folder / "indexes")
    shutil.rmtree(folder / "templates")
    relations, templates = await _reopened(folder)
    assert set(relations) == RELATIONS
    assert len(templates) == TEMPLATES
    assert verify(folder) == []


async def test_a_new_relation_makes_the_indexes_stale(folder: Path, base: Knowledge) -> None:
    await base.derive()
    add_triples(folder, [Triple("alien", "filmed_in", "london")])
    relations, templates = await _reopened(folder)
    assert set(relations) == RELATIONS | {"filmed_in"}
    assert "where was [mask] filmed?" in templates
    delete_triples(folder, [Triple("alien", "filmed_in", "london")])
    assert "filmed_in" not in (await _reopened(folder))[0]


async def test_learnt_templates_outlive_a_new_relation_and_a_damaged_index(
    films_kg: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(films_kg, copy)
    _, learnt = await _reopened(copy)
    add_triples(copy, [Triple("alien", "filmed_in", "london")])
    _, after = await _reopened(copy)
    assert set(learnt) < set(after)
    for path in (copy / "templates").glob("*.safetensors"):
        path.unlink()
    assert (await _reopened(copy))[1] == after
    (copy / "templates" / "templates.json").write_text("{")
    _, lost = await _reopened(copy)
    assert len(lost) == TEMPLATES + 2
    assert "run trivium learn keqing; until then those of the schema are used" in caplog.text


async def test_words_of_a_schema_s_templates_stay_when_a_relation_comes_and_may_be_anybody_s(folder: Path) -> None:
    def spoken(schema: Sequence[RelationSchema]) -> list[QuestionTemplate]:
        return [QuestionTemplate(f"tell the {r.name} of [mask]!", ((Hop(r.name, inverse=False),),)) for r in schema]

    shutil.rmtree(folder / "templates", ignore_errors=True)
    with Knowledge.open(folder) as base:
        told = [template.text for template in (await current_templates(base, spoken)).templates]
    assert sorted(told) == sorted(f"tell the {name} of [mask]!" for name in RELATIONS)
    add_triples(folder, [Triple("alien", "filmed_in", "london")])
    _, after = await _reopened(folder)  # by the makers that come with the KG layer, for what is new alone
    assert set(told) < set(after)
    assert "where was [mask] filmed?" in after
    delete_triples(folder, [Triple("alien", "filmed_in", "london")])
    assert "where was [mask] filmed?" not in (await _reopened(folder))[1]


async def test_a_text_stays_with_what_is_left_of_its_hops_and_takes_no_other_hop_s_words(folder: Path) -> None:
    genre, place = Hop("has_genre", inverse=False), Hop("filmed_in", inverse=False)
    add_triples(folder, [Triple("alien", "filmed_in", "london")])
    base = Knowledge.open(folder)
    # The second has the very words that the schema gives to `filmed_in`, once that is new.
    learnt = [
        QuestionTemplate("what of [mask]?", ((place,), (genre,), (genre, place)), 4),
        QuestionTemplate("what is the filmed in of [mask]?", ((genre, genre),), 2),
        QuestionTemplate("where is [mask]?", ((place,),), 1),
    ]
    await save_templates(base, learnt)
    await base.close()
    delete_triples(folder, [Triple("alien", "filmed_in", "london")])
    base = Knowledge.open(folder)
    found = await base.templates()
    kept = found.get("what of [mask]?")
    assert kept is not None
    assert (kept.chains, kept.count) == (((genre,),), 4)
    assert found.get("where is [mask]?") is None
    await base.close()
    add_triples(folder, [Triple("alien", "filmed_in", "london")])
    base = Knowledge.open(folder)
    after = (await base.templates()).templates
    await base.close()
    hops = {Hop(name, inverse) for name in (*RELATIONS, "filmed_in") for inverse in (False, True)}
    hops -= {Hop("release_year", inverse=True)}
    assert {(hop,) for hop in hops} <= {chain for template in after for chain in template.chains}
    assert len({template.text for template in after}) == len(after)


async def test_indexes_of_another_embedder_are_made_again(
    folder: Path, base: Knowledge, caplog: pytest.LogCaptureFixture
) -> None:
    await base.derive()
    relations, templates = await _reopened(folder, "hashing")
    assert set(relations) == RELATIONS
    assert len(templates) == TEMPLATES
    assert "embedder" in caplog.text
    caplog.clear()
    await _reopened(folder, "hashing")
    assert caplog.records == []


async def test_entities_by_meaning_follow_the_kg(folder: Path, base: Knowledge) -> None:
    index = await base.entities()
    _, (near,) = index.search(base.embedder.embed(["blade runner"]), 1)
    assert near == ["runner"]
    add_triples(folder, [Triple("Dune", "directed_by", "scott")])
    again = Knowledge.open(folder)
    assert "Dune" in (await again.entities()).keys
    assert len(await again.entities()) == len(index) + 1
    await again.close()


async def test_while_another_process_writes_indexes_stay_in_memory(folder: Path, base: Knowledge) -> None:
    with write_lock(folder):
        assert set((await base.relations()).keys) == RELATIONS
    assert not (folder / "indexes" / "relations").exists()
    assert len((await base.templates()).templates) == TEMPLATES


def test_what_is_no_kg_and_an_unknown_embedder_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(NotAKnowledgeBaseError, match="trivium kg build"):
        Knowledge.open(tmp_path / "nothing")
    with pytest.raises(EmbedderError, match="magic"):
        Knowledge.open(folder, "magic")


async def test_closing_twice_is_no_error(folder: Path) -> None:
    base = Knowledge.open(folder)
    assert (await base.store.info()).triples == len(TRIPLES)
    await base.close()
    await base.close()
    assert base.learnt == folder / "keqing"
