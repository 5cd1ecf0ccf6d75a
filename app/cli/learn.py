"""`trivium learn`: what a KG can learn, one subcommand a subject; `learn --renew` learns everything again.

learn keqing      templates and the reader's weights, from the schema and from questions with known answers
learn knowgpt     the path policy (extra `train`)
learn bandit      which prompt suits which question, from a chat model's own answers
learn templates   question templates written once by a chat model
learn lora        a causal LM fine-tuned with LoRA (extra `lora`)
learn versions    list what was learned before, or go back to it
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trivium.app.cli.options import WorkersOption
from trivium.app.cli.output import complain, print_json, print_text
from trivium.app.cli.progress import progress
from trivium.kg.cores import use_workers
from trivium.kg.errors import UsageError
from trivium.nodes.run.spending import Spending

if TYPE_CHECKING:
    from trivium.knowledge.correction import Relearned
    from trivium.knowledge.freshness import Renewed
    from trivium.knowledge.knowledge import Knowledge
    from trivium.policies.lora.train import Tuned
    from trivium.policies.paths.extraction import PathPolicy
    from trivium.policies.reader.chains.learning import Learnt
    from trivium.policies.reader.chains.scoring.learn import HeldOut
    from trivium.policies.reader.chains.versions import Version
    from trivium.policies.reader.ranking import RankingReport

KGOption = Annotated[str, typer.Option("--kg", help="A KG directory, a name from trivium.toml, or a Neo4j URI.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]
QuestionsOption = Annotated[Path, typer.Option("--questions", help="Question lines (JSON Lines), .gz allowed.")]
MaxTokensOption = Annotated[int | None, typer.Option("--max-tokens", help="Stop after this many tokens.")]
MaxCostOption = Annotated[float | None, typer.Option("--max-cost", help="Stop at this cost, computed with --price.")]
PriceOption = Annotated[
    str | None, typer.Option("--price", metavar="IN/OUT", help="Price of a million prompt and completion tokens.")
]

LoraStage = Literal["decompose", "chains", "reason"]  # `policies.lora.model.Stage`, which no other command imports

learn = typer.Typer(
    help="Learn from a KG, and from questions with known answers.",
    invoke_without_command=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@learn.callback()
def learn_again(
    context: typer.Context,
    renew: Annotated[bool, typer.Option("--renew", help="Learn everything again that was learned from a KG.")] = False,
    kg: Annotated[str | None, typer.Option("--kg", help="The KG that --renew is for.")] = None,
    workers: WorkersOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print --renew's report as one JSON object.")] = False,
) -> None:
    """Learn from a KG, and from questions with known answers; --renew learns everything again after the KG changed.

    Example: trivium learn --renew --kg my-kg
    """
    if context.invoked_subcommand is not None:
        if renew or kg is not None or json:
            raise UsageError(f"options follow the subject: trivium learn {context.invoked_subcommand} --kg KG")
        return
    if not renew:
        print_text(context.get_help())
        raise typer.Exit(2 if kg is not None or json else 0)
    if kg is None:
        raise UsageError("which KG? trivium learn --renew --kg KG")
    use_workers(workers)
    found = asyncio.run(_renew(kg))
    if json:
        print_json({"renewed": [asdict(each) for each in found]})
    else:
        print_text("\n".join(each.message for each in found) or "nothing was learned yet")
    if not all(each.done for each in found):
        raise typer.Exit(1)


async def _renew(kg: str) -> list[Renewed]:
    from trivium.knowledge.freshness import renew
    from trivium.knowledge.knowledge import close_all, open_knowledge

    knowledge = await open_knowledge(kg)
    try:
        with progress() as show:
            return await renew(knowledge, show)
    finally:
        await close_all()


@learn.command("keqing")
def learn_keqing(
    kg: KGOption,
    questions: Annotated[
        Path | None,
        typer.Option(help='Question lines with "answers", and "chain" where known; without it, from the schema alone.'),
    ] = None,
    synonyms: Annotated[
        Path | None, typer.Option(help="Your own words for relations: RELATION = word, word. Kept for later runs.")
    ] = None,
    forget_synonyms: Annotated[
        bool, typer.Option("--forget-synonyms", help="Learn without the synonyms kept from earlier runs.")
    ] = False,
    forget_corrections: Annotated[
        bool, typer.Option("--forget-corrections", help="Learn without what `trivium correct` set right before.")
    ] = False,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Learn how questions over a KG are worded; corrections are kept, other pairs are those of --questions alone.

    Example: trivium learn keqing --kg my-kg --questions train.jsonl
    """
    from trivium.policies.reader.chains.synonyms import read_synonyms

    use_workers(workers)
    if forget_synonyms and synonyms is not None:
        raise UsageError("--synonyms replaces the kept synonyms; leave out --forget-synonyms")
    words = read_synonyms(synonyms) if synonyms is not None else {} if forget_synonyms else None
    found = asyncio.run(_learn_keqing(kg, questions, words, forget=forget_corrections))
    report_keqing(found.learned, json=json, corrections=found.corrections)
    if found.corrections and not json:
        instead = f", {found.replaced} of them in place of a pair with the same question" if found.replaced else ""
        print_text(f"corrections kept: {found.corrections}{instead}; --forget-corrections learns without them")
    if found.dropped:
        complain(f"corrections dropped: {found.dropped}; nothing on this KG explains their answers any more")


def report_keqing(learned: Learnt, *, json: bool, corrections: int = 0) -> None:
    """Print what was learned from pairs and schema; `corrections` are among the pairs."""
    if json:
        print_json(
            {
                "method": "keqing", "pairs": learned.pairs, "left_out": learned.left_out, "corrections": corrections,
                "wordings": learned.wordings, "templates": len(learned.templates), "seconds": round(learned.seconds, 3),
                "held_out": learned.held_out and _held_out(learned.held_out),
                "plans": learned.plans and _plans(learned.plans),
            }
        )  # fmt: skip
        return
    source = f"{learned.wordings} wordings from {learned.pairs} pairs, " if learned.pairs else ""
    where = "" if learned.pairs else " from the schema (no training questions)"
    print_text(f"learned {source}{len(learned.templates)} templates{where} in {learned.seconds:.1f} s")
    if learned.held_out is not None:
        print_text(_held_out_line(learned.held_out))
        from trivium.policies.reader.chains.scoring.train import has_torch

        if not has_torch():
            complain(
                "without torch a log-linear model was fitted; the extra adds a network: pip install 'trivium[train]'"
            )
    if learned.plans is not None:
        found = _plans(learned.plans)
        used = "" if found["used"] else "; what pairs taught about plans is not used"
        print_text(
            f"plans, F1 on {found['pairs']} held-out pairs: {found['schema_alone']} % from the schema alone, "
            f"{found['with_pairs']} % with what the others taught{used}"
        )
    if learned.left_out:
        complain(f"{learned.left_out} pairs left out: no name in the question leads to its answers along its chain")


def _held_out(found: HeldOut) -> dict[str, Any]:
    """Figures in percent, each with its 95 % interval."""
    before, after = (
        {"f1": round(100 * figure, 1), "interval": [round(100 * end, 1) for end in found.interval(figure)]}
        for figure in (found.before, found.after)
    )
    return {"pairs": found.pairs, "schema_alone": before, "with_pairs": after, "used": found.used}


def _plans(found: RankingReport) -> dict[str, Any]:
    """Figures in percent: the first plan's answer against the pair's."""
    return {
        "pairs": len(found.f1), "schema_alone": round(100 * found.before, 1), "with_pairs": round(100 * found.after, 1),
        "used": found.share > 0,
    }  # fmt: skip


def _held_out_line(found: HeldOut) -> str:
    figures = _held_out(found)
    before, after = (
        "{f1:.1f} % ({interval[0]:.0f} to {interval[1]:.0f})".format(**figures[key])
        for key in ("schema_alone", "with_pairs")
    )
    used = "" if found.used else "; what pairs taught does not help other questions: it is not used for them"
    return (
        f"F1 on {found.pairs} held-out pairs: {before} from the schema alone, {after} with what the others taught{used}"
    )


async def _learn_keqing(
    kg: str, questions: Path | None, synonyms: dict[str, list[str]] | None, *, forget: bool
) -> Relearned:
    from trivium.kg.loaders import read_questions
    from trivium.knowledge.correction import Relearned, learn_anew
    from trivium.knowledge.knowledge import close_all, open_knowledge
    from trivium.policies.reader.chains.teaching import teach

    pairs = read_questions(questions) if questions is not None else None
    knowledge = await open_knowledge(kg)
    try:
        with progress() as show:
            if forget:
                return Relearned(await teach(knowledge, pairs, show, synonyms))
            return await learn_anew(knowledge, pairs, show, synonyms)
    finally:
        await close_all()


@learn.command("versions")
def versions(
    kg: KGOption,
    rollback: Annotated[bool, typer.Option("--rollback", help="Restore the previous version, or --version.")] = False,
    version: Annotated[int | None, typer.Option(help="The version that --rollback restores.")] = None,
    json: JsonOption = False,
) -> None:
    """List what `learn keqing` learned before, or restore it.

    Example: trivium learn versions --kg my-kg --rollback
    """
    if version is not None and not rollback:
        raise UsageError("--version names the version that --rollback restores: add --rollback")
    found, words = asyncio.run(_versions(kg, version, rollback=rollback))
    if json:
        print_json({"versions": [asdict(each) for each in found], "synonyms": words})
        return
    lines = [*map(_version_line, found), *(f"  {name} = {', '.join(own)}" for name, own in words.items())]
    print_text("\n".join(lines) or "nothing learned yet")


def _version_line(version: Version) -> str:
    used = "*" if version.current else " "
    counts = f"{version.pairs} pairs, {version.wordings} wordings, {version.templates} templates"
    if version.synonyms:
        counts += f", synonyms for {version.synonyms}"
    return f"{used} {version.number}  {version.learnt}  {counts}"


async def _versions(kg: str, version: int | None, *, rollback: bool) -> tuple[list[Version], dict[str, list[str]]]:
    """The versions, and the user's own synonyms in use."""
    from trivium.knowledge.knowledge import close_all, open_knowledge
    from trivium.policies.reader.chains.synonyms import kept_synonyms
    from trivium.policies.reader.chains.teaching import roll_back
    from trivium.policies.reader.chains.versions import list_versions

    base = await open_knowledge(kg)
    try:
        if rollback:
            await roll_back(base, version)
        return list_versions(base.learnt), kept_synonyms(base.learnt)
    finally:
        await close_all()


@learn.command("templates")
def templates(
    kg: KGOption,
    model: Annotated[str, typer.Option(help="The chat model that writes them, such as openai:gpt-4o-mini.")],
    each: Annotated[int, typer.Option(min=1, max=10, help="Templates per relation and direction.")] = 3,
    max_tokens: MaxTokensOption = None,
    max_cost: MaxCostOption = None,
    price: PriceOption = None,
    json: JsonOption = False,
) -> None:
    """Have a chat model write question templates for every relation, once; run again, it goes on.

    Example: trivium learn templates --kg my-kg --model openai:gpt-4o-mini --price 0.15/0.60
    """
    from trivium.app.cli.learn_templates import Writer, write_and_learn

    writer = Writer(model, each, Spending(max_tokens, max_cost, price))
    if not writer.wanted:
        raise UsageError("templates are written by a chat model: --model openai:NAME")
    session, learned = asyncio.run(write_and_learn(kg, writer))
    if json:
        print_json({**session.report(), "learned_templates": len(learned.templates)})
        return
    print_text(session.line())
    report_keqing(learned, json=False)


@learn.command("knowgpt")
def learn_knowgpt(  # noqa: PLR0913, PLR0917 - an option of the command line is an argument
    kg: KGOption,
    questions: QuestionsOption,
    preset: Annotated[
        Literal["none", "paper"], typer.Option(help="paper: shortest paths, then REINFORCE alone; options come first.")
    ] = "none",
    warm_start: Annotated[
        Literal["ranked", "bfs", "none"] | None,
        typer.Option(help="Imitate good paths by reward (ranked), shortest paths, or nothing."),
    ] = None,
    warm_steps: Annotated[int | None, typer.Option(min=0, help="Batches of the warm start (500).")] = None,
    warm_rate: Annotated[float | None, typer.Option(help="Its learning rate (0.003).")] = None,
    rl_steps: Annotated[
        int | None, typer.Option(min=0, help="Steps of REINFORCE after it (50); 0 is imitation alone.")
    ] = None,
    rl_rate: Annotated[float | None, typer.Option(help="Learning rate of REINFORCE (0.0002).")] = None,
    rehearsal: Annotated[
        float | None, typer.Option(min=0, help="Weight of the warm start's loss beside REINFORCE's (0.5).")
    ] = None,
    entropy: Annotated[float | None, typer.Option(min=0, help="Weight of the entropy bonus (0.01).")] = None,
    max_hops: Annotated[int, typer.Option(min=1, max=6, help="The longest path, K.")] = 3,
    lambdas: Annotated[
        tuple[float, float, float], typer.Option(help="Weights of the rewards: reach, context, short paths.")
    ] = (1.0, 1.0, 1.0),
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Learn KnowGPT's path policy from questions with choices or answers (needs the extra `train`).

    Example: trivium learn knowgpt --kg my-kg --questions train.jsonl
    """
    use_workers(workers)
    options = {
        "warm_start": warm_start, "warm_steps": warm_steps, "warm_rate": warm_rate, "rl_steps": rl_steps,
        "rl_rate": rl_rate, "rehearsal": rehearsal, "entropy": entropy,
    }  # fmt: skip
    chosen: dict[str, object] = {name: value for name, value in options.items() if value is not None}
    if preset == "paper":
        from trivium.nodes.run.presets import KNOWGPT_TRAINING_PAPER

        chosen = {**KNOWGPT_TRAINING_PAPER, **chosen}
    report = asyncio.run(_learn_paths(kg, questions, {**chosen, "max_hops": max_hops}, lambdas)).report
    if json:
        print_json({"method": "knowgpt", **report})
        return
    from trivium.policies.paths.extraction import how_trained

    print_text(
        f"learned a path policy from {report['pairs']:,} pairs of {report['questions']:,} questions, "
        f"{report['connected']:,} of them connected, in {report['seconds']:.0f} s: {how_trained(report)}"
    )


async def _learn_paths(
    kg: str, questions: Path, wanted: dict[str, Any], lambdas: tuple[float, float, float]
) -> PathPolicy:
    from trivium.kg.loaders import read_questions
    from trivium.knowledge.knowledge import close_all, open_knowledge
    from trivium.policies.paths.learn import PathTraining, learn_paths, needs_torch
    from trivium.policies.paths.reward import RewardWeights

    needs_torch()
    training = PathTraining().changed(**wanted, weights=RewardWeights(*lambdas))
    lines = read_questions(questions)
    knowledge = await open_knowledge(kg)
    try:
        with progress() as show:
            return await learn_paths(knowledge, lines, show, training)
    finally:
        await close_all()


@learn.command("bandit")
def learn_bandit(  # noqa: PLR0913, PLR0917 - an option of the command line is an argument
    kg: KGOption,
    questions: QuestionsOption,
    model: Annotated[str, typer.Option(help="The chat model whose answers are scored.")],
    bandit: Annotated[
        Literal["linucb", "paper"], typer.Option(help="The bandit that learns; paper is for --preset paper.")
    ] = "linucb",
    max_tokens: MaxTokensOption = None,
    max_cost: MaxCostOption = None,
    price: PriceOption = None,
    json: JsonOption = False,
) -> None:
    """Learn which prompt suits which question, from a chat model's own answers; run again, it goes on.

    Example: trivium learn bandit --kg my-kg --questions choices.jsonl --model openai:gpt-4o-mini
    """
    from trivium.app.cli.learn_bandit import BanditLesson, run_bandit

    run_bandit(kg, questions, BanditLesson(model, Spending(max_tokens, max_cost, price), bandit), json=json)


@learn.command("lora")
def learn_lora(  # noqa: PLR0913, PLR0917 - an option of the command line is an argument
    kg: KGOption,
    model: Annotated[str | None, typer.Argument(help="The causal LM to fine-tune: a folder or a hub name.")] = None,
    questions: Annotated[Path | None, typer.Option(help="Question lines with chains and answers.")] = None,
    stage: Annotated[
        LoraStage, typer.Option(help="What it learns to write: sub-questions, logical chains, or answers.")
    ] = "decompose",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A training setting; may be repeated.")
    ] = None,
    merge: Annotated[Path | None, typer.Option(help="Write base and adapter as one model into this folder.")] = None,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Fine-tune a causal LM with LoRA on a KG's pairs, or merge the adapter into its base (extra `lora`).

    Example: trivium learn lora meta-llama/Llama-3.2-1B --kg my-kg --questions train.jsonl
    """
    use_workers(workers)
    if model is None and merge is None:
        raise UsageError("name the model to fine-tune, or --merge DIR to write base and adapter as one model")
    if model is not None and questions is None:
        raise UsageError("fine-tuning needs pairs: --questions F.jsonl")
    if settings and model is None:
        raise UsageError("--set is a training setting: name the model to fine-tune")
    _report_lora(asyncio.run(_run_lora(kg, model, questions, stage, settings or [], merge)), json=json)


async def _run_lora(
    kg: str,
    model: str | None,
    questions: Path | None,
    stage: LoraStage,
    settings: list[str],
    merge: Path | None,
) -> dict[str, Any]:
    from trivium.knowledge.knowledge import close_all, open_knowledge

    knowledge = await open_knowledge(kg)
    report: dict[str, Any] = {"method": "keqing", "lora": stage}
    try:
        if model is not None and questions is not None:
            tuned = await _tune(knowledge, model, questions, stage, settings)
            report |= {"model": model, **asdict(tuned.report), "left_out": tuned.left_out, "too_long": tuned.too_long}
        if merge is not None:
            from trivium.policies.lora.model import merge_adapter

            report["merged"] = str(merge_adapter(knowledge.path, stage, merge))
    finally:
        await close_all()
    return report


async def _tune(base: Knowledge, model: str, path: Path, stage: LoraStage, settings: list[str]) -> Tuned:
    from trivium.kg.loaders import read_questions
    from trivium.policies.lora.model import need_lora, settings_from
    from trivium.policies.lora.train import Wish, fine_tune
    from trivium.policies.reader.chains.artifact import DECOMPOSER

    need_lora()
    wish = Wish(model, stage, settings_from(settings))
    pairs = read_questions(path)
    with progress() as show:
        if not DECOMPOSER.exists(base.learnt):
            # The words of the sub-questions are the KG's templates, so these are learned first.
            from trivium.policies.reader.chains.teaching import teach

            await teach(base, pairs, show)
        return await fine_tune(base, pairs, wish, show)


def _report_lora(report: dict[str, Any], *, json: bool) -> None:
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


def register(app: typer.Typer) -> None:
    """Add `learn` to the command line."""
    app.add_typer(learn, name="learn")
