"""Learning on a KG directory: what is kept, what is refused, and that a failed lesson leaves the old one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.films import pairs
from trivium.kg.embedded import build
from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedded.verify import verify
from trivium.kg.errors import BadInputError, BusyError
from trivium.kg.loaders.questions import Question, parse_question
from trivium.kg.manifest import read_manifest
from trivium.kg.store import GraphStore
from trivium.kg.types import Hop, Triple, parse_chain
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.artifact import load_decomposer
from trivium.policies.reader.chains.decomposer import Decomposition
from trivium.policies.reader.chains.learning import Learnt, all_templates, learn
from trivium.policies.reader.chains.teaching import teach
from trivium.policies.reader.chains.templates import QuestionTemplate

TINY = [
    Triple("heat", "directed_by", "mann"),
    Triple("ali", "directed_by", "mann"),
    Triple("alien", "directed_by", "scott"),
]


class _Counted:
    """A store that counts what it is asked: on a server each call is a round trip."""

    def __init__(self, store: GraphStore) -> None:
        self.store, self.asked = store, 0

    def __getattr__(self, name: str) -> object:
        self.asked += 1
        found: object = getattr(self.store, name)
        return found


@pytest.fixture
def copy(films_kg: Path, tmp_path: Path) -> Iterator[Knowledge]:
    shutil.copytree(films_kg, tmp_path / "films")
    base = Knowledge.open(tmp_path / "films")
    yield base
    base.store.close_now()


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Knowledge]:
    build(tmp_path / "tiny", [TINY])
    base = Knowledge.open(tmp_path / "tiny")
    yield base
    base.store.close_now()


def _question(text: str, *chain: str, answers: tuple[str, ...] = ()) -> Question:
    return parse_question({"question": text, "chain": list(chain), "answers": list(answers)}, "1")


def test_every_pair_of_the_films_taught(films_learnt: tuple[Path, Learnt]) -> None:
    folder, learnt = films_learnt
    of_values = [pair for pair in pairs() if "^release_year" in pair.get("chain", ())]
    assert (learnt.pairs, learnt.left_out) == (len(pairs()) - len(of_values), len(of_values)), "a year is no entity"
    assert 0 < learnt.wordings <= learnt.pairs
    assert learnt.seconds > 0
    texts = [template.text for template in learnt.templates]
    assert len(texts) == len(set(texts))
    assert {str(hop) for hop in learnt.decomposer.phrases} >= {"directed_by", "^directed_by", "starring", "^starring"}
    derived = read_manifest(folder).derived
    assert any(name.startswith("keqing/decomposer-") for name in derived)
    assert {"keqing/decomposer.json", "templates/templates.json"} <= set(derived)


def test_a_taught_kg_is_whole(films_kg: Path) -> None:
    assert verify(films_kg) == []
    (films_kg / "keqing" / "decomposer.json").stat()
    assert read_manifest(films_kg).triples == 65


async def test_from_the_schema_alone(tiny: Knowledge) -> None:
    stages: set[str] = set()
    learnt = await teach(tiny, None, lambda stage, done, total: stages.add(stage))
    assert (learnt.pairs, learnt.left_out) == (0, 0)
    assert "read the schema" in stages
    assert "train" not in stages, "there is nothing to train on"
    found = await load_decomposer(tiny.learnt, tiny.embedder).decompose("who directed heat?", tiny.store)
    assert [sub.seed_entities for sub in found.sub_questions] == [("heat",)]
    template = (await tiny.templates()).get(found.sub_questions[0].question)
    assert template is not None
    assert template.chains == (parse_chain(["directed_by"]),)


async def test_pairs_that_teach_nothing_are_refused_and_the_old_lesson_stays(copy: Knowledge) -> None:
    before = {path: path.read_bytes() for path in copy.learnt.rglob("*") if path.is_file()}
    with pytest.raises(BadInputError, match='"chain"'):
        await teach(copy, [_question("who directed Heat?")], lambda *_: None)
    with pytest.raises(BadInputError, match="no pair fits this KG"):
        await teach(copy, [_question("who directed Metropolis?", "directed_by")], lambda *_: None)
    assert {path: path.read_bytes() for path in copy.learnt.rglob("*") if path.is_file()} == before
    assert verify(copy.path) == []


async def test_a_new_lesson_replaces_the_old_one(tiny: Knowledge) -> None:
    await teach(tiny, None, lambda *_: None)
    old = set(tiny.learnt.iterdir())
    asked = [_question(f"whose film is {film}", "directed_by", answers=(who,)) for film, _, who in TINY]
    learnt = await teach(tiny, [*asked, _question("nothing", "directed_by")], lambda *_: None)
    assert (learnt.pairs, learnt.left_out) == (3, 1)
    assert set(tiny.learnt.iterdir()) != old
    assert len(set(tiny.learnt.iterdir())) == len(old)
    assert (await tiny.templates()).get("whose film is [mask]") is not None
    assert verify(tiny.path) == []


async def test_the_same_pairs_teach_the_same(tiny: Knowledge) -> None:
    asked = [_question(f"whose film is {film}", "directed_by", answers=(who,)) for film, _, who in TINY]
    files = []
    for _ in range(2):
        await teach(tiny, asked, lambda *_: None)
        files.append({path.name: path.read_bytes() for path in tiny.learnt.iterdir() if path.is_file()})
    assert files[0] == files[1]
    assert len(files[0]) == 3


@pytest.mark.slow
async def test_another_writer_is_refused(tiny: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.kg.embedded.locks.DEFAULT_WAIT", 0.1)
    with write_lock(tiny.path), pytest.raises(BusyError):
        await teach(tiny, None, lambda *_: None)
    assert not tiny.learnt.exists()
    assert verify(tiny.path) == []


async def test_the_schema_alone_is_learnt_in_a_few_calls_however_many_entities(
    films: Knowledge, tiny: Knowledge
) -> None:
    asked, stages = list[int](), list[str]()
    for base in (films, tiny):
        counted = _Counted(base.store)
        learnt = await learn(None, cast(GraphStore, counted), base.embedder, lambda stage, *_: stages.append(stage))
        assert learnt.templates
        asked.append(counted.asked)
    assert "train" not in stages  # nothing is trained where there is no pair
    assert asked[0] == asked[1] <= 12


BOOKS = [
    Triple("emma", "author", "austen"),
    Triple("ulysses", "author", "joyce"),
    Triple("alien", "written_credit", "bannon"),
    Triple("heat", "written_credit", "mann"),
    Triple("emma", "genre", "novel"),
]


@pytest.fixture
def books(tmp_path: Path) -> Iterator[Knowledge]:
    build(tmp_path / "books", [BOOKS])
    base = Knowledge.open(tmp_path / "books")
    yield base
    base.store.close_now()


async def test_pairs_that_take_another_relation_s_words_leave_it_others(books: Knowledge) -> None:
    asked = [("alien", "bannon"), ("heat", "mann")]
    lesson = [_question(f"who wrote {film}?", "written_credit", answers=(who,)) for film, who in asked]
    learnt = await teach(books, lesson, lambda *_: None)
    owner = {chain: template.text for template in learnt.templates for chain in template.chains}
    assert owner[parse_chain(["written_credit"])] == "who wrote [mask]?"
    assert owner[parse_chain(["author"])] != "who wrote [mask]?"
    (sub,) = (await learnt.decomposer.decompose("what is the author of emma?", books.store)).sub_questions
    assert sub.question == owner[parse_chain(["author"])]


@pytest.mark.parametrize("texts", [("who wrote [mask]?",), ("what is the author of [mask]?", "who wrote [mask]?")])
async def test_every_hop_is_owned_whoever_took_its_words(books: Knowledge, texts: tuple[str, ...]) -> None:
    """Mined, or written by a model, for another hop: no text is there twice, and no hop is left without one."""
    names = ("author", "written_credit", "genre")
    hops = {(Hop(name, inverse),) for name in names for inverse in (False, True)}
    plain = await all_templates([], books.store)
    takers = [*texts, *(template.text for template in plain)]
    for name in ("genre", "^genre", "written_credit"):
        mined = [QuestionTemplate(text, (parse_chain([name]),), 3) for text in takers]
        for found in (
            await all_templates(mined, books.store),
            await all_templates([], books.store, {Hop.parse(name): takers}),
        ):
            assert {chain for template in found for chain in template.chains} == hops
            assert len({template.text for template in found}) == len(found)


async def test_one_pair_changes_no_question_in_other_words(copy: Knowledge) -> None:
    asked = ["who directed Heat?", "films with Al Pacino", "who starred in the film directed by Michael Mann?"]
    corrected = "whose brainchild is Heat?"
    await teach(copy, None, lambda *_: None)
    before = load_decomposer(copy.learnt, copy.embedder)
    alone = [await before.decompose(question, copy.store) for question in asked]
    await teach(copy, [_question(corrected, "directed_by")], lambda *_: None)
    taught = load_decomposer(copy.learnt, copy.embedder)
    again = [await taught.decompose(question, copy.store) for question in asked]
    assert [(each.links, _chains(each), each.confidence, each.taught) for each in again] == [
        (each.links, _chains(each), each.confidence, False) for each in alone
    ]
    for question in (corrected, "whose brainchild is Alien?"):
        found = await taught.decompose(question, copy.store)
        assert (found.taught, _chains(found)) == (True, [("directed_by",)])


def _chains(found: Decomposition) -> list[tuple[str, ...]]:
    return [tuple(map(str, sub.chain or ())) for sub in found.sub_questions]
