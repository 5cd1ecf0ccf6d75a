"""Figure 6 with a language model: one base is fine-tuned once to write sub-questions and once to write logical chains.

`trivium eval keqing-chains --base MODEL`. Both learn from the same pairs, with the same settings, and answer the same
held-out questions through the same graph: sub-questions are matched to templates by their text (three a sub-question,
and one), chains are walked as they are written. What cannot be read counts as no answer; no other decomposer stands in.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from trivium.evals.ablations.report import FigureTable
from trivium.evals.intervals import interval, sign_test
from trivium.evals.metrics import Score, ScoredAnswer, ask
from trivium.graphs.keqing import graph
from trivium.kg.files import write_atomic
from trivium.kg.loaders import Question
from trivium.knowledge.knowledge import Knowledge, close_all, open_knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.policies.lora.model import LoraSettings, adapter_kind, stage_folder
from trivium.policies.lora.train import Wish, fine_tune
from trivium.policies.reader.chains.teaching import teach

if TYPE_CHECKING:
    from trivium.evals.ablations.run import Split

Writes = Literal["decompose", "chains"]
"""The stages that are compared."""

_NAMES: dict[Writes, str] = {"decompose": "sub-questions", "chains": "logical chains"}
_SHOWN = 50  # steps of training between two lines that say how far it is
_NOTHING = Score(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Tuning:
    """What is fine-tuned, and where it is kept.

    Attributes:
        base: the causal LM, a folder or a hub name.
        keep: a folder in which each split has its KG with both adapters; what is there is not tuned again.
        settings: of both.
    """

    base: str
    keep: Path
    settings: LoraSettings = field(default_factory=LoraSettings)


@dataclass(frozen=True)
class SplitOutcome:
    """Each question of a split and number of hops, answered by both: places in the three lists are questions.

    Attributes:
        text: sub-questions, with the templates a sub-question that a run has by default.
        one: sub-questions, with the nearest template alone.
        chains: logical chains.
        unreadable: questions whose text, and whose chains, could not be read.
        written: the text and the chains of each question, as the models wrote them.
    """

    text: list[Score]
    one: list[Score]
    chains: list[Score]
    unreadable: tuple[int, int]
    written: list[tuple[str, str]] = field(default_factory=list)


async def tuned_chains(kg: Path, tuning: Tuning, splits: Iterable[Split]) -> FigureTable:
    """Both models' Hits@1 on each split, by the number of hops.

    Args:
        kg: built of the data, without what was learned.
        tuning: of the base.
        splits: pairs and questions.

    Raises:
        ModelError: the base cannot be opened.
    """
    found: dict[str, SplitOutcome] = {}
    for split in splits:
        folder = tuning.keep / split.name.replace(" ", "-")
        await tune_both(kg, folder, split.pairs, tuning)
        parts = list[SplitOutcome]()
        for hops, asked in split.asked.items():
            parts.append(await answer_both(folder, asked))
            found[f"{split.name}, {hops}-hop"] = parts[-1]
            write_atomic(folder.with_name(f"{folder.name}-{hops}-hop.jsonl"), _lines(asked, parts[-1]))
            print(f"{split.name}, {hops}-hop: {len(asked)} questions answered", file=sys.stderr, flush=True)
        if parts:
            print(f"{split.name}: {paired(parts)}", flush=True)
    return figures(found, Path(tuning.base).name)


async def tune_both(kg: Path, folder: Path, pairs: Sequence[Question], tuning: Tuning) -> None:
    """A copy of a KG in `folder` that has learned from the pairs, with both adapters; of the same pairs it stays."""
    digest = hashlib.sha256(json.dumps([[pair.question, pair.answers] for pair in pairs]).encode()).hexdigest()
    made_from = folder.with_suffix(".pairs")
    await close_all()
    if not made_from.is_file() or made_from.read_text(encoding="utf-8") != digest:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(kg, folder)
        base = Knowledge.open(folder)
        try:
            await teach(base, pairs, lambda *_: None)
        finally:
            await base.close()
        made_from.write_text(digest, encoding="utf-8")
    base = Knowledge.open(folder)
    try:
        for writes, name in _NAMES.items():
            if not _is_tuned(folder, writes, tuning):
                wish = Wish(tuning.base, writes, tuning.settings)
                tuned = (await fine_tune(base, pairs, wish, _Progress(f"{folder.name}, {name}"))).report
                loss = "" if tuned.held_out_loss is None else f", held-out loss {tuned.held_out_loss:.4f}"
                print(
                    f"{folder.name}, {name}: {tuned.examples} examples, {tuned.steps} steps, "
                    f"loss {tuned.loss:.4f}{loss}",
                    flush=True,
                )
    finally:
        await base.close()


def _is_tuned(folder: Path, writes: Writes, tuning: Tuning) -> bool:
    """Whether the adapter of a stage is there, of this base and these settings."""
    kind, place = adapter_kind(writes), stage_folder(folder, writes)
    if not kind.exists(place):
        return False
    data = kind.load(place).data
    base = str(Path(tuning.base).resolve()) if Path(tuning.base).is_dir() else tuning.base
    return bool(data["base"] == base and data["settings"] == asdict(tuning.settings))


class _Progress:
    """Lines on stderr: each stage once, and training every `_SHOWN` steps."""

    def __init__(self, what: str) -> None:
        self._what, self._stage = what, ""

    def __call__(self, stage: str, done: int, total: int | None, note: str) -> None:
        if stage != self._stage or (stage == "fine-tune" and done % _SHOWN == 0):
            self._stage = stage
            print(f"{self._what}: {stage} {done}{f' of {total}' if total else ''} {note}", file=sys.stderr, flush=True)


async def answer_both(folder: Path, questions: Sequence[Question]) -> SplitOutcome:
    """The questions answered by both adapters of a KG."""
    texts = await _answers(folder, questions, KeqingContext(kg=str(folder), decompose="lora"))
    one = await _answers(
        folder, questions, KeqingContext(kg=str(folder), decompose="lora", templates_per_sub_question=1)
    )
    chains = await _answers(folder, questions, KeqingContext(kg=str(folder), decompose="lora_chains"))
    unreadable = (sum(map(_unread, texts)), sum(map(_unread, chains)))
    written = [await _written(folder, questions, writes) for writes in _NAMES]  # remembered, not generated again
    return SplitOutcome(
        [*map(_score, texts)],
        [*map(_score, one)],
        [*map(_score, chains)],
        unreadable,
        list(zip(*written, strict=True)),
    )


async def _answers(folder: Path, questions: Sequence[Question], context: KeqingContext) -> list[ScoredAnswer]:
    """Every question through the graph, after the model has written for all of them together."""
    await _written(folder, questions, "chains" if context.decompose == "lora_chains" else "decompose")
    return await ask(graph, questions, context)


async def _written(folder: Path, questions: Sequence[Question], writes: Writes) -> list[str]:
    """What a stage's model writes for each question."""
    knowledge = await open_knowledge(str(folder))
    decomposer = await knowledge.lora_decomposer(writes)
    said = await asyncio.to_thread(decomposer.speak, [decomposer.prompt(question.question) for question in questions])
    return [one.text for one in said]


def _lines(questions: Sequence[Question], outcome: SplitOutcome) -> bytes:
    """A JSON line a question: what both wrote, and which is right."""
    rows = zip(questions, outcome.written, outcome.text, outcome.one, outcome.chains, strict=True)
    return "".join(
        json.dumps(
            {
                "question": question.question,
                "sub-questions": text,
                "logical chains": chain,
                "right": [
                    name for name, score in (("sub-questions", a), ("K=1", b), ("logical chains", c)) if score.top1
                ],
            },
            ensure_ascii=False,
        )
        + "\n"
        for question, (text, chain), a, b, c in rows
    ).encode()


def paired(parts: Iterable[SplitOutcome]) -> str:
    """Both over all questions, and their difference question by question, with 95 % intervals, in points of Hits@1."""
    both = [(a.top1, b.top1) for part in parts for a, b in zip(part.text, part.chains, strict=True)]
    text, chains = (interval(column) for column in zip(*both, strict=True))
    gain = interval([a - b for a, b in both], signed=True)
    won, lost = sum(a > b for a, b in both), sum(a < b for a, b in both)
    return (
        f"{len(both)} questions, sub-questions {text}, logical chains {chains}; sub-questions alone right {won}, "
        f"chains alone {lost}: {100 * gain.mean:+.1f} [{100 * gain.low:+.1f}, {100 * gain.high:+.1f}], "
        f"p {sign_test(won, lost):.2g}"
    )


def _unread(item: ScoredAnswer) -> bool:
    """Whether nothing that the model wrote could be read, so that another decomposer stood in."""
    return any(event["event"] == "lora_unreadable" for event in item.answer["events"])


def _score(item: ScoredAnswer) -> Score:
    return _NOTHING if _unread(item) else item.score


def figures(found: Mapping[str, SplitOutcome], base: str) -> FigureTable:
    """The table: Hits@1 and exact sets of both, and the questions that one alone gets right."""
    rows = list(found)

    def column(value: Callable[[SplitOutcome], Iterable[float]]) -> list[float]:
        return [100 * sum(value(found[row])) / len(found[row].text) for row in rows]

    def alone(first: Sequence[Score], second: Sequence[Score]) -> Iterable[float]:
        return (float(a.top1 > b.top1) for a, b in zip(first, second, strict=True))

    return FigureTable(
        f"Sub-questions against logical chains (figure 6), {base} fine-tuned to write each, MetaQA dev; Hits@1",
        "held out",
        rows,
        {
            "questions (number)": [float(len(found[row].text)) for row in rows],
            "sub-questions": column(lambda each: (score.top1 for score in each.text)),
            "logical chains": column(lambda each: (score.top1 for score in each.chains)),
            "sub-questions, K=1": column(lambda each: (score.top1 for score in each.one)),
            "right by sub-questions alone": column(lambda each: alone(each.text, each.chains)),
            "right by chains alone": column(lambda each: alone(each.chains, each.text)),
            "exact sets, sub-questions": column(lambda each: (score.exact for score in each.text)),
            "exact sets, chains": column(lambda each: (score.exact for score in each.chains)),
            "unreadable sub-questions": column(lambda each: (each.unreadable[0],)),
            "unreadable chains": column(lambda each: (each.unreadable[1],)),
        },
        ("sub-questions", "logical chains"),
    )
