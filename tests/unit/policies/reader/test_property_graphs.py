"""Questions in users' words over a graph whose nodes and relationships have properties of every kind: a gym."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Value
from trivium.kg.plans.result import item_label, materialize
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.english import decade
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading

_MEMBERS = {
    "Ada Brook": ("gold", "2019-03-02", True, "Leeds"),
    "Ben Cole": ("silver", "2021-06-11", False, "Leeds"),
    "Cara Diaz": ("gold", "2022-01-20", True, "York"),
    "Dev Ellis": ("bronze", "2023-09-05", False, "York"),
}
_COURSES = {
    "Dawn Yoga": (45, 1984, False),
    "Iron Circuit": (90, 1995, False),
    "Aqua Spin": (60, 2016, True),
    "Quiet Hour": (30, 2021, False),
}
_TRAINERS = {"Femi Gray": "2012-02-01", "Hanna Ito": "2016-07-15", "Jon Kerr": "2020-10-30"}
_MACHINES = {"M1": ("Nordic Treadmill 3", 4200.0), "M2": ("Nordic Rower", 1900.0), "M3": ("Bellmore Bike", 2500.0)}
_BOOKED = [
    ("Ada Brook", "Dawn Yoga", 2, "2023-01-05"),
    ("Ada Brook", "Iron Circuit", 1, "2023-02-06"),
    ("Ada Brook", "Aqua Spin", 4, "2023-03-07"),
    ("Ben Cole", "Dawn Yoga", 1, "2023-04-08"),
    ("Cara Diaz", "Dawn Yoga", 3, "2023-05-09"),
]
_REVIEWED = [("Ada Brook", "Dawn Yoga", 5), ("Ben Cole", "Dawn Yoga", 3), ("Ada Brook", "Iron Circuit", 2)]
_TAUGHT = [("Femi Gray", "Dawn Yoga"), ("Femi Gray", "Iron Circuit"), ("Hanna Ito", "Aqua Spin")]
_LEVELS = {"Dawn Yoga": "Beginner", "Iron Circuit": "Expert", "Aqua Spin": "Beginner", "Quiet Hour": "Beginner"}


@cache
def _gym() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (
            name,
            ["Member"],
            {"name": name, "tier": tier, "joined": Value("date", joined), "student": student, "city": city},
        )
        for name, (tier, joined, student, city) in _MEMBERS.items()
    ]
    entities += [
        (name, ["Course"], {"length_min": length, "launch_year": year, "discontinued": stopped})
        for name, (length, year, stopped) in _COURSES.items()
    ]
    entities += [(name, ["Trainer"], {"hire_date": Value("date", hired)}) for name, hired in _TRAINERS.items()]
    entities += [
        (name, ["Machine"], {"model": model, "price_usd": price}) for name, (model, price) in _MACHINES.items()
    ]
    entities += [(name, ["Level"], {}) for name in ("Beginner", "Expert")]
    edges: list[Any] = [
        (who, "BOOKED", what, {"quantity": seats, "booked_on": Value("date", day)}) for who, what, seats, day in _BOOKED
    ]
    edges += [(who, "REVIEWED", what, {"score": score}) for who, what, score in _REVIEWED]
    edges += [(who, "TEACHES", what, {}) for who, what in _TAUGHT]
    edges += [(course, "OF_LEVEL", level, {}) for course, level in _LEVELS.items()]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _cells(graph: GraphColumns, reading: Reading) -> list[str]:
    found = materialize(Executor(graph), reading.plan)
    cells = [found.value] if found.value else [cell for row in found.rows for cell in row] or found.entities
    return sorted(map(item_label, cells))


def _ask(question: str) -> list[str]:
    """The cells of the best reading's answer, in an order of no meaning."""
    graph, reader = _gym()
    executor = Executor(graph)
    (best, *_) = reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)
    return _cells(graph, best)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("total quantity of Dawn Yoga booked so far", ["6"]),
        ("What quantity of Dawn Yoga did Cara Diaz book?", ["3"]),
        ("average score reviewers gave Dawn Yoga", ["4"]),
        ("When was Aqua Spin booked by Ada Brook?", ["2023-03-07"]),
        ("when did Ada Brook book Aqua Spin", ["2023-03-07"]),
        ("number of bookings per course", ["1", "1", "3", "Aqua Spin", "Dawn Yoga", "Iron Circuit"]),
        ("mean score for every level", ["2", "4", "Beginner", "Expert"]),
        ("total quantity booked per member", ["1", "3", "7", "Ada Brook", "Ben Cole", "Cara Diaz"]),
    ],
)
def test_properties_of_relationships(question: str, answer: list[str]) -> None:
    assert _ask(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "at longest trainers on average and year between 2 and 5",
        "machines under 2000 apiece total quantity booked any not under 5 per member",
    ],
)
def test_what_makes_no_sense_raises_nothing(question: str) -> None:
    graph, reader = _gym()
    executor = Executor(graph)
    for each in reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30):
        materialize(executor, each.plan)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which member booked Dawn Yoga first?", ["Ada Brook"]),
        ("Who was the last to book Dawn Yoga?", ["Cara Diaz"]),
        ("Which course was reviewed with the lowest score?", ["Iron Circuit"]),
        ("Who booked the highest quantity of Dawn Yoga?", ["Cara Diaz"]),
        ("highest score of Dawn Yoga", ["5"]),
        ("highest review of Dawn Yoga", ["5"]),
        ("members who booked Dawn Yoga after March 2023", ["Ben Cole", "Cara Diaz"]),
        ("Who reviewed Dawn Yoga above 4?", ["Ada Brook"]),
        ("Which courses did Ada Brook review with score 2?", ["Iron Circuit"]),
        ("Which courses have an average score between 3 and 5?", ["Dawn Yoga"]),
    ],
)
def test_what_relationships_have_ranks_and_bounds(question: str, answer: list[str]) -> None:
    assert _ask(question) == answer


def _plans(question: str) -> list[str]:
    """The plans as texts, best first."""
    graph, reader = _gym()
    executor = Executor(graph)
    return [write(each.plan) for each in reader.read(question, executor=lambda plan: outcome(executor, plan))]


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("name and city of the gold members", 'type Member | where tier = "gold" | values name, city'),
        ("gold members with their cities", 'type Member | where tier = "gold" | values ., city'),
        ("city of every gold member", 'type Member | where tier = "gold" | values ., city'),
        ("For each gold member show the city", 'type Member | where tier = "gold" | values ., city'),
        ("courses with their levels", "type Course | values ., OF_LEVEL/"),
        ("courses with length and launch year", "type Course | values ., length_min, launch_year"),
        (
            "all courses with launch year and whether they are discontinued",
            "type Course | values ., launch_year, discontinued",
        ),
        ("how many courses are there for each quantity?", "type Course | walk ^BOOKED | group #1@quantity : count"),
        ("number of members by type of tier", "type Member | group tier : count"),
        ("list the trainers with the number of courses they teach", "type Trainer | values ., count(TEACHES/)"),
        ("Which trainer has how many courses?", "type Trainer | values ., count(TEACHES/)"),
        ("levels with the average length of their courses", "values ., average(^OF_LEVEL/length_min)"),
        ("how many members are there per city and tier", "type Member | group city, tier : count"),
        ("city of the gold members", 'type Member | where tier = "gold" | values city'),
        ("the two longest courses by launch year", "type Course | top 2 by launch_year"),
        ("Is Ben Cole a student?", 'ids "Ben Cole" | values student'),
        ("courses of 60 minutes or more", "type Course | where length_min >= 60"),
        ("Who booked more, Ben Cole or Ada Brook?", "top 1 by count(BOOKED/)"),
        ("Who joined earlier, Cara Diaz or Ben Cole?", "bottom 1 by joined"),
    ],
)
def test_tables_truths_and_choices(question: str, plan: str) -> None:
    assert plan in _plans(question)[0]


@pytest.mark.parametrize("question", ["Who is the biggest member?", "Which trainer is the heaviest?"])
def test_the_biggest_is_not_the_latest(question: str) -> None:
    _, reader = _gym()
    best, *_ = reader.read(question)
    assert best.unused  # the superlative is left over: dates are all that there is to rank by
    assert "top" not in write(best.plan)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("courses taught by Hanna Ito or longer than 80 minutes", ["Aqua Spin", "Iron Circuit"]),
        ("courses under 40 minutes or taught by Hanna Ito", ["Aqua Spin", "Quiet Hour"]),
        ("courses taught by Femi Gray that are longer than 80 minutes", ["Iron Circuit"]),
    ],
)
def test_one_of_two_conditions_of_different_kinds(question: str, answer: list[str]) -> None:
    assert _ask(question) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("students who joined before 2020", ["Ada Brook"]),
        ("How many students from York are there?", ["1"]),
        ("courses that are no longer offered", ["Aqua Spin"]),
        ("How many Nordic machines do we own?", ["2"]),
        ("How many members do we have in york?", ["2"]),
        ("gold members who signed up in 2020 or later", ["Cara Diaz"]),
        ("courses from the eighties", ["Dawn Yoga"]),
        ("courses of more than one hour", ["Iron Circuit"]),
        ("courses under 0.75 hours", ["Quiet Hour"]),
        ("machines under 2000 apiece", ["M2"]),
        ("members in Leeds with more than two courses", ["Ada Brook"]),
        ("trainers with two or more courses", ["Femi Gray"]),
        ("Which trainers have no courses?", ["Jon Kerr"]),
        ("courses nobody has reviewed yet", ["Aqua Spin", "Quiet Hour"]),
        ("courses longer than an hour", ["Iron Circuit"]),
        ("list members who are not students", ["Ben Cole", "Dev Ellis"]),
        ("How many non-students are there?", ["2"]),
        ("reviewed courses", ["Dawn Yoga", "Iron Circuit"]),
        ("Are there trainers without courses? Which ones?", ["Jon Kerr"]),
        ("Which course trainers were hired before 2015?", ["Femi Gray"]),
        ("List the course trainers", ["Femi Gray", "Hanna Ito"]),
        ("What are the course trainers of Dawn Yoga?", ["Femi Gray"]),
        ("Which course levels are there?", ["Beginner", "Expert"]),
        ('machines of the model "Nordic Treadmill"', ["M1"]),
        ("Which machines cost more than the average price?", ["M1"]),
        ("courses shorter than the average length", ["Dawn Yoga", "Quiet Hour"]),
        ("Machines priced above the price of M2", ["M1", "M3"]),
        ("machines that do not cost more than 2000", ["M2"]),
        ("machines with a higher price than 2000", ["M1", "M3"]),
        ("levels whose average length is above 50", ["Expert"]),
        ("courses with more than two bookings", ["Dawn Yoga"]),
        ("January 2022 members", ["Cara Diaz"]),
    ],
)
def test_conditions_in_users_words(question: str, answer: list[str]) -> None:
    assert _ask(question) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which trainer has been with the gym the longest?", ["Femi Gray"]),
        ("longest hired trainer", ["Femi Gray"]),
        ("the trainer hired the shortest", ["Jon Kerr"]),
        ("two longest courses", ["Aqua Spin", "Iron Circuit"]),
        ("How long is the Iron Circuit?", ["90"]),
        ("top 1 courses by number of members", ["Dawn Yoga"]),
        ("top 1 trainers by number of courses taught", ["Femi Gray"]),
        ("Which course did most members book?", ["Dawn Yoga"]),
        ("What do Nordic machines cost on average?", ["3050"]),
        ("which tier do most members have", ["2", "gold"]),
        ("members broken down by tier", ["1", "1", "2", "bronze", "gold", "silver"]),
        ("How are the members distributed over the cities?", ["2", "2", "Leeds", "York"]),
    ],
)
def test_ranks_and_groups_in_users_words(question: str, answer: list[str]) -> None:
    assert _ask(question) == answer


def test_how_many_are_related_is_counted_of_all_not_of_those_that_are() -> None:
    assert _plans("which course has the most reviews?")[0] == "type Course | top 1 by count(^REVIEWED/)"
    assert _plans("who has the fewest reviews")[0] == "type Member | bottom 1 by count(REVIEWED/)"


def test_only_a_yes_or_no_is_false_where_there_is_none() -> None:
    assert not any("false" in plan for asked in ("members with no city", "no tier") for plan in _plans(asked))
    assert "type Member | where student = false" in _plans("no students")


def test_facts_of_a_named_thing_are_found_behind_a_set() -> None:
    assert {f'ids "Ben Cole" | values {name}' for name in ("joined", "city")} <= {
        *_plans("what did Ada Brook and Ben Cole raise?")
    }


def test_a_year_is_no_count_and_a_key_no_measure() -> None:
    graph = GraphColumns.of(
        [(f"b{n}", ["Book"], {"bookID": 10 + n, "year": 1990 + n}) for n in range(6)]
        + [(name, ["Author"], {}) for name in ("Ann", "Bob")],
        [(("Ann", "Bob")[n > 3], "WROTE", f"b{n}", {}) for n in range(6)],
    )
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    (best, *_) = reader.read("Which authors have more than three books?")
    assert _cells(graph, best) == ["Ann"]


def test_the_oldest_has_the_highest_age() -> None:
    graph = GraphColumns.of([(name, ["Person"], {"age": age}) for name, age in (("Ann", 30), ("Bob", 41))], [])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    for question, answer in (("who is the oldest person?", "Bob"), ("who is the youngest person?", "Ann")):
        assert _cells(graph, reader.read(question)[0]) == [answer]


@pytest.mark.parametrize(
    ("word", "years"),
    [("eighties", (1980, 1989)), ("90s", (1990, 1999)), ("2010s", (2010, 2019)), ("berries", None), ("1985", None)],
)
def test_decades(word: str, years: tuple[int, int] | None) -> None:
    assert decade(word) == years


def test_a_word_that_is_a_part_of_a_name_to_the_letter_counts_as_that() -> None:
    graph = GraphColumns.of([(f"p{n}", ["Product"], {"price_cost": n}) for n in range(3)], [])
    matcher = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder()).matcher
    for word in ("price", "cost"):  # each is also like the other
        (best, *_) = [match for match in matcher.word(word) if match.element.kind == "property"]
        assert best.exact
        assert best.part == matcher.language.stem(word)


@cache
def _club() -> tuple[GraphColumns, Reader]:
    """Users who follow one another, rate plays, and museums that show works: columns with function words as names."""
    entities: list[Any] = [
        (name, ["Member"], {"joined_on": Value("date", day), "licenceNo": f"L-{n}", "onCall": n == 1})
        for n, (name, day) in enumerate((("Ann", "2020-01-05"), ("Bob", "2021-02-06"), ("Cleo", "2022-03-07")))
    ]
    entities += [("Dan", ["Member"], {"joined_on": Value("date", "2019-05-01"), "birthYear": 1990, "mobile": "555"})]
    entities += [(f"k{n}", ["Post"], {"likeCount": n * 10, "text": f"News {n}"}) for n in (1, 2, 3)]
    entities += [("5", ["Tag"], {"title": "Gardening"}), ("6", ["Tag"], {"title": "Cooking"})]
    edges: list[Any] = [("Ann", "FOLLOWS", "Bob"), ("Cleo", "FOLLOWS", "Bob"), ("Ann", "FOLLOWS", "Cleo")]
    edges += [("Ann", "FOLLOWS", "Dan"), ("k1", "ABOUT", "5"), ("k2", "ABOUT", "6"), ("k3", "ABOUT", "5")]
    edges += [("Ann", "WROTE", "k1"), ("Bob", "WROTE", "k2"), ("Bob", "WROTE", "k3")]
    graph = GraphColumns.of(entities, [(*edge, {}) for edge in edges])
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who has the most followers?", ["Bob"]),
        ("Which members wrote no posts?", ["Cleo", "Dan"]),
        ("Which 2 posts have the highest like count?", ["k2", "k3"]),
        ("Which members are on call?", ["Bob"]),
        ("how many posts were written by each member", ["1", "2", "Ann", "Bob"]),
        ("What is the mobile number of Dan?", ["555"]),
        ("What is the mobile number of Ann?", []),
        ("What year was Dan born?", ["1990"]),
        ("What year was Ann born?", []),
    ],
)
def test_names_of_columns_with_words_of_no_content(question: str, answer: list[str]) -> None:
    graph, reader = _club()
    executor = Executor(graph)
    (best, *_) = reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)
    assert _cells(graph, best) == answer


def test_a_number_is_not_the_thing_whose_key_it_is() -> None:
    graph, reader = _club()
    executor = Executor(graph)
    for reading in reader.read("Which posts did Ann rate with 5 stars?", executor=lambda plan: outcome(executor, plan)):
        assert "Gardening" not in [part.element for part in reading.parts]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        (
            "For each course, how many members booked it and how many members reviewed it?",
            [["Aqua Spin", "1", "0"], ["Dawn Yoga", "3", "2"], ["Iron Circuit", "1", "1"]],
        ),
        (
            "how many members booked and how many members reviewed each course?",
            [["Aqua Spin", "1", "0"], ["Dawn Yoga", "3", "2"], ["Iron Circuit", "1", "1"]],
        ),
        (
            "for each level, how many courses and how many trainers are there?",
            [["Beginner", "3", "2"], ["Expert", "1", "1"]],
        ),
        (
            "courses with the number of members who booked them and the number of trainers",
            [["Aqua Spin", "1", "1"], ["Dawn Yoga", "3", "1"], ["Iron Circuit", "1", "1"], ["Quiet Hour", "0", "0"]],
        ),
        (
            "For each trainer, what is the average length of the courses they teach and how many levels are there?",
            [["Femi Gray", "67.5", "2"], ["Hanna Ito", "60", "1"]],
        ),
        ("trainers and the number of courses they teach", [["Femi Gray", "2"], ["Hanna Ito", "1"], ["Jon Kerr", "0"]]),
    ],
)
def test_two_figures_of_each(question: str, rows: list[list[str]]) -> None:
    """A count may be 0 where another figure is not; what has none of them is listed by "with" alone."""
    graph, reader = _gym()
    executor = Executor(graph)
    (best, *_) = reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)
    found = materialize(executor, best.plan)
    assert [[item_label(cell) for cell in row] for row in found.rows] == rows


@pytest.mark.parametrize(
    "question",
    [
        "how many courses and how many trainers are there?",  # of nothing that has both
        "For each trainer, how many courses and how many machines are there?",  # nobody has machines
    ],
)
def test_two_figures_of_nothing(question: str) -> None:
    graph, reader = _gym()
    executor = Executor(graph)
    (best, *_) = reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)
    assert best.unread or best.unused


def test_two_figures_are_not_one_of_the_same_set() -> None:
    """Two averages of one column are of two sets, and never one group's."""
    assert not [plan for plan in _plans(_TWICE) if ": average length_min, average length_min" in plan]


_TWICE = "For each trainer, the average length of their courses and the average length of the courses of level Expert"


def _best(question: str) -> Reading:
    graph, reader = _gym()
    executor = Executor(graph)
    return reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which members on file have never booked a single course?", ["Dev Ellis"]),
        ("Which trainers have not taught even one course?", ["Jon Kerr"]),
        ("trainers with not a single course", ["Jon Kerr"]),
        ("members who are students or joined before 2020", ["Ada Brook", "Cara Diaz"]),
        ("courses that are discontinued or longer than 80 minutes", ["Aqua Spin", "Iron Circuit"]),
        ("members who joined in the first half of 2022", ["Cara Diaz"]),
        ("Which members joined in Q2 2021?", ["Ben Cole"]),
        ("members who joined in the third quarter of 2023", ["Dev Ellis"]),
        ("members who joined before the second half of 2021", ["Ada Brook", "Ben Cole"]),
        ("members who joined since the second half of 2021", ["Cara Diaz", "Dev Ellis"]),
        ("members who booked Aqua Spin after the first quarter of 2023", []),
    ],
)
def test_not_a_single_one_and_parts_of_years(question: str, answer: list[str]) -> None:
    assert (_ask(question), _best(question).unread) == (answer, ())


@pytest.mark.parametrize(
    "question",
    [
        "courses launched in the first half of 1995",  # of which the graph knows only the year
        "members who joined in the first half",
        "members who joined in the fifth quarter of 2021",
    ],
)
def test_parts_of_years_that_are_no_dates(question: str) -> None:
    assert _best(question).unread


def test_what_says_nothing_is_read_where_the_graph_has_it() -> None:
    entities: list[Any] = [(name, ["File"], {}) for name in ("Red", "Blue")]
    entities += [(name, ["Document"], {}) for name in ("Deed", "Will")]
    graph = GraphColumns.of(entities, [("Deed", "KEPT_IN", "Red", {}), ("Will", "KEPT_IN", "Blue", {})])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    executor = Executor(graph)
    (best, *_) = reader.read("documents on file Red", executor=lambda plan: outcome(executor, plan), seconds=30)
    assert _cells(graph, best) == ["Deed"]
    assert ("file", "File") in best.read_as()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is Aster in an alliance with Borealis?", ["true"]),
        ("Is Borealis in an alliance with Aster?", ["true"]),
        ("Is Aster in an alliance with Corvid?", ["false"]),  # both are, with Borealis
        ("Is Aster in an alliance with Dunlin?", ["false"]),
        ("Who is in an alliance with Corvid?", ["Borealis"]),
    ],
)
def test_whether_one_thing_is_joined_with_another_repeats_no_name(question: str, answer: list[str]) -> None:
    entities: list[Any] = [(name, ["Carrier"], {}) for name in ("Aster", "Borealis", "Corvid", "Dunlin", "Egret")]
    entities += [(f"Ship {number}", ["Ship"], {}) for number in range(4)]
    edges: list[Any] = [
        (one, "ALLIED_WITH", other, {}) for one, other in (("Aster", "Borealis"), ("Borealis", "Corvid"))
    ]
    edges += [
        (f"Ship {number}", "OWNED_BY", name, {}) for number, name in enumerate(("Aster", "Corvid", "Aster", "Egret"))
    ]
    graph = GraphColumns.of(entities, edges)
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    executor = Executor(graph)
    (best, *_) = reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)
    assert _cells(graph, best) == answer


_PORTS: list[Any] = [
    ("Astor", ["Plugin"], {"name": "Astor", "localities": ["Peru", "Chile"]}),
    ("Bandon", ["Plugin"], {"name": "Bandon", "localities": ["Chile"]}),
    ("Coos", ["Plugin"], {"name": "Coos", "localities": ["Peru", "Togo"]}),
    ("OR", ["Region"], {"name": "OR"}),
    ("CA", ["Region"], {"name": "CA"}),
    ("UTC", ["Timezone"], {"name": "UTC"}),
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which plug-ins are in CA?", ["Coos"]),
        ("Which plugins are in CA?", ["Coos"]),
        ("How many plug-ins are in OR?", ["2"]),
        ("Which plugins are in OR or CA?", ["Astor", "Bandon", "Coos"]),
        ("What time zone is the plug-in Coos in?", ["UTC"]),
        ("what is found in both Peru and Chile?", ["Astor"]),
        ("Which plugins are found in Peru or Chile?", ["Astor", "Bandon", "Coos"]),
    ],
)
def test_words_with_hyphens_codes_and_lists_of_values(question: str, answer: list[str]) -> None:
    edges: list[Any] = [("Astor", "region", "OR", {}), ("Bandon", "region", "OR", {}), ("Coos", "region", "CA", {})]
    graph = GraphColumns.of(_PORTS, [*edges, ("Coos", "timezone", "UTC", {})])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    best = reader.read(question)[0]
    assert (_cells(graph, best), best.unread, best.unused) == (answer, (), ())


def test_an_or_in_capitals_is_an_or_where_nothing_is_called_so() -> None:
    graph = GraphColumns.of([each for each in _PORTS if each[0] != "OR"], [("Coos", "region", "CA", {})])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    assert _cells(graph, reader.read("Which plugins are found in Togo OR Chile?")[0]) == ["Astor", "Bandon", "Coos"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the hardest stone?", ["Ruby"]),
        ("Which stone has the highest hardness?", ["Ruby"]),
        ("Which stone has the lowest hardness?", ["Opal"]),
        ("Which is harder, Opal or Jade?", ["Jade"]),
        ("Which stones are harder than 8?", ["Jade", "Ruby"]),
        ("Which stones are north of 20 degrees?", ["Jade"]),
        ("Which stones are south of 20?", ["Opal", "Ruby"]),
    ],
)
def test_adjectives_of_columns_bounds_and_degrees(question: str, answer: list[str]) -> None:
    stones: list[Any] = [
        ("Ruby", ["Stone"], {"hardness_min": 8.5, "hardness_max": 9.5, "latitude": 7.0}),
        ("Jade", ["Stone"], {"hardness_min": 8.6, "hardness_max": 8.7, "latitude": 24.0}),
        ("Opal", ["Stone"], {"hardness_min": 5.0, "hardness_max": 6.0, "latitude": -29.0}),
        ("Zinc", ["Stone"], {"hardness_min": 5.5, "hardness_max": 5.8, "latitude": 20.0}),
    ]
    assert _asked(stones, question) == answer


@pytest.mark.parametrize(
    "question", ["Which member works?", "Which shop is north of 14th Street?", "Which shop is north of 5?"]
)
def test_no_column_is_meant_by_an_ending_or_a_direction_alone(question: str) -> None:
    graph: list[Any] = [(f"Shop {n}", ["Shop"], {"sales": n * 10.0, "membness": n * 1.0}) for n in range(4)]
    columns = GraphColumns.of(graph, [])
    reader = open_reader(columns, profile_of(columns), names_of(columns), StaticEmbedder())
    assert all(reading.unread for reading in reader.read(question))


def _asked(entities: list[Any], question: str) -> list[str]:
    graph = GraphColumns.of(entities, [])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    return _cells(graph, reader.read(question)[0])


def test_a_fact_of_others_and_half_of_a_name_are_not_what_is_asked_for() -> None:
    stones: list[Any] = [
        ("Ruby", ["Stone"], {"point_group": "3m", "release_date": Value("date", "2001-02-03")}),
        ("Opal", ["Stone"], {"point_group": "1", "phenomenon": "fire"}),
        ("Vitreous", ["Visual Character"], {}),
    ]
    graph = GraphColumns.of(stones, [(stone, "visual_character", "Vitreous", {}) for stone in ("Ruby", "Opal")])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())

    def told(question: str) -> list[str]:
        return _cells(graph, best) if not (best := reader.read(question)[0]).lacks and not best.unread else []

    assert told("What is the point group of Ruby?") == ["3m"]
    assert told("What is the visual character of Ruby?") == ["Vitreous"]
    assert told("What phenomenon does Opal show?") == ["fire"]
    assert reader.read("What is the melting point of Ruby?")[0].lacks
    others = [each for each in reader.read("What visual phenomenon does Ruby show?") if "values ^" in write(each.plan)]
    assert others[0].lacks
    assert not reader.read("When was the final release of Ruby?")[0].lacks


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What type of engine does Atlas have?", ["engine"]),
        ("What kind of fuel does Atlas burn?", ["fuel"]),
        ("What type of paint was used for Atlas?", ["paint"]),
        ("What kind of ship is Atlas?", []),
        ("What kind of vessel is Atlas?", []),
    ],
)
def test_a_sort_is_asked_of_what_is_named(question: str, left: list[str]) -> None:
    graph = GraphColumns.of(
        [
            ("Atlas", ["Ship"], {"style": "brig"}),
            ("Boreas", ["Ship"], {"style": "sloop"}),
            ("Dan", ["Engineer"], {}),
            ("Oslo", ["Port"], {}),
            ("Ida", ["Painter"], {}),
        ],
        [("Dan", "works_on", "Atlas"), ("Atlas", "home_port", "Oslo"), ("Ida", "painted", "Atlas")],
    )
    best = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder()).read(question)[0]
    assert best.other_sort is bool(left)
    assert set(left) <= set(best.unread)


@pytest.mark.parametrize(
    ("question", "guessed", "opposed"),
    [
        ("Which course is the longest?", set(), set()),
        ("Which machine is the most expensive?", set(), set()),
        ("Which course is the oldest?", set(), set()),
        ("Which machine is the biggest?", set(), set()),  # the biggest may be the dearest
        ("Which machine is the heaviest?", {"price_usd"}, {"price_usd"}),
        ("machines under 3000 euros", set(), set()),
        ("courses under 3000 euros", {"length_min"}, {"length_min"}),
        ("courses under 50 minutes", set(), set()),
    ],
)
def test_columns_that_nothing_asks_for(question: str, guessed: set[str], opposed: set[str]) -> None:
    graph, reader = _gym()
    executor = Executor(graph)
    (best, *_) = reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)
    assert (set(best.guessed), set(best.opposed)) == (guessed, opposed)


def test_what_is_said_to_rank_does_or_the_plan_is_another() -> None:
    """ "By founding year" is never lost beside an order by another column."""
    entities: list[Any] = [(f"Carrier {n}", ["Carrier"], {"founded": 1900.0 + n}) for n in range(4)]
    entities += [(f"Voyage {n}", ["Voyage"], {"arrived": Value("date", f"2025-03-0{n + 1}")}) for n in range(6)]
    entities += [(f"Port {n}", ["Port"], {}) for n in range(3)]
    edges: list[Any] = [(f"Voyage {n}", "CALLS_AT", f"Port {n % 3}", {}) for n in range(6)]
    edges += [(f"Voyage {n}", "RUN_BY", f"Carrier {n % 4}", {}) for n in range(6)]
    graph = GraphColumns.of(entities, edges)
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    executor = Executor(graph)
    readings = reader.read(
        "the three oldest shipping lines by founding year", executor=lambda plan: outcome(executor, plan), most=20
    )
    said = [each for each in readings if ("founding", "Carrier.founded") in each.read_as()]
    assert said
    assert [write(each.plan) for each in said if "founded" not in write(each.plan)] == []
