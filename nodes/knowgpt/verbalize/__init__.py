"""Stage `verbalize`: the stage and its formats, and the model that describes a graph."""

from trivium.nodes.knowgpt.verbalize.stage import verbalize

__all__ = ["verbalize"]
