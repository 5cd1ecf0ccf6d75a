"""N-Triples and Turtle, parsed as a stream by pyoxigraph.

An IRI or blank node is an id, a literal stands by its lexical form, a relation is its IRI. Labels, aliases and types
become attributes of entities, not triples: `rdfs:label` and `skos:prefLabel` (the one without a language or in English
first, the others as aliases), `skos:altLabel`, `rdf:type` (local name).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from trivium.kg.errors import BadInputError
from trivium.kg.loaders.delimited import CONTROL
from trivium.kg.loaders.skips import SkipLog
from trivium.kg.types import Entity, Triple

if TYPE_CHECKING:
    from pyoxigraph import Quad

RDF_SUFFIXES = (".nt", ".ttl")
BATCH = 50_000

_SKOS = "http://www.w3.org/2004/02/skos/core#"
_LABELS = {"http://www.w3.org/2000/01/rdf-schema#label", f"{_SKOS}prefLabel"}
_ALIAS = f"{_SKOS}altLabel"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


@dataclass
class _Named:
    """What a file says about one entity: `labels` as (rank, text), the lowest rank is the label."""

    labels: list[tuple[int, str]] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)


class RdfParser:
    """One pass over one RDF file.

    Attributes:
        statements: statements read so far.
    """

    def __init__(self, path: Path, suffix: str, skips: SkipLog) -> None:
        self._path = path
        self._suffix = suffix
        self._skips = skips
        self._named: dict[str, _Named] = {}
        self._anonymous: dict[str, str] = {}
        self.statements = 0

    def batches(self, file: BinaryIO) -> Iterator[list[Triple]]:
        """The statements that are triples, in lists of at most 50,000."""
        batch: list[Triple] = []
        for quad in self._quads(file):
            self.statements += 1
            triple = self._read(quad)
            if triple is not None:
                batch.append(triple)
            if len(batch) == BATCH:
                yield batch
                batch = []
        if batch:
            yield batch

    def entities(self) -> list[Entity]:
        """The entities that were named or typed, in the file's order."""
        return [_entity(key, named) for key, named in self._named.items()]

    def _quads(self, file: BinaryIO) -> Iterator[Quad]:
        # Imported here: a tab file needs no RDF parser.
        from pyoxigraph import RdfFormat, parse

        kind = RdfFormat.N_TRIPLES if self._suffix == ".nt" else RdfFormat.TURTLE
        quads = parse(file, format=kind)
        while True:
            try:
                yield next(quads)
            except StopIteration:
                return
            except SyntaxError as error:  # the parser goes on behind the statement that it could not read
                what = f"{error.msg or error}; --skip-bad leaves such statements out"
                self._skips.take(BadInputError(what, path=self._path, line=error.lineno))

    def _read(self, quad: Quad) -> Triple | None:
        """Take one statement: a triple, or None where it described an entity or was malformed."""
        relation = quad.predicate.value
        head, tail = self._id(quad.subject), self._id(quad.object)
        if not head or not tail:
            what = f"a statement about {head or 'a triple'} by {relation} has an empty or quoted end"
            self._skips.take(BadInputError(f"{what}; --skip-bad leaves it out", path=self._path))
            return None
        if relation in _LABELS:
            language = getattr(quad.object, "language", None)
            self._about(head).labels.append((_rank(language), tail))
        elif relation == _ALIAS:
            self._about(head).aliases.append(tail)
        elif relation == _TYPE:
            self._about(head).types.append(local_name(tail))
        else:
            return Triple(head, relation, tail)
        return None

    def _about(self, key: str) -> _Named:
        return self._named.setdefault(key, _Named())

    def _id(self, term: object) -> str:
        """A term as an id; empty for a quoted triple. A literal's line breaks become spaces: it must fit on a line."""
        from pyoxigraph import BlankNode, Literal, NamedNode

        if isinstance(term, NamedNode):
            return term.value
        if isinstance(term, Literal):
            return CONTROL.sub(" ", term.value) if not term.value.isprintable() else term.value
        return self._blank(term.value) if isinstance(term, BlankNode) else ""

    def _blank(self, label: str) -> str:
        """`_:label`; a node without a label (`[ ]`) is numbered, since its random one would change at every reading."""
        # 128 random bits in hexadecimal, without leading zeros: fewer than 24 digits come once in 2^36 nodes.
        if not 24 <= len(label) <= 32 or not set(label) <= set("0123456789abcdef"):
            return f"_:{label}"
        return self._anonymous.setdefault(label, f"_:{self._path.name.split('.')[0]}-{len(self._anonymous) + 1}")


def local_name(iri: str) -> str:
    """`http://dbpedia.org/ontology/Film` -> `Film`; a text without `#` or `/` is returned as it is."""
    trimmed = iri.rstrip("/#")
    return trimmed[max(trimmed.rfind("#"), trimmed.rfind("/")) + 1 :] or iri


def _rank(language: str | None) -> int:
    """A label without a language comes first, then English, then any."""
    if language is None:
        return 0
    return 1 if language == "en" or language.startswith("en-") else 2


def _entity(key: str, named: _Named) -> Entity:
    # Sorted by rank alone: of labels of one rank the file's first.
    labels = [text for _, text in sorted(named.labels, key=lambda pair: pair[0])]
    label = labels[0] if labels else key
    aliases = dict.fromkeys(text for text in [*labels[1:], *named.aliases] if text != label)
    return Entity(key, label, tuple(aliases), tuple(dict.fromkeys(named.types)))
