"""Whether a plan gives something else than is asked, whatever its words score: each a reason to claim nothing."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import combinations, takewhile

from trivium.kg.indexes.words import own_name
from trivium.kg.plans.plan import (
    Aggregate,
    ChainStep,
    Compare,
    Condition,
    Entities,
    Follow,
    Intersect,
    Minus,
    Node,
    NonEmpty,
    OfType,
    QueryPlan,
    Term,
    Top,
    Union,
    ValueOf,
    Where,
    nodes,
)
from trivium.kg.text import fold_case, tokens
from trivium.policies.confidence.asks import HOW_MANY, is_figure, is_time, nouns_counted
from trivium.policies.confidence.unread import PARTICIPLES, ends_of_plan, says_nothing
from trivium.policies.reader.chains.open_world import asked_of
from trivium.policies.reader.english import classes, english
from trivium.policies.reader.names import words_of
from trivium.policies.reader.readings import Reading
from trivium.policies.reader.shapes import counts_one
from trivium.policies.reader.sketch import relations_walked

OWN_WORD = 0.95
"""Score of a match from which a word is the graph's own."""


def is_another_kind(question: str, reading: Reading) -> bool:
    """Whether a plan gives something else than the question's words ask for."""
    return (
        _merely_exists(reading.plan)
        or _joins_unsaid(reading)
        or _denies_unsaid(reading)
        or _meets_unsaid(question, reading)
        or _is_two_at_once(reading)
        or _asks_for_one(question, reading)
        or _gives_where_for_who(question, reading)
        or _is_of_a_compound(question, reading)
        or is_figure(question, reading.plan)
        or of_another_deed(reading)
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


def _denies_unsaid(reading: Reading) -> bool:
    """Whether a plan says no by a relation without a direction that no word says: "does A know B well?"."""
    steps = (node for node in nodes(reading.plan) if isinstance(node, ChainStep) and node.direction == "any")
    walked = {step.relation for step in steps} if isinstance(reading.plan, NonEmpty) and reading.empty else set()
    return reading.typed and bool(walked & (reading.unsaid - reading.between))


def _meets_unsaid(question: str, reading: Reading) -> bool:
    """Whether a plan says yes because two things have a value in common, and no word puts the two together."""
    plan = reading.plan
    sets = plan.source.sets if isinstance(plan, NonEmpty) and isinstance(plan.source, Intersect) else ()
    last = [each.steps[-1] for each in sets if isinstance(each, Follow)]
    common = any(one == other for at, one in enumerate(last) for other in last[at + 1 :])
    together = classes().same | classes().ones_like_it | {"and", "both"}
    return common and together.isdisjoint(token.text for token in tokens(question))


def _is_two_at_once(reading: Reading) -> bool:
    """Whether a plan says no because a thing is none of another name: "did A act in a film with B?"."""
    plan = reading.plan
    sets = plan.source.sets if isinstance(plan, NonEmpty) and isinstance(plan.source, Intersect) else ()
    named = [{*each.ids} for each in sets if isinstance(each, Entities)]
    more = len(reading.parts) + len(reading.unread) > len(named)  # "is A B?" asks whether they are one
    return more and any(one.isdisjoint(other) for one, other in combinations(named, 2))


def _asks_for_one(question: str, reading: Reading) -> bool:
    """Whether two names are asked to be one, and a plan says yes because something joins them both: "is A B?"."""
    named = {word.text for part in reading.parts for word in tokens(part.word)}
    rest = {word.text for word in tokens(question)} - named
    steps = {(node.relation, node.direction) for node in nodes(reading.plan) if isinstance(node, ChainStep)}
    back = any((relation, "out") in steps for relation, direction in steps if direction == "in")
    return isinstance(reading.plan, NonEmpty) and back and rest <= classes().being


def _gives_where_for_who(question: str, reading: Reading) -> bool:
    """Whether "who" is answered by a column that only says where: the sport, for "who was youngest *at the games*?"."""
    words = [token.text for token in tokens(question)]
    if words[:1] != ["who"] or not isinstance(reading.plan, ValueOf) or isinstance(reading.plan.source, Entities):
        return False
    given = {node.property for node in nodes(reading.plan) if isinstance(node, Term)}
    said = {fold_case(part.word) for part in reading.parts if own_name(part.element) in map(own_name, given)}
    said |= {fold_case(part.word) for part in reading.parts if part.element.rpartition(".")[2] in given}
    before = {word: place for place, word in enumerate(words) if word in said}
    places = [words[place - 1 - (words[place - 1] == "the")] for place in before.values() if place > 1]
    return bool(places) and classes().inside.issuperset(places)


def of_another_deed(reading: Reading) -> bool:
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
    return len(words) == 2 and words[0] in english().which and is_time(words[1])


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
            named = takewhile(lambda each: not says_nothing(each), words[place + 1 :])
            noun = [each for each in named if each not in english().superlatives]
            if noun and left.issuperset(noun):
                return True
        if words[place - 1] == "most" and word in ("often", "frequently"):
            deeds = {*words[place - 2 : place - 1], *words[place + 1 : place + 2]}
            if any(each in left and each.endswith(PARTICIPLES[0]) for each in deeds):
                return True
    return False


def _gives_another_thing(question: str, reading: Reading) -> bool:
    """Whether no word of a plan accounts for the noun that is asked for, and it gives what another noun names.

    The owner, for "in which village does the owner of X live?" and "where does the owner of X live?"; the ward, for
    "the diagnoses of the stay X".
    """
    ends = ends_of_plan(reading.plan)
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


def _is_left_of(
    words: Sequence[str], unread: AbstractSet[str], kinds: AbstractSet[str], read: AbstractSet[str]
) -> bool:
    """Whether the noun that a question begins with and asks of something is left: "what are the diagnoses of …"."""
    if "of" not in words:
        return False
    end = words.index("of")
    begin = next((place for place in range(end, 0, -1) if says_nothing(words[place - 1])), 0)
    noun, before = words[begin:end], words[:begin]
    ranked = any(word in english().superlatives for word in noun)
    named = [word for word in noun if word not in _computed() and word not in english().superlatives]
    left = unread | kinds if before[-1:] == ["the"] and not ranked else unread
    first = all(says_nothing(word) or word in classes().auxiliaries | english().commands for word in before)
    return first and before[-1:] != ["in"] and bool(named) and named[-1] in left and read.isdisjoint(named)


@cache
def _computed() -> frozenset[str]:
    """Words for sums and the like, and for orders: none of them is what is asked for."""
    return frozenset(word for phrase in english().aggregates for word in phrase) | frozenset(english().commands)


def _is_left_after_which(words: Sequence[str], unread: AbstractSet[str], read: AbstractSet[str]) -> bool:
    """Whether the noun right after "which" is left: "in which village …"."""
    for place in (place for place, word in enumerate(words) if word in english().which):
        noun = [*takewhile(lambda word: not says_nothing(word), words[place + 1 : place + 3])]
        if noun and noun[0] in unread and read.isdisjoint(noun):
            return True
    return False


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
    none = bool(reading.empty) and (min(likest, default=0.0) < OWN_WORD or unsaid)
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


def _counts_another_thing(question: str, reading: Reading) -> bool:
    """Whether a figure is given for "how many calories …" that counts something else: for how many it is."""
    counted = nouns_counted([token.text for token in tokens(question)])
    return isinstance(reading.plan, ValueOf) and any(fold_case(kind) in counted for kind in reading.kinds)


def _counts_unread(question: str, reading: Reading) -> bool:
    """Whether a count leaves unread what is to be counted: "how many feet are in a mile"."""
    if not isinstance(reading.plan, Aggregate) or reading.plan.function != "count" or reading.aside:
        return False
    left = {word for text in reading.unread for word in fold_case(text).split()}
    words = [token.text for token in tokens(question)]
    last = next((place for place in range(2, len(words)) if tuple(words[place - 2 : place]) in HOW_MANY), 0)
    alone = last and (
        last + 1 == len(words) or says_nothing(words[last + 1]) or words[last + 1] in classes().auxiliaries
    )
    return bool(alone) and words[last] in left
