"""What an answer says that claims nothing: the one place that decides its `stop_reason`."""

from __future__ import annotations

import pytest

from trivium.nodes.run.abstain import Signals, Suggestion, judge

_KNOWS = ("birth year", "films directed by it")


@pytest.mark.parametrize(
    ("signals", "reason", "message"),
    [
        (Signals(found=True), "answered", ""),
        (
            Signals(found=True, doubtful=True, unread=("hair color", "eyes"), about="Douglas Sirk", knows=_KNOWS),
            "not_understood",
            'This graph has nothing on "hair color", "eyes". About Douglas Sirk it knows: birth year, '
            "films directed by it.",
        ),
        (
            Signals(found=False, missing="has ceo", of="Apple", about="Apple", knows=("founded by",)),
            "not_found",
            'This graph does not record "has ceo" for Apple. About Apple it knows: founded by.',
        ),
        (
            Signals(found=False, missing='nothing with "set in" Norway', about="Norway"),
            "not_found",
            'This graph has nothing with "set in" Norway.',
        ),
        (
            Signals(found=False, unknown=("Alien 3",), suggestions=[Suggestion(id="a", label="Alien", why="near")]),
            "unknown_entity",
            "This graph has no entity named 'Alien 3'. Did you mean Alien?",
        ),
        (
            Signals(found=False, unknown=("Al",), suggestions=[Suggestion(id=x, label=x, why="near") for x in "abcd"]),
            "unknown_entity",
            "This graph has no entity named 'Al'. Did you mean a or b or c?",
        ),
        (
            Signals(found=False, unmet=("2019",), about="Alfred Hitchcock"),
            "not_found",
            "Nothing in this graph fits all of the question: Alfred Hitchcock, 2019.",
        ),
        (
            Signals(found=False, unmet=("Hitchcock", "2019"), about="Alfred Hitchcock"),
            "not_found",
            "Nothing in this graph fits all of the question: Alfred Hitchcock, 2019.",
        ),
        (
            Signals(found=True, readings=[Suggestion(id="a", label="Georgia", why="country")]),
            "ambiguous",
            "The question may be about several entities: Georgia (country). Which one is meant?",
        ),
        (
            Signals(found=False, chat=True, knows=("starring",)),
            "out_of_scope",
            "This is no question about the facts of this graph. This graph knows: starring.",
        ),
        (
            Signals(found=False, chat=True, suggestions=[Suggestion(id="q", label="who is it?", why="answered")]),
            "out_of_scope",
            "This is no question about the facts of this graph. You could ask: who is it?",
        ),
        (
            Signals(found=True, doubtful=True, guessed=[("cost", "currency")], nearest="where was it made?"),
            "not_understood",
            'It is not certain what the question asks of this graph. The nearest that it has to "cost" is "currency".',
        ),
        (
            Signals(found=True, doubtful=True, nearest="where was it made?", knows=("maker",)),
            "not_understood",
            "It is not certain what the question asks of this graph. "
            'The nearest that it answers is "where was it made?". This graph knows: maker.',
        ),
        (Signals(found=False), "not_found", "The knowledge graph gives no answer to this question."),
        (Signals(found=False, read=False), "not_understood", "The knowledge graph gives no answer to this question."),
    ],
)
def test_what_is_said(signals: Signals, reason: str, message: str) -> None:
    decision = judge(signals)
    assert (decision.stop_reason, decision.message) == (reason, message)


def test_readings_and_near_names_are_suggested() -> None:
    one, other = (Suggestion(id=key, label=key, why="") for key in "ab")
    assert judge(Signals(found=True, readings=[one], suggestions=[other])).suggestions == [one, other]
