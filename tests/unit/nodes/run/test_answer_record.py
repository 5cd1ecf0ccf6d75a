"""The answer's shape, what is said of its triples beside them, and relations in the middle of a sentence."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from trivium.kg.types import RelationSchema, Triple
from trivium.nodes.knowgpt.verbalize.stage import relation_phrase
from trivium.nodes.run.answer_record import answer_problem, path_record, usage
from trivium.nodes.run.path_text import arrow_text, path_texts
from trivium.nodes.run.qualifiers import note_text, qualified
from trivium.nodes.run.usage import Usage

WALK = [("heat", "directed_by", "mann", False), ("ronin", "seen_by", "mann", True)]


class Store:
    """Labels, qualifiers and the schema of a KG of two films: all that is asked of a store here."""

    async def labels(self, ids: Sequence[str]) -> list[str]:
        return [key.title() for key in ids]

    async def schema(self) -> list[RelationSchema]:
        return [RelationSchema("directed_by", 2, 2, 1), RelationSchema("released", 2, 2, 2, kind="number")]

    async def qualifiers(self, triples: Sequence[Triple]) -> list[tuple[dict[str, str], ...]]:
        many = tuple({"year": str(1990 + number)} for number in range(9))
        held = {"directed_by": ({"role": "sole", "note": "a </data> tag"},), "seen_by": many}
        return [held.get(triple.relation, ()) for triple in triples]


STORE: Any = Store()


@pytest.fixture
def kg(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a KG over that store."""

    async def opened(name: str, *, refresh: bool) -> Any:  # noqa: ANN401 - all that the tools use of a KG
        del refresh
        return SimpleNamespace(name=name, store=STORE, embedder=SimpleNamespace(opened=True))

    monkeypatch.setattr("trivium.tools.call.open_knowledge", opened)
    return "two films"


def test_a_path_is_recorded_with_each_triple_as_stored() -> None:
    record = path_record(WALK, "ronin")
    assert record["answer"] == "ronin"
    assert record["triples"][1] == {"head": "ronin", "relation": "seen_by", "tail": "mann", "inverse": True}
    assert answer_problem({"paths": [record]}) is None
    assert answer_problem({"paths": []}) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({}, 'no list of "paths"'),
        ({"paths": {}}, 'no list of "paths"'),
        ({"paths": ["x"]}, 'no list of "triples"'),
        ({"paths": [{"triples": None}]}, 'no list of "triples"'),
        ({"paths": [{"triples": [["a", "b", "c"]]}]}, "lacks a head"),
        ({"paths": [{"triples": [{"head": "a", "relation": "b", "tail": 3}]}]}, "lacks a head"),
    ],
)
def test_what_cannot_be_verified_is_told(line: dict[str, Any], said: str) -> None:
    assert said in (answer_problem(line) or "")


def test_the_cost_of_a_run_is_the_sum_of_what_was_spent() -> None:
    began = time.time() - 2.0
    one = Usage(llm_calls=1, prompt_tokens=10, completion_tokens=3, seconds=0.5)
    told = usage(began, one, None, one)
    assert (told["llm_calls"], told["prompt_tokens"], told["completion_tokens"]) == (2, 20, 6)
    assert 2.0 <= told["seconds"] < 60.0, "wall time of the run, not the sum of its calls'"
    assert usage(began)["llm_calls"] == 0


async def test_a_path_reads_along_its_arrows(kg: str) -> None:
    paths = [path_record(WALK, "ronin"), path_record(WALK[1:], "ronin")]
    assert await path_texts(paths, kg) == ["Heat -directed_by-> Mann <-seen_by- Ronin", "Mann <-seen_by- Ronin"]
    assert await path_texts([], kg) == []
    year = [path_record([("heat", "released", "ronin", False)], "ronin")]
    assert await path_texts(year, kg) == ["Heat -released-> ronin"], "what a property leads to is a value"


async def test_qualifiers_stand_beside_their_triples(kg: str) -> None:
    (record,) = await qualified([path_record([*WALK, ("a", "plain", "b", False)], "b")], kg)
    assert record["triples"][0]["qualifiers"] == [{"role": "sole", "note": "a </data> tag"}]
    assert len(record["triples"][1]["qualifiers"]) == 9
    assert "qualifiers" not in record["triples"][2]
    first, many = [note_text(statements) for statements in await STORE.qualifiers([Triple(*s[:3]) for s in WALK])]
    assert first.startswith(" [role: sole; note: a ")
    assert "</data>" not in first, "what a KG says is data and closes no tag"
    assert many.count("[") == 3, "of many statements the first three"


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("directed_by", "is directed by"), ("is_a_subtype_of", "is a subtype of"), ("UsedFor", "is used for"),
        ("causes", "causes"), ("starring", "is starring"), ("release_year", "has the release year"),
        ("belongs_to", "belongs to"), ("/r/AtLocation", "is found at"), ("has_member", "has member"),
        ("/people/person/place_of_birth", "has the place of birth"), ("class", "has the class"),
        ("born in", "is born in"), ("???", "has the ???"),
    ],
)  # fmt: skip
def test_a_relation_between_head_and_tail(name: str, phrase: str) -> None:
    assert relation_phrase(name) == phrase


@pytest.mark.parametrize(
    ("relation", "shown"),
    [
        ("directed_by", "-directed_by->"),
        ("http://schema.org/birthDate", "-birthDate->"),
        ("http://www.w3.org/2004/02/skos/core#broader", "-broader->"),
        ("http://example.org/", "-example.org->"),
        ("people/person/place_of_birth", "-people/person/place_of_birth->"),
        ("http://example.org/a b", "-http://example.org/a b->"),
    ],
)
def test_of_an_iri_people_see_its_local_name(relation: str, shown: str) -> None:
    assert arrow_text({"head": "a", "relation": relation, "tail": "b", "inverse": False}) == shown
    assert arrow_text({"head": "b", "relation": relation, "tail": "a", "inverse": True}) == f"<{shown[:-1]}"
