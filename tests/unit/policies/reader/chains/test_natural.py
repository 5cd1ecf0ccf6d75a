"""Templates in natural words: from the phrase book, from the shape of names, and never one text for two hops."""

from __future__ import annotations

import pytest

from trivium.kg.types import RelationSchema
from trivium.policies.reader.chains.natural import natural_templates


def _texts(*relations: RelationSchema) -> dict[str, str]:
    return {str(chain[0]): found.text for found in natural_templates(relations) for chain in found.chains}


def _of(name: str, head: str = "", tail: str = "") -> RelationSchema:
    return RelationSchema(name, 1, 1, 1, (head,) if head else (), (tail,) if tail else ())


@pytest.mark.parametrize(
    ("relation", "forward", "inverse"),
    [
        (_of("directed_by", "Film"), "who directed [mask]?", "which films did [mask] direct?"),
        (_of("directed_by"), "who directed [mask]?", "what did [mask] direct?"),
        (_of("DIRECTED", "Person", "Movie"), "which movies did [mask] direct?", "who directed [mask]?"),
        (_of("birthPlace"), "where was [mask] born?", "who was born in [mask]?"),
        (_of("release_year", "film"), "when was [mask] released?", "which films were released in [mask]?"),
        (_of("release_year"), "when was [mask] released?", "what was released in [mask]?"),
        (_of("executive_produced_by"), "who executive produced [mask]?", "what did [mask] executive produce?"),
        (_of("interactsWith", "Drug"), "what does [mask] interact with?", "what interacts with [mask]?"),
        (_of("SUPPLIES", "Company", "Part"), "which parts does [mask] supply?", "which companies supply [mask]?"),
        (_of("in_orbit"), "which orbit is [mask] in?", "what is in the orbit [mask]?"),
        (_of("has_colour", "Car"), "what is the colour of [mask]?", "which cars have the colour [mask]?"),
        (_of("hobbies", "Person"), "what are the hobbies of [mask]?", "who has [mask] among their hobbies?"),
        (_of("vice president of"), "what is [mask] the vice president of?", "what is the vice president of [mask]?"),
        (_of("/people/person/sibling_s./people/sibling_relationship/sibling"), "who are the siblings of [mask]?",
         "whose sibling is [mask]?"),
        (_of("/film/film/directed_by"), "who directed [mask]?", "which films did [mask] direct?"),
    ],
)  # fmt: skip
def test_both_directions_read_naturally(relation: RelationSchema, forward: str, inverse: str) -> None:
    assert _texts(relation) == {relation.name: forward, f"^{relation.name}": inverse}


def test_relations_that_would_read_alike_are_told_apart() -> None:
    actor, director = "/film/actor/film./film/performance/film", "/film/director/film"
    texts = _texts(_of(actor), _of(director))
    assert texts[actor] == "what is the film of the actor [mask]?"
    assert texts[director] == "what is the film of the director [mask]?"
    both = _texts(_of("directed_by"), _of("director"))
    assert len(set(both.values())) == 4
    assert both["director"] != both["directed_by"]


def test_every_hop_has_one_text_with_one_mask() -> None:
    names = [
        "a",
        "x_of",
        "of_x",
        "by",
        "has",
        "has_",
        "is_a",
        "Größe",
        "作者",
        "follows",
        "/a/b/c",
        "a/b",
        "http://x.y/z#in",
    ]
    found = natural_templates([_of(name, "Entity", "") for name in names])
    assert sorted(str(chain[0]) for template in found for chain in template.chains) == sorted(
        [*names, *(f"^{name}" for name in names)]
    )
    assert all(template.text.count("[mask]") == 1 for template in found)
    assert not any(mark in template.text for template in found for mark in "{}|")


def test_an_event_s_name_is_not_taken_for_the_relation_s() -> None:
    nominated = "/award/award_nominee/award_nominations./award/award_nomination/award"
    texts = _texts(_of(nominated))
    assert "win" not in texts[nominated]
    assert texts[nominated] == "what is the award of [mask]?"
