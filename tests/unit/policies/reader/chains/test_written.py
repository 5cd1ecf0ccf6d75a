"""Templates that a model wrote: what is refused, what their words speak for, which relations are still to be asked."""

from __future__ import annotations

from trivium.kg.types import Hop, RelationSchema
from trivium.policies.reader.chains.schema_words import HopWords
from trivium.policies.reader.chains.written import add_words, unwritten, usable, written_templates

SCHEMA = [RelationSchema("directed_by", 1, 1, 1), RelationSchema("written_by", 1, 1, 1)]
DIRECTED, WROTE = Hop("directed_by", inverse=False), Hop("written_by", inverse=False)
DIRECTS, WRITES = Hop("directed_by", inverse=True), Hop("written_by", inverse=True)


def test_what_is_no_template_is_refused() -> None:
    bad = [
        "",
        "who?",
        "[mask]?",
        "of [mask]",
        "who shot [mask] and [mask]?",
        "who shot it?",
        f"who shot [mask] {'x' * 200}?",
    ]
    assert usable({DIRECTED: bad}, SCHEMA, {}, 3) == {DIRECTED: []}
    good = [
        "  who   shot\n[MASK]",
        "Who shot [mask]?",
        "who shot [mask]!",
        "quién filmó [mask]?",
        "谁执导了[mask]?",
        "who did [mask]?",
    ]
    kept = usable({DIRECTED: good}, SCHEMA, {}, 3)[DIRECTED]
    assert kept == ["who shot [mask]?", "quién filmó [mask]?", "谁执导了[mask]?"]


def test_no_text_stands_for_two_hops() -> None:
    proposed = {DIRECTED: ["who made [mask]?", "who shot [mask]?"], WROTE: ["Who made [mask]?", "who directed [mask]?"]}
    assert usable(proposed, SCHEMA, {}, 3) == {DIRECTED: ["who shot [mask]?"], WROTE: []}
    assert usable({WROTE: ["who shot [mask]?"]}, SCHEMA, {DIRECTED: ["who shot [mask]?"]}, 3) == {WROTE: []}
    assert usable({DIRECTED: ["who directed [mask]?"]}, SCHEMA, {}, 3) == {DIRECTED: ["who directed [mask]?"]}


def test_what_was_asked_is_not_asked_again_and_what_has_gone_is_not_used() -> None:
    written = {
        DIRECTED: ["who shot [mask]?", "who filmed [mask]?"],
        WROTE: [],
        Hop("sold_by", inverse=False): ["a [mask] b?"],
    }
    assert unwritten(SCHEMA, written) == [DIRECTS, WRITES]
    texts = [template.text for template in written_templates(written, SCHEMA)]
    assert texts == ["who shot [mask]?", "who filmed [mask]?"]


def test_words_of_templates_speak_for_their_hops_but_not_those_of_many() -> None:
    profiles = {hop: HopWords({}, {}, {}) for hop in (DIRECTED, DIRECTS, WROTE, WRITES)}
    add_words(
        profiles,
        {
            DIRECTED: ["who helmed the whole work [mask]?"],
            DIRECTS: ["which pictures did [mask] helm?"],
            WROTE: ["who penned the whole work [mask]?"],
            WRITES: ["which books are the whole work of [mask]?"],
        },
    )
    assert profiles[DIRECTED].own == {"helm": 0.7}
    assert profiles[WROTE].own == {"pen": 0.7}
    assert set(profiles[DIRECTS].end) == {"pictur"}
    assert "pictur" not in profiles[DIRECTS].own
