"""Records of JSON: what they say that they are, their names in other languages, acronyms in names of fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trivium.kg.tables.apply import Applied
from trivium.kg.tables.guess import guess_mapping
from trivium.kg.tables.mapping import Mappings, TableMapping
from trivium.kg.tables.reading import read_tables
from trivium.kg.types import Entity

TOWNS = ("Bern", "Chur", "Sion", "Thun")


def _mappings(folder: Path, name: str, records: list[dict[str, Any]]) -> Mappings:
    path = folder / name
    path.write_text(json.dumps(records))
    return guess_mapping(read_tables([path]))


def _stations(**fields: Any) -> list[dict[str, Any]]:
    parts = [{"code": "A", "level": 1}, {"code": "B", "level": 2}]
    return [{"id": 40 + n, "name": town, **fields, "tracks": parts[n % 2 :]} for n, town in enumerate(TOWNS)]


@pytest.mark.parametrize(
    ("name", "fields", "kind"),
    [
        ("full.json", {"type": "station"}, "station"),
        ("data.json", {"kind": "rail#trainStations"}, "train station"),
        ("items.json", {"record_type": "Station"}, "station"),
        ("full.json", {"type": "node"}, "full"),  # says nothing either
        ("full.json", {"type": "A1"}, "full"),
        ("full.json", {"state": "station"}, "full"),
        ("halts.json", {"type": "station"}, "halt"),
    ],
)
def test_records_of_files_that_say_nothing_are_what_they_say(
    tmp_path: Path, name: str, fields: dict[str, str], kind: str
) -> None:
    table, *parts = _mappings(tmp_path, name, _stations(**fields)).values()
    assert table.type == kind
    stem = Path(name).stem
    assert [each.columns[stem].relation for each in parts] == [stem if stem == "halts" else kind.replace(" ", "_")]


def test_kinds_that_differ_name_no_table(tmp_path: Path) -> None:
    records = [{**each, "type": "halt" if each["id"] > 42 else "station"} for each in _stations()]
    assert _mappings(tmp_path, "full.json", records)["full"].type == "full"


def test_a_field_that_says_of_all_what_they_are_is_left_out(tmp_path: Path) -> None:
    place = {"type": "place", "height": 3, "line": {"type": "metro", "kind": "B"}}
    records = [
        {**each, "place": {**place, "height": n}, "sheet": "Stations", "color": "Station"}
        for n, each in enumerate(_stations(type="station"))
    ]
    columns = _mappings(tmp_path, "full.json", records)["full"].columns
    skipped = {name for name, column in columns.items() if column.skipped}
    assert {"type", "place.type", "sheet"} <= skipped
    assert skipped.isdisjoint({"color", "place.height", "place.line.type", "place.line.kind"})


FISH = [
    ("bass", "Barsch", "bar", "スズキ"),
    ("carp", "Karpfen", "carpe", "コイ"),
    ("dab", "Kliesche", "limande", "ニシマガレイ"),
]
KEYS = [("en", "de", "fr", "ja"), ("en_US", "de_DE", "fr_FR", "ja_JP"), ("USen", "EUde", "EUfr", "JPja")]
KEYS += [("uSen", "eUde", "eUfr", "jPja"), ("en-us", "de-de", "fr-fr", "ja-jp")]


def _fish(keys: tuple[str, ...], **fields: str) -> list[dict[str, Any]]:
    return [
        {"name": each[0], "size": n, "translations": {**dict(zip(keys, each, strict=True)), "plural": n > 1, **fields}}
        for n, each in enumerate(FISH)
    ]


def _named(mapping: TableMapping) -> set[str]:
    return {column.relation for name, column in mapping.columns.items() if name in mapping.alias}


@pytest.mark.parametrize("keys", KEYS)
def test_translations_of_names_are_names(tmp_path: Path, keys: tuple[str, ...]) -> None:
    fish = _mappings(tmp_path, "fish.json", _fish(keys))["fish"]
    assert (fish.id, fish.label) == ("name", ("name",))
    assert _named(fish) == {"german_name", "french_name", "japanese_name"}
    assert fish.columns[f"translations.{keys[0]}"].skipped


def test_translations_of_something_else_are_texts_of_these(tmp_path: Path) -> None:
    calls = [dict(zip(("uSen", "eUde", "eUfr"), (f"{w} hey", f"{w} hallo", f"{w} salut"), strict=True)) for w in "abc"]
    records = [{"name": each[0], "calls": call} for each, call in zip(FISH, calls, strict=True)]
    fish = _mappings(tmp_path, "fish.json", records)["fish"]
    assert fish.alias == ()
    assert fish.columns["calls.eUde"].relation == "german_calls"


def test_what_is_no_language_is_no_name(tmp_path: Path) -> None:
    keys = ("name", "mail", "town", "site")
    fish = _mappings(tmp_path, "fish.json", _fish(keys))["fish"]
    assert fish.alias == ()


def test_a_name_in_another_language_is_not_taken_from_what_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "cats.json"
    names = [("Bob", "Robert", "Roberto"), ("Kid", "Bob", "Chico"), ("Tom", "Tomas", "tom")]
    records = [{"name": en, "names": {"en": en, "de": de, "es": es}} for en, de, es in names]
    path.write_text(json.dumps(records))
    tables = read_tables([path])
    applied = Applied(tables, guess_mapping(tables))
    list(applied.batches())
    assert list(applied.entities()) == [
        Entity("cat/Bob", "Bob", ("Robert", "Roberto"), ("cat",)),
        Entity("cat/Kid", "Kid", ("Chico",), ("cat",)),
        Entity("cat/Tom", "Tom", ("Tomas", "tom"), ("cat",)),
    ]


@pytest.mark.parametrize(
    ("beside", "name", "words"),
    [
        ("hasDBLounge", "DBinformation", "db_information"),
        ("hasDBLounge", "DXinformation", "d_xinformation"),
        ("is_DB", "DBinfo", "db_info"),
        ("lounge", "DBinformation", "d_binformation"),
    ],
)
def test_capitals_that_other_names_have_stay_together(tmp_path: Path, beside: str, name: str, words: str) -> None:
    records = [{**each, beside: n % 2 > 0, name: n} for n, each in enumerate(_stations())]
    assert _mappings(tmp_path, "halts.json", records)["halts"].columns[name].relation == words


def test_a_level_that_a_field_repeats_is_said_once(tmp_path: Path) -> None:
    line = {"line": "Coast", "lineColor": "red", "lineSpeed": 80, "speed": 60}
    records = [{**each, "line": {**line, "line": f"Coast {n}"}} for n, each in enumerate(_stations())]
    columns = _mappings(tmp_path, "halts.json", records)["halts"].columns
    assert columns["line.line"].relation == "line"
    assert columns["line.lineColor"].relation == "line_color"
    assert columns["line.lineSpeed"].relation == "line_line_speed", "another one is called so"


def test_lists_of_numbers_beside_lists_of_their_names_are_left_out(tmp_path: Path) -> None:
    things = [(7 * n + 3, f"thing {n}") for n in range(12)]
    rooms = [{"name": f"Room {n}", "held": [things[n % 12], things[(n * 5 + 1) % 12]]} for n in range(30)]
    records = [
        {"name": each["name"], "thingList": [n for n, _ in each["held"]], "thingNameList": [t for _, t in each["held"]]}
        for each in rooms
    ]
    columns = _mappings(tmp_path, "rooms.json", records)["rooms"].columns
    assert columns["thingList"].skipped
    assert not columns["thingNameList"].skipped
    for number, each in enumerate(records):  # what is measured of each thing
        each["thingList"] = [number, number + 40]
    assert not _mappings(tmp_path, "rooms.json", records)["rooms"].columns["thingList"].skipped


@pytest.mark.parametrize(("first", "kept"), [(8000230, True), (100000, True), (99998, False), (1, False)])
def test_numbers_that_are_too_long_for_counting_rows_can_be_asked_for(tmp_path: Path, first: int, kept: bool) -> None:
    records = [{**each, "id": first + n} for n, each in enumerate(_stations())]
    halts = _mappings(tmp_path, "halts.json", records)["halts"]
    assert (halts.id, halts.label, not halts.columns["id"].skipped) == ("id", ("name",), kept)


def test_names_in_an_object_of_their_own(tmp_path: Path) -> None:
    models = ("DELL Streak", "HTC Desire HD", "Kyocera Digno", "Sharp Aquos", "G Watch")
    records = [
        {"code": f"00{n}DL", "name": {"id": name, "long": f"00{n}DL"}, "ram": 512} for n, name in enumerate(models)
    ]
    (path := tmp_path / "devices.json").write_text(json.dumps(records))
    tables = read_tables([path])
    applied = Applied(tables, guess_mapping(tables))
    assert [triple for batch in applied.batches() for triple in batch]
    assert {each.label for each in applied.entities() if "device" in each.types} == set(models)
