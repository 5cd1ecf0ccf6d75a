"""`trivium feedback`: a thumb up or down for a KnowGPT run; without a run, the bandit's dashboard."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import typer

from trivium.app.cli.output import print_json, print_rows, print_text
from trivium.kg.errors import UsageError


def feedback(
    run: Annotated[str | None, typer.Argument(help="The run's id, from its answer's step select_prompt.")] = None,
    thumb: Annotated[Literal["up", "down"] | None, typer.Argument(help="up: the answer was right; down: not.")] = None,
    kg: Annotated[str, typer.Option(help="The KG that the run asked.")] = "sample",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tell the bandit of a KG whether a run was right, once a run; without one, show what it has learned."""
    if (run is None) != (thumb is None):
        raise UsageError("give a run and up or down, or neither for what the bandit has learned")
    if run is None or thumb is None:
        _show(asyncio.run(_dashboard(kg)), as_json=json)
        return
    result = asyncio.run(_give(kg, run, float(thumb == "up")))
    if json:
        print_json(result)
    else:
        print_text(f"feedback {'recorded' if result['counted'] else 'already recorded'}: {thumb} for {result['arm']}")


async def _give(kg: str, run: str, reward: float) -> dict[str, object]:
    from trivium.knowledge.knowledge import close_all, open_knowledge
    from trivium.policies.bandit.serving import give_feedback

    try:
        return (await give_feedback(await open_knowledge(kg), run, reward)).as_result(run)
    finally:
        await close_all()


async def _dashboard(kg: str) -> dict[str, Any]:
    """The report of the bandit for every chat model that it pulled arms for."""
    from trivium.knowledge.knowledge import close_all, open_knowledge
    from trivium.policies.bandit.serving import bandit_models, open_bandit

    try:
        base = await open_knowledge(kg)
        reports = []
        for model in await bandit_models(base):
            report = await asyncio.to_thread((await open_bandit(base, model)).report)
            arms = [arm._asdict() for arm in report.arms]
            reports.append({"model": model, **report._asdict(), "regret": round(report.regret, 3), "arms": arms})
        return {"kg": kg, "models": reports}
    finally:
        await close_all()


def _show(board: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(board)
        return
    if not board["models"]:
        print_text(
            f"no KnowGPT run has asked {board['kg']} yet: trivium ask QUESTION --method knowgpt --kg {board['kg']}"
        )
    for report in board["models"]:
        sources = ", ".join(f"{count} by {source}" for source, count in report["sources"].items()) or "none yet"
        print_text(f"model {report['model']}: feedback {sources}; {report['waiting']} runs wait for theirs")
        rows = [
            (arm["arm"], arm["pulls"], "-" if arm["mean"] is None else f"{arm['mean']:.3f}", _bar(arm["mean"]))
            for arm in report["arms"]
        ]
        print_rows(("arm", "pulls", "mean reward", ""), rows)
        if report["rounds"]:
            lost = report["regret"] / report["rounds"]
            print_text(f"estimated regret {report['regret']:.1f} in {report['rounds']} pulls ({lost:.3f} each)")


def _bar(mean: float | None) -> str:
    return "" if mean is None else "█" * round(mean * 20)


def register(app: typer.Typer) -> None:
    """Add `feedback` to the command line."""
    app.command("feedback")(feedback)
