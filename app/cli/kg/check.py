"""`trivium kg info` and `verify`: what a KG holds, and whether it is sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivium.app.cli.kg.options import DirectoryArgument, JsonOption, KGArgument
from trivium.app.cli.output import print_facts, print_json, print_rows, print_text
from trivium.kg.errors import CorruptError, OutdatedError, VersionError

if TYPE_CHECKING:
    from pathlib import Path

    from trivium.kg.plans.columns import GraphColumns
    from trivium.kg.profile import GraphProfile, PropertyProfile


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
