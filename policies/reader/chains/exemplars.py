"""Exemplars: questions of the KG's own pairs with their decomposition, shown to an LLM that decomposes (section 3.1).

Learning keeps a few for every chain that the pairs show (`exemplars.json` beside the decomposer); a question is shown
those nearest to it in meaning. The decomposition is the trained decomposer's, kept where it walks the pair's own chain.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from trivium.kg.artifact import ArtifactKind
from trivium.kg.embedders import Embedder
from trivium.kg.errors import CorruptError, VersionError
from trivium.kg.loaders import Question as Pair
from trivium.kg.store import GraphStore
from trivium.kg.text import tokens
from trivium.kg.types import parse_chain
from trivium.policies.reader.chains.compact_decomposer import CompactDecomposer
from trivium.policies.reader.chains.decomposer import MASK, Decomposition, SubQuestion

EXEMPLARS = ArtifactKind("the exemplars", "exemplars", 1, "learn again with trivium learn keqing", private=True)
_KEPT = 200  # over all chains
_EACH = 4  # of one chain


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A question and its sub-questions as the paper's table 1 writes them."""

    question: str
    sub_questions: tuple[dict[str, Any], ...]


def sub_question_record(sub: SubQuestion) -> dict[str, Any]:
    """A sub-question as table 1 writes it, and the relation of its chain where that has one hop."""
    args = {"seed_entities": list(sub.seed_entities)}
    relation = {"relation": str(sub.chain[0])} if sub.chain and len(sub.chain) == 1 else {}
    return {"question": sub.question, "id": sub.id, "dep": list(sub.dep), "args": args, **relation}


async def make_exemplars(pairs: Sequence[Pair], decomposer: CompactDecomposer, store: GraphStore) -> list[Exemplar]:
    """A few exemplars for every chain of the pairs, chains in turn, so that rare ones are among them."""
    by_chain: dict[object, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.chain or pair.branches:
            key = (pair.chain, tuple(branch.chain for branch in pair.branches))
            if len(by_chain[key]) < _EACH:
                by_chain[key].append(pair)
    in_turn = [pair for pair in chain.from_iterable(zip_longest(*by_chain.values())) if pair is not None]
    made = []
    for pair in in_turn[:_KEPT]:
        found = await decomposer.decompose(pair.question, store, pair.topic_entities)
        if _walks(pair, found, decomposer):
            made.append(Exemplar(pair.question, tuple(map(sub_question_record, found.sub_questions))))
    return made


def _masked(exemplar: Exemplar) -> str:
    """The question without the names in it."""
    text = exemplar.question
    for sub in exemplar.sub_questions:
        for name in sub["args"]["seed_entities"]:
            text = text.replace(name, MASK)
    return text


def _walks(pair: Pair, found: Decomposition, decomposer: CompactDecomposer) -> bool:
    """Whether the sub-questions are in the words of the pair's own hops."""
    hops = [hop for branch in pair.branches for hop in branch.chain] + list(pair.chain or ())
    wanted = sorted(decomposer.phrases[hop] for hop in hops if hop in decomposer.phrases)
    return len(wanted) == len(hops) and wanted == sorted(sub.question for sub in found.sub_questions)


def save_exemplars(folder: Path, exemplars: Sequence[Exemplar], made_from: Mapping[str, str]) -> list[Path]:
    """Write them in one step; returns the files written and removed."""
    rows = [{"question": each.question, "sub_questions": list(each.sub_questions)} for each in exemplars]
    return EXEMPLARS.save(folder, {"exemplars": rows}, made_from=made_from)


def load_exemplars(folder: Path) -> list[Exemplar]:
    """Those of a folder; none where its file is missing or does not read: a prompt can do without them."""
    try:
        rows = EXEMPLARS.load(folder).data["exemplars"]
        found = [Exemplar(str(row["question"]), tuple(row["sub_questions"])) for row in rows]
        return found if all(map(_masked, found)) else []
    except (CorruptError, VersionError, ValueError, KeyError, TypeError):
        return []


def pairs_of_version_1(kg: Path) -> tuple[list[Pair], int]:
    """The pairs that what version 1 learned on a KG directory still shows, and how many it had learned from.

    It kept no questions, but exemplars: questions with sub-questions in the words of templates, which own the chains.
    Those with one name and one sub-question after the other are pairs; none where the files are missing or newer.
    """
    try:
        rows = json.loads((kg / "keqing" / "exemplars.json").read_bytes())
        templates = json.loads((kg / "templates" / "templates.json").read_bytes())
        learned = int(json.loads((kg / "keqing" / "decomposer.json").read_bytes())["pairs"] or 0)
        if not isinstance(rows, list) or not isinstance(templates, list):
            return [], 0
        chains = {row["text"]: parse_chain(row["chains"][0]) for row in templates}
        found = []
        for number, row in enumerate(rows):
            subs = row["sub_questions"]
            in_turn = [sub["dep"] for sub in subs] == [[place - 1] for place in range(len(subs))]
            seeds = subs[0]["args"]["seed_entities"]
            if in_turn and len(seeds) == 1 and all(sub["question"] in chains for sub in subs):
                chain_of_all = tuple(hop for sub in subs for hop in chains[sub["question"]])
                found.append(Pair(str(number), row["question"], tuple(seeds), chain=chain_of_all))
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return [], 0
    return found, learned


class ExemplarIndex:
    """Exemplars with the words that they are asked in and their vectors, made once for all questions.

    Args:
        exemplars: those to choose from.
        embedder: makes the vectors; may take long, where it is no static one.
    """

    def __init__(self, exemplars: Sequence[Exemplar], embedder: Embedder) -> None:
        self.exemplars = tuple(exemplars)
        self._embedder = embedder
        masked = [_masked(each) for each in exemplars]
        # How it is asked counts, not about whom: words that no masked exemplar uses are names, as a rule.
        self._phrasing = frozenset(word.text for text in masked for word in tokens(text))
        self._vectors = embedder.embed(masked)

    def nearest(self, question: str, count: int) -> list[Exemplar]:
        """The `count` nearest in meaning to a question, the nearest last, where a model heeds it most."""
        if not self.exemplars or count < 1:
            return []
        own = " ".join(word.text for word in tokens(question) if word.text in self._phrasing)
        order = np.argsort(-(self._vectors @ self._embedder.embed([own or question])[0]), kind="stable")[:count]
        return [self.exemplars[place] for place in reversed(order.tolist())]
