"""What a type is asked of: "what type of ship is Atlas?" of Atlas, "what type of engine has Atlas?" of nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from trivium.kg.profile import TYPE_PROPERTY
from trivium.policies.reader.english import Language
from trivium.policies.reader.matching import Element
from trivium.policies.reader.schema import Schema, Walk
from trivium.policies.reader.sketch import Sketch, relations_walked
from trivium.policies.reader.tagging import ANY_KIND, Tagged

_SAID = 0.75  # likeness from which a word says what it is read as
_OWN = 0.95  # from which it is a type's own name
_LIKER = 0.1  # by which a noun is liker to one kind of things than to another


@dataclass(frozen=True)
class Sorts:
    """Looks at plans of one schema for sorts of something else than they give."""

    schema: Schema
    language: Language

    def said_to_be(self, tagged: Tagged, links: Sequence[Any], left: Collection[int]) -> list[int]:
        """Places of unread nouns for what a named thing is said to be: "what type of *ship* is Atlas?"."""
        named = {at for at, what, _ in links if isinstance(what, Element) and _is_name(what)}
        being = self.language.classes.being
        return [
            place
            for place in self._sorted(tagged)
            if place in left and place - 1 not in left and place + 1 in named
            if not tagged.gaps[place + 1].isdisjoint(being)
        ]

    def of_others(self, tagged: Tagged, sketch: Sketch, links: Sequence[Any], left: Collection[int]) -> list[int]:
        """Places of the nouns of "what type of …" that are not read, or only as what sounds like them.

        An "engine" is no `Engineer`, and a director is no sort of film. But a "vessel" may be a `Ship` where a
        ship is named and no other word is `left` unread: a "camera that was used for" a film is none.
        """
        of_types = _reads_types(sketch)
        places: list[int] = []
        read = {place for place, *_ in links}
        idle = {at for at, word in enumerate(tagged.positions) if at not in read and word in self.language.verbs}
        for place in self._sorted(tagged):
            doubtful = bool({*left, *idle} - {place, place - 1})
            if self._is_of_joined(tagged, place, sketch, links) or (of_types and self._is_known(tagged, place, links)):
                places += [place - 1, place]
            elif not self._says(tagged, place, links, of_types=of_types, doubtful=doubtful) and (
                doubtful or not self._is_of_named(tagged, place, links)
            ):
                places.append(place)
        return [*places, *self._of_another(tagged, sketch, links, left)] if of_types else places

    def _sorted(self, tagged: Tagged) -> Iterator[int]:
        """The places of nouns behind "type of"; not of "thing"."""
        words = {
            start
            for start, stop, item in tagged.items
            if stop == start + 1 and item.category == "P" and any(map(self._is_type, item.data))
        }
        for place in range(1, len(tagged.positions)):
            word = tagged.positions[place - 1].casefold()
            asked = place - 1 in words or word in self.language.classes.kinds
            if asked and "of" in tagged.gaps[place] and tagged.content[place]:
                yield place

    def _is_type(self, number: int) -> bool:
        return self.schema.properties[number].is_type

    def _says(self, tagged: Tagged, place: int, links: Sequence[Any], *, of_types: bool, doubtful: bool) -> bool:
        """Whether a noun is read as what it says.

        A value only before another noun ("types of red wine"); a relation where no other word is left unread, or
        another one says it, too (the "works" that somebody "created"); where types are given, as a kind of things.
        """
        alone = place + 1 == len(tagged.positions) or bool(tagged.gaps[place + 1])

        def says(what: Element | str, score: float) -> bool:
            if not isinstance(what, Element):
                return score >= _SAID and not of_types
            if what.kind == "type" or (what.kind == "property" and self._is_type(what.number)):
                return score >= _SAID
            if what.kind == "relation":
                both = any(at != place and other == what for at, other, _ in links)
                return both or (score >= _SAID and not (of_types or doubtful))
            return score >= _SAID and not of_types and not (alone and what.kind == "property" and what.name)

        return any(says(what, score) for at, what, score in links if at == place)

    def _is_of_joined(self, tagged: Tagged, place: int, sketch: Sketch, links: Sequence[Any]) -> bool:
        """Whether the types of what a named thing is joined to are given, no other word says how, and not its own."""
        if not _reads_types(sketch) or not self._is_of_named(tagged, place, links):
            return False
        said = {
            what.number
            for at, what, _ in links
            if at != place and isinstance(what, Element) and what.kind == "relation"
        }
        return not said.issuperset(relations_walked(sketch))

    def _is_known(self, tagged: Tagged, place: int, links: Sequence[Any]) -> bool:
        """Whether a noun says the only type that what is named has: "what kind of volcano is Hekla?"."""
        named = {what.number for _, what, _ in links if isinstance(what, Element) and _is_name(what)}
        said = {
            item.type
            for start, stop, item in tagged.items
            if (start, stop) == (place, place + 1) and item.category == "S" and item.form == "plain"
            if item.links[0][2] >= _OWN
        }
        alike = {each.type for each in self.schema.properties if each.is_type and each.profile.distinct == 1}
        return not named.isdisjoint(said & alike)

    def _is_of_named(self, tagged: Tagged, place: int, links: Sequence[Any]) -> bool:
        """Whether a noun that is not read may be for the kind of what is named."""
        named = [what.number for _, what, _ in links if isinstance(what, Element) and _is_name(what)]
        items = [item for start, stop, item in tagged.items if (start, stop) == (place, place + 1)]
        plain = [item for item in items if item.category == "S" and item.form == "plain"]
        likest = max((item.score for item in plain), default=0.0)
        kinds = [item.type for item in plain if item.score > likest - _LIKER]  # a "movie" is no `Novel` beside a `Film`
        any_kind = any(at == place and isinstance(what, Element) and what.name == ANY_KIND for at, what, _ in links)
        return any_kind or any(self.schema.compatible(kind, each) for kind in kinds for each in named)

    def _of_another(self, tagged: Tagged, sketch: Sketch, links: Sequence[Any], left: Collection[int]) -> Iterator[int]:
        """Places of unread words that say whose type is asked for: a "blood type", that of what "was used for" X."""
        for place, what, _ in links:
            if not isinstance(what, Element) or what.kind != "property" or not self._is_type(what.number):
                continue
            if place and place - 1 in left and not tagged.gaps[place]:
                yield place - 1
            if sketch[0] == "values":
                yield from (each for each in left if each in tagged.verbs)


def _is_name(what: Element) -> bool:
    return what.kind == "type" and what.name not in ("", ANY_KIND)


def _reads_types(sketch: Any) -> bool:
    """Whether a sketch reads the types of things."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return False
    return TYPE_PROPERTY in sketch or any(map(_reads_types, sketch))
