"""What the entities of a type are called, guessed from the statistics of their properties.

In this order: what `trivium.toml` says; text with a likely name ("name", "title") that is nearly unique and complete;
first and last name together; other unique text that reads like words; text that tells most nodes apart; a unique code;
a unique number behind the label ("Order 10248"). Text that many nodes share names them only where they have no key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trivium.kg.name_parts import FIRST, LAST

SCALARS = ("STRING", "INTEGER", "FLOAT", "BOOLEAN", "DATE", "LOCAL", "ZONED", "DURATION", "POINT")
LISTS = ("LIST<STRING", "LIST<INTEGER", "LIST<BOOLEAN", "LIST<DATE", "LIST<ZONED", "LIST<LOCAL", "LIST<DURATION",
         "LIST<POINT", "LIST<FLOAT", "LIST<NOTHING")  # fmt: skip
_LIKELY = ("name", "title", "label", "fullname", "displayname", "caption", "term", "description", "code", "id")
_LOGINS = ("username", "loginname", "screenname", "nickname", "handle")  # beside a name in full
# Endings of the names of keys that people use.
_CODES = ("code", "ticket", "number", "no", "nr", "ref", "reference", "sku", "isbn", "key")
_CONTACT = ("phone", "fax", "mobile", "email", "mail", "ip", "ipaddress", "mac", "url", "website", "homepage")
_LONGEST = 120  # mean letters; longer texts are descriptions
_UNIQUE, _COMPLETE = 0.98, 0.9
_TELLING = 0.7  # the share of distinct texts among nodes that a text tells apart
_SOME = 0.05  # and the share below which the same few texts return over and over
_VECTOR = 8  # mean elements of a list of reals beyond which it is an embedding
_WORDS = re.compile(r"[^\W\d_]{2,}")
UUID = re.compile(r"_?(?:urn:uuid:)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}", re.IGNORECASE)


@dataclass(frozen=True)
class Naming:
    """What the entities of a type are called.

    Attributes:
        label: the type; "" is any.
        keys: the properties whose texts are joined by a blank.
        prefix: whether the type stands in front ("Order 10248"), since the property is a number or a code.
    """

    label: str
    keys: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True)
class PropertySample:
    """What a sample of the nodes of a label, or of the relationships of a type, says of a property.

    Attributes:
        key: the property.
        total: how many were looked at; `having` of them have it and are not the empty text, with `distinct` values.
        types: Cypher's types of its values.
        letters: mean letters of its values as text; mean elements of lists.
        examples: a few of its values as text.
        unique: whether no two nodes share a value, as a constraint or count says; None: only the sample was looked at.
        repeats_id: whether it only repeats the ids that the nodes have in a file: `i1` beside a ticket `INC-1201`.
    """

    key: str
    total: int
    having: int
    distinct: int
    types: tuple[str, ...]
    letters: float
    examples: tuple[str, ...] = ()
    unique: bool | None = None
    repeats_id: bool = False

    @property
    def coverage(self) -> float:
        """The share that has it, in [0, 1]."""
        return self.having / self.total if self.total else 0.0

    @property
    def share(self) -> float:
        """Distinct values a value, in [0, 1]."""
        return self.distinct / self.having if self.having else 0.0

    @property
    def is_key(self) -> bool:
        """Whether it identifies nodes: each has one of its own."""
        alone = self.unique if self.unique is not None else self.having > 1 and self.distinct == self.having
        return alone and self.coverage >= _COMPLETE and self.holds(("STRING", "INTEGER"))

    @property
    def is_text(self) -> bool:
        """Whether its values are texts of a name's length."""
        return self.holds(("STRING",)) and self.letters <= _LONGEST

    @property
    def is_wordy(self) -> bool:
        """Whether its texts read like words, not like codes or numbers."""
        return bool(self.examples) and 2 * sum(map(_reads, self.examples)) >= len(self.examples)

    @property
    def is_opaque(self) -> bool:
        """Whether its texts are made for machines: UUIDs."""
        return bool(self.examples) and all(map(UUID.fullmatch, self.examples))

    @property
    def is_vector(self) -> bool:
        """Whether a value is an embedding (a list of many reals), which is not treated as a fact."""
        return any(kind.startswith("LIST<FLOAT") for kind in self.types) and self.letters > _VECTOR

    def holds(self, kinds: Sequence[str]) -> bool:
        """Whether all its values are of these types."""
        return bool(self.types) and all(kind.startswith(tuple(kinds)) for kind in self.types)


def _reads(text: str) -> bool:
    letters = sum(len(word) for word in _WORDS.findall(text))
    return letters >= 3 and 2 * letters >= len(text.replace(" ", ""))


def folded(key: str) -> str:
    """A property's name without case and separators, of an IRI its last part."""
    return re.sub(r"[\s_.\-]", "", re.split(r"[/#]", key)[-1] if "://" in key else key).lower()


def full_name(properties: Iterable[PropertySample]) -> tuple[str, str] | None:
    """The properties that hold first and last names, where there are both and the first is not the whole name."""
    known = {folded(each.key): each for each in properties if each.is_text}
    last = next((known[name] for name in LAST if name in known), None)
    first = next((known[name] for name in (*FIRST, "name") if name in known), None)
    if first is None or last is None or first.key == last.key:
        return None
    blanks = sum(" " in text.strip() for text in first.examples)
    return None if 2 * blanks > len(first.examples) else (first.key, last.key)


def naming(
    label: str, properties: Sequence[PropertySample], together: Mapping[tuple[str, ...], float]
) -> Naming | None:
    """The best guess for a label; `together` are the shares of distinct texts of properties that are joined."""
    has_key = any(each.is_key for each in properties)
    ranked: list[tuple[int, float, str, Naming]] = []
    pair = full_name(properties)
    for each in properties:
        rank = _rank(label, each, has_key=has_key, part=pair is not None and each.key in pair)
        if rank is not None:
            place, prefix = rank
            ranked.append((place, _order(label, each), each.key, Naming(label, (each.key,), prefix)))
    if pair is not None and together.get(pair, 0.0) >= _TELLING:
        ranked.append((1, 0.0, pair[0], Naming(label, pair)))
    return min(ranked, default=(0, 0.0, "", None), key=lambda row: row[:3])[3]


def is_called_name(choice: Naming) -> bool:
    """Whether the entities are named by what is called a name ("companyName", "title"), or a first and a last one."""
    return len(choice.keys) > 1 or _likeness(choice.label, choice.keys[0]) < _LIKELY.index("description")


def _rank(label: str, each: PropertySample, *, has_key: bool, part: bool) -> tuple[int, bool] | None:
    """How good a name a property is, 0 the best, and whether the label stands in front of it."""
    likely = _likeness(label, each.key) < _LIKELY.index("description")
    unique = each.share >= _UNIQUE and each.coverage >= _COMPLETE
    telling = each.share >= _TELLING and each.coverage >= 0.5
    if each.is_text and each.is_wordy and not part:
        if unique:
            return (0 if likely else 2), False
        if telling:
            return (3 if likely else 4), False
        if not has_key and each.share >= _SOME and each.coverage >= 0.5:
            return (7 if likely else 9), False
    if each.is_text and part and unique and each.is_wordy:
        return 4, False
    if each.is_key and (each.repeats_id or each.is_opaque or folded(each.key) in _CONTACT):
        return (8, not each.is_text)
    if each.is_key and (each.is_text or not each.holds(("STRING",))):
        digits = all(text.strip().isdigit() for text in each.examples) if each.is_text else True
        return (6, not (likely and each.is_text)) if digits or not each.is_text else (5, False)
    if each.is_text and not has_key and (likely or unique) and each.coverage >= 0.5 and each.share >= _SOME:
        return 8, False
    return None


def _order(label: str, each: PropertySample) -> float:
    """Among properties of one rank: the likely name first, then by how well it tells nodes apart."""
    return _likeness(label, each.key) - each.coverage * each.share


def _likeness(label: str, key: str) -> int:
    """The place of a property among likely names, `len(_LIKELY)` and more where it is none of them."""
    name, of = folded(key), folded(label)
    if name in _LOGINS:  # `username` of User is no name of users
        return _LIKELY.index("term")
    bare = name.removeprefix(of)
    if bare != name and bare in ("id", "identifier"):  # `visit_id` of Visit, beside `id`
        return _LIKELY.index("code")
    for candidate in (name, bare):
        if candidate in _LIKELY:
            return _LIKELY.index(candidate)
    # product_name, movieTitle; and a property called as its label is ("ageGroup" of AgeGroup)
    ending = next((i for i, word in enumerate(_LIKELY[:2]) if name.endswith(word)), None)
    if ending is not None or name == of:
        return ending or 2
    return _LIKELY.index("code") if name.endswith(_CODES) else len(_LIKELY)
