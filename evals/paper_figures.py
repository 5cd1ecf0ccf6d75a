"""What the papers report, from `evals/papers/*.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trivium.kg.errors import UsageError

_FOLDER = Path(__file__).with_name("papers")


def paper(name: str) -> dict[str, Any]:
    """The settings and results of a paper by its file's name, such as `knowgpt`.

    Raises:
        UsageError: PyYAML, which the extra `dev` brings, is not installed, or no such paper is there.
    """
    try:
        import yaml
    except ModuleNotFoundError:
        raise UsageError("reading the papers' figures needs PyYAML: pip install '.[dev]'") from None
    path = _FOLDER / f"{name}.yaml"
    if not path.is_file():
        raise UsageError(f"no paper {name!r}; there are {', '.join(sorted(p.stem for p in _FOLDER.glob('*.yaml')))}")
    read: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return read
