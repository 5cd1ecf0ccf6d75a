"""KnowGPT's prompts, all of them, for the check before a run; the paper prints none, its figure 3 shows their parts."""

from __future__ import annotations

from trivium.nodes.knowgpt.answer.prompt import CHOOSE
from trivium.nodes.knowgpt.link_entities.prompt import PROPOSE
from trivium.nodes.knowgpt.verbalize.prompt import DESCRIBE
from trivium.nodes.model.operator_prompts import check_prompts

KNOWGPT_PROMPTS = (CHOOSE, PROPOSE, DESCRIBE)


def check_knowgpt_prompts() -> None:
    """Refuse an operator's prompt that cannot be used; raises as `nodes.model.operator_prompts.check_prompts`."""
    check_prompts(*KNOWGPT_PROMPTS, prefix="knowgpt_")
