"""What a question asks for by its words alone: yes or no, which, how many, when; a person, a figure, small talk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

from trivium.kg.plans.plan import (
    Aggregate,
    QueryPlan,
    ValueOf,
)
from trivium.kg.text import fold_case, tokens
from trivium.kg.types import PropertyKind
from trivium.policies.reader.chains.decomposer import Decomposition
from trivium.policies.reader.english import classes, english
from trivium.policies.reader.names import words_of

_RATED = frozenset({"popularity", "rating", "votes", "wealth"})
"""Columns by whose words "how" asks for what need be no number."""
HOW_MANY = {("how", "many"), ("how", "much")}


def is_time(noun: str) -> bool:
    """Whether "when" may ask for what a noun means: a day, a birth."""
    return "when" in english().asked.get(english().stem(noun), {})


def is_plural(word: str) -> bool:
    """Whether a word ends as plurals do."""
    return word.endswith("s") and not word.endswith("ss")


def nouns_counted(words: Sequence[str]) -> tuple[str, ...]:
    """What follows "how many" or "how much"."""
    return tuple(words[place] for place in range(2, len(words)) if tuple(words[place - 2 : place]) in HOW_MANY)


def kind_asked(question: str) -> tuple[str, ...]:
    """The noun that follows "which", "what" or "how many"; no time: "in which town was X born?" wants no date."""
    words = [token.text for token in tokens(question)]
    nouns = [noun for word, noun in pairwise(words) if word in english().which]
    return (*(noun for noun in nouns[:1] if not is_time(noun)), *nouns_counted(words))


def is_figure(question: str, plan: QueryPlan) -> bool:
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
        and not asks_which(words)
        and classes().asking.isdisjoint(words)
        and not english().is_request(words)
    )


def asks_which(words: Sequence[str]) -> bool:
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
    figures = {
        other for one, other in pairwise(words) if one in english().which and other in heads & words_of_measures()
    }
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
    several = is_plural(last) and last not in language.units | language.units_of_columns
    return bool(asked) and several and kinds.get(end) == "number" and last not in words


@cache
def _measured() -> frozenset[str]:
    """Adjectives that "how" asks a measure with: "tall"."""
    return frozenset(word for word, hints in english().how.items() if _RATED.isdisjoint(hints))


def _is_person(word: str) -> bool:
    language = english()
    return language.asked.get(language.stem(word), {}).get("who", 0.0) >= 1


@cache
def words_of_measures() -> frozenset[str]:
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


def is_small_talk(text: str, *, read: bool = False) -> bool:
    """Whether it speaks to the program or, where no word of it was `read`, asks nothing; by its words: English."""
    words = [word.text for word in tokens(text)]
    made = not read and not set(pairwise(words)).isdisjoint(english().small_talk)  # "tell me a joke", "write us a poem"
    return made or not classes().you.isdisjoint(words) or (not read and classes().asks.isdisjoint(words))
