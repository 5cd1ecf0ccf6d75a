"""Follow-up questions on a thread ("and who starred in them?"), resolved against the last answers without a model.

The words that point back are replaced by one of the last answers, the question is decomposed as any other, and the
sub-questions that start from that one are made to start from all of them. What narrows the last answers down ("which of
them star …", "only those before 1960") becomes a condition. Words that point to a name in the question itself are none
of ours: "the director of Heat and who starred in it".
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from trivium.kg.errors import UsageError
from trivium.kg.indexes import relation_words
from trivium.kg.text import fold_case
from trivium.kg.types import EntityHit, Hop
from trivium.kg.values import year_of
from trivium.nodes.keqing.conditions import Among, Condition, Dated
from trivium.nodes.run.write_answer import NAMED, listed
from trivium.tools.decompose_question import NO_DEPENDENCY, Decomposition, SubQuestion, decompose_question
from trivium.tools.describe_entities import describe_entities
from trivium.tools.find_entities import find_entities
from trivium.tools.get_labels import get_labels
from trivium.tools.list_relations import list_relations
from trivium.tools.neighbors import neighbors

_MOST = 100  # last answers that a follow-up starts from
_TRIED = 3  # of them, that stand for all while the question is decomposed
_AROUND = 50  # triples of an answer among which years are looked for

# fmt: off
_OWNERS = {"their", "its", "his", "her", "theirs", "hers"}
_POINTING = {"them", "they", "those", "these", "it", "he", "she", "him", "this", "ones", *_OWNERS}
_SINGULAR = {"it", "its", "he", "she", "him", "his", "her", "hers"}
_NO_NOUNS = {  # words after "those" and the like that are not what it points to
    "are", "is", "was", "were", "did", "do", "does", "have", "has", "had", "before", "after", "since", "in", "from",
    "with", "by", "and", "or", "that", "who", "which", "of", "star", "made", "released", "to", "for", "on", "at",
    "come", "came", "out",
}
_ASKING = {"who", "whom", "whose", "what", "which", "when", "where", "why", "how"}
_AUXILIARIES = {
    "did", "do", "does", "is", "are", "was", "were", "has", "have", "had", "can", "could", "will", "would", "should",
}
_PREPOSITIONS = {"in", "on", "at", "by", "for", "from", "to", "of", "with", "about"}
_ORDERS = {"list", "show", "name", "give", "tell", "find", "me", "us", "please"}
_BOUNDS = {  # behind one of these a pronoun may point to what the question itself speaks of
    "a", "an", "the", "each", "every", "some", "any", "all", "both", "no", "another", "and", "or", "but", "if",
    "that", "because", "while", "than", *_ASKING,
}
_SUBJECTS = {"he", "she", "they"}
_DETERMINERS = {"this", "these"}
_TIMES = {"year", "month", "week", "day", "decade", "century", "morning", "evening", "time", "years", "days"}
_HAVING = {"have", "has", "had"}
_EXPLETIVE = {"true", "correct", "right", "possible", "known", "the", "take", "takes", "rain", "rains"}
# fmt: on
_CLEFT = re.compile(  # "was it Ann or Bob who resigned?", where "it" is what follows
    r"(?:is|was)\s+(it)\s+(?=[^,;?]*\s(?:that|who|which|whom)\s)", re.IGNORECASE
)
_PERSONS = {  # in the names of types
    "person",
    "people",
    "human",
    "man",
    "woman",
    "actor",
    "actress",
    "director",
    "author",
    "writer",
    "composer",
    "musician",
    "artist",
    "player",
    "employee",
    "member",
    "user",
    "character",
    "customer",
    "patient",
    "student",
}  # fmt: skip
_LABELLED = re.compile(r" \[[^\]]*\]$")  # an id behind a label that others have too (`hits_of`)
_ABOUT_ITS_TOPICS = {"answered", "not_found"}  # where no reading fits, what was linked was perhaps not meant
_FIRST = re.compile(r"^(?:(?:and|but|also|so|then|ok|okay|now)\b[\s,]*)+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019]s)?")
_OF_THEM = re.compile(r"\s*\b(?:of|among) (?:them|these|those|the (?:above|latter|ones))\b", re.IGNORECASE)
_ONLY = re.compile(r"^(?:only|just)\s+(?:the ones|ones|those|these|the)\b\s*", re.IGNORECASE)
_INSTEAD = re.compile(r"^(?:(?:and|but)\s+)?(?:what|how) about\s+(.+?)\s*\??$", re.IGNORECASE)
_NTH = re.compile(r"\bthe (first|second|third|fourth|fifth|last) one\b(?!\s+(?:to|who|that|of|in)\b)", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:others?|another|else)\b", re.IGNORECASE)
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
_DATE = re.compile(
    r"\b(before|prior to|earlier than|older than|after|later than|newer than|since|until|up to|in|from)"
    r"\s+(?:the year\s+)?(\d{4})\b",
    re.IGNORECASE,
)
_BEFORE = {"before", "prior to", "earlier than", "older than"}
_AFTER = {"after", "later than", "newer than"}


@dataclass(frozen=True, slots=True)
class LastAnswers:
    """What a thread's last run answered: its question, what that was about, and its answers' ids, best first.

    Attributes:
        question: in words.
        topics: for each mention in it the entity that was meant.
        ids: the answers; none of a yes, a number, or where the graph lacks the fact.
    """

    question: str
    topics: Mapping[str, str]
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A follow-up that narrows the last answers down, as a decomposition and as a question of its own.

    Attributes:
        found: the decomposition.
        note: what was read as what.
        only: conditions on its sub-questions, by their ids.
        worded: the question in words that point to nothing; "" where there are none.
        ids: the last answers.
    """

    found: Decomposition
    note: str
    only: dict[int, Condition] = field(default_factory=dict)
    worded: str = ""
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StandaloneQuestion:
    """A follow-up in words that point to nothing, to be read as any question.

    Attributes:
        text: the question.
        meant: what it is about: one of these stands for all of them in the text.
        one: the id of that one; "" where the question names its topic itself.
        named: whether the question names something besides.
        together: the question with the names of all that are meant, 12 at most.
        besides: what it asks for others than, ids ("what other films did he direct?").
    """

    text: str
    meant: tuple[EntityHit, ...] = ()
    one: str = ""
    named: bool = False
    together: str = ""
    besides: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What was read as what."""
        more = f", and {len(self.meant) - 1} more like it" if len(self.meant) > 1 else ""
        return f"read as {self.text!r}{more}"


def last_answers(state: Mapping[str, Any]) -> LastAnswers | None:
    """The last answers: those that the client gives as `previous`, else those that a thread's state keeps; or None.

    Where the last question had no answer and named nothing ("thanks!"), those before it (`remember`).

    Raises:
        UsageError: that is no answer; a client writes the one, and may write the others.
    """
    for channel, name in _CHANNELS:
        if not (given := state.get(channel)):
            continue
        answer = _read_answer(given, name)
        linking = next((each for each in answer.steps if each.stage in _LINKING), _Logged())
        linked: Mapping[str, Any] = linking.links
        if channel == "answer" and answer.method in {"", "keqing"}:
            linked = state.get("links", linked)
        topics = {mention: _Entity.model_validate(found[0]).id for mention, found in linked.items() if found}
        topics |= {key: key for key in (*linking.topics, *linking.sources)}
        if not topics:  # a reading that is withheld is linked to nothing, but it is known what it was about
            about = next((each.assessed.about for each in answer.steps if each.assessed), "")
            topics = {about: about} if about else {}
        options = {option.id: option.entities for option in linking.candidates}
        ids = tuple(key for item in answer.answers[:_MOST] for key in options.get(item.id, [item.id]))
        if ids or (topics and answer.stop_reason in _ABOUT_ITS_TOPICS):
            whole = state.get("follow_up") if channel == "answer" else None
            if whole and whole["asked"] == answer.question:  # the thread's last run may be another method's
                return LastAnswers(whole["of_one"], topics, ids)
            return LastAnswers(answer.question, topics, ids)
        if answer.stop_reason == "answered":
            return None  # of many things that nothing names
    return None


_LINKING = ("link_entities", "link_task_entities")
_CHANNELS = (
    ("previous", "previous"),
    ("answer", "the thread's answer"),
    ("remembered", "what the thread remembers"),
)


def remember(last: LastAnswers) -> dict[str, Any]:
    """Last answers in the form of `previous`, no bigger than a follow-up needs."""
    links = {mention: [{"id": key}] for mention, key in last.topics.items()}
    return {
        "question": last.question,
        "stop_reason": "answered",
        "answers": [{"id": key} for key in last.ids],
        "steps": [{"stage": "link_entities", "links": links}],
    }


def _read_answer(given: object, name: str) -> _Previous:
    try:
        return _Previous.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise UsageError(f"{name} must be an answer as it was given: {where}: {first['msg']}") from None


class _Entity(BaseModel):
    id: str = Field(min_length=1, max_length=2_000)


class _Assessed(BaseModel):
    about: str = Field(default="", max_length=2_000)


class _Option(BaseModel):
    id: str
    entities: list[str] = []


class _Logged(BaseModel):
    """A step; what it says of the question's entities is each method's own: `links`, `topics` or `sources`."""

    stage: str = ""
    links: dict[str, list[_Entity]] = {}
    topics: list[str] = []
    sources: list[str] = []
    candidates: list[_Option] = []
    assessed: _Assessed | None = None


class _Previous(BaseModel):
    """What is read of an answer."""

    question: str = Field(max_length=10_000)
    method: str = ""
    stop_reason: str = ""
    answers: list[_Entity] = Field(max_length=100_000)
    steps: list[_Logged] = Field(default=[], max_length=1_000)


def points_back(question: str) -> bool:
    """Whether a question may be about the last answers, by its words alone; English."""
    return bool(_pointing(question) or _NTH.search(question)) or continues(question)


def continues(question: str) -> bool:
    """Whether a question begins as one does that goes on from the last answers ("and …", "only those …"); English."""
    return any(opening.match(question) for opening in (_FIRST, _ONLY, _INSTEAD))


def opens(question: str) -> str:
    """A question without the words by which it goes on from another ("and …"); English."""
    return _FIRST.sub("", question).strip() or question


def asks_instead(question: str) -> str:
    """The name in "what about NAME?", which asks nothing by itself; "" for any other question. English."""
    found = _INSTEAD.match(question)
    return found[1] if found else ""


def points_outside(question: str, names: Collection[str] = ()) -> str:
    """The word by which a question speaks of something that it does not name ("did he direct Heat?"), or "".

    Such a question asks nothing by itself; without the word it would ask something else, of everything. A word counts
    only where nothing before it can be meant: no name, no noun phrase with an article, no clause. English.

    Args:
        question: in words.
        names: what is named in it, as mentions or labels.
    """
    pointing = {place for _, place in _pointing(question)}
    cleft = _CLEFT.match(question)
    if cleft and any(_place_of(name, question) == cleft.end() for name in names):
        pointing.discard(cleft.start(1))  # but "is it in the country that …" asks of what was spoken of
    nth = _NTH.search(question)
    if not pointing and nth is None:
        return ""
    found = list(_WORD.finditer(question))
    words = [fold_case(match[0]) for match in found]
    begin = next((at for at, word in enumerate(words) if word not in _PREPOSITIONS), 0)
    places = [*(_place_of(name, question) for name in names), *_unknown_names(question, found)]
    named = [place for place in places if place not in pointing]  # a novel "It" is not named by "it"
    if nth is not None:
        return "" if any(place < nth.start() for place in named) else nth[0]
    for at, match in enumerate(found):
        if any(place <= match.start() for place in named):
            return ""
        if match.start() in pointing and _is_outside(words[begin:at], *words[at : at + 2], named=bool(named)):
            return words[at]
        if words[at] in _BOUNDS and (at > begin or words[at] not in _ASKING):
            return ""
    return ""


def _unknown_names(question: str, words: Sequence[re.Match[str]]) -> list[int]:
    """Where numbers and capitals stand, behind the first word: what no entity is called may be a name all the same."""
    capitals = [match.start() for match in words[1:] if match[0][0].isupper()]
    return [*capitals, *(match.start() for match in re.finditer(r"\d+", question))]


def _is_outside(before: Sequence[str], word: str, behind: str = "", *, named: bool) -> bool:
    """Whether a pointing word of a question's first clause points to what the question does not name."""
    after_auxiliary = bool(before) and before[-1] in _AUXILIARIES
    if word == "it" and behind in _EXPLETIVE:
        return False
    if named:  # "which languages do they speak in Peru?", "where is she from, Shakira?"; but "is it by Hitchcock?"
        return word in {*_SINGULAR, "this"} and len(before) == 1 and after_auxiliary
    if _HAVING & set(before):  # "which dishes have butter in them?", "which firms have their seat in Oslo?"
        return False
    if word in _OWNERS and (word != "her" or behind):
        return after_auxiliary or set(before) <= _ASKING | _ORDERS | _PREPOSITIONS | {"many", "much"}
    if word in _SUBJECTS:
        return after_auxiliary
    if word in _DETERMINERS:
        return behind not in _TIMES
    asks = not before or before[0] in _ASKING | _AUXILIARIES | _ORDERS  # not "top 3 doctors by patients seen by them"
    return asks and (word in {"it", "him", "her", "them"} or (word == "those" and not behind))


def _place_of(name: str, question: str) -> int:
    """Where a name, or the first of its words that is there, stands in a question; 0 where none does."""
    folded = fold_case(question)
    places = [folded.find(word) for word in (fold_case(name), *fold_case(name).split())]
    return next((place for place in places if place >= 0), 0)


Decompose = Callable[[str, str], Awaitable[Decomposition]]
"""Decomposes a question over a KG: `(kg, question)`."""


async def resolve(
    question: str, last: LastAnswers, kg: str, decompose: Decompose = decompose_question
) -> Resolved | list[StandaloneQuestion]:
    """A question that points back: narrowed down, or its wordings, best meant first; none where it is another's."""
    if instead := _INSTEAD.match(question):
        found = _instead(instead[1], last, await get_labels(kg, list(last.topics.values())))
        return found if await _alike(instead[1], list(last.topics.values()), kg) else []
    text = opens(question)
    # Decomposed as it stands first: a question that names its own topic is no follow-up, however it begins.
    if _bare(_NTH.sub("", text)) and not (_OF_THEM.search(text) or _ONLY.match(text) or _DATE.search(text)):
        return []  # "her": what is meant, and nothing that is asked of it
    if nth := _NTH.search(text):
        return await _of_the_list(text, nth, last, kg)
    own, narrows = await decompose(kg, question), bool(_OF_THEM.search(text) or _ONLY.match(text))
    if _speaks_for_itself(question, own, narrows=narrows) or (narrows and not last.ids):
        return []
    hits = await hits_of(last.ids, kg)
    if (date := _DATE.search(text)) and (narrows or _bare(text[: date.start()])):
        return await _dated(_condition(date), hits, kg) or []
    if narrows:
        kind = await _kind(last.ids, kg)
        asked = re.sub(r"^(which|what|how many)\b", rf"\1 {kind}", text, flags=re.I)
        rest = _ONLY.sub(f"{kind} ", _OF_THEM.sub("", asked)).strip()
        if _pointing(_ONLY.sub("", _OF_THEM.sub("", text))):
            return []  # "which of those did she direct?"
        return _among(await decompose(kg, rest), last, rest)
    hits = await _entities(hits, kg)
    topics = await _entities(await hits_of(list(dict.fromkeys(last.topics.values()))[:_MOST], kg), kg)
    groups: list[Sequence[EntityHit]] = [hits] if hits else []
    if one := next((word for word, _ in _pointing(text) if word in _SINGULAR), ""):
        # One thing: perhaps not the answer, but what the last question was about.
        groups = await _fitting(one, [*groups, *([topic] for topic in topics[:_TRIED])], kg)
    elif hits and topics:  # many things are the answers, or all that the question was about
        groups.append(topics)
    spoken_of = dict.fromkeys((*last.ids, *last.topics.values())) if _OTHERS.search(text) else ()
    return [
        replace(wording, besides=tuple(key for key in spoken_of if key not in {hit.id for hit in wording.meant}))
        for group in groups
        for wording in _wordings(text, group, named=bool(own.links))
    ]


async def _of_the_list(text: str, nth: re.Match[str], last: LastAnswers, kg: str) -> list[StandaloneQuestion]:
    """The question about one of the last answers by its place among them: "who wrote the second one?"."""
    place = _PLACES[fold_case(nth[1])]
    if not -len(last.ids) <= place < len(last.ids):
        return []
    (hit,) = await hits_of([last.ids[place]], kg)
    return [StandaloneQuestion(text[: nth.start()] + hit.label + text[nth.end() :], (hit,), hit.id)]


async def _entities(hits: Sequence[EntityHit], kg: str) -> list[EntityHit]:
    """Without what is no entity: a year that was an answer, or what another program gives as one."""
    known = await describe_entities(kg, [hit.id for hit in hits], relations=False)
    return [hit for hit, entity in zip(hits, known, strict=True) if entity is not None]


async def _fitting(pronoun: str, groups: Sequence[Sequence[EntityHit]], kg: str) -> list[Sequence[EntityHit]]:
    """Those that a pronoun may mean: no persons for "it"; for "he" persons, or all where no type is a person's."""
    firsts = [group[0].id for group in groups]
    types = [entity.types for entity in await describe_entities(kg, firsts, relations=False) if entity is not None]
    persons = [_is_person(each) for each in types]
    if pronoun in {"it", "its"}:
        return [group for group, person in zip(groups, persons, strict=True) if not person]
    if fitting := [group for group, person in zip(groups, persons, strict=True) if person]:
        return fitting
    if any(_is_person(each.head_types) for each in await list_relations(kg)):
        return [group for group, each in zip(groups, types, strict=True) if not each]  # "he" is no film
    return list(groups)


def _is_person(types: Iterable[str]) -> bool:
    return bool(_PERSONS & {word for kind in types for word in relation_words(kind).split()})


async def _alike(name: str, topics: Sequence[str], kg: str) -> bool:
    """Whether a name is a person's, or none, as what is asked about so far; True where types do not say."""
    (hits,) = await find_entities(kg, [name], 1)
    ids = [*(hit.id for hit in hits), *topics]
    known = await describe_entities(kg, ids, relations=False)
    types = [entity.types for entity in known if entity is not None and entity.types]
    return not hits or len({_is_person(each) for each in types}) < 2


def _pointing(question: str) -> list[tuple[str, int]]:
    """The words that point back, and where they stand; a capital within the question makes one a title ("Her")."""
    return [
        (word, match.start())
        for match in _WORD.finditer(question)
        if (word := fold_case(match[0])) in _POINTING and (match.start() == 0 or match[0].islower())
    ]


def _speaks_for_itself(question: str, own: Decomposition, *, narrows: bool) -> bool:
    """Whether the question reads without the last answers: it names what its pronoun points to, or has no pronoun.

    A name behind the pronoun is something else that the question asks for ("which of them star Harrison Ford?"), one
    before it what the pronoun points to.
    """
    if not own.sub_questions:
        return False
    pointing = _pointing(question)
    if not pointing:
        return not narrows
    return any(0 <= question.find(mention) < pointing[0][1] for mention in own.links)


def _bare(text: str) -> bool:
    """Whether words say no more than that the last answers are meant."""
    return set(_WORD.findall(fold_case(text))) <= _POINTING | _NO_NOUNS


async def hits_of(ids: Sequence[str], kg: str) -> list[EntityHit]:
    """The last answers as look-ups would find them; their labels told apart by their ids where they are the same."""
    labels = await get_labels(kg, ids)
    names = [f"{label} [{key}]" if labels.count(label) > 1 else label for key, label in zip(ids, labels, strict=True)]
    return [EntityHit(key, name, 1.0, 0, "exact") for key, name in zip(ids, names, strict=True)]


async def _kind(ids: Sequence[str], kg: str) -> str:
    """What the last answers are called: their most frequent type in the plural, or nothing."""
    types = [
        kind for entity in await describe_entities(kg, ids[:_TRIED], relations=False) if entity for kind in entity.types
    ]
    return f"{max(types, key=types.count)}s" if types else "ones"


def _wordings(text: str, meant: Sequence[EntityHit], *, named: bool) -> list[StandaloneQuestion]:
    """The question about one of these, the first few of them, since one may bear a name that reads badly."""
    labels = [_LABELLED.sub("", hit.label) for hit in meant]
    together = _named(text, listed(labels[:NAMED], max(0, len(labels) - NAMED)))
    return [
        StandaloneQuestion(worded, tuple(meant), hit.id, named, whole)
        for hit, label in zip(meant[:_TRIED], labels, strict=False)
        for worded, whole in zip(_named(text, label), together, strict=True)
    ]


def _named(text: str, label: str) -> list[str]:
    """The question with what points back replaced by a name; where nothing does, the name behind it."""
    for match in _WORD.finditer(text):
        word = fold_case(match[0])
        if word not in _POINTING:
            continue
        before, after = text[: match.start()], text[match.end() :]
        if word in _OWNERS and (word != "her" or _WORD.match(after.lstrip())):
            return [f"{before}{label}'s{after}"]
        noun = re.match(r"\s+([^\W\d_]+)", after) if word in {"those", "these", "that", "this"} else None
        if noun and fold_case(noun[1]) not in _NO_NOUNS:
            return [
                f"{before}{label}{after[noun.end() :]}",
                f"{before}the{after[: noun.end()]} {label}{after[noun.end() :]}",
            ]
        return [f"{before}{label}{after}"]
    return [f"{text.rstrip('? ')} of {label}?"]


def from_all(found: Decomposition, one: str, hits: Sequence[EntityHit]) -> Decomposition:
    """Sub-questions that start from one of the last answers start from all of them.

    Args:
        found: the decomposition.
        one: the id of the one that stands for all, or the mention that does.
        hits: all of them.
    """
    stands_for = {one} | {mention for mention, links in found.links.items() if links and links[0].id == one}
    if not any(stands_for & set(sub.seed_entities) for sub in found.sub_questions):
        return found
    links = {mention: links for mention, links in found.links.items() if mention not in stands_for}
    links |= {hit.label: (hit,) for hit in hits}
    all_of_them = tuple(hit.label for hit in hits)
    subs = tuple(
        replace(sub, seed_entities=all_of_them) if stands_for & set(sub.seed_entities) else sub
        for sub in found.sub_questions
    )
    # The name that stood for all was ours, so what was left unread about it says nothing of the question.
    return replace(found, sub_questions=subs, links=links, unread=())


def ends(found: Decomposition) -> list[int]:
    """The sub-questions that no other starts from: what they find is the answer."""
    used = {dep for sub in found.sub_questions for dep in sub.dep}
    return [sub.id for sub in found.sub_questions if sub.id not in used]


def _among(found: Decomposition, last: LastAnswers, worded: str) -> Resolved:
    """Of what a question asks for, the last answers alone; without chains for it a plan may compute it."""
    only: dict[int, Condition] = {number: Among(op="among", ids=list(last.ids)) for number in ends(found)}
    return Resolved(found, f"narrowed down to the {len(last.ids)} last answers", only, worded, last.ids)


def _condition(date: re.Match[str]) -> Dated:
    words, year = " ".join(date[1].lower().split()), int(date[2])
    if words in _BEFORE:
        return Dated(op="before", year=year)
    if words in _AFTER:
        return Dated(op="after", year=year)
    if words == "since":
        return Dated(op="after", year=year - 1)
    return Dated(op="before", year=year + 1) if words in {"until", "up to"} else Dated(op="in", year=year)


async def _dated(condition: Dated, hits: Sequence[EntityHit], kg: str) -> Resolved | None:
    """The last answers by the hop that leads the most of them to a year."""
    hop = await _hop_to_years([hit.id for hit in hits], kg)
    if hop is None:
        return None
    words = relation_words(hop.relation)
    text = f"[mask] is the {words} of what?" if hop.inverse else f"what is the {words} of [mask]?"
    names = tuple(hit.label for hit in hits)
    sub = SubQuestion(0, text, (NO_DEPENDENCY,), names, chain=(hop,))
    found = Decomposition((sub,), {hit.label: (hit,) for hit in hits}, 1.0)
    return Resolved(found, f"the {len(hits)} last answers, {condition['op']} {condition['year']}", {0: condition})


async def _hop_to_years(ids: Sequence[str], kg: str) -> Hop | None:
    """The hop by which the most of these entities lead to a year."""
    reached: dict[Hop, set[str]] = {}
    around = await neighbors(kg, ids, limit=_AROUND)
    ends = list({triple.end for triples in around for triple in triples})
    years = {end for end, label in zip(ends, await get_labels(kg, ends), strict=True) if year_of(label) is not None}
    for key, triples in zip(ids, around, strict=True):
        for triple in triples:
            if triple.end in years:
                reached.setdefault(Hop(triple.relation, triple.inverse), set()).add(key)
    return max(sorted(reached), key=lambda hop: len(reached[hop]), default=None)


def _instead(name: str, last: LastAnswers, labels: Sequence[str]) -> list[StandaloneQuestion]:
    """The last question about something else: "what about Heat?"; `labels` are its topics'."""
    named = [*(mention for mention, key in last.topics.items() if mention not in {"", key}), *labels]
    found = (re.search(rf"(?<!\w){re.escape(each)}(?!\w)", last.question, re.IGNORECASE) for each in named)
    if (topic := next(filter(None, found), None)) is None:
        return []
    asked = last.question[: topic.start()] + name + last.question[topic.end() :]
    return [] if _pointing(asked) else [StandaloneQuestion(asked)]  # its own pronoun may have been another's
