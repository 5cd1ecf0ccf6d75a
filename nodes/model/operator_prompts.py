"""The operator's own texts in place of the prompts that stand beside the nodes.

`trivium.toml` names a folder, and a file `NAME.txt` in it replaces the prompt of that name:

    [prompts]
    folder = "prompts"

A file that lacks a placeholder, or is named after no prompt, is refused when a run with a model starts.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from trivium.kg.catalog import SETTINGS_FILE, read_settings
from trivium.kg.errors import BadInputError
from trivium.nodes.model.prompts import Prompt, PromptError


def prompts_folder(settings: Path = Path(SETTINGS_FILE)) -> Path | None:
    """The operator's folder of prompts; None where the settings name none.

    Raises:
        BadInputError: the settings cannot be read, or the folder is not there.
    """
    table = read_settings(settings).get("prompts", {})
    named = table.get("folder") if isinstance(table, dict) else None
    if named is None:
        return None
    folder = settings.parent / str(named)
    if not folder.is_dir():
        raise BadInputError(f"[prompts] folder = {str(named)!r} is not a folder", path=settings)
    return folder


def operator_prompt(default: Prompt) -> Prompt:
    """The operator's text of this prompt, or the default; its file is read again where it was written to since.

    Raises:
        BadInputError: as `prompts_folder`, or the file not UTF-8.
        PromptError: the file lacks a placeholder, or holds one that is unknown.
    """
    return _read_from(prompts_folder(), default)


def _read_from(folder: Path | None, default: Prompt) -> Prompt:
    path = folder / f"{default.name}.txt" if folder else None
    if path is None or not path.is_file():
        return default
    return _read(default, path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _read(default: Prompt, path: Path, modified: int) -> Prompt:
    del modified  # a file that was edited is another entry
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInputError(f"not UTF-8 ({error})", path=path) from error
    return Prompt(text, default.required, default.optional, name=str(path))


def check_prompts(*defaults: Prompt, prefix: str) -> None:
    """Refuse an operator's folder that these prompts cannot be read from.

    Args:
        defaults: the prompts of one method.
        prefix: what their names begin with; a file so named that none of them is called after is a misspelt one.

    Raises:
        BadInputError, PromptError: as `operator_prompt`.
    """
    folder, known = prompts_folder(), {f"{default.name}.txt": default.name for default in defaults}
    if folder is None:
        return
    for default in defaults:
        _read_from(folder, default)
    for name in os.listdir(folder):  # noqa: PTH208 - a server refuses scandir in its event loop
        if name.startswith(prefix) and name.endswith(".txt") and name not in known:
            raise PromptError(f"{folder / name}: unknown prompt; choose one of: {', '.join(sorted(known.values()))}")
