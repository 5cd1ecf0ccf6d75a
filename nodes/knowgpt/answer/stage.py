"""KnowGPT's stage `answer`: the model chooses among the candidates, with the knowledge; else their scores do.

Without a model, candidates are scored by their best path and by likeness to the question:

    likeness = of a choice max(0, cosine of the question's and its own embedding); of what the KG proposed how well its
               best path's relations express the question, the mean over the question's entities
    support  = the weight of its best path, 0 without one
    score    = (1 - l) * support + l * likeness, or the likeness alone where no candidate has a path;
               l = 0.2 for choices, 0.8 for what the KG proposed

A path's weight is its total reward as a share of the largest possible one: near the question (equation 3) and short
(equation 4). Of a subgraph's path, whose reward is a relevance, it is that relevance divided by the length. All figures
are in [0, 1]. Several paths count no more than the best of them: every path that reaches its target has most of the
largest reward, so a sum, or a noisy-or, ends near 1 for any candidate with three paths, related or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from langgraph.runtime import Runtime

from trivium.kg.types import Hop, WalkedTriple
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.state import Candidate, EvidencePath, KnowGPTState, Verdict
from trivium.nodes.run.abstain import Signals
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import AnswerEntity, PathRecord, path_record
from trivium.nodes.run.doubts import doubts
from trivium.nodes.run.path_text import path_texts
from trivium.nodes.run.write_answer import Claim, write_answer
from trivium.tools.get_labels import get_labels
from trivium.tools.rank_texts import rank_texts
from trivium.tools.score_chains import score_chains

_NO_EVIDENCE = {
    "stage": "answer",
    "event": "no_evidence",
    "message": "no path leads from what the question names to the chosen option",
}


async def answer(state: KnowGPTState, runtime: Runtime[KnowGPTContext]) -> dict[str, Any]:
    """Write the typed result; an answer that no path supports says so."""
    context, follow_up = runtime.context, state.get("follow_up")
    if follow_up and follow_up["unclear"]:
        said, lacking = Claim(follow_up["unclear"], confidence=0.0), Signals(found=False, read=False)
        verdict = Verdict(scores={"scores": {}}, chosen=None, by="nobody", words="")
        return await write_answer("knowgpt", state, context, said, signals=lacking, steps=_steps(state, verdict))
    verdict, state_update = await _verdict(state, context)
    chosen = next((c for c in state["candidates"] if c["id"] == verdict["chosen"]), None)
    paths = [path_record(each["steps"], chosen["id"]) for each in supports(chosen, state["evidence"])] if chosen else []
    is_choice = state["proposed_by"] == "choices"
    if not paths and not is_choice:
        chosen = None  # an open question's candidate that nothing leads to is not an answer
    words = verdict["words"] if state["proposed_by"] == "nobody" else ""  # the arm `direct`: no knowledge at all
    claim = Claim(
        await _sentence(chosen, verdict, paths, context.kg, words),
        [AnswerEntity(id=chosen["id"], label=chosen["text"], score=_score(chosen, verdict))] if chosen else [],
        words or None,
        chosen["id"] if chosen and is_choice else None,
        paths,
        None if verdict["by"] == "model" else _score(chosen, verdict) if chosen else 0.0,
    )
    given = state.get("given", False)
    noted = [_NO_EVIDENCE] if chosen and not paths else []
    return await write_answer(
        "knowgpt",
        state,
        context,
        claim,
        signals=await doubts(
            follow_up["of_one"] if follow_up else state["question"],
            context,
            claim,
            read=bool(state["sources"]),
            given=given,
            topics=follow_up["about"][:1] if follow_up else state["sources"] if given else (),
            by_model=verdict["by"] != "scores",
        ),
        steps=_steps(state, verdict),
        events=noted,
        state_update=state_update,
    )


async def _verdict(state: KnowGPTState, context: KnowGPTContext) -> tuple[Verdict, dict[str, Any]]:
    """The candidates' scores and the chosen one; with what the model's call cost, where there was one."""
    candidates, arm = state["candidates"], state["chosen"]["arm"]
    if not candidates and arm == "direct":
        return await _own_words(state, context)
    scores = await scored(state, context.kg)
    best = max(scores.scores, key=lambda key: scores.scores[key], default=None)
    parts = scores._asdict()
    verdict = Verdict(scores=parts, chosen=best, by="scores", words="")
    if context.model == NO_MODEL or not candidates:
        return verdict, {}
    from trivium.nodes.knowgpt.answer.prompt import (
        choose,
        is_none,
        meant,
    )  # a run without a model pays nothing for the layer
    from trivium.nodes.model import state_update

    outcome = await choose(state, context)
    picked = meant(outcome.value.choice, candidates) if outcome.value else None
    if outcome.value and (picked or is_none(outcome.value.choice, state)):
        verdict = Verdict(
            scores=parts, chosen=picked["id"] if picked else None, by="model", words=" ".join(outcome.value.why.split())
        )
    return verdict, state_update(outcome)


async def _own_words(state: KnowGPTState, context: KnowGPTContext) -> tuple[Verdict, dict[str, Any]]:
    """What the model says to an open question without any knowledge, for comparison."""
    from trivium.nodes.knowgpt.link_entities.prompt import propose
    from trivium.nodes.model import state_update

    outcome = await propose(state["question"], context.model_copy(update={"candidates": 1}))
    said = outcome.value.candidates[:1] if outcome.value else []
    return Verdict(scores={}, chosen=None, by="model" if said else "nobody", words="".join(said)), state_update(outcome)


def _score(chosen: Candidate, verdict: Verdict) -> float:
    """In [0, 1]: the score, or 1 where the model chose: it gives none."""
    return 1.0 if verdict["by"] == "model" else verdict["scores"]["scores"][chosen["id"]]


async def _sentence(chosen: Candidate | None, verdict: Verdict, paths: list[PathRecord], kg: str, words: str) -> str:
    """The answer, the model's reason if it gave one, and the best path, or that there is none."""
    if chosen is None:
        return f"{words}. This is the model's own answer; the knowledge graph was not used." if words else ""
    said = f"{chosen['text'].rstrip('.')}."
    if verdict["by"] == "model" and verdict["words"]:
        said += f" {verdict['words'].rstrip('.')}."
    if paths:
        return f"{said} Evidence: {(await path_texts(paths[:1], kg))[0]}."
    how = (
        "the model chose it from its own knowledge"
        if verdict["by"] == "model"
        else "it is only the closest match by wording"
    )
    return f"{said} No path in the knowledge graph leads to it from what the question names: {how}."


def _steps(state: KnowGPTState, verdict: Verdict) -> list[dict[str, Any]]:
    """The log: what each stage did, in order; `select_prompt` names the run, by which feedback is given."""
    arm = state["chosen"]
    return [
        {
            "stage": "link_entities",
            "sources": state["sources"],
            "candidates": state["candidates"],
            "proposed_by": state["proposed_by"],
        },
        {"stage": "select_prompt", "run": state["run"], **arm},
        {
            "stage": "extract",
            "evidence": len(state["evidence"]),
            "paths": sum(each["target"] is not None for each in state["evidence"]),
            "expanded": state["expanded"],
            **({"policy": policy} if (policy := state.get("walked_by")) else {}),
        },
        {"stage": "verbalize", "lines": [{**line, "triples": list(line["triples"])} for line in state["lines"]]},
        {"stage": "answer", "by": verdict["by"], **verdict["scores"]},
    ]


_LARGEST = 3.0  # l1 + l2 + l3 with a cosine of 1 and one step (trivium.policies.paths.reward)
_LIKENESS = 0.2  # share of the likeness in a score
_OF_CHAINS = 0.8  # the same where it is that of chains


def supports(candidate: Candidate, evidence: Sequence[EvidencePath]) -> list[EvidencePath]:
    """The paths that lead to one of the candidate's entities, best first."""
    own = [each for each in evidence if each["target"] in candidate["entities"]]
    return sorted(own, key=lambda each: -each["reward"])


def support(paths: Sequence[EvidencePath], *, walked: bool) -> float:
    """The weight of the best path, in [0, 1]; `walked`: their rewards are total rewards of P_RL."""
    weights = [path["reward"] / (_LARGEST if walked else len(path["steps"])) for path in paths]
    return min(max([0.0, *weights]), 1.0)


class CandidateScores(NamedTuple):
    """Of each candidate by its id, all in [0, 1]: the score, and what it is made of."""

    scores: dict[str, float]
    likeness: dict[str, float]
    support: dict[str, float]


def combined(
    candidates: Sequence[Candidate],
    cosines: Sequence[float],
    evidence: Sequence[EvidencePath],
    *,
    walked: bool,
    share: float = _LIKENESS,
) -> CandidateScores:
    """The scores from each candidate's likeness to the question, in [-1, 1], and the evidence; `share` is l."""
    ids = [candidate["id"] for candidate in candidates]
    alike = {key: min(max(cosine, 0.0), 1.0) for key, cosine in zip(ids, cosines, strict=True)}
    held = {candidate["id"]: support(supports(candidate, evidence), walked=walked) for candidate in candidates}
    both = {key: (1 - share) * held[key] + share * alike[key] for key in ids} if any(held.values()) else alike
    return CandidateScores(*({key: round(value, 6) for key, value in part.items()} for part in (both, alike, held)))


async def scored(state: KnowGPTState, kg: str) -> CandidateScores:
    """The scores of all candidates.

    A choice is a text, which may be like its question. What the KG proposed is an entity at the end of a chain: there
    the chain is compared with the question (`score_chains`), of the candidate's paths from each source the best.
    """
    candidates, evidence, walked = state["candidates"], state["evidence"], state["chosen"]["arm"].startswith("rl/")
    if state["proposed_by"] != "kg":
        texts = [candidate["text"] for candidate in candidates]
        return combined(candidates, await rank_texts(kg, state["question"], texts), evidence, walked=walked)
    proofs = [supports(candidate, evidence) for candidate in candidates]
    chains = [tuple(Hop(step[1], step[3]) for step in path["steps"]) for paths in proofs for path in paths]
    names = await get_labels(kg, state["sources"])
    scores = iter(await score_chains(kg, state["question"], names, chains))
    likeness = []
    for paths in proofs:
        best = dict.fromkeys(state["sources"], 0.0)
        for path in paths:
            start = WalkedTriple(*path["steps"][0]).start
            best[start] = max(best.get(start, 0.0), next(scores))
        likeness.append(sum(best.values()) / max(1, len(best)))
    return combined(candidates, likeness, evidence, walked=walked, share=_OF_CHAINS)
