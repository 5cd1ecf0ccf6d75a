"""A text file, plain or gzip, read in big blocks of whole lines; every failure becomes a `BadInputError`."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from trivium.kg.errors import BadInputError
from trivium.kg.files import open_file

BLOCK_BYTES = 2 << 20
"""About 50,000 lines of a usual KG."""

MAX_LINE_BYTES = 16 << 20
"""A longer line is not a text table; reading on would fill the memory."""

UNPACKED_TIMES, UNPACKED_BYTES = 200, 256 << 20
"""A gzip file beyond both is taken for a bomb: tables of triples pack 5 to 30 times, gzip 1,032 at most."""

_BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""The byte-order marks of UTF-16, little and big end first."""
_GZIP = b"\x1f\x8b"


class Source:
    """One input file.

    Attributes:
        path: the file.
        bytes_total: its size in bytes as stored (compressed where it is); 0 for a pipe.

    Raises:
        BadInputError: the file is missing, unreadable or a folder.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._raw: io.BufferedReader | None = None
        with reading(self.path):
            self.bytes_total = self.path.stat().st_size
        if self.path.is_dir():
            raise BadInputError("is a folder, not a file", path=self.path)

    @property
    def suffix(self) -> str:
        """The file's extension in lower case, `.gz` left out: `.nt`, `.ttl`, `.tsv`."""
        return Path(self.path.name.lower().removesuffix(".gz")).suffix

    @property
    def bytes_read(self) -> int:
        """How many of `bytes_total` have been read; for progress."""
        if self._raw is None:
            return 0
        if self._raw.closed:
            return self.bytes_total
        return self._raw.tell() if self._raw.seekable() else 0

    @contextmanager
    def open(self, *, utf16: bool = False) -> Iterator[BinaryIO]:
        """The file's bytes, decompressed, a byte-order mark left out; gzip is known by its first two bytes.

        UTF-16 is refused, or, with `utf16`, passed on with its mark.
        """
        with reading(self.path), open_file(self.path, "rb") as raw:
            assert isinstance(raw, io.BufferedReader)
            self._raw = raw
            # By its bytes: files lose a .gz from their name on the way. One that has the name alone was mislabeled.
            if raw.peek(2)[:2] == _GZIP:
                with _Unzipped(raw, self) as unzipped:
                    self._skip_mark(unzipped, utf16=utf16)
                    yield cast("BinaryIO", unzipped)
            elif self.path.suffix.lower() == ".gz":
                raise BadInputError("is named .gz but is not a gzip file", path=self.path)
            else:
                self._skip_mark(raw, utf16=utf16)
                yield raw

    def blocks(self, size: int = BLOCK_BYTES) -> Generator[bytes]:
        """The file in blocks of whole lines, each ending in a line feed."""
        with self.open() as file:
            rest = b""
            while chunk := file.read(size):
                # Whole lines only: a block that ends within a letter of several bytes could not be decoded.
                cut = chunk.rfind(b"\n") + 1
                if cut:
                    yield rest + chunk[:cut]
                rest = chunk[cut:] if cut else rest + chunk
                if len(rest) > MAX_LINE_BYTES:
                    raise BadInputError(f"a line is longer than {MAX_LINE_BYTES:,} bytes", path=self.path)
            if rest:
                yield rest + b"\n"

    def _skip_mark(self, file: io.BufferedReader | gzip.GzipFile, *, utf16: bool) -> None:
        start = file.peek(len(_BOM))
        if start[:2] in UTF16 and not utf16:
            raise BadInputError("is UTF-16; save it as UTF-8", path=self.path, line=1)
        if start.startswith(_BOM):
            file.read(len(_BOM))


class _Unzipped(gzip.GzipFile):
    """A gzip file that is not read on where it unpacks to what no table packs so well."""

    def __init__(self, raw: io.BufferedReader, source: Source) -> None:
        super().__init__(fileobj=raw)
        self._source, self._unpacked = source, 0

    def read(self, size: int | None = -1) -> bytes:
        """As of any file; `BadInputError` for a bomb."""
        data = super().read(size)
        self._unpacked += len(data)
        if self._unpacked > UNPACKED_BYTES and self._unpacked > UNPACKED_TIMES * max(self._source.bytes_read, 1):
            what = f"unpacks to more than {UNPACKED_TIMES} times its size, which no table does"
            raise BadInputError(f"{what}; unpack it yourself if it is one", path=self._source.path)
        return data


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the errors of opening, reading and decompressing `path` into `BadInputError`."""
    try:
        yield
    except FileNotFoundError as error:
        raise BadInputError("no such file", path=path) from error
    except EOFError as error:
        raise BadInputError("the gzip file is cut short; fetch or write it again", path=path) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BadInputError(f"the gzip file is damaged ({error}); fetch or write it again", path=path) from error
    except OSError as error:
        raise BadInputError(f"cannot be read ({error.strerror or error})", path=path) from error


def decode(line: bytes, path: Path, number: int) -> str:
    """A line as UTF-8 text; raises `BadInputError` naming the first byte that is not."""
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        what = f"not UTF-8 (byte 0x{line[error.start]:02x} at column {error.start + 1}); convert the file to UTF-8"
        raise BadInputError(what, path=path, line=number) from error
