"""`trivium learn knowgpt`: the path policy of KnowGPT's section 4.1, from questions with candidate answers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from trivium.app.cli.output import print_json
from trivium.app.cli.progress import progress
from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from trivium.policies.paths.artefact import LearntPaths


def run_paths(kg: str, questions: Path | None, *, json: bool) -> None:
    """Learn and print what was learnt; raises `UsageError` without questions, else as `teach_paths`."""
    if questions is None:
        raise UsageError('learning knowgpt needs --questions F.jsonl: lines with "question" and "choices" or "answers"')
    learnt = asyncio.run(_learn(kg, questions))
    if json:
        print_json({"method": "knowgpt", **learnt.report})
        return
    report = learnt.report
    typer.echo(
        f"learnt a path policy from {report['pairs']:,} pairs of {report['questions']:,} questions, "
        f"{report['connected']:,} of them connected, in {report['seconds']:.0f} s"
    )


async def _learn(kg: str, questions: Path) -> LearntPaths:
    from trivium.kg.loaders import read_questions
    from trivium.knowledge.knowledge import close_all, open_knowledge
    from trivium.policies.paths.teaching import needs_torch, teach_paths

    needs_torch()
    lines = read_questions(questions)
    knowledge = await open_knowledge(kg)
    try:
        with progress() as show:
            return await teach_paths(knowledge.base, lines, show)
    finally:
        await close_all()
