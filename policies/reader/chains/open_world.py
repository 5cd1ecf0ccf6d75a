"""How well a question's words support the reading that was chosen, judged against the whole schema.

A reading is chosen among the relations that the question's entities have. Here it is compared with the best reading
over all relations of the KG, whatever the entities have, and with the question's own words: which of them speak for
other relations than the chosen ones, and which are like no word of the schema.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from trivium.kg.similarity import is_typo
from trivium.kg.text import fold_name, is_code_of_one, singular
from trivium.kg.types import EntityHit, Hop, LogicalChain
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.mentions import Mention, SplitQuestion
from trivium.policies.reader.chains.name_variants import initials
from trivium.policies.reader.chains.phrasing import identity_place, is_idle
from trivium.policies.reader.chains.readings import ChainReader, ChainReading, Topic, names_refused
from trivium.policies.reader.chains.segment_model import NEAR, is_silent
from trivium.policies.reader.english import classes, english
from trivium.policies.reader.names import words_of

_SPEAKS = 0.6
"""Nats of evidence from which a word speaks for a relation."""
_ROOT = 4
"""Letters of a relation's word from which a longer word that begins with it is made from it."""
_FAR = 8.0
"""Nats by which a reading is behind that is not among the best over the whole schema."""
_BEYOND = 4.0
"""Nats of lead from which what pairs taught does not mean the chosen chain, and its words do not speak for it."""
_ELSEWHERE = 1.2
"""Nats by which it speaks more for another one."""
_YEAR = 4
"""Digits of a number that may be a year."""
_INITIALS = 3
"""Letters from which initials name as a name does."""
_OF_A_KIND = 1.0
"""Nats from which a relation leads to what an asking word asks for; below 0, it does not."""


@dataclass(frozen=True, slots=True)
class Support:
    """How certain a chain reading is, before its answer is claimed.

    Attributes:
        gap: nats by which the best reading over the whole schema is ahead of the chosen one, >= 0.
        score: log-score of the best reading over the whole schema.
        asked: that best reading's chain; the chosen one's where no other is ahead.
        about: the id of the entity that it starts from; "" for none.
        detour: whether that chain is the end of the longer one that was chosen, of which no word speaks for some hop.
        foreign: words that speak for other relations than the chosen ones.
        strange: words that are like none of the schema's or of the pairs'.
        names: those of them that are written like part of a name: capitals within the question, digits.
        beside: how many of the strange ones stand right before a topic's name, and say what it is: "the singer X".
        asked_for: whether one of the strange ones is what the question asks for: "which team …".
        misfit: whether the chains lead to what another asking word asks for ("when did X marry?" to a person), or the
            noun that is asked for speaks for other relations ("which team …" to films) or for none ("the population
            of the setting of …").
        unnamed: hops of the chosen chains that no word speaks for.
        hops: hops of the chosen chains.
        lacking: whether pairs show the very wording with the best reading over the whole schema, and it is not chosen:
            the question's entity lacks what they ask for with these words.
        loose: topics whose name the question gives in part, by initials, or with a typo.
        wrong: topics whose name has other words than the question's.
    """

    gap: float = 0.0
    score: float = 0.0
    asked: LogicalChain = ()
    about: str = ""
    detour: bool = False
    foreign: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    beside: int = 0
    asked_for: bool = False
    misfit: bool = False
    unnamed: int = 0
    hops: int = 0
    lacking: bool = False
    loose: int = 0
    wrong: int = 0


def support(
    question: SplitQuestion,
    chosen: ChainReading | None,
    opened: Sequence[ChainReading],
    reader: ChainReader,
    links: Sequence[Sequence[EntityHit]] = (),
) -> Support:
    """The support of the chosen reading; of the best open one where none was chosen.

    Args:
        question: with its mentions.
        chosen: the feasible reading that the answer comes from.
        opened: readings over the whole schema, best first.
        reader: what scored them.
        links: for each chosen topic its entities, the one that is meant first; its mention's own without them.
    """
    best = opened[0] if opened else chosen
    if best is None:
        said = _Said(question, (), reader)
        return Support(strange=tuple(said.strange), names=tuple(said.names), asked_for=bool(said.asked_for))
    gap = _gap(question, chosen, opened, reader)
    ahead = chosen is None or gap > 0
    asked = best if ahead else chosen
    assert asked is not None
    read = chosen or best
    said = _Said(question, read.topics, reader, taught=chosen is not None and gap < _BEYOND)
    chains = [topic.chain for topic in read.topics]
    last = asked.topics[0].chain if ahead else ()
    meant = [link[0] for link in links] if links else [topic.mention.hits[0] for topic in read.topics]
    similar = [
        (fold_name(topic.mention.text), hit)
        for topic, hit in zip(read.topics, meant, strict=True)
        if hit.match in ("partial", "fuzzy") and not _is_whole(fold_name(topic.mention.text), hit.label, topic.chain)
    ]
    wrong = sum(not _is_short_for(said, hit) for said, hit in similar)
    return Support(
        gap=gap,
        score=best.score,
        asked=asked.topics[0].chain,
        about=asked.topics[0].mention.hits[0].id,
        detour=said.unnamed > 0 and any(len(chain) > len(last) > 0 and chain[-len(last) :] == last for chain in chains),
        foreign=tuple(said.foreign),
        strange=tuple(said.strange),
        names=tuple(said.names),
        beside=said.beside,
        asked_for=bool(said.asked_for),
        misfit=said.other_asked or _is_misfit(question, read.topics, reader),
        unnamed=said.unnamed,
        lacking=_is_lacking(question, chosen, opened, reader),
        hops=len({(place, hop) for chain in chains for place, hop in enumerate(reversed(chain))}),
        loose=len(similar) - wrong,
        wrong=wrong,
    )


def _gap(
    question: SplitQuestion, chosen: ChainReading | None, opened: Sequence[ChainReading], reader: ChainReader
) -> float:
    """Nats by which the best open reading is ahead of the chosen one, >= 0; 0 without either.

    What pairs taught scores chains relative to those that it is offered, so the chosen one is looked up among the open.
    """
    if chosen is None or not opened:
        return 0.0
    best, meant = opened[0], _meaning(chosen)
    for reading in opened:
        if _meaning(reading) == meant:
            return best.score - reading.score
    if reader.learned is not None:  # it is behind the last that is offered, by how much is not known
        lacking = _is_lacking(question, chosen, opened, reader)
        return _FAR if lacking else min(_FAR, best.score - opened[-1].score)
    return max(0.0, best.score - chosen.score)


def _is_lacking(
    question: SplitQuestion, chosen: ChainReading | None, opened: Sequence[ChainReading], reader: ChainReader
) -> bool:
    """Whether pairs show the very wording with the best open reading, and another one is chosen, or none."""
    learned, best = reader.learned, next(iter(opened), None)
    if learned is None or best is None or (chosen is not None and _meaning(chosen) == _meaning(best)):
        return False
    return all(learned.shows(question, topic.mention, topic.chain, reader.known) for topic in best.topics)


def _meaning(reading: ChainReading) -> frozenset[tuple[int, int, LogicalChain]]:
    return frozenset((topic.mention.start, topic.mention.stop, topic.chain) for topic in reading.topics)


def _is_whole(said: str, label: str, chain: LogicalChain) -> bool:
    """Whether folded words are all of an entity's name that the question need give.

    Its plural ("cats"), its initials ("nfl"), and what the relation says too: countries *speak* French (Language).
    """
    name = fold_name(label)
    if (said != name and singular(said) == name) or (len(said) >= _INITIALS and said == initials(label)):
        return True
    words = name.split()
    rest = [word for word in words if word not in said.split()]
    own = _stems(chain[0].relation) if chain else frozenset()
    return set(said.split()) <= set(words) and all(_root(word) in own for word in rest)


def _is_short_for(said: str, hit: EntityHit) -> bool:
    """Whether folded words are a part of an entity's name, its initials or people, or the name with a typo."""
    label = fold_name(hit.label)
    words, name = said.split(), label.split()
    if set(words) <= set(name) or (hit.match == "partial" and len(words) == 1 and set(words).isdisjoint(name)):
        return True
    return hit.match == "fuzzy" and is_typo(said, label, hit.score)


class _Said:
    """What the words outside a reading's names speak for."""

    def __init__(
        self, question: SplitQuestion, topics: Sequence[Topic], reader: ChainReader, *, taught: bool = False
    ) -> None:
        self.foreign, self.strange, self.names = list[str](), list[str](), list[str]()
        self.beside = self.unnamed = self.asked_for = 0
        self.other_asked = self.asked_of = False
        self._saying: dict[int, list[Hop]] = {}
        if not isinstance(reader.chains, ChainModel):
            return
        segments = reader.chains.segments
        covered, before = _named_places(question, topics, reader, taught=taught)
        hops = list(dict.fromkeys(hop for topic in topics for hop in topic.chain))
        columns = [segments.number[hop] for hop in hops if hop in segments.number]
        # The pairs' words speak for what pairs show them with, whatever its names are: "died" for no birthplace.
        learned = reader.learned if taught else None
        parts = {hop: _stems(hop.relation) for hop in hops}
        said, asked = list[list[Hop]](), list[list[Hop]]()
        for place, word in _words_outside(question, covered):
            asks = word in classes().asking
            # A word that several relations share ("plays in", "plays for") still speaks for the one that was chosen.
            named = _named_by(word, parts)
            most, own = segments.strongest(word, columns)
            strong = [segments.hops[i] for i, weight in zip(columns, own, strict=True) if weight >= _SPEAKS]
            (asked if asks else said).append(list(dict.fromkeys([*strong, *named])))
            self._saying[place] = [] if asks else said[-1]
            if learned is not None and asks:
                said.append([t.chain[-1] for t in topics if t.chain and learned.asks(word, t.chain[-1], alone=True)])
                if (
                    learned.mix.doubt is not None
                    and word in english().asks_for
                    and not (asked[-1] or learned.knows(word))
                ):
                    # From few pairs the schema reads too, and may place the word.
                    self._add_strange(question, place, beside=False)
                    continue
            code = is_code_of_one(question.text, question.words, place)
            silent = not code and (is_silent(word) or is_idle(question.plain, place))
            if silent or named or _is_how_many(question.plain, place, parts):
                continue
            if learned is not None and (shown := learned.spoken(word, hops)):
                said.append(shown)
                continue
            # What else it is like says little where pairs show what it means.
            elsewhere = reader.learned is not None and reader.learned.knows(word)
            if most < _SPEAKS and not code and segments.likeness(word, columns) >= NEAR:
                said[-1] = hops  # it speaks for several relations alike, the chosen ones among them
            elif most < _SPEAKS or code:
                self._add_strange(question, place, beside=place in before)
            elif own and max(own) < (most - _ELSEWHERE if elsewhere else min(_SPEAKS, most - _ELSEWHERE)):
                self._add_foreign(question.plain, place)
        # "Who is the mayor of Heat?" asks for no director; "where is Rome?" asks for where it lies.
        alone = len(hops) == 1 and not self.foreign and not self.strange
        self.unnamed = _unnamed(topics, [*said, *asked] if alone else said)
        # "The population of the setting of X": all that is walked is said by the words behind it.
        self.other_asked |= (self.unnamed == 0 and self.asked_of) or self._asks_of_another(
            question.plain, topics, before
        )

    def _add_foreign(self, words: Sequence[str], place: int) -> None:
        self.foreign.append(words[place])
        self.other_asked |= _is_kind(words, place) or place == asked_of(words)

    def _add_strange(self, question: SplitQuestion, place: int, *, beside: bool) -> None:
        word, written = question.plain[place], question.text[question.words[place].start]
        self.strange.append(word)
        self.beside += beside
        self.asked_for += _is_kind(question.plain, place)
        self.asked_of |= place == asked_of(question.plain)
        self.names += [word] if (place and written.isupper()) or any(map(str.isdigit, word)) else []

    def _asks_of_another(self, words: Sequence[str], topics: Sequence[Topic], before: Container[int]) -> bool:
        """Whether what the chain gives is asked of something else than the question asks it of.

        What stands right `before` a name says what that is, and not what is given: "the *band* X".
        """
        last = {topic.chain[-1] for topic in topics if topic.chain}
        saying = [place for place, hops in self._saying.items() if not last.isdisjoint(hops) and place not in before]
        # Where no word says what is given, a noun that is left may be one for that.
        left = [place for place in self._saying if words[place] in {*self.strange, *self.foreign}]
        skips = bool(saying) and _skips(words, [topic.mention for topic in topics], left)
        return skips or _asks_what_is_done(words, saying, left)


def _is_how_many(words: Sequence[str], place: int, parts: Mapping[Hop, frozenset[str]]) -> bool:
    """Whether a number says how many there are of what the hops are called by: "the *3* official languages of …"."""
    word, noun = words[place], next((each for each in words[place + 1 : place + 3] if each.endswith("s")), "")
    counts = word in english().numbers or (word.isdigit() and len(word) < _YEAR)
    return counts and words[place - 1] in classes().function and bool(noun) and bool(_named_by(noun, parts))


def _words_outside(question: SplitQuestion, covered: Container[int]) -> Iterator[tuple[int, str]]:
    """The asking and content words outside names with their places; what "who is X" asks for in place of "who"."""
    words = question.plain
    identity = identity_place([MASK if place in covered else word for place, word in enumerate(words)])
    for place, written in enumerate(words):
        word = english().identity if place == identity else written
        idle = word not in classes().asking and word in classes().function
        if place not in covered and not (idle and not is_code_of_one(question.text, question.words, place)):
            yield place, word


def _named_places(
    question: SplitQuestion, topics: Sequence[Topic], reader: ChainReader, *, taught: bool
) -> tuple[set[int], set[int]]:
    """The places of names that are used or, as pairs `taught`, are no topics, and of the words before one."""
    refused = names_refused(question, topics, reader) if taught else []
    # One word of a title is no name: "die" of "A Time to Love and a Time to Die".
    whole = [mention for mention in refused if mention.hits[0].match != "partial"]
    names = [*(topic.mention for topic in topics), *whole]
    covered = {place for mention in names for place in range(mention.start, mention.stop)}
    return covered, {place for mention in names for place in _said_before(question.plain, mention.start)}


def _is_kind(words: Sequence[str], place: int) -> bool:
    """Whether a word is the kind of thing that is asked for: "which team …"."""
    return place > 0 and words[place - 1] in english().which


def asked_of(words: Sequence[str]) -> int:
    """The place of what a question asks of something, -1 where there is none: "who is the *mother* of …".

    Args:
        words: the question's, folded.
    """
    first = {*classes().asking, *classes().being, "the"}
    place = next((place for place, word in enumerate(words) if word not in first), 0)
    return place if words[place - 1 : place] == ["the"] and words[place + 1 : place + 2] == ["of"] else -1


def _asks_what_is_done(words: Sequence[str], saying: Sequence[int], left: Sequence[int]) -> bool:
    """Whether a noun names what the chain gives, and a deed that nothing accounts for is asked of that, or who does it.

    "Who *paid* the director of X?", "who did the director of X *fire*?".

    Args:
        words: the question's, folded.
        saying: places of the words that say the last hop.
        left: places of the words that speak for no chosen hop.
    """
    marks = {"the", "s"} | classes().ones_own
    if not saying or not left or not all(place and words[place - 1] in marks for place in saying):
        return False
    # No deed is meant by "on the map".
    after = max((place for place in left if words[place - 1] not in marks), default=-1) > saying[-1]
    for place, (word, then) in enumerate(pairwise(words)):
        does = then in classes().do or (word in classes().when_where and then in classes().being)
        if (word == "who" and place + 1 in left) or (word in classes().asking and does and after):
            return True
    return False


def _skips(words: Sequence[str], names: Iterable[Mention], left: Sequence[int]) -> bool:
    """Whether nothing accounts for the noun that says what is meant: "the language of the *director* of X"."""
    for name in names:
        of = name.start - 1 - (words[name.start - 1 : name.start] == ["the"])
        the = "the" in words[max(of - 3, 0) : max(of - 1, 0)]  # nobody is meant by "in charge of X"
        owned = name.stop + 1 in left and words[name.stop] == "s" and words[name.stop + 1] not in classes().ones_making
        if (the and of - 1 in left and words[of] == "of") or owned:
            return True
    return False


def _is_misfit(question: SplitQuestion, topics: Sequence[Topic], reader: ChainReader) -> bool:
    """Whether the question asks who, where or when, and what the chains lead to answers another one of these.

    Not where pairs ask for it with that word.
    """
    if not isinstance(reader.chains, ChainModel):
        return False
    segments, learned = reader.chains.segments, reader.learned
    said = english().asks_for.keys() & set(question.plain)
    last = {segments.number[topic.chain[-1]] for topic in topics if topic.chain and topic.chain[-1] in segments.number}
    if len(said) != 1 or not last:
        return False
    (word,) = said
    if learned and all(learned.asks(word, topic.chain[-1]) for topic in topics if topic.chain):
        return False
    fits = {each: max(float(segments.evidence(each).asked[place]) for place in last) for each in english().asks_for}
    return fits[word] < 0 and max(fits.values()) >= _OF_A_KIND


def _unnamed(topics: Sequence[Topic], said: Sequence[Sequence[Hop]]) -> int:
    """How many hops no word speaks for. One verb may say a hop of each topic: "who plays forward for Chelsea"."""
    chains = {frozenset(topic.chain) for topic in topics}
    return sum(len(own) - _matched([[hop for hop in each if hop in own] for each in said]) for own in chains)


def _said_before(words: Sequence[str], start: int) -> range:
    """The places of the words right before a name that say what it is: "the French singer X".

    Not "who composed X", nor "who is suing X".
    """
    first = start
    while first > 0 and words[first - 1] not in classes().function:
        first -= 1
    joined = first > 0 and words[first - 1] not in classes().asking | classes().same | classes().ones_like_it
    joined = joined and not (words[first - 1] in classes().yes_no and words[start - 1].endswith("ing"))
    return range(first if joined else start, start)


@lru_cache(maxsize=4_096)
def _stems(relation: str) -> frozenset[str]:
    """The content words of a relation's name, by their stems."""
    return frozenset(_root(word) for word in words_of(relation) if word not in classes().function)


@lru_cache(maxsize=16_384)
def _root(word: str) -> str:
    """A word's stem, its last letter as it is written in longer words: `plays` is `play` as in `player`."""
    found = english().stem(word)
    return f"{found[:-1]}y" if found.endswith("i") else found


def _named_by(word: str, stems: Mapping[Hop, frozenset[str]]) -> list[Hop]:
    """The hops with the word in their names, given by their stems."""
    root = _root(word)
    return [hop for hop, own in stems.items() if _is_among(root, own)]


@lru_cache(maxsize=16_384)
def _is_among(stem: str, stems: frozenset[str]) -> bool:
    """Whether a word is one of a name's, or made from one: a player plays."""
    return any(stem == part or (len(part) >= _ROOT and stem.startswith(part)) for part in stems)


def _matched(said: Sequence[Sequence[Hop]]) -> int:
    """How many hops are said by a word of their own, where each word says one of those that it speaks for."""
    word_of: dict[Hop, int] = {}

    def assign(word: int, seen: set[Hop]) -> bool:
        for hop in said[word]:
            if hop not in seen:
                seen.add(hop)
                if hop not in word_of or assign(word_of[hop], seen):
                    word_of[hop] = word
                    return True
        return False

    return sum(assign(word, set()) for word in range(len(said)))
