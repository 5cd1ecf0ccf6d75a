"""`trivium import`: tables to a KG that answers, the mapping that a user edits, and the update that follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.app.cli.running import Trivium, refused
from trivium.kg.sample import ENTITIES, TRIPLES


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.chdir(tmp_path)
    makers = "id,name,country\n1,Aaltje,Norway\n2,Brisk,Norway\n3,Corda,Spain\n4,Delm,Spain\n5,Esch,Norway\n"
    boats = "id,name,maker_id,length\n" + "".join(f"{n},Boat {chr(64 + n)},{n % 5 + 1},{n + 4}\n" for n in range(1, 11))
    for name, text in (("makers", makers), ("boats", boats)):
        (tmp_path / f"{name}.csv").write_text(text)
    return [tmp_path / "makers.csv", tmp_path / "boats.csv"]


def test_tables_become_a_kg_that_answers(trivium: Trivium, tables: list[Path]) -> None:
    said = trivium("import", *tables, "--out", "kg")
    assert said.code == 0
    assert "see mapping.toml" in said.err
    assert "boat/1\tmaker\tmaker/2" in said.out
    assert trivium("kg", "info", "kg", "--json").json["triples"] == 25
    answer = trivium("ask", "--kg", "kg", "which boats have a length above 12?", "--json").json
    assert sorted(each["label"] for each in answer["answers"]) == ["Boat I", "Boat J"]


def test_a_dry_run_shows_and_builds_nothing(trivium: Trivium, tables: list[Path], tmp_path: Path) -> None:
    said = trivium("import", *tables, "--out", "kg", "--dry-run")
    assert (said.code, (tmp_path / "kg").exists(), (tmp_path / "mapping.toml").exists()) == (0, False, True)
    assert "boats\tmaker_id\trelation maker to makers.id" in said.out
    assert "has no word" not in said.err
    coded = tables[0].rename(tmp_path / "3166-1.csv")
    assert "the type '3166 1' has no word" in trivium("import", coded, "--out", "kg", "--dry-run", "--mapping", "m").err


def test_only_a_dry_run_does_without_a_directory(trivium: Trivium, tables: list[Path], tmp_path: Path) -> None:
    assert "boats\tmaker_id\trelation maker to makers.id" in trivium("import", *tables, "--dry-run").out
    (tmp_path / "graph.nt").write_text("<http://a.org/ann> <http://a.org/knows> <http://a.org/bob> .\n")
    assert "http://a.org/knows\thttp://a.org/bob" in trivium("import", "graph.nt", "--dry-run").out
    said = trivium("import", *tables)
    assert said.code == 2
    assert "--out DIR is missing" in said.err


def test_a_list_in_a_cell_and_a_row_that_is_not_there_are_said(trivium: Trivium, tables: list[Path]) -> None:
    tables[0].write_text(tables[0].read_text() + "".join(f"{n},Maker {n},Spain\n" for n in range(6, 16)))
    header, *rows = tables[1].read_text().splitlines()
    more = "\n".join(f"{row},{n + 1};{99 if n == 4 else n + 2}" for n, row in enumerate(rows))
    tables[1].write_text(f"{header},lent to makers\n{more}\n")
    said = trivium("import", *tables, "--out", "kg", "--dry-run")
    assert "boats\tlent to makers\trelation lent_to_makers to makers.id, several a cell (;)" in said.out
    assert "boats.lent to makers: 1 cell names no row of the table referred to" in said.err


def test_what_a_user_edits_and_what_changed_comes_in_at_the_next_import(
    trivium: Trivium, tables: list[Path], tmp_path: Path
) -> None:
    assert trivium("import", *tables, "--out", "kg").code == 0
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(mapping.read_text().replace('relation = "maker"', 'relation = "built_by"'))
    tables[0].write_text(tables[0].read_text().replace("5,Esch,Norway\n", "5,Esch,Spain\n"))
    again = trivium("import", *tables, "--out", "kg", "--json").json
    assert (again["added"], again["removed"]) == (11, 11)
    assert trivium("kg", "neighbors", "kg", "Esch", "--json").json["triples"] != []
    same = trivium("import", *tables, "--out", "kg", "--json").json
    assert (same["added"], same["removed"]) == (0, 0)


def test_another_mapping_is_refused(trivium: Trivium, tables: list[Path], tmp_path: Path) -> None:
    (tmp_path / "mapping.toml").write_text("[cars]\ntype = 'car'\n")
    refused(trivium("import", *tables, "--out", "kg"), "BadInputError", "no table [boats]")


def test_what_rdf_calls_a_relation_is_heard(trivium: Trivium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("firms.ttl").write_text(
        "@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        'ex:p123 rdfs:label "founded by" . ex:p7 rdfs:label "net worth" .\n'
        + "".join(
            f'ex:f{n} a ex:Firm ; rdfs:label "{firm}" ; ex:p123 ex:h{n} ; ex:p7 {n}0 .\n'
            f'ex:h{n} a ex:Person ; rdfs:label "{who}" .\n'
            for n, firm, who in ((1, "Acme", "Ann"), (2, "Beta", "Bob"), (3, "Core", "Cleo"))
        )
    )
    assert trivium("import", "firms.ttl", "--out", "kg").code == 0
    for question, answer in (("who founded Acme?", "Ann"), ("what is the net worth of Beta?", "20")):
        assert [each["label"] for each in trivium("ask", "--kg", "kg", question, "--json").json["answers"]] == [answer]
    assert "net worth" not in trivium("kg", "find", "kg", "net worth").out, "the schema's own names are nobody's"


def test_what_a_reply_without_a_claim_says(trivium: Trivium, tmp_path: Path) -> None:
    kg = ("--kg", tmp_path / "kg", "--json")
    assert trivium("kg", "build", "--out", tmp_path / "kg", TRIPLES, "--entities", ENTITIES).code == 0
    said = trivium("ask", "how much did Rear Window cost?", *kg).json["answer"]
    assert said.startswith("It is not certain what the question asks of this graph. The nearest that it has to")
    said = trivium("ask", "where was Robert Redford born?", *kg).json["answer"]
    assert "no entity named 'Robert Redford'" in said
    assert "Robert Bolt" not in said, "a namesake by the first name alone is not whom the question is about"
    said = trivium("ask", "who directed Writen on the Windd?", *kg).json["answer"]
    assert "Did you mean Written on the Wind or Gone with the Wind?" in said, "a novel and its film have one name"


def test_coded_relations_and_types_of_a_graph_in_two_tables(
    trivium: Trivium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    named = [("Aspirin", "Compound"), ("Fever", "Disease"), ("Gout", "Disease")]
    named += [(f"Gene {chr(65 + n)}", "Gene") for n in range(20)]
    Path("nodes.tsv").write_text("id\tname\tkind\n" + "".join(f"N{n}\t{a}\t{k}\n" for n, (a, k) in enumerate(named)))
    edges = [("N0", "CtD", "N1"), *(("N1", "DaG", f"N{n}") for n in range(3, 9)), ("N2", "DaG", "N4")]
    Path("edges.tsv").write_text("source\tmetaedge\ttarget\n" + "".join("\t".join(each) + "\n" for each in edges))
    said = trivium("import", "nodes.tsv", "edges.tsv", "--out", "kg")
    assert said.code == 0
    assert "relations without words: CtD, DaG; for each of them run: trivium kg word kg CtD " in said.err
    Path("trivium.toml").write_text('[kg.kg]\npath = "kg"\n[kg.kg.words]\nCtD = ["treats"]\nDaG = ["linked gene"]\n')
    answer = trivium("ask", "--kg", "kg", "which diseases does Aspirin treat?", "--json").json
    assert [each["label"] for each in answer["answers"]] == ["Fever"]
    said = trivium("ask", "--kg", "kg", "what is the price of Aspirin?", "--json").json["answer"]
    assert "it knows: treats" in said, "the words that people use, where the name has none"
