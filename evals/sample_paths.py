"""The path policy that ships with the bundled sample: `python -m trivium.evals.sample_paths [--write]`.

Learns from the sample's training questions (its answers are the candidates) and measures on the test questions' pairs;
`--write` replaces the files in kg/sample/knowgpt. Small, since it is part of the repository: 0.3 MB.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Literal

from trivium.kg import sample
from trivium.kg.embedded import build
from trivium.kg.loaders import Question, read_entities, read_questions, read_triples
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.examples import link_texts
from trivium.policies.paths.extraction import FOLDER, extract_paths
from trivium.policies.paths.learn import PathTraining, learn_paths
from trivium.policies.paths.policy import PathNetwork
from trivium.policies.paths.train import CURVE, PolicySettings

SETTINGS = PathTraining(
    PolicySettings(network=PathNetwork(64, 32), warm_steps=150, batch_size=512, reinforce_steps=20, held_out=200)
)
_ASKED = 60  # test questions whose pairs are measured


async def learn_sample(folder: Path) -> None:
    """Build the sample in `folder` and learn its path policy."""
    build(folder, read_triples(sample.TRIPLES), read_entities(sample.ENTITIES))
    base = Knowledge.open(folder)
    try:
        learned = await learn_paths(base, read_questions(sample.TRAIN_QUESTIONS), lambda *_: None, SETTINGS)
        print(learned.report)
        for policy in ("exact", "learned", "structural", "random"):
            for width in (1, 2, 8):
                await _measure(base, policy, width)
    finally:
        await base.close()


async def _measure(base: Knowledge, policy: Literal["exact", "learned", "structural", "random"], width: int) -> None:
    """Print how many pairs of test questions a policy connects, and at which cost."""
    questions: list[Question] = read_questions(sample.TEST_QUESTIONS)[:_ASKED]
    linked = await link_texts(base.store, [question.question for question in questions])
    joined = tried = expanded = 0
    for question, sources in zip(questions, linked, strict=True):
        found = await extract_paths(
            base, question.question, sources, question.answers[:5], beam_width=width, policy=policy
        )
        joined += len({(path.source, path.target) for path in found.paths})
        tried += len(sources) * len(question.answers[:5])
        expanded += found.expanded
    print(f"{policy:10} beam {width}: {joined} of {tried} pairs, {expanded / max(tried, 1):.1f} expanded a pair")


def main() -> int:
    """Learn, measure, and with `--write` keep."""
    parser = argparse.ArgumentParser(prog="python -m trivium.evals.sample_paths", description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the files that ship with the sample")
    write = parser.parse_args().write
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "sample")
        asyncio.run(learn_sample(folder))
        if write:
            shutil.rmtree(sample.PATHS, ignore_errors=True)
            shutil.copytree(folder / FOLDER, sample.PATHS, ignore=shutil.ignore_patterns(CURVE))
    return 0


if __name__ == "__main__":
    sys.exit(main())
