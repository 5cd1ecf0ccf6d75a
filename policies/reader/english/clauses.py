"""English questions in plainer words, and the clauses that say what to show or how to sort."""

from __future__ import annotations

import re

from trivium.kg.text import fold_case, tokens
from trivium.policies.reader.english import Language, english
from trivium.policies.reader.english.asides import without_asides

_WHICH = (  # behind a question for yes or no
    r"[?.!,;\u2013\u2014-]\s*(?:and )?(?:if so,? |then )?(?:please )?"
    r"(?:which(?: ones?| (?:is|are|was|were) (?:it|they))?|who|what(?: (?:is|are|was|were) (?:it|they))?"
    r"|(?:name|list|show|give me|tell me) (?:them|it|those|the names|which ones)(?: all)?)(?:,? please)?[\s?!.]*$"
)
_ONES = re.compile(
    rf"\s*(?:(?:is|are|was|were) there|do we have|have we)\s+(?:any\s+|an?\s+)?(.+?)\s*{_WHICH}", re.IGNORECASE
)
_ANY = re.compile(
    rf"\s*(?:did|do|does|have|has|had|is|are|was|were|can|could)\s+any(?: of the)?\s+(.+?)\s*{_WHICH}", re.IGNORECASE
)
_ONE_OF_TWO = r"(?:(?!\b(?:or|vs|versus)\b)[^?,:;])+"
_OF_TWO = re.compile(
    rf"\s*({_ONE_OF_TWO} (?:or|vs\.?|versus) {_ONE_OF_TWO})[:,;]\s*((?:which|who|what)\b[^?]+?)[\s?!.]*$", re.IGNORECASE
)
_VERSUS = re.compile(r" (?:vs\.?|versus) ", re.IGNORECASE)
_SHOW = r"(?:return|show|list|display|provide|include|output|give|report)(?:ing)?"
_SENTENCE = re.compile(rf"[.?!;]\s+(?:please\s+)?(?:{_SHOW}|name|I need)\b(?P<rest>[^.?!;]*)[.?!;]?\s*$", re.IGNORECASE)
_TAIL = re.compile(
    rf",?\s+and\s+(?:also\s+)?{_SHOW}\b(?P<rest>[^.?!;]*)[.?!;]?\s*$|,\s*returning\b(?P<more>[^.?!;]*)[.?!;]?\s*$",
    re.IGNORECASE,
)
_ADDED = re.compile(
    rf"[.?!;]\s+(?:also|additionally|furthermore|in addition)\b,?\s+(?:please\s+)?"
    rf"(?:{_SHOW}|name|find|get|retrieve|identify|I need)\b(?P<rest>[^.?!;]*)[.?!;]?\s*$",
    re.IGNORECASE,
)
_COUNTED_AS = re.compile(  # whether something is of a kind
    r"^\s*(is|are|was|were) (.+?) (?:counted|considered|classed|classified|regarded|treated) as (?!the\b)",
    re.IGNORECASE,
)
_CLASSED_AS = re.compile(
    r"^(\s*(?:which|what|how many|who)\b[^,;?]*? (?:is|are|was|were)) "
    r"(?:classed|classified|categori[sz]ed|listed|labell?ed|designated|regarded|considered|treated) as (?!the\b)",
    re.IGNORECASE,
)
_COUNTS_AS = re.compile(r"^\s*(?:does|do|did) (.+?) (?:count|qualify) as (?=an? )", re.IGNORECASE)
_CALLED = re.compile(  # which thing has a value
    r"^\s*(.+?) is (?:the|an?(?! (?:kind|type|sort|form)\b)) ([\w\s-]+?) (?:of|for) (?:which|what) ([\w\s-]+?)"
    r"[\s?.!]*$",
    re.IGNORECASE,
)
_SINCE = re.compile(  # a version says no more of when than "which"; a year does
    r"^\s*(?:since|as of) (?=(?:which|what) (?:version|release|edition)\b)", re.IGNORECASE
)
_DESCRIBED = re.compile(r"^\s*how (?:is|are|was|were) (.+?) (?:described|defined)[\s?.!]*$", re.IGNORECASE)
_GOING_BY = re.compile(  # what is most by a count has most of it
    r"\b(is|are|was|were) the (most \w+|least \w+|\w+est)(?: \w+)?,? (?:going by|judging by|judged by|in terms of|"
    r"measured by|counting) (?:the |its |their )?number of (?:its |their )?(\w+)",
    re.IGNORECASE,
)
_LIST = r" (?:list of (\w+)|(\w+) list)\b"  # as many as it is long
_LONG_LIST = re.compile(rf"\b(?:longest|largest|biggest){_LIST}", re.IGNORECASE)
_SHORT_LIST = re.compile(rf"\b(?:shortest|smallest){_LIST}", re.IGNORECASE)
_SORTED = re.compile(
    r"\s*[,;:(\u2013-]\s*(?:from\s+|the\s+)?(\w+)(?:\s+ones?)?\s+(?:first|to\s+(\w+))\)?[\s?.!]*$", re.IGNORECASE
)
_AMOUNT = r"[$\u20ac\u00a3]?\d[\d,]*(?:\.\d+)?"
_NUMBER = rf"{_AMOUNT}(?:-\d\d){{0,2}}%?(?![\w:.-])"
_FROM_TO = re.compile(
    rf"\bfrom\s+({_NUMBER})((?:\s+(?!to\b)[a-z]+)?)\s+(?:up\s+)?(?:to|through|until|till)\s+({_NUMBER})", re.IGNORECASE
)
_SPAN = re.compile(
    r"\b(with|of|having|had|have|has|aged?|weighing|costing|lasting|holding|seating)\s+"
    rf"({_AMOUNT})\s*(?:to\b|[\u2013\u2014-])\s*({_AMOUNT})(?=\s+[a-z]|[?!.]?\s*$)",
    re.IGNORECASE,
)
_ORDINALS = r"(?:first|last|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,2}(?:nd|rd|th))"
_ALPHABETICAL = re.compile(  # the names of what is given are sorted as one likes
    r"[\s,(]+(?:(?:sorted|listed|ordered|arranged)\s+)?(?:alphabetically|in (?:reverse )?alphabetical order|by name)\)?"
    r"(?=[\s?.!]*$)",
    re.IGNORECASE,
)
_COMES = re.compile(  # which thing is at a place of an order
    rf"^(?P<which>\s*(?:which|what|who)\b(?:(?!\b(?:comes?|came|ranks?|ranked|is|was|finish|finished)\b).)*?)\s+"
    r"(?:comes?|came|ranks?|ranked|is|was|finish(?:es|ed)?)\s+(?:in\s+)?(?:the\s+)?"
    rf"(?P<place>{_ORDINALS})(?:\s+place)?\s+(?:by|in|for|on|in terms of|when it comes to)\s+"
    r"(?:its\s+|their\s+|the\s+)?(?P<key>[^?!.]+?)[\s?.!]*$",
    re.IGNORECASE,
)
_TO_GET = re.compile(  # the first by when something was
    r"\b(?P<first>first|last|earliest|latest)(?P<what>(?:\s+[\w-]+){1,4}?)\s+to\s+(?:(?=[\w-]+[\s?.!]*$)|"
    r"(?:get|receive|obtain|have|make|go into|enter|begin|start|be)\s+)(?:granted\s+|given\s+|issued\s+)?"
    r"(?:an?\s+|the\s+|its\s+|their\s+)?(?P<key>[\w-]+(?:\s+[\w-]+)?)[\s?.!]*$",
    re.IGNORECASE,
)
_HALF = re.compile(r"\bhalf a (thousand|million|billion)\b", re.IGNORECASE)
_THOUSANDS = re.compile(
    rf"\b(than|over|under|least|most|above|below|exceeding|between|and|to) ({_AMOUNT})k\b(?!-)", re.IGNORECASE
)
_GROUPED = re.compile(
    r"\b(?:per|each|every)\b|^[^,;]*\b(?:average|mean|total|sum|number|count|minimum|maximum)\b[^,;]+\bby\b",
    re.IGNORECASE,
)
_ROWS_SORTED = re.compile(
    r"[\s,;:(\u2013-]+(?:and\s+)?(?:sorted|ranked|ordered|arranged)\b[^?!]*?(?=[\s?.!)]*$)", re.IGNORECASE
)
_NEAR = re.compile(
    rf"\bwithin\s+({_AMOUNT}\s*(?:km|kms|kilomet(?:er|re)s?|mi|miles?|m|met(?:er|re)s?|feet|ft|yards?))\s+(?:of|from)\b",
    re.IGNORECASE,
)
_WORDS = r"(?:[\w-]+ ){0,2}[\w-]+"
_KEYS = re.compile(rf"\b(by|per) ({_WORDS}), ({_WORDS}),? and\b", re.IGNORECASE)  # "by city, segment and year"
_LEAST = 3  # words of the question proper


def plain(question: str) -> str:
    """The question without what says nothing of what is asked, and with that in front."""
    question = _LONG_LIST.sub(r"most \1\2", without_asides(question))
    question = _KEYS.sub(r"\1 \2 and \3 and", question)
    question = _GOING_BY.sub(_most_of, question)
    question = _ALPHABETICAL.sub("", _THOUSANDS.sub(r"\1 \2 thousand", _HALF.sub(r"0.5 \1", question)))
    question = _NEAR.sub(r"at most \1 from", question)
    question = _SPAN.sub(_spanned, _FROM_TO.sub(_ranged, question))
    question = _COMES.sub(_placed, question)
    question = _TO_GET.sub(r"\g<first>\g<what> by \g<key>?", question)
    question = _SINCE.sub("", question)
    question = _CALLED.sub(r"which \3 has the \2 \1?", question)
    question = _CLASSED_AS.sub(r"\1 ", question)
    question = _DESCRIBED.sub(r"what is \1?", _COUNTS_AS.sub(r"is \1 ", _COUNTED_AS.sub(r"\1 \2 ", question)))
    return _which_ones(_which_of_two(_SHORT_LIST.sub(r"fewest \1\2", question)))


def _placed(said: re.Match[str]) -> str:
    """As in "comes third by votes": "has the third foremost votes"."""
    place = fold_case(said["place"])
    ranks = {"first": "foremost", "last": "hindmost"}.get(place, f"{place} foremost")
    return f"{said['which']} has the {ranks} {said['key']}?"


def _ranged(said: re.Match[str]) -> str:
    """As in "from 30 to 35 years": "between 30 and 35 years"."""
    return f"between {said[1]}{said[2]} and {said[3]}" if _rises(said[1], said[3]) else said[0]


def _spanned(said: re.Match[str]) -> str:
    """As in "with 100 to 120 seats": "with between 100 and 120 seats"."""
    return f"{said[1]} between {said[2]} and {said[3]}" if _rises(said[2], said[3]) else said[0]


def _rises(one: str, other: str) -> bool:
    """Whether a number, or a date in digits, is less than another."""
    if one.count("-") or other.count("-"):
        return one.count("-") == other.count("-") and one < other
    low, high = (float(re.sub(r"[^\d.]", "", each) or 0) for each in (one, other))
    return low < high


def _most_of(said: re.Match[str]) -> str:
    """As in "is the most complicated, going by the number of parts": "has the most parts"."""
    verb = {"is": "has", "are": "have"}.get(fold_case(said[1]), "had")
    ranks = fold_case(said[2])
    known = english().superlatives.get(ranks)
    if known is None and not ranks.startswith(("most", "least")):
        return said[0]  # "the simplest": more of it, or less?
    few = ranks.startswith("least") or (known is not None and known.direction == "min")
    return f"{verb} the {'fewest' if few else 'most'} {said[3]}"


def _which_of_two(question: str) -> str:
    """The question, "A or B: which has more ports?" as one that names the two behind."""
    found = _OF_TWO.match(question)
    if found is None or tokens(found[1])[0].text in english().stop:  # "in X or Y, which …"
        return question
    return f"{found[2]}, {_VERSUS.sub(' or ', found[1])}?"


def _which_ones(question: str) -> str:
    """The question, "Are there servers without software? Which ones?" as one for those; "Did any ship sink? Which?"."""
    found = _ONES.match(question) or _ANY.match(question)
    return f"which {found[1]}?" if found else question


def split_clause(text: str) -> tuple[str, str]:
    """The question proper and what its last clause asks to show ("" where there is no such clause)."""
    for pattern in (_SENTENCE, _TAIL):
        found = pattern.search(text)
        rest = next((part for part in found.groups() if part is not None), "") if found else ""
        if found and rest.strip() and len(text[: found.start()].split()) >= _LEAST:
            return text[: found.start()], rest
    return text, ""


def unsorted(text: str, language: Language) -> str:
    """The question without how what it ranks is to be sorted, which is the order of its ranks: "top 5, best first"."""
    if _GROUPED.search(text):  # the rows of a table are the same in any order
        text = _ROWS_SORTED.sub("", text)
    found = _SORTED.search(text)
    words = [each and fold_case(each) for each in found.groups()] if found else []
    if not found or any(each and each not in language.superlatives for each in words):
        return text
    rest = text[: found.start()]
    ranks = any(word.text in language.superlatives for word in tokens(rest))
    return rest if ranks or _GROUPED.search(rest) else text


def split_addition(text: str) -> tuple[str, str]:
    """The question proper and what its last sentence wants beside that: "Also, find the age groups." ("": none)."""
    found = _ADDED.search(text)
    if found and len(text[: found.start()].split()) >= _LEAST:
        return text[: found.start()], found["rest"]
    return text, ""
