"""What is left out of the prompt that decomposes, where it would be too long."""

from __future__ import annotations

from trivium.kg.types import Hop
from trivium.nodes.keqing.decompose import model
from trivium.nodes.keqing.decompose.prompt import AskedDecomposition, in_full
from trivium.nodes.run.usage import estimate_tokens
from trivium.tools.decomposition_hints import RelationHint

WAYS = [(True, "what did [mask] write?"), (False, "who wrote [mask]?")]
VALUES = {"question": "who?", "entities": "Heat", "context": ""}


def _hints(name: str, own: int, others: int) -> list[RelationHint]:
    return [
        RelationHint(Hop(f"{name}{place}", False), (), (), f"who is the {name} of [mask]?", place < own)
        for place in range(own + others)
    ]


def test_short_names_are_all_shown_with_their_wordings() -> None:
    prompt = model._within(VALUES, _hints("r", 15, 5), ["an exemplar\n"], {})
    assert all(f"\nr{place}  " in prompt for place in range(20))
    assert prompt.count("who is the r of [mask]?") == 20
    assert "an exemplar" in prompt


def test_exemplars_go_first_then_wordings_then_the_farthest_relations() -> None:
    name = "administrative_divisions/of_the_country"
    prompt = model._within(VALUES, _hints(name, 15, 5), ["an exemplar\n" * 400], {})
    assert "an exemplar" not in prompt
    assert f"the {name} of" not in prompt
    assert all(f"{name}{place}\n" in prompt for place in range(20))
    longer = model._within(VALUES, _hints(name * 3, 15, 5), [], {})
    shown = [place for place in range(20) if f"{name * 3}{place}\n" in longer]
    assert estimate_tokens(longer) <= model._PROMPT or len(shown) == model._FEWEST
    assert model._FEWEST <= len(shown) < 20
    assert {0, 15} <= set(shown), "the nearest of its entities' own, and of those for later steps"
    endless = model._within(VALUES, _hints(name * 4, 15, 5), [], {})
    assert sum(f"{name * 4}{place}\n" in endless for place in range(20)) == model._FEWEST


def test_both_ways_of_a_relation_share_a_line() -> None:
    ways = [RelationHint(Hop("written_by", inverse), (), (), wording, False) for inverse, wording in WAYS]
    assert '\n(^)written_by  "who wrote [mask]?"  ^"what did [mask] write?"\n' in model._within(VALUES, ways, [], {})
    assert '\n^written_by  "what did [mask] write?"\n' in model._within(VALUES, ways[:1], [], {})


def test_a_long_name_is_shown_briefly_where_that_means_one_relation() -> None:
    known = ["/film/film/country", "/tv/film/country", "/people/person/places_lived./people/place_lived/location"]
    names = model._brief(known)
    assert names == {known[2]: "person/places_lived/location"}
    said = {"question": "[mask] lived where?", "id": 0, "args": {"seed_entities": ["x"]}}
    for relation, full in (("^person/places_lived/location", f"^{known[2]}"), ("(^)own", "own"), (None, None)):
        asked = AskedDecomposition.model_validate({"sub_questions": [{**said, "relation": relation}]})
        (sub,) = in_full(asked, {brief: name for name, brief in names.items()}).sub_questions
        assert sub.relation == full
