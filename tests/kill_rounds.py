"""`make kill-rounds`: kill -9 at random moments of every command that writes, and count what it costs.

Each round runs one command in a process of its own, kills it at a random moment of the time that the command takes
(once in five rounds it is left to end), and looks at the KG from another process. What the command acknowledged, by
its exit status, has to be there; what it did not may be there whole, or not at all. Then the command is run again, or
taken up, and has to do its work.

    lost         an acknowledged write that is not there
    half         a part of a write, a part of a file
    doubled      a triple, a line or a row of feedback that is there twice
    not opened   the KG does not open, or `trivium kg verify` finds a problem
    wrong        a known question is answered with something else
    hindered     the same command, run again, fails
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import random
import shutil
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trivium.app.cli.main import run
from trivium.app.cli.output import complain, print_rows, print_text

HARMS = ("lost", "half", "doubled", "not opened", "wrong", "hindered")
_FORK = multiprocessing.get_context("fork")  # a warm process each round: starting Python would be most of its time
_LIMIT = 300.0  # seconds after which a command that nobody killed counts as hanging
_LEFT_ALONE = 5  # one round in so many is not killed
_BATCHES = (1, 40, 400, 2_000)  # triples that one write adds or removes: all but the last are noted as changes
_ASKED = 40

_USED = (
    "app.cli.ask",
    "app.cli.batch",
    "app.cli.feedback",
    "app.cli.kg",
    "app.cli.kg.writing",
    "app.cli.learn",
    "graphs.keqing",
    "kg.embedded.backup",
    "policies.bandit.serving",
    "policies.reader.chains.teaching",
)

Rows = frozenset[tuple[str, str, str]]


@dataclass
class _State:
    """What the rounds know: the KG's triples, the seconds that each command takes, and what was found."""

    folder: Path
    rng: random.Random
    rows: Rows
    took: dict[str, float] = field(default_factory=dict)
    rounds: Counter[str] = field(default_factory=Counter)
    killed: Counter[str] = field(default_factory=Counter)
    harms: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    number: int = 0

    @property
    def kg(self) -> Path:
        return self.folder / "kg"

    def harm(self, command: str, what: str, why: str) -> None:
        """Count something that must not happen, and say it."""
        self.harms[command][what] += 1
        complain(f"round {self.number}, {command}: {what}: {why}")


def _quietly(arguments: Sequence[str]) -> None:
    """Run a command line in this process, a child, and leave it with its status."""
    with (
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        status = run(arguments)
    os._exit(status)


def _attempt(state: _State, command: str, arguments: Sequence[str]) -> bool:
    """Run a command, killed at a random moment; whether it acknowledged. The first round of each is left to end."""
    process = _FORK.Process(target=_quietly, args=(list(arguments),))
    began = time.perf_counter()
    process.start()
    whole = command not in state.took or state.number % _LEFT_ALONE == 0
    process.join(_LIMIT if whole else state.took[command] * state.rng.random())
    if process.is_alive():
        process.kill()
        process.join()
        state.killed[command] += 1
    if whole:
        state.took[command] = time.perf_counter() - began
        if process.exitcode != 0:
            state.harm(command, "hindered", f"left alone, it ended with status {process.exitcode}")
    return process.exitcode == 0


def _again(state: _State, command: str, arguments: Sequence[str]) -> None:
    """Run a command to its end."""
    process = _FORK.Process(target=_quietly, args=(list(arguments),))
    process.start()
    process.join(_LIMIT)
    if process.exitcode != 0:
        process.kill()
        state.harm(command, "hindered", f"run again, it ended with status {process.exitcode}")


def _look(target: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401 - whatever the look is for
    """The result of a function in another process, which opens the KG anew; an exception's text where it raises."""
    here, there = _FORK.Pipe(duplex=False)

    def child() -> None:
        try:
            there.send((True, target(*arguments)))
        except Exception as error:  # noqa: BLE001 - whatever keeps a KG from being read is what is looked for
            there.send((False, f"{type(error).__name__}: {error}"))
        os._exit(0)

    process = _FORK.Process(target=child)
    process.start()
    found = here.recv() if here.poll(_LIMIT) else (False, "no answer")
    process.join()
    return found


def _state_of(kg: Path) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The triples of a KG, and the problems that verification finds."""
    from trivium.kg.embedded import EmbeddedStore
    from trivium.kg.embedded.verify import verify
    from trivium.kg.streams import drain

    store = EmbeddedStore.open(kg)
    rows = [(str(row[0]), str(row[1]), str(row[2])) for batch in drain(store.triples()) for row in batch]
    store.close_now()
    return rows, verify(kg)


def _check(state: _State, command: str, kg: Path, expected: Sequence[Rows]) -> Rows | None:
    """Count what is wrong with a KG that has to hold one of these sets of triples; the set that it holds."""
    fine, found = _look(_state_of, kg)
    if not fine:
        state.harm(command, "not opened", found)
        return None
    rows, problems = found
    if problems:
        state.harm(command, "not opened", problems[0])
    held = frozenset(rows)
    if len(held) < len(rows):
        state.harm(command, "doubled", f"{len(rows) - len(held)} triples")
    if held in expected:
        return held
    why = f"{len(held)} triples, expected {' or '.join(str(len(each)) for each in expected)}"
    state.harm(command, "lost" if len(expected) == 1 else "half", why)
    return held


def _films(count: int) -> Rows:
    return frozenset(
        row
        for i in range(count)
        for row in (
            (f"Film {i}", "directed_by", f"Director {i % 97}"),
            (f"Film {i}", "starring", f"Actor {i % 1013}"),
            (f"Film {i}", "release_year", str(1920 + i % 100)),
        )
    )


def _write(path: Path, rows: Rows) -> Path:
    path.write_text("".join("\t".join(row) + "\n" for row in sorted(rows)))
    return path


def _build(state: _State) -> None:
    target = state.folder / "built"
    file = state.folder / "small.tsv"
    rows = _films(1500)
    if not file.exists():
        _write(file, rows)
    arguments = ["kg", "build", "--out", str(target), str(file)]
    acknowledged = _attempt(state, "build", arguments)
    if acknowledged or (target / "kg.json").exists():
        _check(state, "build", target, [rows])
        _answers(state, "build", target)
        shutil.rmtree(target)
    _again(state, "build", arguments)
    _check(state, "build", target, [rows])
    shutil.rmtree(target)
    left = [path.name for path in state.folder.glob(".built*")]
    if left:
        state.harm("build", "half", f"left beside it: {', '.join(left)}")


def _add(state: _State) -> None:
    size = state.rng.choice(_BATCHES)
    more = frozenset((f"Film {state.number}-{i}", "directed_by", f"Director {i % 97}") for i in range(size))
    arguments = ["kg", "add", str(state.kg), str(_write(state.folder / "more.tsv", more))]
    _change(state, "add", arguments, state.rows | more)


def _remove(state: _State) -> None:
    added = sorted(row for row in state.rows if "-" in row[0])
    some = frozenset(state.rng.sample(added, k=min(state.rng.choice(_BATCHES), len(added))))
    if not some:
        _add(state)
        return
    arguments = ["kg", "remove", str(state.kg), str(_write(state.folder / "less.tsv", some))]
    _change(state, "remove", arguments, state.rows - some)


def _change(state: _State, command: str, arguments: Sequence[str], after: Rows) -> None:
    acknowledged = _attempt(state, command, arguments)
    held = _check(state, command, state.kg, [after] if acknowledged else [state.rows, after])
    if held is not None:
        state.rows = held
    _answers(state, command, state.kg)
    _again(state, command, arguments)
    state.rows = after
    _check(state, command, state.kg, [after])


def _compact(state: _State) -> None:
    """Compact changes that were noted just before."""
    for part in range(3):
        more = frozenset((f"Film {state.number}-{part}-{i}", "directed_by", f"Director {i % 97}") for i in range(30))
        _again(state, "add", ["kg", "add", str(state.kg), str(_write(state.folder / "more.tsv", more))])
        state.rows |= more
    _attempt(state, "compact", ["kg", "compact", str(state.kg)])
    _check(state, "compact", state.kg, [state.rows])
    _answers(state, "compact", state.kg)
    _again(state, "compact", ["kg", "compact", str(state.kg)])
    _check(state, "compact", state.kg, [state.rows])
    left = sorted(path.name for path in (state.kg / "snapshot").iterdir())
    if len(left) != 1:
        state.harm("compact", "half", f"snapshots left: {', '.join(left)}")


def _replace(state: _State) -> None:
    """Put another KG in the place of one that has learned."""
    target, file = state.folder / "replaced", state.folder / "fewer.tsv"
    before, after = _films(1500), state.rows
    _again(state, "build", ["kg", "build", "--out", str(target), str(_write(file, before))])
    arguments = ["kg", "copy", str(state.kg), str(target), "--replace"]
    acknowledged = _attempt(state, "replace", arguments)
    _check(state, "replace", target, [after] if acknowledged else [before, after])
    _answers(state, "replace", target)
    _again(state, "replace", arguments)
    _check(state, "replace", target, [after])
    _answers(state, "replace", target)
    shutil.rmtree(target)
    left = [path.name for path in state.folder.glob(".replaced*")]
    if any(not name.endswith(".lock") for name in left):
        state.harm("replace", "half", f"left beside it: {', '.join(left)}")


def _export(state: _State) -> None:
    file = state.folder / "export.tsv"
    before = file.read_bytes() if file.exists() else None
    acknowledged = _attempt(state, "export", ["kg", "export", str(state.kg), str(file)])
    held = file.read_bytes() if file.exists() else None
    if acknowledged or held != before:
        lines = (held or b"").decode().splitlines()
        if len(set(lines)) < len(lines):
            state.harm("export", "doubled", str(file))
        if {tuple(line.split("\t")) for line in lines} != state.rows:
            state.harm("export", "half", f"{len(lines)} lines of {len(state.rows)}")
    _again(state, "export", ["kg", "export", str(state.kg), str(file)])


def _backup(state: _State) -> None:
    file, back = state.folder / "b.zip", state.folder / "back"
    acknowledged = _attempt(state, "backup", ["kg", "backup", str(state.kg), str(file)])
    if acknowledged or file.exists():
        _again(state, "restore", ["kg", "restore", str(file), str(back)])
        _check(state, "backup", back, [state.rows])
        shutil.rmtree(back, ignore_errors=True)
        file.unlink()
    _again(state, "backup", ["kg", "backup", str(state.kg), str(file)])
    acknowledged = _attempt(state, "restore", ["kg", "restore", str(file), str(back)])
    state.rounds["restore"] += 1
    if acknowledged or (back / "kg.json").exists():
        _check(state, "restore", back, [state.rows])
        shutil.rmtree(back)
    _again(state, "restore", ["kg", "restore", str(file), str(back)])
    shutil.rmtree(back)
    file.unlink()


def _learn(state: _State) -> None:
    arguments = ["learn", "keqing", "--kg", str(state.kg)]
    _attempt(state, "learn", arguments)
    _check(state, "learn", state.kg, [state.rows])
    _answers(state, "learn", state.kg)
    _again(state, "learn", arguments)
    _answers(state, "learn", state.kg)


def _answers(state: _State, command: str, kg: Path) -> None:
    """Ask what is known."""
    number = state.rng.randrange(1500)
    fine, found = _look(_ask, kg, f"who directed Film {number}?")
    if not fine or found != [f"Director {number % 97}"]:
        state.harm(command, "wrong", f"who directed Film {number}? -> {found}")


def _ask(kg: Path, question: str) -> list[str]:
    """The answers' ids; without one, all that was said of why."""
    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        status = run(["ask", question, "--kg", str(kg), "--method", "keqing", "--json"])
    if status != 0:
        return [f"(status {status}: {said.getvalue()})"]
    answer = json.loads(out.getvalue())
    why = {name: answer[name] for name in ("stop_reason", "confidence", "suggestions", "usage", "events")}
    return [str(each["id"]) for each in answer["answers"]] or [f"({why} {said.getvalue()})"]


def _feedback(state: _State) -> None:
    name = f"run-{state.number}"
    fine, found = _look(_choose, state.kg, name)
    if not fine:
        state.harm("feedback", "not opened", found)
        return
    arguments = ["feedback", name, "up", "--kg", str(state.kg)]
    acknowledged = _attempt(state, "feedback", arguments)
    fine, count = _look(_counted, state.kg, name)
    if not fine:
        state.harm("feedback", "not opened", count)
    elif acknowledged and not count:
        state.harm("feedback", "lost", name)
    _again(state, "feedback", arguments)
    fine, count = _look(_counted, state.kg, name)
    if not fine or count != 1:
        state.harm("feedback", "doubled" if fine and count else "lost", f"{name}: {count} rows")


def _choose(kg: Path, name: str) -> None:
    import numpy as np

    from trivium.policies.bandit.bandit import FOLDER
    from trivium.policies.bandit.log import BanditLog, Pull

    log = BanditLog.open(kg / FOLDER)
    log.choose(Pull(name, "rl/sentences", "kill-rounds", np.ones(8, np.float32)))
    log.close()


def _counted(kg: Path, name: str) -> int:
    from trivium.policies.bandit.bandit import FOLDER
    from trivium.policies.bandit.log import BanditLog

    log = BanditLog.open(kg / FOLDER)
    rows = log.since(0)
    log.close()
    return sum(row.pull.run == name for _, row in rows)


def _batch(state: _State) -> None:
    asked, out = state.folder / "asked.jsonl", state.folder / "answers.jsonl"
    lines = [{"id": str(i), "question": f"who directed Film {i * 31}?"} for i in range(_ASKED)]
    asked.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out.unlink(missing_ok=True)
    arguments = ["ask", "--batch", str(asked), "--out", str(out), "--kg", str(state.kg), "--method", "keqing"]
    for _ in range(3):
        if _attempt(state, "batch", arguments):
            break
    _again(state, "batch", arguments)
    found = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    ids = [line["id"] for line in found]
    if len(set(ids)) < len(ids):
        state.harm("batch", "doubled", f"{len(ids) - len(set(ids))} lines")
    if sorted(set(ids), key=int) != [line["id"] for line in lines]:
        state.harm("batch", "lost", f"{len(ids)} of {len(lines)} lines")
    wrong = [
        line["id"] for line in found if [a["id"] for a in line["answers"]] != [f"Director {int(line['id']) * 31 % 97}"]
    ]
    if wrong:
        state.harm("batch", "wrong", f"lines {wrong[:3]}")


_COMMANDS: dict[str, Callable[[_State], None]] = {
    "add": _add,
    "build": _build,
    "feedback": _feedback,
    "remove": _remove,
    "export": _export,
    "learn": _learn,
    "add ": _add,
    "batch": _batch,
    "backup": _backup,
    "compact": _compact,
    "replace": _replace,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds and print what they found; 1 where anything was lost, halved, doubled, wrong or in the way."""
    parser = argparse.ArgumentParser(prog="python -m tests.kill_rounds", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--films", type=int, default=5_000, help="films of the KG, three triples each")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    for module in _USED:  # once, not in every child
        import_module(f"trivium.{module}")
    with TemporaryDirectory(prefix="trivium-kill-") as folder:
        state = _State(Path(folder), random.Random(options.seed), _films(max(options.films, 1_500)))
        everything = _write(Path(folder, "all.tsv"), state.rows)
        _again(state, "build", ["kg", "build", "--out", str(state.kg), str(everything)])
        for state.number in range(options.rounds):
            name = list(_COMMANDS)[state.number % len(_COMMANDS)]
            state.rounds[name.strip()] += 1
            _COMMANDS[name](state)
    names = [name for name in state.rounds if state.rounds[name]]
    rows = [
        (name, state.rounds[name], state.killed[name], *(state.harms[name][harm] for harm in HARMS)) for name in names
    ]
    totals = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    print_text("\t".join(("command", "rounds", "killed", *HARMS)))
    print_rows(("command", "rounds", "killed", *HARMS), [*rows, ("all", *totals)])
    return int(any(totals[2:]))


if __name__ == "__main__":
    sys.exit(main())
