"""`feedback`: whether a run's answer was right, counted for the arm that it used (KnowGPT, section 4.2)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.bandit.log import Given
from trivium.policies.bandit.serving import give_feedback
from trivium.tools.call import Arguments, Result, tool


class FeedbackArguments(Arguments):
    """Tell KnowGPT's bandit whether a run's answer was right; a run counts once."""

    run: str = Field(min_length=1, description="the run's id, as its answer's step select_prompt names it")
    thumb: Literal["up", "down"] = Field(description="up: right; down: wrong")


@tool(FeedbackArguments)
async def feedback(kg: Knowledge, run: str, reward: float) -> Given:
    """Count a reward in [0, 1] for a run, once.

    Raises:
        UsageError: the run is unknown here, or other feedback was counted for it.
        OSError, CorruptError, VersionError, BusyError: the bandit's log cannot be used.
    """
    return await give_feedback(kg, run, reward)


@feedback.json
async def _(kg: Knowledge, args: FeedbackArguments) -> Result:
    return (await feedback.operation(kg, args.run, float(args.thumb == "up"))).as_result(args.run)
