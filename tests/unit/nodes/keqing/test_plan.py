from __future__ import annotations

import pytest

from trivium.kg.plans.text import parse
from trivium.nodes.keqing.decompose.plan import is_chain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('ids "Trumbo" | follow directed_by, ^directed_by', True),
        ('both(ids "Trumbo"; type "" | follow directed_by | follow ^directed_by) | follow has_genre', True),
        ('both(ids "Trumbo"; type "film" | follow directed_by | follow ^directed_by) | follow has_genre', False),
        ('ids "Trumbo" | follow directed_by, ^directed_by | count', False),
        ('ids "Trumbo"', False),
    ],
)
def test_a_chain_follows_relations_from_named_entities(text: str, expected: bool) -> None:
    """Without types, `type ""` holds every entity and restricts nothing."""
    assert is_chain(parse(text)) is expected
