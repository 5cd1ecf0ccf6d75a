"""A computing question taken apart in words: plain questions, and the operators on their results.

Nothing here knows a KG: a cue inside a name ("Before Sunrise", "The Last Samurai") is passed over because the caller
says where names stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.policies.keqing.computing.asked import Asked, Computation, Step
from trivium.policies.keqing.computing.cues import (
    ASKS_VALUE,
    BOUNDS,
    CHOSEN,
    COMPARED,
    COUNT,
    DECADE,
    MAX,
    MIN,
    MOST,
    NOT,
    RATED,
    YES_NO,
)

# fmt: off
_ARRIVES = frozenset({
    "came", "come", "comes", "out", "was", "were", "is", "are", "been", "appeared", "released", "published", "made",
    "founded", "born", "established", "printed", "the",
})
# fmt: on
"""Words by which something gets its date; in front of a bound they ask for nothing more than the bound."""

_PREPOSITIONS = frozenset({"by", "in", "with", "for", "of", "from", "those", "the", "ones"})


def parse(text: str, spans: Sequence[tuple[int, int]]) -> Computation | None:
    """What a question computes, or None where it is a plain one.

    Args:
        text: the question.
        spans: ranges of its words that are names (as `trivium.kg.text.tokens` counts them), numbers left out.
    """
    asked = Asked(text, spans)
    found = _of_two_names(asked)
    if found is not None:
        return found
    hint, (steps, asked) = _hint(asked), _steps(asked)
    join, cores = _joined(asked)
    if join is None and not steps:
        return None
    return Computation(cores if join else (asked.text,), join, tuple(steps), hint)


def _of_two_names(asked: Asked) -> Computation | None:
    """Yes-no comparisons, and choices between two names."""
    if not asked.plain:
        return None
    if asked.plain[0] in YES_NO:
        return _compare_counts(asked) or _compare(asked)
    return _choose(asked)


def _compare(asked: Asked) -> Computation | None:
    """As in "did Heat come out before Ronin?": a cue between two names."""
    found = asked.find(COMPARED)
    if found is None:
        return None
    start, stop, cue = found
    one, other = asked.names.before(start), asked.names.after(stop)
    if one is None or other is None:
        return None
    return Computation((), Step("compare", COMPARED[cue]), hint=_hint(asked), pair=(one, other))


def _compare_counts(asked: Asked) -> Computation | None:
    """As in "did A direct more films than B?": the question of A, and the same of B."""
    more = asked.find(("more", "fewer", "as many"))
    than = asked.find(("than", "as"), start=more[1]) if more else None
    if more is None or than is None or than[0] == more[1]:
        return None  # "more than 3" and "more recent than" are no comparison of counts
    one, other = asked.names.before(than[0]), asked.names.after(than[1])
    if one is None or other is None or other[0] != than[1]:
        return None
    left = asked.cut((more[0], more[1], ""), (than[0], len(asked.plain), ""))
    name = asked.text[asked.words[other[0]].start : asked.words[other[1] - 1].end]
    right = asked.cut((one[0], one[1], name), (more[0], more[1], ""), (than[0], len(asked.plain), ""))
    sign = {"more": ">", "fewer": "<", "as many": "="}[more[2]]
    return Computation((left, right), Step("compare", sign, by="count"))


def _choose(asked: Asked) -> Computation | None:
    """As in "which came out first, Heat or Ronin?", "Who directed more films, A or B?": the names stand at the end."""
    place = asked.find(("or",))
    if place is None:
        return None
    one, other = asked.names.before(place[0]), asked.names.after(place[1])
    if one is None or other is None or one[1] != place[0] or other[0] != place[1] or other[1] < len(asked.plain):
        return None
    more = asked.find(("more", "fewer"))
    if more is not None and more[1] < one[0] and asked.plain[more[1]] not in ("recent", "recently"):
        names = [asked.text[asked.words[a].start : asked.words[b - 1].end] for a, b in (one, other)]
        stem = asked.cut((more[0], more[1], ""), (one[0], len(asked.plain), "")).rstrip("?:, ")
        verb = re.sub(r"^(who|which [a-z]+|what [a-z]+|which|what)\b", "", stem, flags=re.IGNORECASE).strip()
        cores = tuple(f"what {_noun(verb)} {name} {_rest(verb)}" for name in names)
        return Computation(cores, Step("choose", "max" if more[2] == "more" else "min", by="count"))
    cue = asked.find(CHOSEN)
    if cue is None or cue[0] > one[0]:
        return None
    return Computation((), Step("choose", CHOSEN[cue[2]]), hint=_hint(asked), pair=(one, other))


def _noun(verb: str) -> str:
    """As "films" of "directed films": the thing that is counted stands last."""
    return verb.rsplit(maxsplit=1)[-1] if verb else ""


def _rest(verb: str) -> str:
    """As "directed" of "directed films"."""
    return " ".join(verb.split()[:-1])


def _joined(asked: Asked) -> tuple[Step | None, tuple[str, str]]:
    """Or, not: two plain questions whose results are joined."""
    for kind, cues in (("union", ("or",)), ("difference", NOT)):
        found = asked.find(cues)
        if found is None:
            continue
        start, stop, _ = found
        one, other = asked.names.before(start), asked.names.after(stop)
        if one is None or other is None:
            continue
        step = Step("union") if kind == "union" else Step("difference")
        while stop < other[0] and asked.plain[stop] in _PREPOSITIONS:
            stop += 1  # "films by A but not by B": the preposition is the first one's
        being = asked.plain[found[1] - 2 : found[1] - 1] if kind == "difference" else []
        if one[1] == start and other[0] == stop and being not in (["are"], ["is"]):
            # Names side by side: the same question of each.
            name = asked.text[asked.words[other[0]].start : asked.words[other[1] - 1].end]
            return step, (asked.cut((start, other[1], "")), asked.cut((one[0], other[1], name)))
        left = asked.cut((start, len(asked.plain), ""))
        right = asked.text[asked.words[found[1]].start :]
        return step, (left, f"{_head(asked)} {right}")
    return None, ("", "")


def _head(asked: Asked) -> str:
    """What the question asks for, by which its second half becomes a question: "which films", "list films"."""
    words = asked.plain
    count = 2 if words[0] in ("which", "what", "list", "name", "show", "find", "all") else 1
    if words[:2] == ["how", "many"]:
        return f"how many {words[2]}"
    if words[:3] == ["which", "of", "the"]:
        return f"which {words[3]}"
    head = asked.text[asked.words[0].start : asked.words[min(count, len(words)) - 1].end]
    return head if words[0] in ("which", "what", "who", "list", "name", "show", "find") else f"which {head}"


def _steps(asked: Asked) -> tuple[list[Step], Asked]:
    """Bounds, extremes and counts, the innermost first, and the question without their words."""
    steps, text = _bounds(asked)
    asked = asked.without(text)
    extreme = _extreme(asked)
    if extreme is not None:
        steps.append(extreme[0])
        asked = asked.without(extreme[1])
    counted = _count(asked)
    if counted is not None:
        steps.append(Step("count"))
        asked = asked.without(counted)
    return steps, asked


def _count(asked: Asked) -> str | None:
    """The question of which things, in place of how many."""
    found = asked.find(COUNT)
    if found is None:
        return None
    start, stop, cue = found
    if cue == "in how many":
        return asked.cut((start, stop, "in which"))
    if cue == "how many":
        return asked.cut((start, stop, "which"))
    return asked.cut((0, stop, "which"))  # "what is the number of", "count the"


def _extreme(asked: Asked) -> tuple[Step, str] | None:
    """Oldest, latest, best rated, most: the operator and the question without the word."""
    asks_value = bool(ASKS_VALUE.match(" ".join(asked.plain)))
    recent = asked.find(("most recent", "most recently", "least recent"))
    if recent is not None:
        sign = "max" if recent[2].startswith("most") else "min"
        return Step("extreme", sign, asks_value=asks_value), _without_rank(asked, *recent[:2])
    rated = asked.find([f"{word} {kind}" for word in RATED for kind in ("rated", "reviewed", "rating")])
    if rated is not None:
        step = Step("extreme", RATED[rated[2].split(maxsplit=1)[0]], asks_value=asks_value)
        return step, _without_rank(asked, *rated[:2])
    most = asked.find(MOST)
    if most is not None:
        return Step("most", MOST[most[2]]), asked.cut((*most[:2], "the" if most[2] == "most of" else ""))
    found = asked.find(MIN | MAX)
    if found is None or not _is_superlative(asked, found[0], found[1]):
        return None
    step = Step("extreme", "min" if found[2] in MIN else "max", asks_value=asks_value)
    return step, _without_rank(asked, *found[:2])


def _without_rank(asked: Asked, start: int, stop: int) -> str:
    """The question of which things, without the word that ranks them: "what is the oldest X" asks which X."""
    if stop == len(asked.plain):
        return asked.cut((_arriving(asked, start), stop, ""))
    if asked.plain[:start] in (["what", "is", "the"], ["what", "was", "the"], ["which", "is", "the"]):
        return asked.cut((0, stop, "which"))
    return asked.cut((start, stop, ""))


def _arriving(asked: Asked, start: int) -> int:
    """Where the words begin by which something gets the date that stands at `start`: "were released" before 1990."""
    while start > 1 and asked.plain[start - 1] in _ARRIVES and asked.names.free(start - 1, start):
        start -= 1
    return start


def _is_superlative(asked: Asked, start: int, stop: int) -> bool:
    """Whether "first" and the like rank: after "the" or "'s", or at the end; "when was it first published" does not."""
    if asked.plain[start] not in ("first", "last"):
        return True
    return stop == len(asked.plain) or (start > 0 and asked.plain[start - 1] in ("the", "s", "his", "her", "their"))


def _bounds(asked: Asked) -> tuple[list[Step], str]:
    """Before, after, more than, between: filters by a number, and the question without them."""
    between = asked.find(("between", "from"))
    if between is not None:
        low, high = between[1], between[1] + 2
        if asked.number_at(low) and asked.number_at(high) and asked.plain[low + 1] in ("and", "to", "until"):
            steps = [Step("filter", "between", f"{asked.plain[low]}..{asked.plain[high]}")]
            return steps, asked.cut((_arriving(asked, between[0]), high + 1, ""))
    for place, word in enumerate(asked.plain):
        if (match := DECADE.match(word)) and asked.names.free(place, place + 1):
            first = int(match[1]) + (1900 if len(match[1]) == 2 else 0)
            start = place
            while start and asked.plain[start - 1] in ("in", "the", "during", "from", "of"):
                start -= 1
            steps = [Step("filter", "between", f"{first}..{first + 9}")]
            return steps, asked.cut((_arriving(asked, start), place + 1, ""))
    found = asked.find(BOUNDS)
    while found is not None and not asked.number_at(found[1]):
        found = asked.find(BOUNDS, start=found[1])
    if found is None:
        return [], asked.text
    start, stop, cue = found
    if cue == "from" and not (stop + 1 < len(asked.plain) and asked.plain[stop + 1] in ("on", "onwards", "onward")):
        return [], asked.text  # "films from 1990" are those of that year
    end = stop + 1 + (asked.plain[stop + 1 : stop + 2] in (["on"], ["onwards"], ["onward"]))
    sign, denied = BOUNDS[cue], asked.find(NOT)
    if denied is not None and 0 <= start - denied[1] <= 3 and asked.names.after(denied[1]) is None:
        # "that were not released before 1990"
        sign = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[sign]
        return [Step("filter", sign, asked.plain[stop])], asked.cut((_arriving(asked, denied[0]), end, ""))
    return [Step("filter", sign, asked.plain[stop])], asked.cut((_arriving(asked, start), end, ""))


def _hint(asked: Asked) -> str:
    """Words that tell which value is meant, where entities have several."""
    words = set(asked.plain)
    if words & {"rated", "rating", "reviewed", "better", "worse"}:
        return "rating"
    if words & {"larger", "largest", "bigger", "biggest", "smaller", "smallest", "populous", "taller", "tallest"}:
        return "size population height amount"
    return "year date"
