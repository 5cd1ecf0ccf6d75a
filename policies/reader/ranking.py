"""A log-linear ranking of a question's plans, learned from pairs with answers alone.

Among the reader's best plans for a pair, those that give its answers are right; which of them is meant shows over all
pairs (the marginal likelihood of the right ones is raised). The hand score is the prior. What is learned is added to
it: which word goes with which relation, property, type and operator of a plan, and which may stay unread.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.plans.plan import Aggregate, ChainStep, Compare, Entities, HasType, OfType, QueryPlan, Term, Top, nodes

FOLDS = 5
SHARES = (0.0, 0.1, 0.25)
"""Shares of the learned part; held-out pairs choose the one whose gain less its standard error is greatest."""
FEWEST = 100
"""Pairs with a right plan among the candidates from which a ranking is learned: 50 lose as often as they gain."""
_EPOCHS, _STEP = 6, 0.02
_WORD = re.compile(r"[^\W_]+")
_KEPT = 1e-3  # weights smaller than this are left out
_UNREAD = "|unread"
_RIGHT = 0.5  # F1 above which a plan may be right
_IDLE, _OFTEN = 3, 0.75  # right plans that leave a word unread, and their share of all that do and one more

Features = frozenset[str]


def plan_features(question: str, plan: QueryPlan, unread: Sequence[str] = ()) -> Features:
    """What a plan does in view of the question's words: `word|element` for each of both, `|element`, `word|unread`."""
    words = ["", *dict.fromkeys(_WORD.findall(question.casefold()))]
    elements = {each for node in nodes(plan) for each in _elements(node)} | {f"root:{type(plan).__name__}"}
    return frozenset(f"{word}|{each}" for word in words for each in elements) | {
        f"{word.casefold()}{_UNREAD}" for word in unread
    }


def _elements(node: object) -> list[str]:
    match node:
        case ChainStep(relation=relation, direction=direction):
            return [f"{direction}:{relation}", relation]
        case Term(property=name) if name:
            return [f".{name}"]
        case OfType(type=name) | HasType(type=name):
            return [f":{name}"]
        case Aggregate(function=name):
            return [f"agg:{name}"]
        case Top(descending=descending):
            return [f"top:{descending}"]
        case Compare(operator=sign):
            return [f"cmp:{sign}"]
        case Entities():
            return ["entity"]
        case _:
            return [type(node).__name__]


@dataclass(frozen=True)
class PlanRanking:
    """What pairs taught about plans.

    Attributes:
        weights: of features; what they sum to is added to a plan's score.
        idle: words, case-folded, that right plans leave unread: they say nothing against a plan.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    idle: frozenset[str] = frozenset()

    def of(self, question: str, plan: QueryPlan, unread: Sequence[str] = ()) -> float:
        """What is learned about a plan for a question, in the units of `Reading.score`."""
        return sum(self.weights.get(each, 0.0) for each in plan_features(question, plan, unread))

    def still_unread(self, unread: Sequence[str]) -> tuple[str, ...]:
        """The words among these that do speak against a plan that leaves them unread."""
        return tuple(word for word in unread if word.casefold() not in self.idle)


class Ranked(NamedTuple):
    """A candidate of a training question: its hand score, its features, the F1 of its answer in [0, 1]."""

    score: float
    features: Features
    f1: float


@dataclass(frozen=True)
class RankingReport:
    """What held-out pairs say.

    Attributes:
        before: mean F1 of the first plans by the hand score.
        f1: of each pair, by its place, with what the other pairs taught as far as it is used.
        share: of what was learned that is used; 0 where it does not help.
    """

    before: float
    f1: Mapping[int, float]
    share: float

    @property
    def after(self) -> float:
        """Mean F1 with what the others taught."""
        return sum(self.f1.values()) / max(len(self.f1), 1)


def learn_ranking(plans: Sequence[Sequence[Ranked] | None]) -> tuple[PlanRanking, RankingReport]:
    """A ranking learned from the candidates of each pair (None: not read); empty where held-out ones do not gain by it.

    Five folds choose the share: a pair is read by what the other folds' pairs taught.
    """
    asked = {place: each for place, each in enumerate(plans) if each}
    first = {place: [_first(each, np.zeros(len(each)))] * len(SHARES) for place, each in asked.items()}
    if sum(bool(_right(each).any()) for each in asked.values()) >= FEWEST:
        order = np.random.default_rng(0).permutation(sorted(asked)).tolist()
        for number in range(FOLDS):
            held = order[number::FOLDS]
            weights = _train([asked[place] for place in order if place not in held])
            for place in held:
                learned = np.array([sum(weights.get(f, 0.0) for f in one.features) for one in asked[place]])
                first[place] = [_first(asked[place], share * learned) for share in SHARES]
    f1 = {place: 0.0 for place, each in enumerate(plans) if each is not None}
    if not first:
        return PlanRanking(), RankingReport(0.0, f1, 0.0)
    figures = np.array([[one.f1 for one in each] for each in first.values()])
    gains = figures - figures[:, :1]
    best = int(np.argmax(gains.mean(axis=0) - gains.std(axis=0) / len(gains) ** 0.5))
    f1 |= {place: each[best].f1 for place, each in first.items()}
    report = RankingReport(float(figures[:, 0].sum()) / len(f1), f1, SHARES[best])
    idle = _idle([each[best] for each in first.values()])
    if not SHARES[best]:
        return PlanRanking(idle=idle), report
    scaled = {name: SHARES[best] * weight for name, weight in _train(list(asked.values())).items()}
    kept = {name: round(weight, 4) for name, weight in scaled.items() if abs(weight) > _KEPT}
    return PlanRanking(kept, idle), report


def _first(candidates: Sequence[Ranked], more: NDArray[np.float64]) -> Ranked:
    """The candidate that comes first."""
    return candidates[int(np.argmax([one.score for one in candidates] + more))]


def _idle(first: Sequence[Ranked]) -> frozenset[str]:
    """The words that plans leave unread and are right all the same, by the first plans of held-out pairs."""
    left, right = Counter[str](), Counter[str]()
    for one in first:
        words = [name.removesuffix(_UNREAD) for name in one.features if name.endswith(_UNREAD)]
        left.update(words)
        right.update(words if one.f1 > _RIGHT else ())
    return frozenset(word for word, n in right.items() if n >= _IDLE and n / (left[word] + 1) >= _OFTEN)


def _train(asked: Sequence[Sequence[Ranked]]) -> dict[str, float]:
    """Gradient ascent on the marginal log-likelihood of the right candidates, one question a step.

    A step of its own for each feature (AdaGrad) lets the many that one question has outweigh the frequent ones.
    Features that all candidates of a question share say nothing, those that one question alone has are chance.
    """
    useful = [each for each in asked if _right(each).any() and not _right(each).all()]
    told = [[one.features - frozenset.intersection(*(o.features for o in each)) for one in each] for each in useful]
    seen = Counter(name for each in told for name in frozenset[str]().union(*each))
    number = {name: place for place, name in enumerate(sorted(name for name, n in seen.items() if n > 1))}
    rows = [[np.array([number[f] for f in sorted(one) if f in number], np.int64) for one in each] for each in told]
    weights = np.zeros(len(number))
    random = np.random.default_rng(0)
    for _ in range(_EPOCHS):
        for place in random.permutation(len(useful)).tolist():
            parts = rows[place]
            scores = np.array([o.score + weights[p].sum() for o, p in zip(useful[place], parts, strict=True)])
            model = np.exp(scores - scores.max())
            model /= model.sum()
            right = model * _right(useful[place])
            move = right / max(right.sum(), 1e-12) - model
            each = [_STEP * gain for gain, part in zip(move.tolist(), parts, strict=True) for _ in part]
            np.add.at(weights, np.concatenate(parts), each)
    return {name: float(weights[place]) for name, place in number.items()}


def _right(candidates: Sequence[Ranked]) -> NDArray[np.bool_]:
    """Which candidates count as right: those that answer best, and more than half."""
    f1 = np.array([one.f1 for one in candidates])
    right: NDArray[np.bool_] = (f1 > _RIGHT) & (f1 >= f1.max(initial=0.0) - 1e-6)
    return right
