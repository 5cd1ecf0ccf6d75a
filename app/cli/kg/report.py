"""`trivium kg report`: what a KG holds for a person who asks it, on the terminal and as an HTML page."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from trivium.app.cli.kg.options import JsonOption, KGArgument
from trivium.app.cli.output import complain, print_json, print_section

if TYPE_CHECKING:
    from trivium.kg.profile import PropertyProfile
    from trivium.knowledge.report import GraphReport

_SHOWN = 25  # rows of a table on the terminal


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
        print_section(section.title, section.columns, section.rows[:_SHOWN])
        if len(section.rows) > _SHOWN:
            complain(f"{section.title}: {len(section.rows) - _SHOWN:,} more rows (--html F or --json has them all)")
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
    return kind, name, part.kind, part.entities, part.minimum, part.maximum, ", ".join(part.examples[:3])


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
