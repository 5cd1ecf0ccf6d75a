"""Stage `answer`: the stage, the scores without a model, and the model that chooses."""

from trivium.nodes.knowgpt.answer.stage import answer

__all__ = ["answer"]
