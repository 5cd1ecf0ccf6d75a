"""Stage `link_entities`: the stage, and the model that proposes candidates."""

from trivium.nodes.knowgpt.link_entities.stage import link_entities

__all__ = ["link_entities"]
