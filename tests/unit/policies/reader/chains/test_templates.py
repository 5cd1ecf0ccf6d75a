"""Question templates: those of a schema, matching by cosine, and their files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.errors import CorruptError, OutdatedError
from trivium.kg.types import Hop, RelationSchema, chain_text, parse_chain, schema_hops
from trivium.policies.reader.chains import templates
from trivium.policies.reader.chains.templates import (
    QuestionTemplate,
    TemplateIndex,
    completed,
    read_templates,
    schema_template,
)

WORDS = HashingEmbedder(128)
TEMPLATES = [
    QuestionTemplate("who directed [mask]?", (parse_chain(["directed_by"]),), 7, "never"),
    QuestionTemplate("which films did [mask] direct?", (parse_chain(["^directed_by"]), parse_chain(["^made", "x"])), 3),
    QuestionTemplate("what is the genre of [mask]?", (parse_chain(["has_genre"]),)),
]


def test_a_relation_has_a_template_a_direction() -> None:
    assert schema_template(Hop("directed_by", inverse=False)).text == "what is the directed by of [mask]?"
    found = completed([], [], schema_hops([RelationSchema("birthPlace", 3, 3, 2)]))
    assert [(t.text, [chain_text(c) for c in t.chains], t.count, t.exclusion) for t in found] == [
        ("what is the birth place of [mask]?", [["birthPlace"]], 0, "cue"),
        ("[mask] is the birth place of what?", [["^birthPlace"]], 0, "cue"),
    ]


def test_relations_that_read_the_same_share_their_templates() -> None:
    found = completed([], [], schema_hops(RelationSchema(name, 1, 1, 1) for name in ("has_genre", "hasGenre", "year")))
    assert len(found) == 4
    assert [chain_text(chain) for chain in found[0].chains] == [["has_genre"], ["hasGenre"]]
    assert len({template.text for template in found}) == 4


def test_a_hop_whose_text_is_taken_gets_another() -> None:
    author, written = Hop("author", inverse=False), Hop("written", inverse=False)
    taken = [QuestionTemplate("who wrote [mask]?", ((written,),), 5)]
    offered = [QuestionTemplate("who wrote [mask]?", ((author,),))]
    words = {author: ["who wrote [mask]?", "who is the writer of [mask]?"]}
    other, plain = completed(taken, offered, [author, written], words), completed(taken, offered, [author])
    assert other == [*taken, QuestionTemplate("who is the writer of [mask]?", ((author,),))]
    assert plain == [*taken, schema_template(author)]
    last = QuestionTemplate(schema_template(author).text, ((written,),), 5)
    (shared,) = completed([last], [], [author, written])
    assert (shared.text, shared.chains, shared.count) == (last.text, ((written,), (author,)), 5)


def test_the_papers_cosine_knows_no_name_of_a_relation() -> None:
    made = QuestionTemplate("who made [mask]?", (parse_chain(["painted"]),))
    index = TemplateIndex.build([made, *TEMPLATES], WORDS)
    (named,), (alone,) = (index.match(["painted [mask]"], 4, text_alone=flag) for flag in (False, True))
    score = {match.template.text: match.score for match in alone}
    exact = WORDS.embed([made.text]) @ WORDS.embed(["painted [mask]"])[0]
    assert score[made.text] == pytest.approx(exact[0], abs=1e-5)  # equation 2
    assert named[0].template is made
    assert named[0].score > score[made.text] + 0.1


def test_matching_is_by_cosine_and_its_own_text_scores_1() -> None:
    index = TemplateIndex.build(TEMPLATES, WORDS)
    texts = [TEMPLATES[2].text, "who has directed [mask]?"]
    own, other = index.match(texts, 3)
    assert own[0].template == TEMPLATES[2]
    assert own[0].score == pytest.approx(1, abs=1e-5)
    said = [
        t.text if t.count else f"{t.text} has genre" for t in TEMPLATES
    ]  # a wording of ours has its relation's name
    exact = WORDS.embed(said) @ WORDS.embed(texts).T
    assert [match.score for match in other] == pytest.approx(sorted(exact[:, 1].tolist(), reverse=True), abs=1e-5)
    assert other[0].template == TEMPLATES[int(np.argmax(exact[:, 1]))]


def test_a_text_of_the_same_words_in_another_order_does_not_win() -> None:
    """Pooled words are the same both ways round, and the two templates walk a relation in opposite directions."""
    names = ("REPORTS_TO", "PART_OF", "twinned with")
    pair = completed([], [], schema_hops(RelationSchema(name, 1, 1, 1) for name in names))
    for ordered in (pair, pair[::-1]):
        index = TemplateIndex.build(ordered, WORDS)
        for k in (1, 2, 4):
            found = index.match([template.text for template in pair], k)
            assert [matches[0].template for matches in found] == pair
            assert [len(matches) for matches in found] == [k] * len(pair)
            assert all(len({match.template.text for match in matches}) == k for matches in found)


def test_k_and_repeated_texts() -> None:
    index = TemplateIndex.build(TEMPLATES, WORDS)
    found = index.match(["genre of [mask]", "who directed [mask]?", "genre of [mask]"], 1)
    assert [len(matches) for matches in found] == [1, 1, 1]
    assert found[0] == found[2] == index.match(["genre of [mask]"], 1)[0]
    assert len(index.match(["genre of [mask]"], 50)[0]) == 3
    assert index.match([], 2) == []


def test_a_template_by_its_text() -> None:
    index = TemplateIndex.build(TEMPLATES, WORDS, schema="v2")
    assert index.get("who directed [mask]?") == TEMPLATES[0]
    assert index.get("who directed it?") is None
    assert index.schema == "v2"


def test_saved_and_loaded_again(tmp_path: Path) -> None:
    index = TemplateIndex.build(TEMPLATES, WORDS, schema="v2")
    index.save(tmp_path)
    again = TemplateIndex.load(tmp_path, WORDS)
    assert list(again.templates) == TEMPLATES == read_templates(tmp_path)
    assert again.schema == "v2"
    assert again.match(["directed"], 3) == index.match(["directed"], 3)


def test_another_embedder_makes_its_own_vectors(tmp_path: Path) -> None:
    other = HashingEmbedder(128, seed=1)
    TemplateIndex.build(TEMPLATES, WORDS).save(tmp_path)
    found = TemplateIndex.load(tmp_path, other)
    assert found.match(["directed"], 3) == TemplateIndex.build(TEMPLATES, other).match(["directed"], 3)
    assert read_templates(tmp_path) == TEMPLATES, "the templates themselves need no embedder"


@pytest.mark.parametrize("text", ["", "{", '{"artifact": "templates", "format": 2}'])
def test_damaged_templates_are_named(tmp_path: Path, text: str) -> None:
    TemplateIndex.build(TEMPLATES, WORDS).save(tmp_path)
    (tmp_path / "templates.json").write_text(text)
    with pytest.raises(CorruptError, match=r"templates\.json"):
        read_templates(tmp_path)
    with pytest.raises(CorruptError):
        TemplateIndex.load(tmp_path, WORDS)


def test_the_form_of_an_older_trivium_is_named(tmp_path: Path) -> None:
    (tmp_path / "templates.json").write_text('[{"text": "a", "chains": [["r"]], "count": 1, "exclusion": "cue"}]')
    with pytest.raises(OutdatedError, match=r"templates\.json was written by an older Trivium"):
        read_templates(tmp_path)


def test_what_is_remembered_of_made_up_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "_REMEMBERED", 10_000)
    index = TemplateIndex.build(TEMPLATES, WORDS)
    index.match([f"{word} {'x' * 500}" for word in range(50)], 1)
    assert 5_000 < index._matched.bytes <= 10_000
    assert [len(found) for found in index.match(["1 " + "x" * 20_000], 1)] == [1]
