"""KGs of the ablations, taught anew for each split."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from trivium.evals.metaqa import data_folder, triples_file
from trivium.evals.webqsp import webqsp_files
from trivium.evals.worldcup import write_worldcup
from trivium.kg.catalog import cache_folder
from trivium.kg.embedded import build
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question, read_entities, read_triples
from trivium.kg.manifest import is_kg
from trivium.knowledge.knowledge import Knowledge, close_all
from trivium.policies.reader.chains.teaching import teach


def need_data(data: Path | None) -> Path:
    """The folder of the public data sets; raises `BadInputError` where there is none."""
    found = data or data_folder()
    if found is None:
        raise BadInputError("the data is not here: name its folder with --data or TRIVIUM_DATA")
    return found


def made_kg(name: str, data: Path) -> Path:
    """The KG of a data set in the cache, built on first use; ablations teach it as they like.

    `name` is `metaqa`, `fb15k237`, `worldcup2014` or `wikidata_slice`.

    Raises:
        BadInputError: the data set is not in the folder.
    """
    folder = cache_folder() / f"ablation-{name}"
    if not (data / name).is_dir():
        raise BadInputError(f"contains no {name}/: name the folder of the data with --data or TRIVIUM_DATA", path=data)
    if is_kg(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    print(f"building {name}, once", file=sys.stderr)
    if name == "metaqa":
        build(folder, read_triples(triples_file(data)))
    elif name == "worldcup2014":
        source = folder.with_suffix(".tsv")
        write_worldcup(data, source)
        build(folder, read_triples(source))
    elif name == "wikidata_slice":
        build(folder, read_triples(data / name / "triples.tsv.gz"))
    else:
        triples, entities = webqsp_files(data)
        build(folder, read_triples(triples), read_entities(entities))
    return folder


@asynccontextmanager
async def taught(folder: Path, pairs: Sequence[Question] | None) -> AsyncIterator[Knowledge]:
    """The KG, open, after it has learned from these pairs, or with None from the schema alone.

    Whatever was open of it before is closed.
    """
    await close_all()
    base = Knowledge.open(folder)
    try:
        await teach(base, pairs, lambda *_: None)
        yield base
    finally:
        await close_all()
        await base.close()
