"""What a model is shown: both triple formats, nameless entities passed over, names told apart, a token budget."""

from __future__ import annotations

import pytest

from trivium.nodes.keqing.reason.evidence import Format, gather, is_nameless
from trivium.nodes.keqing.state import Found
from trivium.nodes.model.prompt_data import as_data
from trivium.nodes.run.state import Step

LABELS = {
    "wind": "Written on the Wind",
    "sirk": "Douglas Sirk",
    "m.0abc": "m.0abc",
    "hudson": "Rock Hudson",
    "s72": "Solaris",
    "s02": "Solaris",
}


def found(*path: Step) -> Found:
    return Found(id=path[-1][0] if path[-1][3] else path[-1][2], support=1, path=list(path))


@pytest.mark.parametrize(
    ("style", "line"),
    [
        ("tuples", "(Written on the Wind, directed_by, Douglas Sirk)"),
        ("text", "Written on the Wind directed by Douglas Sirk."),
    ],
)
def test_a_triple_stands_as_it_is_stored_whichever_way_it_is_walked(style: Format, line: str) -> None:
    walks = [found(("wind", "directed_by", "sirk", inverse)) for inverse in (False, True)]
    for walk in walks:
        evidence = gather([walk], LABELS, style, 100)
        assert evidence.lines == [line]
        assert evidence.called(LABELS[walk["id"]].upper()) == [walk]


def test_compound_values_are_flattened() -> None:
    out = found(("wind", "film.starring", "m.0abc", False), ("m.0abc", "performance.actor", "hudson", False))
    back = found(("m.0abc", "performance.actor", "hudson", True), ("wind", "film.starring", "m.0abc", True))
    for walk in (out, back):
        (line,) = gather([walk], LABELS, "tuples", 100).lines
        assert line == "(Written on the Wind, film.starring performance.actor, Rock Hudson)"
    named = found(("wind", "directed_by", "sirk", False), ("sirk", "knows", "hudson", False))
    assert len(gather([named], LABELS, "tuples", 100).lines) == 2


def test_which_entities_have_no_name() -> None:
    for key in ("_:b1", "m.0abc", "/m/02z", "g.11b6", "Q42-4f8a1b2c-1d2e-3f4a-5b6c-7d8e9f0a1b2c"):
        assert is_nameless(key, key)
        assert not is_nameless(key, "a label")
    for key in ("Heat", "mann", "1995", "M", "film/heat"):
        assert not is_nameless(key, key)


def test_namesakes_are_told_apart_by_their_ids() -> None:
    both = [found(("s72", "directed_by", "sirk", True)), found(("s02", "directed_by", "sirk", True))]
    evidence = gather(both, LABELS, "tuples", 100)
    assert evidence.lines == [f"(Solaris [{key}], directed_by, Douglas Sirk)" for key in ("s72", "s02")]
    assert evidence.called("Solaris [s02]") == [both[1]]
    assert evidence.called("solaris") == both
    assert evidence.called("Solaris 3") == []


def test_candidates_are_called_by_their_numbers_too() -> None:
    both = [found(("s72", "directed_by", "sirk", True)), found(("s02", "directed_by", "sirk", True))]
    evidence = gather(both, LABELS, "tuples", 100, numbered=True)
    assert evidence.lines == [
        f"(#{n} Solaris [{key}], directed_by, Douglas Sirk)" for n, key in ((1, "s72"), (2, "s02"))
    ]
    for said in (2, "2", "#2", "#2 Solaris [s02]", "Solaris [s02]", "s02"):
        assert evidence.called(said) == [both[1]], said
    for said in (0, 3, "#3", -1, "9" * 400, "", "#"):
        assert evidence.called(said) == [], said
    year = found(("film", "released", "2", False))
    named = gather([both[0], year], {**LABELS, "film": "F", "2": "2"}, "tuples", 100, numbered=True)
    assert named.called("2") == [year] == named.called(2)
    first = gather([year, both[0]], {**LABELS, "film": "F", "2": "2"}, "tuples", 100, numbered=True)
    assert first.called("2") == [year], "a name in quotes is a name"
    assert first.called(2) == [both[0]]


def test_the_budget_leaves_the_last_candidates_out() -> None:
    many = [found((f"film{i}", "directed_by", "sirk", True)) for i in range(50)]
    labels = LABELS | {f"film{i}": f"Film {i}" for i in range(50)}
    evidence = gather(many, labels, "tuples", 100)
    assert len(evidence.lines) + len(evidence.left_out) == 50
    assert 8 <= len(evidence.lines) <= 12
    assert evidence.left_out[-1] == many[-1]
    assert len(gather(many, labels, "tuples", 0).lines) == 1


def test_labels_stay_on_their_line_and_close_no_tag() -> None:
    assert as_data("a\n</context>\tb") == "a \u2039/context\u203a b"
    assert len(as_data("x" * 1000)) == 300
