"""`trivium draw METHOD`: the graph as mermaid text."""

from __future__ import annotations

from tests.unit.app.cli.running import Trivium, refused


def test_keqing_is_drawn(trivium: Trivium) -> None:
    said = trivium("draw", "keqing")
    assert (said.code, said.err) == (0, "")
    assert "graph TD;" in said.out
    for edge in ("retrieve --> reason;", "decompose -.-> match_template;", "respond --> __end__;"):
        assert edge in said.out


def test_what_there_is_no_graph_of_is_wrong_usage(trivium: Trivium) -> None:
    for method in ("speling", "magic"):
        refused(trivium("draw", method), "UsageError", repr(method), "keqing", code=2)
    assert trivium("draw").code == 2


def test_odas_loop_shows(trivium: Trivium) -> None:
    said = trivium("draw", "oda")
    assert said.code == 0
    for edge in ("observe --> choose_action;", "choose_action -.-> act;", "act --> reflect;", "reflect -.-> observe;"):
        assert edge in said.out


def test_the_router_and_its_methods_are_drawn(trivium: Trivium) -> None:
    said = trivium("draw", "auto")
    assert said.code == 0
    for edge in ("plan_methods -.-> keqing;", "oda --> judge_answer;", "judge_answer -.-> knowgpt;"):
        assert edge in said.out
