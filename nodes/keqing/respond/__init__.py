"""Stage `respond`: the stage, its prompt, the model's words, and the value of a computation."""

from trivium.nodes.keqing.respond.stage import respond

__all__ = ["respond"]
