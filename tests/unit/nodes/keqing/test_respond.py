"""Stage `respond`: whole paths from the topics, the sentence, the log, and what a user should know beside them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest
from langgraph.runtime import Runtime

from tests.planned import check_plan_record
from trivium.kg.plans.codec import to_json
from trivium.kg.plans.plan import Aggregate, Compare, Function, OfType, Operator, Term, Value, Where
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.respond import respond
from trivium.nodes.keqing.respond.stage import _as_written, _repeats_name, is_unfounded
from trivium.nodes.keqing.state import Found, KeqingState, MatchedTemplate, Reasoned, Retrieved, SubQuestionState
from trivium.nodes.run.answer_record import Answer, AnswerEntity, PathRecord, answer_problem
from trivium.nodes.run.missing import Link
from trivium.nodes.run.state import Step
from trivium.nodes.run.write_answer import Claim

MATCH = MatchedTemplate(template="t", score=1.0, chains=[["r"]])


def _sub(number: int, *dep: int, mention: str = "") -> SubQuestionState:
    seeds = [mention] if mention else [f"<GENERATED>-{i}" for i in dep]
    return SubQuestionState(
        id=number, question="[mask]", dep=list(dep) or [-1], seed_entities=seeds, excludes_used=False
    )


def _done(number: int, *paths: list[Step], truncated: bool = False) -> Retrieved:
    found = [Found(id=path[-1][0] if path[-1][3] else path[-1][2], support=1, path=path) for path in paths]
    return Retrieved(id=number, seeds=[], match=MATCH, found=found, excluded=[], truncated=truncated, supplement=[])


def _link(key: str) -> Link:
    return Link(id=key, label=key, score=1.0, degree=1, match="exact")


async def _respond(
    kg: str, subs: list[SubQuestionState], done: list[Retrieved], reasoned: list[Reasoned], **links: list[str]
) -> Answer:
    state = KeqingState(
        question="q", started=time.time(), sub_questions=subs, confidence=0.5, matches={}, reasoned=reasoned,
        links={mention: [_link(key) for key in keys] for mention, keys in links.items()},
        retrieved={str(item["id"]): item for item in done},
    )  # fmt: skip
    answer: Answer = (await respond(state, Runtime(context=KeqingContext(kg=kg))))["answer"]
    assert answer_problem(dict(answer)) is None
    return answer


def _reasoned(*ids: str, sources: list[int]) -> list[Reasoned]:
    return [{"id": key, "score": 1.0, "support": 1, "from": sources} for key in ids]


DIRECTED: list[Step] = [("alien", "directed_by", "scott", False)]
MADE: list[list[Step]] = [[("runner", "directed_by", "scott", True)], [("gladiator", "directed_by", "scott", True)]]


async def test_paths_are_whole_from_the_topic_on(kg_name: str) -> None:
    subs = [_sub(0, mention="Alien"), _sub(1, 0)]
    done = [_done(0, DIRECTED), _done(1, *MADE)]
    answer = await _respond(kg_name, subs, done, _reasoned("runner", "gladiator", sources=[1]), Alien=["alien"])
    assert [path["answer"] for path in answer["paths"]] == ["runner", "gladiator"]
    assert answer["paths"][0]["triples"] == [
        {"head": "alien", "relation": "directed_by", "tail": "scott", "inverse": False},
        {"head": "runner", "relation": "directed_by", "tail": "scott", "inverse": True},
    ]
    assert answer["answer"] == (
        "Blade Runner and Gladiator. Evidence for Blade Runner: "
        "Alien -directed_by-> Ridley Scott <-directed_by- Blade Runner."
    )
    assert answer["stop_reason"] == "answered"


async def test_a_join_gives_a_path_for_each_topic(kg_name: str) -> None:
    subs = [_sub(0, mention="a"), _sub(1, mention="b"), _sub(2, 0, 1)]
    done = [
        _done(0, [("heat", "starring", "deniro", True)]),
        _done(1, [("heat", "starring", "pacino", True)]),
        _done(2, [("heat", "release_year", "1995", False)]),
    ]
    answer = await _respond(kg_name, subs, done, _reasoned("1995", sources=[2]), a=["deniro"], b=["pacino"])
    starts = [path["triples"][0]["tail"] for path in answer["paths"]]
    assert starts == ["deniro", "pacino"]
    assert [len(path["triples"]) for path in answer["paths"]] == [2, 2]
    assert {path["answer"] for path in answer["paths"]} == {"1995"}


def _walked(number: int, seed: str, chain: list[str], *paths: list[Step], excluded: Sequence[str] = ()) -> Retrieved:
    done = _done(number, *paths)
    return {**done, "seeds": [seed], "match": {**MATCH, "chains": [chain]}, "excluded": [*excluded]}


@pytest.mark.parametrize(
    ("answers", "excluded", "same"),
    [
        (["runner", "gladiator", "alien"], [], True),
        (["runner", "gladiator"], ["alien"], True),
        (["runner", "gladiator"], [], False),
        (["runner"], ["alien"], False),
    ],
)
async def test_an_answer_has_the_plan_that_gives_exactly_it(
    kg_name: str, films: Knowledge, answers: list[str], excluded: list[str], same: bool
) -> None:
    paths: list[list[Step]] = [[(film, "directed_by", "scott", True)] for film in answers]
    done = [
        _walked(0, "alien", ["directed_by"], DIRECTED),
        _walked(1, "scott", ["^directed_by"], *paths, excluded=excluded),
    ]
    subs = [_sub(0, mention="Alien"), _sub(1, 0)]
    answer = await _respond(kg_name, subs, done, _reasoned(*answers, sources=[1]), Alien=["alien"])
    assert (answer["plan"] is not None, answer["query"] is not None) == (same, same)
    if same:
        await check_plan_record(answer, films.store)


async def test_a_chain_that_walks_back_has_no_plan(kg_name: str) -> None:
    back: list[list[Step]] = [
        [*DIRECTED, (film, "directed_by", "scott", True)] for film in ("runner", "gladiator", "alien")
    ]
    done = _walked(0, "alien", ["directed_by", "^directed_by"], *back)
    answer = await _respond(
        kg_name,
        [_sub(0, mention="Alien")],
        [done],
        _reasoned("runner", "gladiator", "alien", sources=[0]),
        Alien=["alien"],
    )
    assert answer["plan"] is None


async def test_a_value_has_a_plan_and_is_among_the_values(kg_name: str, films: Knowledge) -> None:
    done = _walked(0, "alien", ["release_year"], [("alien", "release_year", "1979", False)])
    answer = await _respond(
        kg_name, [_sub(0, mention="Alien")], [done], _reasoned("1979", sources=[0]), Alien=["alien"]
    )
    assert answer["values"]
    await check_plan_record(answer, films.store)


async def test_many_answers_are_counted(kg_name: str) -> None:
    paths: list[list[Step]] = [[(f"film {i:02}", "has_genre", "comedy", True)] for i in range(15)]
    ids = [path[0][0] for path in paths]
    answer = await _respond(
        kg_name, [_sub(0, mention="comedy")], [_done(0, *paths)], _reasoned(*ids, sources=[0]), comedy=["comedy"]
    )
    assert answer["answer"].startswith("film 00, film 01, ")
    assert "film 11 and 3 more." in answer["answer"]
    assert len(answer["paths"]) == 15


async def test_no_evidence_no_claim(kg_name: str) -> None:
    unread = await _respond(kg_name, [], [], [])
    assert (unread["stop_reason"], unread["answers"], unread["paths"]) == ("not_understood", [], [])
    assert [step["stage"] for step in unread["steps"]] == ["decompose"]
    nothing = await _respond(kg_name, [_sub(0, mention="x")], [_done(0)], [], x=["heat"])
    assert nothing["stop_reason"] == "not_found"
    assert nothing["answer"] == unread["answer"] == "The knowledge graph gives no answer to this question."


async def test_events_name_what_is_ambiguous_unknown_or_cut(kg_name: str) -> None:
    done = [_done(0, DIRECTED, truncated=True)]
    answer = await _respond(
        kg_name, [_sub(0, mention="Solaris")], done, _reasoned("scott", sources=[0]),
        Solaris=["solaris02", "solaris72"], Nobody=[],
    )  # fmt: skip
    assert [event["event"] for event in answer["events"]] == ["ambiguous", "unknown_entity", "truncated"]
    ambiguous = answer["events"][0]
    assert ambiguous["chosen"] == "solaris02"
    assert [other["id"] for other in ambiguous["alternatives"]] == ["solaris72"]


async def test_the_log_has_the_stages_in_order(kg_name: str) -> None:
    subs = [_sub(0, mention="Alien"), _sub(1, 0)]
    answer = await _respond(
        kg_name, subs, [_done(0, DIRECTED), _done(1, *MADE)], _reasoned("runner", sources=[1]), Alien=["alien"]
    )
    stages = [step["stage"] for step in answer["steps"]]
    assert stages == ["decompose", "link_entities", "match_template", "retrieve", "retrieve", "reason"]
    assert answer["steps"][0]["sub_questions"][1] == {
        "id": 1, "question": "[mask]", "dep": [0], "seed_entities": ["<GENERATED>-0"]
    }  # fmt: skip
    assert [step["found"] for step in answer["steps"] if step["stage"] == "retrieve"] == [1, 2]
    assert answer["usage"]["llm_calls"] == 0
    assert 0 <= answer["usage"]["seconds"] < 60


@pytest.mark.parametrize(
    ("rows", "function", "unfounded"),
    [
        ([], "sum", True),
        ([[{"id": "f3", "label": "fair 3"}, None]], "sum", True),
        ([[{"id": "f3", "label": "fair 3"}, 0]], "sum", False),
        ([], "count", False),
    ],
)
async def test_a_sum_of_nothing_is_no_0(rows: list[Any], function: Function, *, unfounded: bool) -> None:
    term = Term(property="visitors") if function == "sum" else None
    plan = to_json(Aggregate(OfType("fair"), function, term))
    claim = Claim(answers=[], value=0, plan=plan, evidence={"rows": rows, "more": 0})
    assert await is_unfounded(claim, KeqingContext(kg="none")) is unfounded


def _written(text: str) -> PathRecord:
    return PathRecord(answer=text, triples=[])


def test_numbers_are_said_as_the_graph_writes_them() -> None:
    answers = [AnswerEntity(id=text, label=text, score=1.0) for text in ("-8300", "12", "Ann")]
    found = _as_written(answers, [_written("8300 BCE"), _written("12"), _written("12 %"), _written("Ann")])
    assert [each["label"] for each in found] == ["8300 BCE", "12", "Ann"]
    many = [AnswerEntity(id=str(n), label=str(n), score=1.0) for n in range(20_000)]
    assert _as_written(many, [_written(str(n)) for n in range(20_000)]) == many, "in one pass over both"


@pytest.mark.parametrize(("strange", "repeats"), [(1.0, True), (0.0, False)])
def test_what_repeats_a_name_answers_no_word_that_is_unread(strange: float, repeats: bool) -> None:
    """ "The average rainfall in the Hillsborough district" is not Hillsborough; its district may well be."""
    state: Any = {
        "question": "what is the rainfall in the Hillsborough district?",
        "assessed": {"signals": {"strange": strange}},
    }
    claim = Claim(answers=[AnswerEntity(id="h", label="Hillsborough", score=1.0)], paths=[])
    assert _repeats_name(state, claim) is repeats


@pytest.mark.parametrize(("operator", "repeats"), [("contains", False), ("=", True)])
def test_what_holds_a_text_may_be_called_by_it(operator: Operator, *, repeats: bool) -> None:
    """Of "classes with 'consent' in the description" one may be Consent."""
    plan = Where(OfType("class"), Compare(Term(property="description"), operator, Value("text", "consent")))
    state: Any = {"question": "which classes have 'consent' in the description?", "plan": to_json(plan)}
    claim = Claim(answers=[AnswerEntity(id="c", label="Consent", score=1.0)], paths=[])
    assert _repeats_name(state, claim) is repeats
