"""`record_prompt`: log the arm that a run used, so that feedback on the run reaches it."""

from __future__ import annotations

from pydantic import Field

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.bandit.bandit import BanditSettings
from trivium.policies.bandit.serving import record_pull
from trivium.tools.call import Arguments, Result, tool


class RecordPromptArguments(Arguments):
    """Log that a run showed the KG to a chat model in this way, so that feedback on the run reaches the bandit."""

    run: str = Field(min_length=1, description="the run's id")
    arm: str = Field(min_length=1, description="extraction/format, such as rl/sentences")
    question: str = Field(min_length=1, description="the question in words")
    model: str = Field("none", min_length=1, description="the chat model that answered")


@tool(RecordPromptArguments)
async def record_prompt(
    kg: Knowledge, run: str, arm: str, question: str, model: str, settings: BanditSettings | None = None
) -> None:
    """Log the pull, for the bandit of these settings.

    Raises:
        UsageError: there is no such arm, or the run is logged with another one.
        OSError, CorruptError, VersionError, BusyError: the bandit's log cannot be written.
    """
    await record_pull(kg, question, model, run, arm, settings)


@record_prompt.json
async def _(kg: Knowledge, args: RecordPromptArguments) -> Result:
    await record_prompt.operation(kg, args.run, args.arm, args.question, args.model)
    return {"run": args.run, "arm": args.arm}
