"""Keys of sketches, equal for those that mean the same, and how alike the words of an item are to what they say."""

from __future__ import annotations

from trivium.policies.reader.items import Item
from trivium.policies.reader.matching import Element
from trivium.policies.reader.rules.base import likeness
from trivium.policies.reader.sketch import canonical


def test_order_in_intersections_does_not_count_and_words_are_words() -> None:
    assert canonical(("and", "a", ("and", "b", "c"))) == canonical(("and", ("and", "c", "a"), "b"))
    assert canonical(("and", "a", "b")) != canonical(("or", "a", "b"))
    assert canonical(("said", ("go",))) == ("said", ("go",)), "a question may say the word that names a step"


def test_the_words_of_an_item_say_how_alike_it_is_and_paths_do_not() -> None:
    words = ((1, Element("type", 0), 0.6), (2, Element("property", 0), 1.0))
    assert likeness(Item("P", links=(words[:1], (words[1:], ((-1, "path", (object(), False)),))))) == 0.6
    assert likeness(Item("P", links=((-1, "path", (object(), True)),))) == 1.0
