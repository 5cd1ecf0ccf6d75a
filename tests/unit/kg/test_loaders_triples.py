"""`read_triples`: every format, what is refused and how it is said, what `skip_bad` passes over."""

import gzip
import random
from pathlib import Path

import pytest

from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import delimited, read_triples
from trivium.kg.loaders.delimited import TripleColumns, split_line
from trivium.kg.loaders.skips import KEEP, SkipLog
from trivium.kg.streams import drain
from trivium.kg.types import Triple, ValueText

ALIEN = [Triple("Alien", "directed_by", "Ridley Scott"), Triple("Alien", "has_genre", "Horror, mostly")]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path: Path, *, skip_bad: bool = False) -> list[Triple]:
    return [triple for batch in read_triples(path, skip_bad=skip_bad) for triple in batch]


@pytest.mark.parametrize(
    "content",
    [
        "Alien\tdirected_by\tRidley Scott\nAlien\thas_genre\tHorror, mostly\n",
        "Alien|directed_by|Ridley Scott\nAlien|has_genre|Horror, mostly",
        'Alien,directed_by,Ridley Scott\nAlien,has_genre,"Horror, mostly"\n',
        "Alien\tdirected_by\tRidley Scott\r\nAlien\thas_genre\tHorror, mostly\r\n",
        "\ufeffAlien\tdirected_by\tRidley Scott\n\n   \nAlien\thas_genre\tHorror, mostly\n\n",
        "Head\tRelation\tTail\nAlien\tdirected_by\tRidley Scott\nAlien\thas_genre\tHorror, mostly\n",
    ],
    ids=["tab", "bar", "comma", "crlf", "mark-and-blank-lines", "header"],
)
def test_one_graph_in_every_delimited_shape(tmp_path: Path, content: str) -> None:
    assert read(write(tmp_path / "a.txt", content)) == ALIEN
    assert read(write(tmp_path / "b.txt.gz", gzip.compress(content.encode()))) == ALIEN


def test_a_field_is_taken_to_the_letter(tmp_path: Path) -> None:
    found = read(write(tmp_path / "a.tsv", ' a "b" \tr|s, t\t \u00a0c\u0085\n'))
    assert found == [Triple(' a "b" ', "r|s, t", " \u00a0c\u0085")]
    assert all(type(triple) is Triple for triple in found)


def test_the_fast_and_the_slow_road_agree(tmp_path: Path) -> None:
    rng = random.Random(7)
    names = ["Alien", "Blade Runner", "Amélie", "七人の侍", "a,b", "x|y", "'q'", "r\u00a0s"]
    rows = [(rng.choice(names), f"r{rng.randrange(9)}", rng.choice(names)) for _ in range(2000)]
    text = "".join("\t".join(row) + "\n" for row in rows)
    slow = read(write(tmp_path / "slow.tsv", text + "\n"))  # a blank line sends the block down the slow road
    assert not delimited.is_regular((text + "\n").encode(), "\t")
    assert delimited.is_regular(text.encode(), "\t")
    assert read(write(tmp_path / "fast.tsv", text)) == slow == [Triple(*row) for row in rows]


def test_lines_are_whole_across_blocks_and_counters_add_up(tmp_path: Path) -> None:
    path = write(tmp_path / "big.tsv", "".join(f"entity {i}\trelation\tentity {i + 1}\n" for i in range(150_000)))
    reader = read_triples(path)
    batches = list(reader)
    assert len(batches) > 1
    assert [triple.head for batch in batches for triple in batch] == [f"entity {i}" for i in range(150_000)]
    assert (reader.lines, reader.skipped.count) == (150_000, 0)
    assert reader.bytes_read == reader.bytes_total == path.stat().st_size
    assert sum(map(len, reader)) == 150_000, "a second pass reads the file again"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"only one column", "found 1 field,"),
        (b"a\tr\tb\tc", "found 4 fields"),
        (b"a\t\tb", "the relation is empty"),
        (b"\tr\tb", "the head is empty"),
        (b"a\tr\t", "the tail is empty"),
        (b"a\t^r\tb", "begins with ^"),
        (b"a\tr\tb\x00c", "U+0000"),
        (b"a\tr\tb\rc", "U+000D"),
        (b"a\x7f\tr\tb", "U+007F"),
        (b"a\tr\t\xff\xfe", "not UTF-8 (byte 0xff at column 5)"),
    ],
)
def test_a_malformed_line_is_refused_by_name_or_skipped(tmp_path: Path, line: bytes, said: str) -> None:
    path = write(tmp_path / "a.tsv", b"a good\tline\tcomes first\n\n" + line + b"\nz\tr\tz\n")
    with pytest.raises(BadInputError) as caught:
        read(path)
    assert (caught.value.path, caught.value.line) == (path, 3)
    assert said in str(caught.value)
    reader = read_triples(path, skip_bad=True)
    assert list(reader) == [[Triple("a good", "line", "comes first"), Triple("z", "r", "z")]]
    assert (reader.skipped.count, reader.skipped.first[0].line, reader.lines) == (1, 3, 4)


def test_the_message_shows_the_line_and_the_way_out(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "x" * 500 + "\n")
    with pytest.raises(BadInputError, match="--skip-bad") as caught:
        read(path)
    assert "expected head, relation and tail" in str(caught.value)
    assert len(str(caught.value)) < 300 + len(str(path))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"head,relation,tail\n", gzip.compress(b"")])
def test_a_file_without_a_triple_is_refused(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path / "a.tsv", content)
    for skip_bad in (False, True):
        with pytest.raises(BadInputError, match="contains no triples"):
            read(path, skip_bad=skip_bad)


def test_a_file_of_bad_lines_alone_is_refused_with_the_first(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "one\ntwo\n")
    with pytest.raises(BadInputError, match="2 malformed lines skipped") as caught:
        read(path, skip_bad=True)
    assert "line 1" in str(caught.value)


def test_missing_files_and_folders_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no such file"):
        read_triples(tmp_path / "none.tsv")
    with pytest.raises(BadInputError, match="is a folder"):
        read_triples(tmp_path)


def test_utf16_and_broken_gzip_are_named(tmp_path: Path) -> None:
    whole = gzip.compress(random.Random(1).randbytes(5000).hex().encode() * 50)
    cases = {
        "utf16.tsv": ("a\tr\tb\n".encode("utf-16"), "UTF-16"),
        "cut.tsv.gz": (whole[:-500], "cut short"),
        "flipped.tsv.gz": (whole[:3000] + b"\x00" * 200 + whole[3200:], "damaged"),
        "plain.tsv.gz": (b"a\tr\tb\n", "not a gzip file"),
    }
    for name, (content, said) in cases.items():
        with pytest.raises(BadInputError, match=said) as caught:
            read(write(tmp_path / name, content), skip_bad=True)
        assert name in str(caught.value)


def test_an_endless_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "zeros.tsv"
    with path.open("wb") as file:
        file.truncate(40 << 20)
    with pytest.raises(BadInputError, match="longer than") as caught:
        read(path)
    assert caught.value.path == path


def test_quotes_belong_to_the_text_where_no_comma_separates(tmp_path: Path) -> None:
    content = 'junk\n"Weird Al"\tsings\t"Eat It"\n5" disk\tmade_by\tShugart\n'
    expected = [Triple('"Weird Al"', "sings", '"Eat It"'), Triple('5" disk', "made_by", "Shugart")]
    assert read(write(tmp_path / "quotes.tsv", content), skip_bad=True) == expected
    assert split_line('5" disk\tmade_by\t"x', "\t") == ['5" disk', "made_by", '"x']


def test_an_open_quote_is_malformed_and_skip_bad_finds_the_delimiter_later(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'junk\na,r,"open\na,r,"""b"""\n')
    assert read(path, skip_bad=True) == [Triple("a", "r", '"b"')]
    with pytest.raises(BadInputError, match="a quote is not closed") as caught:
        read(write(tmp_path / "b.csv", 'a,r,b\na,r,"open\n'))
    assert caught.value.line == 2


def test_skips_keep_the_first_few_only() -> None:
    skips = SkipLog(allowed=True)
    for number in range(20):
        skips.take(BadInputError("bad", path="f", line=number))
    assert (skips.count, len(skips.first)) == (20, KEEP)
    assert str(skips) == "20 malformed lines skipped"


def test_triples_as_columns_are_a_sequence_of_triples(tmp_path: Path) -> None:
    path = tmp_path / "triples.tsv"
    path.write_text("a\tknows\tb\nb\tknows\tc\nc\tlikes\ta\n")
    (columns,) = read_triples(path)
    assert isinstance(columns, TripleColumns)
    rows = [Triple("a", "knows", "b"), Triple("b", "knows", "c"), Triple("c", "likes", "a")]
    assert list(columns) == rows
    assert all(type(row) is Triple for row in columns)
    assert (columns[1], list(columns[1:]), len(columns)) == (rows[1], rows[1:], 3)
    # Among batches of other kinds, in order, repeats dropped.
    build(tmp_path / "kg", [rows[:1], columns, iter([Triple("d", "likes", ValueText("3"))]), columns[:0], columns])
    store = EmbeddedStore.open(tmp_path / "kg")
    assert [row for batch in drain(store.triples()) for row in batch] == [*rows, Triple("d", "likes", "3")]
    store.close_now()
