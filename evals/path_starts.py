"""What REINFORCE adds to each warm start: `trivium eval knowgpt-starts [--seeds 3] [--keep DIR]`.

KnowGPT takes its policy gradient from DeepPath, which warms up on shortest paths and then learns by reinforcement.
Three starts (`bfs`: imitate shortest paths; `ranked`: imitate all good paths by their reward; `none`: parameters as
drawn, without the structural yardstick that `trivium learn knowgpt` sets out from), each alone and followed by
REINFORCE as the paper has it (no rehearsal, no entropy bonus), on CommonsenseQA over ConceptNet. Pairs are those of dev
questions, which no run has learned from. REINFORCE's row is its own best step on pairs held out of the training
questions, also where the start alone is better: `trivium learn knowgpt` would keep the start then.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from trivium.evals.choices import CHOICE_SETS, kg_folder
from trivium.evals.datasets import read_data_set
from trivium.evals.metaqa import data_folder, spread
from trivium.evals.paths import HEADING, Case, PathFigures, beam_row, case_of, first_sources
from trivium.evals.paths import spread as mean_and_spread
from trivium.kg.errors import UsageError
from trivium.kg.loaders import Question
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.examples import DemonstrationSettings, make_examples
from trivium.policies.paths.extraction import path_tables
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.learn import PathTraining, TrainingSet, WarmStart, needs_torch, prepare
from trivium.policies.paths.policy import LearnedScorer, PathModel, StructuralScorer, initial_parameters
from trivium.policies.paths.train import PolicySettings, train_policy

_DEV = CHOICE_SETS["CommonsenseQA in-house dev"]
_TRAIN = "csqa/train_inhouse.jsonl.gz"
STARTS: tuple[WarmStart, ...] = ("none", "bfs", "ranked")
WIDTHS = (1, 2, 8)


async def measure(data: Path, given: argparse.Namespace) -> None:
    """Print the table."""
    base = Knowledge.open(await kg_folder(data, _DEV))
    try:
        tables = await path_tables(base)
        assert tables is not None, "a KG directory always has a snapshot"
        number = {key: row for row, key in enumerate(tables.snapshot.keys.slice(0, tables.snapshot.entities))}
        learned, asked = [
            await make_examples(base.store, _some(data / file, count), number)
            for file, count in ((_TRAIN, given.train), (_DEV.questions, given.questions))
        ]
        settings = PolicySettings(
            warm_steps=given.warm_steps, reinforce_steps=given.rl_steps, held_out=given.held_out, prior=False,
            rehearsal=0.0, entropy=0.0, reinforce_rate=given.rl_rate,
        )  # fmt: skip
        sets = {
            start: prepare(
                tables, learned, lambda *_: None,
                PathTraining(settings, DemonstrationSettings(shortest=start == "bfs")),
            )
            for start in ("bfs", "ranked")
        }  # fmt: skip
        case = case_of(tables, first_sources(asked), learned, sets["ranked"], 1.0)
        pairs = len(sets["ranked"].task.pairs)
        print(f"{pairs} pairs learned from, {len(case.truth.best)} pairs of dev connected within 3 hops\n{HEADING}")
        structure = tables.structure(lambda *_: None)
        yardstick = StructuralScorer(structure.walks, tables.features.log_degree)
        for width in WIDTHS:
            print(beam_row(case, yardstick, width).text("structural", width), flush=True)
        for start in STARTS:
            rows = [list(start_rows(case, sets.get(start, sets["ranked"]), start, seed, settings, given.keep))
                    for seed in range(given.seeds)]  # fmt: skip
            for name, width, seeds in _together(rows):
                print(mean_and_spread(name, width, seeds) if len(seeds) > 1 else seeds[0].text(name, width), flush=True)
    finally:
        await base.close()


def _some(path: Path, count: int) -> list[Question]:
    read = read_data_set("csqa", path)
    return spread(read, count) if count else read


def start_rows(
    case: Case, learned: TrainingSet, start: WarmStart, seed: int, settings: PolicySettings, keep: Path | None
) -> Iterator[tuple[str, int, PathFigures]]:
    """Name, width and figures of a start alone, then of REINFORCE from where it ended."""
    settings = replace(settings, seed=seed)
    folder = keep / f"{start}-{seed}" if keep else None
    if start == "none":
        parameters = initial_parameters(learned.inputs, settings.network, seed, prior=False)
    else:
        # Whatever comes after it, so that a kept one serves every setting of REINFORCE.
        alone = replace(settings, reinforce_steps=0, reinforce_rate=PolicySettings().reinforce_rate)
        parameters = train_policy(
            learned.task, learned.inputs, learned.taught, alone, lambda *_: None, folder and folder / "warm"
        ).parameters
    yield from _measured(case, learned, start, parameters)
    after = replace(settings, warm_steps=0)
    trained = train_policy(
        learned.task, learned.inputs, learned.taught, after, lambda *_: None, folder and folder / "rl", parameters
    )
    yield from _measured(case, learned, f"{start} + RL", trained.parameters)


def _measured(
    case: Case, learned: TrainingSet, name: str, parameters: dict[str, Floats]
) -> Iterator[tuple[str, int, PathFigures]]:
    # As they are served: kept at half precision.
    kept = {key: array.astype(np.float16).astype(np.float32) for key, array in parameters.items()}
    for width in WIDTHS:
        yield name, width, beam_row(case, LearnedScorer(PathModel(learned.inputs, kept)), width)


def _together(
    seeds: Sequence[Sequence[tuple[str, int, PathFigures]]],
) -> Iterator[tuple[str, int, list[PathFigures]]]:
    """The rows of all seeds by name and width."""
    for same in zip(*seeds, strict=True):
        yield same[0][0], same[0][1], [figures for _, _, figures in same]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table; raises `UsageError` without torch, `BadInputError` where the data is not there."""
    parser = argparse.ArgumentParser(prog="trivium eval knowgpt-starts", description=__doc__)
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder that holds csqa/ and conceptnet/")
    parser.add_argument("--train", type=int, default=1_500, help="training questions, evenly over the file; 0 = all")
    parser.add_argument("--questions", type=int, default=100, help="dev questions that are asked; 0 = all")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--warm-steps", type=int, default=200, help="batches of the warm start")
    parser.add_argument("--rl-steps", type=int, default=200, help="batches of REINFORCE")
    parser.add_argument("--rl-rate", type=float, default=2e-4, help="its learning rate")
    parser.add_argument("--held-out", type=int, default=500, help="training pairs that choose the best step")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="checkpoints: a command that was cut goes on")
    given = parser.parse_args(arguments)
    needs_torch()
    if given.data is None:
        raise UsageError("CommonsenseQA is not here: name the folder that holds csqa/ with --data or TRIVIUM_DATA")
    asyncio.run(measure(given.data, given))


if __name__ == "__main__":
    main()
