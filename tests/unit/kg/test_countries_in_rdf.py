"""RDF: countries that are IRIs of codes are found by their names."""

from pathlib import Path

from trivium.kg.loaders import read_triples

_PREFIXES = "@prefix : <http://a.org/> . @prefix iso: <http://codes.org/iso-3166#> .\n"
_RDFS = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"


def _called(path: Path, text: str) -> dict[str, tuple[str, ...]]:
    path.write_text(_PREFIXES + _RDFS + text)
    reader = read_triples(path)
    for _ in reader:
        pass
    return {each.id.rpartition("#")[2]: each.aliases for each in reader.entities()}


def test_codes_of_countries_at_the_end_of_iris_have_the_names_too(tmp_path: Path) -> None:
    text = ":a :country iso:CN . :b :country iso:DE . :c :nationality iso:FR, iso:KR, iso:ES .\n"
    found = _called(tmp_path / "people.ttl", ":a :country iso:CN, iso:FR, iso:DE . " + text)
    assert (found["CN"], found["DE"], found["FR"]) == (("China",), ("Germany",), ("France",))


def test_codes_that_tell_no_country_or_have_a_name_stay_as_they_are(tmp_path: Path) -> None:
    found = _called(
        tmp_path / "parts.ttl",
        ":a :grade iso:CN, iso:DE, iso:FR . :b :country iso:AA, iso:DD, iso:FF, iso:XY, iso:GB .\n",
    )
    assert found == {}
    named = 'iso:CN rdfs:label "Corner" . :a :country iso:CN, iso:DE, iso:FR, iso:ES .\n'
    assert _called(tmp_path / "named.ttl", named)["CN"] == ()
