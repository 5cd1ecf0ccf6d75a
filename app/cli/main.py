"""The console entry `trivium`: finds the module of the chosen command, runs it, turns errors into one line each.

A command lives in a module of `app/cli/` (`COMMANDS` says which), which offers `register(app: typer.Typer) -> None`;
that calls `app.command("NAME")` on its function, or `app.add_typer` for a group. Only the chosen command's module is
imported, and whatever it needs is imported inside its function, so that a command pays for what it uses. A command
raises `TriviumError`s and prints through `trivium.app.cli.output`; it handles no error for the sake of its wording.

Exit status: 0; 1 the request failed; 2 wrong usage; 130 interrupted.
"""

from __future__ import annotations

import errno
import gc
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from trivium.app.cli.output import complain, print_text, tolerate_encodings
from trivium.kg.cores import use_workers
from trivium.kg.errors import TriviumError, UsageError
from trivium.nodes.run.operator import own_runs

if TYPE_CHECKING:
    from typer._click.formatting import HelpFormatter

COMMANDS = {
    "doctor": ("trivium.app.cli.doctor", "Check what is installed, what is set, and your KGs."),
    "ask": ("trivium.app.cli.ask", "Answer a question, or a file of questions, over a KG."),
    "query": ("trivium.app.cli.query", "Run a query plan, written as JSON or as one line."),
    "import": ("trivium.app.cli.import_tables", "Make a KG of tables (CSV, JSON), RDF, or a SPARQL endpoint."),
    "learn": ("trivium.app.cli.learn", "Learn from a KG and from questions with known answers."),
    "correct": ("trivium.app.cli.correct", "Set one question right, and see what else changes."),
    "feedback": (
        "trivium.app.cli.feedback",
        "Say whether a KnowGPT run was right; without a run, what the bandit has learned.",
    ),
    "verify": ("trivium.app.cli.verify", "Check that every triple of every path of some answers is in the KG."),
    "kg": ("trivium.app.cli.kg", "Build, change, copy, check and look into knowledge graphs."),
    "tool": ("trivium.app.cli.tool", "Call one of Trivium's tools with JSON arguments."),
    "eval": ("trivium.app.cli.eval", "List the measurements, or run one."),
    "serve": ("trivium.app.cli.serve", "Serve the methods as a LangGraph server."),
    "user-data": ("trivium.app.cli.user_data", "Export or delete what a running server keeps of a user."),
    "mcp": ("trivium.app.cli.mcp", "Offer a KG to agents over the Model Context Protocol."),
    "prompts": ("trivium.app.cli.prompts", "Show or check the prompts that chat models get."),
    "draw": ("trivium.app.cli.draw", "Draw a method as a mermaid diagram."),
}
"""Name -> (module, what the overview says of it)."""

GROUPS = {
    "Ask": ("ask", "query", "verify"),
    "Your graph": ("import", "kg", "eval"),
    "Teach": ("learn", "correct", "feedback"),
    "Serve": ("serve", "mcp", "user-data"),
    "Look inside": ("doctor", "tool", "prompts", "draw"),
}
"""The overview's sections; a command that none names comes last."""

EXAMPLES = """\b
Examples:
  trivium ask "who directed Casablanca?"
  trivium import airports.csv airlines.csv --out flights
  trivium kg report flights --html report.html
  trivium ask "which airlines are in France?" --kg flights
  trivium eval own mine.jsonl --kg flights --make 60
  trivium --install-completion"""

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130


def main() -> None:
    """Run the command line and leave the process with its exit status."""
    status = run(sys.argv[1:])
    gc.freeze()  # the process ends here: nothing need be walked once more
    try:
        if sys.stdout:  # none where a shell has closed it
            sys.stdout.flush()
    except OSError as error:  # a full disk; Python would try again, and end with 120
        if not status:
            complain(f"{type(error).__name__}: {_words(error)}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = status or FAILED
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit status."""
    try:
        tolerate_encodings()
        with _warnings_shown():
            _check_text(arguments)
            use_workers(None)
            with own_runs():
                build_app(arguments)(args=list(arguments), prog_name="trivium")
    except TriviumError as error:
        complain(f"{type(error).__name__}: {error}")
        return WRONG_USAGE if isinstance(error, UsageError) else FAILED
    except OSError as error:  # no permission, no space: the system's own words, with the file that it was about
        complain(f"{type(error).__name__}: {_words(error)}")
        return FAILED
    except SystemExit as end:
        if end.code == INTERRUPTED:
            complain("interrupted")
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        gc.enable()
    return 0


def build_app(arguments: Sequence[str]) -> typer.Typer:
    """The command line with the command that `arguments` choose.

    Where they do not begin with a command, the others are there to be listed.
    """
    app = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        cls=_GroupedCommands,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(
        help="Question answering over a knowledge graph: every answer carries the path that proves it.", epilog=EXAMPLES
    )(_root)
    words = arguments or _completed()
    chosen = next((word for word in words if not word.startswith("-")), None)
    if chosen == "kg":
        from trivium.app.cli import kg

        kg.register(app, *words[words.index(chosen) + 1 :][:1])
    elif chosen in COMMANDS:
        import_module(COMMANDS[chosen][0]).register(app)
    if chosen not in arguments[:1] or chosen not in COMMANDS:
        for name, (_, summary) in COMMANDS.items():
            if name != chosen:
                app.command(name, help=summary)(_listed_only)
    return app


class _GroupedCommands(TyperGroup):
    """The overview of commands in sections."""

    def format_commands(self, ctx: typer.Context, formatter: HelpFormatter) -> None:  # type: ignore[override] # typer's own
        """Write a section a group."""
        del ctx
        left = dict.fromkeys(self.commands)
        for title, names in [*GROUPS.items(), ("More", ())]:
            shown = [name for name in names or list(left) if name in left]
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(80)) for name in shown])
            for name in shown:
                del left[name]
            if not left:
                break


def _completed() -> list[str]:
    """The words before the one that a shell asks to complete; none where it asks for nothing."""
    if "_TRIVIUM_COMPLETE" not in os.environ:
        return []
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    return line.split()[1:]


def _listed_only() -> None:
    """Stand in the overview for a command that was not chosen."""


def _show_version(wanted: bool) -> None:
    if not wanted:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        print_text(f"trivium {version('trivium')}")
    except PackageNotFoundError:
        print_text("trivium, run from its source tree without being installed")
    raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Take the options that stand before the command."""


def _check_text(arguments: Sequence[str]) -> None:
    for place, word in enumerate(arguments, 1):
        if not word.isascii() and any("\ud800" <= letter <= "\udfff" for letter in word):
            raise UsageError(f"argument {place} is not UTF-8: {word.encode(errors='backslashreplace').decode()}")


def _words(error: OSError) -> str:
    """The system's own words, without its error number."""
    if error.strerror is None:
        return str(error)
    advice = "; make room there, and run the command again" if error.errno == errno.ENOSPC else ""
    return (error.strerror if error.filename is None else f"{error.strerror}: {error.filename}") + advice


class _Notices(logging.Handler):
    """Warnings of Trivium's modules (a snapshot derived again, …) as lines on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one."""
        complain(record.getMessage())


@contextmanager
def _warnings_shown() -> Iterator[None]:
    logger, notices = logging.getLogger("trivium"), _Notices(logging.WARNING)
    logger.addHandler(notices)
    try:
        yield
    finally:
        logger.removeHandler(notices)


if __name__ == "__main__":
    main()
