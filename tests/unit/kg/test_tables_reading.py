"""Tables in the shapes that users' files have: under titles, wrapped in JSON, in GeoJSON, databases and workbooks."""

from __future__ import annotations

import json
import sqlite3
import sys
import zipfile
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.tables.apply import Applied
from trivium.kg.tables.cells import SourceTable, cell_of
from trivium.kg.tables.guess import guess_mapping
from trivium.kg.tables.mapping import Mappings, TableColumn
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


def test_rows_that_end_in_a_delimiter_are_cut_by_it(tmp_path: Path) -> None:
    rows = "".join(f"{n},Flaw {n},see a;b;c;d {n},\n" for n in range(6))
    (table,) = _tables(tmp_path, flaws_csv=f"id,name,note\n{rows}")
    assert (table.columns, len(list(table.rows()))) == (("id", "name", "note"), 6)


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
    known = {"id", "name", "people"}
    for name, text in (
        ("towns.geojson", json.dumps({"type": "FeatureCollection", "features": features})),
        ("towns.json", json.dumps({"type": "FeatureCollection", "features": features})),
        ("towns.geojsonl", "".join(json.dumps(each) + "\n" for each in features)),
    ):
        (tmp_path / name).write_text(text)
        (table,) = read_tables([tmp_path / name])
        assert (table.name, set(table.columns)) == ("towns", {*known, "latitude", "longitude", "altitude"})
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
        assert [(row["latitude"], row["longitude"], row["altitude"]) for row in rows] == [
            (("46.95",), ("7.45",), ()),
            (("46.85",), ("9.53",), ("593",)),
            ((), (), ()),
        ]
    assert tmp_path / "towns.geojson" in files_of(tmp_path)


@pytest.mark.parametrize(("heights", "own", "found"), [((0, 0), {}, []), ((3, 0), {"altitude": 7}, ["7", "7"])])
def test_altitudes_of_geojson_are_none_where_all_are_0_or_features_say_their_own(
    tmp_path: Path, heights: tuple[int, int], own: dict[str, int], found: list[str]
) -> None:
    features = [
        {"type": "Feature", "properties": {"name": f"n{at}", **own},
         "geometry": {"type": "Point", "coordinates": [7.5, 46.9, height]}}
        for at, height in enumerate(heights)
    ]  # fmt: skip
    (path := tmp_path / "towns.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    (table,) = read_tables([path])
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
    assert ([row["altitude"][0] for row in rows] if found else table.columns) == (
        found or ("latitude", "longitude", "name")
    )


def test_hidden_files_of_a_folder_are_no_data(tmp_path: Path) -> None:
    for name in ("a.csv", "._a.csv", ".DS_Store", "~$book.xlsx", ".git/b.csv", "__MACOSX/c.csv", "in.d/e~$.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("id,name\n1,Ann\n")
    assert files_of(tmp_path) == [tmp_path / "a.csv", tmp_path / "in.d/e~$.csv"]
    assert files_of(tmp_path / ".git") == [tmp_path / ".git/b.csv"], "a hidden folder that is asked for"


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
    sets = {"A": [{"code": "A1", "size": 3}], "B": [{"code": "B1", "size": 4}, {"code": "B2", "size": 4}]}
    (table,) = _tables(tmp_path, sets_json=json.dumps(sets))
    assert (table.name, len(list(table.rows()))) == ("sets", 3)
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
    wrapped = {"data": rows}, {"3166-1": rows}, {"count": 2, "results": rows}, {"response": {"docs": rows, "found": 2}}
    for content in wrapped:
        assert [table.name for table in _tables(tmp_path, towns_json=json.dumps(content))] == ["towns"]
    assert [table.name for table in _tables(tmp_path, all_json=json.dumps({"towns": rows}))] == ["towns"]


ROWS = [("Bern", 134), ("Chur", 38), ("Sion", 35)]


@pytest.mark.parametrize(
    "content",
    [
        [["town", "people"], *map(list, ROWS)],
        {"columns": ["town", "people"], "index": [0, 1, 2], "data": list(map(list, ROWS))},
        {"town": [town for town, _ in ROWS], "people": [people for _, people in ROWS]},
        {
            "town": {str(n): town for n, (town, _) in enumerate(ROWS)},
            "people": {str(n): p for n, (_, p) in enumerate(ROWS)},
        },
        {"towns": [[str(n), {"town": town, "people": people}] for n, (town, people) in enumerate(ROWS)]},
        {"schema": {"fields": []}, "data": [{"town": town, "people": people} for town, people in ROWS]},
    ],
)
def test_tables_as_data_frames_and_lists_of_rows_are_written(tmp_path: Path, content: object) -> None:
    (table,) = _tables(tmp_path, towns_json=json.dumps(content))
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
    assert table.name == "towns"
    assert [(row["town"], row["people"]) for row in rows] == [((town,), (str(people),)) for town, people in ROWS]


@pytest.mark.parametrize(
    "content",
    [[["Paris", "France"], ["Lyon", "France"]], [[1, 2], [3, 4]], [["a", "b"], [1, 2, 3]], [["a", "a"], [1, 2]]],
)
def test_lists_of_lists_that_name_no_columns_are_no_table(tmp_path: Path, content: object) -> None:
    with pytest.raises(BadInputError, match="contains no list of records"):
        _tables(tmp_path, towns_json=json.dumps(content))


def test_a_record_of_lists_stays_one(tmp_path: Path) -> None:
    (table,) = _tables(
        tmp_path, ann_json=json.dumps({"name": "Ann", "likes": ["a", "b", "c"], "knows": ["d", "e", "f"]})
    )
    assert list(table.rows()) == [(("Ann",), ("a", "b", "c"), ("d", "e", "f"))]


def test_a_record_a_line_in_a_file_called_json(tmp_path: Path) -> None:
    (table,) = _tables(tmp_path, towns_json='{"name": "Bern"}\n{"name": "Chur"}\n')
    assert list(table.rows()) == [(("Bern",),), (("Chur",),)]


def test_a_dump_of_djangos_models_is_a_table_of_each(tmp_path: Path) -> None:
    def dumped(model: str, pk: int, **fields: object) -> dict[str, object]:
        return {"model": f"shop.{model}", "pk": pk, "fields": fields}

    dump = [
        *(dumped("author", n, name=f"Author {n}") for n in range(1, 4)),
        *(dumped("book", n, title=f"Book {n}", author=n % 3 + 1) for n in range(1, 7)),
        *(dumped("photo", n, title=f"Book {n}", book=n) for n in range(1, 7)),
        dumped("store", 1, name="Corner", books=[1, 2]),
    ]
    found = _mappings(tmp_path, dump_json=json.dumps(dump))
    assert list(found) == ["author", "book", "photo", "store"]
    assert [each.label for each in found.values()] == [("name",), ("title",), ("title",), ("name",)]
    assert found["book"].columns["author"].to == "author.id"
    assert found["store"].columns["books"].to == "book.id"


def test_records_of_several_kinds_are_a_table_of_each_unless_fields_name_several(tmp_path: Path) -> None:
    people = [{"type": "person", "id": f"p{n}", "name": f"Ann {n}", "born": 1990 + n} for n in range(4)]
    firms = [{"type": "firm", "id": f"f{n}", "name": f"Acme {n}", "revenue": n, "seat": "Bern"} for n in range(4)]
    assert [table.name for table in _tables(tmp_path, all_json=json.dumps(people + firms))] == ["person", "firm"]
    links = [{"type": "link", "id": f"l{n}", "source": f"p{n}", "of": f"{'pf'[n % 2]}{n}"} for n in range(4)]
    assert [table.name for table in _tables(tmp_path, all_json=json.dumps(people + firms + links))] == ["all"]
    alike = [{"type": "malware" if n % 2 else "tool", "id": n, "name": f"X {n}", "runs": "Linux"} for n in range(6)]
    assert [table.name for table in _tables(tmp_path, all_json=json.dumps(alike))] == ["all"]


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


MUSIC = """
create table Artist(ArtistId integer primary key, Name text);
create table Album(AlbumId integer primary key, Title text, Maker integer references artist(artistid),
                   Year int, Price real, Cover blob);
create table Song(SongId integer primary key, Title text, Of integer references Album, Seconds int);
create table Pair(a integer, b integer, foreign key (a, b) references Album(AlbumId, Maker));
create table Empty(x, y);
create virtual table search using fts5(body);
create view Names as select Name from Artist;
insert into Artist values (1, 'Ann Bell'), (2, 'Bob Cole'), (3, 'Cid Dorn');
insert into Album values (1, 'Alpha', 1, 1999, 9.5, x'00'), (2, 'Beta', 1, 2001, 10.0, null);
insert into Album values (3, 'Gamma', 3, 2001, 8, null);
insert into Song values (1, 'One', 2, 200), (2, 'Two', 2, 180);
insert into Pair values (1, 1);
insert into search values ('hello');
"""


@pytest.mark.parametrize("name", ["music.db", "music.sqlite", "music.dat"])
def test_a_database_is_its_tables_with_the_keys_that_it_declares(tmp_path: Path, name: str) -> None:
    with closing(sqlite3.connect(tmp_path / name)) as database:
        database.executescript(MUSIC)
    before = (tmp_path / name).read_bytes()
    tables = read_tables([tmp_path / name])
    assert [table.name for table in tables] == ["Artist", "Album", "Song", "Pair"]
    assert [row[3:] for row in tables[1].rows()] == [
        (("1999",), ("9.5",), ()),
        (("2001",), ("10",), ()),
        (("2001",), ("8",), ()),
    ]
    found = guess_mapping(tables)
    assert found["Album"].columns["Maker"] == TableColumn("maker", to="Artist.ArtistId"), "no word says so"
    assert found["Song"].columns["Of"].to == "Album.AlbumId", "the primary key where no column is named"
    assert tables[3].declared == {}, "a key of two columns is none of either"
    assert (tmp_path / name).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_database_without_rows_or_damaged_is_named(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "empty.db")) as database:
        database.executescript("create table a(b)")
    with pytest.raises(BadInputError, match=r"empty.db: is a database without a row"):
        read_tables([tmp_path / "empty.db"])
    (tmp_path / "text.db").write_text("no database at all, and long enough to have a page of its own" * 20)
    with pytest.raises(BadInputError, match=r"text.db: is no SQLite database"):
        read_tables([tmp_path / "text.db"])


def _workbook(path: Path, **sheets: list[list[object]]) -> Path:
    """Write a workbook as Excel does: numbers, texts, truth values, and days as numbers with a format."""

    def cell(value: object) -> str:
        match value:
            case None:
                return "<c/>"
            case bool():
                return f'<c t="b"><v>{int(value)}</v></c>'
            case date():
                return f'<c s="1"><v>{(value - date(1899, 12, 30)).days}</v></c>'
            case int() | float():
                return f"<c><v>{value}</v></c>"
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'

    main, rels = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://schemas.openxmlformats.org"
    own = f"{rels}/officeDocument/2006/relationships"
    with zipfile.ZipFile(path, "w") as book:
        listed = linked = ""
        for number, (name, rows) in enumerate(sheets.items(), 1):
            data = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
            book.writestr(
                f"xl/worksheets/{number}.xml", f'<worksheet xmlns="{main}"><sheetData>{data}</sheetData></worksheet>'
            )
            listed += f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
            linked += f'<Relationship Id="r{number}" Type="{own}/worksheet" Target="worksheets/{number}.xml"/>'
        linked += f'<Relationship Id="s" Type="{own}/styles" Target="styles.xml"/>'
        formats = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
        book.writestr("xl/styles.xml", f'<styleSheet xmlns="{main}">{formats}</styleSheet>')
        book.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{own}"><sheets>{listed}</sheets></workbook>'
        )
        packed = f'<Relationships xmlns="{rels}/package/2006/relationships">'
        book.writestr("xl/_rels/workbook.xml.rels", f"{packed}{linked}</Relationships>")
        office = f'<Relationship Id="w" Type="{own}/officeDocument" Target="xl/workbook.xml"/>'
        book.writestr("_rels/.rels", f"{packed}{office}</Relationships>")
        kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
        book.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{rels}/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/></Types>',
        )
    return path


def test_sheets_of_a_workbook_are_tables(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine", reason="the extra excel is not installed")
    towns: list[list[object]] = [
        ["Towns of 2020"], [], ["Town", "People", None, "Since", "Open"], [None, 2000, 2010, None, None],
        ["Bern", 1, 2.5, date(1991, 5, 1), True], ["Chur", 3, "n/a", date(1990, 1, 31), False],
        ["Sion", 5, 6, None, True],
    ]  # fmt: skip
    (table,) = read_tables([_workbook(tmp_path / "towns.xlsx", Sheet1=towns, Notes=[["Made by hand"]])])
    assert (table.name, table.columns) == ("towns", ("Town", "People 2000", "People 2010", "Since", "Open"))
    assert [row[1:] for row in table.rows()] == [
        (("1",), ("2.5",), ("1991-05-01",), ("true",)),
        (("3",), (), ("1990-01-31",), ("false",)),
        (("5",), ("6",), (), ("true",)),
    ]
    lakes: list[list[object]] = [
        ["Lake", "Town"],
        ["Thun", "Bern"],
        ["Lej", "Chur"],
        ["Moiry", "Sion"],
        ["Oeschi", "Bern"],
    ]
    tables = read_tables([_workbook(tmp_path / "places.xlsx", Sheet1=towns, Lakes=lakes)])
    assert [table.name for table in tables] == ["places Sheet1", "Lakes"]
    assert guess_mapping(tables)["Lakes"].columns["Town"].to == "places Sheet1.Town"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.sql", b"CREATE TABLE a (b int);\nINSERT INTO a VALUES (1);\n", "is SQL"),
        ("a.yaml", b"- name: x\n  b: 1\n", "is YAML"),
        ("a.zip", b"PK\x03\x04....", "is an archive"),
        ("a.csv", b"<!DOCTYPE html>\n<table><td>a,b</td>\n", "is a web page"),
        ("a.xlsx", b"no workbook", "is no workbook"),
    ],
)
def test_what_is_no_table_says_what_it_is(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    if name.endswith("xlsx"):
        pytest.importorskip("python_calamine", reason="the extra excel is not installed")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInputError, match=f"{name}: {said}"):
        read_tables([tmp_path / name])


def test_without_calamine_it_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(UsageError, match=r"pip install \"trivium\[excel\]\""):
        read_tables([_workbook(tmp_path / "towns.xlsx", Sheet1=[["a", "b"], [1, 2]])])


def test_a_workbook_without_a_table_is_named(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine", reason="the extra excel is not installed")
    with pytest.raises(BadInputError, match="has no sheet that is a table"):
        read_tables([_workbook(tmp_path / "notes.xlsx", Notes=[["Made by hand"], ["Twice"]])])


def test_the_header_of_one_column_behind_an_index_is_no_title(tmp_path: Path) -> None:
    path = tmp_path / "pay.csv"
    path.write_text('"","pay"\n"Ann",3\n"Bob",5\n')
    (table,) = read_tables([path])
    assert tuple(table.columns) == ("column 1", "pay")
    assert [cell for row in table.rows() for cell in row] == [("Ann",), ("3",), ("Bob",), ("5",)]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("Bell &amp; Cole", ("Bell & Cole",)),
        ("Caf&eacute;", ("Café",)),
        ("AT&T; R&D", ("AT&T; R&D",)),
        ("Paris[1][23]", ("Paris",)),
        ("1,234[note 2]", ("1,234",)),
        ("[1]", ("[1]",)),
        ("[[1],[2]]", ("[[1],[2]]",)),
        ("argv[0]", ("argv[0]",)),
        ("&nbsp;", ()),
    ],
)
def test_marks_of_web_pages_are_no_part_of_cells(text: str, cell: tuple[str, ...]) -> None:
    assert cell_of(text) == cell


def _json_rows(folder: Path, content: object) -> list[dict[str, tuple[str, ...]]]:
    (folder / "models.json").write_text(json.dumps(content))
    (table,) = read_tables([folder / "models.json"])
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows()]


def test_records_by_keys_in_groups_are_one_table(tmp_path: Path) -> None:
    makers = {
        "Ford": {"Focus": {"hp": 100}, "Puma": {"hp": 120}, "Ka": {"hp": 60}},
        "Fiat": {"Panda": {"hp": 70}},
        "Audi": {"A3": {"hp": 150}, "A4": {"hp": 160}},
    }
    rows = _json_rows(tmp_path, makers)
    assert len(rows) == 6
    assert rows[3] == {"key": ("Panda",), "hp": ("70",), "group": ("Fiat",)}


def test_tables_by_their_names_are_no_groups(tmp_path: Path) -> None:
    ports = {
        "ports": {"OSL": {"town": "Oslo"}, "BRN": {"town": "Bern"}, "KEF": {"town": "Kef"}},
        "lines": {"SK": {"seats": 5}, "FI": {"seats": 6}, "LX": {"seats": 7}},
        "crews": {"A": {"size": 1}, "B": {"size": 2}, "C": {"size": 3}},
    }
    (tmp_path / "ports.json").write_text(json.dumps(ports))
    assert [each.name for each in read_tables([tmp_path / "ports.json"])] == ["ports", "lines", "crews"]


def test_lists_of_texts_by_key_are_rows(tmp_path: Path) -> None:
    rows = _json_rows(tmp_path, {"Ford": ["Focus", "Ka"], "Fiat": ["Panda"], "Audi": ["A3"], "Opel": ["Corsa"]})
    assert rows[0] == {"key": ("Ford",), "models": ("Focus", "Ka")}
    assert len(rows) == 4


@pytest.mark.parametrize(
    ("last", "left"),
    [
        ("Total,35,9", 3),
        ("Grand Total:,35,", 3),
        (",Total,35,9", 3),
        ("Average,11.67,3", 3),
        ("Total,40,9", 3),  # one of two figures
        ("Total,40,12", 4),
        ("Total Ltd,35,9", 4),
        ("West,35,9", 4),
    ],
)
def test_a_row_that_adds_up_those_above_is_no_thing(tmp_path: Path, last: str, left: int) -> None:
    extra = "," if last.startswith(",") else ""
    text = f"{'Land,' if extra else ''}Region,Sales,Staff\n" + "".join(
        f"{'A,' if extra else ''}{row}\n" for row in ("North,10,3", "South,20,4", "East,5,2")
    )
    (tmp_path / "regions.csv").write_text(f"{text}{last}\n")
    (table,) = read_tables([tmp_path / "regions.csv"])
    assert len(list(table.rows())) == left
    assert len(list(table.rows())) == len(list(table.rows())), "at each reading"


def test_parts_say_whose_they_are_by_what_tells_the_records_apart(tmp_path: Path) -> None:
    apps = [
        {
            "slug": f"{name}-{at}".lower(),
            "name": name,
            "plans": [{"name": "Free", "price": 0}, {"name": "Pro", "price": at}],
        }
        for at, name in enumerate(("Miro", "Miro", "Abaco", "Bento"), 5)
    ]
    mappings = guess_mapping(tables := _tables(tmp_path, apps_json=json.dumps(apps)))
    plans = next(table for table in tables if table.name == "apps_plans")
    assert {row[0] for row in plans.rows()} == {("miro-5",), ("miro-6",), ("abaco-7",), ("bento-8",)}
    assert mappings["apps_plans"].columns["apps"].to == "apps.slug"
    alike = [{"name": "Miro", "plans": [{"title": "Pro", "price": at}]} for at in range(3)]
    *_, plans = _tables(tmp_path, same_json=json.dumps(alike))
    assert {row[0] for row in plans.rows()} == {("1",), ("2",), ("3",)}, "names that come again tell nothing"


def test_cells_of_names_in_several_languages_are_a_column_for_each(tmp_path: Path) -> None:
    foods = "code,food,local\n" + "\n".join(
        f"{code},{food},{local}"
        for code, food, local in [
            ("A1", "Ragi", '"H. Madua, Ragi; Tam. Kelvaragu."'),
            ("A2", "Bajra", '"A., H. Bajra; Tam. Kambu."'),
            ("A3", "Barley", '"H. Jau; Kan. Jave; Tam. Arisi (white)."'),
            ("A4", "Jowar", '"H. Jowar; Tam. Cholam."'),
            ("A5", "Rice", '"H. Chawal; Kan. Akki; Tam. Arisi."'),
        ]
    )
    languages = "lang,abbr\nAssamese,A.\nHindi,H.\nKannada,Kan.\nTamil,Tam.\n"
    tables = _tables(tmp_path, foods_csv=foods, languages_csv=languages)
    mappings = guess_mapping(tables)
    assert mappings["foods"].columns["Tamil label"] == TableColumn("tamil label", "text")
    applied = Applied(tables, mappings)
    facts = {(each.head, each.relation, str(each.tail)) for batch in applied.batches() for each in batch}
    assert {("foods/A1", "hindi label", "Madua"), ("foods/A1", "hindi label", "Ragi")} <= {
        (f"foods/{head[-2:]}", *rest) for head, *rest in facts
    }
    assert {tail for _, relation, tail in facts if relation == "assamese label"} == {"Bajra"}
    (ragi,) = [each for each in applied.entities() if each.label == "Ragi"]
    assert set(ragi.aliases) >= {"Madua", "Kelvaragu"}


def test_other_lists_are_no_names_in_languages(tmp_path: Path) -> None:
    rows = "".join(f"n{n},H. {n}; note: x; see. y\n" for n in range(8))
    (table,) = _tables(tmp_path, notes_csv="name,text\n" + rows)
    assert table.columns == ("name", "text")
