"""What readings gain and cost, in one place, set by hand on a third of GeoQuery and of POLE.

Some are fitted: `UNSAID`, `COLUMNS`, `KINDS`, `SPOKEN` and `PHRASE`, on the graphs of `evals`.
"""

from __future__ import annotations

NO_WORD = 0.12  # a join whose relation no word names
LEFT = 0.6  # a modifier before its head, without 's
POSSESSIVE = 0.05
AGAIN = 0.25  # a modifier on a set that has one already
NAMED = 0.4  # a condition on one thing that its name says already
NOT_BOTH = 0.5  # a condition behind an "or" as one that holds as well
BELOW = 0.45  # a superlative that is narrowed afterwards
TWICE = 0.9  # one noun twice for one set
ONES_OWN = 1.2  # "Ann's boss" is not Ann
THEIRS = 0.1  # gain: "wards with their electorates" as the wards, too
NOT_LISTED = 0.9  # a second column asked for without an "and"
APART = 0.9  # two sets made one across "in", "to", "from", "at"
MERGED = 0.15  # gain: a type's word beside one of its values or names
OUT_OF_RANGE = 0.5  # a bare bound that all values of a column are within, or none
OF_PART = 0.1  # a column of a nameless part of what is ranked or bounded
EDGE_BOUND = 0.1
"""What a bound on a property of relationships gains beside a bare number: "more than 5 cl"."""
BOUND = 0.9  # gain: a column beside one of its values
BOUND_BY_PART = 0.6  # the same where the column's name is only like the words
OWN_NAME = 0.4  # score of a column whose own name is said
LIKE = 0.3  # score of a column from which its name is said
HAVING = 0.35  # "who have a title": those that have a value
PART_OF_NAME = 0.4  # a lack of what a word says only a part of
OF_DATE = 0.4  # things by a word of the date that they have: "building", by `built_year`
NUMBERS = 0.5  # numbers counted where they can be added
TRUE = 0.1  # gain: a set with a property that is yes or no
FARTHER = 0.25  # a bound on a set whose last noun is another's: no word says what is bounded
BEFORE = 0.4  # a number before a noun as the value of a property that no word names
WHOSE = 0.2  # gain: the same after "with", "whose"
SHARED = 0.3  # gain: "the same category as X"
SORT = 0.15  # those of a sort, by its name: "strikers" for those whose position is striker
SORT_OF_NAME = 0.45  # the same by a proper name: "Delmar ships", "a FIDE Master"
BARE = 0.3  # a relation's other end without a noun for it
RANGE = 0.45  # all that a relation reaches, by its name alone
EXTRAPOSED = 0.2  # a clause after the verb of what it is about
LATE = 0.3  # a modifier that follows a finished result
FRONTED = 0.15  # one before it
OTHER_TYPE = 0.35  # a column of what the set is joined to
TURNED = 0.15  # a column after its set
OTHER_BOUND = 0.25  # the highest by the smaller of two bounds: `hardness_min` beside `hardness_max`
NO_HINT = 0.35  # a superlative or bound whose column no word names
HINTED = 0.25  # gain: a column that the superlative hints at
LACKING = 0.6  # for the share of a type's things by which another column that a superlative may mean is fuller
HINT_RANK = 0.06  # for each place further down
LOST_LIMIT = 1.2  # "the 4 X" whose number nothing orders by
OF_THEN = 0.1  # gain: a year of the row that tells a figure
OTHER_END = 0.25  # first or last by when something ended, where it is known when it began
NO_YEAR = 0.5  # a year as the value of what is never as great: 2004 of percentages
BARE_NUMBER = 0.45  # a number without a column
OF_ONE = 0.3  # the most of one thing that is named, by how often it is joined
OFTEN_FAR = 0.5  # how often something occurs, by what it is not joined to itself
COUNTED = 0.05  # a bound on a count
UNCOUNTED = 0.6  # "more than three products" as a bound on a column that no word names
NO_DATE = 0.4  # "more than 2000", "at least 1990" as a bound on dates
COMPARED = 0.25  # gain: two figures compared, "larger than that of X"
ONLY_ONE = 0.35  # a count of what each thing has one of
SAME_UNIT = 0.6  # gain: a column beside a number in its unit: "24 GB of memory"
NEXT = 0.15  # gain: a bound on a count whose noun follows: "more than three products"
AMOUNT = 0.3  # "how much" of one thing another has, by the one figure of their relationship
WALKED = 0.35  # gain: a figure of the relationship just walked, hinted at: "how far is X from Y", "who joined X first"
HAPPENED = 0.55  # gain: "when" of what happened between two things, by the date of their relationship
BY_EACH = 0.6  # "profit by region" as that of all regions
IMPLIED = 0.15  # "appointments by status": how many, which is not said
NONE_OF = 0.15  # "servers with no software": a type's word behind a "no"
EDGE = 0.35  # a relationship's condition without a word for the relationship
ALL_OF_TYPE = 0.4  # a column or extreme of a whole type that is not named
CHAIN = 0.3  # for each nat by which a chain is behind, in the eyes of a trained decomposer
FAR = 1.5  # what that costs at most
PHRASE = 3.8  # cosine between the question and the plan said in words
UNSAID = 0.1  # each relation walked that no word names
COLUMNS = 0.1  # columns shown in place of things
COUNTED_ONE = 1.0  # a count of one named thing
KINDS = 0.08  # each noun that nothing of the graph is called by, read as any kind of thing
SPOKEN = 0.07  # gain: a question has words that no plan reads, so the first of them costs less
UNORDERED = 1.4  # a superlative by a property whose values have no order
UNUSED_ORDER = 0.6
FIXED = 0.5  # a column asked for whose value the question gives
VAGUE = 0.1  # an adjective without a bound, read as above the average
COMPOUND = 0.25  # gain: two columns' names side by side as one: "population density"
ONE_NAME = 0.5  # gain: two words of the name of one relation: "knows X's phone" for `KNOWS_PHONE`
AGAINST = 1.0  # a relation of one kind with itself, walked against the order of the words
RETURNS = 0.3  # the relation just walked, walked back
PLACED = 0.45  # gain: "where" before a set of places
FINER = 0.2  # gain: a place that is one of ten times as many: where X is born is a city before a country
ASKED = 0.8  # an answer that is not of the kind that the head noun asks for
NO_PERSON = 0.45  # "who" as what no person is, in a graph that has persons
SURELY = 0.9  # of a match, from which a word is the one of the schema and not only near to it
BEYOND_DEED = 0.5  # who owns something, and on from there to whom that owner employs
NO_FIGURE = 1.6  # a number or date where who or where is asked for
TRUTHS = 0.4  # whether it is so of each of a set, in place of those of which it is
BOUNDED_TWICE = 0.9  # "anyone above 2000 born after 1980", both of the year of birth
CHOICE = 1.5  # what is known of the one of two things that was asked for, in place of it
ECHO = 1.5  # an answer that only repeats a name of the question
TYPE_ALONE = 0.4  # what something is, by its type, behind its description
ANY_FACT = 1.5  # behind the best plan: some fact of the one thing that is named, which no word says
BEAM = 30
"""Readings of a category that the whole question keeps."""
CELL = 26
WINDOW = 2.2  # below the best of a span; a rule gains less than this
ROOT_WINDOW = 3.6
JOINS = 5
"""Paths tried for a join that no word names; with a word, of those that it names."""
LATE_BEAM = 2
PAIRS = 300
"""Pairs of neighbors that are combined in a span, the best first."""
ROOT_PAIRS = 1500
LATE_PAIRS = 4
WORK = 16_000
"""Readings of spans that are made for a question; after these, spans keep `LATE_BEAM` and combine `LATE_PAIRS`."""


def beam(positions: int) -> int:
    """Readings of a category that a span keeps, in a question of so many positions."""
    return 8 if positions <= 6 else 6 if positions <= 9 else 5 if positions <= 12 else 4
