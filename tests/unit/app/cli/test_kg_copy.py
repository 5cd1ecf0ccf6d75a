from __future__ import annotations

from pathlib import Path

import pytest

import trivium.policies.reader.chains.teaching as keqing_teaching
from tests.unit.app.cli.running import Trivium, refused
from trivium.app.cli.kg import writing
from trivium.app.cli.kg.writing import exchange
from trivium.kg.errors import BusyError
from trivium.knowledge import knowledge
from trivium.policies.reader.chains.artifact import DECOMPOSER


@pytest.fixture
def other(trivium: Trivium, kg: Path) -> Path:
    (kg.parent / "other.tsv").write_text("a\tknows\tb\n")
    assert trivium("kg", "build", "--out", kg.parent / "other", kg.parent / "other.tsv").code == 0
    return kg.parent / "other"


def test_a_copy_has_the_same_triples_and_names(trivium: Trivium, kg: Path) -> None:
    said = trivium("kg", "copy", kg, kg.parent / "copy", "--json")
    assert (said.code, said.err) == (0, "")
    copied, own = (trivium("kg", "info", each, "--json").json for each in (kg.parent / "copy", kg))
    assert copied == own
    assert said.json.items() <= own.items()
    found = trivium("kg", "find", kg.parent / "copy", "nostromo", "--json").json
    assert found == trivium("kg", "find", kg, "nostromo", "--json").json
    assert trivium("kg", "verify", kg.parent / "copy").out == "ok\n"


@pytest.mark.usefixtures("without_torch")
def test_what_was_learnt_is_said_to_stay(trivium: Trivium, kg: Path) -> None:
    pairs = kg.parent / "pairs.jsonl"
    pairs.write_text('{"question": "whose film is Alien?", "chain": ["directed_by"], "answers": ["scott"]}\n')
    assert trivium("learn", "keqing", "--kg", kg, "--questions", pairs).code == 0
    said = trivium("kg", "copy", kg, kg.parent / "copy", "--write")
    assert said.code == 0
    assert f"trivium learn keqing --kg {kg.parent / 'copy'}" in said.err
    (line,) = trivium("learn", "versions", "--kg", kg.parent / "copy").out.splitlines()
    assert "0 pairs" in line, "a copy learns from its schema"


def test_words_templates_and_adapters_are_said_to_stay(trivium: Trivium, kg: Path, tmp_path: Path) -> None:
    copies = iter(range(9))

    def said() -> str:
        done = trivium("kg", "copy", kg, tmp_path / f"copy{next(copies)}", "--write")
        assert done.code == 0
        return done.err

    assert "stays with" not in said()
    for name in ("keqing/written.json", "lora/decompose/lora.json", "lora/reason/lora.json"):
        (kg / name).parent.mkdir(parents=True, exist_ok=True)
        (kg / name).write_text("{}")
        assert "what pairs, synonyms or a model taught stays with" in said(), name
        (kg / name).unlink()
    (tmp_path / "words.txt").write_text("directed_by = helmed\n")
    assert trivium("learn", "keqing", "--kg", kg, "--synonyms", tmp_path / "words.txt").code == 0
    assert "what pairs, synonyms or a model taught stays with" in said()
    assert trivium("learn", "keqing", "--kg", kg, "--forget-synonyms").code == 0
    assert "stays with" not in said()
    (kg / "keqing" / "versions" / "0001" / "version.json").write_text("[")
    assert "stays with" in said(), "a damaged version fails no copy"


def test_a_kg_of_many_relations_is_left_to_learn_keqing(trivium: Trivium, tmp_path: Path) -> None:
    for relations in (500, 501):
        lines = [f"a{i}\tnumber {i}\tb{i}\n" for i in range(relations)]
        (tmp_path / "triples.tsv").write_text("".join(lines))
        said = trivium("kg", "build", "--out", tmp_path / f"kg{relations}", tmp_path / "triples.tsv", "--json")
        assert (said.code, said.json["relations"]) == (0, relations)
    assert "0 pairs" in trivium("learn", "versions", "--kg", tmp_path / "kg500").out
    assert trivium("learn", "versions", "--kg", tmp_path / "kg501").out == "nothing learned yet\n"


@pytest.mark.parametrize("error", [BusyError("another process writes"), OSError("no space left"), MemoryError("8 GiB")])
def test_a_build_stands_though_learning_fails(
    trivium: Trivium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(keqing_teaching, "teach", fail)
    (tmp_path / "triples.tsv").write_text("a\tknows\tb\n")
    said = trivium("kg", "build", "--out", tmp_path / "kg", tmp_path / "triples.tsv", "--json")
    assert (said.code, said.json["triples"]) == (0, 1)
    assert f"Keqing has not learned it ({type(error).__name__}: {error})" in said.err
    assert f"trivium learn keqing --kg {tmp_path / 'kg'}" in said.err
    assert "indexes" not in said.err
    assert trivium("kg", "verify", tmp_path / "kg").out == "ok\n"


def test_a_kg_is_replaced_only_when_asked(trivium: Trivium, kg: Path, other: Path) -> None:
    before = sorted(path.name for path in kg.parent.iterdir())
    refused(trivium("kg", "copy", kg, other), "KnowledgeBaseExistsError", "--replace")
    assert trivium("kg", "info", other, "--json").json["triples"] == 1
    assert trivium("kg", "copy", kg, other, "--replace").code == 0
    assert trivium("kg", "info", other, "--json").json == trivium("kg", "info", kg, "--json").json
    assert sorted(path.name for path in kg.parent.iterdir()) == before


def test_a_replacement_has_learned_before_it_is_seen(
    trivium: Trivium, kg: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[bool]()

    def watched(beside: Path, target: Path) -> None:
        seen.extend(DECOMPOSER.exists(folder / "keqing") for folder in (beside, target))
        exchange(beside, target)

    monkeypatch.setattr(writing, "exchange", watched)
    assert trivium("kg", "copy", kg, other, "--replace").code == 0
    assert seen == [True, True], "whoever asks meanwhile finds what was learned, before and after"
    assert DECOMPOSER.exists(other / "keqing")


def test_what_had_taught_a_replaced_kg_is_said_to_go(trivium: Trivium, kg: Path, other: Path) -> None:
    assert "went with" not in trivium("kg", "copy", kg, other, "--replace").err
    (other.parent / "words.txt").write_text("directed_by = helmed\n")
    assert trivium("learn", "keqing", "--kg", other, "--synonyms", other.parent / "words.txt").code == 0
    said = trivium("kg", "copy", kg, other, "--replace")
    assert said.code == 0
    assert f"had taught {other} went with the KG that was replaced" in said.err
    assert f"trivium learn keqing --kg {other}" in said.err


@pytest.mark.parametrize("error", [BusyError("another process writes"), OSError("no space left"), MemoryError("8 GiB")])
def test_a_learned_kg_is_not_replaced_by_one_that_could_not_learn(
    trivium: Trivium, kg: Path, other: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    before = trivium("kg", "info", other, "--json").json
    with monkeypatch.context() as patched:
        patched.setattr(keqing_teaching, "teach", fail)
        said = trivium("kg", "copy", kg, other, "--replace")
        refused(said, "NotLearnedError", f"({type(error).__name__}: {error})", str(other), "--unlearned")
        assert trivium("kg", "info", other, "--json").json == before
        assert DECOMPOSER.exists(other / "keqing")
        assert not (other.parent / ".other.replacing").exists()
        forced = trivium("kg", "copy", kg, other, "--replace", "--unlearned")
        assert forced.code == 0
        assert f"trivium learn keqing --kg {other}" in forced.err
        assert not DECOMPOSER.exists(other / "keqing")
        assert trivium("kg", "copy", kg, other, "--replace").code == 0, "what has not learned has nothing to lose"
    assert trivium("kg", "info", other, "--json").json == trivium("kg", "info", kg, "--json").json


def test_a_copy_too_large_to_learn_by_itself_learns_where_it_replaces_what_has_learned(
    trivium: Trivium, kg: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge, "_TRIPLES_LEARNT", 3)
    assert trivium("kg", "copy", kg, kg.parent / "new").code == 0
    assert not DECOMPOSER.exists(kg.parent / "new" / "keqing")
    assert trivium("kg", "copy", kg, other, "--replace").code == 0
    assert DECOMPOSER.exists(other / "keqing")


def test_unlearned_alone_is_refused(trivium: Trivium, kg: Path) -> None:
    refused(trivium("kg", "copy", kg, kg.parent / "new", "--unlearned"), "UsageError", "--replace", code=2)


def test_what_a_killed_replacement_left_is_removed(trivium: Trivium, kg: Path, other: Path) -> None:
    (other.parent / ".other.replacing").mkdir()
    (other.parent / ".other.replacing" / "half").write_text("")
    assert trivium("kg", "copy", kg, other, "--replace").code == 0
    assert not (other.parent / ".other.replacing").exists()


def test_a_failed_replacement_leaves_the_old_kg(trivium: Trivium, kg: Path, other: Path) -> None:
    assert trivium("kg", "remove", kg, kg.parent / "triples.tsv").code == 0  # an empty KG is not built
    before = trivium("kg", "info", other, "--json").json
    refused(trivium("kg", "copy", kg, other, "--replace"), "BadInputError", "no triples")
    assert trivium("kg", "info", other, "--json").json == before
    assert not (other.parent / ".other.replacing").exists()


def test_replacing_through_a_link_keeps_the_link(trivium: Trivium, kg: Path, other: Path) -> None:
    link = kg.parent / "link"
    link.symlink_to(other, target_is_directory=True)
    assert trivium("kg", "copy", kg, link, "--replace").code == 0
    assert link.is_symlink()
    assert trivium("kg", "info", other, "--json").json["triples"] == 7


def test_a_folder_of_other_things_is_never_replaced(trivium: Trivium, kg: Path) -> None:
    plain = kg.parent / "plain"
    plain.mkdir()
    (plain / "letter").write_text("dear")
    refused(trivium("kg", "copy", kg, plain, "--replace"), "KnowledgeBaseExistsError", str(plain))
    refused(trivium("kg", "copy", kg, kg, "--replace"), "UsageError", "name another folder", code=2)
    assert (plain / "letter").read_text() == "dear"


def test_exchange_swaps_two_folders(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "name").write_text(name)
    exchange(tmp_path / "one", tmp_path / "other")
    assert (tmp_path / "one" / "name").read_text() == "other"
    assert (tmp_path / "other" / "name").read_text() == "one"
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "one", tmp_path / "missing")
