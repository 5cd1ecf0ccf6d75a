"""`trivium learn keqing --lora MODEL`: fine-tune a causal LM on a KG's pairs, or merge what was fine-tuned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trivium.app.cli.output import complain, print_json, print_text
from trivium.app.cli.progress import progress
from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from trivium.kg.knowledge_base import KnowledgeBase
    from trivium.kg.loaders import Question
    from trivium.policies.lora.teaching import Tuned

Stage = Literal["decompose", "reason"]


@dataclass(frozen=True)
class LoraOptions:
    """What the command line says on LoRA; `wanted` where it says anything."""

    model: str | None = None
    stage: Stage = "decompose"
    settings: Sequence[str] = ()
    merge: Path | None = None

    @property
    def wanted(self) -> bool:
        """Whether this is a LoRA command at all; raises `UsageError` for settings without a model."""
        if self.settings and self.model is None:
            raise UsageError("--set belongs to --lora MODEL")
        return self.model is not None or self.merge is not None


async def run_lora(kg: str, questions: Path | None, options: LoraOptions, *, json: bool) -> None:
    """Fine-tune where a model is named, then merge where a folder is; report on stdout."""
    from trivium.knowledge.knowledge import close_all, open_knowledge

    if options.model is not None and questions is None:
        raise UsageError("--lora learns from pairs: name them with --questions F.jsonl")
    knowledge = await open_knowledge(kg)
    report: dict[str, Any] = {"method": "keqing", "lora": options.stage}
    try:
        if options.model is not None and questions is not None:
            tuned = await _tune(knowledge.base, questions, options)
            report |= {"model": options.model, **asdict(tuned.report), "left_out": tuned.left_out}
            report |= {"too_long": tuned.too_long}
        if options.merge is not None:
            from trivium.policies.lora.artefact import merge_adapter

            report["merged"] = str(merge_adapter(knowledge.base.path, options.stage, options.merge))
    finally:
        await close_all()
    _tell(report, json=json)


async def _tune(base: KnowledgeBase, path: Path, options: LoraOptions) -> Tuned:
    from trivium.kg.loaders import read_questions
    from trivium.policies.keqing.artefact import has_decomposer
    from trivium.policies.lora.base_model import need_lora
    from trivium.policies.lora.settings import settings_from
    from trivium.policies.lora.teaching import Wish, fine_tune

    need_lora()
    wish = Wish(str(options.model), options.stage, settings_from(options.settings))
    pairs: list[Question] = read_questions(path)
    with progress() as show:
        if not has_decomposer(base.learnt):
            # The words of the sub-questions are the KG's templates, so these are learnt first.
            from trivium.policies.keqing.teaching import teach

            await teach(base, pairs, show)
        return await fine_tune(base, pairs, wish, show)


def _tell(report: dict[str, Any], *, json: bool) -> None:
    if json:
        print_json(report)
        return
    if "model" in report:
        held_out = report["held_out_loss"]
        looked = "" if held_out is None else f", held-out loss {held_out:.4f} on {report['held_out']}"
        ended = ", stopped early" if report["stopped_early"] else ""
        print_text(
            f"fine-tuned {report['model']} to {report['lora']} on {report['examples']} examples "
            f"in {report['steps']} steps: loss {report['loss']:.4f}{looked}{ended}"
        )
        for key, why in (("left_out", "pairs gave no example"), ("too_long", "examples have too many tokens")):
            if report[key]:
                complain(f"{report[key]} {why} and were left out")
    if "merged" in report:
        print_text(f"wrote the merged model to {report['merged']}")
