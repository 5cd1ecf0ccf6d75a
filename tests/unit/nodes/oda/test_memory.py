"""The memory as a network of paths, by the paper's rule."""

from __future__ import annotations

from trivium.kg.types import WalkedTriple, chain_text
from trivium.nodes.oda.memory import Memory, chain_of, chains_from, remember, start_of, traces, triples_of


def out(head: str, relation: str, tail: str) -> WalkedTriple:
    return WalkedTriple(head, relation, tail, inverse=False)


def into(head: str, relation: str, tail: str) -> WalkedTriple:
    return WalkedTriple(head, relation, tail, inverse=True)


def test_a_triple_goes_to_the_first_path_that_ends_where_it_begins() -> None:
    memory = remember([], [out("a", "r", "b"), out("x", "r", "b"), out("b", "s", "c")])
    assert memory == [
        [("a", "r", "b", False), ("b", "s", "c", False)],
        [("x", "r", "b", False)],
    ]
    memory = remember(memory, [out("b", "s", "d")])
    assert memory[1] == [("x", "r", "b", False), ("b", "s", "d", False)]
    memory = remember(memory, [out("b", "s", "e")])
    assert memory[2] == [("b", "s", "e", False)]  # no path ends there any more


def test_inverse_triples_end_at_their_head() -> None:
    memory = remember([], [into("film", "directed_by", "sirk"), out("film", "starring", "hudson")])
    assert memory == [[("film", "directed_by", "sirk", True), ("film", "starring", "hudson", False)]]


def test_nothing_is_taken_up_twice_and_no_path_comes_back() -> None:
    once = remember([], [out("a", "r", "b")])
    assert remember(once, [out("a", "r", "b"), into("a", "r", "b")]) == once
    assert remember(once, [out("b", "s", "a")]) == [*once, [("b", "s", "a", False)]]
    assert once == [[("a", "r", "b", False)]]  # the memory before is left as it was


def test_the_papers_rule_takes_up_whatever_fits() -> None:
    once = remember([], [out("a", "r", "b")], simple=False)
    back, again = out("b", "s", "a"), out("a", "r", "b")
    assert remember(once, [back, again], simple=False) == [[*once[0], ("b", "s", "a", False), ("a", "r", "b", False)]]


def test_ways_from_topics() -> None:
    memory: Memory = remember([], [out("a", "r", "b"), out("x", "r", "b"), out("b", "s", "c"), out("z", "r", "y")])
    ways = traces(memory, ["a", "x"])
    assert set(ways) == {"a", "x", "b", "c"}
    assert ways["a"] == ()
    assert chain_text(chain_of(ways["c"])) == ["r", "s"]
    assert start_of(ways["c"], "c") == "a"
    assert [chain_text(chain) for chain in chains_from(memory, "x")] == [["r"], ["r", "s"]]
    assert chains_from(memory, "nobody") == []
    assert len(triples_of(memory)) == 4
