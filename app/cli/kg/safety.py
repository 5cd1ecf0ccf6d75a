"""`trivium kg backup`, `restore` and `repair`: a KG in one file, out of it again, and put in order."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from trivium.app.cli.kg.options import DirectoryArgument, JsonOption
from trivium.app.cli.output import complain, print_facts, print_json, print_text
from trivium.kg.errors import CorruptError


def backup(
    kg: DirectoryArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file; it is a zip archive.")],
    as_json: JsonOption = False,
) -> None:
    """Write a KG with all that was learned, corrections and feedback into one file, as it is now; others may write on.

    The settings of trivium.toml are not in it.
    """
    from trivium.app.cli.progress import progress
    from trivium.kg.embedded.backup import back_up
    from trivium.knowledge.knowledge import find_directory

    with progress() as show:
        held = back_up(find_directory(kg), file, show)
    report = {**asdict(held), "bytes": file.stat().st_size}
    (print_json if as_json else print_facts)(report)


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What trivium kg backup wrote.")],
    out: Annotated[Path, typer.Argument(metavar="DIR", help="The new KG directory, which must not exist or be empty.")],
    as_json: JsonOption = False,
) -> None:
    """Make a KG directory from a backup, after checking every byte of it."""
    from trivium.app.cli.progress import progress
    from trivium.kg.embedded.backup import restore as restore_file

    with progress() as show:
        held = restore_file(file, out, show)
    (print_json if as_json else print_facts)(asdict(held))


def repair(kg: DirectoryArgument, as_json: JsonOption = False) -> None:
    """Make again what is damaged: all that is derived from the record, and what can be learned again.

    A damaged record itself is refused: restore a backup. Exit status 1 where anything is still damaged.
    """
    from trivium.app.cli.progress import progress
    from trivium.knowledge.knowledge import find_directory
    from trivium.knowledge.repair import repair as repair_directory

    with progress() as show:
        found = repair_directory(find_directory(kg), show)
    if as_json:
        print_json(asdict(found))
    else:
        print_text(
            "\n".join(found.done) or ("nothing was damaged" if not found.lost else "nothing could be made again")
        )
        for each in found.lost:
            complain(each)
    if found.left:
        raise CorruptError(f"{kg} is still damaged: {found.left[0]}")
