"""Versions of lessons: kept, listed, gone back to, and bounded in number; a user's synonyms file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from trivium.kg.embedded.verify import verify
from trivium.kg.errors import BadInputError, CorruptError, NotLearnedError
from trivium.kg.types import Hop
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.artifact import load_decomposer
from trivium.policies.reader.chains.synonyms import keep_synonyms, kept_synonyms, read_synonyms
from trivium.policies.reader.chains.teaching import roll_back, teach
from trivium.policies.reader.chains.versions import KEPT, list_versions
from trivium.policies.reader.chains.written import read_written


@pytest.fixture
def copy(films_kg: Path, tmp_path: Path) -> Iterator[Knowledge]:
    shutil.copytree(films_kg, tmp_path / "films")
    base = Knowledge.open(tmp_path / "films")
    yield base
    base.store.close_now()


async def test_back_to_what_the_pairs_taught_and_forward_again(copy: Knowledge) -> None:
    taught = dict(load_decomposer(copy.learnt, copy.embedder).phrases)
    await teach(copy, None, lambda *_: None)
    assert [(v.number, v.pairs > 0, v.current) for v in list_versions(copy.learnt)] == [
        (1, True, False),
        (2, False, True),
    ]
    assert load_decomposer(copy.learnt, copy.embedder).phrases != taught
    assert await roll_back(copy) == 1
    assert load_decomposer(copy.learnt, copy.embedder).phrases == taught
    texts = {template.text for template in (await copy.templates()).templates}
    assert set(taught.values()) <= texts
    assert [v.current for v in list_versions(copy.learnt)] == [True, False]
    assert verify(copy.path) == []
    assert await roll_back(copy, 2) == 2
    assert not load_decomposer(copy.learnt, copy.embedder).is_taught


async def test_only_the_last_few_are_kept(copy: Knowledge) -> None:
    for _ in range(KEPT):
        await teach(copy, None, lambda *_: None)
    kept = list_versions(copy.learnt)
    assert [version.number for version in kept] == list(range(2, KEPT + 2))
    assert verify(copy.path) == []
    with pytest.raises(NotLearnedError, match="version 1 is not kept"):
        await roll_back(copy, 1)
    assert [version.current for version in kept] == [False] * (KEPT - 1) + [True]


async def test_nothing_before_and_damage_are_named(copy: Knowledge) -> None:
    with pytest.raises(NotLearnedError, match="no version before"):
        await roll_back(copy)
    (copy.learnt / "versions" / "0001" / "version.json").write_text("{", encoding="utf-8")
    with pytest.raises(CorruptError, match="0001"):
        list_versions(copy.learnt)
    assert load_decomposer(copy.learnt, copy.embedder).phrases


def test_synonyms_are_read_and_bad_lines_named(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("# ours\ndirected_by = helmed, Shot by  # verbs\n\n^a=b#c = heirs\n", encoding="utf-8")
    assert read_synonyms(path) == {"directed_by": ["helmed", "shot", "by"], "^a=b#c": ["heirs"]}
    path.write_text("directed_by = helmed\ndirected_by helmed\n", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"line 2|:2"):
        read_synonyms(path)
    with pytest.raises(BadInputError, match="cannot be read"):
        read_synonyms(tmp_path / "none.txt")


async def test_synonyms_stay_for_the_next_lesson_until_others_come_or_they_are_forgotten(copy: Knowledge) -> None:
    async def asked() -> bool:
        """Whether the words are understood."""
        found = await load_decomposer(copy.learnt, copy.embedder).decompose("who helmed Alien?", copy.store)
        return bool(found.sub_questions) and "direct" in found.sub_questions[0].question

    await teach(copy, None, lambda *_: None, {"directed_by": ["helmed"], "^directed_by": ["oeuvre"]})
    assert await asked()
    await teach(copy, None, lambda *_: None)
    assert kept_synonyms(copy.learnt) == {"directed_by": ["helmed"], "^directed_by": ["oeuvre"]}
    assert await asked()
    await teach(copy, None, lambda *_: None, {})
    assert kept_synonyms(copy.learnt) == {}
    assert [version.synonyms for version in list_versions(copy.learnt)] == [0, 2, 2, 0]
    await roll_back(copy)
    assert kept_synonyms(copy.learnt)["directed_by"] == ["helmed"]
    assert verify(copy.path) == []


async def test_kept_words_of_a_relation_that_has_gone_fail_no_lesson(copy: Knowledge) -> None:
    keep_synonyms(copy.learnt, {"sold_by": ["peddled"], "directed_by": ["helmed"]})
    await teach(copy, None, lambda *_: None)
    assert kept_synonyms(copy.learnt) == {"directed_by": ["helmed"]}
    with pytest.raises(BadInputError, match="sold_by"):
        await teach(copy, None, lambda *_: None, {"sold_by": ["peddled"]})
    (copy.learnt / "synonyms.json").write_text("[1", encoding="utf-8")
    with pytest.raises(CorruptError, match="--forget-synonyms"):
        await teach(copy, None, lambda *_: None)


def test_synonyms_in_the_form_before_artifacts_are_read(tmp_path: Path) -> None:
    (tmp_path / "synonyms.json").write_text('{"directed_by": ["helmed"]}', encoding="utf-8")
    assert kept_synonyms(tmp_path) == {"directed_by": ["helmed"]}
    (tmp_path / "written.json").write_text('{"templates": {"^directed_by": ["what did [mask] make?"]}}', "utf-8")
    assert read_written(tmp_path) == {Hop("directed_by", inverse=True): ["what did [mask] make?"]}
