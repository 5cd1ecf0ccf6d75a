"""Entities files, and what is written reads back unchanged."""

from pathlib import Path

import pytest

from trivium.kg.errors import BadInputError
from trivium.kg.loaders import TripleWriter, read_entities, read_triples, write_entities, write_triples
from trivium.kg.types import Entity, Triple

ENTITIES = [
    Entity("/m/1", "Alien", ("Alien (1979)", "a|b", "back\\slash", "both\\|"), ("Film", "Work")),
    Entity("/m/2", "Ridley Scott"),
    Entity("七", "七人の侍", (), ("Film",)),
]
TRIPLES = [Triple("/m/1", "directed_by", "/m/2"), Triple("七", "r|s,t", 'a "quoted" text ')]


def test_two_to_four_columns_and_a_header(tmp_path: Path) -> None:
    path = tmp_path / "e.tsv"
    path.write_text("id\tlabel\naid\tAlien\n\nb\t\nc\tC\tsea|see\nd\tD\t\tLetter|Note\n")
    reader = read_entities(path)
    assert list(reader) == [
        Entity("aid", "Alien"),
        Entity("b", "b"),
        Entity("c", "C", ("sea", "see")),
        Entity("d", "D", (), ("Letter", "Note")),
    ]
    assert (reader.lines, reader.skipped.count) == (6, 0)


@pytest.mark.parametrize(
    ("line", "said"),
    [("lonely", "found 1 field"), ("a\tb\tc\td\te", "found 5"), ("\tb", "the id is empty"), ("a\tb\x01", "U+0001")],
)
def test_malformed_lines(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "e.tsv"
    path.write_text(f"a\tA\n{line}\n")
    with pytest.raises(BadInputError) as caught:
        list(read_entities(path))
    assert (caught.value.line, said in str(caught.value)) == (2, True)
    reader = read_entities(path, skip_bad=True)
    assert list(reader) == [Entity("a", "A")]
    assert reader.skipped.count == 1


def test_no_entity_is_refused(tmp_path: Path) -> None:
    (tmp_path / "e.tsv").write_text("id\tlabel\n")
    with pytest.raises(BadInputError, match="contains no entities"):
        list(read_entities(tmp_path / "e.tsv"))
    with pytest.raises(BadInputError, match="no such file"):
        read_entities(tmp_path / "none.tsv")


@pytest.mark.parametrize("name", ["x.tsv", "x.tsv.gz"])
def test_what_is_written_reads_back(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert write_entities(path, ENTITIES) == 3
    assert list(read_entities(path)) == ENTITIES
    assert write_triples(path, [TRIPLES[:1], [], TRIPLES[1:]]) == 2
    assert [triple for batch in read_triples(path) for triple in batch] == TRIPLES
    first = path.read_bytes()
    write_triples(path, [TRIPLES])
    assert path.read_bytes() == first, "equal triples, equal bytes"


@pytest.mark.parametrize("bad", ["two\nlines", "a\ttab", "", "carriage\rreturn", "half \ud800"])
def test_a_tail_that_no_line_holds_is_refused_and_nothing_changes(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "x.tsv"
    write_triples(path, [TRIPLES])
    before = path.read_bytes()
    with pytest.raises(BadInputError):
        write_triples(path, [TRIPLES, [Triple("a", "r", bad)]])
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["x.tsv"]


def test_names_with_line_breaks_are_flattened_and_ids_refused(tmp_path: Path) -> None:
    write_entities(tmp_path / "e.tsv", [Entity("a", "two\nlines", ("x\ty",))])
    assert list(read_entities(tmp_path / "e.tsv")) == [Entity("a", "two lines", ("x y",))]
    with pytest.raises(BadInputError, match="control character"):
        write_entities(tmp_path / "e.tsv", [Entity("a\nb", "x")])


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be written"), TripleWriter(tmp_path / "no" / "x.tsv") as out:
        out.write(TRIPLES)
    assert list(tmp_path.iterdir()) == []
