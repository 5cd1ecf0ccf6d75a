"""`trivium kg export --around`: the triples within some hops of the topic entities of a set of questions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.films import TRIPLES
from tests.unit.app.cli.running import Trivium, refused


@pytest.fixture
def trivium(capsys: pytest.CaptureFixture[str]) -> Trivium:
    return Trivium(capsys)


def near(starts: Iterable[str], hops: int) -> set[tuple[str, ...]]:
    """The same, layer by layer over all triples."""
    reached, found = set(starts), set[tuple[str, ...]]()
    for _ in range(hops):
        layer = {tuple(triple) for triple in TRIPLES if {triple[0], triple[2]} & reached}
        found |= layer
        reached |= {end for head, _, tail in layer for end in (head, tail)}
    return found


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_every_triple_within_the_hops_stands_once(trivium: Trivium, films_kg: Path, tmp_path: Path, hops: int) -> None:
    asked, out = tmp_path / "asked.jsonl", tmp_path / "near.tsv"
    lines = [{"question": "a?", "topic_entities": ["Heat", "nobody"]}, {"question": "b?", "topic_entities": ["alien"]}]
    asked.write_text("".join(json.dumps(line) + "\n" for line in lines))
    said = trivium("kg", "export", films_kg, out, "--around", asked, "--hops", hops, "--json")
    assert said.code == 0, said.err
    written = [tuple(line.split("\t")) for line in out.read_text().splitlines()]
    assert set(written) == near(["heat", "alien"], hops)
    assert len(written) == len(set(written)) == said.json["triples"]
    assert (said.json["topics"], said.json["unknown topics"]) == (2, 1)
    assert trivium("kg", "build", out, "--out", tmp_path / "extract").code == 0


def test_without_topics_it_is_refused(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    asked = tmp_path / "asked.jsonl"
    asked.write_text('{"question": "a?"}\n')
    words = ("kg", "export", films_kg, tmp_path / "near.tsv", "--around", asked)
    refused(trivium(*words), "BadInputError", "no question with topic_entities")
    refused(trivium(*words, "--format", "jsonl"), "UsageError", "tsv alone", code=2)
