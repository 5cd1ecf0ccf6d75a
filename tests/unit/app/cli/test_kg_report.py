"""`trivium kg report` finds what a person should know of a KG, and writes questions whose answers are in it."""

from __future__ import annotations

import asyncio
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.films import build_films, label, walk
from tests.unit.app.cli.running import Trivium
from trivium.kg.indexes.words import is_opaque
from trivium.knowledge.knowledge import Knowledge
from trivium.knowledge.written_questions import UNANSWERABLE, write_questions

TRIPLES = """\
d1\tCtD\tx1
d2\tCtD\tx2
d3\tCtD\tx1
x1\ttreated_by\td1
x2\ttreated_by\td2
x1\ttreated_by\td3
d1\tdose\t5
d2\tdose\t7
d3\tdose\t9
"""
ENTITIES = """\
d1\tAspirin\t\tdrug
d2\tAspirin\t\tdrug
d3\t<script>alert(1)</script>\t\tdrug
x1\tHeadache\t\tdisease
"""


@pytest.fixture
def drugs(tmp_path: Path, trivium: Trivium) -> Path:
    (tmp_path / "triples.tsv").write_text(TRIPLES)
    (tmp_path / "entities.tsv").write_text(ENTITIES)
    files = (tmp_path / "triples.tsv", "--entities", tmp_path / "entities.tsv")
    assert trivium("kg", "build", "--out", tmp_path / "drugs", *files).code == 0
    return tmp_path / "drugs"


def test_findings(drugs: Path, trivium: Trivium) -> None:
    found = trivium("kg", "report", drugs, "--json").json
    assert {"drug": 3, "disease": 1}.items() <= {each["name"]: each["entities"] for each in found["types"]}.items()
    assert [(each["name"], each["opaque"]) for each in found["relations"]] == [("CtD", True), ("treated_by", False)]
    assert [(each["one"], each["other"], each["kind"]) for each in found["alike"]] == [("CtD", "treated_by", "inverse")]
    assert found["unnamed_examples"] == ["x2"]
    assert found["repeated"] == [["aspirin", 2]]
    [(kind, dose)] = found["values"]
    assert (kind, dose["name"], dose["minimum"], dose["maximum"]) == ("drug", "dose", "5", "9")
    assert sum(count for _, count in found["degrees"]) == found["entities"] == 5
    assert sum("CtD" in line for line in found["advice"]) == 2
    assert any(line.startswith("1 of 5 entities have no types") for line in found["advice"])


def test_names_without_a_word() -> None:
    names = ("CtD", "AdG", "PCiC", "P57", "/m/02mjmr", "R2_x", "treats", "größe", "sex")
    assert [name for name in names if is_opaque(name)] == ["CtD", "AdG", "PCiC", "P57", "/m/02mjmr", "R2_x"]


def test_the_page_stands_alone_and_labels_are_text(drugs: Path, trivium: Trivium, tmp_path: Path) -> None:
    assert trivium("kg", "report", drugs, "--html", tmp_path / "report.html").code == 0
    tags: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append(tag)
            assert not [name for name, _ in attrs if name in ("src", "href", "onload")]

    page = (tmp_path / "report.html").read_text()
    Tags().feed(page)
    assert "script" not in tags
    assert "svg" in tags
    assert "&lt;script&gt;alert(1)" in page


def test_columns_of_text_have_no_smallest_value(trivium: Trivium, tmp_path: Path) -> None:
    rows = "".join(f"{number},Shop {chr(64 + number)},Road {number},{number}.5\n" for number in range(1, 6))
    (tmp_path / "shops.csv").write_text("id,name,street_address,area\n" + rows)
    assert trivium("import", tmp_path / "shops.csv", "--out", tmp_path / "kg", "--mapping", tmp_path / "m").code == 0
    lines = trivium("kg", "report", tmp_path / "kg").out.splitlines()
    values = {
        line.split("\t")[1]: line.split("\t")[4:6]
        for line in lines
        if (line.startswith("shop\t") and "text" in line) or "number" in line
    }
    assert values == {"street_address": ["", ""], "area": ["1.5", "5.5"]}


def test_written_questions_have_the_graphs_answers(tmp_path: Path) -> None:
    with Knowledge.open(build_films(tmp_path)[0]) as films:
        written, again = (asyncio.run(write_questions(films.store, 60, seed=1)) for _ in range(2))
    assert written == again
    assert len({each.question for each in written}) == len(written) >= 40
    none = [each for each in written if each.kind == UNANSWERABLE]
    assert none
    assert all(not each.answers for each in none)
    assert all(each.answers for each in written if each.kind != UNANSWERABLE)
    directed = {f"who directed {label(film)}?": film for film in walk(["mann", "scott"], ["^directed_by"])}
    asked = [each for each in written if each.question in directed]
    assert asked
    assert all(set(each.answers) == walk([directed[each.question]], ["directed_by"]) for each in asked)
