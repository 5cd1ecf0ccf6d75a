"""`make mutation`: change one operator, number or branch of the code at a time, and see whether a test notices.

    python -m tests.mutation [--mutants 150] [--seed 0] [--minutes 20] [--file build/mutation.jsonl]

Cosmic Ray makes the changes, to files of `kg/`, `policies/reader/` and `nodes/run/` by turns: a file is drawn by its
length, then a place in it, then one of the changes that the place allows. A mutant is tested in a copy of the tree, by
six of the unit and contract test files that import its module, or what imports that, slow tests left out, and where
these notice nothing by twelve more; it is killed where one fails or runs out of time. What was found is kept line by
line in FILE: run again, it goes on where it ended. A changed source file begins anew.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory
from typing import Any

from trivium.app.cli.output import complain, print_text

ROOT = Path(__file__).parents[1]
PARTS = ("kg", "policies/reader", "nodes/run")
_LEFT_OUT = ("kg/neo4j", "kg/sample")
"""What needs a server or holds no code."""

_OPERATORS = ("Add", "Replace", "Number", "ZeroIteration", "Exception")
"""Beginnings of the names of Cosmic Ray's operators; decorators are not removed: types and fixtures hang on them."""

_FILES = (6, 18)  # test files that a mutant is tested by: first so many, then, if it survives, up to so many
_MOST = 300.0  # seconds after which tests are ended; a mutant is then killed, if they pass without it


class Mutant:
    """One change: the file, the operator's name, which of its places, and where that is."""

    def __init__(self, path: str, operator: str, occurrence: int, place: tuple[int, int]) -> None:
        self.path, self.operator, self.occurrence, self.place = path, operator, occurrence, place

    def key(self, sources: Path) -> str:
        """What it is called in the file of results: the same while its source is."""
        digest = hashlib.sha256((sources / self.path).read_bytes()).hexdigest()[:12]
        return f"{self.path}:{self.place[0]}:{self.place[1]}:{self.operator}:{self.occurrence}:{digest}"


def annotated(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations stand, which are never evaluated: (line, column) of begin and end."""
    found: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for node in ast.walk(ast.parse(source)):
        held = [getattr(node, "returns", None), getattr(node, "annotation", None)]
        held += [node.value] if isinstance(node, ast.Assign) and _names_a_type(node) else []
        found += [
            ((each.lineno, each.col_offset), (each.end_lineno or 0, each.end_col_offset or 0)) for each in held if each
        ]
    return found


def _names_a_type(node: ast.Assign) -> bool:
    """`Name = A | B` at the top: an alias."""
    target = node.targets[0]
    return isinstance(target, ast.Name) and target.id[:1].isupper() and not target.id.isupper()


def mutants_of(path: str) -> Iterator[Mutant]:
    """Every mutant of a file."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    source = (ROOT / path).read_text(encoding="utf-8")
    spans, tree = annotated(source), get_ast(source)
    for name in operator_names():
        if not name.partition("/")[2].startswith(_OPERATORS) or get_operator(name).arguments():
            continue
        operator, occurrence = get_operator(name)(), 0
        for node in ast_nodes(tree):
            for start, _ in operator.mutation_positions(node):
                if not any(begin <= start < end for begin, end in spans):
                    yield Mutant(path, name, occurrence, start)
                occurrence += 1


def drawn(count: int, seed: int) -> list[Mutant]:
    """So many mutants, the same for the same sources and seed; of a longer draw a shorter one is the beginning."""
    rng, mutants = random.Random(seed), dict[str, dict[tuple[int, int], list[Mutant]]]()
    files = [_files(part) for part in PARTS]
    out: list[Mutant] = []
    while len(out) < count:
        names, lengths = files[len(out) % len(PARTS)]
        (name,) = rng.choices(names, lengths)
        if name not in mutants:
            mutants[name] = {}
            for mutant in mutants_of(name):
                mutants[name].setdefault(mutant.place, []).append(mutant)
        if mutants[name]:
            out.append(rng.choice(mutants[name][rng.choice(sorted(mutants[name]))]))
    return out


def _files(part: str) -> tuple[list[str], list[int]]:
    """The files of a part, and their lengths."""
    names = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / part).rglob("*.py"))]
    names = [name for name in names if not name.startswith(_LEFT_OUT)]
    return names, [(ROOT / name).read_bytes().count(b"\n") for name in names]


def files_that_test(path: str) -> list[str]:
    """The test files of a source file, relative to the tree: those that import it, then what imports that, and so on.

    Those that carry its name come first, then (of `kg/`) contracts, then those of its own folder that import it.
    """
    contracts = [file for file in (ROOT / "tests" / "contracts").glob("test_*.py") if "neo4j" not in file.stem]
    files = [*(ROOT / "tests" / "unit").rglob("test_*.py"), *contracts]
    lengths = {file.relative_to(ROOT).as_posix(): file.stat().st_size for file in files}
    sources = {
        file.relative_to(ROOT).as_posix()
        for top in ("kg", "policies", "knowledge", "tools", "nodes", "graphs")
        for file in (ROOT / top).rglob("*.py")
    }
    folders = [Path("tests/unit") / folder for folder in Path(path).parents]
    near = next(folder for folder in folders if (ROOT / folder).is_dir())
    own = Path(path).parent.name if path.endswith("__init__.py") else Path(path).stem
    wanted, seen = {path}, set[str]()
    order: dict[str, tuple[bool, bool, bool, int, int, str]] = {}
    step = 0
    while wanted:
        modules = {_module(each) for each in wanted}
        for name in [name for name in lengths if modules & _imports(name)]:
            contract = path.startswith("kg/") and ROOT / name in contracts
            away = Path(name).parent != near
            named = not away and own in Path(name).stem
            order.setdefault(name, (not named, not contract and step > 0, away, step, lengths[name], name))
        seen, step = seen | wanted, step + 1
        wanted = {name for name in sources if modules & _imports(name)} - seen
    return sorted(order, key=order.__getitem__)[: _FILES[-1]]


def _module(path: str) -> str:
    return "trivium." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def _imports(path: str) -> frozenset[str]:
    """The modules that a file of the tree imports, and what might be one: of `from a import b` both `a` and `a.b`."""
    found = set[str]()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update((node.module, *(f"{node.module}.{each.name}" for each in node.names)))
    return frozenset(found)


def run_tests(tree: Path, tests: Sequence[str]) -> tuple[bool, float]:
    """Whether they pass, and the seconds that it took."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow and not data"]
    began = time.perf_counter()
    own = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tree), *sys.path[1:]]), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run([*command, *tests], cwd=tree, env=own, capture_output=True, timeout=_MOST, check=False)
    except subprocess.TimeoutExpired:
        return False, time.perf_counter() - began
    return done.returncode == 0, time.perf_counter() - began


class _Results:
    """What is kept line by line: mutants, and which tests pass without one (of the same sources)."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        self.known: dict[str, dict[str, Any]] = {each["key"]: each for each in map(json.loads, lines)}
        self._file = file
        paths = sorted(path for top in ("tests", "kg", "policies", "nodes") for path in (ROOT / top).rglob("*.py"))
        self._sources = hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:12]

    def put(self, row: dict[str, Any]) -> None:
        """Keep a row under its key."""
        self.known[row["key"]] = row
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")

    def pass_alone(self, tree: Path, tests: list[str]) -> bool:
        """Whether tests pass without a mutant."""
        key = f"{self._sources} {' '.join(tests)}"
        if key not in self.known:
            self.put({"key": key, "passed": run_tests(tree, tests)[0]})
        return bool(self.known[key]["passed"])


def tested(mutant: Mutant, tree: Path, passing: Callable[[list[str]], bool]) -> dict[str, Any]:
    """What became of a mutant: "killed", "survived", or "untested" where it has no tests, or they fail without it."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    tests = files_that_test(mutant.path)
    file = tree / mutant.path
    source = file.read_text(encoding="utf-8")
    changed = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
    told: dict[str, Any] = {"path": mutant.path, "line": mutant.place[0], "operator": mutant.operator}
    if not tests or changed is None or changed == source:
        return {**told, "outcome": "untested"}
    file.write_text(changed, encoding="utf-8")
    try:
        passed, took = run_tests(tree, used := tests[: _FILES[0]])
        if passed and (more := tests[_FILES[0] :]):
            passed, longer = run_tests(tree, more)
            used, took = used if passed else more, took + longer
    finally:
        file.write_text(source, encoding="utf-8")
    lines = [line for line in zip(source.splitlines(), changed.splitlines(), strict=False) if line[0] != line[1]]
    was, now = lines[0] if lines else ("", "")
    told |= {"was": was.strip(), "now": now.strip(), "seconds": round(took, 1)}
    return {**told, "outcome": "survived" if passed else "killed" if passing(used) else "untested"}


def report(results: Sequence[dict[str, Any]]) -> str:
    """The score by part, and the survivors."""
    lines = []
    for part in (*PARTS, ""):
        mine = [each for each in results if each["path"].startswith(f"{part}/" if part else "")]
        killed, survived = (sum(each["outcome"] == name for each in mine) for name in ("killed", "survived"))
        untested, share = len(mine) - killed - survived, 100 * killed / max(killed + survived, 1)
        lines.append(
            f"{part or 'all':16} {killed:4} of {killed + survived:4} killed ({share:.0f} %), untested {untested}"
        )
    lines += [
        f"survived {each['path']}:{each['line']}\n    - {each['was']}\n    + {each['now']}"
        for each in results
        if each["outcome"] == "survived"
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the score; 0 whatever it is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mutants", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60.0, help="end after so many; run again to go on")
    parser.add_argument("--file", type=Path, default=ROOT / "build" / "mutation.jsonl")
    given = parser.parse_args(arguments)
    kept, end = _Results(given.file), time.monotonic() + 60 * given.minutes
    results = list[dict[str, Any]]()
    with TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        copytree(ROOT, tree, symlinks=True, ignore=ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache"))
        for mutant in drawn(given.mutants, given.seed):
            key = mutant.key(ROOT)
            if key not in kept.known:
                if time.monotonic() > end:
                    continue
                kept.put({"key": key, **tested(mutant, tree, partial(kept.pass_alone, tree))})
                complain(f"{len(results) + 1:4} {kept.known[key]['outcome']:9} {key}")
            results.append(kept.known[key])
    print_text(report(results))
    if len(results) < given.mutants:
        print_text(f"{given.mutants - len(results)} are left: run it again")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
