"""Where a training run stands, in one safetensors file: weights, optimizer, random state, and its place in words."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.kg.files import write_atomic

if TYPE_CHECKING:
    from torch import Tensor

log = logging.getLogger("trivium.lora")

Place = Mapping[str, object]
"""What a checkpoint says in words: the run's key, its step, the losses so far."""


def run_key(*parts: object) -> str:
    """What a run is: a checkpoint of another base, other examples or other settings is not taken up."""
    return hashlib.sha256(json.dumps([str(part) for part in parts]).encode()).hexdigest()


def save_checkpoint(path: Path, tensors: dict[str, Tensor], place: Place) -> None:
    """Replace the checkpoint in one step: a run that is killed while writing resumes from the one before."""
    from safetensors.torch import save

    path.parent.mkdir(parents=True, exist_ok=True)
    on_cpu = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_atomic(path, save(on_cpu, metadata={"place": json.dumps(place)}))


def load_checkpoint(path: Path, key: str) -> tuple[dict[str, Tensor], Place] | None:
    """The checkpoint of the run of this key; None where there is none, or it is damaged or of another run."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            place = json.loads((file.metadata() or {})["place"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        log.warning("the checkpoint %s is damaged (%s): training starts afresh", path, error)
        return None
    if place.get("key") != key:
        log.warning("the checkpoint %s is of another base, other questions or other settings: not used", path)
        return None
    return tensors, place
