"""Whether what a reading leads to is what the question asks for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.types import EntityHit, Hop, LogicalChain
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.mentions import DEFAULT_MENTION_MODEL, Mention, SplitQuestion, split_question
from trivium.policies.reader.chains.open_world import Support, support
from trivium.policies.reader.chains.readings import ChainReader, ChainReading, Topic
from trivium.policies.reader.chains.schema_words import HopWords
from trivium.policies.reader.chains.scoring.examples import ChainExample
from trivium.policies.reader.chains.scoring.loglinear import train_log_linear
from trivium.policies.reader.chains.scoring.scorer import ChainCandidates, LearnedReader, Mix
from trivium.policies.reader.chains.segment_model import SegmentModel
from trivium.policies.reader.chains.wording import KnownWords, Wording
from trivium.policies.reader.english import classes

SPOUSE, YEAR, TOWN = (Hop(name, False) for name in ("spouse", "year", "town"))
_ENDS = {SPOUSE: "who", YEAR: "when", TOWN: "where"} | {Hop(f"thing{n}", False): "what" for n in range(6)}
HOPS = tuple(sorted([*_ENDS, *(Hop(hop.relation, True) for hop in _ENDS)]))
SEGMENTS = SegmentModel.of(
    {hop: HopWords({hop.relation: 1.0}, {_ENDS[hop]: 1.0} if hop in _ENDS else {}, {}) for hop in HOPS},
    HOPS,
    np.ones((len(HOPS), len(HOPS)), np.float32),
    HashingEmbedder(),
)
KIN = SegmentModel.of(
    {
        hop: HopWords(
            {hop.relation: 1.0} | ({"kin": 1.0 if hop == SPOUSE else 0.6} if hop in (SPOUSE, YEAR) else {}), {}, {}
        )
        for hop in HOPS
    },
    HOPS,
    np.ones((len(HOPS), len(HOPS)), np.float32),
    HashingEmbedder(),
)
READER = ChainReader(
    ChainModel(SEGMENTS), KnownWords(classes().question, frozenset(SEGMENTS.stems)), DEFAULT_MENTION_MODEL
)


@pytest.mark.parametrize(
    ("text", "hop", "misfit"),
    [
        ("when did zork marry ?", SPOUSE, True),
        ("who did zork marry ?", SPOUSE, False),
        ("when did zork marry ?", YEAR, False),
        ("what of zork ?", SPOUSE, False),
        ("when was zork ?", Hop("thing0", False), False),  # nothing is known of what it leads to
        ("who knows when zork was ?", TOWN, False),  # two question words
    ],
)
def test_a_person_is_no_answer_to_when(text: str, hop: Hop, misfit: bool) -> None:
    words = split_question(text)
    place = [word.text for word in words].index("zork")
    name = Mention(place, place + 1, "zork", (EntityHit("zork", "zork", 1.0, 3, "exact"),))
    reading = ChainReading(0.0, (Topic(name, (hop,)),))
    assert support(SplitQuestion(text, words, (name,)), reading, [reading], READER).misfit is misfit


@pytest.mark.parametrize(
    ("shown", "chain", "misfit"),
    [
        ("who does [mask] belong to", (TOWN,), False),  # pairs ask for a town with this very word
        ("who does [mask] belong to", (SPOUSE, TOWN), False),
        ("where is [mask]", (TOWN,), True),
        ("who does [mask] belong to", (TOWN, SPOUSE), True),  # there it asks for a spouse
        ("whose town is [mask]", (TOWN,), True),
    ],
)
def test_what_pairs_ask_for_with_a_word_is_an_answer_to_it(shown: str, chain: LogicalChain, misfit: bool) -> None:
    assert _support("who does zork supply ?", TOWN, READER).misfit
    assert _support("who does zork supply ?", TOWN, _taught(shown, chain)).misfit is misfit


@pytest.mark.parametrize(
    ("hop", "strange"),
    [
        (TOWN, ()),  # pairs show what is quuxed to be a town
        (SPOUSE, ("quuxed",)),  # no spouse
    ],
)
def test_a_word_of_the_pairs_speaks_for_what_they_show_it_with(hop: Hop, strange: tuple[str, ...]) -> None:
    taught = _taught("what was quuxed by [mask]", (TOWN,))
    assert _support("what was quuxed by zork ?", hop, READER).strange == ("quuxed",)
    assert _support("what was quuxed by zork ?", hop, taught).strange == strange


@pytest.mark.parametrize("shown", ["who is the kin of [mask]", "who is [mask]"])
def test_what_a_word_of_the_pairs_is_like_besides_says_little(shown: str) -> None:
    # "kin" is in both relations' words, and far more in the spouse's.
    taught = _taught(shown, (SPOUSE,), KIN)
    assert _support("who is the kin of zork ?", SPOUSE, taught).foreign == ()
    assert _support("who is the kin of zork ?", YEAR, taught).foreign == (("kin",) if "kin" in shown else ())


@pytest.mark.parametrize(
    ("shown", "unnamed"),
    [
        ("where is [mask]", 0),
        ("where is [mask] buried", 1),  # it is said by the verb, and nobody has asked for this one
        ("when is [mask]", 1),
    ],
)
def test_a_question_word_says_what_pairs_ask_for_with_it_alone(shown: str, unnamed: int) -> None:
    assert _support("where is zork quuxed ?", TOWN, READER).unnamed == 1
    assert _support("where is zork quuxed ?", TOWN, _taught(shown, (TOWN,))).unnamed == unnamed


@pytest.mark.parametrize(
    ("shown", "hop", "strange"),
    [
        ("what is the spouse of [mask]", SPOUSE, ("where",)),  # neither they nor the schema ask for one with "where"
        ("what is the spouse of [mask]", TOWN, ()),  # the schema does
        ("where is the spouse of [mask]", SPOUSE, ()),
        ("where is the town of [mask]", SPOUSE, ()),  # they know the word: `misfit` judges it
    ],
)
def test_a_question_word_that_neither_few_pairs_nor_the_schema_place_is_strange(
    shown: str, hop: Hop, strange: tuple[str, ...]
) -> None:
    many = _taught(shown, (TOWN if "town" in shown else SPOUSE,))
    assert many.learned is not None
    few = replace(many, learned=replace(many.learned, mix=replace(many.learned.mix, doubt=0.0)))
    assert _support("where is the spouse of zork ?", hop, few).strange == strange
    assert _support("where is the spouse of zork ?", hop, many).strange == ()  # they alone are asked
    assert _support("where is the spouse of zork ?", hop, READER).strange == ()


@pytest.mark.parametrize(
    ("text", "strange"),
    [
        ("what are the 3 towns of zork ?", ()),
        ("name the three towns of zork ?", ()),
        ("what are the 3 quuxes of zork ?", ("3", "quuxes")),
        ("what are the 1999 towns of zork ?", ("1999",)),  # a year says which
        ("what are zork 3 towns ?", ("3",)),  # part of a name
    ],
)
def test_how_many_there_are_of_what_is_asked_for_is_no_strange_word(text: str, strange: tuple[str, ...]) -> None:
    assert _support(text, TOWN, READER).strange == strange


@pytest.mark.parametrize(
    ("text", "strange"),
    [("where is zork located ?", ()), ("what town did zork come to ?", ()), ("who marked zork ?", ("marked",))],
)
def test_a_word_that_says_little_is_strange_only_as_the_deed_that_is_asked_for(
    text: str, strange: tuple[str, ...]
) -> None:
    assert _support(text, TOWN, READER).strange == strange


@pytest.mark.parametrize(("noun", "misfit"), [("work", False), ("poetry", False), ("quux", True)])
def test_a_work_stands_for_who_made_it(noun: str, misfit: bool) -> None:
    assert _support(f"what is the town of zork's {noun} ?", TOWN, READER).misfit is misfit


@pytest.mark.parametrize(
    ("text", "deed"),
    [("where is the town of zork on the quux ?", False), ("where was the town of zork quuxed ?", True)],
)
def test_no_deed_stands_behind_an_article(text: str, deed: bool) -> None:
    assert _support(text, TOWN, READER).misfit is deed


@pytest.mark.parametrize(
    ("said", "label", "relation", "loose", "wrong"),
    [
        ("zork", "Zork Town", "town", 0, 0),  # the relation says what kind of thing it is
        ("zork", "Zork Town", "spouse", 1, 0),
        ("zork", "Zork Hill Town", "town", 1, 0),
        ("zor", "Zork of Republics", "town", 0, 1),
        ("zor", "Zorn Of Rill", "spouse", 0, 0),  # its initials
        ("zo", "Zorn Orn", "spouse", 1, 0),  # two letters may be anyone's
    ],
)
def test_a_name_is_whole_by_its_initials_and_by_what_the_relation_says(
    said: str, label: str, relation: str, loose: int, wrong: int
) -> None:
    words = split_question(f"what is the {relation} of {said} ?")
    hit = EntityHit("z", label, 0.85, 3, "partial" if not wrong else "fuzzy")
    name = Mention(len(words) - 1, len(words), said, (replace(hit, label="Other", match="exact"), hit))
    reading = ChainReading(0.0, (Topic(name, (Hop(relation, False),)),))
    question = SplitQuestion(f"what is the {relation} of {said} ?", words, (name,))
    found = support(question, reading, [reading], READER, [(hit,)])
    assert (found.loose, found.wrong) == (loose, wrong)
    assert support(question, reading, [reading], READER).loose == 0, "what is meant is the first of the links"


def _support(text: str, hop: Hop, reader: ChainReader) -> Support:
    """The support of a hop from "zork" in a question."""
    words = split_question(text)
    place = [word.text for word in words].index("zork")
    name = Mention(place, place + 1, "zork", (EntityHit("zork", "zork", 1.0, 3, "exact"),))
    reading = ChainReading(0.0, (Topic(name, (hop,)),))
    return support(SplitQuestion(text, words, (name,)), reading, [reading], reader)


def _taught(shown: str, chain: LogicalChain, segments: SegmentModel = SEGMENTS) -> ChainReader:
    """A reader that has learned one wording with its chain."""
    asked = tuple(shown.split())
    example = ChainExample(Wording(asked, asked.index(MASK)), tuple(segments.number[hop] for hop in chain))
    scorer = train_log_linear([example], segments, HashingEmbedder(), lambda *_: None)
    model, words = ChainModel(segments), dict.fromkeys(asked, frozenset({chain[-1].relation}))
    known = ChainCandidates(model, scorer, words, frozenset({len(chain)}), 1, {chain: frozenset({shown})})
    return replace(READER, chains=model, learned=LearnedReader(known, Mix(0.3, 1.0)))


@pytest.mark.parametrize(
    ("text", "detour"),
    [
        ("what year for zork ?", True),  # what the spouse has; no word says the spouse
        ("what year for the spouse of zork ?", False),
    ],
)
def test_a_longer_chain_is_a_detour_where_no_word_says_what_it_adds(text: str, detour: bool) -> None:
    words = split_question(text)
    place = [word.text for word in words].index("zork")
    name = Mention(place, place + 1, "zork", (EntityHit("zork", "zork", 1.0, 3, "exact"),))
    chosen = ChainReading(0.0, (Topic(name, (SPOUSE, YEAR)),))
    shorter = ChainReading(1.0, (Topic(name, (YEAR,)),))
    assert support(SplitQuestion(text, words, (name,)), chosen, [shorter, chosen], READER).detour is detour


@pytest.mark.parametrize(
    ("text", "misfit"),
    [
        ("which town did zork marry ?", True),  # the word speaks for another relation than the one that was chosen
        ("who is the town of zork ?", True),
        ("who is the quux of the spouse of zork ?", True),  # and nothing is known of quuxes
        ("who is the spouse of zork ?", False),
        ("who is the quux of zork ?", False),  # the word may be another one for the relation
        ("who quuxed the spouse of zork ?", True),
        ("who did the spouse of zork quux ?", True),
        ("who did zork quux as a spouse ?", False),  # no noun names somebody who did
        ("which spouse does the town of zork have ?", True),
        ("which spouse has zork ' s town ?", True),
        ("which spouse has zork ?", False),
    ],
)
def test_what_is_asked_for_has_to_be_said_by_the_chain(text: str, misfit: bool) -> None:
    words = split_question(text)
    place = [word.text for word in words].index("zork")
    name = Mention(place, place + 1, "zork", (EntityHit("zork", "zork", 1.0, 3, "exact"),))
    reading = ChainReading(0.0, (Topic(name, (SPOUSE,)),))
    assert support(SplitQuestion(text, words, (name,)), reading, [reading], READER).misfit is misfit
