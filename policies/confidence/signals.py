"""Signals of how certain an answer's reading is (`trivium.policies.confidence.model` weighs them)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

from trivium.kg.indexes.words import own_name
from trivium.kg.plans.plan import (
    Aggregate,
    ChainStep,
    Compare,
    Entities,
    Follow,
    Holds,
    Intersect,
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
from trivium.kg.text import fold_case, tokens
from trivium.kg.types import Hop
from trivium.policies.confidence.asks import asks_truth, asks_which, kind_asked, nouns_counted, words_of_measures
from trivium.policies.confidence.unread import NAME, SAID, ends_of_plan, is_name, owner_left, says_nothing
from trivium.policies.confidence.vetoes import OWN_WORD, is_another_kind, of_another_deed
from trivium.policies.reader.chains.decomposer import Decomposition
from trivium.policies.reader.chains.open_world import Support
from trivium.policies.reader.english import classes
from trivium.policies.reader.names import words_of
from trivium.policies.reader.readings import Part, Reading, elements_of
from trivium.policies.reader.sketch import relations_walked
from trivium.policies.reader.tagging import UNREAD

_FAR = 8.0
"""Nats beyond which a lead says no more."""
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
    owner = next((owner_left(question, each) for each in same[:1]), "")
    misfit = (
        misfit
        or (truth and asks_which([token.text for token in tokens(question)]))  # "is it A or B?" is no yes
        or bool(owner)
        or any(each.repeats and (plan or bool(strange)) for each in same[:1])
        or _sorts_others(same or readings)
        or (known is not None and known.misfit and not plan)
        or (figure and not unread.isdisjoint({*kind_asked(question), *words_of_measures()}))
        or any(is_another_kind(question, each) for each in same[:1] if plan or ends_of_plan(each.plan))
        or any(map(of_another_deed, same[:1]))
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
    return isinstance(best.plan, ValueOf) and bool(nouns_counted([token.text for token in tokens(question)]))


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
        owner: as `owner_left` gives it.
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
        "thin": float(all(says_nothing(part.word) for part in top.parts)),
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
        {"odd": min(sum(is_name(word) for word in top.unread), _MOST), **_of_answers(readings)} if plan else {}
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


def _leaves_year(reading: Reading) -> bool:
    """Whether a year is left unread beside what a column of another year says: "the population of Ajax in 1950"."""
    years = {word for word in reading.unread if word.isdigit() and len(word) == len("2000")}
    columns = {node.property for node in nodes(reading.plan) if isinstance(node, Term)}
    return bool(years) and any(part.isdigit() for column in columns for part in words_of(column))


def _leads_to_like(reading: Reading) -> bool:
    """Whether several relations that no word says lead to what a noun is only like."""
    said = next((part for part in reading.parts if part.score > 0), None)
    return len(reading.unsaid) > 1 and said is not None and said.score < OWN_WORD and "." not in said.element


def _says_all(reading: Reading) -> bool:
    """Whether a plan on a graph with types leaves no word unread, and a word or a type says each relation it walks."""
    said = any(part.score > 0 for part in reading.parts)
    return said and reading.typed and not (reading.unread or reading.unused or reading.unsaid or reading.kinds)


def _names_in_full(reading: Reading) -> bool:
    """Whether a plan reads all of a question, and a name of it to the letter."""
    names = [part.score for part in reading.parts if is_name(part.word) and part.score > 0]
    named = any(part.score >= OWN_WORD and fold_case(part.word) == fold_case(part.element) for part in reading.parts)
    named = named or min(names, default=0.0) >= OWN_WORD  # "Turkish" of Turkiye
    return named and not reading.unread and not _vague_words(reading)


def _names_as_called(reading: Reading) -> bool:
    """Whether a plan reads names in part, all of them as people call one."""
    return any(map(_is_vague, reading.parts)) and not _vague_words(reading)


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
    said = any(part.score >= SAID and own_name(part.element) in ends for part in reading.parts)
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


def _is_untrue(question: str, *, truth: bool, left: Sequence[str]) -> bool:
    """Whether a question for yes or no gets something else, or one to a part of its words, or another one gets it."""
    if asks_truth(question):
        return not truth or bool(left)
    words = [token.text for token in tokens(question)]
    if truth and asks_which(words):
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
    return 0 < part.score < NAME and is_name(part.word) and not (part.root or says_nothing(part.word))


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


def _uses(plan: QueryPlan, entity: str) -> bool:
    """Whether a plan starts from an entity."""
    return any(entity in node.ids for node in nodes(plan) if isinstance(node, Entities))


def _walked(found: Decomposition) -> frozenset[str]:
    return frozenset(hop.relation for sub in found.sub_questions for hop in sub.chain or ())
