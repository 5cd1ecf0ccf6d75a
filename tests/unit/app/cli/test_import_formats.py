"""`trivium import` of every format it names: each from a real file to an answer, each wrong file by its named error."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, parse, serialize

from tests.sparql_server import Reply, sparql_server
from tests.unit.app.cli.running import Trivium, refused

A = "http://a.org/"
TURTLE = f"""@prefix : <{A}> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:alien a :Film ; rdfs:label "Alien"@en, "Alien - Das unheimliche Wesen"@de ; :directed_by :scott ; :year 1979 .
:blade a :Film ; skos:prefLabel "Blade Runner" ; :directed_by :scott ; :year 1982 .
:heat a :Film ; rdfs:label "Heat" ; :directed_by :mann ; :year 1995 .
:scott a :Person ; rdfs:label "Ridley Scott" . :mann a :Person ; rdfs:label "Michael Mann" .
"""
TABLE = [
    {"id": "alien", "name": "Alien", "directed_by": "Ridley Scott", "year": 1979},
    {"id": "blade", "name": "Blade Runner", "directed_by": "Ridley Scott", "year": 1982},
    {"id": "heat", "name": "Heat", "directed_by": "Michael Mann", "year": 1995},
    {"id": "ali", "name": "Ali", "directed_by": "Michael Mann", "year": 2001},
]


def rdf(name: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        data = serialize(
            (quad.triple for quad in parse(TURTLE, format=RdfFormat.TURTLE)), format=getattr(RdfFormat, name)
        )
        assert data is not None
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)

    return write


def text(content: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(content)

    return write


def delimited(by: str, *, header: bool = True) -> Callable[[Path], None]:
    rows = [list(TABLE[0])] if header else []
    return text("".join(by.join(map(str, row)) + "\n" for row in [*rows, *(each.values() for each in TABLE)]))


def parquet(path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet as written

    written.write_table(pa.Table.from_pylist(TABLE), path)


TRIPLES = "Alien{0}directed_by{0}Ridley Scott\nBlade Runner{0}directed_by{0}Ridley Scott\nAlien{0}year{0}1979\n"
FORMATS = {
    "films.ttl": rdf("TURTLE"),
    "films.nt": rdf("N_TRIPLES"),
    "films.nq": rdf("N_QUADS"),
    "films.trig": rdf("TRIG"),
    "films.n3": rdf("N3"),
    "films.rdf": rdf("RDF_XML"),
    "films.owl": rdf("RDF_XML"),
    "films.jsonld": rdf("JSON_LD"),
    "films.nt.gz": rdf("N_TRIPLES"),
    "films.csv": delimited(","),
    "films.tsv": delimited("\t"),
    "semicolons.csv": delimited(";"),
    "films.json": text(json.dumps(TABLE)),
    "films.jsonl": text("".join(json.dumps(row) + "\n" for row in TABLE)),
    "films.parquet": parquet,
    "triples.tsv": text(TRIPLES.format("\t")),
    "triples.csv": text("head,relation,tail\n" + TRIPLES.format(",")),
    "bars.txt": text(TRIPLES.format("|")),
    "graph.jsonl": text(
        '{"head": "Alien", "relation": "directed_by", "tail": "Ridley Scott"}\n'
        '{"head": "Blade Runner", "relation": "directed_by", "tail": "Ridley Scott"}\n'
    ),
}


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_of_each_format_answers(trivium: Trivium, tmp_path: Path, name: str) -> None:
    FORMATS[name](tmp_path / name)
    said = trivium("import", name, "--out", "kg")
    assert said.code == 0, said.err
    assert (tmp_path / "mapping.toml").exists() == (said.out.count("rows") == 1)
    answer = trivium("ask", "--kg", "kg", "who directed Blade Runner?", "--json").json
    assert [each["label"] for each in answer["answers"]] == ["Ridley Scott"]
    again = trivium("import", name, "--out", "kg", "--json").json
    assert [again[key] for key in ("added", "removed", "changed", "renamed")] == [0, 0, 0, 0]


WRONG = {
    "missing.ttl": (None, "no such file"),
    "cut.ttl": ("@prefix : <http://a.org/> . :a :b ", "line 1"),
    "cut.nt": ("<http://a.org/a> <http://a.org/b> .\n", "line 1"),
    "cut.nq": ("<http://a.org/a> <http://a.org/b> <http://a.org/c> <g\n", "line 1"),
    "cut.trig": ("{ <http://a.org/a> ", "--skip-bad"),
    "cut.rdf": ("<rdf:RDF", "--skip-bad"),
    "html.owl": ("<html><body>Not found</body></html>", "RDF"),
    "cut.jsonld": ('{"@id": ', "--skip-bad"),
    "empty.ttl": ("", "contains no triples"),
    "empty.csv": ("", "no header"),
    "one.csv": ("name\nAlien\n", "no header"),
    "long.csv": ("id,name\n1,2,3\n", "line 2"),
    "twice.csv": ("id,name,name\n1,2,3\n", "two columns are named 'name'"),
    "cut.json": ('[{"a": 1}', "not JSON"),
    "numbers.json": ("[1, 2]", "contains no list of records"),
    "cut.jsonl": ('{"a": 1}\n{"a"\n', "line 2: not JSON"),
    "text.parquet": ("no parquet", "not a Parquet file"),
    "text.csv.gz": ("id,name\n", "not a gzip file"),
    "nodes.csv": ("id:ID,born:integer,:LABEL\n1,2,A\n", "unknown type 'integer'"),
    "latin.jsonl": (b'{"name": "Caf\xe9"}\n', "not UTF-8"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_named_and_leaves_nothing(trivium: Trivium, tmp_path: Path, name: str) -> None:
    content, words = WRONG[name]
    if content is not None:
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(trivium("import", name, "--out", "kg"), "BadInputError", name, words)
    assert not (tmp_path / "kg").exists()


def test_malformed_lines_are_left_out_on_request(trivium: Trivium, tmp_path: Path) -> None:
    (tmp_path / "bad.ttl").write_text("@prefix : <http://a.org/> .\n:a :b :c .\n:a :b <http://a.org/ d> .\n")
    refused(trivium("import", "bad.ttl", "--out", "kg"), "BadInputError", "line 3", "--skip-bad")
    said = trivium("import", "bad.ttl", "--out", "kg", "--skip-bad")
    assert (said.code, "1 malformed line skipped" in said.err) == (0, True)
    (tmp_path / "t.csv").write_text("name,age\nAnn,3\n")
    assert "--skip-bad is for files of triples" in trivium("import", "t.csv", "--out", "new", "--skip-bad").err


def test_a_graph_is_brought_up_to_date_and_says_what_changed(trivium: Trivium, tmp_path: Path) -> None:
    path = tmp_path / "films.ttl"
    path.write_text(TURTLE)
    said = trivium("import", path, "--out", "kg")
    assert "Types\nFilm\t3\tlabel or id\t\nPerson\t2\tlabel or id\t\n" in said.out
    assert f"{A}directed_by\trelation directed by\tFilm -> Person\t3\n" in said.out
    assert f"{A}year\tproperty year\tnumber\t3\n" in said.out
    assert set(trivium("import", path, "--out", "other", "--json").json) == {"entities", "relations", "triples", "hash"}
    path.write_text(TURTLE.replace(":year 1982", ":year 1983").replace('"Heat"', '"Heat (1995)"'))
    said = trivium("import", path, "--out", "kg")
    assert f"Added (1)\n{A}blade\t{A}year\t1983" in said.out
    assert f"Removed (1)\n{A}blade\t{A}year\t1982" in said.out
    assert "Renamed (1)\nHeat\tHeat (1995)" in said.out
    answer = trivium("ask", "--kg", "kg", "who directed Heat (1995)?", "--json").json
    assert [each["label"] for each in answer["answers"]] == ["Michael Mann"]


def test_changed_properties_of_a_relationship_come_in(trivium: Trivium, tmp_path: Path) -> None:
    line = '{"head": "Q2", "relation": "acted_in", "tail": "Q1", "properties": {"role": "%s"}}\n'
    (tmp_path / "g.jsonl").write_text(line % "Neo")
    assert trivium("import", "g.jsonl", "--out", "kg").code == 0
    (tmp_path / "g.jsonl").write_text(line % "Smith")
    again = trivium("import", "g.jsonl", "--out", "kg", "--json").json
    assert [again[key] for key in ("added", "removed", "changed")] == [0, 0, 1]
    trivium("kg", "export", "kg", "out.jsonl")
    assert '"Smith"' in (tmp_path / "out.jsonl").read_text()
    assert '"Neo"' not in (tmp_path / "out.jsonl").read_text()


def test_names_under_any_property(trivium: Trivium, tmp_path: Path) -> None:
    lines = "".join(f':f{n} :benaming "Werk {n}" ; :soort "boek" ; :maker :p{n % 3} .\n' for n in range(9))
    (tmp_path / "x.ttl").write_text(f"@prefix : <{A}> .\n{lines}")
    assert "3 of 12 entities have no name" in trivium("import", "x.ttl", "--out", "found").err
    assert trivium("kg", "find", "found", "Werk 3", "--json").json["entities"][0]["id"] == f"{A}f3"
    about = "A long text that says what the work is about, in words that nobody would call it by; number"
    more = "".join(f':g{n} :maker :p{n % 3} . :f{n} :about "{about} {n}" .\n' for n in range(9))
    (tmp_path / "x.ttl").write_text(f"@prefix : <{A}> .\n{lines}{more}")
    said = trivium("import", "x.ttl", "--out", "kg")
    assert "21 of 21 entities have no name" in said.err, "half of them have one: too few to take it for all"
    assert f"import again with --name-by {A}benaming" in said.err
    said = trivium("import", "x.ttl", "--out", "named", "--name-by", f"{A}benaming")
    assert trivium("kg", "find", "named", "Werk 3", "--json").json["entities"][0]["id"] == f"{A}f3"
    assert "12 of 21 entities have no name, they are called by the last part of their IRI; add" in said.err


def test_names_in_parts(trivium: Trivium, tmp_path: Path) -> None:
    people = [("Ann", "Bell", 1950, "Bath"), ("Ann", "Moss", 1952, "Rye"), ("Tom", "Bell", 1954, "Bath")] * 3
    lines = "".join(
        f':p{n} a :Person ; :given-name "{first}" ; :family-name "{last}{n // 3}" ; :born "{born + n}" .\n'
        f':p{n} :from :{place} . :q{n} :latitude "{50 + n}.5" .\n'
        for n, (first, last, born, place) in enumerate(people)
    )
    (tmp_path / "x.ttl").write_text(f"@prefix : <{A}> .\n{lines}")
    said = trivium("import", "x.ttl", "--out", "kg")
    assert "given name, family name" in said.out
    assert "latitude" not in said.err, "a number names nothing"
    found = trivium("kg", "find", "kg", "Ann Moss1", "--json").json["entities"]
    assert [each["id"] for each in found] == [f"{A}p4"]


def test_an_endpoint_answers_and_is_brought_up_to_date(trivium: Trivium, tmp_path: Path) -> None:
    with sparql_server(TURTLE) as served:
        dry = trivium("import", served.url, "--out", "kg", "--dry-run")
        assert f"{A}directed_by\t3\t0" in dry.out
        assert not (tmp_path / "kg").exists()
        assert trivium("import", served.url, "--out", "kg", "--page", 2).code == 0
        answer = trivium("ask", "--kg", "kg", "who directed Blade Runner?", "--json").json
        assert [each["label"] for each in answer["answers"]] == ["Ridley Scott"]
        served.store.update(f"DELETE DATA {{ <{A}heat> <{A}directed_by> <{A}mann> }}")
        again = trivium("import", served.url, "--out", "kg", "--json").json
        assert (again["added"], again["removed"]) == (0, 1)
        served.before = lambda query: Reply(500) if "year" in query else None
        refused(trivium("import", served.url, "--out", "new", "--page", 2), "QueryError", "500")
        assert (tmp_path / ".new.sparql").is_dir()
        served.before = lambda _: None
        assert "went on with a download" in trivium("import", served.url, "--out", "new", "--page", 2).err
    assert not list(tmp_path.glob(".*.sparql")), "the download is removed when the KG is whole"


def test_what_does_not_go_together(trivium: Trivium, tmp_path: Path) -> None:
    FORMATS["films.ttl"](tmp_path / "films.ttl")
    FORMATS["films.csv"](tmp_path / "films.csv")
    said = trivium("import", "films.ttl", "films.csv", "--out", "kg")
    refused(said, "UsageError", "films.ttl is a graph, films.csv a table", code=2)
    refused(trivium("import", "http://a.org/", "films.csv", "--out", "kg"), "UsageError", "alone", code=2)
    refused(trivium("import", "films.csv", "--out", "kg", "--name-by", A), "UsageError", "label", code=2)


def test_kg_build_reads_tables_too(trivium: Trivium, tmp_path: Path) -> None:
    FORMATS["films.csv"](tmp_path / "films.csv")
    said = trivium("kg", "build", "--out", "kg", "films.csv")
    assert said.code == 0, said.err
    assert "see mapping.toml" in said.err
    refused(trivium("kg", "build", "--out", "kg", "films.csv"), "KnowledgeBaseExistsError")
    for name, content in {"odd.tsv": "a\tb\tc\n1\t2\t3\t4\n", "four.tsv": "a\tb\tc\td\n1\t2\t3\n"}.items():
        (tmp_path / name).write_text(content)
        refused(trivium("kg", "build", "--out", "new", name), "BadInputError", name)


def test_types_of_what_is_added_are_called_as_in_the_kg(
    trivium: Trivium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prefixes = "@prefix : <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    classes = "".join(f':Kind{n} rdfs:label "{name}" .\n' for n, name in enumerate(("carpet", "lamp", "sofa"), 1))
    things = "".join(f':x{n} a :Kind{n % 3 + 1} ; rdfs:label "Thing {n}" ; :price {n} .\n' for n in range(6))
    Path("shop.ttl").write_text(prefixes + classes + things)
    Path("more.ttl").write_text(f'{prefixes}:y a :Kind2, :Kind9, :Other ; rdfs:label "Luxo" ; :price 7 .')
    assert trivium("import", "shop.ttl", "--out", "kg").code == 0
    assert trivium("kg", "add", "kg", "more.ttl").code == 0
    assert trivium("ask", "--kg", "kg", "how many lamps are there?", "--json").json["value"] == 3
    types = {line.split("\t")[0] for line in trivium("kg", "info", "kg").out.splitlines() if "\t" in line}
    assert {"lamp", "Kind9", "Other"} <= types
    assert "Kind2" not in types
