"""What people say beside a question: why they ask, how the answer is to be written."""

from __future__ import annotations

import re

_ROUNDED = re.compile(  # how a figure is to be shown says nothing of which
    r"(?<![\s,;(])[\s,;(]++(?:please\s+)?(?:and\s+)?(?:round(?:ed)?\s+(?:it\s+|them\s+)?(?:off\s+)?)?(?:to\s+)?"
    r"(?:\d|one|two|three|four)\s+decimals?(?:\s+places?)?\)?",
    re.IGNORECASE,
)
_ASIDE = re.compile(  # so does how it is to be said, and what is an example of it
    r"\b(?:in (?:a few|one|two|a couple of|simple|short) (?:words?|sentences?|lines?)|briefly|in short|in brief)\b,?\s*"
    r"|\s*\((?:e\.?g\.?|for example|for instance|such as|like)\b[^()]*\)"
    r"|\s*\([^()]*\b(?:and so on|and so forth|etc)\.?\)",
    re.IGNORECASE,
)
_BEGINS = (
    r"(?:what|which|who|whom|whose|when|where|how(?! many (?:did|do|does|are|were|have|of)\b)|is|are|was|were|do|does|"
    r"did|has|have|can|could|list|name|show|give|tell|count|find)\b"
)
_GREETING = re.compile(
    rf"\s*(?:(?:quick |a )?question|hi|hello|hey)(?: there)?\s*[:,\u2013\u2014-]+\s+(?={_BEGINS})", re.IGNORECASE
)
_ABOUT_ME = re.compile(
    rf"\s*(?!(?i:{_BEGINS}))(?P<why>[^?]*?\b(?:I|I['\u2019]m|[Mm]y|[Ww]e|[Oo]ur|me|us)\b[^?]*?)"
    rf"(?:[.:;,]|\s[-\u2013\u2014])\s+(?P<asked>(?i:{_BEGINS}).*)",
    re.DOTALL,
)
_BACK = re.compile(
    r"\b(?:that|this|these|those|its?|they|them|theirs?|he|him|his|she|hers?|same|there|then|others?|former|latter|both"
    r"|ones?(?=\W*$))\b",
    re.IGNORECASE,
)
_LONGEST = 500  # characters
_WORD = re.compile(r"[^\W_]+")
_OF_TIES = re.compile(  # what is to be given where several are first, as it is anyway
    r"\s*\([^()]*\b(?:ties?|tied|draw)\b[^()]*\)"
    r"|[,;.?!]\s*(?:[^,;.?!()]{0,25}\b)?(?:if|in case)\b[^,;.?!()]{0,20}\b(?:ties?|tied|draw)\b[^.?!()]*",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"(?:[.?!;]\s+|\s*\(|\s*,\s*(?=(?:and\s+)?(?:not|just|only|all)\b))(?:please\s+|and\s+)?"
    r"([^.?!;()]*?)(?:,?\s+(?:please|pls|thanks))?[.!)]?\s*$",
    re.IGNORECASE,
)
_NAMES = r"(?:names?|words?)"
_CODES = r"(?:the\s+|an?\s+)?(?:abbreviations?|abbrevs?|codes?|ids?|initials|symbols?|acronyms?|nicknames?)"
_FORM = re.compile(  # of what form the answer is to be, where it is of that form anyway
    rf"(?:the\s+)?(?:full|whole|complete|long)\s+{_NAMES}(?:,?\s+(?:and\s+)?(?:not|rather than|instead of)\s+{_CODES})"
    rf"|not\s+{_CODES}|(?:just|only)\s+(?:the\s+)?{_NAMES}|{_NAMES}\s+only"
    rf"|(?:\w+\s+)?{_NAMES}\s+(?:(?:will|would)\s+do|(?:is|are)\s+(?:fine|enough|ok|okay))"
    r"|all\s+(?:the\s+)?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve)\s+\w+"
    r"|count\s+(?:the\s+)?\w+,?\s+not\s+(?:the\s+)?\w+",
    re.IGNORECASE,
)


_REPORTED = re.compile(  # who wants to know it
    r"\s*(?:(?:the|my|our|a|an)\s+\w+|I|we|he|she|they)\s+(?:asks?|asked|is asking|wonders?|"
    rf"(?:wants?|needs?|would like)\s+to\s+(?:know|find out|see))(?:\s+me)?[:,]?\s+(?={_BEGINS})",
    re.IGNORECASE,
)
_CHECKED = re.compile(  # whether something is so
    r"\s*(?:(?:could|can|would)\s+you\s+|please\s+)*(?:check|confirm|verify|find out|tell me|let me know)"
    r"(?:\s+for me)?\s+(?:whether|if)\s+(?P<what>.+?)\s+"
    r"(?P<verb>is|are|was|were|has|have|had)\s+(?P<rest>[^,;]+?)(?:,?\s+please)?[\s?.!]*",
    re.IGNORECASE,
)
_WHICH_ARE_THEY = re.compile(
    r"\s*(?:[-\u2013\u2014,;:.?]\s+)(?:and\s+)?(?:who|what|which(?: ones?)?)\s+(?:are|were|is|was)\s+"
    r"(?:they|those|these|it|that)[\s?.!]*$",
    re.IGNORECASE,
)
_END = r"(?=[\s?.!]*$)"
_LEFT_OUT = re.compile(  # what is left out, said behind
    r"\s*[,(]\s*(?:the\s+)?([\w.' -]{1,40}?)\s+(?:is\s+|are\s+)?(?:excluded|left out|not included|not counted)\)?"
    rf"{_END}"
    r"|\s*\((?:leave|leaving) out ([^()]+)\)",
    re.IGNORECASE,
)
_EXCEPT = (
    r"(?:leaving out|not counting|without counting|apart from|aside from|except for|excepting|excluding|other than|"
    r"besides|disregarding|ignoring)"
)
_EXCEPT_FIRST = re.compile(
    rf"^\s*(?P<out>{_EXCEPT} [^,?]{{1,60}}),\s+(?P<rest>(?i:(?:in|on|at)\s+)?{_BEGINS}[^?]*?)[\s?.!]*$", re.IGNORECASE
)
_EXCEPT_INSIDE = re.compile(
    rf"^(?P<what>[^,?]+),\s+(?P<out>{_EXCEPT} [^,?]{{1,60}}),\s+(?P<rest>[^,?]+?)[\s?.!]*$", re.IGNORECASE
)
_NOT_LEFT_OUT = re.compile(
    rf"\s*[,(]\s*(?:the\s+)?[\w.' -]{{1,40}}?\s+(?:included|counted as one)\)?{_END}", re.IGNORECASE
)
_TOLD = re.compile(
    rf"\s*(?!(?i:{_BEGINS}))(?P<told>[^?.;]*)(?:[.;]|\s[-\u2013\u2014])\s+(?P<asked>(?i:(?:in|on|at|by|from|to|of)\s+)?(?i:{_BEGINS}).*)",
    re.DOTALL,
)
_NAME = re.compile(
    r"(?<!\w)(?:[A-Z][\w.'\u2019-]*\w|[A-Z])(?:\s+(?:(?:of|the|de|van|von|la)\s+)*[A-Z][\w.'\u2019-]*\w)*"
)
_SPEAKER = re.compile(r"\b(?:I|I['\u2019]m|[Ww]e|[Mm]y)\b")
_THEM = {"he": "{}", "she": "{}", "him": "{}", "his": "{}'s"}
_IT = {"it": "{}", "its": "{}'s", "that": "{}"}
_POINTS = re.compile(r"\b(?:he|she|him|his|it|its|(?<=\bis )that|(?<=\bwas )that|(?<=\bdoes )that)\b", re.IGNORECASE)
_SAME = re.compile(r"\b(?:the|that) same \w+(?! as\b|\w)", re.IGNORECASE)


def without_asides(question: str) -> str:
    """The question without what says nothing of what is asked.

    A sentence or clause before it about whoever asks is left out ("I'm preparing for a quiz: who wrote Emma?"), unless
    it has a name or a number in it, or the question speaks of something that was said before.
    """
    question = _ASIDE.sub("", _ROUNDED.sub("", _OF_TIES.sub("", question)))
    question = _EXCEPT_FIRST.sub(r"\g<rest> \g<out>?", _EXCEPT_INSIDE.sub(r"\g<what> \g<rest> \g<out>?", question))
    question = _LEFT_OUT.sub(lambda each: f" excluding {each[1] or each[2]}", _NOT_LEFT_OUT.sub("", question))
    last = _LAST.search(question)
    if last and _FORM.fullmatch(last[1].strip()):
        question = question[: last.start(1)].rstrip(" ,;(")
    if greeted := _GREETING.match(question):
        question = question[greeted.end() :]
    if len(question) > _LONGEST:
        return question
    question = _WHICH_ARE_THEY.sub("", _REPORTED.sub("", question, count=1))
    if checked := _CHECKED.fullmatch(question):
        question = f"{checked['verb']} {checked['what']} {checked['rest']}?"
    question = _of_whom_it_tells(question)
    found = _ABOUT_ME.fullmatch(question)
    if found is None:
        return question
    before = _WORD.findall(found["why"])[1:]
    names = any(word[0].isupper() and word != "I" for word in before) or any(map(str.isdigit, found["why"]))
    back = _BACK.search(found["asked"])
    return question if names or back or '"' in found["why"] else found["asked"]


def _of_whom_it_tells(question: str) -> str:
    """The question alone, with the name in place of the word for it, where a sentence before it names one thing.

    As in "I know Rijeka; which ports lie further south than it?" and "Ann was a judge only briefly. Whom did she try?".
    """
    found = _TOLD.fullmatch(question)
    if found is None or any(map(str.isdigit, found["told"])) or '"' in found["told"]:
        return question
    mine = _SPEAKER.search(found["told"])
    names = [each for each in _NAME.findall(found["told"]) if each not in ("I", "My", "We", "The", "A", "An")]
    points = {each.lower() for each in _POINTS.findall(found["asked"])}
    words = _IT if mine else _THEM
    if len(names) != 1 or len(points) != 1 or not points <= words.keys():
        return question
    (name,) = names
    asked = _POINTS.sub(lambda each: words[each[0].lower()].format(name), found["asked"])
    return _SAME.sub(rf"\g<0> as {name}", asked)


def speaks_of_ties(question: str) -> bool:
    """Whether a question says what is to be given where several are first: "list all if there is a tie"."""
    return _OF_TIES.search(question) is not None
