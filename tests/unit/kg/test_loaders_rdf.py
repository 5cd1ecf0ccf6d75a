"""N-Triples and Turtle: statements become triples or describe entities."""

import gzip
import json
from itertools import chain
from pathlib import Path

import pytest

from trivium.app.cli.kg.input import Input
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import is_graph, is_table, rdf, rdf_keyed, rdf_names, read_entities, read_triples
from trivium.kg.loaders.rdf import SUBCLASS
from trivium.kg.loaders.rdf_terms import local_name
from trivium.kg.loaders.writers import GraphWriter
from trivium.kg.other_names import ALT_LABEL
from trivium.kg.types import Entity, QualifiedTriple, Triple, ValueText

A = "http://a.org/"
TURTLE = """@prefix : <http://a.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:alien a :Film ; rdfs:label "Alien, le huitième passager"@fr, "Alien"@en ; skos:altLabel "Alien (1979)" ;
  :directed_by :scott ; :runtime 117 ; :tagline "In space\\nno one" .
:scott skos:prefLabel "Ridley Scott" ; :knows [ :name "someone" ], _:b .
"""


def triples(path: Path, *, skip_bad: bool = False) -> list[Triple]:
    return [triple for batch in read_triples(path, skip_bad=skip_bad) for triple in batch]


def test_turtle_triples_and_entities(tmp_path: Path) -> None:
    path = tmp_path / "films.ttl"
    path.write_text(TURTLE)
    reader = read_triples(path)
    found = [triple for batch in reader for triple in batch]
    assert found == [
        Triple(f"{A}alien", f"{A}directed_by", f"{A}scott"),
        Triple(f"{A}alien", f"{A}runtime", "117"),
        Triple(f"{A}alien", f"{A}tagline", "In space\nno one"),
        Triple(f"{A}scott", f"{A}knows", "_:films-1"),
        Triple(f"{A}scott", f"{A}knows", "_:b"),
        Triple("_:films-1", f"{A}name", "someone"),
        Triple(f"{A}alien", ALT_LABEL, "Alien (1979)"),
        Triple(f"{A}alien", "french label", "Alien, le huitième passager"),
    ]
    alien = Entity(f"{A}alien", "Alien", ("Alien, le huitième passager", "Alien (1979)"), ("Film",))
    assert list(reader.entities()) == [alien, Entity(f"{A}scott", "Ridley Scott")]
    assert list(read_entities(path)) == [alien, Entity(f"{A}scott", "Ridley Scott")]
    assert triples(path) == found, "a node without a label gets the same id at every reading"


def _names(path: Path, text: str) -> list[tuple[str, str, str]]:
    prefixes = "@prefix : <http://a.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
    path.write_text(prefixes + text)
    return [(each.head.removeprefix(A), each.relation, str(each.tail)) for each in triples(path)]


def test_names_in_other_languages_are_facts_and_none_of_the_own_one(tmp_path: Path) -> None:
    text = """:jura skos:prefLabel "Jura"@de, "Jurassic"@en, "Jura"@nl, "Juratijd"@nl-be, "Jurássico"@pt-BR, "J"@en-GB .
:trias skos:prefLabel "Trias"@de, "Triassic"@en ; skos:altLabel "Keuper"@de, "Tr"@en, "Trias"@nl ;
  skos:definition "eine Zeit"@de .
"""
    assert _names(tmp_path / "ages.ttl", text)[1:] == [
        ("jura", ALT_LABEL, "J"),
        ("jura", "german label", "Jura"),
        ("jura", "dutch label", "Jura"),
        ("jura", "portuguese label", "Jurássico"),
        ("trias", ALT_LABEL, "Tr"),
        ("trias", "german label", "Trias"),
        ("trias", "dutch label", "Trias"),
    ]


def test_a_vocabulary_in_one_language_has_other_names_alone(tmp_path: Path) -> None:
    text = ':a skos:prefLabel "Biene"@de ; skos:altLabel "Imme"@de, "Biene"@de . :b skos:prefLabel "Wespe"@de .'
    assert _names(tmp_path / "tiere.ttl", text) == [("a", ALT_LABEL, "Imme")]


def test_the_languages_of_most_names_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdf_names, "MOST_LANGUAGES", 1)
    text = ':a skos:prefLabel "a"@en, "b"@fr, "c"@de . :d skos:prefLabel "d"@en, "e"@de .'
    assert {relation for _, relation, _ in _names(tmp_path / "x.ttl", text)} == {"german label"}


def test_exports_are_read_back_with_the_same_names(tmp_path: Path) -> None:
    first, second = tmp_path / "films.ttl", tmp_path / "films.nt"
    first.write_text(TURTLE)
    reader = read_triples(first)
    with GraphWriter(second, "ntriples") as out:
        for batch in reader:
            out.write(batch)
        out.write_entities(reader.entities())
    again = read_triples(second)
    assert sorted(chain.from_iterable(again)) == sorted(chain.from_iterable(read_triples(first)))
    names = [{each.id: (each.label, sorted(each.aliases)) for each in known.entities()} for known in (reader, again)]
    assert names[0] == names[1]


def test_a_list_is_a_triple_for_each_member(tmp_path: Path) -> None:
    path = tmp_path / "papers.ttl"
    path.write_text(
        """@prefix : <http://a.org/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
:one :authors ( :ann :bob "Cy" ) ; :editors () ; :parts ( ( :p ) [ :page 3 ] ) ; :note [ :by :ann ] .
:two :authors _:l . _:l a rdf:List ; rdf:first :dan ; rdf:rest _:l .
:three :authors _:m . _:m rdf:first :eve .
:shape <http://www.w3.org/ns/shacl#in> ( "red" "blue" ) ."""
    )
    reader = read_triples(path)
    found = {(t.head.removeprefix(A), t.relation.removeprefix(A), t.tail.removeprefix(A)) for b in reader for t in b}
    assert {each for each in found if each[1] in ("authors", "editors")} == {
        ("one", "authors", "ann"), ("one", "authors", "bob"), ("one", "authors", "Cy"),
        ("two", "authors", "dan"), ("three", "authors", "eve"),
    }  # fmt: skip
    ((_, _, page),) = [each for each in found if each[1] == "parts" and each[2] != "p"]
    assert (page, "page", "3") in found
    assert ("one", "parts", "p") in found, "a list in a list"
    assert len(found) == 10, "another node stays one: note and by, page"
    assert list(reader.entities()) == [], "the list itself is nothing"


def test_ntriples_by_gzip_with_mark_and_skips(tmp_path: Path) -> None:
    text = f'<{A}x> <{A}r> "1" .\nnot a statement\n<{A}x> <{A}r> "" .\n_:b0 <{A}r> <{A}y> .\n'
    path = tmp_path / "g.nt.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text.encode()))
    with pytest.raises(BadInputError, match="line 2") as caught:
        triples(path)
    assert "--skip-bad" in str(caught.value)
    reader = read_triples(path, skip_bad=True)
    assert list(reader) == [[Triple(f"{A}x", f"{A}r", "1"), Triple("_:b0", f"{A}r", f"{A}y")]]
    assert (reader.skipped.count, reader.lines) == (1, 3), "an empty literal is a missing value"


def test_labels_alone_are_no_error_and_nothing_is(tmp_path: Path) -> None:
    labels = tmp_path / "labels.nt"
    labels.write_text(f'<{A}x> <http://www.w3.org/2000/01/rdf-schema#label> "X" .\n')
    assert triples(labels) == []
    assert list(read_entities(labels)) == [Entity(f"{A}x", "X")]
    (tmp_path / "empty.ttl").write_text("# nothing\n")
    with pytest.raises(BadInputError, match="contains no triples"):
        triples(tmp_path / "empty.ttl")


def test_a_cut_gzip_and_bad_utf8_are_named(tmp_path: Path) -> None:
    whole = gzip.compress("".join(f'<{A}x{i}> <{A}r> "{i * i}" .\n' for i in range(20_000)).encode())
    (tmp_path / "cut.nt.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInputError, match="cut short"):
        triples(tmp_path / "cut.nt.gz")
    (tmp_path / "bad.nt").write_bytes(f'<{A}x> <{A}r> "'.encode() + b'\xff" .\n')
    with pytest.raises(BadInputError, match="UTF-8"):
        triples(tmp_path / "bad.nt")


NOTATIONS = {
    "a.rdf": """
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x.org/"
         xmlns:skos="http://www.w3.org/2004/02/skos/core#">
         <x:Cat rdf:about="http://x.org/tom">
         <skos:prefLabel>Tom</skos:prefLabel><x:chases rdf:resource="http://x.org/jerry"/></x:Cat></rdf:RDF>""",
    "a.jsonld": """
        {"@context": {"name": "http://schema.org/name", "chases": {"@id": "http://x.org/chases", "@type": "@id"}},
         "@id": "http://x.org/tom", "@type": "http://x.org/Cat", "name": "Tom", "chases": "http://x.org/jerry"}""",
    "a.trig": """
        @prefix x: <http://x.org/> .
        x:g { x:tom a x:Cat ; <http://xmlns.com/foaf/0.1/name> "Tom" ; x:chases x:jerry }""",
    "a.n3": """
        @prefix x: <http://x.org/> .
        x:tom a x:Cat ; <http://purl.org/dc/terms/title> "Tom" ; x:chases x:jerry .""",
    "a.nq": """
        <http://x.org/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://x.org/Cat> <x:g> .
        <http://x.org/tom> <http://www.w3.org/2000/01/rdf-schema#label> "Tom" <x:g> .
        <http://x.org/tom> <http://x.org/chases> <http://x.org/jerry> <x:g> .""",
}


@pytest.mark.parametrize("name", NOTATIONS)
def test_every_notation(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(NOTATIONS[name].strip())
    reader = read_triples(path)
    assert [triple for batch in reader for triple in batch] == [
        ("http://x.org/tom", "http://x.org/chases", "http://x.org/jerry")
    ]
    assert list(reader.entities()) == [Entity("http://x.org/tom", "Tom", types=("Cat",))]
    path.write_text("{ <not")
    with pytest.raises(BadInputError, match=name):
        list(read_triples(path))


def test_what_describes_the_vocabulary_is_no_data(tmp_path: Path) -> None:
    path = tmp_path / "firms.ttl"
    path.write_text(
        "@prefix ex: <http://ex.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        'ex:p1 a owl:ObjectProperty ; rdfs:label "founded by" ; rdfs:domain ex:Firm ; rdfs:subPropertyOf ex:p0 .\n'
        "ex:Firm a owl:Class ; rdfs:subClassOf ex:Body ,\n"
        "  [ a owl:Restriction ; owl:onProperty ex:p1 ; owl:cardinality 1 ] .\n"
        "ex:acme a ex:Firm ; ex:p1 ex:ann ; owl:sameAs ex:acme2 ."
    )
    assert triples(path) == [
        Triple("http://ex.org/Firm", "http://www.w3.org/2000/01/rdf-schema#subClassOf", "http://ex.org/Body"),
        Triple("http://ex.org/acme", "http://ex.org/p1", "http://ex.org/ann"),
        Triple("http://ex.org/acme", "http://www.w3.org/2002/07/owl#sameAs", "http://ex.org/acme2"),
    ]


def test_what_describes_a_vocabulary_is_the_data_of_a_file_of_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "heritage.ttl"
    path.write_text(
        "@prefix ex: <http://ex.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        "ex:moved a owl:ObjectProperty ; rdfs:domain ex:Move ; rdfs:range ex:Thing ; rdfs:subPropertyOf ex:p0 .\n"
        "ex:p0 a owl:ObjectProperty . ex:on a owl:DatatypeProperty ; rdfs:range xsd:date .\n"
        "ex:Move a owl:Class ; owl:disjointWith ex:Thing . ex:Thing a owl:Class .\n"
    )
    said = {(local_name(head), local_name(relation), local_name(str(tail))) for head, relation, tail in triples(path)}
    assert said == {
        ("moved", "domain", "Move"),
        ("moved", "range", "Thing"),
        ("moved", "subPropertyOf", "p0"),
        ("Move", "disjointWith", "Thing"),
    }


def test_an_instance_of_a_class_is_one_of_those_above_it(tmp_path: Path) -> None:
    ontology = """@prefix : <http://ex.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :DerivedUnit rdfs:subClassOf :Unit . :Unit rdfs:subClassOf :Concept, owl:Thing, [ a owl:Restriction ] .
        :Concept rdfs:subClassOf :Unit .  # a circle
        :Loose rdfs:subClassOf <http://other.org/Aligned>, :Entity . :Unit rdfs:subClassOf :Entity .
        :Unit rdfs:subClassOf <http://other.org/Both> . :Loose rdfs:subClassOf <http://other.org/Both> .
        :Kind a owl:Class . owl:Class rdfs:subClassOf rdfs:Class ."""
    data = "@prefix : <http://ex.org/> . :N a :DerivedUnit ; rdfs:label 'newton' . :m a :Unit . :x a :Loose ."
    paths = [tmp_path / "units.ttl", tmp_path / "ontology.ttl"]
    paths[0].write_text("@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n" + data)
    paths[1].write_text(ontology)
    given = Input(paths)
    triples = [triple for batch in given.batches() for triple in batch]
    types = {each.id.rpartition("/")[2]: each.types for each in given.entities()}
    assert types["N"] == ("DerivedUnit", "Unit", "Concept", "Both"), "whichever file comes first"
    assert types["m"] == ("Unit", "Concept", "Both")
    assert types["x"] == ("Loose", "Both"), "an alignment is no name"
    assert types["Kind"] == ("Class",), "RDFS's own classes say nothing of the data"
    assert ("http://ex.org/DerivedUnit", SUBCLASS, "http://ex.org/Unit") in triples, (
        "and the hierarchy can be asked for"
    )


def test_other_names_are_aliases_and_individuals_have_no_type_of_that(tmp_path: Path) -> None:
    path = tmp_path / "lands.ttl"
    path.write_text(
        "@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':de a owl:NamedIndividual, :Land ; rdfs:label "Deutschland" ; :hasEnglishShortName "Germany" ; '
        ':firstName "x" .\n'
        ":it a owl:NamedIndividual ."
    )
    reader = read_triples(path)
    triples = [triple for batch in reader for triple in batch]
    entities = {each.id: each for each in reader.entities()}
    land = entities["http://example.org/de"]
    assert (land.label, land.aliases) == ("Deutschland", ("Germany",))
    assert [kind.rpartition("/")[2] for kind in land.types] == ["Land"]
    assert not entities["http://example.org/it"].types
    assert {each.tail for each in triples} >= {"Germany", "x"}


def test_names_that_are_things_name_and_are_no_things(tmp_path: Path) -> None:
    path = tmp_path / "crops.ttl"
    path.write_text(
        """@prefix : <http://a.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
:c_8373 a skos:Concept ; xl:prefLabel :xl_en, :xl_de ; xl:altLabel :xl_alt ; skos:broader :c_7951 .
:xl_de a xl:Label ; xl:literalForm "Weizen"@de ; :created "2001-01-01" .
:xl_en a xl:Label ; xl:literalForm "wheat"@en .
:xl_alt xl:literalForm "Triticum"@la ; :notation "t1" .
:c_7951 xl:prefLabel [ xl:literalForm "cereals" ] ."""
    )
    reader = read_triples(path)
    found = [triple for batch in reader for triple in batch]
    broader = "http://www.w3.org/2004/02/skos/core#broader"
    assert found == [
        Triple(f"{A}c_8373", broader, f"{A}c_7951"),
        Triple(f"{A}c_8373", "german label", "Weizen"),
        Triple(f"{A}c_8373", "latin label", "Triticum"),
    ]
    assert list(reader.entities()) == [
        Entity(f"{A}c_8373", "wheat", ("Weizen", "Triticum"), ("Concept",)),
        Entity(f"{A}c_7951", "cereals"),
    ]


def test_what_owl_says_of_some_members_of_a_class_is_a_fact_of_it(tmp_path: Path) -> None:
    path = tmp_path / "pizza.ttl"
    prefixes = (
        "@prefix : <http://ex.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
    )
    path.write_text(
        prefixes + ":Margherita a owl:Class ; rdfs:subClassOf\n"
        "  [ a owl:Restriction ; owl:onProperty :topping ; owl:someValuesFrom :Tomato ] ,\n"
        "  [ a owl:Restriction ; owl:onProperty :from ; owl:hasValue :Italy ] ,\n"
        "  [ a owl:Restriction ; owl:onProperty :topping ; owl:allValuesFrom :Cheese ] ,\n"
        "  [ a owl:Restriction ; owl:onProperty :price ; owl:someValuesFrom xsd:decimal ] .\n"
        ":Hot owl:equivalentClass [ owl:intersectionOf ( :Pizza\n"
        "  [ a owl:Restriction ; owl:onProperty :spice ; owl:someValuesFrom :Chili ] ) ] .\n"
        ":Cold owl:equivalentClass [ owl:complementOf :Hot ] ; rdfs:subClassOf [ owl:unionOf ( :Ice :Snow ) ] .\n"
    )
    assert [tuple(each.rpartition("/")[2] for each in triple) for triple in triples(path)] == [
        ("Margherita", "topping", "Tomato"),
        ("Margherita", "from", "Italy"),
        ("Hot", "rdf-schema#subClassOf", "Pizza"),
        ("Hot", "spice", "Chili"),
    ]
    path.write_text(
        prefixes + ":Firm a owl:Class ; rdfs:subClassOf\n"
        "  [ a owl:Restriction ; owl:onProperty :boss ; owl:someValuesFrom :Person ] .\n:acme a :Firm ; :boss :ann ."
    )
    assert len(triples(path)) == 1, "of a class with instances it is a rule"


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("films.ttl", "films.ttl"),
        ("größe-2.v1.ttl", "größe-2.v1.ttl"),
        ("Svedala Area.ttl", "Svedala%20Area.ttl"),
        ("a%b[1].ttl", "a%25b%5B1%5D.ttl"),
        ("a#b?.ttl", "a%23b%3F.ttl"),
        ("a\udcff.ttl", "a%ED%B3%BF.ttl"),
    ],
)
def test_relative_iris_are_of_the_file_whatever_it_is_called(tmp_path: Path, name: str, address: str) -> None:
    path = tmp_path / name
    path.write_text("<#a> <http://a.org/p> <#b> .")
    assert triples(path) == [Triple(f"file:///{address}#a", f"{A}p", f"file:///{address}#b")]


@pytest.mark.parametrize("encoding", ["hex", "idna", "undefined", "unheard-of"])
def test_xml_in_what_is_no_encoding_is_refused(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "plugins.rdf"
    path.write_text(f"<?xml version='1.0' encoding='{encoding}'?>\n<a/>")
    with pytest.raises(BadInputError, match="UTF-8"):
        triples(path)


def test_xml_in_other_encodings_and_of_other_kinds(tmp_path: Path) -> None:
    path = tmp_path / "plugins.rdf"
    space = "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://ex.org/'"
    text = f"<rdf:RDF {space}><rdf:Description rdf:about='http://ex.org/a'><e:by>Zoë</e:by></rdf:Description></rdf:RDF>"
    for encoding in ("ISO-8859-1", "utf-8"):
        path.write_bytes(f"<?xml version='1.0' encoding='{encoding}'?>\n{text}".encode(encoding))
        assert [triple.tail for triple in triples(path)] == ["Zoë"]
    path.write_text(text + " " * 300)
    assert [triple.tail for triple in triples(path)] == ["Zoë"]
    declared = '<Declaration><Class IRI="#Pizza"/></Declaration>'
    path.write_text(f'<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#">{declared}</Ontology>')
    with pytest.raises(BadInputError, match=r"not RDF/XML .* save it as"):
        triples(path)


@pytest.mark.parametrize("tag", ["i18n", "sr@latin", "es_PE"])
def test_languages_that_are_none_stop_no_rdf_xml(tmp_path: Path, tag: str) -> None:
    path = tmp_path / "licenses.rdf"
    path.write_text(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<rdf:Description rdf:about="http://a.org/by"><dc:title xml:lang="{tag}">Attrib</dc:title>'
        '<dc:title xml:lang="en">Attribution</dc:title></rdf:Description></rdf:RDF>'
    )
    reader = read_triples(path)
    assert [triple for batch in reader for triple in batch if triple.tail == "Attribution"] == []
    assert [each.label for each in reader.entities()] == ["Attribution"]


def test_languages_of_no_standard_stop_no_file(tmp_path: Path) -> None:
    said = ':a rdfs:label "Hola"@es-a, "Hello"@en ; :p [ :q "x"@es-a ; :r :b ] .\n'
    head = f"@prefix : <{A}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    path = tmp_path / "odd.ttl"
    path.write_text(head + said)
    reader = read_triples(path)
    found = [triple for batch in reader for triple in batch]
    (node,) = {triple.tail for triple in found if triple.relation == f"{A}p"}
    assert {(triple.head, triple.relation) for triple in found} >= {(node, f"{A}q"), (node, f"{A}r")}
    ((label, aliases),) = [(each.label, each.aliases) for each in reader.entities() if each.id == f"{A}a"]
    assert (label, aliases) == ("Hello", ("Hola",))
    path.write_text(head + said + f":a :p <{A} b> .\n")
    with pytest.raises(BadInputError, match="is no IRI"):
        triples(path)
    assert len(triples(path, skip_bad=True)) == len(found)
    path.write_text(f"{head}:a :p <{A} b> .\n")
    with pytest.raises(BadInputError, match="line 2"):
        triples(path)


@pytest.mark.parametrize("said", [":ann :knows :bob {| :since 2001 |} .", "<< :ann :knows :bob >> :since 2001 ."])
def test_what_is_said_of_a_quoted_triple_is_of_its_relationship(tmp_path: Path, said: str) -> None:
    path = tmp_path / "people.ttl"
    path.write_text(f"@prefix : <{A}> . {said}")
    found = triples(path)
    qualified = next(each for each in found if isinstance(each, QualifiedTriple))
    assert qualified[:3] == (f"{A}ann", f"{A}knows", f"{A}bob")
    assert [each.properties for each in qualified.statements] == [((f"{A}since", "2001"),)]
    assert {each[:3] for each in found} == {qualified[:3]}


def test_first_and_last_names_name_people(tmp_path: Path) -> None:
    path = tmp_path / "people.ttl"
    path.write_text(
        f"""@prefix : <{A}> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix v: <http://www.w3.org/2006/vcard/ns#> .
:a a :P ; foaf:familyName "Bell" ; foaf:givenName "Ann" . :b a :P ; v:given-name "Bob" ; v:family-name "Cole" .
:c a :P ; foaf:firstName "Cid" ; foaf:name "Dorn" ; foaf:lastName "Dorn" . :d a :P ; foaf:firstName "Dan" ."""
    )
    assert [each.label for each in read_entities(path)] == ["Ann Bell", "Bob Cole", "Dorn", f"{A}d"]
    assert Triple(f"{A}a", "http://xmlns.com/foaf/0.1/givenName", "Ann") in triples(path), "it stays a property"


RECIPES = {
    "@context": ["https://schema.org/", {"mine": "http://a.org/mine"}],
    "@graph": [
        {"@id": "http://a.org/cake", "@type": "Recipe", "name": "Cake", "datePublished": "2020-05-01",
         "cookTime": "PT20M", "recipeIngredient": ["flour", "egg"], "mine": 3,
         "author": {"id": "http://a.org/ann", "type": "Person", "name": "Ann"}},
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", ["recipes.jsonld", "recipes.json"])
def test_a_context_on_the_web_is_a_vocabulary(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(json.dumps(RECIPES))
    assert is_graph(tmp_path / name)
    assert not is_table(tmp_path / name)
    cake, schema = "http://a.org/cake", "http://schema.org/"
    reader = read_triples(tmp_path / name)
    stated = [each for batch in reader for each in batch]
    found = {(each.relation.removeprefix(schema), each.tail): getattr(each.tail, "datatype", None) for each in stated}
    typed = "http://www.w3.org/2001/XMLSchema#"
    assert found == {
        ("datePublished", "2020-05-01"): f"{typed}date",
        ("cookTime", "PT20M"): f"{typed}duration",
        ("recipeIngredient", "flour"): "",
        ("recipeIngredient", "egg"): "",
        ("http://a.org/mine", "3"): f"{typed}integer",
        ("author", "http://a.org/ann"): None,
    }
    assert list(reader.entities()) == [
        Entity(cake, "Cake", (), ("Recipe",)),
        Entity("http://a.org/ann", "Ann", (), ("Person",)),
    ]


def test_other_contexts_keep_the_words_of_their_terms(tmp_path: Path) -> None:
    crate = {"@context": "https://w3id.org/ro/crate/1.1/context", "@id": "./", "id": "x1", "hasPart": {"@id": "a.csv"}}
    (tmp_path / "crate.jsonld").write_text(json.dumps(crate))
    vocabulary = "https://w3id.org/ro/crate/1.1/context#"
    assert {(each.relation, each.tail) for each in triples(tmp_path / "crate.jsonld")} == {
        (f"{vocabulary}id", "x1"),
        (f"{vocabulary}hasPart", "file:///a.csv"),
    }
    (tmp_path / "table.json").write_text('[{"name": "x", "context": "y"}]')
    assert not is_graph(tmp_path / "table.json")


def test_what_other_data_call_the_same_names_a_thing(tmp_path: Path) -> None:
    path = tmp_path / "units.ttl"
    path.write_text(
        "@prefix : <http://ex.org/unit#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix db: <http://dbpedia.org/resource/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':meter rdfs:label "Meter" ; skos:exactMatch db:Metre , <http://www.wikidata.org/entity/Q11573> .\n'
        ':jumbo rdfs:label "Jumbo" ; owl:sameAs db:Boeing_747 , :plane . :rod skos:closeMatch db:Perch .'
    )
    reader = read_triples(path)
    assert sum(map(len, reader)) == 5
    assert {each.label: each.aliases for each in reader.entities()} == {"Meter": ("Metre",), "Jumbo": ("Boeing 747",)}


def test_nodes_that_are_but_values_of_one_thing_are_properties_of_it(tmp_path: Path) -> None:
    path = tmp_path / "ages.ttl"
    path.write_text(f"""@prefix : <{A}> .
        @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
        :albian :begins [ :inMYA 113.2 ; :margin 0.3 ] ; :height [ rdf:value 12 ; :unit "m" ] ;
            :prize [ :year 1990 ], [ :year 1992 ] ; :author [ :name "Ann" ] ; :near [ :km 3 ] ; :near :aptian ;
            :seen [ :on "today" ; :by :ann ] .
    """)
    found = {(t.head, t.relation.removeprefix(A), t.tail) for t in triples(path)}
    own = {(relation, tail) for head, relation, tail in found if head == f"{A}albian" and not tail.startswith("_:")}
    assert own == {
        ("begins.inMYA", "113.2"),
        ("begins.margin", "0.3"),
        ("height", "12"),
        ("height.unit", "m"),
        ("near", f"{A}aptian"),
    }
    nodes = {relation for head, relation, _ in found if head.startswith("_:")}
    assert nodes == {"year", "name", "km", "on", "by"}, "several of a kind, things with names, and ends of other links"


def test_nodes_of_a_type_that_are_but_values_are_no_things(tmp_path: Path) -> None:
    path = tmp_path / "inns.ttl"
    path.write_text(f"""@prefix : <{A}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :bear a :Inn ; :address [ a :Address ; :street "Main St" ; :town "Bern" ] ; :owner [ a :Person ; :name "Ann" ] ;
            :P4_has_time-span [ a :E52_Time-Span ; :P82_at_some_time "1811-11-16" ] .
        :lion a :Inn ; :owner [ a :Person ; rdfs:label "Ben" ] ; :price [ a :Price ; :value 80 ; :unit :gbp ] .
    """)
    found = {(t.relation.removeprefix(A), t.tail) for t in triples(path) if t.head in (f"{A}bear", f"{A}lion")}
    assert {pair for pair in found if not pair[1].startswith("_:")} == {
        ("address.street", "Main St"),
        ("address.town", "Bern"),
        ("P4_has_time-span.at_some_time", "1811-11-16"),
    }
    types = {each.id.removeprefix(A): each.types for each in read_entities(path)}
    assert types.pop("bear") == types.pop("lion") == ("Inn",)
    assert sorted(types.values()) == [("Person",), ("Person",), ("Price",)]


def test_codes_before_words_are_no_names_of_types(tmp_path: Path) -> None:
    path = tmp_path / "places.ttl"
    path.write_text(f"@prefix : <{A}> .\n:x a :E53_Place . :y a :GO_0008150 . :z a :B2B_client . :a a :T1 .")
    assert [each.types[0] for each in read_entities(path)] == ["Place", "GO_0008150", "B2B_client", "T1"]


AIRPORTS = {"LHR": "London Heathrow", "OSL": "Oslo Gardermoen", "KEF": "Keflavik International"}


def _labelled(path: Path, facts: dict[str, str], relation: str = "desc") -> dict[str, tuple[str, tuple[str, ...]]]:
    rows = "".join(
        f'<{A}{code}> a <{A}Airport> ; <{A}{relation}> "{text}" ; rdfs:label "{code}" .\n'
        for code, text in facts.items()
    )
    path.write_text(f"@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n{rows}")
    return {each.id.removeprefix(A): (each.label, each.aliases) for each in read_entities(path)}


def test_things_whose_labels_are_codes_are_called_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "airports.ttl"
    assert _labelled(path, AIRPORTS) == {code: (name, (code,)) for code, name in AIRPORTS.items()}
    path.write_text(path.read_text() + f'<{A}NO> a <{A}Country> ; <{A}desc> "Norway" ; rdfs:label "NO" .')
    assert ("Norway", ("NO",)) in {(each.label, each.aliases) for each in read_entities(path)}, "one of its type"
    assert len(triples(path)) == 4, "the descriptions stay facts"
    chosen = read_triples(path, names=[f"{A}note"])
    assert sum(map(len, chosen)) == 4
    assert {each.label for each in chosen.entities()} == {*AIRPORTS, "NO"}, "a user says what names things"


@pytest.mark.parametrize(
    ("facts", "relation"),
    [
        ({code: f"{name} lies south of the city." for code, name in AIRPORTS.items()}, "desc"),  # sentences
        (dict.fromkeys(AIRPORTS, "Airport"), "desc"),
        (dict(zip(AIRPORTS, ("EGLL", "ENGM", "BIKF"), strict=True)), "desc"),  # other codes
        (dict(zip(AIRPORTS, ("High Street 4", "12 Oslo Road", "Bay Road 2"), strict=True)), "description"),
        (AIRPORTS, "city"),
        (AIRPORTS, "country_name"),
        ({"London": "London Heathrow", "Oslo": "Oslo Gardermoen", "Keflavik": "Keflavik International"}, "desc"),
    ],
)
def test_labels_stay_where_nothing_names_things_better(tmp_path: Path, facts: dict[str, str], relation: str) -> None:
    assert _labelled(tmp_path / "airports.ttl", facts, relation) == {code: (code, ()) for code in facts}


def _flags(path: Path, ships: str, countries: str) -> set[tuple[str, str, str]]:
    path.write_text(f"@prefix : <{A}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n{ships}{countries}")
    return {(t.head.removeprefix(A), t.relation.removeprefix(A), t.tail.removeprefix(A)) for t in triples(path)}


SHIPS = ':a a :Ship ; :country "NO" ; :class "X1" .  :b a :Ship ; :country "IS" .  :c a :Ship ; :country "UK" .\n'
LANDS = ':no a :Country ; :iso "NO" .  :is a :Country ; rdfs:label "IS" .  :uk a :Country ; :iso "UK" .\n'


def test_codes_are_of_things_where_their_predicate_is_called_as_the_type_of_these(tmp_path: Path) -> None:
    path = tmp_path / "ships.ttl"
    own = {("no", "iso", "NO"), ("uk", "iso", "UK"), ("a", "class", "X1")}
    assert _flags(path, SHIPS, LANDS) == {("a", "country", "no"), ("b", "country", "is"), ("c", "country", "uk"), *own}
    assert ("a", "country", "NO") in _flags(path, SHIPS, LANDS.replace("Country", "Land"))
    twice = ':uk2 a :Country ; :iso "UK" .'
    assert ("c", "country", "UK") in _flags(path, SHIPS, f"{LANDS}{twice}"), "a code of two things is of neither"
    named = SHIPS.replace('"UK"', '"United Kingdom"')
    assert ("a", "country", "NO") in _flags(path, named, LANDS), "not all are codes"
    assert ("no", "country", "NO") in _flags(path, SHIPS, LANDS.replace(":iso", ":country")), "a country's own code"


def _named(path: Path, text: str) -> dict[str, Entity]:
    path.write_text(f"@prefix : <{A}> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .\n{text}")
    return {each.id.removeprefix(A): each for each in read_entities(path)}


def test_names_in_parts_are_whole_names_and_the_shorter_ones_are_shared(tmp_path: Path) -> None:
    people = """
:a a :P ; :first-name "Robert" ; :middle-initial "Francis" ; :last-name "Kennedy" ; :suffix "none" .
:b a :P ; :firstName "Robert" ; :middleName "F" ; :lastName "Kennedy" ; :suffix "Jr" ; :title "Mr." .
:c a :P ; :hasFirstName "Ann" ; :hasLastName "Bell" ; :middle-initial "nil" ; :title "Head of sales" .
"""
    found = _named(tmp_path / "a.ttl", people)
    assert [each.label for each in found.values()] == ["Robert Francis Kennedy", "Robert F Kennedy Jr", "Ann Bell"]
    assert found["a"].aliases == ("Robert Kennedy", "Robert F Kennedy")
    junior = ("Mr. Robert F Kennedy Jr", "Robert F Kennedy", "Robert Kennedy Jr", "Robert Kennedy")
    assert (found["b"].aliases, found["c"].aliases) == (junior, ())


def test_parts_of_names_name_nothing_else(tmp_path: Path) -> None:
    others = """
:firm a :F ; :name "Acme" ; :firstName "Ann" ; :lastName "Bell" ; :suffix "Inc" .
:labelled a :P ; foaf:name "Bobby" ; foaf:givenName "Robert" ; foaf:familyName "Cole" .
:linked a :P ; :hasFirstName :ann ; :lastName "Dane" .
:ann a :Name .
:kilo a :Unit ; :prefix "k" ; :suffix "g" .
:own a :P ; :name "Ann Lee Eck" ; :firstName "Ann" ; :lastName "Eck" .
"""
    found = _named(tmp_path / "a.ttl", others)
    assert {key: each.label for key, each in found.items() if not each.label.startswith(A)} == {
        "labelled": "Bobby",
        "own": "Ann Eck",
    }
    assert not any(each.aliases for each in found.values())


def test_plain_literals_that_say_nothing_are_missing_values(tmp_path: Path) -> None:
    path = tmp_path / "a.ttl"
    path.write_text(
        f"""@prefix : <{A}> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix o: <urn:trivium:datatype:> .
:a :suffix "none" ; :middle "nil", "Ann" ; :note "-", "None at all", "none"@en ; :kept "none"^^o:text .
:b :iso "NA" ; :town "NA", "Bonn" ; :called [ :was "n/a", "x" ] .
:c :iso "DE" . :d :iso "FR" . :e :iso "NL" ."""
    )
    found = {(each.relation.removeprefix(A), str(each.tail)) for each in triples(path)}
    names = {("middle", "Ann"), ("note", "None at all"), ("note", "none"), ("kept", "none"), ("called.was", "x")}
    names |= {("suffix", "none")}  # may be the value of a category
    codes = {("iso", code) for code in ("NA", "DE", "FR", "NL")}
    assert found == {*names, *codes, ("town", "Bonn")}, "NA is Namibia among codes alone"


@pytest.mark.parametrize(
    ("facts", "read"),
    [
        (":a :ivy :true . :b :ivy :false .", ["true", "false"]),
        (":a :ivy :Yes . :b :ivy :No .", ["true", "false"]),
        (":a :ivy :true . :b :ivy :true . :true a :Truth .", ["true", "true"]),
        (":a :ivy :true . :b :ivy :maybe .", None),
        (":a :ivy :NO . :b :ivy :NO .", None),
        (":a :ivy :true . :true :opposite :false .", None),
        (":a :ivy <http://b.org/untrue> .", None),
    ],
)
def test_a_predicate_that_leads_to_true_and_false_alone_is_one_of_truths(
    tmp_path: Path, facts: str, read: list[str] | None
) -> None:
    path = tmp_path / "a.ttl"
    path.write_text(f"@prefix : <{A}> .\n{facts}")
    reader = read_triples(path)
    found = [each.tail for batch in reader for each in batch if each.relation == f"{A}ivy"]
    typed = [str(each) for each in found if isinstance(each, ValueText) and each.datatype == "boolean"]
    assert typed == (read or []), "Norway is no truth, nor is what more is told of"
    assert len(found) == facts.count(":ivy")
    assert not any(each.id.endswith("true") for each in reader.entities() if read)


def test_many_truths_are_not_held_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdf, "BATCH", 10)
    path = tmp_path / "a.nt"
    path.write_text("".join(f"<{A}{n}> <{A}ivy> <{A}{str(n % 3 == 0).lower()}> .\n" for n in range(25)))
    assert [str(each.tail) for each in triples(path)] == [str(n % 3 == 0).lower() for n in range(25)]


def _types(tmp_path: Path, *files: str) -> dict[str, tuple[str, ...]]:
    """What the entities of files are called and of which types they are."""
    paths = [tmp_path / f"f{place}.ttl" for place in range(len(files))]
    for path, text in zip(paths, files, strict=True):
        path.write_text(
            "@prefix : <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
            f"@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n{text}"
        )
    given = Input(paths)
    list(given.batches())
    return {local_name(each.id): each.types for each in given.entities()}


def test_types_are_called_by_their_classes_labels_where_local_names_say_nothing(tmp_path: Path) -> None:
    data = ":ada a :Q5 . :rug a :Kind3 . :bo a :CHEBI_24431 . :ivy a :C0012 ."
    classes = """:Q5 rdfs:label "Mensch"@de, "human"@en . :C0012 skos:prefLabel "plant" .
        :CHEBI_24431 rdfs:label "Stoff"@de .
        :Kind1 rdfs:label "goods" . :Kind2 rdfs:label "household goods"; rdfs:subClassOf :Kind1 .
        :Kind3 rdfs:label "carpet" ; rdfs:subClassOf :Kind2 ."""
    for files in ((data, classes), (classes, data)):
        found = _types(tmp_path, *files)
        assert found["ada"] == ("human",), "a label in another language is none where there is one in English"
        assert found["rug"] == ("carpet", "household goods", "goods")
        assert found["ivy"] == ("plant",)
        assert found["bo"] == ("Stoff",), "the only one there is"
    german, english = ':Q5 rdfs:label "Mensch"@de .', ':Q5 rdfs:label "human"@en .'
    assert _types(tmp_path, ":ada a :Q5 .", german, english)["ada"] == ("human",)


@pytest.mark.parametrize(
    "classes",
    [
        ':Firm rdfs:label "commercial enterprise" .',  # has a name of its own
        ':Formula1 rdfs:label "motor racing" .',
        ':Boeing747 rdfs:label "Jumbo" . :Boeing767 a :Boeing747 .',
        ':Q5 rdfs:label "human" . :Q6 rdfs:label "human" . :y a :Q6 .',  # two of one name
        ':Q5 rdfs:label "Human" . :y a :human .',
        ':Q5 rdfs:label "Q5" .',
        ':Q5 rdfs:label "Thing" .',
        f':Q5 rdfs:label "{"very " * 20}long" .',
    ],
)
def test_and_by_their_local_names_otherwise(tmp_path: Path, classes: str) -> None:
    own = classes[1 : classes.index(" ")]
    assert _types(tmp_path, f":x a :{own} . {classes}")["x"] == (own,)


def test_wikibase_calls_what_it_states_properties_by_as_these(tmp_path: Path) -> None:
    path = tmp_path / "w.ttl"
    path.write_text(
        "@prefix : <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        '@prefix w: <http://wikiba.se/ontology#> . :P19 w:directClaim :t19 ; rdfs:label "place of birth"@en .\n'
        ':P20 w:directClaim :t20 ; rdfs:label "place of death"@en . :t20 rdfs:label "died in" .\n'
        ":P21 w:directClaim :t21 .\n"
        ":ada :t19 :London ; :t20 :Rome ; :t21 :x ."
    )
    reader = read_triples(path)
    list(reader)
    labels = {local_name(each.id): each.label for each in reader.entities()}
    assert (labels["t19"], labels["t20"]) == ("place of birth", "died in"), "a label of its own is kept"
    assert labels.get("t21", "http://ex.org/t21") == "http://ex.org/t21"


def _keyed(tmp_path: Path, text: str) -> list[tuple[str, str, str]]:
    """The facts that a file's nodes of a key and a value give to things."""
    path = tmp_path / "keyed.ttl"
    path.write_text(
        "@prefix : <http://ex.org/> . @prefix s: <http://schema.org/> . @prefix bf: <http://bf.org/> .\n"
        f"@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n{text}"
    )
    found = [(local_name(head), local_name(relation), str(tail)) for head, relation, tail in triples(path)]
    return [each for each in found if each[0] in ("x", "y") and each[1] not in ("hasIdentifier", "hasProperty")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            """:i1 :usesIdentifierScheme :issn ; :hasLiteralValue "0098-7484" . :x :hasIdentifier :i1, :i2 .
            :i2 :usesIdentifierScheme :doi ; :hasLiteralValue "10.1/x" . :y :hasIdentifier :i3, :i4 .
            :i4 :usesIdentifierScheme :doi ; :hasLiteralValue "10.1/y" .
            :i3 :hasLiteralValue "2642-0880" ; :usesIdentifierScheme :issn .""",
            {("x", "issn", "0098-7484"), ("x", "doi", "10.1/x"), ("y", "issn", "2642-0880"), ("y", "doi", "10.1/y")},
        ),
        (
            """:x s:identifier [ s:propertyID "ISBN 13" ; s:value "978" ], [ s:propertyID "ASIN" ; s:value "B0" ] .
            :y s:identifier [ s:propertyID "ISBN 13" ; s:value "979" ], [ s:propertyID "ASIN" ; s:value "B1" ] .""",
            {("x", "ISBN 13", "978"), ("x", "ASIN", "B0"), ("y", "ISBN 13", "979"), ("y", "ASIN", "B1")},
        ),
        (
            """:x s:additionalProperty [ s:name "color" ; s:value "red" ], [ s:name "weight" ; s:value 3 ] .
            :y s:additionalProperty [ s:name "color" ; s:value "blue" ], [ s:name "weight" ; s:value 4 ] .""",
            {("x", "color", "red"), ("x", "weight", "3"), ("y", "color", "blue"), ("y", "weight", "4")},
        ),
        (
            """:x bf:identifiedBy [ a bf:Isbn ; rdf:value "978" ], [ a bf:Lccn ; rdf:value "75" ] .
            :y bf:identifiedBy [ a bf:Isbn ; rdf:value "979" ], [ a bf:Lccn ; rdf:value "76" ] .""",
            {("x", "Isbn", "978"), ("x", "Lccn", "75"), ("y", "Isbn", "979"), ("y", "Lccn", "76")},
        ),
    ],
)
def test_nodes_of_a_key_and_a_value_are_properties_too(
    tmp_path: Path, text: str, found: set[tuple[str, str, str]]
) -> None:
    assert found <= set(_keyed(tmp_path, text))


@pytest.mark.parametrize(
    "text",
    [
        # an amount in a currency, and what is worth something
        """:x :hasPrice :a . :a :currencyType :USD ; :value 5 . :y :hasPrice :b . :b :currencyType :USD ; :value 6 .""",
        """:x :hasProperty :a . :a :kind :House ; :marketValue 5 .
        :y :hasProperty :b . :b :kind :House ; :marketValue 6 .""",
        # several keys or values of a node, and a key for each
        """:x :hasIdentifier :a . :a :scheme :doi, :issn ; :value "5" .
        :y :hasIdentifier :b . :b :scheme :doi ; :value "6" .""",
        """:x :hasIdentifier :a . :a :scheme :doi ; :value "5", "7" .
        :y :hasIdentifier :b . :b :scheme :doi ; :value "6" .""",
        """:x :hasIdentifier :a . :a :scheme :doi ; :value "5" .
        :y :hasIdentifier :b . :b :scheme :issn ; :value "6" .""",
        # nodes of one type, and of a key that the file has as a property
        """:x :hasProperty :a . :a a :Mass ; :value 5 . :y :hasProperty :b . :b a :Mass ; :value 6 .""",
        """:x :hasIdentifier :a . :a :scheme :doi ; :value "5" .
        :y :hasIdentifier :b . :b :scheme :doi ; :value "6" .
        :z :doi "8" .""",
    ],
)
def test_but_not_where_a_value_is_of_more_or_less_than_one_of_few_keys(tmp_path: Path, text: str) -> None:
    assert [each for each in _keyed(tmp_path, text) if each[1] != "hasPrice"] == []


def test_what_wikidata_calls_an_instance_is_of_that_type(tmp_path: Path) -> None:
    prefixes = "@prefix wdt: <http://www.wikidata.org/prop/direct/> . @prefix wd: <http://www.wikidata.org/entity/> .\n"
    text = f'{prefixes}:ada wdt:P31 wd:Q5 ; wdt:P19 wd:Q84 . wd:Q5 rdfs:label "human" .'
    assert _types(tmp_path, text)["ada"] == ("human",), "and of no other relation's"
    said = {(local_name(each.head), local_name(each.relation)) for each in triples(tmp_path / "f0.ttl")}
    assert ("ada", "P31") in said, "it stays a fact"


def test_and_not_where_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """:x :hasIdentifier :a . :a :scheme :doi ; :value "5" .
        :y :hasIdentifier :b . :b :scheme :doi ; :value "6" ."""
    assert len(_keyed(tmp_path, text)) == 2
    monkeypatch.setattr(rdf_keyed, "_MOST", 5)
    assert _keyed(tmp_path, text) == []
