"""Which weights a Hugging Face model has, known from its files and without loading it."""

from __future__ import annotations

import hashlib
from pathlib import Path

_ENDS = 64 << 10


def weights_hash(name: str) -> str | None:
    """16 hexadecimal digits for a model folder, or a model in the local Hugging Face cache; None where it is not here.

    Of each weights file the size and the first and last 64 KB count: training changes every tensor, and hashing
    half a gigabyte at each start would take longer than the question.
    """
    folder = Path(name) if Path(name).is_dir() else _cached_folder(name)
    files = sorted(folder.glob("*.safetensors")) if folder else []
    if not files:
        return None
    digest = hashlib.sha256()
    for path in files:
        size = path.stat().st_size
        digest.update(f"{path.name}:{size}:".encode())
        with path.open("rb") as file:
            digest.update(file.read(_ENDS))
            file.seek(max(0, size - _ENDS))
            digest.update(file.read(_ENDS))
    return digest.hexdigest()[:16]


def _cached_folder(name: str) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        return None
