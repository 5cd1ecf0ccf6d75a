"""What a KG asks itself, and what its own questions leave out."""

from __future__ import annotations

from pathlib import Path

from trivium.kg.embedded import build
from trivium.kg.types import Entity, Triple, ValueText
from trivium.knowledge.knowledge import Knowledge
from trivium.knowledge.written_questions import UNANSWERABLE, write_questions
from trivium.policies.reader.english import english

_PLAYERS = [(f"Player {name}", f"{club} United") for name, club in zip("ABCDEFGH", "XXYYZZXY", strict=True)]


def _kg(folder: Path) -> Knowledge:
    triples = [Triple(player, "plays_in_club", club) for player, club in _PLAYERS]
    triples += [Triple(club, "plays_in_club_inverse", player) for player, club in _PLAYERS]
    triples += [Triple("Player A", "spouse", "Pat Moss"), Triple("Player B", "spouse", "Lee Hart")]
    types = {player: ("person",) for player, _ in _PLAYERS} | {"Pat Moss": ("person",), "Lee Hart": ("person",)}
    types |= {club: ("club",) for _, club in _PLAYERS}
    build(folder, [triples], [Entity(key, key, (), kinds) for key, kinds in types.items()])
    return Knowledge.open(folder)


async def test_nobody_asks_by_a_mirrored_relation_and_some_is_never_there(tmp_path: Path) -> None:
    kg = _kg(tmp_path / "kg")
    try:
        asked = await write_questions(kg.store, 60, unanswerable=0.5)
        assert {each.kind for each in asked} >= {"relation", "inverse", UNANSWERABLE}
        assert not [each.question for each in asked if "inverse" in each.question]
        unanswerable = [each for each in asked if each.kind == UNANSWERABLE]
        assert unanswerable
        assert all(not each.answers for each in unanswerable)
        assert any(noun in each.question for each in unanswerable for noun in english().foreign)
    finally:
        await kg.close()


async def test_columns_are_asked_for_by_what_they_measure_and_names_and_keys_not_at_all(tmp_path: Path) -> None:
    values = {"object_name": "Track {}", "milliseconds": "{}1000", "genre_id": "{}"}
    triples = [
        Triple(f"t{number}", name, ValueText(text.format(number), "text" if name == "object_name" else "number"))
        for number in range(1, 9)
        for name, text in values.items()
    ]
    build(tmp_path / "kg", [triples], [Entity(f"t{number}", "", (), ("track",)) for number in range(1, 9)])
    kg = Knowledge.open(tmp_path / "kg")
    try:
        asked = [each.question for each in await write_questions(kg.store, 40, unanswerable=0)]
        assert any(question.startswith("what is the duration of Track ") for question in asked)
        assert "which track has the highest duration?" in asked
        assert any(" have a duration above " in each and each.endswith("000 milliseconds?") for each in asked)
        assert not any("object name" in question or "highest genre" in question for question in asked)
    finally:
        await kg.close()
