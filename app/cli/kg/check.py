"""`trivium kg info` and `report`: what a KG holds; `verify`, `backup`, `restore`, `repair`: that it is sound."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from trivium.app.cli.kg.options import DirectoryArgument, JsonOption, KGArgument
from trivium.app.cli.output import complain, print_facts, print_json, print_rows, print_section, print_text
from trivium.kg.errors import CorruptError, OutdatedError, VersionError

if TYPE_CHECKING:
    from trivium.kg.plans.columns import GraphColumns
    from trivium.kg.profile import GraphProfile, PropertyProfile
    from trivium.knowledge.report import GraphReport


def info(kg: KGArgument, as_json: JsonOption = False) -> None:
    """Show counts and content hash, what each type is called by with examples, and properties with their kinds.

    The hash is equal for equal sets of triples, whatever their order or store. What a relation is taken for is set by
    --property of kg build and kg upgrade, or by [kg.NAME.properties] in trivium.toml.
    """
    import asyncio
    import contextlib

    from trivium.kg.errors import NoCopyError
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(kg) as opened:
        held = asyncio.run(opened.store.info())
        policy = _path_policy(opened.path)
        profile, columns = None, None
        # Of a Neo4j KG they are those of its local copy, which a large one may lack.
        with contextlib.suppress(NoCopyError):
            profile, columns = asyncio.run(opened.store.profile()), asyncio.run(opened.store.columns())
    report: dict[str, object] = {
        "entities": held.entities,
        "relations": held.relations,
        "triples": held.triples,
        "hash": held.hash,
    }
    if policy:
        report["path_policy"] = policy
    rows = [] if profile is None else _properties(profile)
    names = [] if profile is None or columns is None else _names(profile, columns)
    if as_json:
        listed = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
        types = [dict(zip(_NAMES, row, strict=True)) for row in names]
        print_json({**report, **({"types": types} if types else {}), **({"properties": listed} if listed else {})})
        return
    print_facts(report)
    for columns_, found in ((_NAMES, names), (_COLUMNS, rows)):
        if found:
            print_text("")
            print_rows(columns_, found)


def _path_policy(folder: Path) -> str:
    """How KnowGPT's path policy was trained; empty where none was learned, or it cannot be read."""
    from trivium.policies.paths.extraction import FOLDER, POLICY, how_trained

    where = folder / FOLDER
    if not POLICY.exists(where):
        return ""
    try:
        return how_trained(POLICY.head(where).data["report"])
    except (CorruptError, OutdatedError, VersionError) as error:
        return f"cannot be read: {error}"


_NAMES = ("type", "entities", "named by", "examples")


def _names(profile: GraphProfile, columns: GraphColumns) -> list[tuple[object, ...]]:
    """A row for each type: what its entities are called by, and three of them."""
    import numpy as np

    found: list[tuple[object, ...]] = []
    for each in profile.types:
        rows = columns.types[each.name] if each.name in columns.types else np.arange(len(columns), dtype=np.int32)
        sample = rows[np.unique(np.linspace(0, len(rows) - 1, _EXAMPLES).astype(np.int64))].astype(np.int64)
        labels = columns.labels(sample)
        own = any(label != columns.ids[row] for label, row in zip(labels, sample.tolist(), strict=True))
        by = " + ".join(each.naming) or ("label" if own else "id")
        found.append((each.name or "entity", each.entities, by, "; ".join(map(_short, labels))))
    return found


_EXAMPLES = 3
_COLUMNS = ("property", "of", "kind", "unit", "entities", "values", "distinct", "minimum", "maximum", "examples")


def _properties(profile: GraphProfile) -> list[tuple[object, ...]]:
    """A row for each property of each type, and of each relation that has some."""
    owners = [(each.name or "entity", each.entities, each.properties) for each in profile.types]
    relations: dict[str, tuple[str, int, tuple[PropertyProfile, ...]]] = {}
    for each in profile.relationships:
        relations.setdefault(each.relation, (f"({each.relation})", each.triples, each.properties))
    return [
        (
            found.name,
            owner,
            "/".join(found.kinds) + (", repeats a relationship" if found.foreign_key else ""),
            found.unit,
            found.entities,
            found.values,
            found.distinct,
            found.minimum,
            found.maximum,
            "; ".join(map(_short, found.examples[:_EXAMPLES])),
        )
        for owner, _, properties in (*owners, *relations.values())
        for found in properties
    ]


_SHOWN = 32  # characters of an example


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def verify(kg: DirectoryArgument, as_json: JsonOption = False) -> None:
    """Check every file of a KG; prints each problem, or ok. Repairs nothing."""
    from trivium.kg.embedded.verify import verify as find_problems
    from trivium.knowledge.knowledge import find_directory

    directory = find_directory(kg)
    problems = find_problems(directory)
    if as_json:
        print_json({"ok": not problems, "problems": problems})
    else:
        print_text("\n".join(problems) or "ok")
    if problems:
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise CorruptError(f"{directory} has {count}; each is named on stdout with what to do")


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


_ROWS = 25  # rows of a table on the terminal


def report(
    kg: KGArgument,
    html: Annotated[Path | None, typer.Option(metavar="F", help="Write the whole report as one HTML page.")] = None,
    questions: Annotated[int, typer.Option(min=0, metavar="N", help="Questions that the KG can answer.")] = 20,
    seed: Annotated[int, typer.Option(help="Seed of the questions' choice.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Show what a KG holds: types, relations in words, values, names that are missing, and questions it can answer."""
    from trivium.knowledge.knowledge import Knowledge
    from trivium.knowledge.report import report_on

    with Knowledge.open(kg) as opened:
        found = asyncio.run(report_on(opened.store, questions=questions, seed=seed))
    if html is not None:
        from trivium.kg.files import write_atomic

        write_atomic(html, _page(kg, found).encode())
    if as_json:
        print_json(asdict(found) | {"advice": found.advice()})
        return
    for section in _sections(found):
        print_section(section.title, section.columns, section.rows[:_ROWS])
        if len(section.rows) > _ROWS:
            complain(f"{section.title}: {len(section.rows) - _ROWS:,} more rows (--html F or --json has them all)")
    if html is not None:
        complain(f"the report is in {html}")


class _Section(NamedTuple):
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    bars: int | None = None  # the column that a chart shows


def _sections(found: GraphReport) -> Iterator[_Section]:
    """The report's tables; those without a row are left out."""
    relations = [
        (x.name, x.triples, " → ".join(filter(None, (x.heads, x.tails))), *_two(x.words)) for x in found.relations
    ]
    all_sections = [
        _Section("What to add", ("advice",), [(line,) for line in found.advice()]),
        _Section(
            "Types",
            ("type", "entities", "examples"),
            [(x.name or "(none)", x.entities, ", ".join(x.examples)) for x in found.types],
            1,
        ),
        _Section("Relations", ("relation", "triples", "joins", "in words", "backward"), relations, 1),
        _Section(
            "Values",
            ("type", "property", "kind", "entities", "from", "to", "examples"),
            [_value_row(kind, part) for kind, part in found.values],
        ),
        _Section("Entities with most triples", ("entity", "triples"), found.hubs, 1),
        _Section("Entities by triples", ("triples", "entities"), found.degrees, 1),
        _Section(f"Names of several entities ({found.repeated_names:,})", ("name", "entities"), found.repeated),
        _Section("Questions to try", ("question",), [(x.question,) for x in found.questions]),
    ]
    return (section for section in all_sections if section.rows)


def _value_row(kind: str, part: PropertyProfile) -> tuple[object, ...]:
    name = f"{part.name} ({part.unit})" if part.unit else part.name
    ends = ("", "") if part.kind == "text" else (part.minimum, part.maximum)  # the first in the alphabet says nothing
    return kind, name, part.kind, part.entities, *ends, ", ".join(part.examples[:3])


def _two(words: Iterable[str]) -> tuple[str, str]:
    forward, backward = [*words, "", ""][:2]
    return forward, backward


def _page(kg: str, found: GraphReport) -> str:
    from trivium.kg.html_page import HtmlPage

    page = HtmlPage(f"What {kg} holds")
    page.text(f"{found.entities:,} entities, {len(found.relations):,} relations, {found.triples:,} triples")
    for section in _sections(found):
        page.heading(section.title)
        if section.bars is not None:
            page.bars(
                [(str(row[0]), float(str(row[section.bars])), str(row[section.bars])) for row in section.rows[:30]]
            )
        page.table(section.columns, section.rows)
    return str(page)
