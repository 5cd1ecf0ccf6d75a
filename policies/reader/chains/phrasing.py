"""From a question with mentions to masked wordings: the same way for training and for answering."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Sequence
from functools import cache
from itertools import pairwise

from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.mentions import Mention, SplitQuestion
from trivium.policies.reader.chains.wording import NAME, Wording, mask_words
from trivium.policies.reader.english import classes, english

OTHER = "[other]"
"""Stands for the second topic of a question with two."""

_BOTH = frozenset({"both"})


def has_exclusion_cue(words: Collection[str]) -> bool:
    """Whether the question's own words ask for others than its topic."""
    return not classes().exclusion.isdisjoint(words)


@cache
def _idle() -> frozenset[str]:
    naming = [form for word in english().naming for form in (word, f"{word}s")]
    return classes().question | english().stop | frozenset(naming)


def is_idle(words: Sequence[str], place: int) -> bool:
    """Whether a word says nothing of what is asked for: "the", "located", "name"; but "who *marked* the path"."""
    word = words[place]
    deed = place > 0 and words[place - 1] in classes().who
    return word in _idle() or (not deed and english().stem(word) in english().generic)


def is_bare(question: SplitQuestion, mention: Mention) -> bool:
    """Whether nothing beside a name says what is asked of it: "where is X located?"."""
    places = [*range(mention.start), *range(mention.stop, len(question.plain))]
    return all(is_idle(question.plain, place) for place in places)


def identity_place(words: Sequence[str]) -> int:
    """The place of the word by which a masked question asks no more than who somebody is, or what they do; else -1.

    "Who was [mask]?", "what does [mask] do?".
    """
    if not classes().identity.issuperset(word for word in words if word != MASK):
        return -1
    for place, (word, then) in enumerate(pairwise(words)):
        if word in classes().who and then in classes().being:
            return place
    return len(words) - 1 if words and words[-1] == "do" and "what" in words else -1


def origin_place(words: Sequence[str]) -> int:
    """The place of the word by which a question asks where somebody is from, else -1: "where is [mask] from"."""
    return len(words) - 1 if words and words[-1] == "from" and "where" in words else -1


def wording_of(question: SplitQuestion, mention: Mention, known: Container[str]) -> Wording:
    """The question with this mention masked; unknown words of other mentions become `NAME`."""
    return mask_words(_hide_names(question, (mention,), known), mention.start, mention.stop)


def wording_of_two(question: SplitQuestion, mention: Mention, other: Mention, known: Container[str]) -> Wording:
    """The question with one of two topics masked.

    Where only "and" or the like stands between the two, they are one phrase: "both A and B" reads as the mask alone,
    so that what was learnt of single topics serves; else the other one becomes `[other]`.
    """
    words = _hide_names(question, (mention, other), known)
    first, second = sorted((mention, other), key=lambda m: m.start)
    if set(words[first.stop : second.start]) <= classes().joins:
        start = first.start - 1 if first.start and words[first.start - 1] in _BOTH else first.start
        return mask_words(words, start, second.stop)
    wording = [*words[: other.start], OTHER, *words[other.stop :]]
    shift = other.stop - other.start - 1 if other.start < mention.start else 0
    return mask_words(wording, mention.start - shift, mention.stop - shift)


def _hide_names(question: SplitQuestion, chosen: Sequence[Mention], known: Container[str]) -> list[str]:
    """The folded words, unknown ones inside mentions that are not among the chosen replaced by `NAME`."""
    words = list(question.plain)
    if _is_found(words):
        words[-1] = "located"
    for mention in question.mentions:
        if not any(mention.overlaps(topic) for topic in chosen):
            for place in range(mention.start, mention.stop):
                if words[place] not in known:
                    words[place] = NAME
    return words


def _is_found(words: Sequence[str]) -> bool:
    """Whether the last word asks where something is, and not what was founded: "where are its headquarters found"."""
    return words[-1:] == ["found"] and "where" in words and not classes().present.isdisjoint(words)


def masked_text(question: SplitQuestion, mention: Mention) -> str:
    """The question as it was written, with the mention replaced by `[mask]` and white space collapsed."""
    start, stop = question.words[mention.start].start, question.words[mention.stop - 1].end
    text = f"{question.text[:start]}{MASK}{question.text[stop:]}"
    return re.sub(r"\s+", " ", text).strip()
