"""Pairs from questions: linked by us, the same whichever answer is right."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.unit.policies.paths.worlds import random_graph, vectors
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question, read_questions
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.env import EpisodeSettings, PathTask, PathVectorEnv, random_actions
from trivium.policies.paths.examples import link_texts, make_examples, says_little
from trivium.policies.paths.reward import PathRewards


def _lines(folder: Path, golds: list[str]) -> list[Question]:
    asked = [
        ("who directed Heat and played in Alien?", ["Michael Mann", "Ridley Scott", "Jean Reno"]),
        ("was Diner written by the director of Avalon?", ["Barry Levinson", "no such name", "Alien"]),
        ("nothing here names anything", ["Heat", "Ronin"]),
    ]
    lines = [
        {"question": text, "choices": [{"id": f"{i}", "text": c} for i, c in enumerate(choices)], "answers": [gold]}
        for (text, choices), gold in zip(asked, golds, strict=True)
    ]
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return read_questions(path)


def test_what_a_concept_says() -> None:
    assert all(map(says_little, ("someone", "need to", "You", "do you", "some person", "be quite", "their own")))
    assert not any(map(says_little, ("man", "need water", "tv", "people person job", "who dunnit", "", "!?")))


async def test_longest_names_first(films: Knowledge) -> None:
    texts = ["What Lies Beneath, by Robert Zemeckis", "ALIEN", "heat", "the and of", "Blade Runner: Alien Heat"]
    assert await link_texts(films.store, texts) == [
        ["beneath", "zemeckis"], ["alien"], ["heat"], [], ["runner", "alien", "heat"]
    ]  # fmt: skip


async def test_all_candidates_are_targets_and_the_gold_cannot_leak(films: Knowledge, tmp_path: Path) -> None:
    snapshot = films.snapshot()
    assert snapshot is not None
    number = {key: row for row, key in enumerate(snapshot.keys.slice(0, snapshot.entities))}
    told = [await make_examples(films.store, _lines(tmp_path, golds), number) for golds in (list("000"), list("211"))]
    assert np.array_equal(told[0].pairs, told[1].pairs)
    assert np.array_equal(told[0].question, told[1].question)
    keys = list(number)
    named = {(keys[a], keys[b]) for a, b in told[0].pairs.tolist()}
    assert {b for a, b in named if a == "heat"} == {"mann", "scott", "reno"}
    assert {b for a, b in named if a == "diner"} == {"levinson", "alien"}
    assert set(told[0].question.tolist()) == {0, 1}
    # and so the episodes are the same, step by step
    walked = []
    for lessons in told:
        graph = random_graph(snapshot.entities)
        task = PathTask(
            graph,
            vectors(snapshot.entities),
            PathRewards(vectors(snapshot.entities), vectors(graph.relations)),
            lessons.pairs,
            lessons.question,
            vectors(3),
        )
        env, draw = PathVectorEnv(task, EpisodeSettings(), 16), np.random.default_rng(0)
        _, info = env.reset(seed=1)
        rewards = []
        for _ in range(20):
            _, reward, _, _, info = env.step(random_actions(info["action_mask"], draw))
            rewards.append(reward)
        walked.append(np.stack(rewards))
    assert np.array_equal(walked[0], walked[1])


async def test_without_choices_the_answers_are_the_candidates(films: Knowledge) -> None:
    number = {"heat": 0, "mann": 1, "scott": 2}
    line = Question("1", "whose film is it?", topic_entities=("heat",), answers=("mann", "Ridley Scott"))
    lessons = await make_examples(films.store, [line], number)
    assert lessons.pairs.tolist() == [[0, 1], [0, 2]]
    assert lessons.texts == ["whose film is it?"]


async def test_questions_that_name_nothing_are_refused(films: Knowledge) -> None:
    with pytest.raises(BadInputError, match="topic_entities"):
        await make_examples(films.store, [Question("1", "why?", answers=("42",))], {"heat": 0})
    with pytest.raises(BadInputError, match="choices"):
        await make_examples(films.store, [Question("1", "why Heat?")], {"heat": 0})
