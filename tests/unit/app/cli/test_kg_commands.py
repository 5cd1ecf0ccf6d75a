from __future__ import annotations

import gzip
import os
import pty
from pathlib import Path

import pytest

from tests.unit.app.cli.running import Trivium, finish, refused, start


def test_build_counts_and_says_what_it_skipped(trivium: Trivium, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tknows\tb\nodd\nb\tknows\tc\n")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"a,knows,b\nc,likes,a\nodd,line\n"))
    said = trivium(
        "kg", "build", "--out", tmp_path / "kg", tmp_path / "a.tsv", tmp_path / "b.csv.gz", "--skip-bad", "--json"
    )
    assert said.code == 0
    held = said.json
    assert {key: held[key] for key in ("entities", "relations", "triples", "skipped")} == {
        "entities": 3,
        "relations": 2,
        "triples": 3,
        "skipped": 2,
    }
    assert "a.tsv: 1 malformed line skipped" in said.err
    assert "b.csv.gz, line 3: " in said.err


def test_build_makes_the_indexes_too(kg: Path) -> None:
    assert (kg / "indexes" / "relations").is_dir()
    assert (kg / "templates").is_dir()


def test_build_takes_labels_from_rdf_and_the_entities_file_wins(trivium: Trivium, tmp_path: Path) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    (tmp_path / "a.nt").write_text(f'<x:a> <x:knows> <x:b> .\n<x:a> {label} "Ann" .\n<x:b> {label} "Bob" .\n')
    (tmp_path / "e.tsv").write_text("x:b\tRobert\n")
    assert (
        trivium("kg", "build", "--out", tmp_path / "kg", tmp_path / "a.nt", "--entities", tmp_path / "e.tsv").code == 0
    )
    assert trivium("kg", "find", tmp_path / "kg", "Ann", "--json").json["entities"][0]["id"] == "x:a"
    assert trivium("kg", "find", tmp_path / "kg", "Robert", "--json").json["entities"][0]["label"] == "Robert"


def test_info_is_four_facts(trivium: Trivium, kg: Path) -> None:
    told = trivium("kg", "info", kg, "--json").json
    assert list(told)[:4] == ["entities", "relations", "triples", "hash"]
    assert (told["entities"], told["relations"], told["triples"]) == (7, 3, 7)
    assert trivium("kg", "info", kg).out.splitlines()[2] == "triples    7"


def test_a_kg_may_be_named_in_the_settings(trivium: Trivium, kg: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = kg.parent / "trivium.toml"
    settings.write_text('[kg.films]\npath = "kg"\n')
    monkeypatch.chdir(kg.parent)
    said = trivium("kg", "info", "films", "--json")
    assert (said.code, said.err) == (0, "")
    assert said.json["triples"] == 7


def test_find_scores_its_candidates(trivium: Trivium, kg: Path) -> None:
    said = trivium("kg", "find", kg, "ghostbusters", "--json")
    hits = said.json["entities"]
    assert [hit["id"] for hit in hits] == ["ghosts84", "ghosts16"]
    assert set(hits[0]) == {"id", "label", "score", "degree"}
    assert (hits[0]["label"], hits[0]["degree"]) == ("Ghostbusters", 2)
    assert len(trivium("kg", "find", kg, "ghostbusters", "--limit", 1, "--json").json["entities"]) == 1


def test_find_takes_typos_and_finds_nothing_without_failing(trivium: Trivium, kg: Path) -> None:
    assert trivium("kg", "find", kg, "Sigurney Weever", "--json").json["entities"][0]["id"] == "weaver"
    nothing = trivium("kg", "find", kg, "qqqqqqqq", "--json")
    assert (nothing.code, nothing.json) == (0, {"entities": []})
    assert trivium("kg", "find", kg, "qqqqqqqq").err == "trivium: no entity has a similar name\n"


def test_neighbors_by_direction_and_relation(trivium: Trivium, kg: Path) -> None:
    first = {"head": "alien", "relation": "directed_by", "tail": "scott", "score": 1.0}
    assert trivium("kg", "neighbors", kg, "alien", "--json").json["triples"][0] == first
    assert trivium("kg", "neighbors", kg, "alien", "--direction", "in", "--json").json == {"triples": []}
    into = trivium("kg", "neighbors", kg, "scott", "--direction", "in", "--json").json["triples"]
    assert [(x["head"], x["tail"]) for x in into] == [("alien", "scott"), ("blade", "scott")]
    year = trivium("kg", "neighbors", kg, "alien", "--relation", "release_year", "--json").json["triples"]
    assert [x["tail"] for x in year] == ["1979"]
    assert trivium("kg", "neighbors", kg, "scott", "--relation", "release_year", "--json").json == {"triples": []}


def test_neighbors_says_where_the_limit_cut(trivium: Trivium, kg: Path) -> None:
    said = trivium("kg", "neighbors", kg, "alien", "--limit", 2, "--json")
    assert len(said.json["triples"]) == 2
    assert "--limit 2" in said.err
    assert trivium("kg", "neighbors", kg, "alien", "--limit", 3).err == ""


def test_an_entity_goes_by_id_label_or_alias(trivium: Trivium, kg: Path) -> None:
    by_id = trivium("kg", "neighbors", kg, "alien", "--json").json
    assert trivium("kg", "neighbors", kg, "Alien", "--json").json == by_id
    assert trivium("kg", "neighbors", kg, "nostromo", "--json").json == by_id


def test_an_ambiguous_label_takes_the_best_and_names_the_rest(trivium: Trivium, kg: Path) -> None:
    said = trivium("kg", "neighbors", kg, "Ghostbusters", "--json")
    assert {x["head"] for x in said.json["triples"]} == {"ghosts84"}
    assert "Ghostbusters names 2 entities" in said.err
    assert "ghosts16" in said.err


def test_neighbors_are_written_by_label_and_id(trivium: Trivium, kg: Path) -> None:
    said = trivium("kg", "neighbors", kg, "alien")
    assert said.out.splitlines()[0] == "Alien (alien)\tdirected_by\tRidley Scott (scott)"
    assert said.out.splitlines()[1] == "Alien (alien)\trelease_year\t1979"


def test_paths_show_each_step_as_stored(trivium: Trivium, kg: Path) -> None:
    told = trivium("kg", "paths", kg, "Blade Runner", "Sigourney Weaver", "--json").json
    assert told == {
        "paths": [
            {
                "triples": [
                    {"head": "blade", "relation": "directed_by", "tail": "scott", "inverse": False},
                    {"head": "alien", "relation": "directed_by", "tail": "scott", "inverse": True},
                    {"head": "alien", "relation": "starred_actors", "tail": "weaver", "inverse": False},
                ],
                "answer": "weaver",
            }
        ]
    }
    drawn = trivium("kg", "paths", kg, "alien", "blade").out
    assert drawn == "Alien (alien) → directed_by → Ridley Scott (scott) ← directed_by ← Blade Runner (blade)\n"


def test_no_path_is_no_failure(trivium: Trivium, kg: Path) -> None:
    said = trivium("kg", "paths", kg, "blade", "weaver", "--max-hops", 2, "--json")
    assert (said.code, said.json) == (0, {"paths": []})
    assert "no path of 2 triples" in trivium("kg", "paths", kg, "blade", "weaver", "--max-hops", 2).err


def test_add_and_remove_count(trivium: Trivium, kg: Path) -> None:
    before = trivium("kg", "info", kg, "--json").json
    (kg.parent / "more.tsv").write_text(
        "alien\thas_genre\thorror\nalien\tdirected_by\tscott\nalien\thas_genre\thorror\n"
    )
    (kg.parent / "names.tsv").write_text("horror\tHorror film\n")
    added = trivium("kg", "add", kg, kg.parent / "more.tsv", "--entities", kg.parent / "names.tsv", "--json").json
    assert (added["added"], added["triples"], added["skipped"]) == (1, 8, 0)
    assert trivium("kg", "find", kg, "Horror film", "--json").json["entities"][0]["id"] == "horror"
    (kg.parent / "less.tsv").write_text("alien\thas_genre\thorror\nalien\thas_genre\tcomedy\n")
    removed = trivium("kg", "remove", kg, kg.parent / "less.tsv", "--json")
    assert removed.code == 0
    assert (removed.json["removed"], removed.json["absent"]) == (1, 1)
    assert trivium("kg", "info", kg, "--json").json == before


def test_export_is_read_back_to_the_same_kg(trivium: Trivium, kg: Path) -> None:
    out, names = kg.parent / "out.tsv.gz", kg.parent / "names.tsv"
    said = trivium("kg", "export", kg, out, "--entities", names, "--json")
    assert said.json == {"triples": 7, "entities": 7}
    again = kg.parent / "again"
    assert trivium("kg", "build", "--out", again, out, "--entities", names).code == 0
    assert trivium("kg", "info", again, "--json").json == trivium("kg", "info", kg, "--json").json
    ghosts = trivium("kg", "find", again, "Ghostbusters", "--json").json
    assert ghosts == trivium("kg", "find", kg, "Ghostbusters", "--json").json


def test_verify_says_ok_or_each_problem(trivium: Trivium, kg: Path) -> None:
    assert (trivium("kg", "verify", kg).out, trivium("kg", "verify", kg, "--json").json) == (
        "ok\n",
        {"ok": True, "problems": []},
    )
    record = kg / "triples.db"
    data = bytearray(record.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 64] = b"\xa5" * 64
    record.write_bytes(data)
    said = trivium("kg", "verify", kg)
    assert said.code == 1
    assert str(record) in said.out
    assert said.err.startswith(f"trivium: CorruptError: {kg} has ")
    harmed = trivium("kg", "verify", kg, "--json")
    assert (harmed.code, harmed.json["ok"]) == (1, False)
    assert harmed.json["problems"]


def test_a_terminal_gets_a_table_with_names_to_the_letter(kg: Path) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        said = finish(start("kg", "neighbors", kg, "ghosts16", stdout=terminal))
    drawn = os.read(ours, 10_000).decode()
    os.close(ours)
    assert (said.code, said.err) == (0, "")
    assert "relation" in drawn
    assert "[red]Kristen" in drawn


def test_vectors_are_made_ahead_and_guarded(trivium: Trivium, kg: Path) -> None:
    said = trivium("kg", "vectors", kg, "--json")
    assert said.code == 0
    file = Path(said.json["file"])
    assert file.stat().st_size == said.json["bytes"]
    assert trivium("kg", "verify", kg).out == "ok\n"
    file.write_bytes(b"damaged")
    assert trivium("kg", "verify", kg).code == 1
    refused(trivium("kg", "vectors", kg.parent / "no"), "NotAKnowledgeBaseError", "no KG named")
