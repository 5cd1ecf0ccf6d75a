"""Stage `reason`: the stage and the fine-tuned model, the chat model's call and its prompt, the evidence."""

from trivium.nodes.keqing.reason.stage import reason

__all__ = ["reason"]
