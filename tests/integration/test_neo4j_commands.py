"""The command line on a KG in Neo4j: written, read, changed and taken back, and a user's own graph left alone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.films import build_films
from tests.neo4j_server.server import Server
from tests.own_graphs import MOVIES
from tests.unit.app.cli.running import Said, Trivium, refused
from trivium.evals.bench.remote import measure_remote
from trivium.kg.errors import WriteRefusedError
from trivium.kg.loaders import read_questions
from trivium.kg.neo4j.address import Address


@pytest.fixture
def trivium(
    neo4j_address: Address, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Trivium:
    """The command line with the server's login, in a folder of its own."""
    monkeypatch.setenv("TRIVIUM_NEO4J_USER", neo4j_address.user or "")
    monkeypatch.setenv("TRIVIUM_NEO4J_PASSWORD", neo4j_address.password or "")
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return Trivium(capsys)


def counts(told: dict[str, object]) -> dict[str, object]:
    """What `kg info` says of every KG."""
    return {name: told[name] for name in ("entities", "relations", "triples", "hash")}


def fine(said: Said) -> Said:
    assert said.code == 0, said.err
    return said


def test_there_and_back_a_kg_is_the_same(trivium: Trivium, neo4j_address: Address, tmp_path: Path) -> None:
    uri, folder = neo4j_address.uri, build_films(tmp_path)[0]
    held = counts(fine(trivium("kg", "info", folder, "--json")).json)
    fine(trivium("kg", "copy", folder, uri))
    assert counts(fine(trivium("kg", "info", uri, "--json")).json) == held
    refused(trivium("kg", "copy", folder, uri), "KnowledgeBaseExistsError", "--replace")
    fine(trivium("kg", "copy", uri, tmp_path / "back"))
    assert counts(fine(trivium("kg", "info", tmp_path / "back", "--json")).json) == held
    assert fine(trivium("kg", "find", tmp_path / "back", "Heat", "--json")).json["entities"][0]["id"] == "heat"
    fine(trivium("kg", "export", uri, tmp_path / "films.tsv"))
    lines = (tmp_path / "films.tsv").read_text().splitlines()
    assert (len(lines), "heat\tdirected_by\tmann" in lines) == (held["triples"], True)


def test_a_kg_in_neo4j_is_asked_and_changed(trivium: Trivium, neo4j_address: Address, tmp_path: Path) -> None:
    uri, folder = neo4j_address.uri, build_films(tmp_path)[0]
    fine(trivium("kg", "copy", folder, uri))
    around = fine(trivium("kg", "neighbors", uri, "Heat", "--relation", "starring", "--json")).json["triples"]
    assert {triple["tail"] for triple in around} == {"deniro", "pacino"}
    drawn = fine(trivium("kg", "paths", uri, "Heat", "Ronin", "--max-hops", 2)).out
    assert "Heat (heat) → starring → Robert De Niro (deniro) ← starring ← Ronin (ronin)" in drawn
    refused(trivium("kg", "neighbors", uri, "Heatt"), "UnknownEntityError", "did you mean 'Heat'")
    (tmp_path / "new.tsv").write_text("heat\tscored_by\tgoldenthal\nheat\tdirected_by\tmann\n")
    assert fine(trivium("kg", "add", uri, "new.tsv", "--json")).json["added"] == 1
    assert fine(trivium("kg", "remove", uri, "new.tsv", "--json")).json["removed"] == 2
    refused(trivium("kg", "neighbors", uri, "Heat", "--relation", "scored_by"), "UnknownRelationError", "scored_by")
    schema = fine(trivium("kg", "schema", uri, "--json")).json
    assert schema["view"] is None
    assert {row["name"]: row["triples"] for row in schema["relations"]}["has_member"] == 2
    made = fine(trivium("kg", "snapshot", uri, "--json")).json
    assert made
    walked = {"question": "who directed it?", "source_entities": ["heat"], "target_entities": ["mann"]}
    told = fine(trivium("tool", "extract_paths", json.dumps(walked), "--kg", uri)).json
    assert told["paths"], "on the walking snapshot"


def test_a_users_own_graph_is_read_by_settings_and_not_changed(
    trivium: Trivium, neo4j_address: Address, neo4j_server: Server, tmp_path: Path
) -> None:
    neo4j_server.run(MOVIES)
    named = f'[kg.movies]\nuri = "{neo4j_address.uri}"\ndatabase = "neo4j"\n'
    (tmp_path / "trivium.toml").write_text(f'{named}reversed = ["ACTED_IN"]\nsymmetric = ["KNOWS"]\n')
    shown = fine(trivium("kg", "schema", "movies")).out
    assert "against the arrow  ACTED_IN" in shown
    assert "both ways          KNOWS" in shown
    assert "Movie: title" in shown
    cast = fine(trivium("kg", "neighbors", "movies", "The Matrix", "--relation", "ACTED_IN", "--direction", "out")).out
    assert "Keanu Reeves" in cast
    assert fine(trivium("kg", "index", "movies", "--json")).json["indexes"] == ["trivium_own_names"]
    before = fine(trivium("kg", "info", "movies", "--json")).json
    assert all(each["examples"] for each in before["types"])
    (tmp_path / "new.tsv").write_text("Keanu Reeves\tACTED_IN\tRay\n")
    for command in ("add", "remove"):
        said = trivium("kg", command, "movies", "new.tsv")
        refused(
            said, "WriteRefusedError", "a graph of your own", "LOAD CSV", f"trivium kg copy {neo4j_address.uri} DIR"
        )
    assert fine(trivium("kg", "info", "movies", "--json")).json == before
    (tmp_path / "trivium.toml").write_text(f'{named}reversed = ["ACTS"]\n')
    refused(
        trivium("kg", "info", "movies"), "BadInputError", "'ACTS', which is not a relation; known relations: ACTED_IN"
    )


@pytest.mark.slow
def test_the_benchmark_leaves_the_database_as_it_was(
    trivium: Trivium, neo4j_address: Address, neo4j_server: Server, films_kg: Path, tmp_path: Path
) -> None:
    del trivium  # for the login
    lines = [{"id": str(i), "question": f"who directed {name}?"} for i, name in enumerate(["Heat", "Alien", "Diner"])]
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    asked = read_questions(tmp_path / "asked.jsonl")
    figures = asyncio.run(measure_remote(films_kg, neo4j_address.uri, asked))
    names = [figure.name for figure in figures]
    assert sum("1 round trip" in name or "1 trip" in name for name in names) == 2
    assert all(figure.value > 0 and figure.against > 0 and figure.name.startswith("Neo4j: ") for figure in figures)
    assert neo4j_server.run("MATCH (n) RETURN count(n)") == [[0]]
    assert not list((tmp_path / "cache" / "neo4j").glob("*"))
    neo4j_server.run("CREATE (:Note {text: 'mine'})")
    with pytest.raises(WriteRefusedError, match="writes over nothing"):
        asyncio.run(measure_remote(films_kg, neo4j_address.uri, asked))
    assert neo4j_server.run("MATCH (n) RETURN n.text") == [["mine"]]
