"""Keys of sketches: equal for those that mean the same, and made of any word that a question says."""

from __future__ import annotations

from trivium.policies.reader.sketch import canonical


def test_order_in_intersections_does_not_count_and_words_are_words() -> None:
    assert canonical(("and", "a", ("and", "b", "c"))) == canonical(("and", ("and", "c", "a"), "b"))
    assert canonical(("and", "a", "b")) != canonical(("or", "a", "b"))
    assert canonical(("said", ("go",))) == ("said", ("go",)), "a question may say the word that names a step"
