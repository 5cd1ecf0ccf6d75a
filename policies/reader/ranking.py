"""A log-linear ranking of a question's plans, learned from pairs with answers alone.

Among the reader's best plans for a pair, those that give its answers are right; which of them is meant shows over all
pairs (the marginal likelihood of the right ones is raised). The hand score is the prior. What is learned is added to
it: which word goes with which relation, property, type and operator of a plan, which words were read as what, and
which may stay unread.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.plans.plan import (
    Aggregate,
    ChainStep,
    Compare,
    Entities,
    HasType,
    OfType,
    Operand,
    QueryPlan,
    Term,
    Top,
    nodes,
)
from trivium.policies.logistic import fit_logistic
from trivium.policies.reader.chains.lexicon import stem

FOLDS = 5
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of the learned part; held-out pairs choose the one whose gain less its standard error is greatest."""
FEWEST = 100
"""Pairs with a right plan among the candidates from which a ranking is learned; fewer held-out ones tell too little."""
RIGHT = 0.5
"""F1 above which a plan may be right."""
_STEPS, _STEP, _ADAM = 40, 0.1, (0.9, 0.99)
_DRAWN = 2.0  # precision of the prior of a weight
_PRIOR = 3.0  # nats of one unit of the hand score
_OTHERS = 23  # plans that the first one is compared with
_FAR = 8.0  # beyond which a sign says no more
_WORD = re.compile(r"[^\W_]+")
_KEPT = 1e-3  # weights smaller than this are left out
_UNREAD = "|unread"
_IDLE, _OFTEN = 3, 0.75  # right plans that leave a word unread, and their share of all that do and one more

Features = frozenset[str]
ReadAs = Iterable[tuple[str, str]]
"""Words of a question, each with what a plan reads them as: an element of the schema, `property = value`, a name."""


def plan_features(question: str, plan: QueryPlan, unread: Sequence[str] = (), parts: ReadAs = ()) -> Features:
    """What a plan does in view of the question's words.

    `word|element` for each of both, `|element`, `word|unread`; `words~element` for words that are read as an element,
    and `~element`.
    """
    words = ["", *dict.fromkeys(_WORD.findall(question.casefold()))]
    elements = {each for node in nodes(plan) for each in _elements(node)} | {f"root:{type(plan).__name__}"}
    read = {(said.casefold(), element.partition(" = ")[0]) for said, element in parts}
    return (
        frozenset(f"{word}|{each}" for word in words for each in elements)
        | {f"{word.casefold()}{_UNREAD}" for word in unread}
        | {f"{word}~{element}" for said, element in read for word in (said, "")}
    )


def _elements(node: object) -> list[str]:
    match node:
        case ChainStep(relation=relation, direction=direction):
            return [f"{direction}:{relation}", relation]
        case Term(property=name) | Operand(property=name) if name:
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
        idle: stems of words that right plans leave unread: they say nothing against a plan.
        trust: a logistic model, fitted on held-out pairs, of the first plan being right: a weight for each of `_signs`;
            empty where there were too few.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    idle: frozenset[str] = frozenset()
    trust: tuple[float, ...] = ()

    @property
    def is_taught(self) -> bool:
        """Whether it says anything of a plan, or of a question's plans together."""
        return bool(self.weights or self.trust)

    def of(self, question: str, plan: QueryPlan, unread: Sequence[str] = (), parts: ReadAs = ()) -> float:
        """What is learned about a plan for a question, in the units of `Reading.score`."""
        if not self.weights:  # nothing was taught: a third of a millisecond a plan
            return 0.0
        return sum(self.weights.get(each, 0.0) for each in plan_features(question, plan, unread, parts))

    def log_odds(self, scores: Sequence[float], learned: float, unread: int) -> float | None:
        """Log-odds that the first of a question's plans is right, by what held-out pairs show; None without any.

        `scores` are those of all its plans, the first one's first, what is learned included; `learned` is that of the
        first, `unread` the number of words that it leaves unread.
        """
        if not self.trust:
            return None
        return float(_signs(np.array(scores), 0, learned, unread) @ np.array(self.trust))

    def still_unread(self, unread: Sequence[str]) -> tuple[str, ...]:
        """The words among these that do speak against a plan that leaves them unread."""
        return tuple(word for word in unread if stem(word.casefold()) not in self.idle)


class Ranked(NamedTuple):
    """A candidate of a training question: its hand score, its features, the F1 of its answer in [0, 1]."""

    score: float
    features: Collection[str]
    f1: float


def told_apart(candidates: Sequence[Ranked]) -> list[Ranked]:
    """The candidates of a question without the features that all of them have, in little memory."""
    shared = frozenset.intersection(*(frozenset(each.features) for each in candidates)) if candidates else frozenset()
    return [
        each._replace(
            features=tuple(sys.intern(f) for f in sorted(each.features) if f not in shared or f.endswith(_UNREAD))
        )
        for each in candidates
    ]


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
    first = {place: [_first(each, np.zeros(len(each)))[0]] * len(SHARES) for place, each in asked.items()}
    signs: dict[int, list[NDArray[np.float64]]] = {}
    if sum(bool(_right(each).any()) for each in asked.values()) >= FEWEST:
        order = np.random.default_rng(0).permutation(sorted(asked)).tolist()
        for number in range(FOLDS):
            held = order[number::FOLDS]
            weights = _train([asked[place] for place in order if place not in held])
            for place in held:
                learned = np.array([sum(weights.get(f, 0.0) for f in one.features) for one in asked[place]])
                chosen = [_first(asked[place], share / _PRIOR * learned) for share in SHARES]
                first[place], signs[place] = [one for one, _ in chosen], [each for _, each in chosen]
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
    trust = _trust([each[best] for each in signs.values()], [first[place][best] for place in signs])
    scaled = {name: SHARES[best] / _PRIOR * weight for name, weight in _train(list(asked.values())).items()}
    kept = {name: round(weight, 4) for name, weight in scaled.items() if abs(weight) > _KEPT}
    return PlanRanking(kept, idle, trust), report


def _first(candidates: Sequence[Ranked], more: NDArray[np.float64]) -> tuple[Ranked, NDArray[np.float64]]:
    """The candidate that comes first, and the signs of its being right."""
    scores = np.array([one.score for one in candidates]) + more
    best = int(np.argmax(scores))
    unread = sum(name.endswith(_UNREAD) for name in candidates[best].features)
    return candidates[best], _signs(scores, best, float(more[best]), unread)


def _signs(scores: NDArray[np.float64], best: int, learned: float, unread: int) -> NDArray[np.float64]:
    """What tells how likely the best of a question's plans is right: float64 [5], the first 1.

    The log-odds of its share among all, its hand score, what is learned of it, the words that it leaves unread.
    """
    others = np.delete(scores, best)[:_OTHERS]
    ahead = scores[best] - (np.logaddexp.reduce(_PRIOR * others) / _PRIOR if len(others) else scores[best] - _FAR)
    out: NDArray[np.float64] = np.array([1.0, _PRIOR * ahead, scores[best] - learned, learned, unread])
    return out.clip(-_FAR, _FAR)


def _trust(signs: Sequence[NDArray[np.float64]], first: Sequence[Ranked]) -> tuple[float, ...]:
    """Weights of the signs by the log-likelihood of the first plans of held-out pairs; drawn to 0."""
    x, right = np.array(signs), np.array([float(one.f1 > RIGHT) for one in first])
    weights = fit_logistic(x, right, np.zeros(x.shape[1]), np.ones(x.shape[1]))
    return tuple(round(float(each), 4) for each in weights)


def _idle(first: Sequence[Ranked]) -> frozenset[str]:
    """Stems of words that plans leave unread and are right all the same, by the first plans of held-out pairs."""
    left, right = Counter[str](), Counter[str]()
    for one in first:
        words = {stem(name.removesuffix(_UNREAD)) for name in one.features if name.endswith(_UNREAD)}
        left.update(words)
        right.update(words if one.f1 > RIGHT else ())
    return frozenset(word for word, n in right.items() if n >= _IDLE and n / (left[word] + 1) >= _OFTEN)


def _train(asked: Sequence[Sequence[Ranked]]) -> dict[str, float]:
    """Weights that raise the marginal log-likelihood of the right candidates, drawn to 0 as by a normal prior.

    Steps of Adam over all questions at once: without the prior, 200 questions taught more chance than sense. Features
    that all candidates of a question share say nothing, those that one question alone has are chance.
    """
    useful = [each for each in asked if _right(each).any() and not _right(each).all()]
    if not useful:
        return {}
    told = [[frozenset(one.features) for one in each] for each in useful]
    told = [[one - frozenset.intersection(*each) for one in each] for each in told]
    seen = Counter(name for each in told for name in frozenset[str]().union(*each))
    number = {name: place for place, name in enumerate(sorted(name for name, n in seen.items() if n > 1))}
    rows = [[number[name] for name in one if name in number] for each in told for one in each]
    features = np.array([place for row in rows for place in row], dtype=np.int32)
    owner = np.repeat(np.arange(len(rows), dtype=np.int32), [len(row) for row in rows])
    starts = np.cumsum([0, *map(len, useful[:-1])])
    question = np.repeat(np.arange(len(useful)), [len(each) for each in useful])
    hand = _PRIOR * np.array([one.score for each in useful for one in each])
    right = np.concatenate([_right(each) for each in useful])
    weights, mean, spread = (np.zeros(len(number)) for _ in range(3))
    for step in range(1, _STEPS + 1):
        scores = hand + np.bincount(owner, weights[features], minlength=len(hand))
        model = np.exp(scores - np.maximum.reduceat(scores, starts)[question])
        model /= np.add.reduceat(model, starts)[question]
        wanted = model * right
        move = wanted / np.maximum(np.add.reduceat(wanted, starts)[question], 1e-12) - model
        slope = np.bincount(features, move[owner], minlength=len(number)) - _DRAWN * weights
        mean = _ADAM[0] * mean + (1 - _ADAM[0]) * slope
        spread = _ADAM[1] * spread + (1 - _ADAM[1]) * slope**2
        weights += _STEP * mean / (1 - _ADAM[0] ** step) / (np.sqrt(spread / (1 - _ADAM[1] ** step)) + 1e-6)
    return {name: float(weights[place]) for name, place in number.items()}


def _right(candidates: Sequence[Ranked]) -> NDArray[np.bool_]:
    """Which candidates count as right: those that answer best, and more than half."""
    f1 = np.array([one.f1 for one in candidates])
    right: NDArray[np.bool_] = (f1 > RIGHT) & (f1 >= f1.max(initial=0.0) - 1e-6)
    return right
