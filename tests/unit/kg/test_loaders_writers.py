"""What is written is read back unchanged; what could not be is refused, and a failed file is not there at all."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.kg.errors import BadInputError
from trivium.kg.loaders import read_entities, read_triples
from trivium.kg.loaders.source import MAX_LINE_BYTES, Source, decode
from trivium.kg.loaders.writers import write_entities, write_triples
from trivium.kg.types import Entity, Triple

# Any letter but control characters, which no table by tab can hold, and half surrogates, which are no text.
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp", "Zs", "Cf")), min_size=1)
RELATIONS = NAMES.filter(lambda name: not name.startswith("^"))  # that is how an inverse hop is written
TRIPLES = st.tuples(NAMES, RELATIONS, NAMES).map(lambda row: Triple(*row))


@settings(max_examples=50)
@given(st.lists(TRIPLES, min_size=1, max_size=8, unique=True))
def test_triples_are_read_back_as_they_were(triples: list[Triple]) -> None:
    with TemporaryDirectory() as folder:
        plain, zipped = Path(folder, "t.tsv"), Path(folder, "t.tsv.gz")
        assert write_triples(plain, [triples[:3], triples[3:]]) == write_triples(zipped, [triples]) == len(triples)
        for path in (plain, zipped):
            assert [triple for batch in read_triples(path) for triple in batch] == triples
        assert gzip.decompress(zipped.read_bytes()) == plain.read_bytes()


def test_entities_are_read_back_with_aliases_and_types(tmp_path: Path) -> None:
    alien = Entity("Q1", "Alien", ("Alien (1979)", "a|b", "back\\slash"), ("film",))
    entities = [alien, Entity("Q2", "Q2"), Entity("ü", "Über")]
    assert write_entities(tmp_path / "e.tsv", entities) == 3
    assert list(read_entities(tmp_path / "e.tsv")) == entities
    write_entities(tmp_path / "c.tsv", [Entity("Q1", "two\nlines\tand a tab")])
    assert [entity.label for entity in read_entities(tmp_path / "c.tsv")] == ["two lines and a tab"]


def test_equal_content_makes_equal_files(tmp_path: Path) -> None:
    for name in ("a.tsv.gz", "b.tsv.gz"):
        write_triples(tmp_path / name, [[Triple("a", "b", "c")]])
    assert (tmp_path / "a.tsv.gz").read_bytes() == (tmp_path / "b.tsv.gz").read_bytes(), (
        "no name, no time in the header"
    )


@pytest.mark.parametrize(
    ("triple", "said"),
    [
        (Triple("a\tb", "r", "c"), r"U\+0009"),
        (Triple("a", "r\n", "c"), r"U\+000A"),
        (Triple("a", "", "c"), "empty"),
        (Triple("a", "^r", "c"), r"begins with \^"),
        (Triple("a", "r", "\ud800"), "surrogate"),
    ],
)
def test_what_could_not_be_read_back_is_refused_and_leaves_no_file(tmp_path: Path, triple: Triple, said: str) -> None:
    good, path = Triple("x", "y", "z"), tmp_path / "t.tsv"
    path.write_text("before\n")
    with pytest.raises(BadInputError, match=said) as refused:
        write_triples(path, [[good], [good, triple]])
    assert "t.tsv" in str(refused.value)
    assert path.read_text() == "before\n", "what stood there stays"
    assert [found.name for found in tmp_path.iterdir()] == ["t.tsv"], "and nothing half-written lies beside it"


def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path: Path) -> None:
    real, link, pipe = tmp_path / "real.tsv", tmp_path / "link.tsv", tmp_path / "pipe"
    real.write_text("before\n")
    link.symlink_to(real)
    write_triples(link, [[Triple("a", "r", "b")]])
    assert (link.is_symlink(), real.read_text()) == (True, "a\tr\tb\n")
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    read: list[str] = []
    reader.start()
    write_triples(pipe, [[Triple("a", "r", "b")]])
    reader.join()
    assert (pipe.is_fifo(), read) == (True, ["a\tr\tb\n"])


def test_an_id_that_could_not_be_read_back(tmp_path: Path) -> None:
    for wrong in ("", "a\tb", "a\x00"):
        with pytest.raises(BadInputError, match="empty or holds a control character"):
            write_entities(tmp_path / "e.tsv", [Entity("fine", "x"), Entity(wrong, "x")])
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadInputError, match="cannot be written"):
        write_triples(tmp_path / "no" / "such" / "t.tsv", [])


def test_blocks_are_whole_lines_whatever_their_size(tmp_path: Path) -> None:
    lines = [f"line {number} " + "x" * (number % 50) for number in range(300)]
    (tmp_path / "t.tsv").write_text("\n".join(lines))  # no line feed at the end
    for size in (1, 7, 64, 10_000):
        blocks = list(Source(tmp_path / "t.tsv").blocks(size))
        assert all(block.endswith(b"\n") for block in blocks)
        assert b"".join(blocks).decode().split("\n")[:-1] == lines


def test_marks_and_encodings(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_bytes(b"\xef\xbb\xbfa\tb\tc\n")
    assert b"".join(Source(path).blocks()) == b"a\tb\tc\n", "a byte-order mark is left out"
    path.write_bytes("a\tb\tc\n".encode("utf-16"))
    with pytest.raises(BadInputError, match="UTF-16; save it as UTF-8"):
        list(Source(path).blocks())
    with pytest.raises(BadInputError, match=r"not UTF-8 \(byte 0xff at column 3\)"):
        decode(b"ab\xff", path, 4)
    assert decode("Köln".encode(), path, 1) == "Köln"
    path.write_bytes(b"")
    assert list(Source(path).blocks()) == []


def test_gzip_is_known_by_its_bytes_and_its_damage_is_named(tmp_path: Path) -> None:
    whole = gzip.compress(b"a\tb\tc\n" * 10_000)
    path = tmp_path / "t.tsv"  # zipped, though its name does not say so
    path.write_bytes(whole)
    source = Source(path)
    assert b"".join(source.blocks()) == b"a\tb\tc\n" * 10_000
    assert source.bytes_read == source.bytes_total == len(whole)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInputError, match="cut short; fetch or write it again"):
        list(Source(path).blocks())
    path.write_bytes(whole[:20] + b"\xa5" * 30 + whole[50:])
    with pytest.raises(BadInputError, match="damaged"):
        list(Source(path).blocks())
    named = tmp_path / "t.nt.gz"
    named.write_text("a b c")
    assert Source(named).suffix == ".nt"
    with pytest.raises(BadInputError, match=r"named \.gz but is not a gzip file"):
        list(Source(named).blocks())


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no such file"):
        Source(tmp_path / "nowhere.tsv")
    with pytest.raises(BadInputError, match="is a folder"):
        Source(tmp_path)


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv.gz"
    path.write_bytes(gzip.compress(b"x" * (MAX_LINE_BYTES + (4 << 20)), 1))
    with pytest.raises(BadInputError, match="a line is longer than"):
        list(Source(path).blocks())
