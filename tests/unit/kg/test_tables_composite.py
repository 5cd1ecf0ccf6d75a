"""Rows that are named by several columns together: which row a column leads to, and when it leads to none."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from trivium.kg.errors import BadInputError
from trivium.kg.tables.apply import Applied
from trivium.kg.tables.guess import guess_mapping
from trivium.kg.tables.mapping import Mappings, TableColumn, TableMapping, read_mapping, write_mapping
from trivium.kg.tables.reading import read_tables

TEAMS, NUMBERS = ("Reds", "Blues", "Greens"), (1, 7, 9, 23)
FIRST, LAST = ("Ann", "Bob", "Cy", "Di"), ("Adams", "Bell", "Cole")
PLAYERS = [
    (t, n, f"{f} {last}") for t, last in zip(TEAMS, LAST, strict=True) for n, f in zip(NUMBERS, FIRST, strict=True)
]
SQUAD = "team,shirt_number,name\n" + "".join(f"{t},{n},{name}\n" for t, n, name in PLAYERS)
GOALS = "minute,team,shirt_number\n" + "".join(f"{m % 9},{t},{n}\n" for m, (t, n, _) in enumerate(PLAYERS[::-1] * 2))


def _write(folder: Path, **files: str) -> list[Path]:
    paths = [folder / f"{name}.csv" for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    return paths


def _guess(folder: Path, **files: str) -> Mappings:
    return guess_mapping(read_tables(_write(folder, **files)))


def _tails(paths: list[Path], relation: str, mappings: Mappings | None = None) -> tuple[dict[str, str], Applied]:
    tables = read_tables(paths)
    applied = Applied(tables, mappings or guess_mapping(tables))
    triples = [triple for batch in applied.batches() for triple in batch]
    return {t.head: t.tail for t in triples if t.relation == relation}, applied


def test_a_number_names_a_row_within_another_column(tmp_path: Path) -> None:
    paths = _write(tmp_path, players=SQUAD, goals=GOALS)
    column = guess_mapping(read_tables(paths))["goals"].columns["shirt_number"]
    assert column == TableColumn("player", to="players.shirt_number", within=(("team", "team"),))
    tails, applied = _tails(paths, "player")
    assert (tails["goal/row1"], tails["goal/row12"]) == ("player/Di Cole", "player/Ann Adams")
    assert (len(tails), applied.unknown, applied.ambiguous) == (24, {}, {})


def test_columns_beside_it_may_be_called_as_what_names_the_row(tmp_path: Path) -> None:
    rows = [(a, b) for a in PLAYERS for b in PLAYERS if a[0] != b[0]]
    head = "home_team,home_shirt_number,away_team,away_shirt_number\n"
    matches = head + "".join(f"{a[0]},{a[1]},{b[0]},{b[1]}\n" for a, b in rows)
    paths = _write(tmp_path, players=SQUAD, matches=matches)
    mappings = guess_mapping(read_tables(paths))
    column = mappings["matches"].columns["away_shirt_number"]
    assert (column.relation, column.within) == ("away_player", (("away_team", "team"),))
    written = tmp_path / "m.toml"
    written.write_text(write_mapping(mappings))
    assert 'within = { away_team = "team" }' in written.read_text()
    assert read_mapping(written, read_tables(paths)) == mappings
    tails, _ = _tails(paths, "away_player", mappings)
    assert tails["match/row1"] == f"player/{rows[0][1][2]}"
    for setting, message in (
        ('{ away_club = "team" }', r"away_shirt_number: within: \[matches\] has no column 'away_club'"),
        ('{ away_team = "club" }', r"\[players\] has no column 'club'; there are: team, shirt_number, name"),
        ("[]", "within is a list of columns"),
    ):
        written.write_text(write_mapping(mappings).replace('{ away_team = "team" }', setting))
        with pytest.raises(BadInputError, match=message):
            read_mapping(written, read_tables(paths))


def test_lines_of_orders_and_their_parents(tmp_path: Path) -> None:
    lines = [(o, n) for o in range(101, 121) for n in range(1, 4)]
    order_lines = "order_id,line_no,product,parent_line_no\n" + "".join(
        f"{o},{n},{FIRST[n]},{n - 1 or ''}\n" for o, n in lines
    )
    shipments = "shipment_id,order_id,line_no\n" + "".join(f"{i},{o},{n}\n" for i, (o, n) in enumerate(lines[::-2]))
    orders = "order_id,customer\n" + "".join(f"{o},Ann Bell\n" for o in range(101, 121))
    paths = _write(tmp_path, orders=orders, order_lines=order_lines, shipments=shipments)
    assert _tails(paths, "line")[0]["shipment/1"] == "order_line/row58"
    parents, _ = _tails(paths, "parent_line")
    assert (parents["order_line/row6"], len(parents)) == ("order_line/row5", 40)
    assert guess_mapping(read_tables(paths))["shipments"].columns["order_id"].to == "orders.order_id"


def test_three_columns_together(tmp_path: Path) -> None:
    rows = [
        (s, t, n, f"{f} {s % 7}{t}") for s in (2019, 2020) for t in TEAMS for n, f in zip(NUMBERS, FIRST, strict=True)
    ]
    squads = "season,team,shirt_number,player\n" + "".join(f"{s},{t},{n},{name}\n" for s, t, n, name in rows)
    cards = "card_id,season,team,shirt_number\n" + "".join(
        f"{i},{s},{t},{n}\n" for i, (s, t, n, _) in enumerate(rows * 2)
    )
    column = _guess(tmp_path, squads=squads.replace("player", "name"), cards=cards)["cards"].columns["shirt_number"]
    assert column.within == (("season", "season"), ("team", "team"))


@pytest.mark.parametrize(
    ("why", "files"),
    [
        (
            "years that two tables share",
            {
                "films": "title,year,number\n" + "".join(f"Film {n},{1990 + n % 5},{n // 5 + 1}\n" for n in range(50)),
                "cars": "maker,year,number\n" + "".join(f"Fiat,{1990 + n % 5},{n // 5 + 1}\n" for n in range(30)) * 2,
            },
        ),
        (
            "each counts its own from 1",
            {
                "invoices": "customer,number,total\n" + "".join(f"{c},{n},5\n" for c in FIRST for n in range(1, 21)),
                "calls": "customer,number,minutes\n" + "".join(f"{c},{n},9\n" for c in FIRST for n in range(1, 11)),
            },
        ),
        (
            "two tables of the same things",
            {
                "results": "team,shirt_number,points\n" + "".join(f"{t},{n},{n % 5}\n" for t, n, _ in PLAYERS),
                "players": SQUAD.replace(",name", ",kind"),
            },
        ),
        (
            "a row is named by its own key",
            {
                "players": "player_id,team,shirt_number,name\n"
                + "".join(f"P-{i * 7},{t},{n},{name}\n" for i, (t, n, name) in enumerate(PLAYERS)),
                "goals": "goal_id,player_id,team,shirt_number\n"
                + "".join(f"{90 + i},P-{i * 7},{t},{n}\n" for i, (t, n, _) in enumerate(PLAYERS)),
            },
        ),
    ],
)
def test_what_is_no_key_of_several_columns(tmp_path: Path, why: str, files: dict[str, str]) -> None:
    found = _guess(tmp_path, **files)
    assert not any(column.within for table in found.values() for column in table.columns.values()), why


def test_an_empty_part_names_no_row(tmp_path: Path) -> None:
    mappings = guess_mapping(read_tables(_write(tmp_path, players=SQUAD, goals=GOALS)))
    players, goals = SQUAD.replace("Reds,1,", ",1,"), GOALS.replace("\n0,Greens,23", "\n0,,1")
    paths = _write(tmp_path, players=players, goals=goals)
    tails, applied = _tails(paths, "player", mappings)
    assert "goal/row1" not in tails, "whose team nobody knows is not the player whose team nobody knows"
    assert applied.unknown == {"goals.shirt_number": 3}


def test_a_name_of_several_rows_leads_to_none_and_is_counted(tmp_path: Path) -> None:
    customers = "customer_id,name\n" + "".join(f"{n},{name}\n" for n, (_, _, name) in enumerate([*PLAYERS, PLAYERS[0]]))
    named = enumerate([name for _, _, name in PLAYERS] * 3)
    orders = "order_id,customer\n" + "".join(f"{100 + n},{name}\n" for n, name in named)
    paths, lines = _write(tmp_path, customers=customers, orders=orders), list[str]()
    mappings = guess_mapping(read_tables(paths), lines.append)
    assert mappings["orders"].columns["customer"].to != "customers.name"
    assert lines == [
        "orders.customer: not linked to customers.name, since 1 name there stands in several rows, and no column "
        "that both tables have tells these apart"
    ]
    columns = {"customer": TableColumn("customer", to="customers.name")}
    edited = {**mappings, "orders": TableMapping("orders.csv", "order", "order_id", columns=columns)}
    tails, applied = _tails(paths, "customer", edited)
    assert applied.ambiguous == {("orders.customer", "customers.name"): 3}
    assert (len(tails), tails["order/101"]) == (33, "customer/1")
    assert "order/100" not in tails, "two customers are called Ann Adams"


def test_a_key_of_two_columns_that_a_database_declares(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "club.db")) as database:
        database.executescript(
            "create table place(hall text, seat integer, kind text, primary key (hall, seat));"
            "create table visit(visit_id integer primary key, room text, chair integer,"
            "  foreign key (room, chair) references place);"
            "insert into place values ('A', 1, 'box'), ('A', 2, 'stall'), ('B', 1, 'box'), ('B', 2, 'stall');"
            "insert into visit values (33, 'B', 2), (12, 'A', 2), (13, 'B', 1);"
        )
    tables = read_tables([tmp_path / "club.db"])
    column = guess_mapping(tables)["visit"].columns["chair"]
    assert (column.to, column.within) == ("place.seat", (("room", "hall"),))
    tails, _ = _tails([tmp_path / "club.db"], column.relation)
    assert [tails[f"visit/{n}"] for n in (33, 12, 13)] == ["place/row4", "place/row2", "place/row3"]
