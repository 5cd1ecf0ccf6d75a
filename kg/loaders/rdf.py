"""RDF in all its notations, parsed as a stream by pyoxigraph; named graphs are read as one.

An IRI or blank node is an id, a literal is a value by its lexical form and datatype, a relation is its IRI. A literal
without datatype and language is read as those of its property together are (`trivium.kg.embedded.natures`), and is a
missing value where a table's cell is one: "", "nil", "n/a". A property that has nothing but the IRIs of true and false
(or yes and no) as objects is one of truths.

A node of the type `rdf:Statement` gives a triple's relationship properties of its own (`trivium.kg.loaders.rdf_terms`);
it is known as one from its type or its `rdf:subject` on. A list (`( :a :b )`) is a triple for each of its members. What
describes the vocabulary itself, such as a property's domain, is left out, unless a file holds nothing but classes and
properties; of OWL's restrictions, `someValuesFrom` and `hasValue` are facts of classes without instances. Codes are the
things that they are of where their predicate is called as the type of these: `:country "NO"`.

Labels, aliases and types become attributes of entities, not triples: `rdfs:label`, `skos:prefLabel`, `schema:name`,
`foaf:name`, `dc:title` (the one without a language or in English first, the others as aliases), the parts of a name
(`trivium.kg.name_parts`) where there is none of these, a description that reads like a name where labels are codes,
`skos:altLabel`, SKOS-XL's names by their `skosxl:literalForm`, what other data call the same by `owl:sameAs` and
`skos:exactMatch`, `rdf:type` (by the class's local name or label, `trivium.kg.loaders.rdf_classes`; an instance of a
class is one of those above it, by `rdfs:subClassOf`, too) and Wikidata's `wdt:P31`. What nodes of a key and a value say
is a property besides (`trivium.kg.loaders.rdf_keyed`).
Other names and names in other languages are facts besides (`trivium.kg.loaders.rdf_names`).
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast
from urllib.parse import quote, unquote

from trivium.kg.errors import BadInputError
from trivium.kg.indexes.words import without_code
from trivium.kg.loaders.delimited import CONTROL
from trivium.kg.loaders.json_ld import with_own_context
from trivium.kg.loaders.rdf_classes import OWL, VOCABULARIES, Classes
from trivium.kg.loaders.rdf_keyed import KeyedNodes
from trivium.kg.loaders.rdf_names import Label, name_facts
from trivium.kg.loaders.rdf_terms import (
    ALIAS,
    FIRST,
    LABEL,
    NIL,
    OBJECT,
    OWN,
    OWN_ALIAS,
    PREDICATE,
    RDF,
    REIFIES,
    REST,
    STATEMENT,
    STATEMENT_ID,
    SUBJECT,
    TYPE,
    local_name,
    local_words,
    name_of,
    value_of,
)
from trivium.kg.loaders.skips import SkipLog
from trivium.kg.name_parts import Part, is_title, is_whole, names_by_initial, part_of, shorter_names, whole_name
from trivium.kg.profile import is_of_vocabulary
from trivium.kg.tables.codes import names_of_codes, says_country
from trivium.kg.text import is_other_name, read_like_names
from trivium.kg.types import Entity, QualifiedTriple, Statement, Triple, ValueText
from trivium.kg.values import NOT_AVAILABLE, columns_of_codes, is_missing

if TYPE_CHECKING:
    from pyoxigraph import Quad

RDF_FORMATS = {
    ".nt": "N_TRIPLES",
    ".nq": "N_QUADS",
    ".ttl": "TURTLE",
    ".trig": "TRIG",
    ".n3": "N3",
    ".rdf": "RDF_XML",
    ".owl": "RDF_XML",
    ".xml": "RDF_XML",
    ".jsonld": "JSON_LD",
}
"""The notation by the file's ending, as pyoxigraph calls it."""

RDF_SUFFIXES = tuple(RDF_FORMATS)
BATCH = 50_000

_LABELS = {
    LABEL,
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/elements/1.1/title",
    "http://purl.org/dc/terms/title",
}
_XL = "http://www.w3.org/2008/05/skos-xl#"  # names that are things: of AGROVOC, EuroVoc
_XL_NAMES = {f"{_XL}prefLabel": True, f"{_XL}altLabel": False, f"{_XL}hiddenLabel": False}
_SHAPES = "http://www.w3.org/ns/shacl#"
_SCHEMA = {f"http://www.w3.org/2000/01/rdf-schema#{name}" for name in ("domain", "range", "subPropertyOf")}
_OF_VOCABULARY = _SCHEMA | {f"{OWL}inverseOf", f"{OWL}disjointWith"}
_FACTS_OF_OWL = {f"{OWL}{name}" for name in ("sameAs", "differentFrom", "equivalentClass", "deprecated")}
SUBCLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
_SAME = {f"{OWL}sameAs", "http://www.w3.org/2004/02/skos/core#exactMatch"}
_CLASSES = {SUBCLASS, f"{OWL}equivalentClass"}
_CLAIM = "http://wikiba.se/ontology#directClaim"  # from what Wikibase calls a property to what it states it by
_INSTANCE_OF = "http://www.wikidata.org/prop/direct/P31"  # gives types, and stays a relation
_PROPERTY, _SOME, _VALUE = f"{OWL}onProperty", f"{OWL}someValuesFrom", f"{OWL}hasValue"
_ALL_OF = f"{OWL}intersectionOf"
_CONDITIONS = {_PROPERTY, _SOME, _VALUE, _ALL_OF}
_NO_FACTS = ("_:", OWL, "http://www.w3.org/2001/XMLSchema#")
_ENCODING = re.compile(rb"""(\s*<\?xml[^>]*?encoding=["'])([\w.-]+)""")
_DECLARED_WITHIN = 200  # bytes
_IN_NO_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
_IN_NO_PATH = re.compile(  # of an IRI, if not quoted
    r"[^A-Za-z0-9._~:@!$&'()*+,;=\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U0001fffd-]"
)
_CHUNK, _LONGEST_TAG = 1 << 20, 64  # bytes
_ODD_LANGUAGE = re.compile(
    rb"""(?:"@|xml:lang=["'])(?![A-Za-z]{2,8}(?:-[A-Za-z0-9]{2,8})*(?![A-Za-z0-9@_-]))[A-Za-z0-9][A-Za-z0-9@_-]*"""
)
_VALUES = frozenset((f"{RDF}value", "http://schema.org/value", "https://schema.org/value"))
_NOT_RDF = "XML namespaces are required in RDF/XML"  # what the parser says of other XML
_SAYS_NOTHING = frozenset({"has", "is", "english"})  # in what a predicate for names is called
_LONGEST_NAME = 64  # characters
_NAME = re.compile(r"[^\W\d](?:[^\d:?=]|(?<= )\d+(?= |$))+")  # "Boeing 747", and no `Q11573`
_CODE = re.compile(r"(?=.*[A-Z\d])[A-Z\d][A-Z\d._-]{0,9}")
_CODED, _MOST_CODES = re.compile(r"(?=.*[A-Z])[A-Z\d][A-Z\d._-]{0,9}"), 1_000  # what may be of things; distinct ones
_TITLES = ("name", "title", "label", "caption", "designation", "desc", "descr", "description")  # the best first
_BEFORE_TITLES = frozenset({"full", "long", "display", "english"})
_NEARLY, _FEW = 0.95, 3  # share of a type's things that have names of their own; things at least
_MAY_BE_VALUES = frozenset({"none", "unknown"})  # a risk of None is one
_TRUTHS = ("true", "false", "yes", "no")
_TRUTH_ENDS = tuple(case(word) for word in _TRUTHS for case in (str.lower, str.title, str.upper))
_STATEMENT_PARTS = {SUBJECT: "head", PREDICATE: "relation", OBJECT: "tail"}


@dataclass
class _Named:
    """What a file says about one entity: `labels`, of which the one of the lowest rank is its label.

    `others`: its alternative labels; `parts`: of its name; `whole`: a name in full by another predicate than those of
    labels.
    """

    labels: list[Label] = field(default_factory=list)
    others: list[Label] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    parts: dict[Part, str] = field(default_factory=dict)
    whole: str = ""


@dataclass
class _Stated:
    """What a file says about one statement node."""

    head: str = ""
    relation: str = ""
    tail: str = ""
    id: str = ""
    properties: list[tuple[str, ValueText]] = field(default_factory=list)


class RdfParser:
    """One pass over one RDF file; `names` are IRIs of further predicates whose texts name their subjects.

    `classes` are those of the files that are read together with this one.

    Attributes:
        statements: statements read so far.
    """

    def __init__(
        self, path: Path, suffix: str, skips: SkipLog, names: Collection[str] = (), classes: Classes | None = None
    ) -> None:
        self._path = path
        self._classes = Classes() if classes is None else classes
        self._labels = _LABELS.union(names)
        self._chosen = bool(names)
        self._suffix = suffix
        self._skips = skips
        self._named: dict[str, _Named] = {}
        self._anonymous: dict[str, str] = {}
        self._stated: dict[str, _Stated] = {}
        self._members: dict[str, list[str]] = {}
        self._rests: dict[str, str] = {}
        self._names: dict[str, list[Label]] = {}  # what nodes that are names say
        self._named_by: list[tuple[str, bool, str]] = []  # (entity, whether it is called so first, such a node)
        self._keyed = KeyedNodes()
        self._claims: dict[str, str] = {}  # by predicate of Wikibase's what it states
        self._definitions: list[tuple[str, str]] = []  # (class, the blank node that it is below or the same as)
        self._vocabulary: list[Triple] = []  # domains, ranges and the like
        self._conditions: dict[str, dict[str, str]] = {}  # by blank node what it restricts, to what
        self._nodes: list[Triple] = []  # with a blank node or the empty list as tail, which may be a list
        self._values: dict[str, list[Triple]] = {}  # what is said of blank nodes by values
        self._joined = set[str]()  # blank nodes of which more is said
        self._leading = set[str]()  # relations that lead to other nodes
        self._countries: dict[str, dict[str, None]] = {}  # by predicate that tells a country the nodes it leads to
        self._titles: dict[str, dict[str, str]] = {}  # by predicate what may name things whose labels are codes
        self._codes: dict[str, list[Triple] | None] = {}  # by predicate its triples while all values are codes
        self._distinct: dict[str, set[str]] = {}  # and these
        self._truths: dict[str, list[Triple] | None] = {}  # by predicate its triples while all lead to true and false
        self._told = set[str]()  # true and false of which more is said than what they are called
        self._spent = set[str]()  # and those that are values
        self._released: list[Triple] = []
        self.statements = 0

    def batches(self, file: BinaryIO) -> Iterator[list[Triple]]:
        """The statements that are triples, in lists of at most 50,000."""
        batch: list[Triple] = []
        for quad in self._quads(file):
            self.statements += 1
            triple = self._read(quad)
            if triple is not None:
                batch.append(triple)
            batch += self._released
            self._released.clear()
            if len(batch) >= BATCH:
                yield batch
                batch = []
        said = (
            self._said_by_keys(),
            self._truthful(),
            self._coded(),
            self._listed(),
            self._said_of_nodes(),
            self._qualified(),
        )
        for triple in chain(*said, self._defined(), self._of_vocabulary(), self._other_names()):
            batch.append(triple)
            if len(batch) == BATCH:
                yield batch
                batch = []
        self._name_claims()
        self._classes.take(self._path, {each for named in self._named.values() for each in named.types}, self._label)
        if batch:
            yield batch

    def _said_by_keys(self) -> Iterator[Triple]:
        """What nodes of a key and a value say of the things that have them."""
        nothing = _Named()

        def label(node: str) -> str:
            found = self._label(node)
            return found.text if found else ""

        return self._keyed.facts(label, lambda node: self._named.get(node, nothing).types)

    def _label(self, key: str) -> Label | None:
        """An entity's first label."""
        named = self._named.get(key)
        return min(named.labels, key=lambda each: each.rank) if named and named.labels else None

    def _listed(self) -> Iterator[Triple]:
        """The triples with a node as tail, those with a list once for each of its members; and what nodes say."""
        inside = self._inside()
        for triple in self._nodes:
            if triple.tail in inside:
                for said in inside[triple.tail]:
                    own = (
                        triple.relation
                        if said.relation in _VALUES
                        else f"{triple.relation}.{without_code(local_name(said.relation))}"
                    )
                    yield Triple(triple.head, own, said.tail)
                continue
            if triple.tail != NIL and triple.tail not in self._members and triple.tail not in self._rests:
                yield triple
                continue
            if triple.relation.startswith(_SHAPES):  # what a shape allows: a constraint, as OWL's are
                continue
            for member in self._members_of(triple.tail):
                yield Triple(triple.head, triple.relation, member)

    def _said_of_nodes(self) -> Iterator[Triple]:
        """What is said of the other blank nodes by values."""
        for said in self._values.values():
            yield from said

    def _inside(self) -> dict[str, list[Triple]]:
        """What is said of the blank nodes that are but values of the one thing that names them."""
        named = Counter(triple.tail for triple in self._nodes)
        often = Counter((triple.head, triple.relation) for triple in self._nodes)
        several = {relation for (_, relation), count in often.items() if count > 1}  # each with its own values
        things = {node for node, said in self._values.items() if any(map(_says_name, said))}.union(self._joined)
        several |= {triple.relation for triple in self._nodes if triple.tail in things or self._is_called(triple.tail)}
        several |= self._leading
        inside = {
            triple.tail: self._values.pop(triple.tail)
            for triple in self._nodes
            if triple.tail in self._values and named[triple.tail] == 1 and triple.relation not in several
        }
        for node in inside:
            self._named.pop(node, None)  # an address is of a type, and nothing but its values
        return inside

    def _is_called(self, node: str) -> bool:
        """Whether a node has a name, and not just a type."""
        named = self._named.get(node)
        return named is not None and bool(named.labels or named.others or named.aliases or named.parts)

    def _members_of(self, node: str) -> Iterator[str]:
        """What a list and the lists in it hold, in order."""
        met, open_ = set[str](), [node]
        while open_:
            node = open_.pop()
            if node == NIL or node in met:
                continue
            if node not in self._members and node not in self._rests:
                yield node
                continue
            met.add(node)
            open_.append(self._rests.get(node, NIL))
            for member in reversed(self._members.get(node, [])):
                if isinstance(member, ValueText):
                    yield member
                else:
                    open_.append(member)

    def _qualified(self) -> Iterator[Triple]:
        """The triples of statement nodes."""
        for node, found in self._stated.items():
            if found.head and found.relation and found.tail:
                statement = Statement(tuple(sorted(found.properties)), found.id)
                yield QualifiedTriple(found.head, found.relation, found.tail, (statement,))
            else:
                what = (
                    f"the statement {node} lacks its rdf:subject, rdf:predicate or rdf:object; --skip-bad leaves it out"
                )
                self._skips.take(BadInputError(what, path=self._path))

    def _defined(self) -> Iterator[Triple]:
        """What restrictions say of all members of a class that the file has no instances of, as facts of the class.

        Some values from a class and one value are facts; what else a class allows is none.
        """
        types = {each for named in self._named.values() for each in named.types}
        for head, node in self._definitions:
            if head in types or head.startswith("_:"):
                continue
            for part in (node, *self._members_of(self._conditions.get(node, {}).get(_ALL_OF, NIL))):
                said = self._conditions.get(part, {})
                value = said.get(_SOME) or said.get(_VALUE) or ""
                if part != head and not part.startswith("_:"):
                    yield Triple(head, SUBCLASS, part)
                elif value and _PROPERTY in said and (isinstance(value, ValueText) or not value.startswith(_NO_FACTS)):
                    yield Triple(head, name_of(said[_PROPERTY]), value)

    def _of_vocabulary(self) -> list[Triple]:
        """What is said of classes and properties where a file holds nothing else: these are its data."""
        types = [each for named in self._named.values() for each in named.types]
        about = sum(each.startswith(VOCABULARIES) and is_of_vocabulary(each) for each in types)
        return self._vocabulary if about >= _NEARLY * len(types) > 0 else []

    def _other_names(self) -> Iterator[Triple]:
        """Other names and names in other languages, as facts."""
        self._name_by_nodes()
        apart = self._rests.keys() | self._names.keys()
        yield from name_facts((key, each.labels, each.others) for key, each in self._named.items() if key not in apart)

    def _name_by_nodes(self) -> None:
        """Give entities the names that nodes of their own say."""
        for key, first, node in self._named_by:
            named = self._about(key)
            (named.labels if first else named.others).extend(self._names.get(node, []))
        self._named_by = []

    def _name_claims(self) -> None:
        """Label the predicates that Wikibase states properties by as these: `wdt:P19` "place of birth"."""
        for claim, of in self._claims.items():
            if of in self._named and not self._about(claim).labels:
                self._about(claim).labels.extend(self._named[of].labels)

    def _name_countries(self) -> None:
        """Give countries that have no name but the code at the end of their IRIs their names, as tables' codes have."""
        for relation, ends in self._countries.items():
            codes = {local_name(each): each for each in ends if each not in self._named or not self._named[each].labels}
            for code, name in names_of_codes(codes, " ".join(local_words(relation))).items():
                self._about(codes[code]).aliases.append(name)
        self._countries = {}

    def entities(self) -> list[Entity]:
        """The entities that were named or typed, in the file's order."""
        self._name_by_nodes()
        self._name_countries()
        apart = self._rests.keys() | self._names.keys() | self._spent
        found = [_entity(key, named, self._classes) for key, named in self._named.items() if key not in apart]
        return _with_names(found, self._titles) if self._titles else found

    def _quads(self, file: BinaryIO) -> Iterator[Quad]:
        # Imported here: a tab file needs no RDF parser.
        from pyoxigraph import RdfFormat, parse

        if RDF_FORMATS[self._suffix] == "RDF_XML":
            file = _utf8(file)
        elif RDF_FORMATS[self._suffix] == "JSON_LD":
            file = with_own_context(file)
        lenient = _has_odd_languages(file)
        form = getattr(RdfFormat, RDF_FORMATS[self._suffix])
        # Relative IRIs are of the file; where it lies says nothing about what it is about.
        base = _IN_NO_PATH.sub(lambda odd: quote(odd[0], safe="", errors="surrogatepass"), self._path.name)
        quads: Iterator[Quad] | None = None
        while True:
            try:
                quads = quads or parse(file, format=form, base_iri=f"file:///{base}", lenient=lenient)
                quad = next(quads)
            except StopIteration:
                return
            except ValueError as error:  # of what it cannot begin with; never of a statement
                raise BadInputError(f"cannot be parsed ({error})", path=self._path) from error
            except SyntaxError as error:  # the parser goes on behind the statement that it could not read
                what = f"{error.msg or error}; --skip-bad leaves such statements out"
                if _NOT_RDF in what:
                    what = "is XML, but not RDF/XML (OWL/XML, perhaps): save it as RDF/XML or Turtle"
                    raise BadInputError(what, path=self._path, line=error.lineno) from error
                self._skips.take(BadInputError(what, path=self._path, line=error.lineno))
            else:
                if not lenient or self._is_sound(quad):
                    yield quad

    def _is_sound(self, quad: Quad) -> bool:
        """Whether the IRIs of a statement are some, which a lenient parser does not look at."""
        ends = (getattr(quad.object, "datatype", quad.object), quad.subject, quad.predicate)
        wrong = next((each for each in ends if _IN_NO_IRI.search(getattr(each, "value", ""))), None)
        if wrong is not None:
            what = f"{wrong} is no IRI; --skip-bad leaves such statements out"
            self._skips.take(BadInputError(what, path=self._path))
        return wrong is None

    def _read(self, quad: Quad) -> Triple | None:
        """Take one statement: a triple, or None where it described an entity or was malformed."""
        relation = quad.predicate.value
        head, tail = self._id(quad.subject), self._id(quad.object)
        if relation == REIFIES and head and self._reify(head, quad.object):
            return None
        if tail == "" and isinstance(tail, ValueText):
            return None
        if not head or not tail:
            what = f"a statement about {head or 'a triple'} by {relation} has an empty or quoted end"
            self._skips.take(BadInputError(f"{what}; --skip-bad leaves it out", path=self._path))
            return None
        if relation in _STATEMENT_PARTS or head in self._stated or (relation == TYPE and tail == STATEMENT):
            self._state(self._stated.setdefault(head, _Stated()), relation, tail)
        elif relation == FIRST:
            self._members.setdefault(head, []).append(tail)
        elif relation == REST:
            self._rests.setdefault(head, tail)
        elif _is_schema(relation, tail):
            if relation in _OF_VOCABULARY and not tail.startswith(_NO_FACTS):
                self._vocabulary.append(Triple(head, name_of(relation), tail))
            if relation in _CLASSES and tail.startswith("_:"):
                self._definitions.append((head, tail))
            elif relation in _CONDITIONS and head.startswith("_:"):
                self._conditions.setdefault(head, {})[relation] = tail
        elif not self._describes(head, relation, tail, getattr(quad.object, "language", None)):
            return self._state_fact(head, relation, tail)
        return None

    def _state_fact(self, head: str, relation: str, tail: str) -> Triple | None:
        """A triple; None where it is about a node that may be a list or but values, which the end of the file shows."""
        triple = Triple(head, name_of(relation), tail)
        if not _is_filler(tail):
            self._keyed.note(triple)
        if isinstance(tail, ValueText):
            if _is_filler(tail):  # among codes Namibia is one
                return None if tail != NOT_AVAILABLE or head.startswith("_:") or self._holds(triple) else triple
            if head.startswith("_:"):
                self._values.setdefault(head, []).append(triple)
                return None
        else:
            if head.startswith("_:"):
                self._joined.add(head)
            if tail == NIL or tail.startswith("_:"):
                self._nodes.append(triple)
                return None
            self._leading.add(triple.relation)
        self._note(head, relation, tail)
        if head.endswith(_TRUTH_ENDS) and _truth(head):
            self._told.add(head)
        if not isinstance(tail, ValueText) and self._holds_truth(triple):
            return None
        return None if self._holds(triple) else triple

    def _holds_truth(self, triple: Triple) -> bool:
        """Whether a triple and all of its predicate lead to true and false, so far as was read."""
        held = self._truths.setdefault(triple.relation, [])
        if held is None:
            return False
        if _truth(triple.tail):
            held.append(triple)
            if len(held) == BATCH:
                self._released += self._as_truths(held)
                held.clear()
            return True
        self._truths[triple.relation] = None
        self._released += held
        return False

    def _truthful(self) -> Iterator[Triple]:
        """The triples that lead to true and false, as values where nothing is told of these."""
        for held in self._truths.values():
            yield from self._as_truths(held or [])

    def _as_truths(self, held: Sequence[Triple]) -> Sequence[Triple]:
        ends = {triple.tail for triple in held}
        said = set(map(_truth, ends))
        if not ends.isdisjoint(self._told) or (said == {"no"}):  # which may be Norway
            return list(held)
        self._spent |= ends
        true = {end for end in ends if _truth(end) in ("true", "yes")}
        return [each._replace(tail=ValueText(str(each.tail in true).lower(), "boolean")) for each in held]

    def _holds(self, triple: Triple) -> bool:
        """Whether a triple and all of its predicate have codes: the end of the file shows what these are of."""
        held = self._codes.setdefault(triple.relation, [])
        if held is None:
            return _is_filler(triple.tail)
        code = isinstance(triple.tail, ValueText) and not triple.tail.datatype and _CODED.fullmatch(triple.tail)
        known = self._distinct.setdefault(triple.relation, set())
        if code and len(known) < _MOST_CODES and len(held) < BATCH:
            held.append(triple)
            known.add(str(triple.tail))
            return True
        self._released += (each for each in held if not _is_filler(each.tail))
        self._codes[triple.relation] = None
        del self._distinct[triple.relation]
        return False

    def _coded(self) -> Iterator[Triple]:
        """The triples with codes; with what a code is of where a predicate is called as its type: `:country "NO"`.

        Codes are labels of things, or what another predicate with codes says of them.
        """
        of_kind: dict[str, dict[str, set[str]]] = {}
        kinds: dict[str, set[str]] = {}
        wanted = {local_name(relation).casefold() for relation, held in self._codes.items() if held}
        for key, named in self._named.items():
            if own := {local_name(each).casefold() for each in named.types} & wanted:
                kinds[key] = own
                for kind in own:
                    for _, text, _ in named.labels:
                        of_kind.setdefault(kind, {}).setdefault(text, set()).add(key)
        for held in self._codes.values():
            for head, _, code in held or ():
                for kind in kinds.get(head, ()):
                    of_kind.setdefault(kind, {}).setdefault(code, set()).add(head)
        stated = ((relation, str(each.tail)) for relation, held in self._codes.items() for each in held or ())
        available = columns_of_codes(stated)
        for relation, held in self._codes.items():
            kind = local_name(relation).casefold()
            things = {code: next(iter(ids)) for code, ids in of_kind.get(kind, {}).items() if len(ids) == 1}
            codes = self._distinct.get(relation, set())
            found = sum(code in things for code in codes)
            refers = len(codes) >= _FEW and found >= _NEARLY * len(codes)
            of_its_own = any(kind in kinds.get(triple.head, ()) for triple in held or ())
            for triple in held or ():
                if _is_filler(triple.tail) and relation not in available:
                    continue
                yield (
                    triple._replace(tail=things.get(triple.tail, triple.tail)) if refers and not of_its_own else triple
                )

    def _reify(self, node: str, term: object) -> bool:
        """Take what a node says that it stands for: `<< :a :b :c >> :since 2001`; whether that is a triple of terms."""
        from pyoxigraph import Triple as Quoted

        ends = (
            [self._id(each) for each in (term.subject, term.predicate, term.object)] if isinstance(term, Quoted) else []
        )
        if not ends or not all(ends):
            return False
        stated = self._stated.setdefault(node, _Stated())
        stated.head, stated.relation, stated.tail = ends
        return True

    def _describes(self, head: str, relation: str, tail: str, language: str | None) -> bool:
        """Whether a statement names or types an entity, or is about a name that is a thing; noted if so."""
        if relation in self._labels:
            self._about(head).labels.append(_label(tail, language))
        elif relation in _XL_NAMES:
            self._named_by.append((head, _XL_NAMES[relation], tail))
            self._names.setdefault(tail, [])
        elif relation == f"{_XL}literalForm":
            self._names.setdefault(head, []).append(_label(tail, language))
        elif head in self._names or (relation == TYPE and tail == f"{_XL}Label"):
            self._names.setdefault(head, [])  # what else is said of a name is none of the data
        elif relation == ALIAS:
            self._about(head).others.append(_label(tail, language))
        elif relation == OWN_ALIAS:
            self._about(head).aliases.append(CONTROL.sub(" ", tail))
        elif relation == TYPE:
            self._about(head).types.append(tail)
        else:
            return False
        return True

    def _note(self, head: str, relation: str, tail: str) -> None:
        """Keep what a triple says of names and classes besides."""
        if isinstance(tail, ValueText):
            self._note_text(head, relation, tail)
        elif relation == SUBCLASS:
            self._classes.put_below(head, tail)
        elif relation == _INSTANCE_OF:
            self._about(head).types.append(tail)
        elif relation == _CLAIM:
            self._claims[tail] = head
        elif relation in _SAME and (name := _name_elsewhere(head, tail)):
            self._about(head).aliases.append(name)
        elif _tells_country(relation):
            self._countries.setdefault(relation, {})[tail] = None

    def _note_text(self, head: str, relation: str, tail: ValueText) -> None:
        """Keep what a text says of a name."""
        if (part := _part_of_name(relation)) and len(tail) <= _LONGEST_NAME:
            if is_missing(tail):
                return
            self._about(head).parts.setdefault(part, CONTROL.sub(" ", tail).strip())
        elif part is None and _says_title(relation) and is_title(tail):
            self._about(head).parts.setdefault("prefix", tail.strip())
        elif _is_whole_name(relation):
            self._about(head).whole = tail
        if _names_besides(relation) and len(tail) <= _LONGEST_NAME:
            self._about(head).aliases.append(CONTROL.sub(" ", tail))
        if not self._chosen and _may_title(relation) and len(tail) <= _LONGEST_NAME:
            self._titles.setdefault(relation, {}).setdefault(head, CONTROL.sub(" ", tail))

    def _state(self, stated: _Stated, relation: str, tail: str) -> None:
        if relation in _STATEMENT_PARTS:
            setattr(stated, _STATEMENT_PARTS[relation], tail)
        elif relation == STATEMENT_ID:
            stated.id = str(tail)
        elif relation != TYPE:
            value = tail if isinstance(tail, ValueText) and tail.datatype else ValueText(tail, "text")
            if not _is_filler(tail):
                stated.properties.append((name_of(relation), value))

    def _about(self, key: str) -> _Named:
        return self._named.setdefault(key, _Named())

    def _id(self, term: object) -> str:
        """A term as an id or value; empty for a quoted triple."""
        from pyoxigraph import BlankNode, Literal, NamedNode

        if isinstance(term, NamedNode):
            return name_of(term.value)
        if isinstance(term, Literal):
            return value_of(term.value, term.datatype.value, term.language)
        return self._blank(term.value) if isinstance(term, BlankNode) else ""

    def _blank(self, label: str) -> str:
        """`_:label`; a node without a label (`[ ]`) is numbered, since its random one would change at every reading."""
        # 128 random bits in hexadecimal, without leading zeros: fewer than 24 digits come once in 2^36 nodes.
        if not 24 <= len(label) <= 32 or not set(label) <= set("0123456789abcdef"):
            return f"_:{label}"
        return self._anonymous.setdefault(label, f"_:{self._path.name.split('.')[0]}-{len(self._anonymous) + 1}")


def _is_filler(tail: str) -> bool:
    """Whether an object is a plain literal that says that there is no value, and is no word of a category."""
    plain = isinstance(tail, ValueText) and not tail.datatype
    return plain and is_missing(tail) and tail.strip().casefold() not in _MAY_BE_VALUES


def _truth(iri: str) -> str:
    """The truth that an IRI is called by: "true", "false", "yes" or "no"; else ""."""
    name = local_name(iri).casefold() if iri.endswith(_TRUTH_ENDS) else ""
    return name if name in _TRUTHS else ""


def _says_name(triple: Triple) -> bool:
    return not {"name", "title", "label"}.isdisjoint(local_words(triple.relation))


def _has_odd_languages(file: BinaryIO) -> bool:
    """Whether a file names languages as no standard does ("es-a"), which the parser refuses and nobody minds."""
    if not file.seekable():
        return False
    start, rest, found = file.tell(), b"", False
    while not found and (part := file.read(_CHUNK)):
        found = _ODD_LANGUAGE.search(rest + part) is not None
        rest = part[-_LONGEST_TAG:]
    file.seek(start)
    return found


def _utf8(file: BinaryIO) -> BinaryIO:
    """XML in UTF-8, which alone the parser reads; a file that declares another encoding is read whole."""
    assert isinstance(file, io.BufferedReader | gzip.GzipFile)
    declared = _ENCODING.match(file.peek(_DECLARED_WITHIN))
    encoding = declared[2].decode() if declared else "utf-8"
    try:
        plain = codecs.lookup(encoding).name in ("utf-8", "ascii")
    except LookupError:
        plain = True  # the parser's error names it
    if declared is None or plain:
        return cast("BinaryIO", file)
    content = file.read()
    try:
        text = content.decode(encoding, errors="replace")
    except (LookupError, UnicodeError):  # Python has codecs of its own that are none of texts: "hex"
        return io.BytesIO(content)
    return io.BytesIO(text.replace(declared[2].decode(), "UTF-8", 1).encode())


def _is_schema(relation: str, tail: str) -> bool:
    """Whether a statement is about the vocabulary and none of the data: a property's domain, an OWL restriction."""
    if relation in _CLASSES or relation == TYPE:
        return tail.startswith("_:") or tail == f"{OWL}Restriction"
    return relation in _SCHEMA or (relation.startswith(OWL) and relation not in _FACTS_OF_OWL)


def _name_elsewhere(key: str, other: str) -> str:
    """What a thing is called in other data, by its IRI there; "" where that is a number or a code: `Q11573`."""
    name = unquote(local_name(other)).replace("_", " ")
    own = key[: -len(local_name(key))] == other[: -len(local_name(other))]
    return name if not own and len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) else ""


@cache
def _names_besides(relation: str) -> bool:
    """Whether a predicate says what else things are called: `hasEnglishShortName`, `officialName`."""
    return is_other_name([word for word in local_words(relation) if word not in _SAYS_NOTHING])


@cache
def _may_title(relation: str) -> bool:
    """Whether a predicate may say what things are called whose labels are codes: `desc`, `longName`."""
    *before, last = local_words(relation) or [""]
    return last in _TITLES and _BEFORE_TITLES.issuperset(before) and not relation.startswith(OWN)


def _with_names(entities: Sequence[Entity], titles: Mapping[str, Mapping[str, str]]) -> list[Entity]:
    """Entities whose labels are codes by their names: London Heathrow of LHR, which stays an alias.

    So are those of a type nearly all of which are labelled by codes, where a predicate has names of their own for them.
    A few of a type go by the predicate that names another one.
    """
    groups: dict[str, list[Entity]] = {}
    for each in entities:
        groups.setdefault(each.types[0] if each.types else "", []).append(each)
    order = sorted(titles, key=lambda relation: _TITLES.index(local_words(relation)[-1]))
    named: dict[str, str] = {}
    used = dict[str, None]()
    for members in sorted(groups.values(), key=len, reverse=True):
        coded = sum(_CODE.fullmatch(each.label) is not None for each in members) >= _NEARLY * len(members)
        for relation in (order if len(members) >= _FEW else used) if coded else ():
            found = {each.id: titles[relation][each.id] for each in members if each.id in titles[relation]}
            if len(set(found.values())) >= _NEARLY * len(members) and read_like_names(found.values(), _NEARLY):
                used[relation] = None
                named |= found
                break
    return [
        replace(each, label=name, aliases=tuple(dict.fromkeys((each.label, *each.aliases))))
        if (name := named.get(each.id, each.label)) != each.label
        else each
        for each in entities
    ]


@cache
def _part_of_name(relation: str) -> Part | None:
    """The part of a person's name that a predicate says: `givenName`, `family_name`."""
    return part_of(local_words(relation))


@cache
def _tells_country(relation: str) -> bool:
    """Whether a predicate leads to countries: `country`, `nationality`."""
    return says_country(local_words(relation))


@cache
def _is_whole_name(relation: str) -> bool:
    return is_whole(local_words(relation))


@cache
def _says_title(relation: str) -> bool:
    return local_words(relation) == ["title"]


def _by_parts(named: _Named) -> tuple[str, list[str]]:
    """The name that the parts of a person's name make, and the shorter ones; none where they are of somebody else.

    So are those of a firm's contact: the firm has a name of its own, without this last name.
    """
    parts = named.parts
    if "first" not in parts or "last" not in parts or (named.whole and parts["last"] not in named.whole):
        return "", []
    shorter = [" ".join(parts[part] for part in each) for each in shorter_names(parts)]
    whole = whole_name(parts)
    texts = [parts[part] for part in whole]
    return " ".join(texts), [*shorter, *names_by_initial(whole, texts)]


def _label(text: str, language: str | None) -> Label:
    return Label(_rank(language), CONTROL.sub(" ", text), language or "")


def _rank(language: str | None) -> int:
    """A label without a language comes first, then English, then any."""
    if language is None:
        return 0
    return 1 if language == "en" or language.startswith("en-") else 2


def _entity(key: str, named: _Named, classes: Classes) -> Entity:
    # Sorted by rank alone: of labels of one rank the file's first.
    labels = [each.text for each in sorted(named.labels, key=lambda each: each.rank)]
    whole, shorter = ("", []) if labels else _by_parts(named)
    label = labels[0] if labels else whole or key
    others = (each.text for each in named.others)
    aliases = dict.fromkeys(text for text in [*labels[1:], *shorter, *others, *named.aliases] if text != label)
    return Entity(key, label, tuple(aliases), classes.types(named.types))
