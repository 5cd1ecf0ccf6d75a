"""What mkdocs cannot read from docs/: the command line's reference, the Python API, and files at the root."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

API = {
    "Ask": ["trivium.ask", "trivium.aask", "trivium.open_kg", "trivium.as_tool"],
    "Tools": ["trivium.tools.registry.make_tools"],
    "Errors": ["trivium.kg.errors"],
    "Implement your own": ["trivium.kg.store.GraphStore"],
}
_COPIED = ("CHANGELOG.md", "CONTRIBUTING.md")
_OUTSIDE = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[\w./-]+?)(#[\w-]+)?\)")
_DOCS = re.compile(r"\]\((?:\.\./)*docs/")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    made = {"reference/cli.md": cli_page(), "reference/api.md": api_page()}
    made |= {name: _DOCS.sub("](", (ROOT / name).read_text(encoding="utf-8")) for name in _COPIED}
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:  # noqa: ANN401 - mkdocs's own
    """Turn links to files of the repository into plain text where the site does not hold them."""
    here = (ROOT / "docs" / page.file.src_uri).parent
    up = "../" * page.file.src_uri.count("/")

    def target(found: re.Match[str]) -> str:
        file = (here / found[2]).resolve()
        if file.is_relative_to(ROOT / "docs"):
            return found[0]
        name = file.relative_to(ROOT).as_posix()
        if name in (*_COPIED, "README.md"):
            return f"[{found[1]}]({up}{name})"
        return found[1]  # a file of the repository, which the site does not hold

    return _OUTSIDE.sub(target, markdown)


def api_page() -> str:
    """The public Python API, for mkdocstrings to fill from docstrings."""
    lines = ["# Python API", ""]
    for title, names in API.items():
        lines += [f"## {title}", "", *(line for name in names for line in (f"::: {name}", ""))]
    return "\n".join(lines)


def cli_page() -> str:
    """Every command with its options, from the command line itself."""
    from trivium.app.cli.main import COMMANDS

    lines = ["# Command line", "", "Made from the commands themselves: what `trivium COMMAND -h` prints.", ""]
    for name in COMMANDS:
        lines += _command_lines(name)
    return "\n".join(lines)


def _command_lines(name: str) -> Iterator[str]:
    import typer.main

    from trivium.app.cli.main import build_app

    group = typer.main.get_command(build_app([name]))
    command = group.commands[name]  # type: ignore[attr-defined]
    yield from _described(command, f"trivium {name}", 2)


def _described(command: Any, path: str, level: int) -> Iterator[str]:  # noqa: ANN401 - click's command or group
    yield from (f"{'#' * level} {path}", "", _escape((command.help or "").partition("\f")[0].strip()), "")
    for name, inner in getattr(command, "commands", {}).items():
        yield from _described(inner, f"{path} {name}", level + 1)
    rows = [_parameter(each) for each in command.params if each.name not in ("help", "install_completion")]
    if rows:
        yield from (
            "| argument or option | |",
            "|---|---|",
            *(f"| `{name}` | {_escape(text)} |" for name, text in rows),
            "",
        )


def _parameter(parameter: Any) -> tuple[str, str]:  # noqa: ANN401 - click's argument or option
    names = " ".join(parameter.opts) if parameter.param_type_name == "option" else ""
    value = "" if getattr(parameter, "is_flag", False) else parameter.metavar or parameter.name.upper()
    shown = " ".join(filter(None, (names, value))).replace("|", "/")
    default = parameter.default
    plain = isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
    return shown, f"{getattr(parameter, 'help', None) or ''}{f' Default: {default}.' if plain else ''}"


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[")
