"""`select_prompt`: the arm that a KG's bandit pulls for a question (KnowGPT, section 4.2)."""

from __future__ import annotations

from pydantic import Field

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.bandit.bandit import ARMS, ArmEstimate, BanditChoice, BanditSettings, bandit_settings
from trivium.policies.bandit.serving import choose_prompt
from trivium.tools.call import Arguments, Result, tool

__all__ = ["ARM_NAMES", "ArmEstimate", "BanditSettings", "bandit_settings", "select_prompt"]

ARM_NAMES = tuple(arm.name for arm in ARMS)
"""The arms, `extraction/format`; the first is the default where nothing is known."""


class SelectPromptArguments(Arguments):
    """How KnowGPT's bandit would show the KG to a chat model for a question, and what it expects of each way."""

    question: str = Field(min_length=1, description="the question in words")
    model: str = Field("none", min_length=1, description="the chat model that would answer")


@tool(SelectPromptArguments)
async def select_prompt(
    kg: Knowledge,
    question: str,
    model: str,
    settings: BanditSettings | None = None,
) -> BanditChoice:
    """The arm for a question, and the estimates of all arms.

    Args:
        kg: the KG, whose log the bandit learns from.
        question: in words.
        model: the chat model that will answer.
        settings: how the bandit learns and chooses.

    Raises:
        UsageError: a setting is out of range.
        OSError, CorruptError, VersionError, BusyError: the bandit's log cannot be used.
    """
    return await choose_prompt(kg, question, model, settings)


@select_prompt.json
async def _(kg: Knowledge, args: SelectPromptArguments) -> Result:
    choice = await select_prompt.operation(kg, args.question, args.model)
    return {"arm": choice.arm.name, "reason": choice.reason, "arms": [each._asdict() for each in choice.estimates]}
