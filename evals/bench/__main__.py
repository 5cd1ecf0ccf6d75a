"""Measure on the bundled sample, and on MetaQA where it is present: `python -m trivium.evals.bench [--data DIR]`."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from trivium.evals.ablations.asking import made_kg
from trivium.evals.bench.answering import (
    measure_answering,
    measure_bandit,
    measure_learned,
    measure_prompting,
    measure_reading,
    measure_start,
    measure_wordings,
)
from trivium.evals.bench.building import measure_building, measure_writing
from trivium.evals.bench.model import measure_model
from trivium.evals.bench.observing import measure_extraction, measure_observing
from trivium.evals.bench.paths import measure_paths
from trivium.evals.bench.plans import measure_plans, measure_remote_plans, plans_folder
from trivium.evals.bench.remote import measure_remote, measure_survey, server_uri
from trivium.evals.bench.report import HEADING, Figure
from trivium.evals.bench.walking import measure_walking
from trivium.evals.choices import CHOICE_SETS, kg_folder, read_choices
from trivium.evals.metaqa import HOPS, data_folder, is_held_out, read_metaqa, reworded, spread, triples_file
from trivium.kg.catalog import cache_folder
from trivium.kg.embedded import build
from trivium.kg.errors import StoreError, TriviumError, WriteRefusedError
from trivium.kg.loaders import Question, read_questions, read_triples
from trivium.kg.manifest import is_kg
from trivium.kg.sample import TEST_QUESTIONS, TRAIN_QUESTIONS
from trivium.knowledge.knowledge import Knowledge
from trivium.knowledge.sample import ensure_sample
from trivium.nodes.run.operator import own_runs
from trivium.policies.reader.chains.artifact import DECOMPOSER
from trivium.policies.reader.chains.teaching import teach

_LEARNT = 1_500  # MetaQA pairs a hop that the benchmark learns from
_ASKED = 200  # questions a hop that it asks


async def measure(name: str, folder: Path, questions: Sequence[Question]) -> None:
    """Print every figure of one KG as it is found."""
    print(f"\n{name}: {len(questions)} questions, {folder}\n{HEADING}", flush=True)
    _show(await measure_answering(str(folder), questions))
    _show([measure_start(str(folder), questions[0].question)])
    _show(await measure_learned(folder, questions))
    _show(await measure_walking(folder))
    _show(await measure_paths(folder))
    await _measure_neo4j(folder, questions)


async def _measure_neo4j(folder: Path, questions: Sequence[Question]) -> None:
    """The same KG in Neo4j where there is a server to write it to; a line says why not otherwise."""
    uri = server_uri()
    if uri is None:
        print("Neo4j is left out: TRIVIUM_NEO4J_URI names no server (make bench starts one where Java and Maven are)")
        return
    try:
        _show(await measure_remote(folder, uri, questions))
    except (StoreError, WriteRefusedError) as error:
        print(f"Neo4j is left out: {error}")


def _show(figures: Sequence[Figure]) -> None:
    for figure in figures:
        print(figure.line(), flush=True)


async def metaqa_folder(data: Path) -> Path:
    """A KG of MetaQA that has learned from a part of dev; made once and kept in the cache."""
    folder = cache_folder() / f"bench-metaqa-{DECOMPOSER.format}"  # what an older Trivium learned is no use
    if not is_kg(folder):
        print("building MetaQA's KG, once", file=sys.stderr)
        build(folder, read_triples(triples_file(data)))
    if not DECOMPOSER.exists(folder / "keqing"):
        print("learning from a part of MetaQA's dev split, once", file=sys.stderr)
        base = Knowledge.open(folder)
        try:
            await teach(base, metaqa_pairs(data, _LEARNT), lambda *_: None)
        finally:
            await base.close()
    return folder


def metaqa_pairs(data: Path, count: int) -> list[Question]:
    """`count` pairs a hop to learn from, none of them held out."""
    return [q for hops in HOPS for q in spread([q for q in read_metaqa(data, hops) if not is_held_out(q)], count)]


def metaqa_questions(data: Path, count: int) -> list[Question]:
    """`count` held-out questions a hop; their topics are for the yardstick, which walks from them."""
    return [
        q for hops in HOPS for q in spread([q for q in read_metaqa(data, hops, topics=True) if is_held_out(q)], count)
    ]


async def measure_knowgpt(data: Path | None) -> None:
    """The bandit, and questions of CommonsenseQA where its files are."""
    print(f"\nKnowGPT\n{HEADING}", flush=True)
    _show([await asyncio.to_thread(measure_bandit)])
    name, given = next(iter(CHOICE_SETS.items()))
    if data is not None and (data / given.questions).is_file():
        asked = spread(read_choices(data, given), _ASKED)
        print(f"{len(asked)} questions of {name}", flush=True)
        _show([await measure_prompting(str(await kg_folder(data, given)), asked)])


async def measure_query_plans() -> None:
    """Plans over a generated graph, in a directory and, where there is an empty database, in Neo4j."""
    print(f"\nQuery plans\n{HEADING}", flush=True)
    _show(await measure_plans(await asyncio.to_thread(plans_folder, cache_folder())))
    uri = server_uri()
    if uri is None:
        return
    try:
        with TemporaryDirectory() as folder:
            _show(await measure_remote_plans(uri, Path(folder)))
        _show(await measure_survey(uri))
    except (StoreError, WriteRefusedError) as error:
        print(f"Neo4j is left out: {error}")


async def run(data: Path | None) -> None:
    """Measure on the sample, then on MetaQA where its files are."""
    print(f"\nODA's observation\n{HEADING}", flush=True)
    _show(await measure_observing())
    print(f"\nBuilding\n{HEADING}", flush=True)
    _show(await asyncio.to_thread(measure_building))
    print(f"\nWriting\n{HEADING}", flush=True)
    _show(await measure_writing())
    if data is not None and (data / "wikidata_slice").is_dir():
        _show([await asyncio.to_thread(measure_extraction, made_kg("wikidata_slice", data))])
    sample = await asyncio.to_thread(ensure_sample)
    await measure("bundled sample", sample, read_questions(TEST_QUESTIONS))
    pairs = [*read_questions(TRAIN_QUESTIONS), *read_questions(TEST_QUESTIONS)]
    _show(await asyncio.to_thread(measure_model, str(sample), pairs))
    _show(await measure_reading(sample, read_questions(TEST_QUESTIONS)))
    await measure_knowgpt(data)
    await measure_query_plans()
    if data is None or not triples_file(data).is_file():
        print("\nMetaQA is not here: name the folder of the data with --data or TRIVIUM_DATA")
        return
    folder, questions = await metaqa_folder(data), metaqa_questions(data, _ASKED)
    await measure("MetaQA", folder, questions)
    _show(await measure_wordings(str(folder), reworded(data, questions)))
    csqa = CHOICE_SETS["CommonsenseQA in-house dev"]
    if (data / csqa.triples).is_file():
        folder = await kg_folder(data, csqa)
        print(f"\nConceptNet: paths, {folder}\n{HEADING}", flush=True)
        _show(await measure_paths(folder))


@own_runs()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 where the data cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m trivium.evals.bench", description=__doc__)
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder that holds metaqa/")
    try:
        asyncio.run(run(parser.parse_args(arguments).data))
    except TriviumError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
