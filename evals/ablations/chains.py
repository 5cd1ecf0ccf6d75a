"""Sub-questions against whole chains (Keqing, figure 6), on MetaQA's dev split.

Three ways to hold questions out: by chance, by wording (no question of the same words but for its topic was seen), and
by chain (no question of that chain was seen): there a model that predicts whole chains can only be wrong.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from trivium.evals.ablations.asking import ask, made_kg, taught
from trivium.evals.ablations.report import FigureTable
from trivium.evals.ablations.whole_chains import ChainPredictor, train_whole_chains
from trivium.evals.metaqa import HOPS, is_held_out, read_metaqa, spread
from trivium.evals.metrics import Score, mean, score
from trivium.kg.loaders import Question
from trivium.kg.types import chain_text
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.policies.reader.chains.artifact import load_decomposer
from trivium.policies.reader.chains.pairs import align_pairs

_LEARNT, _ASKED = 1_500, 300  # questions a hop


def wording(question: Question) -> str:
    """The question's words without its topic."""
    return question.question.replace(question.topic_entities[0], "[mask]")


def _fifth(text: str) -> bool:
    return int(hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest(), 16) % 5 == 0


SPLITS: dict[str, Callable[[Question], bool]] = {
    "by chance": is_held_out,
    "new wording": lambda question: _fifth(wording(question)),
    "new chain": lambda question: len(question.chain or ()) > 1 and _fifth(" ".join(chain_text(question.chain or ()))),
}


async def chains(data: Path) -> FigureTable:
    """Hits@1 of both, for each way of holding out and each number of hops."""
    folder = made_kg("metaqa", data)
    questions = {hops: read_metaqa(data, hops, topics=True) for hops in HOPS}
    rows, ours, theirs, sets, other_sets = list[str](), list[float](), list[float](), list[float](), list[float]()
    for name, held_out in SPLITS.items():
        learnt = [q for all_ in questions.values() for q in spread([q for q in all_ if not held_out(q)], _LEARNT)]
        async with taught(folder, [_unmarked(question) for question in learnt]) as base:
            predictor = await _predictor(base, learnt)
            for hops, all_ in questions.items():
                asked = [_unmarked(q) for q in spread([q for q in all_ if held_out(q)], _ASKED)]
                if not asked:
                    continue
                rows.append(f"{name}, {hops}-hop")
                sub_questions = mean(item.score for item in await ask(asked, KeqingContext(kg=str(folder))))
                whole = mean([await _score(predictor, question, base) for question in asked])
                ours.append(100 * sub_questions.top1)
                theirs.append(100 * whole.top1)
                sets.append(100 * sub_questions.exact)
                other_sets.append(100 * whole.exact)
    return FigureTable(
        f"Sub-questions against whole chains (figure 6), MetaQA dev, up to {_LEARNT} pairs and "
        f"{_ASKED} questions a hop; Hits@1",
        "held out",
        rows,
        {
            "sub-questions": ours,
            "whole chains": theirs,
            "exact sets, sub-questions": sets,
            "exact sets, whole chains": other_sets,
        },
        ("sub-questions", "whole chains"),
    )


async def _predictor(base: Knowledge, pairs: Sequence[Question]) -> ChainPredictor:
    aligned = [pair async for pair in align_pairs(pairs, base.store) if pair is not None]
    return train_whole_chains(aligned, load_decomposer(base.learnt, base.embedder))


async def _score(predictor: ChainPredictor, question: Question, base: Knowledge) -> Score:
    ids = await predictor.answer(question.question, base.store)
    labels = await base.store.labels(ids)
    return score(list(zip(ids, labels, strict=True)), question.answers)


def _unmarked(question: Question) -> Question:
    """The question without the topic that MetaQA marks: both find it themselves."""
    return Question(question.id, question.question, answers=question.answers, chain=question.chain)
