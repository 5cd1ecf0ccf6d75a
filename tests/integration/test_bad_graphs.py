"""Graphs with what real ones have: each is built, learned from, asked and queried, or an error names what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from tests.contracts.hand_plans import of_result, of_sparql
from trivium.graphs.methods import answer, close_all, method_named
from trivium.kg.embedded import build
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import read_triples
from trivium.kg.loaders.writers import GraphWriter
from trivium.kg.plans.run import run_plan
from trivium.kg.plans.text import parse
from trivium.kg.plans.verify import answer_problems
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.policies.reader.chains.teaching import teach

Line = dict[str, Any]


def link(head: str, relation: str, tail: str, **more: object) -> Line:
    return {"head": head, "relation": relation, "tail": tail, **more}


def owned(head: str, relation: str, value: object) -> Line:
    return {"head": head, "relation": relation, "value": value}


def entity(id_: str, label: str, *types: str, **properties: object) -> Line:
    return {"id": id_, "label": label, "types": list(types), "properties": properties}


PLAIN = [entity("n1", "Ann", "Person", age=30), entity("n2", "Bob", "Person", age=41), link("n1", "KNOWS", "n2")]
ODD_NAME = "odd `na\\me` \"x\" 'y' {z} [w] (v) | ü 東京 😀"

# What the lines add to a plain graph of two people, a plan, and what that gives.
GRAPHS: list[tuple[str, list[Line], str, set[str]]] = [
    ("empty texts", [owned("n1", "note", ""), owned("n1", "note", "  ")], "type Person | where has age", {"n1", "n2"}),
    ("an empty text and others", [owned("n1", "note", ""), owned("n2", "note", "x")],
     'type Person | where note = "x"', {"n2"}),
    ("NaN and infinity", [owned("n1", "score", float("nan")), owned("n2", "score", 1.5)],
     "type Person | where score > 1", {"n2"}),
    ("a huge text", [owned("n1", "story", "word " * 100_000), owned("n2", "story", "short")],
     'type Person | where story = "short"', {"n2"}),
    ("a huge number", [owned("n1", "weight", 10**300), owned("n2", "weight", 1)],
     "type Person | top 1 by weight", {"n1"}),
    ("a number that is none", [owned("n1", "weight", "1e999999"), owned("n2", "weight", 1)],
     "type Person | where weight = 1", {"n2"}),
    ("lists of mixed types", [owned("n1", "tags", [1, "one", True, "2020-01-01"]), owned("n2", "tags", ["one"])],
     'type Person | where tags = "one"', {"n1", "n2"}),
    ("mixed kinds in one property", [owned("n1", "room", 7), owned("n2", "room", "seven")],
     "type Person | where room = 7", {"n1"}),
    ("dates that are none", [owned("n1", "born", "2020-02-30"), owned("n2", "born", ["1999-12-31", "2001-05-06"])],
     'type Person | where born = "1999-12-31"', {"n2"}),
    ("odd names of everything", [
        entity("n3", "Cy", ODD_NAME), link("n3", ODD_NAME, "n1"), owned("n3", ODD_NAME + "!", ODD_NAME)],
     f"type {json.dumps(ODD_NAME)} | where {{key}} = {json.dumps(ODD_NAME)}", {"n3"}),
    ("ids that look like queries", [entity("') DETACH DELETE n //", "Robert'); DROP TABLE entities; --", "Person")],
     "type Person | count", {"3"}),
    ("entities without a type", [entity("n3", "Cy"), link("n1", "KNOWS", "n3")],
     'ids "n1" | follow KNOWS', {"n2", "n3"}),
    ("an entity that is named like a value", [entity("30", "30", "Person"), link("n2", "KNOWS", "30")],
     "type Person | where age = 30", {"n1"}),
    ("self-loops", [link("n1", "KNOWS", "n1")], 'ids "n1" | follow KNOWS', {"n1", "n2"}),
    ("parallel relationships", [
        link("n1", "PAID", "n2", statements=[{"properties": {"amount": 5}}, {"properties": {"amount": 7}}])],
     "type Person | walk PAID | sum #1@amount", {"12"}),
    ("the same triple again", [link("n1", "KNOWS", "n2")] * 3, "type Person | walk KNOWS | count", {"1"}),
    ("a thousand types", [entity(f"t{i}", f"Thing {i}", f"Type {i}") for i in range(1000)],
     "type `Type 7`", {"t7"}),
    ("a thousand relations", [link("n1", f"REL_{i}", "n2") for i in range(1000)], 'ids "n1" | follow REL_7', {"n2"}),
    ("a type named as a relation and a property", [entity("n3", "Cy", "KNOWS", KNOWS_age=3)],
     "type KNOWS | values KNOWS_age", {"3"}),
    ("HTML in names", [entity("n3", "Tom &amp; Jerry", "Film"), link("n1", "SAW", "n3")], "type Film", {"n3"}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("lines", "text", "answers"), [row[1:] for row in GRAPHS], ids=[row[0] for row in GRAPHS])
async def test_it_is_built_learned_asked_and_queried(
    tmp_path: Path, lines: list[Line], text: str, answers: set[str]
) -> None:
    file, kg = tmp_path / "graph.jsonl", tmp_path / "kg"
    file.write_text("".join(json.dumps(line) + "\n" for line in [*PLAIN, *lines]), encoding="utf-8")
    read = read_triples(file)
    build(kg, read, read.entities())
    base = Knowledge.open(kg)
    await teach(base, None, lambda *_: None)
    await base.close()
    try:
        store = (await open_knowledge(str(kg))).store
        plan = parse(text.replace("{key}", f"`{(ODD_NAME + '!').replace('`', '``')}`"))
        run = await run_plan(store, plan)
        assert of_result(run.result) == answers
        with GraphWriter(tmp_path / "out.nt", "ntriples") as out:
            async for batch in store.triples():
                out.write(batch)
            async for some in store.all_entities():
                out.write_entities(some)
        exported = pyoxigraph.Store()
        exported.load((tmp_path / "out.nt").read_bytes(), pyoxigraph.RdfFormat.N_TRIPLES)
        assert of_sparql(exported, run.query["sparql"]) == answers
        context = method_named("auto").context(kg=str(kg))
        for question in (
            "who does Ann know?",
            "how old is Bob?",
            "how many persons are there?",
            f"what is {ODD_NAME}?",
        ):
            told = await answer("auto", question, context)
            assert await answer_problems(told, store) == [], question
        known = await answer("auto", "who does Ann know?", context)
        if len(await store.schema()) < 1000:  # of a thousand relations nobody knows which is asked
            assert "n2" in {each["id"] for each in known["answers"]}
    finally:
        await close_all()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (owned("", "age", 3), "head"),
        (link("n1", "", "n2"), "relation"),
        (link("n1", "KNOWS", ""), "tail"),
        ({"head": "n1", "relation": "KNOWS"}, "tail"),
        ({"id": "n9", "types": [7]}, "types"),
    ],
)
def test_what_is_no_graph_is_named_with_its_line(tmp_path: Path, line: Line, says: str) -> None:
    file = tmp_path / "graph.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in [*PLAIN, line]), encoding="utf-8")
    read = read_triples(file)
    with pytest.raises(BadInputError, match=says) as caught:
        build(tmp_path / "kg", read, read.entities())
    assert "line 4" in str(caught.value)
