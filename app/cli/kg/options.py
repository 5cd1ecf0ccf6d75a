"""Arguments and options that several `trivium kg` commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

KGArgument = Annotated[
    str, typer.Argument(metavar="KG", help="A KG directory, bolt://…, a name from trivium.toml, or: sample.")
]
WriteOption = Annotated[
    bool,
    typer.Option("--write", help="Allow writing to a database that Trivium did not make."),
]
ReplaceOption = Annotated[
    bool, typer.Option("--replace", help="Replace the KG that is there, a directory in one step.")
]
DirectoryArgument = Annotated[str, typer.Argument(metavar="DIR", help="A KG directory, or a name from trivium.toml.")]
Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="F…",
        help="head, relation, tail by tab, comma or |; RDF (.ttl, .nt, .rdf, .jsonld, .trig, …), .jsonl; also .gz.",
    ),
]
EntitiesOption = Annotated[
    Path | None, typer.Option("--entities", metavar="F", help="id, label, aliases and types by tab; or RDF labels.")
]
PropertyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--property",
        metavar="R[=KIND]",
        help="R is a property (number, boolean, date, datetime, time, duration, point, text), or =entity: none.",
    ),
]
SkipBadOption = Annotated[bool, typer.Option("--skip-bad", help="Leave malformed lines out and count them.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else.")]
