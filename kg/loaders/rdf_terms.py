"""Entities, relations and statements of a KG as RDF terms, and back.

An id that is an absolute IRI, or a blank node `_:x`, is itself; any other is `urn:trivium:entity:` and its
percent-encoded UTF-8, and likewise `relation`, `type` and `datatype`. A relationship with properties of its own is a
node of the type `rdf:Statement`, with `rdf:subject`, `rdf:predicate` and `rdf:object` beside those properties.
"""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import quote, unquote

from trivium.kg.other_names import ALT_LABEL
from trivium.kg.types import PropertyKind, ValueText
from trivium.kg.values import TypedValue, datatype_of, is_missing, kind_of_datatype, read_value

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TYPE = f"{RDF}type"
STATEMENT = f"{RDF}Statement"
FIRST, REST, NIL = f"{RDF}first", f"{RDF}rest", f"{RDF}nil"
SUBJECT, PREDICATE, OBJECT = f"{RDF}subject", f"{RDF}predicate", f"{RDF}object"
REIFIES = f"{RDF}reifies"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = ALT_LABEL
STRING = "http://www.w3.org/2001/XMLSchema#string"

OWN = "urn:trivium:"
OWN_ALIAS = f"{OWN}alias"
"""What else an entity is called, of exports: `skos:altLabel` is a fact besides."""

STATEMENT_ID = f"{OWN}id"
"""The property of a statement node that holds a relationship's id."""

Part = Literal["entity", "relation", "type", "datatype"]

_IRI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef-]|%[0-9A-Fa-f]{2})+"
)
_BLANK = re.compile(r"_:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SCHEMES = re.compile(r"(?:https?|urn|ftp|file|mailto|tag|info|doi|ark|geo|tel|data|did):", re.IGNORECASE)
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_TO_ESCAPE = re.compile(r'[\\"\x00-\x1f\x7f]')
_PREFIXES = {f"{OWN}{part}:": part for part in ("entity", "relation", "type", "datatype")}


def iri_of(name: str, part: Part) -> str:
    """The IRI of an entity's id, a relation, a type or a datatype; an id that is an IRI is its own."""
    if _SCHEMES.match(name) and _IRI.fullmatch(name) and not name.startswith(OWN):
        return name
    return f"{OWN}{part}:{quote(name, safe='')}"


def name_of(iri: str) -> str:
    """The reverse of `iri_of`."""
    if iri.startswith(OWN):
        for prefix in _PREFIXES:
            if iri.startswith(prefix):
                return unquote(iri[len(prefix) :])
    return iri


def entity_term(id_: str) -> str:
    """An entity in N-Triples: `<iri>`, or `_:x` as it is."""
    return id_ if _BLANK.fullmatch(id_) else f"<{iri_of(id_, 'entity')}>"


def relation_term(name: str) -> str:
    """A relation, or a property of a relationship, in N-Triples."""
    return f"<{iri_of(name, 'relation')}>"


def string_term(text: str) -> str:
    """A plain string in N-Triples."""
    return f'"{_escaped(text)}"'


def value_term(value: ValueText, kind: PropertyKind | None = None, *, exact: bool = False) -> str:
    """A value as a literal in N-Triples; `kind` is how it is read where it has no datatype.

    Its own datatype where it has one from RDF, else the XSD datatype of which it is a lexical form, else its kind's own
    ("12 km" is `urn:trivium:datatype:number`, so that it is read back as what it was). With `exact`, so is a text that
    would be read back as something else: "1984", "none".
    """
    literal = string_term(value)
    if value.datatype.startswith("@"):
        return literal + value.datatype
    if ":" in value.datatype:
        return literal if value.datatype == STRING else f"{literal}^^<{value.datatype}>"
    read: TypedValue = read_value(value, kind_of_datatype(value.datatype) if value.datatype else kind)
    datatype = datatype_of(read)
    plain = not exact or (read_value(value).kind == "text" and not is_missing(value))
    if not datatype and read.kind == "text" and plain:
        return literal
    return f"{literal}^^<{datatype or iri_of(read.kind, 'datatype')}>"


def local_name(iri: str) -> str:
    """`http://dbpedia.org/ontology/Film` -> `Film`; a text without `#` or `/` is returned as it is."""
    trimmed = iri.rstrip("/#")
    return trimmed[max(trimmed.rfind("#"), trimmed.rfind("/")) + 1 :] or iri


def local_words(iri: str) -> list[str]:
    """The words of an IRI's local name in lower case: `hasIdentifierScheme` -> `has`, `identifier`, `scheme`."""
    return [word.lower() for word in _WORDS.findall(local_name(iri))]


def value_of(text: str, datatype: str, language: str | None) -> ValueText:
    """The value of an RDF literal; how a plain string is read its property decides."""
    if language:
        return ValueText(text, f"@{language}")
    return ValueText(text, "" if datatype == STRING else name_of(datatype))


def _escaped(text: str) -> str:
    if not _TO_ESCAPE.search(text):
        return text
    return _TO_ESCAPE.sub(lambda found: _ESCAPED.get(found[0], f"\\u{ord(found[0]):04X}"), text)
