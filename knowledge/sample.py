"""The bundled sample as a KG: built and learned on first use, then kept in the user's cache.

It is learned in its own process (`python -m trivium.knowledge.sample FOLDER`): in a server, learning would block runs.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import shutil
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

from trivium.kg import sample
from trivium.kg.catalog import cache_folder
from trivium.kg.embedded import build
from trivium.kg.embedded.locks import write_lock
from trivium.kg.errors import BadInputError, TriviumError
from trivium.kg.loaders import read_entities, read_questions, read_triples
from trivium.kg.manifest import is_kg, register_derived
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.extraction import FOLDER, load_policy
from trivium.policies.reader.chains.artifact import DECOMPOSER
from trivium.policies.reader.chains.teaching import teach

log = logging.getLogger("trivium.sample")

_ROOT = Path(__file__).absolute().parents[2]  # from where `trivium` is imported, installed or not


def ensure_sample() -> Path:
    """The directory of the sample KG, made if it is not there; a second process waits for the first to make it."""
    name = f"sample-{_digest()}"
    folder = cache_folder() / name
    if not (is_kg(folder) and DECOMPOSER.exists(folder / "keqing")):
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = f"the cache folder cannot be made ({error.strerror}): set TRIVIUM_CACHE to one that can be written"
            raise BadInputError(why, path=folder.parent) from error
        with FileLock(folder.parent / ".sample.lock"):
            _make(folder)
    return folder


def _digest() -> str:
    """Changes with the sample's files and with the format of what is learned."""
    digest = hashlib.sha256(str(DECOMPOSER.format).encode())
    for path in (sample.TRIPLES, sample.ENTITIES, sample.TRAIN_QUESTIONS, *sorted(sample.PATHS.glob("*"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _make(folder: Path) -> None:
    if not is_kg(folder):
        log.warning("building the bundled sample in %s and learning from its questions: once, some 15 seconds", folder)
        build(folder, read_triples(sample.TRIPLES), read_entities(sample.ENTITIES))
    if not DECOMPOSER.exists(folder / "keqing"):
        command = [
            sys.executable,
            "-m",
            "trivium.knowledge.sample",
            str(folder.absolute()),
            str(sample.TRAIN_QUESTIONS.absolute()),
        ]
        done = subprocess.run(
            command, cwd=_ROOT, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        if done.returncode:
            why = done.stderr.strip().splitlines()[-1:] or [f"status {done.returncode}"]
            raise OSError(f"the bundled sample could not be learned in {folder} ({why[0]}): run the command again")


async def _teach(folder: Path, questions: Path) -> None:
    base = Knowledge.open(folder)
    try:
        await base.derive()
        # The same sample whether torch is installed or not.
        await teach(base, read_questions(questions), lambda *_: None, network=False)
        await asyncio.to_thread(add_paths, base, (await base.store.info()).hash)
    finally:
        await base.close()


def add_paths(base: Knowledge, kg_hash: str) -> None:
    """Copy the path policy that ships with the sample: learning one needs torch, which the base has not."""
    try:
        shipped = load_policy(sample.PATHS, base.embedder)
    except TriviumError as error:
        log.info("the sample's path policy is left out: %s", error)
        return
    if shipped.kg != kg_hash:
        log.info("the sample's path policy is left out: it was learned on other triples")
        return
    folder = base.path / FOLDER
    with write_lock(base.path):
        shutil.copytree(sample.PATHS, folder, dirs_exist_ok=True)
        register_derived(base.path, [path for path in folder.iterdir() if path.is_file()])


if __name__ == "__main__":
    asyncio.run(_teach(Path(sys.argv[1]), Path(sys.argv[2])))
