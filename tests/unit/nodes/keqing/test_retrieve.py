"""Stage `retrieve`: which sub-questions go together in one task, from which seeds, and the supplement's budget."""

from __future__ import annotations

from langgraph.runtime import Runtime

from tests.films import walk
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.retrieve import RetrieveInput, retrieve, wave
from trivium.nodes.keqing.state import Found, KeqingState, MatchedTemplate, Retrieved, SubQuestionState
from trivium.nodes.run.missing import Link
from trivium.tools.get_labels import get_labels

SETTINGS = KeqingContext()


def _sub(number: int, *dep: int, question: str = "who directed [mask]?", excludes: bool = False) -> SubQuestionState:
    seeds = [f"<GENERATED>-{i}" for i in dep] or [f"topic {number}"]
    return SubQuestionState(
        id=number, question=question, dep=list(dep) or [-1], seed_entities=seeds, excludes_used=excludes
    )


def _match(*chain: str, score: float = 1.0) -> MatchedTemplate:
    return MatchedTemplate(template="template", score=score, chains=[list(chain)])


def _state(subs: list[SubQuestionState], **found: list[str]) -> KeqingState:
    links = {
        name: [Link(id=name.replace(" ", "_"), label=name, score=1.0, degree=1, match="exact")]
        for sub in subs
        for name in sub["seed_entities"]
        if sub["dep"] == [-1]
    }
    retrieved = {
        number.removeprefix("n"): Retrieved(
            id=int(number[1:]), seeds=[], match=None, excluded=[], truncated=False, supplement=[],
            found=[Found(id=key, support=1, path=[]) for key in keys],
        )
        for number, keys in found.items()
    }  # fmt: skip
    matches = {str(sub["id"]): [_match("directed_by")] for sub in subs}
    return KeqingState(sub_questions=subs, links=links, matches=matches, retrieved=retrieved)


def _lines(state: KeqingState, context: KeqingContext | None = None) -> list[list[int]]:
    return [[sub["id"] for sub in task["line"]] for task in wave(state, context or KeqingContext())]


def test_without_a_model_a_line_of_sub_questions_is_one_task() -> None:
    state = _state([_sub(0), _sub(1, 0), _sub(2, 1)])
    assert _lines(state) == [[0, 1, 2]]
    assert _lines(state, KeqingContext(model="some:model", reason="llm")) == [[0]]
    assert _lines(state, KeqingContext(model="some:model")) == [[0, 1, 2]], "a template's own words need no model"
    assert _lines(state, KeqingContext(model="some:model", reason="chains")) == [[0, 1, 2]]


def test_independent_ones_run_in_parallel_and_a_join_waits() -> None:
    subs = [_sub(0), _sub(1, 0), _sub(2), _sub(3, 1, 2), _sub(4, 3)]
    assert _lines(_state(subs)) == [[0, 1], [2]]
    assert _lines(_state(subs, n0=["a"], n1=["b", "c", "d"])) == [[2]]
    (task,) = wave(_state(subs, n0=["a"], n1=["b", "c", "d"], n2=["d", "x", "c"]), KeqingContext())
    assert [sub["id"] for sub in task["line"]] == [3, 4]
    assert task["seeds"] == ["c", "d"], "in the order of the first dependency"


def test_a_sub_question_that_two_start_from_ends_its_line() -> None:
    subs = [_sub(0), _sub(1, 0), _sub(2, 0)]
    assert _lines(_state(subs)) == [[0]]
    assert _lines(_state(subs, n0=["a"])) == [[1], [2]]
    assert _lines(_state(subs, n0=["a"], n1=[], n2=[])) == []


def test_tasks_know_the_seeds_and_the_entities_used() -> None:
    tasks = wave(_state([_sub(0), _sub(1)]), KeqingContext())
    assert [task["seeds"] for task in tasks] == [["topic_0"], ["topic_1"]]
    assert [task["used"] for task in tasks] == [["topic_0", "topic_1"]] * 2
    unlinked = _state([_sub(0)])
    unlinked["links"] = {"topic 0": []}
    assert [(task["seeds"], task["used"]) for task in wave(unlinked, KeqingContext())] == [([], [])]


async def _retrieve(
    kg: str,
    subs: list[SubQuestionState],
    matches: list[list[MatchedTemplate]],
    seeds: list[str],
    settings: KeqingContext = SETTINGS,
) -> list[Retrieved]:
    task = RetrieveInput(line=subs, seeds=seeds, matches=matches, used=seeds)
    update = await retrieve(task, Runtime(context=settings.model_copy(update={"kg": kg})))
    return list(update["retrieved"].values())


async def test_a_line_is_walked_from_candidates_to_candidates(kg_name: str) -> None:
    first, second = await _retrieve(
        kg_name, [_sub(0), _sub(1, 0)], [[_match("directed_by")], [_match("^directed_by")]], ["alien"]
    )
    assert [item["id"] for item in first["found"]] == ["scott"]
    assert second["seeds"] == ["scott"]
    assert {item["id"] for item in second["found"]} == walk(["scott"], ["^directed_by"])
    assert all(item["path"][-1] == (item["id"], "directed_by", "scott", True) for item in second["found"])


async def test_used_entities_are_left_out_where_the_question_says_so(kg_name: str) -> None:
    subs = [_sub(0), _sub(1, 0, excludes=True)]
    _, second = await _retrieve(kg_name, subs, [[_match("directed_by")], [_match("^directed_by")]], ["alien"])
    assert {item["id"] for item in second["found"]} == {"runner", "gladiator"}
    assert second["excluded"] == ["alien"]


async def test_the_first_template_that_leads_anywhere_is_taken(kg_name: str) -> None:
    matches = [_match("has_member", score=0.9), _match("written_by", score=0.8), _match("directed_by", score=0.7)]
    (done,) = await _retrieve(kg_name, [_sub(0)], [matches], ["heat"])
    assert done["match"] == matches[1]
    assert [item["id"] for item in done["found"]] == ["mann"]
    (none,) = await _retrieve(kg_name, [_sub(0)], [matches[:1]], ["heat"], KeqingContext(supplement="never"))
    assert (none["match"], none["found"], none["supplement"]) == (None, [], [])


async def test_a_cap_is_told(kg_name: str) -> None:
    (cut,) = await _retrieve(kg_name, [_sub(0)], [[_match("^starring")]], ["deniro"], KeqingContext(max_entities=2))
    assert cut["truncated"]
    assert len(cut["found"]) == 2


async def test_the_supplement_fills_what_the_chains_leave_of_the_budget(kg_name: str) -> None:
    nowhere, somewhere = [[_match("has_member")]], [[_match("starring")]]
    (auto,) = await _retrieve(kg_name, [_sub(0)], nowhere, ["heat"])
    assert ("heat", "directed_by", "mann") in {triple[:3] for triple in auto["supplement"]}
    (found,) = await _retrieve(kg_name, [_sub(0)], somewhere, ["heat"])
    assert found["supplement"] == []
    (always,) = await _retrieve(kg_name, [_sub(0)], somewhere, ["heat"], KeqingContext(supplement="always"))
    assert always["supplement"]
    (never,) = await _retrieve(kg_name, [_sub(0)], nowhere, ["heat"], KeqingContext(supplement="never"))
    assert never["supplement"] == []


async def test_a_smaller_budget_gives_fewer_triples(kg_name: str) -> None:
    sizes = []
    for budget in (0, 10, 20, 40, 1_000):
        (done,) = await _retrieve(
            kg_name,
            [_sub(0)],
            [[_match("starring")]],
            ["heat"],
            KeqingContext(supplement="always", evidence_tokens=budget),
        )
        # By the names that the prompt shows, which are longer here than the ids.
        shown = await get_labels(kg_name, [key for head, _, tail, _ in done["supplement"] for key in (head, tail)])
        characters = len("".join(shown)) + sum(len(triple[1]) for triple in done["supplement"])
        assert characters <= 4 * budget
        sizes.append(len(done["supplement"]))
    assert sizes == sorted(sizes)
    assert sizes[0] == 0
    assert sizes[-1] > sizes[2]


async def test_without_seeds_nothing_is_retrieved(kg_name: str) -> None:
    (done,) = await _retrieve(kg_name, [_sub(0)], [[_match("starring")]], [], KeqingContext(supplement="always"))
    assert (done["found"], done["supplement"]) == ([], [])
    assert done["match"] is None
