"""Neo4j's exports: what a header says holds, labels are types, properties of nodes and relationships are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.app.cli.running import Trivium, refused
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import is_graph_export, read_triples
from trivium.kg.types import Entity, QualifiedTriple, Triple, ValueText

PEOPLE = """\
"personId:ID(Person)",name,born:int,"aka:string[]",secret:IGNORE,:LABEL
keanu,"Reeves, Keanu",1964,Neo;The One,x,Person;Actor
lana,Lana Wachowski,,,y,Person
"""
FILMS = "id:ID(Film){label:Film}\ttitle\treleased:date\t:LABEL\ntt1\tThe\u2028Matrix\t1999-03-31\tFilm\n"
RELATIONS = (
    ":START_ID(Person),role,minutes:float,:END_ID(Film),:TYPE\nkeanu,Neo,62.5,tt1,ACTED_IN\nlana,,,tt1,DIRECTED\n"
)
APOC = [
    {"type": "node", "id": "0", "labels": ["Film"], "properties": {"title": "The Matrix", "released": 1999}},
    {"type": "node", "id": "1", "labels": ["Person"], "properties": {"name": "Keanu Reeves", "aka": ["Neo"]}},
    {
        "type": "relationship", "id": "5", "label": "ACTED_IN", "properties": {"role": "Neo"},
        "start": {"id": "1", "labels": ["Person"]}, "end": {"id": "0"},
    },
]  # fmt: skip


@pytest.fixture
def exported(tmp_path: Path) -> list[Path]:
    for name, text in (("people.csv", PEOPLE), ("films.csv", FILMS), ("relations.csv", RELATIONS)):
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in ("people.csv", "films.csv", "relations.csv")]


def _read(path: Path, *, skip_bad: bool = False) -> tuple[list[Triple], list[Entity]]:
    reader = read_triples(path, skip_bad=skip_bad)
    return [triple for batch in reader for triple in batch], list(reader.entities())


def test_nodes(exported: list[Path]) -> None:
    triples, entities = _read(exported[0])
    assert entities[0] == Entity("Person/keanu", "Person/keanu", types=("Person", "Actor"))
    of_keanu = [(each.relation, each.tail, each.tail.datatype) for each in triples if each.head == "Person/keanu"]  # type: ignore[attr-defined] # tails are values
    assert of_keanu == [
        ("personId", "keanu", ""), ("name", "Reeves, Keanu", ""), ("born", "1964", "number"),
        ("aka", "Neo", "text"), ("aka", "The One", "text"),
    ]  # fmt: skip
    assert [each.relation for each in triples if each.head == "Person/lana"] == ["personId", "name"]
    assert ("released", "1999-03-31") in [(each.relation, each.tail) for each in _read(exported[1])[0]]


def test_relationships_keep_their_properties(exported: list[Path]) -> None:
    (acted, directed), entities = _read(exported[2])
    assert entities == []
    assert acted == Triple("Person/keanu", "ACTED_IN", "Film/tt1")
    assert isinstance(acted, QualifiedTriple)
    assert acted.statements[0].properties == (("minutes", ValueText("62.5", "number")), ("role", ValueText("Neo")))
    assert not isinstance(directed, QualifiedTriple)


def test_both_forms_of_apoc(tmp_path: Path) -> None:
    (tmp_path / "all.json").write_text("".join(json.dumps(line) + "\n" for line in APOC))
    (tmp_path / "all.csv").write_text(
        '"_id","_labels","title","name","_start","_end","_type","role"\n'
        '"0",":Film","The Matrix","",,,,\n"1",":Person:Actor","","Keanu Reeves",,,,\n,,,,"1","0","ACTED_IN","Neo"\n'
    )
    triples, entities = _read(tmp_path / "all.json")
    assert [each.types for each in entities] == [("Film",), ("Person",)]
    assert Triple("node/1", "ACTED_IN", "node/0") in triples
    triples, entities = _read(tmp_path / "all.csv")
    assert [each.types for each in entities] == [("Film",), ("Person", "Actor")]
    [acted] = [each for each in triples if isinstance(each, QualifiedTriple)]
    assert (acted, acted.statements[0].properties) == (Triple("1", "ACTED_IN", "0"), (("role", "Neo"),))


@pytest.mark.parametrize("ends", [("start", "end"), ("from", "to")])
def test_bare_nodes_and_relationships(tmp_path: Path, ends: tuple[str, str]) -> None:
    nodes, relationships = tmp_path / "nodes.jsonl", tmp_path / "relationships.jsonl"
    nodes.write_text(
        '{"id": 0, "labels": ["Film"], "properties": {"title": "The Matrix", "out": {"$date": "1999-03-31"}}}\n'
        '{"id": 1, "labels": ["Person", "Actor"], "properties": {"name": "Keanu Reeves"}}\n'
    )
    acted = {ends[0]: 1, ends[1]: 0, "type": "ACTED_IN", "properties": {"role": "Neo"}}
    relationships.write_text(json.dumps(acted) + "\n")
    assert is_graph_export(nodes)
    assert is_graph_export(relationships)
    triples, entities = _read(nodes)
    assert [(each.id, each.types) for each in entities] == [("node/0", ("Film",)), ("node/1", ("Person", "Actor"))]
    assert Triple("node/0", "title", "The Matrix") in triples
    [out] = [each.tail for each in triples if each.relation == "out"]
    assert isinstance(out, ValueText)
    assert (out, out.datatype) == ("1999-03-31", "date")
    [read] = _read(relationships)[0]
    assert isinstance(read, QualifiedTriple)
    assert (read, read.statements[0].properties) == (Triple("node/1", "ACTED_IN", "node/0"), (("role", "Neo"),))


def test_what_is_no_export_is_none(tmp_path: Path) -> None:
    for name, text in (
        ("time.csv", "at:noon,name\n12:ID,x\n"),
        ("table.csv", "_id,name\n1,x\n"),
        ("records.json", '[{"type": "node", "id": 1}]'),
        ("lines.jsonl", '{"type": "house", "id": "1"}\n'),
        ("mails.jsonl", '{"from": "a", "to": "b", "type": "mail"}\n'),
        ("issues.jsonl", '{"id": 1, "labels": ["bug"], "properties": {}, "title": "x"}\n'),
    ):
        (tmp_path / name).write_text(text)
        assert not is_graph_export(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("id:ID,born:integer,:LABEL\n1,2,A\n", "unknown type 'integer'"),
        ("id:ID,:LABEL\n1,A,B\n", "line 2"),
        (":START_ID,:END_ID,:TYPE\n1,,KNOWS\n", "needs :ID"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "wrong.csv").write_text(text)
    with pytest.raises(BadInputError, match=what):
        _read(tmp_path / "wrong.csv")


def test_an_import_answers(exported: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trivium = Trivium(capsys)
    assert trivium("import", *exported, "--out", tmp_path / "kg").code == 0
    assert not Path("mapping.toml").exists()
    answer = trivium("ask", "--kg", tmp_path / "kg", "who acted in The Matrix?", "--json").json
    assert [each["label"] for each in answer["answers"]] == ["Reeves, Keanu"]
    (tmp_path / "table.csv").write_text("id,name\n1,x\n")
    said = trivium("import", *exported, tmp_path / "table.csv", "--out", tmp_path / "other")
    refused(said, "UsageError", "table.csv a table", code=2)
