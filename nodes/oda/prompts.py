"""ODA's prompts, all of them, for the check before a run."""

from __future__ import annotations

from nodes.oda.action import ACT
from nodes.oda.model_answer import ANSWER
from nodes.oda.reflection import FACTS, REFLECT
from nodes.operator_prompts import check_prompts

ODA_PROMPTS = (ACT, REFLECT, FACTS, ANSWER)


def check_oda_prompts() -> None:
    """Refuse an operator's prompt that cannot be used; raises as `nodes.operator_prompts.check_prompts`."""
    check_prompts(*ODA_PROMPTS, prefix="oda_")
