"""Parquet as tables, and what is said where it cannot be read."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

import pytest

from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.tables.reading import read_tables


def test_without_pyarrow_it_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"trivium\[parquet\]"):
        read_tables([tmp_path / "t.parquet"])


def test_values_lists_and_records(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {"id": 1, "name": "Ada", "born": dt.date(1999, 4, 1), "tags": ["a", "b"], "at": {"city": "Bern"}, "raw": b"x"},
        {"id": 2, "name": None, "born": None, "tags": [], "at": {"city": "Chur"}, "raw": None},
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "people.parquet")
    [table] = read_tables([tmp_path / "people.parquet"])
    assert (table.name, table.columns) == ("people", ("id", "name", "born", "tags", "at.city", "raw"))
    assert list(table.rows()) == [
        (("1",), ("Ada",), ("1999-04-01",), ("a", "b"), ("Bern",), ()),
        (("2",), (), (), (), ("Chur",), ()),
    ]
    (tmp_path / "broken.parquet").write_bytes((tmp_path / "people.parquet").read_bytes()[:80])
    with pytest.raises(BadInputError, match="Parquet"):
        read_tables([tmp_path / "broken.parquet"])


def test_timestamps_that_are_all_midnights_are_days(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {"id": 1, "debut": dt.datetime.fromisoformat("2004-04-06"), "seen": dt.datetime.fromisoformat("2004-04-06")},
        {"id": 2, "debut": None, "seen": dt.datetime.fromisoformat("2004-04-06T09:30")},
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "people.parquet")
    [table] = read_tables([tmp_path / "people.parquet"])
    assert [row[1:] for row in table.rows()] == [
        (("2004-04-06",), ("2004-04-06 00:00:00",)),
        ((), ("2004-04-06 09:30:00",)),
    ]
