"""The bundled sample KG holds together: its files are clean, and every gold chain reaches exactly its answers."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from trivium.kg.sample import ENTITIES, TEST_QUESTIONS, TRAIN_QUESTIONS, TRIPLES

Question = dict[str, Any]
Adjacency = dict[tuple[str, str], set[str]]


def _rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def _triples() -> list[tuple[str, ...]]:
    return [tuple(row) for row in _rows(TRIPLES)]


@cache
def _labels() -> dict[str, str]:
    return {row[0]: row[1] for row in _rows(ENTITIES)}


@cache
def _adjacency() -> Adjacency:
    """What each (entity, hop) reaches; a hop is `rel` or `^rel`."""
    reach: Adjacency = defaultdict(set)
    for head, relation, tail in _triples():
        reach[head, relation].add(tail)
        reach[tail, f"^{relation}"].add(head)
    return dict(reach)


@cache
def _questions(path: Path) -> list[Question]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _all_questions() -> list[Question]:
    return _questions(TRAIN_QUESTIONS) + _questions(TEST_QUESTIONS)


def _follow(seeds: Iterable[str], chain: list[str], removed: set[str]) -> set[str]:
    reached = set(seeds)
    for hop in chain:
        reached = {end for start in reached for end in _adjacency().get((start, hop), ())} - removed
    return reached


def _answers(question: Question) -> set[str]:
    """Execute the gold chain, or the branches, their intersection and the common chain."""
    topics = question["topic_entities"]
    removed = set(topics) if question.get("exclude_topic") else set()
    if "branches" not in question:
        return _follow(topics, question["chain"], removed)
    ends = [_follow([b["topic"]], b["chain"], removed) for b in question["branches"]]
    return _follow(set.intersection(*ends), question["chain"], removed)


def _hops(question: Question) -> set[str]:
    return {hop for b in question.get("branches", []) for hop in b["chain"]} | set(question["chain"])


def _kind(question: Question) -> str:
    return "intersection" if "branches" in question else f"{len(question['chain'])}-hop"


def _find(text: str) -> Question:
    (found,) = [q for q in _all_questions() if q["question"] == text]
    return found


def test_triples_are_many_unique_and_clean() -> None:
    triples = _triples()
    assert len(triples) >= 1_400
    assert len(set(triples)) == len(triples)
    assert {len(t) for t in triples} == {3}
    assert all(part and part == " ".join(part.split()) for t in triples for part in t)


def test_relations_are_few_snake_case_words() -> None:
    relations = {relation for _, relation, _ in _triples()}
    assert 20 <= len(relations) <= 32
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", relation) for relation in relations)


def test_every_id_is_described_and_every_description_used() -> None:
    used = {part for head, _, tail in _triples() for part in (head, tail)}
    literals = {part for part in used if re.fullmatch(r"\d{4}", part)}
    assert literals
    assert used - literals == set(_labels())
    assert not {head for head, _, _ in _triples()} & literals


def test_entity_rows_are_clean() -> None:
    rows = _rows(ENTITIES)
    assert {len(row) for row in rows} == {4}
    assert len({row[0] for row in rows}) == len(rows)
    for entity, label, aliases, types in rows:
        parts = [label, *aliases.split("|"), *types.split("|")]
        assert all(part == " ".join(part.split()) for part in parts), entity
        assert label, entity
        assert label != entity, entity
        assert types, entity
        assert re.fullmatch(r"[a-z_]+(\|[a-z_]+)*", types), entity


def test_files_end_with_a_newline_and_have_no_blank_lines() -> None:
    for path in (TRIPLES, ENTITIES, TRAIN_QUESTIONS, TEST_QUESTIONS):
        data = path.read_bytes()
        assert data.endswith(b"\n"), path
        assert b"\r" not in data, path
        assert b"\n\n" not in data, path
        assert b"\xef\xbb\xbf" not in data, path


@pytest.mark.parametrize("relation", ["borders", "spouse"])
def test_symmetrical_relations_are_stored_both_ways(relation: str) -> None:
    pairs = {(head, tail) for head, r, tail in _triples() if r == relation}
    assert pairs
    assert {(tail, head) for head, tail in pairs} == pairs


def test_other_relations_are_stored_once() -> None:
    facts = {t for t in _triples() if t[1] not in {"borders", "spouse"}}
    assert facts
    assert not [t for t in facts if (t[2], t[1], t[0]) in facts]


@pytest.mark.parametrize("path", [TRAIN_QUESTIONS, TEST_QUESTIONS], ids=["train", "test"])
def test_gold_chains_reach_exactly_the_answers(path: Path) -> None:
    for question in _questions(path):
        assert question["answers"], question["id"]
        assert len(set(question["answers"])) == len(question["answers"]), question["id"]
        assert _answers(question) == set(question["answers"]), question["id"]


def test_questions_are_well_formed() -> None:
    nodes = {part for head, _, tail in _triples() for part in (head, tail)}
    for question in _all_questions():
        text = question["question"]
        assert text == " ".join(text.split()), question["id"]
        assert text, question["id"]
        assert set(question["topic_entities"]) <= nodes, question["id"]
        if "branches" in question:
            assert [b["topic"] for b in question["branches"]] == question["topic_entities"], question["id"]
            assert len(question["branches"]) == 2, question["id"]
        else:
            assert len(question["topic_entities"]) == 1, question["id"]
            assert question["chain"], question["id"]


def test_excluded_topics_matter_and_are_worded() -> None:
    """`exclude_topic` stands only where the words ask for it and where it changes what is reached."""
    words = re.compile(r"\b(other|else|also|besides)\b", re.IGNORECASE)
    excluding = [q for q in _all_questions() if q.get("exclude_topic")]
    assert len(excluding) >= 15
    for question in excluding:
        assert words.search(question["question"]), question["id"]
        assert not set(question["answers"]) & set(question["topic_entities"]), question["id"]


def test_there_are_enough_questions_of_each_kind() -> None:
    train, test = _questions(TRAIN_QUESTIONS), _questions(TEST_QUESTIONS)
    assert len(train) >= 280
    assert len(test) >= 110
    for questions in (train, test):
        kinds = Counter(map(_kind, questions))
        assert set(kinds) == {"1-hop", "2-hop", "3-hop", "intersection"}
        assert min(kinds.values()) >= len(questions) // 10


def test_the_splits_share_no_question_and_no_id() -> None:
    everything = _all_questions()
    assert len({q["id"] for q in everything}) == len(everything)
    assert len({re.sub(r"\W+", " ", q["question"]).strip().casefold() for q in everything}) == len(everything)


def test_every_hop_asked_in_test_is_asked_in_train_in_three_wordings() -> None:
    seen = Counter(hop for q in _questions(TRAIN_QUESTIONS) for hop in _hops(q))
    asked = {hop for q in _questions(TEST_QUESTIONS) for hop in _hops(q)}
    assert len(asked) >= 40
    assert {hop: seen[hop] for hop in asked if seen[hop] < 3} == {}


def test_labels_repeat() -> None:
    by_label: dict[str, set[str]] = defaultdict(set)
    for entity, label in _labels().items():
        by_label[label].add(entity)
    assert by_label["Imitation of Life"] == {
        "film/imitation_of_life_1934",
        "film/imitation_of_life_1959",
        "novel/imitation_of_life",
    }
    assert by_label["Tokyo"] == {"city/tokyo", "prefecture/tokyo"}
    assert by_label["Washington"] == {"city/washington_dc", "state/washington"}
    assert len(by_label["The Call of the Wild"]) == 3
    assert sum(len(entities) > 1 for entities in by_label.values()) >= 25


def test_sirk_made_ten_films_or_more() -> None:
    films = _follow(["person/douglas_sirk"], ["^directed_by"], set())
    assert len(films) >= 10
    assert "film/written_on_the_wind" in films


def test_the_papers_cases_are_there() -> None:
    others = _find("which other films did the director of Written on the Wind direct?")
    assert others["exclude_topic"]
    assert "film/all_that_heaven_allows" in others["answers"]
    both = _find("Where are both The Call of the Wild and White Fang set?")
    assert set(both["answers"]) == {"territory/yukon", "country/canada"}
    founders = _find("who founded Google?")
    assert set(founders["answers"]) == {"person/larry_page", "person/sergey_brin"}
    stars = _find("which films did the director of Written on the Wind also direct, and who starred in them?")
    assert stars["chain"] == ["directed_by", "^directed_by", "starring"]
    assert stars["exclude_topic"]
    assert {"person/jane_wyman", "person/rock_hudson"} <= set(stars["answers"])
    assert _find("what is the capital of the prefecture Tokyo?")["answers"] == ["city/shinjuku"]
