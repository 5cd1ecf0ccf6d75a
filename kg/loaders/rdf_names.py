"""Other names and names in other languages as facts: what RDF says by labels and alternative labels.

An alternative label, and a further label in the entity's own language, is a value of `skos:altLabel`, a label in
another language one of `japanese label`. They name their entities besides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from trivium.kg.languages import language_of
from trivium.kg.other_names import ALT_LABEL, label_in
from trivium.kg.types import Triple, ValueText

MOST_LANGUAGES = 40
"""Languages in which names are facts, those of most names; in all others they only name."""


class Label(NamedTuple):
    """A label: the lower its rank, the sooner it is what its entity is called; `language` is its tag, "" for none."""

    rank: int
    text: str
    language: str


Named = tuple[str, Sequence[Label], Sequence[Label]]
"""An entity, its labels and its alternative labels."""


def name_facts(entities: Iterable[Named]) -> Iterator[Triple]:
    """The facts of entities' names, none of what an entity is called first.

    Their own languages are English, none, and the one in which most are called.
    """
    found = [each for each in entities if each[2] or len(each[1]) > 1 or _is_foreign(each[1])]
    own = {"", "english", *_most_called(found)}
    counts = Counter(
        language
        for _, labels, others in found
        for language in {language_of(each.language) for each in (*labels, *others)} - own
    )
    kept = {language for language, _ in counts.most_common(MOST_LANGUAGES)}
    for key, labels, others in found:
        first = min(labels, key=lambda each: each.rank).text if labels else ""
        mine = (each.text for each in (*labels, *others) if language_of(each.language) in own)
        for text in dict.fromkeys(mine):
            if text != first:
                yield Triple(key, ALT_LABEL, ValueText(text, "text"))
        for language, texts in _by_language(labels, others).items():
            for text, tag in texts.items() if language in kept else ():
                yield Triple(key, label_in(language), ValueText(text, f"@{tag}"))


def _is_foreign(labels: Sequence[Label]) -> bool:
    return bool(labels) and language_of(labels[0].language) not in ("", "english")


def _most_called(found: Sequence[Named]) -> list[str]:
    """The language of what most entities are called."""
    called = Counter(language_of(min(labels, key=lambda each: each.rank).language) for _, labels, _ in found if labels)
    return [language for language, _ in called.most_common(1)]


def _by_language(labels: Sequence[Label], others: Sequence[Label]) -> dict[str, dict[str, str]]:
    """Names by language, each with its tag; alternative ones, and those of a region, where there is no other.

    Flemish names are the Dutch ones of an entity that has no Dutch ones.
    """
    found: dict[str, tuple[tuple[bool, bool], dict[str, str]]] = {}
    for group, alternative in ((labels, False), (others, True)):
        for _, text, tag in group:
            language = language_of(tag)
            order = alternative, "-" in tag
            known = found.get(language)
            if known is None or order < known[0]:
                found[language] = order, {text: tag}
            elif order == known[0]:
                known[1].setdefault(text, tag)
    return {language: texts for language, (_, texts) in found.items()}
