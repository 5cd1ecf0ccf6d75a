"""Columns of 1 and 0, and of marks: which say yes and no, and which count or code."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from trivium.kg.tables.apply import Applied
from trivium.kg.tables.guess import guess_mapping
from trivium.kg.tables.mapping import TableColumn
from trivium.kg.tables.reading import read_tables
from trivium.kg.types import Triple, ValueText

ROWS = 24


def _columns(folder: Path, header: str, *cells: str, rows: int = ROWS, **others: str) -> dict[str, TableColumn]:
    """What columns of hotels become whose rows repeat these cells."""
    lines = (f"Hotel {chr(65 + number)},{cells[number % len(cells)]}\n" for number in range(rows))
    others["hotels"] = f"name,{header}\n" + "".join(lines)
    for name, text in others.items():
        (folder / f"{name}.csv").write_text(text)
    tables = read_tables([folder / f"{name}.csv" for name in others])
    return dict(guess_mapping(tables)["hotels"].columns)


def test_what_a_hotel_has_or_has_not(tmp_path: Path) -> None:
    columns = _columns(tmp_path, "sauna,pool", "1,1.0", "0,0.0", "1,0.0")
    assert columns == {each: TableColumn(each, "boolean", read="1/0") for each in ("sauna", "pool")}


@pytest.mark.parametrize("name", ["is_open", "hasSauna", "sauna_flag", "allows pets"])
def test_what_a_name_asks_is_a_truth_in_few_rows(tmp_path: Path, name: str) -> None:
    assert _columns(tmp_path, name, "1", "0", rows=4)[name].kind == "boolean"
    assert _columns(tmp_path, name, "0", rows=4)[name].kind == "boolean", "none of them"


@pytest.mark.parametrize(
    "name", ["suites", "number_of_suites", "guest_sex", "status", "x1", "stage", "level", "chain", "suite_count"]
)
def test_numbers_of_things_and_codes_are_none(tmp_path: Path, name: str) -> None:
    chains = "chain,town\n0,Bern\n1,Basel\n2,Biel\n3,Brig\n"
    assert _columns(tmp_path, name, "1", "0", chains=chains)[name].kind != "boolean"


def test_few_rows_or_one_figure_show_nothing(tmp_path: Path) -> None:
    assert _columns(tmp_path, "sauna", "1", "0", rows=10)["sauna"].kind == "number"
    assert _columns(tmp_path, "sauna", "1")["sauna"].kind == "number"
    assert _columns(tmp_path, "sauna", "1", "0", "2")["sauna"].kind == "number"


def test_what_a_column_beside_it_counts_it_counts_too(tmp_path: Path) -> None:
    columns = _columns(tmp_path, "single_room,double_room,pool", "1,4,1", "0,12,0")
    assert [each.kind for each in columns.values()] == ["number", "number", "boolean"]


def test_a_database_says_it(tmp_path: Path) -> None:
    path = tmp_path / "inn.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE room (name TEXT, sauna BOOLEAN, beds INTEGER, open TINYINT(1))")
        database.executemany("INSERT INTO room VALUES (?, ?, ?, ?)", [("Attic", 1, 1, 0), ("Cellar", 0, 0, 0)])
        database.commit()
    columns = guess_mapping(read_tables([path]))["room"].columns
    assert [columns[name].kind for name in ("sauna", "beds", "open")] == ["boolean", "number", "boolean"]


def test_marks_say_yes_and_no_mark_no(tmp_path: Path) -> None:
    columns = _columns(tmp_path, "sauna,stars", "x,3", ",4", "X,5")
    assert columns["sauna"] == TableColumn("sauna", "boolean", read="x")
    applied = Applied(tables := read_tables([tmp_path / "hotels.csv"]), guess_mapping(tables))
    said = [each for batch in applied.batches() for each in batch if each.relation == "sauna"]
    assert said[:2] == [
        Triple("hotel/Hotel A", "sauna", ValueText("true", "boolean")),
        Triple("hotel/Hotel B", "sauna", ValueText("false", "boolean")),
    ]
    assert len(said) == ROWS
