"""Words for relatives that a graph lacks, and "who" in graphs of persons: which plan is read."""

from __future__ import annotations

from functools import cache

import pytest

from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.plan import Value
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.english import english
from trivium.policies.reader.english.kinship import plainer_kin
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader

SEXES = {
    "Ada": "female",
    "Ben": "male",
    "Cora": "female",
    "Dan": "male",
    "Eva": "female",
    "Finn": "male",
    "Gus": "male",
}
PARENTS = {"Cora": ("Ada", "Ben"), "Dan": ("Ada", "Ben"), "Eva": ("Cora",), "Finn": ("Cora",), "Gus": ("Dan",)}


@cache
def _family(*, sexes: bool = True) -> Reader:
    people = [(name, ["person"], {"born": Value("number", 1900.0 + n)}) for n, name in enumerate(SEXES)]
    edges = [(parent, "has_child", child) for child, parents in PARENTS.items() for parent in parents]
    edges += [(child, "has_parent", parent) for parent, _, child in edges]
    if sexes:
        edges += [(name, "sex", sex) for name, sex in SEXES.items()]
        people += [(sex, ["sex"], {}) for sex in ("female", "male")]
    graph = GraphColumns.of(people, edges)
    return open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("Who are Eva's grandparents?", 'ids "Eva" | follow has_parent | follow has_parent'),
        ("Who are the grandchildren of Ada?", 'ids "Ada" | follow has_child | follow has_child'),
        ("Who is Eva's mother?", 'both(ids "Eva" | follow has_parent; ids "female" | follow ^sex)'),
        ("Who are the sons of Ada?", 'both(ids "male" | follow ^sex; ids "Ada" | follow has_child)'),
        ("Who are the parents of Eva?", 'ids "Eva" | follow has_parent'),
    ],
)
def test_relatives_are_walked_to(question: str, plan: str) -> None:
    assert write(_family().read(question)[0].plan) == plan


def test_without_sexes_a_mother_is_a_parent() -> None:
    assert write(_family(sexes=False).read("Who is Eva's mother?")[0].plan) == 'ids "Eva" | follow has_parent'


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Ann's sons", "Ann's children who are male"),
        ("the grandmother of Ann", "the female parent of the parents of Ann"),
        ("who is Ann's grandmother?", "who is the female parent of Ann's parents?"),
        ("her grandmother", "her grandmother"),  # "her parents' parent who is female" is read as another
        ("how many grandchildren does Ann have?", "how many children's children does Ann have?"),
        ("who wrote Ann and her mother?", "who wrote Ann and her mother?"),  # a name
        ("how many daughters does Ann have?", "how many female children does Ann have?"),
        ("Ann's siblings", "Ann's siblings"),  # no relation is called so
        ("the aunt of Ann", "the aunt of Ann"),
        ("Grandparents of Ann", "parents of the parents of Ann"),
        ("a mothership of Ann", "a mothership of Ann"),
    ],
)
def test_plainer_words(text: str, plain: str) -> None:
    kin, known = english().kin, {"parent", "child"}
    titled = text.find("Ann and her mother")

    def name_at(offset: int) -> int | None:
        place = text.find("Ann")
        return titled if titled >= 0 else place if 0 <= place <= offset < place + len("Ann") else None

    assert plainer_kin(text, kin, known.__contains__, lambda noun: True, name_at, sexes=True) == plain
    assert plainer_kin(text, kin, known.__contains__, lambda noun: False, name_at, sexes=True) == text


def test_a_child_is_whose_parent_one_is() -> None:
    def plainer(text: str, *known: str) -> str:
        return plainer_kin(text, english().kin, known.__contains__, lambda noun: True, lambda at: None, sexes=True)

    assert plainer("the sons of Ann", "parent") == "the male children of Ann"
    assert plainer("the mother of Ann", "child") == "the female parent of Ann"
    assert plainer("the sons of Ann", "spouse") == "the sons of Ann"


def test_how_many_is_not_asked_of_one_thing() -> None:
    plans = [write(each.plan) for each in _family().read("How many sons does Ada have?")]
    assert 'ids "male" | follow ^sex' in plans[0]
    assert not any(plan.startswith('both(ids "male";') for plan in plans)


def _contest() -> Reader:
    things: list[tuple[str, list[str], dict[str, object]]] = [
        (name, ["cook"], {"occupation": Value("text", job)}) for name, job in (("Ann", "nurse"), ("Tom", "clerk"))
    ]
    things += [(f"r{n}", ["result"], {"week": Value("number", float(n))}) for n in (1, 2, 3)]
    things += [(name, ["dish"], {}) for name in ("Soup", "Pie")]
    edges = [("r1", "cook", "Ann"), ("r2", "cook", "Tom"), ("r3", "cook", "Ann")]
    edges += [("r1", "dish", "Soup"), ("r2", "dish", "Soup"), ("r3", "dish", "Pie")]
    graph = GraphColumns.of(things, edges)
    return open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("Who made Soup?", 'ids "Soup" | follow ^dish, cook'),
        ("Which results were in week 2?", "type result | where week = 2"),
    ],
)
def test_who_is_a_person_where_a_column_is_one_of_persons(question: str, plan: str) -> None:
    assert write(_contest().read(question)[0].plan) == plan


def test_a_verb_that_nothing_reads_is_done_by_nobody() -> None:
    best = _contest().read("Who presented Soup?")[0]
    assert best.repeats
    assert best.unsaid


def _plays() -> Reader:
    people = [(name, ["person"], {"born": Value("number", 1950.0 + n)}) for n, name in enumerate(("Ann", "Bob", "Cal"))]
    plays = [(name, ["play"], {"year": Value("number", 2000.0 + n)}) for n, name in enumerate(("Romeo", "All My Sons"))]
    sexes = [(sex, ["sex"], dict[str, Value]()) for sex in ("female", "male")]
    edges = [("Ann", "sex", "female"), ("Bob", "sex", "male"), ("Cal", "sex", "male")]
    edges += [("Bob", "parents", "Ann"), ("Cal", "parents", "Bob")]
    edges += [("Romeo", "author", "Bob"), ("All My Sons", "author", "Cal")]
    graph = GraphColumns.of([*people, *plays, *sexes], edges)
    return open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("Who wrote All My Sons?", 'ids "All My Sons" | follow author'),
        ("Who are the parents of the author of Romeo?", 'ids "Romeo" | follow author | follow parents'),
        ("Who are the sons of Ann?", 'both(ids "male" | follow ^sex; ids "Ann" | follow ^parents)'),
    ],
)
def test_relatives_are_found_by_one_word_for_them(question: str, plan: str) -> None:
    assert write(_plays().read(question)[0].plan) == plan


def test_no_relative_is_another() -> None:
    assert all("siblings" in each.unread for each in _plays().read("Who are Bob's siblings?"))


def test_how_often_counts_the_rows_that_join_two_things() -> None:
    plan = write(_contest().read("How often did Ann make Soup?")[0].plan)
    assert plan == 'both(ids "Ann" | follow ^cook; ids "Soup" | follow ^dish) | count'
