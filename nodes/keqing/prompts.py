"""Keqing's prompts, all of them, for the check before a run."""

from __future__ import annotations

from trivium.nodes.keqing.decompose.choose_plan import CHOOSE_PLAN
from trivium.nodes.keqing.decompose.prompt import DECOMPOSE
from trivium.nodes.keqing.reason.prompt import REASON_TEXT, REASON_TUPLES
from trivium.nodes.keqing.respond.prompt import RESPOND
from trivium.nodes.model.operator_prompts import check_prompts

KEQING_PROMPTS = (DECOMPOSE, CHOOSE_PLAN, REASON_TUPLES, REASON_TEXT, RESPOND)


def check_keqing_prompts() -> None:
    """Refuse an operator's prompt that cannot be used; raises as `nodes.model.operator_prompts.check_prompts`."""
    check_prompts(*KEQING_PROMPTS, prefix="keqing_")
