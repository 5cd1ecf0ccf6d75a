"""Stage `reason`: the stage, its prompt and answer's shape, the model's call, the fine-tuned model, the evidence."""

from trivium.nodes.keqing.reason.stage import reason

__all__ = ["reason"]
