"""Candidates scored without a model: by their paths (reward, number, length) and by likeness to the question.

    likeness = max(0, cosine of the question's and the candidate's embeddings)
    support  = 1 - product over its paths of (1 - weight)
    score    = (likeness + support) / 2, or the likeness alone where no candidate has a path

A path's weight is its total reward as a share of the largest possible one, which falls with its length (equation 4);
of a subgraph's path, whose reward is a relevance, that relevance divided by the length. All in [0, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from trivium.kg.embedders import Embedder
from trivium.nodes.knowgpt.state import Candidate, Evidence

_LARGEST = 3.0  # l1 + l2 + l3 with a cosine of 1 and one step (trivium.policies.paths.reward)


def supports(candidate: Candidate, evidence: Sequence[Evidence]) -> list[Evidence]:
    """The paths that lead to one of the candidate's entities, best first."""
    own = [each for each in evidence if each["target"] in candidate["entities"]]
    return sorted(own, key=lambda each: -each["reward"])


def support(paths: Sequence[Evidence], *, walked: bool) -> float:
    """How well paths support their target, in [0, 1]; `walked`: their rewards are total rewards of P_RL."""
    missed = 1.0
    for path in paths:
        weight = path["reward"] / _LARGEST if walked else path["reward"] / len(path["steps"])
        # As of independent witnesses: each path leaves a share of the doubt that the others left.
        missed *= 1 - min(max(weight, 0.0), 1.0)
    return 1 - missed


def likeness(question: str, candidates: Sequence[Candidate], embedder: Embedder) -> list[float]:
    """The cosine of each candidate's words with the question, in [0, 1]. Blocks for as long as the embedder does."""
    asked, *offered = embedder.embed([question, *(candidate["text"] for candidate in candidates)])
    return [max(0.0, float(np.dot(asked, vector))) for vector in offered]


class CandidateScores(NamedTuple):
    """Of each candidate by its id, all in [0, 1]: the score, and what it is made of."""

    scores: dict[str, float]
    likeness: dict[str, float]
    support: dict[str, float]


def scored(
    question: str, candidates: Sequence[Candidate], evidence: Sequence[Evidence], embedder: Embedder, *, walked: bool
) -> CandidateScores:
    """The scores of all candidates; blocks as `likeness`."""
    ids = [candidate["id"] for candidate in candidates]
    alike = dict(zip(ids, likeness(question, candidates, embedder), strict=True))
    held = {c["id"]: support(supports(c, evidence), walked=walked) for c in candidates}
    both = {key: (alike[key] + held[key]) / 2 for key in ids} if any(held.values()) else alike
    return CandidateScores(*({key: round(value, 6) for key, value in part.items()} for part in (both, alike, held)))
