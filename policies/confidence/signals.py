"""Signals of how certain an answer's reading is, and whether a text is a question for a KG at all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import pairwise, takewhile
from typing import Any

from trivium.kg.indexes.words import own_name
from trivium.kg.plans.plan import (
    Aggregate,
    ChainStep,
    Compare,
    Condition,
    Entities,
    Follow,
    HasType,
    Holds,
    Intersect,
    Minus,
    Node,
    NonEmpty,
    OfType,
    QueryPlan,
    Rows,
    Term,
    Top,
    Union,
    ValueOf,
    Where,
    nodes,
)
from trivium.kg.text import fold_case, singular, tokens
from trivium.kg.types import Hop, PropertyKind
from trivium.policies.reader.chains.decomposer import Decomposition
from trivium.policies.reader.chains.open_world import Support, asked_of
from trivium.policies.reader.english import classes, english
from trivium.policies.reader.names import words_of
from trivium.policies.reader.readings import Part, Reading, elements_of
from trivium.policies.reader.shapes import counts_one
from trivium.policies.reader.sketch import relations_walked
from trivium.policies.reader.tagging import UNREAD

_FAR = 8.0
"""Nats beyond which a lead says no more."""
_NAME = 0.84
"""Score of a match from which a name is the entity's."""
_SAID = 0.75
"""Score of a match from which a word says what it is read as."""
_OWN_WORD = 0.95
"""Score of a match from which a word is the graph's own."""
_RATED = frozenset({"popularity", "rating", "votes", "wealth"})
"""Columns by whose words "how" asks for what need be no number."""
_ASKED = 1 / 3
_ENDS_OF_NAME = (0, -1)
"""Places of the words of a name that people are called by, with others between them."""
_MOST_OF_NAME = 0.6
"""The share of a name's words from which its entity is named by them."""
_UNNAMED_SHARE = 0.75
"""The most that a reading's share tells where no word speaks for it: the one relation of a thing is alone by chance."""
_NONE_FULL = 2.0
"""Lead of the best reading where none reaches anything, in nats."""
_NATS = 3.0
"""Nats of one unit of a reading's score."""
_FEW = 0.02
"""The share of things of a kind that may be first together: 4 of 2,824 graphics cards."""
_MANY = 3.0
"""A natural logarithm: 19 and more are many."""
_LEAD = 3.0
"""Units of score by which no other reading is near."""
_PARTICIPLES = ("ed", "ing")
_LONG = 5
"""Letters of a word that may be a name in small letters."""
_HOW_MANY = {("how", "many"), ("how", "much")}
_MOST = 4.0
"""Words beyond which their number says no more."""


@dataclass(frozen=True, slots=True)
class AnswerSignals:
    """Signals of an answer; numbers only, each 0 where its reader did not read the question.

    Those of the chains that a decomposer chose:

    Attributes:
        gap: nats by which the best reading over the whole schema is ahead of the chosen one.
        foreign: words that speak for other relations than the chosen ones.
        strange: words that are like none of the schema's, and that the plan reader leaves unread too.
        odd: those of them that look like part of a name: capitals within the question, digits.
        unnamed: share of the chosen hops that no word speaks for; of a plan on a graph without types, the share of its
            relations.
        loose: names that the question gives in part, by initials or with a typo.
        wrong: names that have other words than the question's.
        gap_unsaid: `gap` where a hop is said by no word, or a word speaks for another relation.
        detour: 1 where the best reading over the whole schema is the end of a longer chain that was chosen, and no word
            speaks for some hop of that one.
        left: names in the question that the reading does not use.
        half: 1 where the question asks for a computation that neither the chains nor a plan make, or "how many", and
            the chains give things where the plan reader reads a figure.
        share: the share of the reading, and of those that reach the same, among all, in [0, 1]; with several topics the
            geometric mean a topic.
        beside: strange words right before a name, that say what it is: "the singer X".
        asked_for: 1 where a strange word is what the question asks for: "which team …".
        misfit: 1 where the answer is what another asking word or verb asks for: a birth for "when did X die?", a year
            for "who owns X?", a place for "the population of the setting of X"; where it is what another noun than the
            one that is asked for names: the owner, for "in which village does the owner of X live?"; where it is what
            something is asked about: penguins for "what do penguins eat?"; where a sort is asked of something else
            (`Reading.other_sort`); where it counts what the question names, or nothing by words that are only like
            the graph's; and where it is all of a kind, or their number, and a word that may say which is left unread.
        untrue: 1 where the question asks for yes or no and the answer is neither, or is one to a part of its words; and
            where it asks for something else and the answer is one.
        through: 1 where what is given is a fact of something that points to the thing that is named, by a relation that
            no word says: the salary of somebody in Limerick, for "the salary of Limerick".
        lacks: 1 where the plan reader finds nothing for a column that is asked for, or for what is to be grouped by.
        taught: 1 where pairs taught the decomposer.

    Those of the plan reader:

        plan: 1 where the answer is that of a plan, 0 where it is that of chains.
        read: 1 where the plan reader read the question.
        ahead: nats of words by which its best reading that reaches nothing is ahead of the best one that does.
        turned: 1 where its best reading reaches nothing, and the answer's walks the same relation the other way: who
            reports to X, for "who does X report to?".
        agrees: 1 where its best reading by words walks the relations of the chains, none the other way, unless both
            guess at a word.
        unread: content words that its best reading leaves unread, less `Reading.aside`.
        unused: operator words that it does not use; what only asks ("when", "what year") counts a third, since a
            relation to a year answers it too.
        weakest: score of the worst match of its words, in [0, 1].
        mean: mean score of the matches.
        height: its score without what execution says.
        thin: 1 where it reads no word but asking and function words.
        vague: names that it matches in part.
        trust: log-odds that its first reading is right by held-out pairs of the graph; 0 without any.
        kinds: nouns that nothing of the graph is called by, read as a kind of its things (`Reading.kinds`).
        guessed: columns that nothing in the question asks for (`Reading.guessed`).
        opposed: those of them of another dimension than is asked for (`Reading.opposed`).
        detoured: relations that no word says, beyond those between two kinds that the question speaks of
            (`Reading.between`), or beyond one, on a graph with types; one more where the noun for what they lead to is
            only like it: companies, for "children".
        borrowed: 1 where a column is that of what a thing is joined to, and no word says that (`Reading.borrowed`).
        back: 1 where it walks a relation and the same one back, and no word says so ("share"): other things of the
            recipes that it is in.
        tied: 1 where it ranks, and more are first than it asks for: what ranks them tells nothing of them.
        echo: 1 where it gives the very things that the question names, and no fact of them.
        vote: the share of its best readings that give the same as the first one, each by its score, in [0, 1].
        lead: by how much its score is above that of the best one that gives something else.
        alien: nouns for things that it leaves unread (`left_nouns`), on a graph with types, each by how unlike it is to
            all that the plan is about, in [0, 1] (`AskedKinds.strangeness`): concerts, for a count of crimes.
        typed: 1 where the graph's entities have types.
        size: natural logarithm of 1 + how many entities, values or rows it gives, at most `_MANY`.
    """

    gap: float = 0.0
    foreign: float = 0.0
    strange: float = 0.0
    odd: float = 0.0
    unnamed: float = 0.0
    loose: float = 0.0
    wrong: float = 0.0
    gap_unsaid: float = 0.0
    detour: float = 0.0
    left: float = 0.0
    half: float = 0.0
    share: float = 0.0
    beside: float = 0.0
    asked_for: float = 0.0
    misfit: float = 0.0
    untrue: float = 0.0
    through: float = 0.0
    lacks: float = 0.0
    taught: float = 0.0
    plan: float = 0.0
    read: float = 0.0
    ahead: float = 0.0
    turned: float = 0.0
    agrees: float = 0.0
    unread: float = 0.0
    unused: float = 0.0
    weakest: float = 0.0
    mean: float = 0.0
    height: float = 0.0
    thin: float = 0.0
    vague: float = 0.0
    trust: float = 0.0
    kinds: float = 0.0
    guessed: float = 0.0
    opposed: float = 0.0
    detoured: float = 0.0
    borrowed: float = 0.0
    back: float = 0.0
    tied: float = 0.0
    echo: float = 0.0
    vote: float = 0.0
    lead: float = 0.0
    size: float = 0.0
    typed: float = 0.0
    alien: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """As in the log of an answer; signals that are 0 left out."""
        return {each.name: round(value, 4) for each in fields(self) if (value := getattr(self, each.name))}


def signals_of(
    found: Decomposition | None,
    readings: Sequence[Reading],
    *,
    plan: bool,
    question: str = "",
    misfit: bool = False,
    figure: bool = False,
    truth: bool = False,
) -> AnswerSignals:
    """The signals of an answer that comes from a decomposition's chains, or from the first of the readings.

    Args:
        found: the decomposition; None without one.
        readings: the plan reader's, best first; empty where it read nothing.
        plan: whether the answer is the first reading's.
        question: in words.
        misfit: whether the answer is of another kind than the question asks for.
        figure: whether it is a number, date or time.
        truth: whether it is a property that is true or false.
    """
    known = found.support if found is not None else None
    walked = _walked(found) if found is not None else frozenset[str]()
    best = max(readings, key=lambda each: each.lexical, default=None)
    same = readings[:1] if plan else [each for each in readings if walked and elements_of(each.plan) == walked]
    kinds = [] if plan else [word for each in same[:1] for word in each.kinds]  # chains read no kinds of things
    unread = {word for each in same[:1] for text in (*_left(each), *kinds) for word in fold_case(text).split()}
    strange = [word for word in known.strange if not same or word in unread] if known else []
    strange = strange[: max(len(strange) - max((each.aside for each in same[:1]), default=0), 0)]
    truth = truth or (plan and isinstance(readings[0].plan, Holds | NonEmpty))
    judged = plan and truth
    apart = judged or (found is not None and bool(found.computes))  # its words ask for more than chains
    direct = plan and known is not None and known.detour and len(elements_of(readings[0].plan)) < known.hops
    if plan and known is not None and (apart or direct or not _uses(readings[0].plan, known.about)):
        # The chains are about something else, or make a detour that the plan does not.
        known = replace(known, gap=0.0, foreign=(), unnamed=0, loose=0, wrong=0, detour=False)
    if plan and known is not None and found is not None and not found.taught and _says_all(readings[0]):
        known = replace(known, gap=0.0, foreign=(), unnamed=0)
    if plan and known is not None and (_names_in_full(readings[0]) or _names_as_called(readings[0])):
        known = replace(known, loose=0, wrong=0)  # to chains, "Boston, Massachusetts" is one name of one thing
    owner = next((_owner_left(question, each) for each in same[:1]), "")
    misfit = (
        misfit
        or (truth and _asks_which([token.text for token in tokens(question)]))  # "is it A or B?" is no yes
        or bool(owner)
        or any(each.repeats and (plan or bool(strange)) for each in same[:1])
        or _sorts_others(same or readings)
        or (known is not None and known.misfit and not plan)
        or (figure and not unread.isdisjoint({*_kind_asked(question), *_measures()}))
        or any(_is_another_kind(question, each) for each in same[:1] if plan or _ends(each.plan))
        or any(map(_of_another_deed, same[:1]))
        or (not plan and any(map(_leaves_year, same[:1])))
    )
    out = {
        "plan": float(plan),
        "half": float(
            not plan and apart and (best is None or bool(best.unused) or (not figure and _reads_figure(question, best)))
        ),
        "misfit": float(misfit),
        "untrue": float(_is_untrue(question, truth=truth, left=readings[0].unread if plan else strange)),
        "through": float(_is_through(readings[0]) if plan else _goes_through(found, readings)),
        "lacks": float(any(each.lacks for each in same[:1])),
    }
    if found is not None:
        out |= _of_decomposition(found, known, strange)
    if known is not None:
        out |= _of_words(known, strange)
        if plan and found is not None and found.taught and _only_walks(readings[0].plan):
            out["gap_unsaid"] = out["gap"]  # pairs taught that the words mean what the entity lacks
    if plan and not readings[0].typed and not judged:
        out["unnamed"] = len(readings[0].unsaid) / max(len(set(relations_walked(readings[0].sketch))), 1)
    if best is not None:
        # Two guesses at a word that both cannot place, for a relation that no word names, are not two readings.
        guessed = known is not None and bool(strange or known.foreign) and known.unnamed >= known.hops
        ways = _ways_of_plan(best.plan)
        same_way = _same_way(_ways_of_chains(found), ways)
        agrees = bool(walked) and elements_of(best.plan) == walked and same_way and not guessed
        of_readings = _of_readings(
            readings, best, plan=plan, apart=apart, owner=owner, others=_asks_for_others(question)
        )
        out |= of_readings | {"agrees": float(agrees)}
        own = _ways_of_plan(readings[0].plan) if plan else _ways_of_chains(found)
        reaches = not best.empty or (judged and _same_answer(best, readings[0]))  # "no" either way
        out["turned"] = float(not reaches and own.keys() == ways.keys() and not _same_way(own, ways))
    return AnswerSignals(**out)


def _reads_figure(question: str, best: Reading) -> bool:
    """Whether a plan reads a column for "how many": "how many horses does X make?" asks for no maker."""
    return isinstance(best.plan, ValueOf) and bool(_counted([token.text for token in tokens(question)]))


def _sorts_others(readings: Sequence[Reading]) -> bool:
    """Whether a sort is asked of something else than the first of some readings gives it of."""
    return any(each.other_sort for each in readings[:1])


def _of_decomposition(found: Decomposition, known: Support | None, strange: Sequence[str]) -> dict[str, float]:
    starts = sum(sub.dep == (-1,) for sub in found.sub_questions)
    share = found.confidence ** (1 / max(starts, 1))
    if strange and known is not None and known.unnamed >= known.hops and not found.taught:
        share = min(share, _UNNAMED_SHARE)
    return {"taught": float(found.taught), "left": min(len(found.unread), _MOST), "share": share}


def _of_words(known: Support, strange: Sequence[str]) -> dict[str, float]:
    """What the question's words say of the chains; `strange`: those that nothing accounts for."""
    return {
        "gap": min(known.gap, _FAR),
        "foreign": min(len(known.foreign), _MOST),
        "strange": min(len(strange), _MOST),
        "odd": min(sum(word in known.names for word in strange), _MOST),
        "unnamed": known.unnamed / max(known.hops, 1),
        "beside": min(known.beside, _MOST),
        "asked_for": float(known.asked_for and bool(strange)),
        "loose": float(known.loose),
        "wrong": float(known.wrong),
        "gap_unsaid": min(known.gap, _FAR) if known.foreign or known.unnamed else 0.0,
        "detour": float(known.detour),
    }


def _of_readings(
    readings: Sequence[Reading], best: Reading, *, plan: bool, apart: bool, owner: str, others: bool
) -> dict[str, float]:
    """What the plan reader's readings say.

    Args:
        readings: best first.
        best: the best by words alone.
        plan: whether the first one's plan answers.
        apart: whether they ask for more than chains.
        owner: as `_owner_left` gives it.
        others: whether others than what is named are asked for.
    """
    computes = isinstance(best.plan, Holds | NonEmpty) or apart  # "no" is an answer, and so is 0
    most = max((each.lexical for each in readings if not each.empty), default=best.lexical - _NONE_FULL)
    top = readings[0] if plan else best
    liked = bool(owner) and all(owner not in fold_case(text).split() for text in top.unread)
    back = any(_walks_back(node) for node in nodes(top.plan))
    # "Who shares a house with X?" says the way there and back.
    shared = back and not classes().same.isdisjoint(fold_case(word) for word in top.unread)
    told = back and top.typed and top.nouns > 0  # "ports in the country that X is in"
    told = told or (back and others and not top.unsaid)  # "what other cars does the maker of the Passat make?"
    scores = [min(max(part.score, 0.0), 1.0) for part in top.parts] or [0.0]
    out = {
        "read": 1.0,
        "ahead": 0.0 if computes else max(0.0, best.lexical - most),
        "unread": min(max(len(top.unread) + liked - top.aside - shared, 0), _MOST),
        "unused": min(sum(_ASKED if _asks(word) else 1.0 for word in top.unused), _MOST),
        "weakest": min(scores),
        "mean": sum(scores) / len(scores),
        "height": max(min(top.lexical + UNREAD * top.aside, 2.0), -4.0),
        "thin": float(all(_says_nothing(part.word) for part in top.parts)),
        "vague": float(_vague_words(top)),
        "trust": (top.trust or 0.0) if plan else 0.0,
        "kinds": float(len(top.kinds)) if plan else 0.0,
    }
    if plan:
        out |= {
            "guessed": min(len(top.guessed), _MOST),
            "opposed": min(len(top.opposed), _MOST),
            "detoured": float(max(len(top.unsaid) - max(len(top.between), 1), 0) + _leads_to_like(top))
            if top.typed
            else 0.0,
            "borrowed": float(bool(top.borrowed)),
            "back": float(back and not (shared or told)),
            "tied": float(_is_tied(top)),
            "echo": float(_is_echo(top) or _is_between(top)),
        }
    return out | (
        {"odd": min(sum(_is_name(word) for word in top.unread), _MOST), **_of_answers(readings)} if plan else {}
    )


def _asks_for_others(question: str) -> bool:
    return any(token.text in classes().exclusion for token in tokens(question))


def _of_answers(readings: Sequence[Reading]) -> dict[str, float]:
    """What the answers of the best readings say of the first one's."""
    first = readings[0]
    if first.outcome is None:
        return {}
    weights = [math.exp(_NATS * (each.score - first.score)) for each in readings]
    same = [each is first or _same_answer(each, first) for each in readings]
    others = [each.score for each, is_same in zip(readings, same, strict=True) if not is_same]
    return {
        "vote": sum(weight for weight, is_same in zip(weights, same, strict=True) if is_same) / sum(weights),
        "lead": min(first.score - max(others, default=-math.inf), _LEAD),
        "typed": float(first.typed),
        "size": min(math.log1p(max(first.outcome.size, 0)), _MANY),
    }


def _same_answer(one: Reading, other: Reading) -> bool:
    known = one.outcome and other.outcome and one.outcome.answer is not None
    return bool(known and one.outcome and other.outcome and one.outcome.answer == other.outcome.answer)


def _only_walks(plan: QueryPlan) -> bool:
    """Whether a plan is chains from named entities, without types, conditions and computations."""
    return all(isinstance(node, Entities | Follow | ChainStep | Intersect | ValueOf | Term) for node in nodes(plan))


def _is_another_kind(question: str, reading: Reading) -> bool:
    """Whether a plan gives something else than the question's words ask for."""
    return (
        _merely_exists(reading.plan)
        or _joins_unsaid(reading)
        or _is_of_a_compound(question, reading)
        or _is_figure(question, reading.plan)
        or _of_another_deed(reading)
        or _counts_nothing(reading)
        or _leaves_what_is_asked(question, reading)
        or _of_another_thing(reading)
        or _gives_another_thing(question, reading)
        or _ranks_by_another(question, reading)
        or _gives_all(question, reading)
        or _says_no_fact(reading)
        or _counts_another_thing(question, reading)
        or _counts_unread(question, reading)
    )


def _merely_exists(plan: QueryPlan) -> bool:
    """Whether a plan says yes because a walk of several hops from one entity leads somewhere: nobody asks whether."""
    return isinstance(plan, NonEmpty) and isinstance(plan.source, Follow) and len(plan.source.steps) > 1


def _joins_unsaid(reading: Reading) -> bool:
    """Whether yes or no is said of what no word says, and what is asked is unread: "are A and B disjoint?"."""
    steps = (node for node in nodes(reading.plan) if isinstance(node, ChainStep))
    walked = {step.relation for step in steps} if isinstance(reading.plan, NonEmpty) else set()
    return bool(walked and reading.unread) and reading.unsaid >= walked


def _of_another_deed(reading: Reading) -> bool:
    """Whether "when" or "where" alone says what is given, and not the verb: a birth, for "when did X die?".

    A birthplace, for "where is X buried?".
    """
    asks = [part for part in reading.parts if _is_when(fold_case(part.word).split())]
    said = {own_name(part.element) for part in reading.parts if part.score > 0}
    plan = reading.plan
    alone = isinstance(plan, ValueOf) or (
        isinstance(plan, Follow) and len(plan.steps) == 1 and said.isdisjoint({plan.steps[0].relation})
    )
    return bool(asks) and reading.verbs > 0 and alone


def _is_when(words: Sequence[str]) -> bool:
    """Whether words ask for a time or place: "when", "which years"."""
    if len(words) == 1:
        return words[0] in classes().when_where
    return len(words) == 2 and words[0] in english().which and _is_time(words[1])


def _is_time(noun: str) -> bool:
    return "when" in english().asked.get(english().stem(noun), {})


def _of_another_thing(reading: Reading) -> bool:
    """Whether a value is given of what a named thing is joined to, and no word says either: a boat's year as an age.

    "How old is Ann?" is no question about what she owns.
    """
    if not isinstance(reading.plan, ValueOf) or len(reading.plan.columns) != 1:
        return False
    (column,) = reading.plan.columns
    said = {own_name(part.element) for part in reading.parts if part.score > 0}
    walked = {step.relation for step in column.steps}
    # "When did Ann become a customer?": that she is one says no order of hers.
    nouns = {fold_case(part.word) for part in reading.parts if part.score > 0}
    own = {step.relation for step in column.steps[:1] if step.direction == "in" and own_name(step.relation) in nouns}
    own = set() if reading.nouns else own
    return bool(walked) and walked.issubset(reading.unsaid | own) and column.property not in said


def _leaves_what_is_asked(question: str, reading: Reading) -> bool:
    """Whether no word of a plan accounts for what is asked of something: "what is the population of the home of X"."""
    words = [fold_case(token.text) for token in tokens(question)]
    place = asked_of(words)
    left = {word for text in reading.unread for word in fold_case(text).split()}
    return place >= 0 and words[place] in left and reading.aside == 0


def _leaves_year(reading: Reading) -> bool:
    """Whether a year is left unread beside what a column of another year says: "the population of Ajax in 1950"."""
    years = {word for word in reading.unread if word.isdigit() and len(word) == len("2000")}
    columns = {node.property for node in nodes(reading.plan) if isinstance(node, Term)}
    return bool(years) and any(part.isdigit() for column in columns for part in words_of(column))


def _is_of_a_compound(question: str, reading: Reading) -> bool:
    """Whether a column is given for a noun that only begins with its name: profits, for "the profit *margin* of X".

    A part of a name says less: "flash point" of a `t_flash`.
    """
    left = {word for text in reading.unread for word in fold_case(text).split()}
    words = [token.text for token in tokens(question)]
    whole = {fold_case(part.word) for part in reading.parts if len(words_of(own_name(part.element))) == 1}
    return isinstance(reading.plan, ValueOf) and any(
        one in whole and other in left and after == "of" and other.isalpha()
        for one, other, after in zip(words, words[1:], words[2:], strict=False)
    )


def _ranks_by_another(question: str, reading: Reading) -> bool:
    """Whether what things are ranked by is left unread: speed, for "which car has the highest top speed?".

    Or what is done most often: returns, for "which product gets returned most often?".
    """
    if not any(isinstance(node, Top) for node in nodes(reading.plan)):
        return False
    words = [token.text for token in tokens(question)]
    left = {word for text in reading.unread for word in fold_case(text).split()}
    for place, word in enumerate(words[2:], 2):
        if word in english().superlatives and words[place - 1] == "the" and words[place - 2] in classes().having:
            named = takewhile(lambda each: not _says_nothing(each), words[place + 1 :])
            noun = [each for each in named if each not in english().superlatives]
            if noun and left.issuperset(noun):
                return True
        if words[place - 1] == "most" and word in ("often", "frequently"):
            deeds = {*words[place - 2 : place - 1], *words[place + 1 : place + 2]}
            if any(each in left and each.endswith(_PARTICIPLES[0]) for each in deeds):
                return True
    return False


def _leads_to_like(reading: Reading) -> bool:
    """Whether several relations that no word says lead to what a noun is only like."""
    said = next((part for part in reading.parts if part.score > 0), None)
    return len(reading.unsaid) > 1 and said is not None and said.score < _OWN_WORD and "." not in said.element


def _says_all(reading: Reading) -> bool:
    """Whether a plan on a graph with types leaves no word unread, and a word or a type says each relation it walks."""
    said = any(part.score > 0 for part in reading.parts)
    return said and reading.typed and not (reading.unread or reading.unused or reading.unsaid or reading.kinds)


def _names_in_full(reading: Reading) -> bool:
    """Whether a plan reads all of a question, and a name of it to the letter."""
    names = [part.score for part in reading.parts if _is_name(part.word) and part.score > 0]
    named = any(part.score >= _OWN_WORD and fold_case(part.word) == fold_case(part.element) for part in reading.parts)
    named = named or min(names, default=0.0) >= _OWN_WORD  # "Turkish" of Turkiye
    return named and not reading.unread and not _vague_words(reading)


def _names_as_called(reading: Reading) -> bool:
    """Whether a plan reads names in part, all of them as people call one."""
    return any(map(_is_vague, reading.parts)) and not _vague_words(reading)


def _gives_another_thing(question: str, reading: Reading) -> bool:
    """Whether no word of a plan accounts for the noun that is asked for, and it gives what another noun names.

    The owner, for "in which village does the owner of X live?" and "where does the owner of X live?"; the ward, for
    "the diagnoses of the stay X".
    """
    ends = _ends(reading.plan)
    if ends is None or (_chooses(reading.plan) and not reading.unread):  # it is what the question names
        return False
    words = [token.text for token in tokens(question)]
    unread = {word for text in reading.unread for word in fold_case(text).split()}
    kinds = {word for text in reading.kinds for word in fold_case(text).split()}
    parts = [(part.element, [token.text for token in tokens(part.word)]) for part in reading.parts if part.score > 0]
    read = {word for _, said in parts for word in said} - kinds
    if _is_left_of(words, unread, kinds, read):
        return True
    if _gives_heads(reading.plan, parts):
        return False
    left = _is_left_after_which(words, unread | kinds, read) or (
        reading.verbs > 0 and _asks_what_is_done(words, unread)
    )
    return left and _is_named(words, parts, ends, read)


def _chooses(plan: Node) -> bool:
    """Whether a plan gives one of several things that are named, by their own: "which is cheaper, A or B?"."""
    return (
        isinstance(plan, Top)
        and not plan.by.steps
        and isinstance(plan.source, Union)
        and all(isinstance(each, Entities) for each in plan.source.sets)
    )


def _gives_heads(plan: Node, parts: Sequence[tuple[str, Sequence[str]]]) -> bool:
    """Whether a plan gives what has something that a noun names: "which subdivisions have the type Canton?".

    A noun that is the relation's own name is for its tails: no subdivision is the type. An owner is a head of `owns`.
    """
    while isinstance(plan, Where | Top | Minus):
        plan = plan.source
    if not isinstance(plan, Follow) or plan.steps[-1].direction != "in":
        return False
    relation = own_name(plan.steps[-1].relation)
    last = english().stem(words_of(relation)[-1])
    said = {english().stem(word) for element, words in parts if own_name(element) == relation for word in words}
    return last in said and last not in english().stop


def _owner_left(question: str, reading: Reading) -> str:
    """The noun for whose fact is asked for, where nothing accounts for it and the fact is of what is named; else "".

    "What language does the *director* of X speak?", answered by the film's. A noun that is only like the kind of what
    is named ("director", read as a film), or that only says that X has one, accounts for nothing.
    """
    plan = reading.plan
    ends = frozenset({plan.columns[0].property}) if isinstance(plan, ValueOf) else _ends(plan)
    naming = {
        fold_case(part.word) for part in reading.parts if part.score > 0 and own_name(part.element) in (ends or ())
    }
    said, beside = elements_of(plan), {name for node in nodes(plan) for name in _beside_named(node)}
    if not naming or not said - beside <= (ends or frozenset()):  # it may say what else is walked
        return ""
    words = [token.text for token in tokens(question)]
    liked = [
        part
        for part in reading.parts
        if own_name(part.element) in beside or (0 < part.score < _SAID and own_name(part.element) not in said)
        if fold_case(part.word) not in naming
    ]
    left = {word for text in (*reading.unread, *(part.word for part in liked)) for word in fold_case(text).split()}
    read = {word for part in reading.parts for word in fold_case(part.word).split()} - left
    for part in reading.parts:
        name = [token.text for token in tokens(part.word)]
        whole = sorted(name) == sorted(token.text for token in tokens(part.element))  # "Kim Jae-Hwan", Jae-Hwan Kim
        if part.score < _NAME or not whole or part.element in said:
            continue
        for start in (place for place in range(1, len(words)) if words[place : place + len(name)] == name):
            of, owners = start - 1 - (words[start - 1] == "the"), words[start + len(name) :][:2]
            if words[of] == "of" and of - 1 != asked_of(words) and "the" in words[max(of - 3, 0) : of - 1]:
                # But not the "number" of "the telephone number of X".
                owners = ["s", words[of - 1]] if words[of - 2] not in read else []
            if start > 1 and words[start - 2] in english().which:  # "which of X's boats": they are asked for
                continue
            if owners[:1] == ["s"] and not left.isdisjoint(owners[1:]):
                return owners[1]
    return ""


def _beside_named(node: Node) -> frozenset[str]:
    """The types and relations of what a set of named things is only intersected with."""
    if not isinstance(node, Intersect) or not any(isinstance(each, Entities) for each in node.sets):
        return frozenset()
    others = [each for each in node.sets if not any(isinstance(part, Entities) for part in nodes(each))]
    types = {part.type for each in others for part in nodes(each) if isinstance(part, OfType)}
    return frozenset(types.union(*(elements_of(each) for each in others)))


def _ends(plan: Node) -> frozenset[str] | None:
    """The relations and types that say what a plan's set is; None of what gives no set."""
    match plan:
        case Follow(steps=steps):
            return frozenset({steps[-1].relation})
        case OfType(type=name):
            return frozenset({name})
        case Intersect(sets=sets) | Union(sets=sets):
            return frozenset().union(*(_ends(each) or () for each in sets))
        case Where(source=source) | Top(source=source) | Minus(source=source):
            return _ends(source)
        case Entities():
            return frozenset()
    return None


def _is_left_of(
    words: Sequence[str], unread: AbstractSet[str], kinds: AbstractSet[str], read: AbstractSet[str]
) -> bool:
    """Whether the noun that a question begins with and asks of something is left: "what are the diagnoses of …"."""
    if "of" not in words:
        return False
    end = words.index("of")
    begin = next((place for place in range(end, 0, -1) if _says_nothing(words[place - 1])), 0)
    noun, before = words[begin:end], words[:begin]
    ranked = any(word in english().superlatives for word in noun)
    named = [word for word in noun if word not in _computed() and word not in english().superlatives]
    left = unread | kinds if before[-1:] == ["the"] and not ranked else unread
    first = all(_says_nothing(word) or word in classes().auxiliaries | english().commands for word in before)
    return first and before[-1:] != ["in"] and bool(named) and named[-1] in left and read.isdisjoint(named)


@cache
def _computed() -> frozenset[str]:
    """Words for sums and the like, and for orders: none of them is what is asked for."""
    return frozenset(word for phrase in english().aggregates for word in phrase) | frozenset(english().commands)


def _is_left_after_which(words: Sequence[str], unread: AbstractSet[str], read: AbstractSet[str]) -> bool:
    """Whether the noun right after "which" is left: "in which village …"."""
    for place in (place for place, word in enumerate(words) if word in english().which):
        noun = [*takewhile(lambda word: not _says_nothing(word), words[place + 1 : place + 3])]
        if noun and noun[0] in unread and read.isdisjoint(noun):
            return True
    return False


def left_noun(question: str, found: Decomposition | None, plan: Reading | None) -> str:
    """The noun that is asked for and that nothing accounts for, "" where there is none: "in which *hospital* was …".

    A verb behind it is no part of it: "which *judge* eliminated Gia?", "which *museum* shows the emerald?".

    Args:
        question: in words.
        found: the decomposition whose chains answer.
        plan: the reading that answers in their place.
    """
    if plan is not None:
        left = {word for text in (*plan.unread, *plan.kinds) for word in fold_case(text).split()}
    else:
        left = set(found.support.strange) if found is not None and found.support is not None else set()
    words = [token.text for token in tokens(question)]
    for place in (place for place, word in enumerate(words) if word in english().which):
        noun = [*takewhile(lambda word: not _says_nothing(word), words[place + 1 : place + 3])]
        if noun and noun[0] in left and (noun[1:] == [] or noun[1] in left or _is_deed(noun[1], words, found)):
            return noun[0]
    return ""


def _is_deed(word: str, words: Sequence[str], found: Decomposition | None) -> bool:
    """Whether a word behind a noun is a verb by its form: a past one, or one with "s" right before a name."""
    after = words[words.index(word) + 1 :]
    names = [[token.text for token in tokens(mention)] for mention in (found.links if found is not None else ())]
    before_name = any(name == after[: len(name)] or name == after[1 : len(name) + 1] for name in names if name)
    return word.endswith(_PARTICIPLES[0]) or word in english().irregular or (_is_plural(word) and before_name)


def left_nouns(question: str, reading: Reading) -> list[str]:
    """The nouns for things that no word of a plan accounts for: "how many *concerts* were looked into by officers".

    A plural that follows no one who might do it ("who owns"), or what is asked for, or stands behind "a" or behind a
    name with "the": "the Glass Harbour *replica*". No unit, no word that says little, and none right before a noun that
    is read.
    """
    language, words = english(), [token.text for token in tokens(question)]
    left = {word for text in reading.unread for word in fold_case(text).split()}
    read = {word for part in reading.parts if part.score > 0 for word in fold_case(part.word).split()}

    def is_one(word: str) -> bool:  # who or what does something
        several = _is_plural(word) or word.endswith(_PARTICIPLES)
        return word in classes().subjects or (word in read and not several)

    named = _behind_names(words, reading)
    out = []
    for place, word in enumerate(words):
        before, after = words[place - 1] if place else "", words[place + 1] if place + 1 < len(words) else ""
        says_little = language.stem(word) in language.generic or word in language.stop or word in language.irregular
        if word not in left or says_little or not word.isalpha() or word.endswith(_PARTICIPLES):
            continue
        if word in language.units or singular(word) in language.units:
            continue
        ends = not after or after in language.stop or after in left or after.endswith(_PARTICIPLES)
        asked = before in language.which or before in ("many", "a", "an")
        if place in named or (not is_one(before) if _is_plural(word) else (asked and ends)):
            out.append(word)
    return out


def left_topics(question: str, reading: Reading) -> list[str]:
    """The words that nothing accounts for right behind a preposition, of five letters and more: "of *phenacetin*"."""
    left = {word for text in reading.unread for word in fold_case(text).split()}
    words = [token.text for token in tokens(question)]
    said = (word for before, word in pairwise(words) if before in classes().prepositions and word in left)
    return [word for word in said if word.isalpha() and len(word) >= _LONG]


def _behind_names(words: Sequence[str], reading: Reading) -> set[int]:
    """The places right behind a name that has "the" before it, where nothing is done: "is the Ford factory in Ulm?"."""
    out = set[int]()
    for part in reading.parts:
        name = [token.text for token in tokens(part.word)]
        own = [token.text for token in tokens(part.element)]
        if not _is_name(part.word) or name[:1] == ["the"] or not set(name) <= set(own):
            continue
        for start in range(1, len(words) - len(name)):
            said = words[start : start + len(name)] == name and words[start - 1] == "the" and own[:1] != ["the"]
            if said and classes().do.isdisjoint(words[:start]):
                out.add(start + len(name))
    return out


def names_of_plan(reading: Reading) -> frozenset[str]:
    """The words for what a plan is about: of its types, relations and properties, and those that were read as such."""
    said = [part for part in reading.parts if part.score > 0]
    names = [*elements_of(reading.plan), *(part.word for part in said)]
    names += [node.type for node in nodes(reading.plan) if isinstance(node, OfType | HasType)]
    names += [own_name(part.element.partition(".")[0]) for part in said if " = " not in part.element]
    return frozenset(word for name in names for word in words_of(name) if word.isalpha())


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss")


def last_step(found: Decomposition | None, plan: QueryPlan | None) -> Hop | None:
    """The step that leads to what a plan gives, without a plan what chains do; None where it is no thing."""
    if plan is None:
        chains = [sub.chain for sub in found.sub_questions if sub.chain] if found is not None else []
        return chains[-1][-1] if chains else None
    while isinstance(plan, Where | Top | Minus):
        plan = plan.source
    if not isinstance(plan, Follow):
        return None
    return Hop(plan.steps[-1].relation, plan.steps[-1].direction == "in")


def _asks_what_is_done(words: Sequence[str], unread: AbstractSet[str]) -> bool:
    """Whether something is asked of who is named: "where does …", "when was …"; or of who does it: "who cleans …".

    "Who serves as the mayor of X?" asks for the mayor.
    """
    for place, word in enumerate(words[:-1]):
        then, after = words[place + 1], words[place + 2 : place + 3]
        if word in classes().asking and (
            then in classes().do
            or (word in classes().when_where and then in classes().being)
            or (word == "who" and then in unread and after != ["as"])
        ):
            return True
    return False


def _is_named(
    words: Sequence[str], parts: Sequence[tuple[str, Sequence[str]]], ends: AbstractSet[str], read: AbstractSet[str]
) -> bool:
    """Whether a noun of the question, and no verb, names what is given: "the owner", "her owner", "X's owner"."""

    def is_noun(said: Sequence[str]) -> bool:
        marked = {"the", "s"} | classes().ones_own
        places = [place for place in range(1, len(words)) if words[place : place + len(said)] == said]
        between = [place for place in places if place > 1 and words[place - 1] not in read]
        return any(words[place - 1] in marked for place in places) or any(
            words[place - 2] in marked - {"s"} for place in between
        )

    naming = [said for element, said in parts if element in ends or own_name(element) in ends]
    return all(map(is_noun, naming)) if naming else any(is_noun(said) for _, said in parts[:-1])


def _counts_nothing(reading: Reading) -> bool:
    """Whether a plan counts what the question names, or nothing by words that are only like the graph's.

    No children, by "company" or by a relation that no word says, are none to speak of, one ship that is named is no
    count ("how many meters in a furlong"), and two namesakes have no sum.
    """
    if not isinstance(reading.plan, Aggregate):
        return False
    likest = [part.score for part in reading.parts if part.score > 0]
    paired = reading.sketch[:1] == ("walks",)  # how often one named thing is joined with another
    unsaid = reading.typed and bool(reading.unsaid if paired else reading.unsaid - reading.between)
    none = bool(reading.empty) and (min(likest, default=0.0) < _OWN_WORD or unsaid)
    source = reading.plan.source
    if isinstance(source, Intersect) and reading.plan.function == "count":
        none = none or _counts_what_is_not_said(reading)
        return none or any(isinstance(each, Entities) and len(each.ids) == 1 for each in source.sets)
    if counts_one(reading.sketch):
        return True  # whether one has patents, which is 1 where it does
    if not isinstance(source, Entities):
        return none
    return none or bool(reading.empty) or reading.plan.function == "count" or len(source.ids) > 1


def _counts_what_is_not_said(reading: Reading) -> bool:
    """Whether a plan counts what several named things are all joined with, and no word says what, or how."""
    said = any(fold_case(part.word) in classes().persons for part in reading.parts)
    walked = set(relations_walked(reading.sketch))
    return reading.typed and not (said or reading.nouns or reading.kinds) and len(reading.unsaid) == len(walked) > 0


def _says_no_fact(reading: Reading) -> bool:
    """Whether some fact of a named thing is given that no word says, for a noun that nothing of the graph is called by.

    Its home port, for "what color is the hull of the Nordlys?".
    """
    plan = reading.plan
    if not isinstance(plan, Follow) or not reading.kinds:
        return False
    outward = all(step.direction == "out" for step in plan.steps)
    return outward and reading.unsaid >= {step.relation for step in plan.steps}


def _gives_all(question: str, reading: Reading) -> bool:
    """Whether a plan gives all of a kind, or their number, and leaves a word unread: "which lines are electrified".

    Or what a column says of them all: "the CAS number of phenacetin", which is none of them.
    What holds them all says nothing of which: "in the tracker". So does that there are some: "is the foo an SI unit?".
    Nor is a condition met that the question only begins: "which contestants come from ?".
    """
    plan = reading.plan.source if isinstance(reading.plan, NonEmpty) else reading.plan
    counts = isinstance(plan, Aggregate) and plan.function == "count"
    source = plan.source if isinstance(plan, ValueOf) or (isinstance(plan, Aggregate) and counts) else plan
    while counts and isinstance(source, Where) and _is_of_a_time(source.condition):
        source = source.source  # "how many orders were cancelled in 2016": all orders of then
    counted = (counts or isinstance(plan, ValueOf)) and isinstance(source, OfType)
    walked = isinstance(source, Follow) and isinstance(source.source, OfType)  # "songs about love": of all bands
    words = [token.text for token in tokens(question)]
    left = [
        word
        for text in reading.unread
        for word in fold_case(text).split()
        if word not in words or not _holds_all(words, words.index(word))
    ]
    begun = words[-1:] != [] and words[-1] in classes().prepositions | {"than"}  # "which contestants come from ,"
    return (bool(left) or (begun and not walked)) and (counted or walked or isinstance(plan, OfType))


def _is_of_a_time(condition: Condition) -> bool:
    """Whether a condition says no more than when."""
    return isinstance(condition, Compare) and condition.left.part != ""


def _holds_all(words: Sequence[str], place: int) -> bool:
    """Whether a word says what the things that are asked for are in: "in the tracker", "of our club"."""
    before = words[max(place - 2, 0) : place]
    return len(before) > 1 and before[0] in classes().inside and before[1] in classes().before_wholes


def _walks_back(node: Node) -> bool:
    """Whether a set or column is reached by a relation and, at once, the same one the other way."""
    steps: tuple[ChainStep, ...] = node.steps if isinstance(node, Term) else ()
    while isinstance(node, Follow):
        steps, node = (*node.steps, *steps), node.source
    ways = [(step.relation, step.direction) for step in steps]
    return any(one[0] == other[0] and {one[1], other[1]} == {"in", "out"} for one, other in pairwise(ways))


def _is_echo(reading: Reading) -> bool:
    """Whether a plan gives the very things that the question names, or may give but the one of them: its highest.

    So does one that only says whether what is named goes with something else: Hamburg's airport, for "which train goes
    from Bern to Hamburg?".
    """
    plan = reading.plan
    if all(isinstance(node, Entities | Union | Intersect) for node in nodes(plan)):
        return True
    source: Node = plan
    while isinstance(source, Top):
        source = source.source
    sets = source.sets if isinstance(source, Intersect) else (source,)
    one = any(isinstance(each, Entities) and len(each.ids) == 1 for each in sets)
    return one if source is not plan or len(sets) > 1 else False


def _is_between(reading: Reading) -> bool:
    """Whether a plan gives what lies at one of two ends that are named alike, and no noun of the question is for that.

    Two ends are values of one column, a relation apart.
    """
    plan = reading.plan
    if not isinstance(plan, Intersect):
        return False
    own = [found for each in plan.sets if (found := _named_by_column(each))]
    starts = [_named_by_column(each.source) for each in plan.sets if isinstance(each, Follow)]
    ends = {kind for kind, _ in own}
    said = any(part.score >= _SAID and own_name(part.element) in ends for part in reading.parts)
    return not said and any(each in own for each in starts if each)


def _named_by_column(node: Node) -> tuple[str, str] | None:
    """The type and the column by whose value things are named; None of another set."""
    match node:
        case Where(source=OfType(type=kind), condition=Compare(left=Term(steps=(), property=name), operator="=")):
            return kind, name
    return None


def _is_tied(reading: Reading) -> bool:
    """Whether many more things are first than a plan ranks for; a few that share the first place are all first."""
    plan, outcome = reading.plan, reading.outcome
    if not isinstance(plan, Top) or plan.limit is None or outcome is None or outcome.size <= plan.limit:
        return False
    named = all(isinstance(node, Entities | Union) for node in nodes(plan.source))  # "A or B"
    return named or outcome.size > _FEW * reading.among


def _counts_another_thing(question: str, reading: Reading) -> bool:
    """Whether a figure is given for "how many calories …" that counts something else: for how many it is."""
    counted = _counted([token.text for token in tokens(question)])
    return isinstance(reading.plan, ValueOf) and any(fold_case(kind) in counted for kind in reading.kinds)


def _counts_unread(question: str, reading: Reading) -> bool:
    """Whether a count leaves unread what is to be counted: "how many feet are in a mile"."""
    if not isinstance(reading.plan, Aggregate) or reading.plan.function != "count" or reading.aside:
        return False
    left = {word for text in reading.unread for word in fold_case(text).split()}
    words = [token.text for token in tokens(question)]
    last = next((place for place in range(2, len(words)) if tuple(words[place - 2 : place]) in _HOW_MANY), 0)
    alone = last and (
        last + 1 == len(words) or _says_nothing(words[last + 1]) or words[last + 1] in classes().auxiliaries
    )
    return bool(alone) and words[last] in left


def _counted(words: Sequence[str]) -> tuple[str, ...]:
    """What follows "how many" or "how much"."""
    return tuple(words[place] for place in range(2, len(words)) if tuple(words[place - 2 : place]) in _HOW_MANY)


def _is_untrue(question: str, *, truth: bool, left: Sequence[str]) -> bool:
    """Whether a question for yes or no gets something else, or one to a part of its words, or another one gets it."""
    if asks_truth(question):
        return not truth or bool(left)
    words = [token.text for token in tokens(question)]
    if truth and _asks_which(words):
        return True  # "is it A or B?" is not answered by yes
    first = next((word for word in words if word not in classes().leading), "")
    return truth and first in classes().asking  # "in which month was X inducted?" is not answered by yes


def _is_through(reading: Reading) -> bool:
    """Whether a plan goes on from what points to a named thing, by a relation that no word says: "is Ghana organic?".

    A noun may say what is gone through: "which buyers has the supplier X?", "the ingredients of the British dishes".
    """
    if reading.nouns > (0 if reading.typed else 1):
        return False
    plan: QueryPlan | Rows = reading.plan
    after: tuple[ChainStep, ...] = ()
    value = ChainStep("", "out")  # the value itself is a step further
    if isinstance(plan, NonEmpty):
        plan = plan.source
        if isinstance(plan, Where):
            plan, after = plan.source, (value,)
    while isinstance(plan, Follow | ValueOf | Aggregate):
        if isinstance(plan, Follow):
            after = (*plan.steps, *after)
        elif isinstance(plan, ValueOf):
            after = (*plan.columns[0].steps, value, *after)
        plan = plan.source
    before = after[:-1] if isinstance(plan, Entities) else ()
    unsaid = reading.passed if reading.typed else reading.unsaid
    return any(step.direction == "in" and step.relation in unsaid for step in before)


def _goes_through(found: Decomposition | None, readings: Sequence[Reading]) -> bool:
    """The same of chains."""
    if found is None or found.support is None or not found.support.unnamed:
        return False
    after = {dep: sub.chain for sub in found.sub_questions for dep in sub.dep if sub.chain}
    steps = [pair for sub in found.sub_questions for pair in pairwise([*(sub.chain or ()), *after.get(sub.id, ())[:1]])]
    said = any(each.typed and each.nouns for each in readings[:1])
    # Who starred with X stars in what X stars in: the same relation, walked and back.
    return not said and any(hop.inverse and then != Hop(hop.relation, False) for hop, then in steps)


def _kind_asked(question: str) -> tuple[str, ...]:
    """The noun that follows "which", "what" or "how many"; no time: "in which town was X born?" wants no date."""
    words = [token.text for token in tokens(question)]
    nouns = [noun for word, noun in pairwise(words) if word in english().which]
    return (*(noun for noun in nouns[:1] if not _is_time(noun)), *_counted(words))


def _is_figure(question: str, plan: QueryPlan) -> bool:
    """Whether a plan computes a number where a person or a place is asked for, or counts things where an amount is.

    "Who earns the most?" and "how much did X cost?".
    """
    words = fold_case(question).split()
    if isinstance(plan, Aggregate) and plan.function == "count" and ("how", "much") in pairwise(words):
        return True
    asked = classes().asking.intersection(words)
    return isinstance(plan, Aggregate) and bool(asked) and asked <= classes().no_figure


def asks_truth(question: str) -> bool:
    """Whether a question begins as one does that asks for yes or no, and for none of several: "is it A or B?"."""
    words = [word.text for word in tokens(question)]
    return (
        bool(words)
        and words[0] in classes().yes_no
        and not _asks_which(words)
        and classes().asking.isdisjoint(words)
        and not english().is_request(words)
    )


def _asks_which(words: Sequence[str]) -> bool:
    """Whether a question begins as one for yes or no and asks which of two it is: "is it A or B?", not "or not"."""
    other = words.index("or") if "or" in words else len(words)
    behind = words[other + 1 : other + 2] not in ([], ["not"])
    return behind and words[0] in classes().being and words[1] != "there"


def may_ask_truth(question: str) -> bool:
    """Whether a plan may say yes or no to a question: it begins with a word that such a question begins with."""
    return any(word.text in classes().yes_no | classes().may for word in tokens(question)[:1])


def is_misfit(question: str, end: str, kinds: Mapping[str, PropertyKind | None]) -> bool:
    """Whether a question asks for a person or a place and numbers, dates or times answer it, or the other way round.

    "How tall is X?" and "what altitude is X at?" ask for a measure; what is rated ("how popular") may be a word.

    Args:
        question: in words.
        end: the relation or property that the answers are the end of.
        kinds: what the values of each property are; None for relations.
    """
    words = fold_case(question).split()
    plain = [word.text for word in tokens(question)]
    if _is_of_other_time(plain, end, kinds) or counts_in_place(question, end, kinds):
        return True
    asked = classes().asking.intersection(words)
    how = {other for one, other in pairwise(words) if one == "how" and other in _measured()}
    if how and end in kinds:
        dated = kinds[end] in ("date", "datetime") or "year" in words_of(end)
        return kinds[end] is None or (dated and "old" not in how)  # 1954 is no length
    heads = {noun for noun, after in pairwise(words) if after in classes().auxiliaries}  # no "price category"
    if _is_too_fine(words, end, kinds):
        return True
    figures = {other for one, other in pairwise(words) if one in english().which and other in heads & _measures()}
    if figures.difference(words_of(end)) and end in kinds and kinds[end] is None:
        return True  # a country is no altitude
    if words[1:2] and words[1] in classes().prepositions and _is_person(words[0]) and words[0] not in words_of(end):
        asked = asked or frozenset({"who"})  # "architect of X" is no year, "author birth year of X" is one
    return bool(asked) and asked <= classes().no_figure and kinds.get(end) not in (None, "text", "point")


def _is_too_fine(words: Sequence[str], end: str, kinds: Mapping[str, PropertyKind | None]) -> bool:
    """Whether a part of a year is asked for and a number answers, a part of a day and a date: 1954 is in no month.

    Yes and no are no time at all.
    """
    asked = {noun for word, noun in pairwise(words) if word in english().which}.difference(words_of(end))
    parts = classes().parts_of_years | classes().parts_of_days
    fine = {"number": parts, "date": classes().parts_of_days, "boolean": parts | classes().parts_of_dates}
    return not asked.isdisjoint(fine.get(kinds.get(end) or "", ()))


def _is_of_other_time(words: Sequence[str], end: str, kinds: Mapping[str, PropertyKind | None]) -> bool:
    """Whether a date is given for no date of what is asked: of a death for an age, or for a cause.

    As in "how old was X when he died?", "what did X die of?", "how did it end?"; and the last eruption for "when will
    X erupt next?".
    """
    named = words_of(end)
    if {"next", "will"}.intersection(words) and "last" in named and "last" not in words:
        return True
    dated = kinds.get(end) in ("date", "datetime")
    if not dated and not classes().parts_of_dates.intersection(named):
        return False
    no_start = not (classes().endings if dated else classes().endings | classes().parts_of_years).isdisjoint(named)
    does = bool(words[1:2]) and words[1] in classes().do
    causes = does and words[0] == "what" and words[-1] in classes().causing
    return (("how", "old") in pairwise(words) and no_start) or causes or (does and words[0] == "how" and dated)


def asks_how_of_date(question: str, end: str, kinds: Mapping[str, PropertyKind | None]) -> bool:
    """Whether how something was done is answered by when: "how did her term come to an end?".

    Arguments are those of `is_misfit`.
    """
    words = [word.text for word in tokens(question)][:2]
    return words[:1] == ["how"] and not classes().do.isdisjoint(words) and kinds.get(end) in ("date", "datetime")


def gives_no_reason(question: str, end: str, kinds: Mapping[str, PropertyKind | None]) -> bool:
    """Whether "why" is answered by what is no reason: who appointed her, for "why was she appointed?".

    A text may be one. Arguments are those of `is_misfit`.
    """
    why = [word.text for word in tokens(question)][:1] == ["why"]
    return why and kinds.get(end, "text") != "text" and classes().reasons.isdisjoint(words_of(end))


def counts_in_place(question: str, end: str, kinds: Mapping[str, PropertyKind | None]) -> bool:
    """Whether "how large … in megabytes", "how long" get a number of things: downloads, episodes.

    Arguments are those of `is_misfit`.
    """
    words = [word.text for word in tokens(question)]
    language, last = english(), (words_of(end) or ("",))[-1]
    how = {other for one, other in pairwise(words) if one == "how"}
    unit = any(one == "in" and other in language.units for one, other in pairwise(words))
    asked = how & _measured() if unit else how & {"long", "heavy", "deep", "wide", "tall", "high"}
    several = _is_plural(last) and last not in language.units | language.units_of_columns
    return bool(asked) and several and kinds.get(end) == "number" and last not in words


@cache
def _measured() -> frozenset[str]:
    """Adjectives that "how" asks a measure with: "tall"."""
    return frozenset(word for word, hints in english().how.items() if _RATED.isdisjoint(hints))


def _is_person(word: str) -> bool:
    language = english()
    return language.asked.get(language.stem(word), {}).get("who", 0.0) >= 1


@cache
def _measures() -> frozenset[str]:
    """Nouns for what "how" asks for: "altitude"; sizes, areas and times may be things of their own."""
    hints = (hint for word, hints in english().how.items() if word in _measured() for hint in hints)
    return frozenset(hints) - {"size", "area", "year", "time", "birth", "founded"}


def end_of(found: Decomposition | None, plan: QueryPlan | None) -> str:
    """The relation or property that a plan's answers are the end of, without one those of chains; "" for none.

    What is computed of two properties is the value of none.
    """
    if isinstance(plan, ValueOf):
        return plan.columns[0].property if plan.columns[0].operand is None else ""
    chains = [sub.chain for sub in found.sub_questions if sub.chain] if found is not None and plan is None else []
    return chains[-1][-1].relation if chains else ""


def _ways_of_plan(plan: QueryPlan) -> dict[str, set[str]]:
    """The relations that a plan walks, each with the directions ("out", "in", "any")."""
    out: dict[str, set[str]] = {}
    for node in nodes(plan):
        if isinstance(node, ChainStep):
            out.setdefault(node.relation, set()).add(node.direction)
    return out


def _ways_of_chains(found: Decomposition | None) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    for sub in found.sub_questions if found else ():
        for hop in sub.chain or ():
            out.setdefault(hop.relation, set()).add("in" if hop.inverse else "out")
    return out


def _same_way(one: Mapping[str, set[str]], other: Mapping[str, set[str]]) -> bool:
    """Whether no relation that both walk is walked out by one alone and in by the other."""
    return all(one[name] & other[name] or "any" in one[name] | other[name] for name in one.keys() & other.keys())


def _left(reading: Reading) -> list[str]:
    """What a reading leaves unread, and the names that it matches in part."""
    return [*reading.unread, *(part.word for part in reading.parts if _is_vague(part))]


def _is_vague(part: Part) -> bool:
    """Whether a part is a name that an entity carries in part."""
    return 0 < part.score < _NAME and _is_name(part.word) and not (part.root or _says_nothing(part.word))


def _asks(operator: str) -> bool:
    return fold_case(operator).split()[0] in classes().when_where


def _vague_words(reading: Reading) -> int:
    """The words that name an entity in part: one where together they are most of its name ("Dr. Petrova").

    One as well where its name begins with them, and they name no other thing.

    None where one thing alone is meant, by what people call it: "Hartland Molson" of "Molson, Hartland de Montarville".
    """
    said: dict[str, list[str]] = {}
    for part in filter(_is_vague, reading.parts):
        said.setdefault(part.element, []).append(fold_case(part.word))
    alone = all(len(node.ids) == 1 for node in nodes(reading.plan) if isinstance(node, Entities))
    count = 0
    for element, words in said.items():
        if alone and _is_called(element, words):
            continue
        name = [token.text for token in tokens(element)]
        most = len(words) > 1 and set(words) <= set(name) and len(words) >= _MOST_OF_NAME * len(name)
        begins = len(words) > 1 and alone and name[: len(words)] == words  # "Hope Creek" of a station of that name
        count += 1 if most or begins else len(words)
    return count


def _is_called(label: str, words: Sequence[str]) -> bool:
    """Whether words are what people call one by whose label: the first and the last name, of "Last, First" the last."""
    last, comma, given = label.partition(",")
    own = [token.text for token in tokens(last)]
    said = {token.text for word in words for token in tokens(word)}
    if comma:
        first = [token.text for token in tokens(given)][:1]
        return said == {*own} or (bool(first) and said >= {*own, *first})
    return len(own) > len(_ENDS_OF_NAME) and said >= {own[place] for place in _ENDS_OF_NAME}


def _says_nothing(text: str) -> bool:
    return all(word in classes().function for word in fold_case(text).split())


def _is_name(word: str) -> bool:
    return word[:1].isupper() or any(letter.isdigit() for letter in word)


def _uses(plan: QueryPlan, entity: str) -> bool:
    """Whether a plan starts from an entity."""
    return any(entity in node.ids for node in nodes(plan) if isinstance(node, Entities))


def _walked(found: Decomposition) -> frozenset[str]:
    return frozenset(hop.relation for sub in found.sub_questions for hop in sub.chain or ())


def is_small_talk(text: str, *, read: bool = False) -> bool:
    """Whether it speaks to the program or, where no word of it was `read`, asks nothing; by its words: English."""
    words = [word.text for word in tokens(text)]
    made = not read and not set(pairwise(words)).isdisjoint(english().small_talk)  # "tell me a joke", "write us a poem"
    return made or not classes().you.isdisjoint(words) or (not read and classes().asks.isdisjoint(words))
