"""Which way leads on, by similarity alone: what ODA's action and reflection go by where no LLM chooses.

The paper's similarity-based reflection (section 4.2) ranks triples by their cosine with the question. Triples of one
relation around one entity differ in their tails alone, which say little about what was asked, so here the whole group
is ranked by its relation's own name, and a path by the names along it. Three rules keep a similarity from going astray;
docs/explanation/oda.md has what each of them is worth:

- The words of the entities' own names are left out of the question: they say nothing about relations.
- An inverse hop costs a little, as a relation's name reads from head to tail.
- A path of several hops needs a word of the question for each of them, and for no two the same one: a hop that no word
  speaks for was not asked. This is what stops the loop.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedders import Embedder, FloatArray, additive, unit
from trivium.kg.indexes import own_words, relation_words
from trivium.kg.text import tokens
from trivium.kg.types import Hop, LogicalChain
from trivium.policies.reader.english import classes


@dataclass(frozen=True, slots=True)
class ChoiceRules:
    """The rules, the same for every KG; chosen on a part of the dev questions, reported on the others."""

    inverse_cost: float = 0.05
    """Cosine that an inverse hop has to make up for."""
    hop_cost: float = 0.03
    """Cosine that each hop after the first has to add."""
    word_likeness: float = 0.4
    """Cosine from which a word of the question speaks for a word of a relation's name; -1 lets every word speak."""
    own_names: bool = True
    """Whether a relation goes by its own name, without the path of names before it."""
    leave_names_out: bool = True
    """Whether the words of the entities' names are left out of the question."""


DEFAULT_RULES = ChoiceRules()
_QUESTIONS = 64  # questions whose choice is remembered


class RelationNames:
    """Vectors of relations' own names and of their words, made once a KG and embedder."""

    def __init__(self, embedder: Embedder, rules: ChoiceRules = DEFAULT_RULES) -> None:
        self.embedder = embedder
        self.rules = rules
        self._said = own_words if rules.own_names else relation_words
        self._sums: dict[str, FloatArray] = {}
        self._words: dict[str, FloatArray] = {}
        self._choices: OrderedDict[tuple[str, tuple[str, ...]], SimilarityChoice] = OrderedDict()

    def choice(self, question: str, labels: tuple[str, ...]) -> SimilarityChoice:
        """The choice for one question; the last few are remembered, since a run scores its question's chains often."""
        key = (question, labels)
        if key not in self._choices:
            self._choices[key] = SimilarityChoice(question, labels, self)
            if len(self._choices) > _QUESTIONS:
                self._choices.popitem(last=False)
        return self._choices[key]

    def sums(self, relations: Sequence[str]) -> FloatArray:
        """A vector a relation: the sum of its tokens where the embedder's add up, else its unit vector; [n, d]."""
        new = [name for name in dict.fromkeys(relations) if name not in self._sums]
        if new:
            said, adding = [self._said(name) for name in new], additive(self.embedder)
            self._sums.update(zip(new, adding.token_sums(said) if adding else self.embedder.embed(said), strict=True))
        return np.stack([self._sums[name] for name in relations])

    def words(self, relation: str) -> FloatArray:
        """A unit vector for each word of a relation's own name that can speak for it, float32 [k, d], k >= 1."""
        if relation not in self._words:
            said = self._said(relation).split()
            self._words[relation] = self.embedder.embed([w for w in said if w not in classes().idle] or said)
        return self._words[relation]


class SimilarityChoice:
    """Scores chains of hops for one question.

    Args:
        question: in words.
        labels: of the entities that it names.
        names: the relations' vectors; the question's are made by the same embedder.
    """

    def __init__(self, question: str, labels: Iterable[str], names: RelationNames) -> None:
        self._rules = names.rules
        left = without_names(question, labels if self._rules.leave_names_out else ())
        (self._asked,) = names.embedder.embed([left])
        words = [word for word in left.split() if word not in classes().idle]
        self._words = names.embedder.embed(words) if words else np.zeros((0, len(self._asked)), np.float32)
        self._names = names
        self._known: dict[LogicalChain, float] = {}
        self._spoken: dict[str, frozenset[int]] = {}

    def scores(self, chains: Sequence[LogicalChain]) -> NDArray[np.float64]:
        """How well each chain, of one hop or more, says what is asked: float64 [n], cosines less the costs.

        -inf for a chain with a hop that no word of the question is left to speak for.
        """
        new = [chain for chain in dict.fromkeys(chains) if chain not in self._known]
        if new:
            hops = self._names.sums([hop.relation for chain in new for hop in chain])
            starts = np.cumsum([0, *(len(chain) for chain in new[:-1])])
            self._listen(hop.relation for chain in new if len(chain) > 1 for hop in chain)
            cosines = unit(np.add.reduceat(hops, starts, axis=0)) @ self._asked
            for chain, cosine in zip(new, cosines.tolist(), strict=True):
                self._known[chain] = cosine - self._cost(chain) if self._is_spoken_for(chain) else -np.inf
        return np.array([self._known[chain] for chain in chains], dtype=np.float64)

    def best(self, chains: Sequence[LogicalChain]) -> tuple[float, LogicalChain] | None:
        """The best chain with its score; of equal ones the first. None where none is possible."""
        if not chains:
            return None
        scores = self.scores(chains)
        place = int(np.argmax(scores))
        return (float(scores[place]), chains[place]) if np.isfinite(scores[place]) else None

    def _cost(self, chain: Sequence[Hop]) -> float:
        inverse = sum(hop.inverse for hop in chain)
        return self._rules.hop_cost * (len(chain) - 1) + self._rules.inverse_cost * inverse

    def _is_spoken_for(self, chain: LogicalChain) -> bool:
        """Whether each hop can have a word of the question to itself; one hop alone needs none."""
        return len(chain) < 2 or _matched([self._spoken[hop.relation] for hop in chain], frozenset())

    def _listen(self, relations: Iterable[str]) -> None:
        """For relations not met yet, which of the question's words are like a word of their names."""
        new = [name for name in dict.fromkeys(relations) if name not in self._spoken]
        if not new:
            return
        words = [self._names.words(name) for name in new]
        starts = np.cumsum([0, *(len(each) for each in words[:-1])])
        near = np.logical_or.reduceat(
            self._words @ np.concatenate(words).T >= self._rules.word_likeness, starts, axis=1
        )
        self._spoken.update((name, frozenset(np.flatnonzero(near[:, i]).tolist())) for i, name in enumerate(new))


def without_names(question: str, labels: Iterable[str]) -> str:
    """The question's words that are in none of the labels, folded; the whole question where nothing is left."""
    named = {token.text for label in labels for token in tokens(label)}
    return " ".join(token.text for token in tokens(question) if token.text not in named) or question


def _matched(wanted: Sequence[frozenset[int]], used: frozenset[int]) -> bool:
    """Whether each set can give an element of its own; few sets, so that trying is quick."""
    if not wanted:
        return True
    return any(_matched(wanted[1:], used | {place}) for place in wanted[0] - used)
