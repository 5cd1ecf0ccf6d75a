"""What counts against an answer of a plan, and what is no question at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.kg.plans.plan import Value
from trivium.kg.plans.text import parse
from trivium.kg.types import Hop, PropertyKind
from trivium.policies.confidence.asks import asks_how_of_date, asks_truth, gives_no_reason, is_misfit, is_small_talk
from trivium.policies.confidence.model import DEFAULT
from trivium.policies.confidence.signals import signals_of
from trivium.policies.confidence.unread import left_noun, left_nouns, names_of_plan
from trivium.policies.reader.chains.decomposer import Decomposition, SubQuestion
from trivium.policies.reader.chains.open_world import Support, _is_among, _root, _said_before, _stems
from trivium.policies.reader.readings import Outcome, Part, Reading


def _reading(text: str) -> Reading:
    return Reading(parse(text), 1.0, (Part("airports", "airport", 1.0),), (), (), Outcome(1), 1.0)


def test_chains_from_another_entity_say_nothing_about_a_plan() -> None:
    about = Support(gap=2.0, foreign=("altitude",), about="row 5000", unnamed=1, hops=1, loose=1, wrong=1)
    found = Decomposition((), support=about)
    elsewhere = signals_of(found, [_reading("type airport | where alt > 5000")], plan=True)
    assert (elsewhere.gap, elsewhere.foreign, elsewhere.unnamed, elsewhere.loose, elsewhere.wrong) == (0, 0, 0, 0, 0)
    near = replace(_reading('ids "row 5000" | follow near'), unsaid=frozenset({"near"}))
    same = signals_of(found, [near], plan=True)
    assert (same.gap, same.loose, same.wrong) == (2.0, 1.0, 1.0)
    said = signals_of(found, [replace(near, unsaid=frozenset())], plan=True)  # its words say what the chains lack
    assert (said.gap, said.foreign, said.unnamed) == (0, 0, 0)
    assert DEFAULT.confidence(same) < DEFAULT.confidence(elsewhere)


@pytest.mark.parametrize(
    ("text", "read", "chat"),
    [
        ("average arrival delay by airline", True, False),
        ("hello there", False, True),
        ("do you like airports?", True, True),
        ("which airports are there?", False, False),
        ("tell me a joke", False, True),
        ("give me a film", True, False),
        ("tell me the airports", False, False),
    ],
)
def test_small_talk(text: str, read: bool, chat: bool) -> None:
    assert is_small_talk(text, read=read) is chat


def test_a_player_plays() -> None:
    stems = _stems("plays_in_club")
    assert [_is_among(_root(word), stems) for word in ("players", "plays", "clubs", "plan", "in")] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_a_share_is_one_of_a_topic() -> None:
    subs = [SubQuestion(n, "what is in [mask]?", (-1,), (f"t{n}",)) for n in range(2)]
    assert signals_of(Decomposition((subs[0],), confidence=0.09), (), plan=False).share == 0.09
    assert signals_of(Decomposition(tuple(subs), confidence=0.09), (), plan=False).share == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("words", "start", "said"),
    [
        ("which club does the french goalkeeper x play for", 6, ["french", "goalkeeper"]),
        ("who composed x", 2, []),
        ("which films also composed x", 4, []),
        ("french goalkeeper x", 2, []),
    ],
)
def test_what_stands_before_a_name_says_what_it_is(words: str, start: int, said: list[str]) -> None:
    assert [words.split()[place] for place in _said_before(words.split(), start)] == said


def test_an_unknown_word_is_no_evidence_whoever_reads() -> None:
    sub = SubQuestion(0, "what is the birth year of [mask]?", (-1,), ("Rock Hudson",))
    tall = Support(strange=("tall",), unnamed=1, hops=1)
    found = [Decomposition((sub,), confidence=0.75, support=tall, taught=taught) for taught in (False, True)]
    schema, pairs = (DEFAULT.confidence(signals_of(each, (), plan=False)) for each in found)
    assert max(pairs, schema) < 0.5
    known = Decomposition((sub,), confidence=0.75, support=Support(hops=1), taught=True)
    assert DEFAULT.confidence(signals_of(known, (), plan=False)) > 0.8


def test_what_is_asked_for_counts_where_it_is_not_there() -> None:
    sub = SubQuestion(0, "which films star [mask]?", (-1,), ("Harrison Ford",))
    supports = [Support(hops=1), Support(hops=1, misfit=True), Support(hops=1, strange=("team",), asked_for=True)]
    sure, when, team = (
        DEFAULT.confidence(signals_of(Decomposition((sub,), confidence=0.9, support=each), (), plan=False))
        for each in supports
    )
    assert when < team < sure


def test_what_is_asked_about_is_no_answer() -> None:
    """Penguins do not answer "what do penguins eat?", whose verb no reading places."""
    support = Support(strange=("eat",), about="Gentoo", hops=1)
    subs = (SubQuestion(0, "which penguins are [mask]?", (-1,), ("Gentoo",), chain=(Hop("species", True),)),)
    reading = _reading('ids "Gentoo" | follow ^species')
    reading = replace(reading, unread=("eat",))
    found = Decomposition(subs, support=support)
    plain = signals_of(found, [reading], plan=False)
    about = signals_of(found, [replace(reading, repeats=True)], plan=False)
    assert (plain.misfit, about.misfit) == (0, 1)
    assert DEFAULT.confidence(about) < DEFAULT.confidence(plain) / 4


def test_a_day_is_no_manner() -> None:
    kinds: dict[str, PropertyKind | None] = {"last_day": "date", "reason": "text"}
    asked = [("how did her tenure end?", "last_day"), ("how did it end?", "reason"), ("when did it end?", "last_day")]
    assert [is_misfit(question, end, kinds) for question, end in asked] == [True, False, False]


def test_a_number_is_no_person_and_no_place() -> None:
    kinds: dict[str, PropertyKind | None] = {"founded": "number", "owner": None, "motto": "text"}
    asked = [("who owns Lufthansa?", "founded"), ("where was Tom born?", "founded"), ("when was it?", "founded")]
    assert [is_misfit(question, end, kinds) for question, end in asked] == [True, True, False]
    assert not is_misfit("who owns Lufthansa?", "owner", kinds)
    assert not is_misfit("who said so?", "motto", kinds)
    assert is_misfit("architect of Castle Street 3", "founded", kinds)
    assert not is_misfit("founder of Lufthansa", "owner", kinds)
    assert not is_misfit("architect birth year of Castle Street 3", "founded", kinds)


def test_a_thing_is_no_measure() -> None:
    kinds: dict[str, PropertyKind | None] = {"grown_in": None, "sold_in": None, "altitude_of": None, "height": "number"}
    assert is_misfit("what altitude is Sidamo grown at?", "grown_in", kinds)
    assert not is_misfit("what altitude does Sidamo have?", "altitude_of", kinds)
    assert not is_misfit("what altitude does Sidamo grow at?", "height", kinds)
    assert not is_misfit("which area is Sidamo sold in?", "sold_in", kinds)
    assert not is_misfit("what price category is Sidamo sold in?", "sold_in", kinds)


def test_a_year_is_in_no_month_and_a_day_at_no_hour() -> None:
    kinds: dict[str, PropertyKind | None] = {
        "released": "number",
        "opened": "date",
        "shown": "datetime",
        "month": "number",
    }
    asked = ["in which month was it?", "in which year was it?", "at which hour was it?"]
    assert [is_misfit(question, "released", kinds) for question in asked] == [True, False, True]
    assert [is_misfit(question, "opened", kinds) for question in asked] == [False, False, True]
    assert [is_misfit(question, "shown", kinds) for question in asked] == [False, False, False]
    assert not is_misfit(asked[0], "month", kinds)


def test_readings_that_give_the_same_speak_for_each_other() -> None:
    first, second, third = (
        replace(_reading(text), score=score, outcome=Outcome(2, answer))
        for text, score, answer in (("type a", 1.0, "ab"), ("type b", 0.9, "ab"), ("type c", 0.9, "cd"))
    )
    alone = signals_of(None, [first, third, replace(second, outcome=Outcome(2, "ef"))], plan=True)
    agreed = signals_of(None, [first, second, third], plan=True)
    assert agreed.vote > alone.vote > 0
    assert agreed.lead == pytest.approx(0.1)
    assert DEFAULT.confidence(agreed) > DEFAULT.confidence(alone)
    assert signals_of(None, [first], plan=True).vote == 1
    unknown = signals_of(None, [replace(first, outcome=Outcome(2)), replace(second, outcome=Outcome(2))], plan=True)
    assert unknown.vote < 1  # two plans whose answers are not known agree on nothing


def test_an_answer_of_many_things_is_less_sure() -> None:
    one, many = (replace(_reading("type a"), outcome=Outcome(size, "a")) for size in (1, 15))
    assert DEFAULT.confidence(signals_of(None, [one], plan=True)) > DEFAULT.confidence(
        signals_of(None, [many], plan=True)
    )


def test_when_says_no_other_deed() -> None:
    read = replace(
        _reading('ids "Maria" | values born'), parts=(Part("When", "when", 0.0), Part("Maria", "Maria", 1.0))
    )
    died = replace(read, unread=("die",), verbs=1)
    assert signals_of(None, [died], plan=True).misfit == 1
    assert signals_of(None, [read], plan=True).misfit == 0
    chain = (SubQuestion(0, "when did [mask] die?", (-1,), ("Maria",), chain=(Hop("born", False),)),)
    by_chains = replace(_reading('ids "Maria" | follow born'), parts=died.parts, unread=("die",), verbs=1)
    assert signals_of(Decomposition(chain), [by_chains], plan=False).misfit == 1


def test_a_date_is_no_cost() -> None:
    read = replace(_reading('ids "A-1" | values ship_date'), unread=("cost",))
    assert signals_of(None, [read], plan=True, question="what was the shipping cost of A-1?", figure=True).misfit == 1
    assert signals_of(None, [read], plan=True, question="what was the shipping cost of A-1?").misfit == 0


def test_what_is_asked_of_something_has_to_be_read() -> None:
    asked, set_in = (
        "What is the population of the setting of Rear Window?",
        _reading('ids "Rear Window" | follow set_in'),
    )
    left = replace(set_in, unread=("population",))
    assert signals_of(None, [left], plan=True, question=asked).misfit == 1
    assert signals_of(None, [set_in], plan=True, question=asked).misfit == 0
    assert signals_of(None, [left], plan=True, question="Where is the population's window set?").misfit == 0


@pytest.mark.parametrize(("noun", "misfit"), [("years", 0), ("town", 1)])
def test_a_year_answers_which_years(noun: str, misfit: int) -> None:
    read = replace(_reading('ids "Heat" | values released'), unread=(noun,))
    asked = f"Heat was released in which {noun}?"
    assert signals_of(None, [read], plan=True, question=asked, figure=True).misfit == misfit


def test_no_is_no_either_way() -> None:
    """That X directed Y is as untrue as that Y directed X; only where one of them holds is the way they go a doubt."""
    said = _reading('both(ids "Rear Window"; ids "Ann" | follow ^directed_by) | exists')
    turned = _reading('both(ids "Rear Window"; ids "Ann" | follow directed_by) | exists')
    no, yes = Outcome(0, Value("boolean", False)), Outcome(1, Value("boolean", True))
    best = replace(turned, outcome=no, lexical=turned.lexical + 1)
    assert signals_of(None, [replace(said, outcome=no), best], plan=True).turned == 0
    assert signals_of(None, [replace(said, outcome=yes), best], plan=True).turned == 1


def test_which_years_says_no_other_deed() -> None:
    read = replace(
        _reading('ids "Maria" | values born'), parts=(Part("which years", "when", 0.0), Part("Maria", "Maria", 1.0))
    )
    assert signals_of(None, [replace(read, unread=("repaired",), verbs=1)], plan=True).misfit == 1
    assert signals_of(None, [read], plan=True).misfit == 0


def test_what_a_thing_is_joined_to_says_nothing_of_it() -> None:
    """The year in which her boat was built is not Ann's age."""
    parts = (Part("how old", "age", 0.0), Part("Ann", "Ann", 1.0))
    boats = replace(_reading('ids "Ann" | values ^owner/built'), parts=parts, unsaid=frozenset({"owner"}))
    assert signals_of(None, [boats], plan=True).misfit == 1
    assert signals_of(None, [replace(boats, unsaid=frozenset())], plan=True).misfit == 0
    assert signals_of(None, [replace(boats, parts=(*parts, Part("built", "boat.built", 0.9)))], plan=True).misfit == 0


def test_what_somebody_is_says_no_record_of_hers() -> None:
    """The days of Ann's orders do not answer "when did Ann become a customer?"."""
    parts = (Part("When", "when", 0.0), Part("Ann", "Ann", 1.0), Part("customer", "customer", 1.0))
    days = replace(_reading('ids "Ann" | values ^customer/order_date'), parts=parts)
    assert signals_of(None, [days], plan=True).misfit == 1
    ordered = Part("ordered", "order.order_date", 0.9)
    assert signals_of(None, [replace(days, parts=(*parts, ordered))], plan=True).misfit == 0


_TOWNS = 'both(type Airport | where city = "Hamburg"; type Airport | where city = "Bern" | follow route)'


@pytest.mark.parametrize(
    ("plan", "noun", "echo"),
    [
        (_TOWNS, Part("train", "route", 0.85), 1),
        (_TOWNS, Part("airport", "Airport", 1.0), 0),
        ('both(type Airport | where city = "Hamburg"; ids "Bern" | follow route)', Part("train", "route", 0.85), 0),
        ('both(ids "Hamburg"; ids "Bern" | follow route)', Part("train", "route", 0.85), 1),
        ('both(ids "LH", "LX" | follow flies; ids "Bern" | follow ^flies)', Part("train", "route", 0.85), 0),
    ],
)
def test_what_is_named_is_no_answer(plan: str, noun: Part, echo: int) -> None:
    """Hamburg's airport is no train from Bern to Hamburg."""
    read = replace(_reading(plan), parts=(noun,))
    assert signals_of(None, [read], plan=True).echo == echo


@pytest.mark.parametrize(
    ("question", "misfit"),
    [
        ("Which contestants come from ,", 1),
        ("Which contestants are older than ?", 1),
        ("Which contestants are there?", 0),
    ],
)
def test_a_condition_that_only_begins_is_not_met(question: str, misfit: int) -> None:
    every = replace(_reading("type contestant"), parts=(Part("contestants", "contestant", 1.0),))
    assert signals_of(None, [every], plan=True, question=question).misfit == misfit


def test_only_a_reason_answers_why() -> None:
    kinds: dict[str, PropertyKind | None] = {"appointed_by": None, "reason": None, "left_on": "date", "story": "text"}
    found = {end: gives_no_reason("Why did she leave?", end, kinds) for end in kinds}
    assert found == {"appointed_by": True, "reason": False, "left_on": True, "story": False}
    assert not gives_no_reason("Who appointed her?", "appointed_by", kinds)


def test_a_verb_is_no_part_of_the_noun_that_is_asked_for() -> None:
    found = Decomposition((), links={"emerald": ()}, support=Support(strange=("museum", "release")))
    assert left_noun("Which museum shows the emerald?", found, None) == "museum"
    assert left_noun("Which museum bought emerald?", found, None) == "museum"
    assert left_noun("Which release date has emerald?", found, None) == ""


def test_nothing_is_counted_by_the_graphs_own_words_alone() -> None:
    counted = replace(_reading('ids "Rear Window" | follow company | count'), outcome=Outcome(0, "0"))
    like = replace(counted, parts=(Part("children", "company", 0.85),))
    own = replace(counted, parts=(Part("companies", "company", 0.98),))
    assert signals_of(None, [like], plan=True).misfit == 1
    assert signals_of(None, [own], plan=True).misfit == 0
    named = replace(_reading('ids "Rear Window" | count'), outcome=Outcome(1, "1"))
    assert signals_of(None, [named], plan=True).misfit == 1


def test_namesakes_have_no_sum() -> None:
    one, both = (replace(_reading(f"ids {each} | sum goals"), outcome=Outcome(1, "9")) for each in ('"a"', '"a", "b"'))
    assert signals_of(None, [one], plan=True).misfit == 0
    assert signals_of(None, [both], plan=True).misfit == 1


def test_an_amount_is_no_count_of_things() -> None:
    counted = replace(_reading('ids "Rear Window" | follow company | count'), outcome=Outcome(1, "1"))
    assert signals_of(None, [counted], plan=True, question="how much did Rear Window cost?").misfit == 1
    assert signals_of(None, [counted], plan=True, question="how many companies made Rear Window?").misfit == 0


def test_a_property_that_is_true_or_false_answers_yes_or_no_alone() -> None:
    read = replace(_reading('ids "Ann" | values insured'), typed=False)
    assert signals_of(None, [read], plan=True, question="Is Ann insured?", truth=True).untrue == 0
    assert signals_of(None, [read], plan=True, question="Is Ann insured?").untrue == 1
    assert signals_of(None, [read], plan=True, question="Who insured Ann?", truth=True).untrue == 1


@pytest.mark.parametrize(
    ("plan", "unsaid", "through"),
    [
        ('ids "Limerick" | follow ^based_in, salary', {"based_in"}, 1),
        ('ids "Limerick" | values ^based_in/salary', {"based_in"}, 1),
        ('ids "Limerick" | values ^based_in/salary', set(), 0),
        ('ids "Blaze" | follow species, eats', {"species"}, 0),
        ('ids "Ann" | follow ^owned_by', {"owned_by"}, 0),
    ],
)
def test_what_points_to_a_thing_has_facts_of_its_own(plan: str, unsaid: set[str], through: int) -> None:
    read = replace(_reading(plan), typed=False, unsaid=frozenset(unsaid))
    assert signals_of(None, [read], plan=True).through == through


@pytest.mark.parametrize(
    ("chains", "through"),
    [
        (["^based_in", "salary"], 1),
        (["^starred", "starred"], 0),
        (["^starred, starred"], 0),
        (["^starred, directed_by"], 1),
        (["based_in", "mayor"], 0),
    ],
)
def test_so_have_chains_but_for_a_relation_walked_and_back(chains: list[str], through: int) -> None:
    """Who starred with X stars in what X stars in; the salary of what is based in X is none of X."""
    subs = tuple(
        SubQuestion(i, "?", (i - 1,), ("X",) if i == 0 else (), chain=tuple(Hop.parse(hop) for hop in each.split(", ")))
        for i, each in enumerate(chains)
    )
    found = Decomposition(subs, support=Support(unnamed=1, hops=2))
    assert signals_of(found, [], plan=False).through == through


def test_some_fact_of_a_thing_is_none_that_is_asked_for() -> None:
    port = replace(_reading('ids "Nordlys" | follow port'), typed=False, kinds=("color",), unsaid=frozenset({"port"}))
    assert signals_of(None, [port], plan=True).misfit == 1
    assert signals_of(None, [replace(port, unsaid=frozenset())], plan=True).misfit == 0


def test_a_figure_counts_what_is_counted() -> None:
    serves = replace(_reading('ids "Shakshuka" | values serves'), kinds=("calories",))
    assert signals_of(None, [serves], plan=True, question="how many calories has Shakshuka?").misfit == 1
    assert signals_of(None, [serves], plan=True, question="which calories has Shakshuka?").misfit == 0


def test_a_column_that_is_asked_for_has_to_be_read() -> None:
    read = replace(_reading('ids "Ann" | follow ^owned_by'), unread=("color",))
    assert DEFAULT.confidence(signals_of(None, [read], plan=True)) > 0.5
    assert DEFAULT.confidence(signals_of(None, [replace(read, lacks=True)], plan=True)) < 0.5


def test_a_sort_of_something_else_is_not_claimed() -> None:
    style = _reading('ids "Atlas" | follow style')
    assert signals_of(None, [style], plan=True).misfit == 0
    assert signals_of(None, [replace(style, other_sort=True)], plan=True).misfit == 1


@pytest.mark.parametrize(
    ("plan", "nouns", "through"),
    [
        ('ids "Ghana" | follow ^grown_in | where organic = true | exists', 0, True),
        ('ids "Ghana" | follow ^grown_in, roasted_by', 0, True),
        ('ids "Ghana" | follow ^grown_in, roasted_by', 1, False),  # "which roasters use coffee of Ghana?"
        ('ids "Ghana" | follow ^grown_in', 0, False),
        ('ids "Yirga Gold" | where organic = true | exists', 0, False),
    ],
)
def test_a_fact_of_what_points_to_a_thing_is_none_of_it(plan: str, nouns: int, through: bool) -> None:
    reading = replace(_reading(plan), passed=frozenset({"grown_in"}), unsaid=frozenset({"grown_in"}), nouns=nouns)
    assert bool(signals_of(None, [reading], plan=True).through) is through


@pytest.mark.parametrize(("nouns", "through"), [(0, True), (1, True), (2, False)])
def test_without_types_a_second_noun_says_what_is_gone_through(nouns: int, through: bool) -> None:
    """ "What are the ingredients of the British dishes?", but no "what loco class is Osaka?"."""
    plan = _reading('ids "British" | follow ^cuisine, ingredient')
    reading = replace(plan, typed=False, unsaid=frozenset({"cuisine"}), nouns=nouns)
    assert bool(signals_of(None, [reading], plan=True).through) is through


@pytest.mark.parametrize(
    ("question", "plan", "unread", "all_of_it"),
    [
        ("which lines are electrified?", "type line", ("electrified",), True),
        ("how many lines are electrified?", "type line | count", ("electrified",), True),
        ("how many lines were closed in 1980?", "type line | where built::year = 1980 | count", ("closed",), True),
        ("lines of the north", "type line | count", ("north",), False),  # what they all may be of
        ("lines about the north", "type line", ("north",), True),
        ("electrified lines of the north", "type line", ("electrified", "north"), True),
        ("which lines are there?", "type line", (), False),
        ("fast lines that are electrified", "type line | where speed > 100", ("electrified",), False),
    ],
)
def test_all_of_a_kind_are_none_that_an_unread_word_says(
    question: str, plan: str, unread: tuple[str, ...], all_of_it: bool
) -> None:
    reading = replace(_reading(plan), unread=unread)
    assert bool(signals_of(None, [reading], plan=True, question=question).misfit) is all_of_it


def test_what_nothing_asks_for_speaks_against_a_plan() -> None:
    sure = _reading("type trail | top 1 by price")
    signals = [
        signals_of(None, [each], plan=True)
        for each in (
            sure,
            replace(sure, guessed=frozenset({"price"})),
            replace(sure, guessed=frozenset({"price"}), opposed=frozenset({"price"})),
        )
    ]
    chances = [DEFAULT.confidence(each) for each in signals]
    assert chances == sorted(chances, reverse=True)
    assert len(set(chances)) == 3


@pytest.mark.parametrize(
    ("plan", "back"),
    [
        ('ids "onion" | follow ^uses, uses | count', True),
        ('ids "onion" | follow ^uses | follow uses', True),
        ('ids "onion" | follow ^uses, sold_by', False),
        ('ids "Ann" | follow reports_to, reports_to', False),
    ],
)
def test_a_relation_walked_and_back(plan: str, back: bool) -> None:
    """Ten other ingredients are no answer to "how many recipes need onion?"."""
    assert bool(signals_of(None, [_reading(plan)], plan=True).back) is back


def test_what_is_shared_is_walked_back_and_read() -> None:
    """As in "who shares a house with Ann?"."""
    reading = _reading('ids "Ann" | follow lives_in | follow ^lives_in')
    signals = signals_of(None, [replace(reading, unread=("shares",))], plan=True)
    assert (signals.back, signals.unread) == (0, 0)
    signals = signals_of(None, [replace(reading, unread=("owns",))], plan=True)
    assert (signals.back, signals.unread) == (1, 1)


def test_others_of_the_same_maker_are_walked_back_to() -> None:
    cars = _reading('ids "Passat" | follow maker, ^maker')
    asked = "what other cars does the maker of the Passat make?"
    assert signals_of(None, [cars], plan=True, question=asked).back == 0
    assert signals_of(None, [cars], plan=True, question="how many cars does the Passat need?").back == 1
    guessed = replace(cars, unsaid=frozenset({"maker"}))
    assert signals_of(None, [guessed], plan=True, question="what other cars does the Passat have?").back == 1


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Does Ann know Ben?", True),
        ("Do you know Ann's friends?", False),
        ("Do we have any lamps?", True),
        ("Could you gather lamps?", False),
    ],
)
def test_a_polite_request_asks_for_no_truth(question: str, truth: bool) -> None:
    assert asks_truth(question) is truth


def test_more_are_first_than_a_plan_ranks_for() -> None:
    largest = replace(_reading("type airport | top 1 by runways"), outcome=Outcome(1))
    few, tied = replace(largest, outcome=Outcome(4), among=2_824), replace(largest, outcome=Outcome(9), among=105)
    assert [signals_of(None, [each], plan=True).tied for each in (largest, few, tied)] == [0, 0, 1]
    both = replace(_reading('either(ids "A"; ids "B") | top 1 by runways'), outcome=Outcome(2), among=2_824)
    assert signals_of(None, [both], plan=True).tied == 1  # neither of the two that are named has more
    three = replace(_reading("type airport | top 3 by runways"), outcome=Outcome(3))
    assert signals_of(None, [three], plan=True).tied == 0
    sure = [DEFAULT.confidence(signals_of(None, [each], plan=True)) for each in (largest, tied)]
    assert sure[1] < sure[0] - 0.3


def test_what_the_question_names_is_no_answer() -> None:
    named = _reading('ids "cumin", "carrot"')
    fact = _reading('ids "cumin" | follow ^uses')
    echo, other = (signals_of(None, [each], plan=True) for each in (named, fact))
    assert (echo.echo, other.echo) == (1, 0)
    assert DEFAULT.confidence(echo) < DEFAULT.confidence(other) - 0.1


def test_where_pairs_taught_a_hop_that_no_word_says_tells_more() -> None:
    away = Support(gap=3.0, about="X", unnamed=1, hops=1)
    walk = _reading('ids "X" | follow near')
    taught, schema = (
        signals_of(Decomposition((), support=away, taught=taught), [walk], plan=True) for taught in (True, False)
    )
    assert DEFAULT.confidence(taught) < DEFAULT.confidence(schema)


def test_where_says_no_other_deed() -> None:
    """A birthplace is no answer to where somebody is buried."""
    parts = (Part("Where", "where", 0.0), Part("Maria", "Maria", 1.0))
    read = replace(_reading('ids "Maria" | follow born_in'), parts=parts)
    buried = replace(read, unread=("buried",), verbs=1)
    said = replace(buried, parts=(*parts, Part("born", "born_in", 0.98)))
    assert [signals_of(None, [each], plan=True).misfit for each in (buried, read, said)] == [1, 0, 0]


@pytest.mark.parametrize(
    ("question", "parts", "unread", "another"),
    [
        ("In which village does the owner of Rex live?", ["owner=owned_by", "Rex=Rex"], ("village", "live"), True),
        ("In which village does Rex's owner live?", ["Rex=Rex", "owner=owned_by"], ("village", "live"), True),
        ("In which village does the owner of Rex live?", ["owner=owned_by", "Rex=Rex"], (), False),
        ("Which person owns Rex?", ["owns=owned_by", "Rex=Rex"], ("person",), False),  # a verb says it
        ("What are the diagnoses of the patient Rex?", ["patient=Patient", "Rex=Rex"], ("diagnoses",), True),
        ("licenses of the patient Rex", ["patient=Patient", "Rex=Rex"], ("licenses",), True),
        ("total weight of the owner of Rex", ["total=total", "owner=owned_by", "Rex=Rex"], ("weight",), True),
        ("Where does the owner of Rex work?", ["owner=owned_by", "Rex=Rex"], ("work",), True),
        ("When was the owner of Rex born?", ["owner=owned_by", "Rex=Rex"], ("born",), True),
        ("Who pays the owner of Rex?", ["owner=owned_by", "Rex=Rex"], ("pays",), True),
        ("Who serves as the owner of Rex?", ["owner=owned_by", "Rex=Rex"], ("serves",), False),
        ("Who is in charge of Rex?", ["Rex=Rex"], ("charge",), False),
        ("When did Rex become a member of the club?", ["Rex=Rex"], ("member", "club"), False),  # asks for no member
    ],
)
def test_what_another_noun_names_is_not_what_is_asked_for(
    question: str, parts: list[str], unread: tuple[str, ...], another: bool
) -> None:
    read = tuple(Part(word, element, 0.0 if word == element == "total" else 1.0) for word, element in _pairs(parts))
    verbs = int(bool(unread))
    owner = replace(_reading('ids "Rex" | follow owned_by'), parts=read, unread=unread, verbs=verbs)
    found = signals_of(None, [owner], plan=True, question=question)
    assert found.misfit == another


def test_a_value_is_no_thing_that_another_noun_names() -> None:
    parts = (Part("owner", "owned_by", 1.0), Part("Rex", "Rex", 1.0))
    weight = replace(_reading('ids "Rex" | values weight'), parts=parts, unread=("village", "live"))
    asked = "In which village does the owner of Rex live?"
    assert signals_of(None, [weight], plan=True, question=asked).misfit == 0


def test_nor_is_it_where_chains_give_it() -> None:
    """Nor where pairs say so, which have no such question."""
    question = "What nationality is the owner of Rex?"
    parts = (Part("owner", "owned_by", 1.0), Part("Rex", "Rex", 1.0))
    owner = replace(_reading('ids "Rex" | follow owned_by'), parts=parts, unread=("nationality",))
    sub = SubQuestion(0, "who is the owner of [mask]?", (-1,), ("Rex",), chain=(Hop("owned_by", False),))
    for taught in (True, False):
        support = Support(hops=1, strange=("nationality",))
        found = Decomposition((sub,), confidence=0.9, support=support, taught=taught)
        other = replace(found, sub_questions=(replace(sub, chain=(Hop("born_in", False),)),))
        signals, another = (signals_of(each, [owner], plan=False, question=question) for each in (found, other))
        assert (signals.misfit, another.misfit) == (1, 0)
        assert DEFAULT.confidence(signals) < 0.5 < DEFAULT.confidence(replace(signals, misfit=0))
    trusted = replace(signals_of(None, [owner], plan=True, question=question), trust=1.0)
    assert DEFAULT.confidence(trusted) < 0.5 < DEFAULT.confidence(replace(trusted, misfit=0))


def _pairs(texts: list[str]) -> list[tuple[str, str]]:
    return [(word, element) for word, element in (text.split("=") for text in texts)]


def test_a_kind_of_things_that_the_graph_lacks_is_not_what_another_noun_names() -> None:
    parts = (Part("mayor", "things", 0.6), Part("capital", "capital", 1.0), Part("Velmora", "Velmora", 1.0))
    capital = replace(_reading('ids "Velmora" | follow capital'), parts=parts, kinds=("mayor",))
    asked = "Who is the mayor of the capital of Velmora?"
    assert signals_of(None, [capital], plan=True, question=asked).misfit == 1
    assert signals_of(None, [capital], plan=True, question="the oldest mayor of the capital of Velmora").misfit == 0


def test_what_a_plan_names_to_the_letter_is_no_other_name() -> None:
    """The chains take "Boston, Massachusetts" for one name of Boston; the plan reads both."""
    about = Support(about="boston", loose=1, wrong=1, hops=1)
    found = Decomposition((), support=about)
    both = (
        Part("population", "population", 1.0),
        Part("boston", "Boston", 1.0),
        Part("massachusetts", "Massachusetts", 1.0),
    )
    plan = replace(_reading('ids "boston" | values population'), parts=both)
    assert signals_of(found, [plan], plan=True).wrong == 0
    assert signals_of(found, [replace(plan, unread=("massachusetts",))], plan=True).wrong == 1
    near = replace(plan, parts=(both[0], Part("Bostan", "Boston", 0.75)))
    assert signals_of(found, [near], plan=True).wrong == 1


def test_a_detour_to_what_a_noun_is_only_like_counts_twice() -> None:
    walk = replace(
        _reading('ids "Ann" | follow born_in, ^based_in'),
        unsaid=frozenset({"born_in", "based_in"}),
        parts=(Part("companies", "company", 1.0), Part("Ann", "Ann", 1.0)),
    )
    like = replace(walk, parts=(Part("children", "company", 0.85), Part("Ann", "Ann", 1.0)))
    assert [signals_of(None, [each], plan=True).detoured for each in (walk, like)] == [1, 2]
    one, both = (replace(walk, between=frozenset(names)) for names in (["based_in"], ["based_in", "born_in"]))
    assert [signals_of(None, [each], plan=True).detoured for each in (one, both)] == [1, 0]


@pytest.mark.parametrize(
    ("question", "unread", "nouns"),
    [
        ("How many concerts were looked into by officers?", ("concerts",), ["concerts"]),
        ("which concert happened last", ("concert",), ["concert"]),
        ("airports near rivers", ("rivers",), ["rivers"]),
        ("who owns airports", ("owns",), []),  # what is done
        ("which airport handles cargo", ("handles",), []),
        ("airports built in concrete", ("built", "concrete"), []),  # may be said of an airport
        ("how many miles from here", ("miles",), []),  # a unit
        ("which regional airports", ("regional",), []),  # says which
    ],
)
def test_nouns_for_things_that_a_plan_leaves_unread(question: str, unread: tuple[str, ...], nouns: list[str]) -> None:
    parts = tuple(Part(word, "airport", 1.0) for word in ("airport", "airports") if word in question)
    assert left_nouns(question, replace(_reading("type airport | count"), parts=parts, unread=unread)) == nouns


@pytest.mark.parametrize(
    ("question", "unread", "nouns"),
    [
        ("who painted the Glass Harbour replica?", ("replica",), ["replica"]),
        ("who painted Glass Harbour alone?", ("alone",), []),  # no article: nothing says that a noun follows
        ("what does the Glass Harbour weigh?", ("weigh",), []),  # what it does
        ("is the Glass Harbour insured?", ("insured",), []),
        ("who painted the Old Glass Harbour replica?", ("Old", "replica"), []),  # another thing: "Old" says so
    ],
)
def test_a_noun_behind_a_name_is_no_part_of_it(question: str, unread: tuple[str, ...], nouns: list[str]) -> None:
    read = replace(
        _reading('ids "Glass Harbour" | follow creator'), parts=(Part("Glass Harbour", "Glass Harbour", 1.0),)
    )
    assert left_nouns(question, replace(read, unread=unread)) == nouns


def test_nouns_that_nothing_accounts_for_make_a_plan_less_sure() -> None:
    known = signals_of(None, [_reading("type airport | count")], plan=True)
    assert known.alien == 0
    assert DEFAULT.confidence(replace(known, alien=1.0)) < DEFAULT.confidence(replace(known, alien=0.5))
    assert DEFAULT.confidence(replace(known, alien=0.5)) < DEFAULT.confidence(known)


def test_the_words_for_what_a_plan_is_about() -> None:
    plan = replace(
        _reading("type airport | where runway_length > 2000"),
        parts=(Part("fields", "airport", 0.8), Part("Ann", "name = Ann", 1.0)),
    )
    assert names_of_plan(plan) == {"airport", "runway", "length", "fields", "ann"}


@pytest.mark.parametrize(
    ("question", "left", "misfit"),
    [
        ("What language does the director of Heat speak?", ("director",), 1),
        ("What language does Heat's director speak?", ("director",), 1),
        ("What is the language of the director of the Heat?", ("director",), 1),
        ("What is the language of Heat?", (), 0),
        ("What language, if any, does Heat have?", ("any",), 0),
        ("Which of Heat's languages is spoken there?", ("there",), 0),
    ],
)
def test_a_fact_of_a_thing_is_none_of_another_that_nothing_accounts_for(
    question: str, left: tuple[str, ...], misfit: int
) -> None:
    parts = (Part("language", "in_language", 0.98), Part("Heat", "Heat", 1.0))
    read = replace(_reading('ids "Heat" | follow in_language'), parts=parts, unread=left)
    assert signals_of(None, [read], plan=True, question=question).misfit == misfit


def test_a_noun_that_is_only_like_what_is_named_accounts_for_nothing() -> None:
    asked = "What language does the director of Heat speak?"
    parts = (Part("language", "in_language", 0.98), Part("Heat", "Heat", 1.0))
    plain = _reading('ids "Heat" | follow in_language')
    liked, own = (replace(plain, parts=(*parts, Part("director", "film", score))) for score in (0.6, 1.0))
    both = _reading('both(ids "Heat"; type director | follow ^directed_by) | follow in_language')
    beside = replace(both, parts=(*parts, Part("director", "director", 1.0)))
    walked = _reading('ids "Heat" | follow directed_by | follow in_language')
    through = replace(walked, parts=(*parts, Part("director", "directed_by", 0.6)))
    found = [signals_of(None, [each], plan=True, question=asked) for each in (liked, own, beside, through)]
    assert [(each.misfit, each.unread) for each in found] == [(1, 1), (0, 0), (1, 1), (0, 0)]


@pytest.mark.parametrize(
    ("question", "end", "other"),
    [
        ("How old was Lou when he died?", "death_year", True),
        ("How old is Lou?", "birth_day", True),
        ("How old is Lou?", "birth_year", False),
        ("What did Lou die of?", "death_year", True),
        ("What year did Lou die in?", "death_year", False),
        ("When will Etna erupt next?", "last_eruption", True),
        ("When did Etna last erupt?", "last_eruption", False),
        ("When will the last bus leave?", "last_departure", False),
        ("How large is the download in megabytes?", "total_downloads", True),
        ("How long are the series?", "episodes", True),
        ("How large is the team?", "members", False),
        ("How large is the file in megabytes?", "file_size", False),
        ("How long is the film in minutes?", "runtime_minutes", False),
    ],
)
def test_a_figure_of_something_else_is_no_answer(question: str, end: str, *, other: bool) -> None:
    assert is_misfit(question, end, {end: "number"}) is other


def test_a_plan_that_reads_all_names_is_not_doubted_for_what_chains_make_of_them() -> None:
    about = Support(about="X", unnamed=1, hops=1, loose=1, wrong=1)
    parts = (Part("Turkish", "Turkiye", 0.98), Part("volcanoes", "volcano", 1.0))
    read = replace(_reading('ids "X" | follow ^country'), parts=parts)
    assert signals_of(Decomposition((), support=about), [read], plan=True).wrong == 0
    doubted = replace(read, parts=(Part("Turkish", "Turkic", 0.8), parts[1]))
    assert signals_of(Decomposition((), support=about), [doubted], plan=True).wrong == 1


def test_yes_is_no_month_and_the_highest_of_one_thing_is_that_thing() -> None:
    assert is_misfit("In which month were most players inducted?", "inducted", {"inducted": "boolean"})
    assert not is_misfit("Was Ann inducted?", "inducted", {"inducted": "boolean"})
    plans = (
        'ids "A" | top 1 by runways',
        'either(ids "A"; ids "B") | top 1 by runways',
        "type airport | top 1 by runways",
    )
    assert [signals_of(None, [_reading(plan)], plan=True).echo for plan in plans] == [1, 0, 0]


def test_the_date_of_a_birth_tells_an_age() -> None:
    found = [is_misfit("How old is Lou?", end, {end: "date"}) for end in ("birth_day", "day_of_death")]
    assert found == [False, True]


@pytest.mark.parametrize(
    ("words", "vague"),
    [
        ("Hartland Molson", 0.0),  # the first and the last name
        ("Molson", 0.0),
        ("Hartland", 1.0),
        ("Montarville Molson", 2.0),
    ],
)
def test_who_is_named_as_people_call_one_is_named(words: str, vague: float) -> None:
    parts = tuple(Part(word, "Molson, Hartland de Montarville", 0.8) for word in words.split())
    read = replace(_reading('ids "row773" | values end_date'), parts=parts)
    assert signals_of(None, [read], plan=True).vague == vague
    two = replace(_reading('ids "row773", "row9" | values end_date'), parts=parts)  # which of both is not said
    assert signals_of(None, [two], plan=True).vague == len(parts)


def test_a_middle_name_may_go_and_a_last_one_may_not() -> None:
    named = _reading('ids "row1" | values born')
    for words, vague in (("John Macdonald", 0.0), ("John Alexander", 1.0), ("Macdonald", 1.0)):
        parts = tuple(Part(word, "John Alexander Macdonald", 0.8) for word in words.split())
        assert signals_of(None, [replace(named, parts=parts)], plan=True).vague == vague


def test_a_word_of_the_schemas_root_is_no_part_of_a_name() -> None:
    read = _reading("type `canadian senator` | count")
    for root in (True, False):
        parts = (Part("Senate", "canadian senator", 0.77, root),)
        assert signals_of(None, [replace(read, parts=parts)], plan=True).vague == float(not root)


def test_how_something_was_done_is_no_date() -> None:
    kinds: dict[str, PropertyKind | None] = {"end_date": "date", "rank": "number"}
    assert asks_how_of_date("how did her term come to an end?", "end_date", kinds)
    assert not asks_how_of_date("when did her term come to an end?", "end_date", kinds)
    assert not asks_how_of_date("how did she rank?", "rank", kinds)


def test_a_column_of_all_things_is_no_answer_about_one_that_is_unread() -> None:
    """ "The weight of phenacetin": of every thing its weight is given."""
    plan = replace(_reading("type airport | values alt"), typed=True)
    asked = "what is the altitude of phenacetin?"
    assert signals_of(None, [replace(plan, unread=("phenacetin",))], plan=True, question=asked).misfit == 1.0
    assert signals_of(None, [plan], plan=True, question="what are the altitudes?").misfit == 0.0


def test_yes_or_no_by_a_relation_that_no_word_says() -> None:
    joined = _reading('both(ids "Alarm"; ids "Command" | follow ^tag) | exists')
    doubtful = replace(joined, unread=("disjoint",), unsaid=frozenset({"tag"}), typed=True)
    assert signals_of(None, [doubtful], plan=True, question="are Alarm and Command disjoint?").misfit == 1.0
    said = replace(doubtful, unsaid=frozenset())
    assert signals_of(None, [said], plan=True, question="is Alarm a tag of Command?").misfit == 0.0


def test_the_one_relation_of_a_thing_is_no_evidence_for_what_no_word_says() -> None:
    """ "The domain of joined", of which the graph has a comment alone."""
    support = Support(gap=0.0, about="joined", unnamed=1, hops=1, strange=("domain",))
    sub = SubQuestion(0, "what is the comment of [mask]?", (-1,), ("joined",), chain=(Hop("comment", False),))
    alone = Decomposition((sub,), confidence=1.0, support=support)
    assert DEFAULT.confidence(signals_of(alone, [], plan=False)) < 0.5
    named = replace(alone, support=replace(support, unnamed=0, strange=()))
    assert DEFAULT.confidence(signals_of(named, [], plan=False)) > 0.9


def test_a_year_that_no_column_is_of_is_missing() -> None:
    """ "The population in 1950", where the graph knows that of 1996."""
    sub = SubQuestion(
        0, "what is the population 1996 of [mask]?", (-1,), ("Ajax",), chain=(Hop("population_1996", False),)
    )
    found = Decomposition((sub,), confidence=0.9, support=Support(hops=1))
    reading = _reading('ids "Ajax" | values population_1996')
    assert signals_of(found, [replace(reading, unread=("1950",))], plan=False).misfit == 1.0
    assert signals_of(found, [reading], plan=False).misfit == 0.0
