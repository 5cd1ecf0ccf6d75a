"""Hyper-parameters of a LoRA run. The paper gives none of them (evals/papers/keqing.yaml): all are our guesses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields

from trivium.kg.errors import UsageError


@dataclass(frozen=True)
class LoraSettings:
    """One line each; `trivium learn lora MODEL --set NAME=VALUE` sets any of them."""

    rank: int = 16
    """Rank of the adapters' matrices."""
    alpha: int = 32
    """Their scale is alpha / rank."""
    dropout: float = 0.05
    """Share of an adapter's inputs hidden at each step, in [0, 1)."""
    train_embeddings: bool = False
    """Train token embeddings and output layer whole: for a base with random weights or tokens it has never seen."""
    learning_rate: float = 2e-4
    """Peak of AdamW's rate; warmed up linearly, then a cosine down to a tenth."""
    warmup: float = 0.05
    """Share of all steps over which the rate rises."""
    weight_decay: float = 0.0
    batch: int = 16
    """Examples a step."""
    epochs: int = 3
    max_tokens: int = 1024
    """Examples with more tokens, prompt and answer together, are left out and counted."""
    held_out: float = 0.05
    """Share of the examples that is never trained on; its loss decides when to stop. 0 trains all epochs on all."""
    evaluate_every: int = 100
    """Steps between two looks at the held-out loss; also those between two checkpoints."""
    patience: int = 3
    """Looks without an improvement after which training stops; the best weights are kept."""
    eight_bit: bool = False
    """Load the base in 8 bits; needs bitsandbytes and a CUDA device."""
    device: str = "auto"
    """`cpu`, `cuda`, `cuda:1`, `mps`; `auto` takes CUDA where there is one."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what no run can have; raises `UsageError`."""
        for name in ("rank", "alpha", "batch", "epochs", "max_tokens", "evaluate_every", "patience"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("dropout", "warmup", "held_out"):
            if not 0 <= getattr(self, name) < 1:
                raise UsageError(f"{name} must be in [0, 1), not {getattr(self, name)}")
        if self.learning_rate <= 0 or self.weight_decay < 0:
            raise UsageError("learning_rate must be above 0 and weight_decay not below")


_KINDS = {"int": int, "float": float, "str": str}


def settings_from(words: Iterable[str]) -> LoraSettings:
    """Settings from words such as `rank=8`; raises `UsageError` that names the word and what there is."""
    known = {item.name: str(item.type) for item in fields(LoraSettings)}
    values: dict[str, object] = {}
    for word in words:
        name, separator, value = word.partition("=")
        if not separator or name not in known:
            raise UsageError(f"{word!r} sets nothing; write NAME=VALUE with one of {', '.join(known)}")
        values[name] = _parsed(name, known[name], value)
    return LoraSettings(**values)  # type: ignore[arg-type]  # the values were parsed by their fields' own types


def _parsed(name: str, kind: str, value: str) -> object:
    if kind == "bool":
        if value.lower() not in ("true", "false"):
            raise UsageError(f"{name} must be true or false, not {value!r}")
        return value.lower() == "true"
    try:
        return _KINDS[kind](value)
    except ValueError:
        raise UsageError(f"{name} must be a number ({kind}), not {value!r}") from None


def as_json(settings: LoraSettings) -> dict[str, object]:
    """The settings for the artefact's JSON."""
    return asdict(settings)
