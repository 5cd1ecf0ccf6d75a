"""`trivium learn keqing`: a lesson, the versions of earlier ones, and going back to one of them."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from trivium.app.cli.output import complain, print_json
from trivium.app.cli.progress import progress
from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from trivium.app.cli.learn_templates import Session, Writer
    from trivium.policies.keqing.learning import Learnt
    from trivium.policies.keqing.versions import Version


@dataclass(frozen=True)
class KeqingLesson:
    """What the options ask for; `version` None with `rollback` is the one before that in use.

    `synonyms` None uses those that are kept, unless `forget` has them forgotten. `writer` may name a chat model that
    writes templates first.
    """

    questions: Path | None
    synonyms: Path | None
    forget: bool
    listing: bool
    rollback: bool
    version: int | None
    writer: Writer


def run_keqing(kg: str, lesson: KeqingLesson, *, json: bool) -> None:
    """Learn, or list what was learnt, or go back."""
    if lesson.listing or lesson.rollback:
        versions, words = asyncio.run(_versions(kg, lesson))
        if json:
            print_json({"versions": [asdict(version) for version in versions], "synonyms": words})
        else:
            lines = [*map(_line, versions), *(f"  {name} = {', '.join(own)}" for name, own in words.items())]
            typer.echo("\n".join(lines) or "nothing was learnt yet")
        return
    learnt, session = asyncio.run(_learn(kg, lesson))
    report = {
        "method": "keqing", "pairs": learnt.pairs, "left_out": learnt.left_out, "wordings": learnt.wordings,
        "templates": len(learnt.templates), "seconds": round(learnt.seconds, 3),
    }  # fmt: skip
    if json:
        print_json({**report, **({"written": session.report()} if session else {})})
        return
    if session:
        typer.echo(session.line())
    typer.echo(
        f"learnt {learnt.wordings} wordings of {learnt.pairs} pairs and {len(learnt.templates)} templates "
        f"in {learnt.seconds:.1f} s"
    )
    if learnt.left_out:
        complain(f"{learnt.left_out} pairs were left out: no name in the question leads to its answers along its chain")


def _line(version: Version) -> str:
    used = "*" if version.current else " "
    counts = f"{version.pairs} pairs, {version.wordings} wordings, {version.templates} templates"
    if version.synonyms:
        counts += f", synonyms for {version.synonyms}"
    return f"{used} {version.number}  {version.learnt}  {counts}"


async def _versions(kg: str, lesson: KeqingLesson) -> tuple[list[Version], dict[str, list[str]]]:
    """The versions, and the user's own words in use."""
    from trivium.knowledge.knowledge import close_all, open_knowledge
    from trivium.policies.keqing.synonyms import kept_synonyms
    from trivium.policies.keqing.teaching import roll_back
    from trivium.policies.keqing.versions import list_versions

    base = (await open_knowledge(kg)).base
    try:
        if lesson.rollback:
            await roll_back(base, lesson.version)
        return list_versions(base.learnt), kept_synonyms(base.learnt)
    finally:
        await close_all()


async def _learn(kg: str, lesson: KeqingLesson) -> tuple[Learnt, Session | None]:
    """What was learnt, and where a model was to write templates first, what that came to."""
    from trivium.app.cli.answering import close_all  # the model's connections among what is open
    from trivium.kg.loaders import read_questions
    from trivium.knowledge.knowledge import open_knowledge
    from trivium.policies.keqing.synonyms import read_synonyms
    from trivium.policies.keqing.teaching import teach

    pairs = read_questions(lesson.questions) if lesson.questions is not None else None
    if lesson.forget and lesson.synonyms is not None:
        raise UsageError("--synonyms and --forget-synonyms exclude each other: new words take the old ones' place")
    synonyms = read_synonyms(lesson.synonyms) if lesson.synonyms is not None else {} if lesson.forget else None
    knowledge = await open_knowledge(kg)
    try:
        with progress() as show:
            session = await lesson.writer.write(knowledge.base, show) if lesson.writer.wanted else None
            return await teach(knowledge.base, pairs, show, synonyms), session
    finally:
        await close_all()
