"""Columns that say one thing several times, by numbers, are one relation; figures beside them keep them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.kg.tables.apply import Applied
from trivium.kg.tables.guess import guess_mapping
from trivium.kg.tables.reading import read_tables

PEOPLE = "name,town\n" + "".join(
    f"{name},{town}\n"
    for name, town in zip(("Ann Ash", "Bo Birch", "Cy Cole", "Di Dunn", "Ed Eck"), ("Ayr", "Ely") * 3, strict=False)
)
NAMES = [line.partition(",")[0] for line in PEOPLE.splitlines()[1:]]


def _series(more: str = "", figures: str = "") -> str:
    rows = [(NAMES[n % 5], NAMES[(n + 1) % 5], NAMES[(n + 2) % 5]) for n in range(10)]
    own = figures.count(",")
    numbers = [",".join([""] + [str(n * 3 % 7 + at) for at in range(own)]) for n in range(10)]
    return f"season,winner,runner_up_1,runner_up_2{figures}{more}\n" + "".join(
        f"Season {n},{','.join(row)}{numbers[n]}\n" for n, row in enumerate(rows)
    )


def _read(tmp_path: Path, series: str) -> tuple[dict[str, str], set[tuple[str, str]]]:
    for name, text in (("people", PEOPLE), ("series", series)):
        (tmp_path / f"{name}.csv").write_text(text)
    tables = read_tables([tmp_path / "people.csv", tmp_path / "series.csv"])
    mappings = guess_mapping(tables)
    relations = {name: column.relation for name, column in mappings["series"].columns.items()}
    triples = [triple for batch in Applied(tables, mappings).batches() for triple in batch]
    return relations, {(t.head, t.tail) for t in triples if t.relation == "runner_up"}


def test_numbered_columns_that_name_the_same_rows_are_one_relation(tmp_path: Path) -> None:
    relations, stated = _read(tmp_path, _series())
    assert (relations["runner_up_1"], relations["runner_up_2"]) == ("runner_up", "runner_up")
    assert {tail for head, tail in stated if head.endswith("/Season 0")} == {"person/Bo Birch", "person/Cy Cole"}


@pytest.mark.parametrize("figures", [",score_1,score_2", ",points1,points2"])
def test_numbers_that_tell_whose_a_figure_is_stay(tmp_path: Path, figures: str) -> None:
    relations, _ = _read(tmp_path, _series(figures=figures))
    assert (relations["runner_up_1"], relations["runner_up_2"]) == ("runner_up_1", "runner_up_2")


def test_numbered_figures_are_facts_of_their_own(tmp_path: Path) -> None:
    relations, _ = _read(tmp_path, _series(figures=",exam_1,exam_2"))
    assert (relations["exam_1"], relations["exam_2"]) == ("exam_1", "exam_2")


def test_things_without_a_table_are_one_kind(tmp_path: Path) -> None:
    genres = ("Crime", "Drama", "Satire", "Fantasy")
    rows = [f"Book {n},{genres[n % 4]},{genres[(n + 1) % 4]}" for n in range(12)]
    (tmp_path / "books.csv").write_text("title,genre1,genre2\n" + "\n".join(rows) + "\n")
    columns = guess_mapping(read_tables([tmp_path / "books.csv"]))["books"].columns
    assert [(columns[name].relation, columns[name].to) for name in ("genre1", "genre2")] == [("genre", "genre")] * 2


def test_levels_of_a_hierarchy_stay_apart(tmp_path: Path) -> None:
    wide, narrow = ("Road", "Mountain"), ("Elite", "Endurance", "Trail", "Race")
    rows = [f"Bike {n},{wide[n % 4 // 2]},{narrow[n % 4]}" for n in range(12)]
    (tmp_path / "bikes.csv").write_text("model,category1,category2\n" + "\n".join(rows) + "\n")
    columns = guess_mapping(read_tables([tmp_path / "bikes.csv"]))["bikes"].columns
    assert [columns[name].relation for name in ("category1", "category2")] == ["category_1", "category_2"]
