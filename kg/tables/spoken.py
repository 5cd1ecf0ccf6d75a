"""Cells of names in several languages, "H. Palak; Tam. Pasalai keerai", as a column for each: `Hindi label`.

Before each name stands its language, its code, or what a table of languages beside it abbreviates it by. The column
itself stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from trivium.kg.languages import IN_COLUMNS, spoken
from trivium.kg.other_names import label_in
from trivium.kg.tables.cells import Cell, Row, SourceTable
from trivium.kg.tables.mapping import TableColumn, TableMapping

_SAMPLE = 500  # rows
_LANGUAGES = 3  # in a column, at least
_NEARLY = 0.9  # share of parts that begin with a language
_MANY = 5  # cells, at least
_PART = re.compile(r"\s*[;|]\s*")
_MARKS = ".:- "


def with_languages(tables: Sequence[SourceTable]) -> list[SourceTable]:
    """The tables, those with such cells with a column for each language."""
    keys: dict[str, str] | None = None
    out = []
    for table in tables:
        found: dict[int, list[str]] = {}
        for place, cells in _listed(table).items():
            keys = _keys(tables) if keys is None else keys
            if languages := _languages_in(cells, keys):
                found[place] = [each for each in languages if _column(each) not in table.columns]
        out.append(_apart(table, found, keys) if found and keys else table)
    return out


def _listed(table: SourceTable) -> dict[int, list[str]]:
    """The texts of the columns most of whose cells are lists."""
    texts: dict[int, list[str]] = {}
    for row in islice(table.rows(), _SAMPLE):
        for place, cell in enumerate(row):
            if len(cell) == 1 and (";" in cell[0] or "|" in cell[0]):
                texts.setdefault(place, []).append(cell[0])
    return {place: found for place, found in texts.items() if len(found) >= _MANY}


def _keys(tables: Sequence[SourceTable]) -> dict[str, str]:
    """Languages by what stands for them, without its stop: names, codes, abbreviations of a table of languages."""
    keys = {**IN_COLUMNS}
    for table in tables:
        rows = list(islice(table.rows(), _SAMPLE))
        for place in range(len(table.columns)):
            named = {number: spoken(row[place][0].casefold()) for number, row in enumerate(rows) if row[place]}
            if sum(map(bool, named.values())) < max(_LANGUAGES, _NEARLY * _NEARLY * len(named)):
                continue
            for number, language in named.items():
                for cell in rows[number] if language else ():
                    keys |= {_key(text): language for text in cell}
    return keys


def _key(text: str) -> str:
    return text.casefold().strip(_MARKS)


def _languages_in(cells: Sequence[str], keys: Mapping[str, str]) -> list[str]:
    """The languages of names in cells, in their order; none where the cells hold anything else."""
    parts = [part for cell in cells for part in _PART.split(cell.strip(". ")) if part]
    read = [languages for part in parts for languages, _ in [_read(part, keys)] if languages]
    found = list(dict.fromkeys(language for languages in read for language in languages))
    return found if len(found) >= _LANGUAGES and len(read) >= _NEARLY * len(parts) else []


def _read(part: str, keys: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The languages before a part's names, "A., Kash. Baajra", and these; no language where it begins with none."""
    languages = []
    while match := re.match(r"([^\W\d_]+)\s*(?:[.:]\s*(,)?|(,)|\s-)\s*", part):
        language = spoken(_key(match[1])) or keys.get(_key(match[1]), "")
        if not language:
            break
        languages.append(language)
        part = part[match.end() :]
        if not (match[2] or match[3]):
            break
    names = [name for each in part.split(", ") if (name := each.strip(_MARKS))]
    return languages if names else [], names


def _apart(table: SourceTable, found: Mapping[int, Sequence[str]], keys: Mapping[str, str]) -> SourceTable:
    """A table with columns for languages."""
    added = [(place, language) for place, languages in found.items() for language in languages]

    def rows() -> Iterator[Row]:
        for row in table.rows():
            said = {place: _by_language(row[place], keys) for place in found}
            yield (*row, *(said[place].get(language, ()) for place, language in added))

    names = tuple(_column(language) for _, language in added)
    return replace(table, columns=(*table.columns, *names), rows=rows, plain=table)


def with_names(table: SourceTable, mapping: TableMapping) -> TableMapping:
    """A mapping of a table as its file has it, with its columns of languages: names, and facts besides."""
    names = table.columns[len(table.plain.columns) :] if table.plain and not mapping.link else ()
    columns = {name: TableColumn(name.lower(), "text") for name in names}
    return replace(mapping, columns={**mapping.columns, **columns}, alias=(*mapping.alias, *names))


def _column(language: str) -> str:
    return label_in(language).capitalize()


def _by_language(cell: Cell, keys: Mapping[str, str]) -> dict[str, Cell]:
    said: dict[str, dict[str, None]] = {}
    for text in cell:
        for part in _PART.split(text.strip(". ")):
            languages, names = _read(part, keys)
            for language in languages:
                said.setdefault(language, {}).update(dict.fromkeys(names))
    return {language: tuple(names) for language, names in said.items()}
