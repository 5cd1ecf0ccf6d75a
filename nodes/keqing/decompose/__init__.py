"""Stage `decompose`: the stage, its prompt and answer's shape, the model's call, follow-up questions."""

from trivium.nodes.keqing.decompose.stage import decompose

__all__ = ["decompose"]
