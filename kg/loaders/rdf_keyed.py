"""Facts that RDF states by a node of a key and a value, as properties of the thing: `:jama :issn "0098-7484"`.

`:jama datacite:hasIdentifier [ datacite:usesIdentifierScheme datacite:issn ; literal:hasLiteralValue "0098-7484"
]`, schema.org's `PropertyValue`, BIBFRAME's `identifiedBy [ a bf:Isbn ; rdf:value "…" ]`. The predicates are called
so: what leads to a node as an identifier, attribute or property, its value as a value and nothing else. The key is
what a predicate leads to that is called as a scheme, kind, type, key, property or system, else the node's label,
else its type where nodes are of several; there are few keys, each of many nodes, and one of each node. A price in
dollars has none, and neither has a property at Main Street with a market value. The nodes stay what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from trivium.kg.loaders.delimited import CONTROL
from trivium.kg.loaders.rdf_terms import local_name, local_words
from trivium.kg.types import Triple, ValueText

_LEADS = frozenset({"identifier", "identifiers", "identified", "attribute", "attributes", "property", "properties"})
_KEYS = frozenset({"scheme", "kind", "type", "key", "property", "system"})
_VALUES = frozenset({"value", "notation", "content", "literal"})
_BESIDE_VALUES = _VALUES | _LEADS | frozenset({"has", "string", "symbolic", "text"})
_MOST, _MOST_KEYS = 3_000_000, 100  # statements that are held, beyond which nothing is said; distinct keys
_EACH = 2  # nodes a key, on average, at least
_NEARLY = 0.95  # share of the nodes that have one key
_LONGEST_KEY = 64  # characters


@dataclass
class KeyedNodes:
    """Nodes that may hold a key and a value, as a file is read."""

    _leading: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # by relation (thing, node)
    _keys: dict[str, set[str]] = field(default_factory=dict)  # by node
    _values: dict[str, list[ValueText]] = field(default_factory=dict)
    _relations: set[str] = field(default_factory=set)
    _count: int = 0

    def note(self, triple: Triple) -> None:
        """Take a triple of the file."""
        self._relations.add(triple.relation)
        lead, key, value = _parts(triple.relation)
        self._count += lead or key or value
        if self._count > _MOST:
            for held in (self._leading, self._keys, self._values):
                held.clear()
            return
        if value and isinstance(triple.tail, ValueText):
            self._values.setdefault(triple.head, []).append(triple.tail)
        elif key:
            self._keys.setdefault(triple.head, set()).add(CONTROL.sub(" ", triple.tail).strip())
        if lead and not isinstance(triple.tail, ValueText):
            self._leading.setdefault(triple.relation, []).append((triple.head, triple.tail))

    def facts(self, label: Callable[[str], str], types: Callable[[str], Collection[str]]) -> Iterator[Triple]:
        """The properties that the nodes say; none that the file has a predicate for.

        Args:
            label: what a node is labeled, or "".
            types: the classes that it is an instance of.
        """
        sources: tuple[Callable[[str], Collection[str]], ...] = (
            lambda node: self._keys.get(node, ()),
            lambda node: [text] if (text := label(node)) else (),
            lambda node: [each for each in types(node) if _LEADS.isdisjoint(local_words(each)) and not _parts(each)[2]],
        )
        taken = set(map(_name, self._relations))
        for pairs in self._leading.values():
            held = [(head, node) for head, node in pairs if len(self._values.get(node, ())) == 1]
            if len(held) < _NEARLY * len(pairs):
                continue
            found = [_keyed(held, source, taken) for source in sources]
            if len(set(found[-1].values())) == 1:  # what all nodes are tells none apart
                found.pop()
            key = next(filter(None, found), {})
            for head, node in held:
                if node in key:
                    yield Triple(head, key[node], self._values[node][0])


def _keyed(
    held: Sequence[tuple[str, str]], source: Callable[[str], Collection[str]], taken: Collection[str]
) -> dict[str, str]:
    """The key of each node, of those that nothing else is called by; none where these are no few keys."""
    found = {node: next(iter(keys)) for _, node in held if len(keys := source(node)) == 1}
    keys = set(found.values())
    few = len(keys) <= _MOST_KEYS and _EACH * len(keys) <= len(found)
    if not few or len(found) < _NEARLY * len({node for _, node in held}):
        return {}
    new = {key for key in keys if _may_name(key) and _name(key) not in taken}
    return {node: key for node, key in found.items() if key in new}


def _may_name(key: str) -> bool:
    """Whether a key may name a property: it is no blank node, no sentence and no number."""
    return not key.startswith("_:") and len(_name(key)) <= _LONGEST_KEY and any(map(str.isalpha, key))


@cache
def _parts(relation: str) -> tuple[bool, bool, bool]:
    """Whether a predicate leads to nodes of a key and a value, to keys, to values."""
    words = local_words(relation)
    value = not _VALUES.isdisjoint(words) and _BESIDE_VALUES.issuperset(words)
    return not _LEADS.isdisjoint(words), not _KEYS.isdisjoint(words), value


def _name(relation: str) -> str:
    return local_name(relation).casefold()
