"""The static embedder, which the base install carries, and the hashing one, on real vectors."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from trivium.kg.embedders import Embedder, additive, open_embedder, unit
from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.embedders.static import LONGEST, TOKENIZER, WEIGHTS, StaticEmbedder, WordPieces, _package_folder
from trivium.kg.errors import EmbedderError

TEXTS = ["film director", "directed by", "currency", "Ünïcode 七人の侍 \U0001f600", "a", "2001: A Space Odyssey"]


@pytest.fixture(params=["static", "hashing"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return open_embedder(request.param)


def test_unit_float32_rows_and_zeros_for_nothing(embedder: Embedder) -> None:
    vectors = embedder.embed([*TEXTS, "", " \n"])
    assert vectors.shape == (len(TEXTS) + 2, embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors[:-2], axis=1), 1, atol=1e-6)
    assert not vectors[-2:].any()
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_a_batch_is_its_texts_one_by_one(embedder: Embedder) -> None:
    texts = [f"{a} {b}" for a in TEXTS for b in TEXTS] * 40  # more than one batch inside
    whole = embedder.embed(texts)
    alone = np.concatenate([embedder.embed([text]) for text in texts[:36]])
    np.testing.assert_allclose(whole[:36], alone, atol=1e-6)
    np.testing.assert_array_equal(whole[:36], whole[-36:])


def test_sums_add_up(embedder: Embedder) -> None:
    sums = additive(embedder)
    assert sums is not None
    rng = random.Random(3)
    left = [rng.choice(TEXTS) for _ in range(50)]
    right = [rng.choice(TEXTS) for _ in range(50)]
    joined = sums.token_sums([f"{a}  {b} " for a, b in zip(left, right, strict=True)])
    np.testing.assert_allclose(joined, sums.token_sums(left) + sums.token_sums(right), atol=1e-4)
    np.testing.assert_allclose(embedder.embed(left), unit(sums.token_sums(left)), atol=1e-6)


def test_meaning() -> None:
    director, by, currency = StaticEmbedder().embed(["film director", "directed by", "currency"])
    assert director @ by > director @ currency + 0.2
    assert director @ currency < 0.3


def test_ids_are_those_of_the_tokenizers_library() -> None:
    path = _package_folder() / TOKENIZER
    pieces, reference = WordPieces(path.read_bytes()), Tokenizer.from_file(str(path))
    rng = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyzABC0123456789'-.,()éüñ七人侍한글жш\u00a0\u0301😀_/"
    words = ["".join(rng.choices(letters, k=rng.randint(1, 14))) for _ in range(3000)]
    words += Path(__file__).read_text().split()
    words = [word for word in words if word.split() == [word] and "<" not in word]
    assert [pieces.encode(word) for word in words] == [
        reference.encode(word, add_special_tokens=False).ids for word in words
    ]
    text = " ".join(words[:300])
    assert pieces.encode(text) == reference.encode(text, add_special_tokens=False).ids


def test_special_tokens_are_text_and_long_words_are_cut() -> None:
    pieces = WordPieces((_package_folder() / TOKENIZER).read_bytes())
    assert 1 not in pieces.encode("a <s> b")
    long = "x" * (LONGEST * 50)
    assert pieces.encode(long) == pieces.encode(long)
    assert pieces.encode("lone \ud800 surrogate")


def test_changed_or_missing_weights_are_refused(tmp_path: Path) -> None:
    for name in (WEIGHTS, TOKENIZER):
        (tmp_path / name).parent.mkdir()
        shutil.copyfile(_package_folder() / name, tmp_path / name)
    with (tmp_path / WEIGHTS).open("r+b") as file:
        file.seek(5000)
        file.write(b"\x01\x02\x03")
    with pytest.raises(EmbedderError, match="not the file"):
        StaticEmbedder(tmp_path).embed(["a"])
    with pytest.raises(EmbedderError, match="wordllama"):
        StaticEmbedder(tmp_path / "nowhere").embed(["a"])


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from trivium.kg.embedders import open_embedder; e = open_embedder(); e.embed(['a']);"
        "sys.exit(any(m in sys.modules for m in ('wordllama', 'tokenizers', 'faiss', 'langchain', 'torch')))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, env=dict(os.environ, PYTHONPATH=".")
    )
    assert found.stderr == ""
    assert found.returncode == 0


def test_hashing_depends_on_its_seed_alone() -> None:
    one, same, other = HashingEmbedder(64, 1), HashingEmbedder(64, 1), HashingEmbedder(64, 2)
    np.testing.assert_array_equal(one.embed(TEXTS), same.embed(TEXTS))
    assert one.fingerprint == same.fingerprint != other.fingerprint
    assert not np.array_equal(one.embed(TEXTS), other.embed(TEXTS))
    near, far = one.embed(["director", "directed", "zebra"])[1:] @ one.embed(["director"])[0]
    assert near > far
