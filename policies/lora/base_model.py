"""The causal LM that is fine-tuned: opened from a local folder or by hub name, and known again by its hash."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivium.kg.errors import ModelError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_EDGE = 1 << 20  # bytes of a weights file's beginning and end that are hashed: reading all of a 7B takes half a minute


@dataclass
class BaseModel:
    """An open base: transformers' model and tokenizer, and what identifies it.

    Attributes:
        name: the folder or hub name as it was given.
        fingerprint: of a folder the hash of its weights and configuration, of a hub model its commit.
    """

    name: str
    fingerprint: str
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    device: str


def need_lora() -> None:
    """Refuse to go on without the extra; raises `ModelError`."""
    missing = [name for name in ("torch", "transformers", "peft") if find_spec(name) is None]
    if missing:
        raise ModelError(f"LoRA needs {', '.join(missing)}: pip install '.[lora]' in Trivium's folder")


def chosen_device(device: str) -> str:
    """`auto` as the best that there is."""
    import torch

    if device != "auto":
        return device
    return "cuda" if torch.cuda.is_available() else "cpu"


def fingerprint(name: str, commit: str | None) -> str:
    """What identifies a base model: `commit:HASH` of the hub, or `sha256:HASH` of a folder.

    The folder's hash is over configuration, tokenizer and weights, of which names, sizes and both ends count.
    """
    folder = Path(name)
    if not folder.is_dir():
        return f"commit:{commit}"
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.iterdir() if p.suffix in (".json", ".safetensors", ".bin", ".model")):
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as file:
            digest.update(file.read(_EDGE))
            if size > 2 * _EDGE:
                file.seek(-_EDGE, 2)
            digest.update(file.read(_EDGE))
    return f"sha256:{digest.hexdigest()}"


def open_base(name: str, *, device: str = "auto", eight_bit: bool = False) -> BaseModel:
    """Open a causal LM; float32 on a CPU, bfloat16 elsewhere. Blocks; a hub name may download.

    Raises:
        ModelError: it cannot be opened, or 8 bits are asked for where they cannot be had.
    """
    need_lora()
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = chosen_device(device)
    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(name)
            model = AutoModelForCausalLM.from_pretrained(name, **_how(place, eight_bit=eight_bit))
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(
            f"the base model {name!r} cannot be opened ({reason}): name a folder that holds a causal LM "
            "with its tokenizer, or a model of the hub that this machine can reach"
        ) from error
    if tokenizer.eos_token_id is None:
        raise ModelError(f"the tokenizer of {name!r} has no end-of-text token, without which no answer ends")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token  # padding is masked out everywhere: any token serves
    if not eight_bit:
        model.to(place)
    found = fingerprint(name, getattr(model.config, "_commit_hash", None))
    return BaseModel(name, found, model, tokenizer, place)


def _how(device: str, *, eight_bit: bool) -> dict[str, Any]:
    """Arguments of `from_pretrained` for a device."""
    import torch

    if not eight_bit:
        return {"dtype": torch.float32 if device == "cpu" else torch.bfloat16}
    if not device.startswith("cuda") or find_spec("bitsandbytes") is None:
        raise ModelError("eight_bit needs a CUDA device and the package bitsandbytes; leave it out to train without")
    from transformers import BitsAndBytesConfig

    return {"quantization_config": BitsAndBytesConfig(load_in_8bit=True), "device_map": {"": device}}


@contextmanager
def quiet() -> Iterator[None]:
    """Without the libraries' bars, and their notices about each other's old names, which no user of ours can act on."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*is_gradient_checkpointing.*", category=FutureWarning)
            yield
    finally:
        if shown:
            logging.enable_progress_bar()
