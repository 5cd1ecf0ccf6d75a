"""Records as tables: JSON, JSON Lines, and rows of Parquet.

A JSON object that holds a record by each key is a table with the column `key`, unless a field repeats it. A record
inside a record becomes columns `outer.inner`, one of a value and its unit a value; a list of records becomes a table of
its own, `TABLE_FIELD`, whose first column, named after the outer table, holds the outer record's key.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from trivium.kg.errors import BadInputError
from trivium.kg.tables.cells import Cell, SourceTable, cell_of, open_text
from trivium.kg.text import singular
from trivium.kg.values import NOT_AVAILABLE, columns_of_codes, read_value

_KEYS = ("id", "_id", "uuid", "key", "code", "slug", "name", "label", "title")
_NAMES = ("name", "login", "title", "label", "full_name", "fullName", "displayName")
# Of things inside records: distinct names a record at most, those with the same facts at least.
_AGAIN, _ALIKE = 0.8, 0.9
_KEY_CODE, _PLACE = re.compile("[a-z]{2,3}|[A-Z]{2,3}"), re.compile("[0-9]|[A-Z]")
_FEW_OF = 0.25  # of many things, the share that an object says an amount of
_MANY_KEYS, _OFTEN = 10, 0.5  # codes that objects have something by, at least; share of objects with one, at most
_SHORT_CODE = re.compile(r"\w{1,2}|\d+")  # of a key that is no table's name
_SAYS_KIND = ("model", "type", "_type", "@type", "kind", "class", "resourceType", "entity")
_MOST_KINDS, _APART = 30, 0.6  # kinds of records in a list; share of all fields that a kind has, where kinds differ
_MANY_TEXTS = 20  # keys that an object has texts by, at least
_WRAPPERS = frozenset(
    {"data", "dataset", "results", "result", "response", "records", "rows", "items", "entries", "values", "list"}
    | {"docs", "hits", "features", "objects", "children", "content", "body", "payload"}
)  # keys of lists that say nothing of what they hold
# Pairs of numbers that are places, by what comes first: GeoJSON's order is longitude, latitude.
_PAIRS = {
    **dict.fromkeys(("coordinates", "lnglat", "lonlat"), "longitude"),
    **dict.fromkeys(("latlng", "latlon"), "latitude"),
}
_BY_UNIT = frozenset(
    {"ml", "cl", "dl", "l", "oz", "g", "gr", "mg", "kg", "lb", "lbs", "tsp", "tbsp", "litres", "liters", "ounces"}
    | {"grams", "gram", "kilograms", "pounds", "milliliters", "millilitres", "cups", "cup", "parts", "pieces", "pcs"}
)  # keys of amounts, which say the unit alone
_LINKS = frozenset({"links", "edges"})  # of graphs
_ABOVE = {
    **dict.fromkeys(("reports", "direct_reports", "directreports", "subordinates", "employees", "staff"), "reports_to"),
    **dict.fromkeys(("parts", "components", "subparts", "subcomponents"), "part_of"),
}  # what a record is to the one that holds it among such
KEYED = 3  # records that an object holds by their keys; fewer may be parts of one thing
_MEASURES, _UNITS = ("value", "amount"), ("unit", "units", "unitText", "unitCode", "unit_code", "currency")


def are_named(records: Mapping[str, dict[str, Any]]) -> bool:
    """Whether records have an id, a name or the like of their own: no version of the format that all files share."""
    for key in _KEYS:
        named = [each[key] for each in records.values() if isinstance(each.get(key), str | int)]
        if len(set(named)) > _AGAIN * len(records):
            return True
    return False


def json_tables(path: Path, name: str, *, lines: bool) -> list[SourceTable]:
    """The tables of a file of JSON, or of `lines` of it; raises `BadInputError` where it holds no records."""
    content = json_content(path, lines=lines)
    content = _grid(content) or content
    found: dict[str, Any] = _record_lists(content, name) if isinstance(content, dict) else {name: content}
    _say_places(found)
    if not all(map(_is_record_list, found.values())):
        raise BadInputError("contains no list of records ({…})", path=path)
    parted = [_by_kind(_without_levels(_without_geometry(records)), table) for table, records in found.items()]
    return record_tables(path, {table: records for each in parted for table, records in each.items()})


def _record_lists(content: dict[str, Any], name: str) -> dict[str, Any]:
    """The lists of records that an object holds, by the names of their tables.

    One list alone, within whatever it is wrapped in (`{"response": {"docs": […]}}`), is called as the file where its
    key says nothing.
    """
    if is_keyed(content):
        return {name: keyed_records(content)}
    if _branches([content]):
        return {name: [content]}
    if _are_keyed_alike(content):
        return {name: [{**each, "group": key} for key, held in content.items() for each in _with_keys(held)]}
    if _are_lists(content):
        return {name: [{"key": key, name: held} for key, held in content.items()]}
    if _are_alike(content):
        return {name: [{"key": key, **each} for key, held in content.items() for each in held]}
    if _are_texts(content):
        kind = "name" if any(isinstance(value, str) for value in content.values()) else "value"
        return {name: [{"key": key, kind: value} for key, value in content.items()]}
    lists = {key: grid for key, value in content.items() if (grid := _grid(value))}
    lists |= {key: value for key, value in content.items() if _is_record_list(value)}
    lists |= {key: keyed_records(value) for key, value in content.items() if is_keyed(value)}
    if not lists:
        wrapped = [content[key] for key in content if key in _WRAPPERS and isinstance(content[key], dict)]
        return _record_lists(wrapped[0], name) if len(wrapped) == 1 else {name: [content]}
    key, alone = next(iter(lists.items()))
    says_nothing = len(lists) == 1 and (key in _WRAPPERS or not any(map(str.isalpha, key)))
    return {name: alone} if says_nothing else lists


def _grid(value: object) -> list[dict[str, Any]]:
    """The records of a table that JSON holds in another way; none where it does not.

    As pairs of a key and a record; as rows below one with the columns' names, whose columns hold numbers; and as data
    frames are written: `{"columns": ["a", "b"], "data": [[1, 2]]}`, `{"a": [1, 2], "b": [3, 4]}` and
    `{"a": {"0": 1, "1": 2}, "b": {"0": 3, "1": 4}}`.
    """
    if isinstance(value, dict):
        return _frame(value)
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(row, list) for row in value):
        return []
    if all(len(row) == 2 and isinstance(row[0], str | int) and isinstance(row[1], dict) for row in value):
        by_key = {str(key): record for key, record in value}
        return keyed_records(by_key) if len(by_key) == len(value) else []
    names, *rows = value
    named = len(names) > 1 and all(map(_is_text, names)) and len(set(names)) == len(names)
    if not named or any(len(row) != len(names) or not all(map(_is_value, row)) for row in rows):
        return []
    numbers = any(all(isinstance(row[place], int | float) for row in rows) for place in range(len(names)))
    return [dict(zip(names, row, strict=True)) for row in rows] if numbers else []


def _frame(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a data frame as pandas writes it, by columns or apart from their names; none where it is none."""
    columns, data = value.get("columns"), value.get("data")
    if isinstance(columns, list) and isinstance(data, list) and value.keys() <= {"columns", "index", "data"}:
        apart = all(isinstance(row, list) and len(row) == len(columns) for row in data)
        return [dict(zip(map(str, columns), row, strict=True)) for row in data] if apart else []
    held = list(value.values())
    if len(held) < 2:
        return []
    if all(isinstance(each, list) and len(each) >= KEYED and all(map(_is_value, each)) for each in held):
        same = len({len(each) for each in held}) == 1
        return [dict(zip(value, row, strict=True)) for row in zip(*held, strict=True)] if same else []
    places = list(map(str, range(len(held[0])))) if isinstance(held[0], dict) else []
    if len(places) >= KEYED and all(isinstance(each, dict) and list(each) == places for each in held):
        return [{name: each[place] for name, each in value.items()} for place in places]
    return []


def _is_value(value: object) -> bool:
    return not isinstance(value, dict | list)


def _are_alike(content: Mapping[str, Any]) -> bool:
    """Whether an object holds lists of records of one kind by many keys: {"AK": [{…}, {…}], "AL": [{…}], …}."""
    codes = len(content) > 1 and all(map(_SHORT_CODE.fullmatch, content))
    if not (codes or len(content) >= _MANY_KEYS) or not all(map(_is_record_list, content.values())):
        return False
    return max(Counter(field for held in content.values() for field in {*chain(*held)}).values()) > len(content) / 2


def _are_keyed_alike(content: Mapping[str, Any]) -> bool:
    """Whether an object holds records of one kind by keys, in groups: {"Ford": {"Focus": {…}, …}, "Fiat": {…}, …}."""
    if len(content) < KEYED or not all(isinstance(held, dict) and held for held in content.values()):
        return False
    inner = [each for held in content.values() for each in held.values()]
    if len(inner) <= len(content) or not all(isinstance(each, dict) and each for each in inner):
        return False
    fields, count = Counter(field for each in inner for field in each).most_common(1)[0]
    keys = {key for held in content.values() for key in held}
    alike = all(any(fields in each for each in held.values()) for held in content.values())
    return alike and count > _OFTEN * len(inner) and len(keys) > _OFTEN * len(inner)


def _with_keys(records: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"key": key, **record} for key, record in records.items()]


def _are_lists(content: Mapping[str, Any]) -> bool:
    """Whether an object holds some texts by each key, here more and there less: {"Ford": ["Focus", "Puma"], …}."""
    held = list(content.values())
    listed = len(held) > KEYED and all(isinstance(each, list) and each and all(map(_is_text, each)) for each in held)
    return listed and len({len(each) for each in held}) > 1


def _are_texts(content: Mapping[str, Any]) -> bool:
    """Whether an object holds a text, or a number, by each of many keys: {"AF": "Afghanistan", …}."""
    kinds = {str if isinstance(value, str) else type(value) for value in content.values()}
    return len(content) >= _MANY_TEXTS and (kinds == {str} or kinds <= {int, float})


def _without_geometry(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """GeoJSON's features as records: their properties, their id, and where they lie if that is a point.

    Altitudes that are all 0 are none.
    """
    if not all(each.get("type") == "Feature" and isinstance(each.get("properties"), dict) for each in records):
        return list(records)
    places = [_place(each.get("geometry"), "geometry") for each in records]
    if not any(place.get("altitude") for place in places):
        places = [{name: number for name, number in place.items() if name != "altitude"} for place in places]
    own = [{**({"id": each["id"]} if "id" in each else {}), **each["properties"]} for each in records]
    return [{**place, **record} for place, record in zip(places, own, strict=True)]


def _say_places(found: Mapping[str, Any]) -> None:
    """Give nodes the `index` by which links name them, as D3 writes graphs, where they have no numbers of their own."""
    nodes = found.get("nodes", ())
    for name in _LINKS & found.keys():
        links = found[name]
        if not (_is_record_list(nodes) and _is_record_list(links)) or any("id" in each for each in nodes):
            return
        ends = [each.get(end) for each in links for end in ("source", "target")]
        if all(isinstance(end, int) and 0 <= end < len(nodes) for end in ends):
            for place, node in enumerate(nodes):
                node.setdefault("index", place)


def _branches(records: Sequence[dict[str, Any]]) -> str:
    """The field that holds records in records of which some hold such records in it too; "" where there is none."""
    for field in dict.fromkeys(chain(*records)):
        inner = [each for record in records for each in _inner(record, field) if isinstance(record[field], list)]
        if any(_inner(each, field) for each in inner):
            return field
    return ""


def _without_levels(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records of a tree as one list, each with the key of the one that holds it: categories in categories.

    A tree has its records in the same field at each level, and they have keys of their own, all different.
    """
    field = _branches(records)
    if not field:
        return records
    held: list[tuple[dict[str, Any], dict[str, Any] | None]] = [(each, None) for each in records]
    for record, _ in held:  # grows
        held += [(each, record) for each in _inner(record, field)]
    nodes = [record for record, _ in held]
    keys = (key for key in _KEYS if all(isinstance(each.get(key), str | int) for each in nodes))
    key = next((key for key in keys if len({each[key] for each in nodes}) == len(nodes)), "")
    above = _ABOVE.get(field.casefold(), "parent")
    if not key or any(name.startswith(above) for each in nodes for name in each):
        return records
    above = f"{above}_{key}" if key in _KEYS[:3] else above
    own = [{name: value for name, value in each.items() if name != field} for each in nodes]
    return [
        {**each, **({above: outer[key]} if outer is not None else {})}
        for each, (_, outer) in zip(own, held, strict=True)
    ]


def _by_kind(records: list[dict[str, Any]], name: str) -> dict[str, list[dict[str, Any]]]:
    """Records of several kinds, with fields of their own, as a list of each: a dump of Django's models, by their names.

    Where what a field says names records of several kinds, they stay together.
    """
    if all(each.keys() >= {"model", "fields"} and isinstance(each["fields"], dict) for each in records):
        own = [{"id": each.get("pk"), **each["fields"], "model": each["model"]} for each in records]
        return _lists_of_kinds(own, "model")
    for field in _SAYS_KIND:
        kinds = _lists_of_kinds(records, field) if all(isinstance(each.get(field), str) for each in records) else {}
        if not 1 < len(kinds) <= _MOST_KINDS:
            continue
        always = [set.intersection(*(set(each) for each in held)).difference(_KEYS) for held in kinds.values()]
        fields = set.union(*always)
        if fields and sum(map(len, always)) <= _APART * len(kinds) * len(fields) and not _cross(kinds):
            return kinds
    return {name: records}


def _lists_of_kinds(records: Sequence[dict[str, Any]], field: str) -> dict[str, list[dict[str, Any]]]:
    """The records by what a field of theirs says, without the field; `shop.order` is called order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for each in records:
        found.setdefault(str(each[field]), []).append({key: value for key, value in each.items() if key != field})
    short = [kind.rpartition(".")[2] for kind in found]
    return dict(zip(short, found.values(), strict=True)) if len(set(short)) == len(short) else found


def _cross(kinds: Mapping[str, Sequence[dict[str, Any]]]) -> bool:
    """Whether a field holds keys of records of several kinds, as the ends of relationships do."""
    keys = {
        each[key]: kind for kind, held in kinds.items() for each in held for key in _KEYS[:2] if _is_text(each.get(key))
    }
    named: dict[tuple[str, str], set[str]] = {}
    for kind, held in kinds.items():
        for each in held:
            for field, value in each.items():
                if field not in _KEYS and _is_text(value) and value in keys:
                    named.setdefault((kind, field), set()).add(keys[value])
    return any(len(each) > 1 for each in named.values())


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _place(value: object, field: str) -> dict[str, float]:
    """The latitude and longitude that a point of GeoJSON or a pair of numbers says; none where it is no place.

    A point's third number is its altitude (RFC 7946), whatever a file counts by it.
    """
    words = field.casefold().replace("_", "")
    height: list[Any] = []
    if isinstance(value, dict) and value.get("type") == "Point" and isinstance(value.get("coordinates"), list):
        pair, height, first = value["coordinates"][:2], value["coordinates"][2:3], "longitude"
    elif isinstance(value, list) and len(value) == 2 and words in _PAIRS:
        pair, first = value, _PAIRS[words]
    else:
        return {}
    if len(pair) < 2 or not all(map(_is_number, pair)):
        return {}
    latitude, longitude = pair if first == "latitude" else pair[::-1]
    if abs(latitude) > 90 or abs(longitude) > 180:
        return {}
    above = {"altitude": height[0]} if height and _is_number(height[0]) else {}
    return {"latitude": latitude, "longitude": longitude, **above}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def record_tables(path: Path, records: Mapping[str, Any]) -> list[SourceTable]:
    """Tables of lists of records, and of the lists inside these."""
    found: dict[str, list[dict[str, Cell]]] = {}
    kinds: dict[str, str] = {}
    for name, listed in records.items():
        _flatten(name, listed, found, kinds)
    tables = []
    for table, rows in found.items():
        columns = tuple(dict.fromkeys(column for row in rows for column in row))
        coded = columns_of_codes((column, text) for row in rows for column, cell in row.items() for text in cell)
        _drop_not_available(rows, coded)
        cells = [tuple(row.get(column, ()) for column in columns) for row in rows]
        rows_of = lambda cells=cells: iter(cells)  # noqa: E731
        tables.append(SourceTable(table, path, columns, rows_of, kind=kinds.get(table, ""), nested=True))
    return tables


def json_content(path: Path, *, lines: bool) -> object:
    """A file of JSON, or the list of its `lines`; raises `BadInputError` where it is none."""
    with open_text(path) as text:
        known: Iterable[str] = text
        if not lines:
            content = "".join(text)
            try:
                return json.loads(content)
            except (ValueError, RecursionError) as error:
                if not _is_record(content.partition("\n")[0]):
                    raise BadInputError(f"not JSON ({error})", path=path) from error
                known = content.splitlines()  # a record a line under the name of .json
        records = []
        for number, line in enumerate(known, 1):
            if line.strip():
                try:
                    records.append(json.loads(line))
                except (ValueError, RecursionError) as error:
                    raise BadInputError(f"not JSON ({error})", path=path, line=number) from error
        return records


def _is_record(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _is_record_list(value: object) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def is_keyed(value: object) -> bool:
    """Whether an object holds a record by each key, {"FR": {…}, "DE": {…}}: most records share some of their fields."""
    if not isinstance(value, dict) or len(value) < KEYED or not all(isinstance(each, dict) for each in value.values()):
        return False
    fields = Counter(field for each in value.values() for field in each)
    return bool(fields) and max(fields.values()) > len(value) / 2


def keyed_records(records: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The records with their keys, which a field may hold as well."""
    shared = set.intersection(*(set(map(str, record)) for record in records.values()))
    if any(all(str(record[field]) == key for key, record in records.items()) for field in shared):
        return list(records.values())
    return [{"key": key, **record} for key, record in records.items()]


def _drop_not_available(rows: list[dict[str, Cell]], coded: set[str]) -> None:
    for row in rows:
        for column, cell in row.items():
            if NOT_AVAILABLE in cell and column not in coded:
                row[column] = tuple(text for text in cell if text != NOT_AVAILABLE)


def _measured(record: dict[str, Any], column: str) -> dict[str, Cell]:
    """`{"value": 400, "currency": "bells"}` as the columns of a value and, where it is no usual one, of its unit."""
    value, unit = (next((key for key in keys if key in record), "") for keys in (_MEASURES, _UNITS))
    if len(record) != 2 or not value or not unit or isinstance(record[value], bool | list | dict):
        return {}
    both = f"{record[value]} {record[unit]}"
    if read_value(both, "number").kind == "number":
        return {column: (both,)}
    return {column: _scalar(record[value]), f"{column}.{unit}": _scalar(record[unit])}


def _flatten(
    table: str, records: list[dict[str, Any]], found: dict[str, list[dict[str, Cell]]], kinds: dict[str, str]
) -> None:
    """Add the flat records of a table, and of the tables inside it, to `found`; to `kinds` what rows of these are."""
    rows = found.setdefault(table, [])
    records = _with_lists(records)
    things = {field: name for field in dict.fromkeys(chain(*records)) if (name := _thing(records, field))}
    for field, by in things.items():
        kinds[own := f"{table}_{field}"] = singular(field)
        named = {each[by]: each for record in reversed(records) for each in _inner(record, field)}
        _flatten(own, [{by: name, **each} for name, each in reversed(named.items())], found, kinds)
    if things:
        records = [
            {
                field: [e[things[field]] for e in _inner(record, field)] if field in things else value
                for field, value in record.items()
            }
            for record in records
        ]
    lists: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    telling = _telling(records)
    for number, record in enumerate(records, 1):
        flat: dict[str, Cell] = {}
        inner: dict[str, list[dict[str, Any]]] = {}
        _fill(flat, inner, "", record)
        if inner:
            key = next((flat[name] for name in telling if flat.get(name)), None)
            if key is None:
                key = flat["row"] = (str(number),)
            for name, children in inner.items():
                lists.setdefault(name, []).extend((key[0], child) for child in children)
        rows.append(flat)
    for name, unparted in lists.items():
        owned = _amounts_by_unit(unparted)
        own, last = f"{table}_{name.replace('.', '_')}", name.rpartition(".")[2]
        if shared := _shared(owned):
            known = {child[shared.by]: child for _, child in reversed(owned)}
            facts = [{field: each.get(field) for field in (shared.by, *shared.facts)} for each in known.values()]
            _flatten(own, facts[::-1], found, kinds)
            rest = [{k: v for k, v in child.items() if k not in (shared.by, *shared.facts)} for _, child in owned]
            links = [
                {table: key, last: child[shared.by], **each} for (key, child), each in zip(owned, rest, strict=True)
            ]
            _flatten(f"{own}_links", links, found, kinds)
            kinds[f"{own}_links"] = last
        else:
            _flatten(own, [{table: key, **child} for key, child in owned], found, kinds)
        if not any(name in row for row in rows):  # else the field holds names as well, which are something else
            kinds[own] = singular(last)


def _telling(records: Sequence[dict[str, Any]]) -> list[str]:
    """The fields by which parts of records may say whose they are: those that tell the records apart."""
    held = {key: [each[key] for each in records if isinstance(each.get(key), str | int)] for key in _KEYS}
    return [key for key, values in held.items() if len(set(values)) == len(records)]


def _amounts_by_unit(owned: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """Listed things with `{"cl": 4.5}` as an amount and its unit, where they say so of nearly all that they measure."""
    numbers = {key for _, child in owned for key, value in child.items() if isinstance(value, int | float)}
    units = {key for key in numbers if key.casefold() in _BY_UNIT}
    known = {key.casefold() for _, child in owned for key in child}
    several = any(len(units & child.keys()) > 1 for _, child in owned)  # in ounces and in grams
    if not units or several or not known.isdisjoint((*_MEASURES, *_UNITS)):
        return owned
    found = []
    for key, child in owned:
        unit = next((each for each in child if each in units and child[each] is not None), "")
        amount = {"amount": child[unit], "unit": unit} if unit else {}
        found.append((key, {**{name: value for name, value in child.items() if name not in units}, **amount}))
    return found


def _with_lists(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records with lists in place of the objects in them that have something by each code (`_listed`)."""
    changed = [dict(record) for record in records]
    for field in dict.fromkeys(chain(*records)):
        held = [record for record in changed if isinstance(record.get(field), dict)]
        inner: list[dict[str, Any]] = [record[field] for record in held]
        if inner:
            lists = _keys(inner) or _listed(inner) or _amounts(inner) or _with_lists(inner)
            for record, value in zip(held, lists, strict=True):
                record[field] = value
    return changed


def _keys(objects: Sequence[dict[str, Any]]) -> list[list[str]]:
    """The keys of objects that say of each no more than that it is there: {"779": true, "784": true}; else none."""
    values = [value for each in objects for value in each.values()]
    many = len({key for each in objects for key in each}) > KEYED
    return [list(each) for each in objects] if many and all(value is True for value in values) else []


def _listed(objects: Sequence[dict[str, Any]]) -> list[list[Any]]:
    """The values of objects whose keys are codes or places: {"AWG": {"name": …}, …}, {"nld": "Dutch"}; else none.

    Codes are many, each in few of the objects; their texts always say the same, as names of languages do: what a code
    measures, and how a thing is called in a language, stays a column by the code.
    """
    keys = Counter(key for each in objects for key in each)
    values = [value for each in objects for value in each.values()]
    records = bool(values) and all(isinstance(value, dict) for value in values)
    if records and {"0", "1"} & keys.keys() and len(keys) > 1 and all(map(_PLACE.fullmatch, keys)):
        parts = [list(each.values()) for each in objects]
        fields = list(dict.fromkeys(chain(*values)))
        return [[part[fields[0]] for part in each] for each in parts] if len(fields) == 1 else parts
    codes = all(map(_KEY_CODE.fullmatch, keys)) and len({(len(key), key.isupper()) for key in keys}) == 1
    if not codes or len(keys) < _MANY_KEYS or keys.total() > _OFTEN * len(keys) * len(objects):
        return []
    if records:
        return [[{"code": key, **value} for key, value in each.items()] for each in objects]
    said: dict[str, Counter[str]] = {}
    for each in objects:
        for key, value in each.items():
            said.setdefault(key, Counter())[value if isinstance(value, str) else ""] += 1
    same = sum(texts.most_common(1)[0][1] for texts in said.values()) >= _ALIKE * len(values)
    return [list(each.values()) for each in objects] if same and not any("" in texts for texts in said.values()) else []


class _Amount(dict[str, Any]):
    """A name and so much of it, as records that name things by the keys of an object have them."""


def _amounts(objects: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Objects with an amount or a record of each of many things: {"wood": 3, "iron nugget": 2}; else none.

    Each names few of the things that others name; what most of them name are columns.
    """
    keys = Counter(key for each in objects for key in each)
    values = [value for each in objects for value in each.values()]
    codes = all(map(_KEY_CODE.fullmatch, keys))  # of currencies, which measure
    if codes or len(keys) < _MANY_KEYS or keys.total() > _FEW_OF * len(keys) * len(objects):
        return []
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [[_Amount(name=key, amount=value) for key, value in each.items()] for each in objects]
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, dict) and "name" not in value for value in known):
        return [[{"name": key, **(value or {})} for key, value in each.items()] for each in objects]
    return []


def _thing(records: list[dict[str, Any]], field: str) -> str:
    """By what the records of a field are named, where they are things of their own: "author": {"name": …, "email": …}.

    Such things come again, with the same facts. "" where they are parts of the outer record.
    """
    inner = [each for record in records for each in _inner(record, field)]
    if any(isinstance(each, _Amount) for each in inner):
        return ""
    for key in _NAMES:
        names = [each[key] for each in inner if isinstance(each.get(key), str) and each[key].strip()]
        if not names or len(names) < len(inner) or len(set(names)) > _AGAIN * len(names):
            continue
        facts = [{k: v for k, v in each.items() if k != key and not isinstance(v, dict | list)} for each in inner]
        first = dict(zip(reversed(names), reversed(facts), strict=True))
        same = sum(first[name] == each for name, each in zip(names, facts, strict=True))
        if any(facts) and same >= _ALIKE * len(names):
            return key
    return ""


class _SharedThings(NamedTuple):
    """Things that several records list, each with facts of its own beside what the record says of it."""

    by: str
    facts: tuple[str, ...]


def _shared(owned: list[tuple[str, dict[str, Any]]]) -> _SharedThings | None:
    """What the records of lists share: {"name": "M2", "speed": 29, "amplitude": 0.7}, M2 with its speed in each list.

    The same name is the same thing where a fact of it is the same in all lists and another one for each other name:
    of two people called Ann who are both female, and of rows that are only called alike, nothing says so.
    """
    children = [child for _, child in owned]
    if all(isinstance(child, _Amount) for child in children):
        return _SharedThings("name", ())
    if any(isinstance(value, dict | list) for child in children for value in child.values()):
        return None
    for by in _NAMES:
        names = [child.get(by) for child in children]
        if not all(isinstance(name, str) and name.strip() for name in names):
            continue
        once = len({(key, child[by]) for key, child in owned}) == len(owned)
        often = [name for name, count in Counter(names).items() if count > 1]
        if not once or len(often) < KEYED or len(set(names)) > _AGAIN * len(names):
            continue
        facts, telling = [], False
        for field in dict.fromkeys(chain(*children)):
            said: dict[Any, set[Any]] = {}
            for child in children:
                said.setdefault(child[by], set()).add(child.get(field))
            if field != by and all(len(each) == 1 for each in said.values()):
                facts.append(field)
                values = {value for name in often for value in said[name] if value is not None}
                telling |= len(values) >= _ALIKE * len(often)
        if telling and len(facts) < len(children[0]) - 1:
            return _SharedThings(by, tuple(facts))
    return None


def _inner(record: dict[str, Any], field: str) -> list[dict[str, Any]]:
    """The record or records in a field; none where it holds anything else."""
    value = record.get(field)
    if isinstance(value, dict):
        return [value]
    return value if _is_record_list(value) else []


def _fill(flat: dict[str, Cell], inner: dict[str, list[dict[str, Any]]], prefix: str, record: dict[str, Any]) -> None:
    for name, value in record.items():
        column = f"{prefix}{name}"
        if place := _place(value, name):
            flat.update({f"{prefix}{part}": _scalar(number) for part, number in place.items()})
        elif isinstance(value, dict) and (measured := _measured(value, column)):
            flat.update(measured)
        elif isinstance(value, dict):
            _fill(flat, inner, f"{column}.", value)
        elif _is_record_list(value):
            inner[column] = value
        elif isinstance(value, list):
            flat[column] = tuple(text for each in value for text in _scalar(each))
        else:
            flat[column] = _scalar(value)


def _scalar(value: object) -> Cell:
    if isinstance(value, bool):
        return ("true" if value else "false",)
    if value is None or isinstance(value, list | dict | bytes):
        return ()
    return (NOT_AVAILABLE,) if value == NOT_AVAILABLE else cell_of(str(value))
