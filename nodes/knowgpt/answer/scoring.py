"""Candidates scored without a model: by their best path, and by likeness to the question.

    likeness = max(0, cosine of the question's and the candidate's embeddings)
    support  = the weight of its best path, 0 without one
    score    = (1 - l) * support + l * likeness with l = 0.2, or the likeness alone where no candidate has a path

A path's weight is its total reward as a share of the largest possible one: near the question (equation 3) and short
(equation 4). Of a subgraph's path, whose reward is a relevance, it is that relevance divided by the length. All figures
are in [0, 1]. Several paths count no more than the best of them: every path that reaches its target has most of the
largest reward, so a sum, or a noisy-or, ends near 1 for any candidate with three paths, related or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trivium.nodes.knowgpt.state import Candidate, EvidencePath
from trivium.tools.rank_texts import rank_texts

_LARGEST = 3.0  # l1 + l2 + l3 with a cosine of 1 and one step (trivium.policies.paths.reward)
_LIKENESS = 0.2  # share of the likeness in a score


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
    candidates: Sequence[Candidate], cosines: Sequence[float], evidence: Sequence[EvidencePath], *, walked: bool
) -> CandidateScores:
    """The scores from each candidate's cosine with the question, and the evidence."""
    ids = [candidate["id"] for candidate in candidates]
    alike = {key: min(max(cosine, 0.0), 1.0) for key, cosine in zip(ids, cosines, strict=True)}
    held = {candidate["id"]: support(supports(candidate, evidence), walked=walked) for candidate in candidates}
    both = {key: (1 - _LIKENESS) * held[key] + _LIKENESS * alike[key] for key in ids} if any(held.values()) else alike
    return CandidateScores(*({key: round(value, 6) for key, value in part.items()} for part in (both, alike, held)))


async def scored(
    kg: str, question: str, candidates: Sequence[Candidate], evidence: Sequence[EvidencePath], *, walked: bool
) -> CandidateScores:
    """The scores of all candidates."""
    cosines = await rank_texts(kg, question, [candidate["text"] for candidate in candidates])
    return combined(candidates, cosines, evidence, walked=walked)
