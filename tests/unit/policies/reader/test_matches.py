"""Questions about matches, of which no cell says who won."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor, Listed
from trivium.kg.plans.plan import Value
from trivium.kg.plans.survey import profile_of
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader

GAMES = [
    ("Ajax", "Bell", 3, 1, "2018-01-06"),
    ("Bell", "Ajax", 0, 0, "2018-02-03"),
    ("Ajax", "Cork", 0, 2, "2018-01-13"),
    ("Cork", "Ajax", 1, 4, "2018-03-10"),
    ("Bell", "Cork", 2, 2, "2018-01-20"),
    ("Cork", "Bell", 3, 1, "2018-02-17"),
]


@cache
def _league(first: str, second: str, figure: str) -> tuple[GraphColumns, Reader]:
    """Six games; what the columns of both sides begin with, and what their figures are called."""
    entities: list[Any] = [(name, ["team"], {}) for name in ("Ajax", "Bell", "Cork")]
    edges: list[Any] = []
    for number, (home, away, scored, conceded, day) in enumerate(GAMES):
        values = {f"{first}_{figure}": float(scored), f"{second}_{figure}": float(conceded), "date": Value("date", day)}
        entities.append((f"game/row{number}", ["game"], values))
        edges += [(f"game/row{number}", f"{first}_team", home, {}), (f"game/row{number}", f"{second}_team", away, {})]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best(question: str, first: str = "home", second: str = "away", figure: str = "score") -> object:
    """The answer: a number, a yes or no, texts or labels; None where a word is not read."""
    graph, reader = _league(first, second, figure)
    executor = Executor(graph)
    found = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    answer = executor.answer(found[0].plan) if found and not found[0].unread else None
    if isinstance(answer, Value):
        return answer.value
    if isinstance(answer, Listed):
        return {part.text(at) for part, column in zip(answer.columns, answer.at.T, strict=True) for at in column}
    return None if answer is None else {graph.ids[row] for row in answer.tolist()}


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("how many games did Ajax win?", 2),
        ("how many games did Ajax win at home?", 1),
        ("how many games did Ajax lose?", 1),
        ("how many wins did Cork have?", 2),
        ("how many times did Ajax beat Bell?", 1),
        ("how many times did Ajax fail to score?", 2),
        ("how many clean sheets did Cork keep?", 1),
        ("number of matches that ended goalless", 1),
        ("how many games ended in a draw?", 2),
        ("how many home wins were there?", 2),
        ("how many goals did Ajax score?", 7),
        ("how many goals did Ajax concede away from home?", 1),
        ("how many goals did Ajax score against Bell?", 3),
    ],
)
def test_counts_and_goals(question: str, number: int) -> None:
    assert _best(question) == number


@pytest.mark.parametrize(
    ("question", "teams"),
    [
        ("who beat Bell 3-1 at home?", {"Ajax", "Cork"}),
        ("who beat Ajax?", {"Cork"}),
        ("which teams did Ajax beat?", {"Bell", "Cork"}),
        ("who did Ajax lose to?", {"Cork"}),
        ("which team scored the most goals at home?", {"Cork"}),
    ],
)
def test_teams(question: str, teams: set[str]) -> None:
    assert _best(question) == teams


def test_when_and_whether() -> None:
    assert _best("when did Ajax host Cork?") == {"2018-01-13"}
    assert _best("when did Ajax play Cork away?") == {"2018-03-10"}
    assert _best("did Ajax beat Bell?") is True
    assert _best("did Bell beat Ajax?") is False


def test_sides_without_a_home() -> None:
    columns = {"first": "team1", "second": "team2", "figure": "goals"}
    assert _best("how many games did Ajax win?", **columns) == 2
    assert _best("how many games did Ajax win at home?", **columns) is None, "nothing says who is at home"


@pytest.mark.parametrize(
    "question",
    [
        "who refereed Ajax against Bell?",
        "who scored the winner when Ajax beat Bell?",
        "how many spectators saw Ajax win?",
    ],
)
def test_what_matches_do_not_tell(question: str) -> None:
    assert _best(question) is None


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("in how many games is the home score greater than the away score?", 2),
        ("how many games have an away score equal to their home score?", 2),
        ("how many games have a home score different from the away score?", 4),
        ("how many games have a home score above 2?", 2),
    ],
)
def test_two_columns_of_one_row(question: str, number: int) -> None:
    assert _best(question) == number
    assert _best("games whose away score is higher than their home score") == {"game/row2", "game/row3"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how many games did Ajax win in the Eredivisie?", 1),
        ("how many games did Ajax win in season 2018-2019?", 1),
        ("when did Ajax host Cork in the 2017-2018 season?", {"2018-01-13"}),
        ("who did Ajax beat in the cup?", None),
    ],
)
def test_matches_of_a_league_and_a_season(question: str, answer: object) -> None:
    entities: list[Any] = [(name, ["team"], {}) for name in ("Ajax", "Bell", "Cork")]
    entities += [(name, ["league"], {}) for name in ("Eredivisie", "Friendly")]
    edges: list[Any] = []
    for number, (home, away, scored, conceded, day) in enumerate(GAMES):
        season = Value("text", "2017-2018" if number < 3 else "2018-2019")
        values = {"home_goals": float(scored), "away_goals": float(conceded), "date": Value("date", day)}
        entities.append((f"game/row{number}", ["game"], {**values, "season": season}))
        edges += [(f"game/row{number}", "home_team", home, {}), (f"game/row{number}", "away_team", away, {})]
        edges += [(f"game/row{number}", "league", "Eredivisie" if number < 2 else "Friendly", {})]
    graph = GraphColumns.of(entities, edges)
    reader, executor = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder()), Executor(graph)
    found = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    said = executor.answer(found[0].plan) if found and not found[0].unread else None
    if isinstance(said, Listed):
        assert {str(column.text(at)) for column, (at,) in zip(said.columns, said.at, strict=True)} == answer
    else:
        assert (said.value if isinstance(said, Value) else said) == answer
