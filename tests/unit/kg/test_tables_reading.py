"""Tables in the shapes that users' files have: under titles and comments, wrapped in JSON, as GeoJSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trivium.kg.errors import BadInputError
from trivium.kg.tables.apply import Applied
from trivium.kg.tables.cells import SourceTable
from trivium.kg.tables.guess import guess_mapping
from trivium.kg.tables.mapping import Mappings
from trivium.kg.tables.reading import files_of, read_tables

TOWNS = "Bern,120,3\nChur,45,2\nSion,30,9\n"


def _tables(folder: Path, **files: str) -> list[SourceTable]:
    paths = [folder / name.replace("_", ".") for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    return read_tables(paths)


def _mappings(folder: Path, **files: str) -> Mappings:
    return guess_mapping(_tables(folder, **files))


@pytest.mark.parametrize(
    "above",
    [
        "Table 3: Towns\n\n",
        "Table 3: Towns,,\n,,\n",
        "# Towns, with people in thousands, by canton\n#\n",
        "// Towns\n",
        "\n\n",
    ],
)
def test_titles_and_comments_above_a_header_are_passed_over(tmp_path: Path, above: str) -> None:
    (table,) = _tables(tmp_path, towns_csv=f"{above}Town,People,Area\n{TOWNS}")
    assert table.columns == ("Town", "People", "Area")
    assert [row[0] for row in table.rows()] == [("Bern",), ("Chur",), ("Sion",)]


def test_the_last_comment_is_the_header_where_nothing_else_names_columns(tmp_path: Path) -> None:
    rows = "CH\tEurope/Zurich\nFR\tEurope/Paris\tno\n#@ an old line\nAT\tEurope/Vienna\n"
    zones = f"# Zones by country\n#codes\tzone\tnote\n{rows}"
    (table,) = _tables(tmp_path, zones_tab=zones)
    assert table.columns == ("codes", "zone", "note")
    assert [row[1] for row in table.rows()] == [("Europe/Zurich",), ("Europe/Paris",), ("Europe/Vienna",)]
    (table,) = _tables(tmp_path, towns_csv=f"# Town, people, area\nTown,People,Area\n{TOWNS}")
    assert table.columns == ("Town", "People", "Area"), "a header above numbers names the columns itself"


def test_a_column_may_be_called_by_the_sign_of_comments(tmp_path: Path) -> None:
    (table,) = _tables(tmp_path, cards_csv="#,Name\n1,Ace\n#2,King\n")
    assert (table.columns, len(list(table.rows()))) == (("#", "Name"), 2)


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("Town,Population,,Area\n,2000,2010,km2\n", ("Town", "Population 2000", "Population 2010", "Area km2")),
        ("Town,Cows,Cows,Goats\n,male,female,all\n", ("Town", "Cows male", "Cows female", "Goats all")),
        ("Town,People,Cows,Area\n,thousand,,km2\n", None),
        ("Town,Height,Depth,Area\n,m,m,km2\n", ("Town", "Height m", "Depth m", "Area km2")),
    ],
)
def test_a_header_of_two_rows(tmp_path: Path, header: str, columns: tuple[str, ...] | None) -> None:
    rows = "Bern,1,2,3\nChur,4,5,6\nSion,7,8,9\n"
    (table,) = _tables(tmp_path, towns_csv=header + rows)
    assert table.columns == (columns or tuple(header.splitlines()[0].split(",")))
    assert len(list(table.rows())) == (3 if columns else 4)


def test_a_first_row_with_marks_among_numbers_is_no_header(tmp_path: Path) -> None:
    (table,) = _tables(tmp_path, food_csv="Food,Fat,Fiber\nMilk,t,NA\nBread,1,2\nRice,2,t\nOats,4,5\n")
    assert table.columns == ("Food", "Fat", "Fiber")
    (table,) = _tables(tmp_path, gaps_csv="Food,,Fat\nMilk,2000,1\nBread,2001,2\nRice,2002,3\nOats,2003,4\n")
    assert table.columns == ("Food", "column 2", "Fat")


def test_a_table_without_a_header_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"iris.csv, line 1: has no header: its first line holds values \(5.1\)"):
        _tables(tmp_path, iris_csv="5.1,3.5,setosa\n4.9,3.0,setosa\n4.7,3.2,setosa\n4.6,3.1,setosa\n")


def test_geojson_is_a_table_of_its_features(tmp_path: Path) -> None:
    features = [
        {"type": "Feature", "id": name[:2], "properties": {"name": name, "people": people},
         "geometry": {"type": kind, "coordinates": place}}
        for name, people, kind, place in [
            ("Bern", 134, "Point", [7.45, 46.95]), ("Chur", 38, "Point", [9.53, 46.85, 593]),
            ("Sion", 35, "Polygon", [[[7.3, 46.2], [7.4, 46.2], [7.4, 46.3], [7.3, 46.2]]]),
        ]
    ]  # fmt: skip
    for name, text in (
        ("towns.geojson", json.dumps({"type": "FeatureCollection", "features": features})),
        ("towns.json", json.dumps({"type": "FeatureCollection", "features": features})),
        ("towns.geojsonl", "".join(json.dumps(each) + "\n" for each in features)),
    ):
        (tmp_path / name).write_text(text)
        (table,) = read_tables([tmp_path / name])
        assert (table.name, set(table.columns)) == ("towns", {"id", "name", "people", "latitude", "longitude"})
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
        assert [(row["latitude"], row["longitude"]) for row in rows] == [
            (("46.95",), ("7.45",)),
            (("46.85",), ("9.53",)),
            ((), ()),
        ]
    assert tmp_path / "towns.geojson" in files_of(tmp_path)


def test_pairs_of_coordinates_are_latitude_and_longitude(tmp_path: Path) -> None:
    ports = [
        {"name": "Ajman", "coordinates": [55.5, 25.4], "size": [3, 4], "seat": {"latlng": [25.1, 55.2]}},
        {"name": "Tuas", "coordinates": [103.6, 1.3], "size": [3, 9], "seat": {"latlng": [1.2, 103.1]}},
        {"name": "Nowhere", "coordinates": [1, 103.6], "size": [1, 1]},
    ]
    (table,) = _tables(tmp_path, ports_json=json.dumps(ports))
    first, _, last = (dict(zip(table.columns, row, strict=True)) for row in table.rows())
    assert (first["latitude"], first["longitude"], first["size"]) == (("25.4",), ("55.5",), ("3", "4"))
    assert (first["seat.latitude"], first["seat.longitude"]) == (("25.1",), ("55.2",))
    assert last["coordinates"] == ("1", "103.6"), "no latitude is beyond 90 degrees"


def test_lists_of_records_by_many_keys_are_one_table(tmp_path: Path) -> None:
    laws = {
        f"{state} Code": [{"cite": f"{state}-{n}", "year": 1900 + n} for n in range(2)] for state in map(str, range(12))
    }
    (table,) = _tables(tmp_path, laws_json=json.dumps(laws))
    assert (table.name, table.columns, len(list(table.rows()))) == ("laws", ("key", "cite", "year"), 24)
    tables = _tables(
        tmp_path, shop_json=json.dumps({"orders": [{"id": 1, "of": 2}], "goods": [{"id": 2, "name": "x"}]})
    )
    assert [table.name for table in tables] == ["orders", "goods"]


def test_texts_by_many_keys_are_rows(tmp_path: Path) -> None:
    states = {f"S{number}": f"State {number}" for number in range(25)}
    mapping = _mappings(tmp_path, states_json=json.dumps(states))["states"]
    assert (mapping.type, mapping.id, mapping.label) == ("state", "key", ("name",))
    (table,) = _tables(tmp_path, one_json=json.dumps({"name": "Ada", "born": "1815", "died": "1852"}))
    assert (table.columns, len(list(table.rows()))) == (("name", "born", "died"), 1)


def test_a_list_is_called_as_the_file_where_its_key_says_nothing(tmp_path: Path) -> None:
    rows = [{"name": "Bern"}, {"name": "Chur"}]
    for content in ({"data": rows}, {"count": 2, "results": rows}, {"response": {"docs": rows, "found": 2}}):
        assert [table.name for table in _tables(tmp_path, towns_json=json.dumps(content))] == ["towns"]
    assert [table.name for table in _tables(tmp_path, all_json=json.dumps({"towns": rows}))] == ["towns"]


def test_a_record_a_line_in_a_file_called_json(tmp_path: Path) -> None:
    (table,) = _tables(tmp_path, towns_json='{"name": "Bern"}\n{"name": "Chur"}\n')
    assert list(table.rows()) == [(("Bern",),), (("Chur",),)]


def test_an_object_that_only_says_what_is_there_is_a_list(tmp_path: Path) -> None:
    blocks = [
        {"name": name, "tools": dict.fromkeys(tools, True)} for name, tools in (("a", "12"), ("b", "234"), ("c", "5"))
    ]
    inns = [
        {"name": "x", "has": {"bar": True, "pool": False, "spa": True, "gym": True}},
        {"name": "y", "has": {"bar": True}},
    ]
    blocks_, inns_ = _tables(tmp_path, blocks_json=json.dumps(blocks), inns_json=json.dumps(inns))
    assert [dict(zip(blocks_.columns, row, strict=True))["tools"] for row in blocks_.rows()] == [
        ("1", "2"),
        ("2", "3", "4"),
        ("5",),
    ]
    assert "has.pool" in inns_.columns


def test_tables_about_each_other_in_a_ring_are_things_of_their_own(tmp_path: Path) -> None:
    files = {
        "one_csv": "green_id,x\nA,1\nB,2\nC,3\nD,4\nE,5\n",
        "green_csv": "blue_id,y\nA,1\nB,2\nC,3\nD,4\nE,5\n",
        "blue_csv": "one_id,z\nA,1\nB,2\nC,3\nD,4\nE,5\n",
    }
    tables = _tables(tmp_path, **files)
    mappings = guess_mapping(tables)
    assert any(not each.about for each in mappings.values())
    applied = Applied(tables, mappings)
    assert [triple for batch in applied.batches() for triple in batch]
