"""Plans give the gold answers of public data sets: GeoQuery's by SQL, POLE's by Cypher, MetaQA's by its chains.

The plans of GeoQuery stand in tests/data/plans; the questions and graphs are read where the data sets are.
"""

# ruff: noqa: ANN401 - cells of any kind
from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from tests.contracts.plan_agreement import ntriples, of_sparql
from tests.cypher_to_plan import convert
from trivium.kg.plans.check import problems
from trivium.kg.plans.codec import dumps, loads
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.result import item_id, materialize
from trivium.kg.plans.sparql import to_sparql
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import parse, write

DATA = Path(os.environ.get("TRIVIUM_DATA", "../shared/data"))
PLANS = Path(__file__).parents[2] / "data" / "plans" / "geoquery.tsv"

pytestmark = [pytest.mark.data, pytest.mark.slow]


def needs(folder: str) -> Path:
    if not (DATA / folder).is_dir():
        pytest.skip(f"needs {folder} in {DATA}")
    return DATA / folder


def number(text: str) -> Any:
    try:
        return round(float(text), 4)
    except ValueError:
        return text


def answers(executor: Executor, plan: Any) -> set[Any]:
    found = materialize(executor, plan)
    ids = [item_id(each) for each in found.entities] or [item_id(row[0]) for row in found.rows]
    return {number(each) for each in ids} if found.value is None else {number(item_id(found.value))}


Entities = dict[str, tuple[list[str], dict[str, Any]]]


@pytest.fixture(scope="module")
def geography() -> tuple[Entities, list[tuple[str, str, str, dict[str, Any]]]]:
    folder = needs("geoquery")
    lines = [line.split("\t") for line in (folder / "entities.tsv").read_text().splitlines()[1:]]
    entities: Entities = {line[0]: (line[3].split("|"), {}) for line in lines}
    edges = []
    for line in (folder / "triples.tsv").read_text().splitlines():
        head, relation, tail = line.split("\t")
        if tail in entities:
            edges.append((head, relation, tail, dict[str, Any]()))
        else:
            entities[head][1].setdefault(relation, []).append(float(tail))
    return entities, edges


def gold_of_geoquery() -> dict[str, list[set[Any]]]:
    lines = (needs("geoquery") / "train.jsonl").read_text().splitlines()
    return {line["id"]: [{number(name) for name in names} for names in line["gold"]] for line in map(json.loads, lines)}


def is_gold(found: Iterable[Any], gold: list[set[Any]]) -> bool:
    given = set(found)
    return all(any(each in names for names in gold) for each in given) and all(names & given for names in gold)


def test_plans_of_geoquery_give_the_answers_of_its_sql(geography: Any) -> None:
    entities, edges = geography
    graph = GraphColumns.of([(id_, *rest) for id_, rest in entities.items()], edges)
    profile, gold = profile_of(graph), gold_of_geoquery()
    store = pyoxigraph.Store()
    store.load(ntriples(geography).encode(), pyoxigraph.RdfFormat.N_TRIPLES)
    executor, wrong = Executor(graph), list[Any]()
    lines = [line.split("\t") for line in PLANS.read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 78
    for id_, text in lines:
        plan = parse(text)
        assert problems(plan, profile) == [], text
        assert loads(dumps(plan)) == parse(write(plan)) == plan
        found = answers(executor, plan)
        sparql = of_sparql(store, to_sparql(plan, profile))
        cells = sparql if isinstance(sparql, set) else {row[0][1] for row in sparql} if isinstance(sparql, dict) else {
            sparql[1]}  # fmt: skip
        if not is_gold(found, gold[id_]):
            wrong.append((id_, text, found))
        same = {round(each, 4) if isinstance(each, float) else each for each in cells}
        if same != found:
            wrong.append((id_, "SPARQL", same, found))
    assert wrong == []


def read_lines(path: Path) -> list[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_gold_cypher_of_pole_has_plans_that_give_its_answers() -> None:
    folder = needs("zograscope")
    graph = GraphColumns.of(
        [(node["id"], node["labels"], node["properties"]) for node in read_lines(folder / "nodes.jsonl.gz")],
        [
            (each["start"], each["type"], each["end"], each.get("properties") or {})
            for each in read_lines(folder / "relationships.jsonl.gz")
        ],
    )
    executor, wrong = Executor(graph), []
    questions = read_lines(folder / "train.jsonl.gz")
    for question in questions:
        found = {str(each) for each in answers(executor, convert(question["gold_cypher"]))}
        gold = {str(number(each)) for each in question.get("nodes") or question["answers"]}
        if found != gold and not (question.get("any_of") and found and found <= gold):
            wrong.append((question["id"], sorted(found)[:5], sorted(gold)[:5]))
    assert len(questions) == 2231
    assert wrong == []


_RELATIONS = {
    "director": "directed_by", "actor": "starred_actors", "writer": "written_by", "genre": "has_genre",
    "language": "in_language", "tags": "has_tags", "tag": "has_tags",
}  # fmt: skip


def test_chains_of_metaqa_give_its_answers() -> None:
    folder = needs("metaqa")
    edges, owned = [], dict[str, dict[str, Any]]()
    for line in (folder / "kb.txt").read_text(encoding="utf-8").splitlines():
        head, relation, tail = line.split("|")
        if relation == "release_year":
            owned.setdefault(head, {}).setdefault(relation, []).append(float(tail))
        else:
            edges.append((head, relation, tail))
    graph = GraphColumns.of([(id_, (), found) for id_, found in owned.items()], edges)
    executor, checked, wrong = Executor(graph), 0, []
    for hops in (1, 2, 3):
        questions = (folder / f"{hops}-hop/vanilla/qa_dev.txt").read_text(encoding="utf-8").splitlines()
        kinds = (folder / f"{hops}-hop/qa_dev_qtype.txt").read_text(encoding="utf-8").splitlines()
        for question, kind in list(zip(questions, kinds, strict=True))[::40]:
            text, gold = question.split("\t")
            topic = text[text.index("[") + 1 : text.index("]")]
            names = kind.split("_to_")
            if "year" in names[:-1] or not set(names) <= {*_RELATIONS, "movie", "year"}:
                continue
            checked += 1
            found = answers(executor, parse(chain_plan(topic, names)))
            wanted = {number(each) for each in gold.split("|")}
            # A title that several films share has more answers in the graph than in the question's gold.
            if not (found == wanted if hops > 1 else wanted <= found):
                wrong.append((text, found, gold))
    assert checked > 600
    assert len(wrong) <= 0.01 * checked, wrong[:5]


def chain_plan(topic: str, names: list[str]) -> str:
    """The plan of a question type such as movie_to_director_to_movie: the topic goes after every hop."""
    plan = f"ids {json.dumps(topic)}"
    for start, end in pairwise(names):
        if end == "year":
            return f"{plan} | values release_year"
        step = _RELATIONS[end] if start == "movie" else f"^{_RELATIONS[start]}"
        plan = f"({plan} | follow {step}) | minus (ids {json.dumps(topic)})"
    return plan
