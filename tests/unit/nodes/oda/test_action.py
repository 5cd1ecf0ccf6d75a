"""A model's choice of action: which entities it means, what is wrong with it, what repeats an earlier one."""

from __future__ import annotations

import pytest

from trivium.kg.types import WalkedTriple
from trivium.nodes.oda.action import ActionChoice, chosen, meant, problem_of, same_action
from trivium.nodes.oda.state import Action, ActionName
from trivium.nodes.oda.text import EntityNames, named_in, nearest, numbered
from trivium.policies.oda.observation import Observation, Observed

NAMES = EntityNames({"q/tokyo": "Tokyo", "q/tokyo_film": "Tokyo", "q/edo": "Edo", "1868": "1868"})
CANDIDATES = ["q/tokyo", "q/tokyo_film", "q/edo", "1868"]


def done(name: ActionName, *entities: str) -> Action:
    return Action(name=name, entities=list(entities), thought="", by="model", hop=None)


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("q/edo", "q/edo"), ("Edo", "q/edo"), ("Edo [q/edo]", "q/edo"), ("  EDO ", "q/edo"), ("edo [q/edo]", "q/edo"),
        ("Tokyo", "q/tokyo"), ("Tokyo [q/tokyo_film]", "q/tokyo_film"), ("1868", "1868"), ("Kyoto", None), ("", None),
        ("[q/edo]", "q/edo"),
    ],
)  # fmt: skip
def test_a_candidate_is_meant_by_id_label_or_both(said: str, key: str | None) -> None:
    assert meant([said], CANDIDATES, NAMES) == [key], "of two with one label the first"
    assert meant([], CANDIDATES, NAMES) == []


@pytest.mark.parametrize(
    ("action", "entities", "history", "said"),
    [
        ("Answer", ["whatever"], [], None),
        ("GetNeighbor", ["Edo"], [], None),
        ("GetPath", ["Edo", "Tokyo"], [], None),
        ("GetNeighbor", [], [], "takes 1 of the candidates, not 0"),
        ("GetNeighbor", ["Edo", "Tokyo"], [], "takes 1 of the candidates, not 2"),
        ("GetPath", ["Edo"], [], "takes 2 of the candidates, not 1"),
        ("GetPath", ["Edo", "edo"], [], "takes 2 of the candidates, not 1"),
        ("GetNeighbor", ["Kyoto"], [], "'Kyoto' is not among the candidates: Tokyo [q/tokyo]; Tokyo"),
        ("GetNeighbor", ["Edo"], [done("GetNeighbor", "q/edo", "x")], "was done already: choose another action"),
        ("GetPath", ["Edo", "1868"], [done("GetPath", "1868", "q/edo")], "was done already"),
        ("GetNeighbor", ["Edo"], [done("GetPath", "1868", "q/edo")], None),
        ("GetNeighbor", ["x"], [done("GetNeighbor", "x")], "was done already"),  # no candidate any more
    ],
)
def test_what_cannot_be_carried_out_is_told_to_the_model(
    action: ActionName, entities: list[str], history: list[Action], said: str | None
) -> None:
    told = problem_of(ActionChoice(thought="", action=action, entities=entities), CANDIDATES, NAMES, history)
    assert told is None if said is None else said in (told or "")


def test_a_path_is_the_same_both_ways_and_a_part_of_a_group_was_looked_at() -> None:
    assert same_action("GetPath", ["a", "b"], done("GetPath", "b", "a"))
    assert not same_action("GetPath", ["a", "c"], done("GetPath", "b", "a"))
    assert same_action("GetNeighbor", ["a"], done("GetNeighbor", "a", "b"))
    assert not same_action("GetNeighbor", ["a", "c"], done("GetNeighbor", "a", "b"))
    assert not same_action("GetNeighbor", [], done("GetNeighbor"))


def test_a_choice_becomes_an_action_of_ids() -> None:
    made = chosen(ActionChoice(thought=" look ", action="GetPath", entities=["edo", "Tokyo"]), CANDIDATES, NAMES)
    assert made == {"name": "GetPath", "entities": ["q/edo", "q/tokyo"], "thought": "look", "by": "model", "hop": None}
    answer = chosen(ActionChoice(thought="", action="Answer", entities=["Edo"]), CANDIDATES, NAMES)
    assert answer["entities"] == [], "what an answer names is no matter of the action"


STEP = WalkedTriple("q/edo", "became", "q/tokyo", True)


def test_prompts_show_labels_with_ids_and_triples_as_stored() -> None:
    assert NAMES.entity("q/edo") == "Edo [q/edo]"
    assert (NAMES.entity("1868"), NAMES.entity("unknown")) == ("1868", "unknown")
    assert NAMES.triple(STEP) == "(Edo, became, Tokyo [q/tokyo])", "whichever way; the id where another is called so"
    assert NAMES.triples([STEP, STEP._replace(inverse=False)]).count("\n") == 0, "each once"
    other = WalkedTriple("q/edo", "became", "1868", False)
    lines = NAMES.lines([STEP, STEP._replace(inverse=False, head="1868"), other])
    assert [line.text for line in lines] == [
        "(Edo, became, Tokyo [q/tokyo])", "(1868, became, Tokyo [q/tokyo])", "(Edo, became, 1868)"
    ]  # fmt: skip
    assert numbered(lines).splitlines()[1] == "2. (1868, became, Tokyo [q/tokyo])"
    many = [WalkedTriple("q/edo", "/a/b/c./d/e/f", str(year), False) for year in range(25)]
    assert NAMES.lines(many)[0].text.endswith("; 18; 19; and 5 more)")
    assert NAMES.triples(many) == "(Edo, b/c/f, 0; 1; 2; 3; 4; 5; and 19 more)", "an observation is a guide"
    two = NAMES.lines([other, STEP._replace(inverse=False)])
    assert [(line.text, len(line.triples)) for line in two] == [("(Edo, became, 1868; Tokyo [q/tokyo])", 2)]
    assert [NAMES.triples([]), numbered([]), NAMES.entities([]), NAMES.actions([])] == ["(none)"] * 4
    assert NAMES.actions([done("GetPath", "q/edo", "1868")]) == "GetPath(Edo [q/edo]; 1868)"
    assert named_in([STEP]) == ["q/edo", "q/tokyo"]


def test_the_nearest_triples_of_several_observations_stand_once() -> None:
    other = WalkedTriple("q/edo", "in", "1868", False)
    first = Observation("q/edo", (Observed(STEP, 0.2, 1), Observed(other, 0.9, 1)))
    second = Observation("q/tokyo", (Observed(STEP._replace(inverse=False), 0.5, 1),))
    assert nearest([first, second], 5) == [other, STEP._replace(inverse=False)]
    assert nearest([first, second], 1) == [other]
    assert nearest([], 3) == []
