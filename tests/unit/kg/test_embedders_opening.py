"""Opening by name; LangChain embeddings against a server of our own; extras that are not installed."""

import importlib.util
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding

from trivium.kg.embedders import additive, open_embedder
from trivium.kg.embedders.huggingface import HuggingFaceEmbedder, MiniLMEmbedder, weights_hash
from trivium.kg.embedders.remote import LangChainEmbedder
from trivium.kg.errors import EmbedderError

KEY = "sk-secret-secret-secret"


class Service(BaseHTTPRequestHandler):
    """An OpenAI-compatible embeddings service: a text's vector is its length and two constants."""

    status: ClassVar[int] = 200
    asked: ClassVar[list[list[str]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body["input"])
        data = [{"index": i, "embedding": [len(t), 1.0, 2.0]} for i, t in enumerate(body["input"])]
        answer = {"data": data, "model": body["model"], "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        if self.status != 200:
            answer = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
        content = json.dumps(answer).encode()
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Service]]:
    server = HTTPServer(("127.0.0.1", 0), Service)
    Service.status, Service.asked = 200, []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_BASE", f"http://127.0.0.1:{server.server_port}/v1")
    yield Service
    server.shutdown()
    server.server_close()
    thread.join()


def test_openai_embeddings_by_name(service: type[Service]) -> None:
    embedder = open_embedder("openai:text-embedding-3-small")
    vectors = embedder.embed(["abc", " ", "x"])
    np.testing.assert_allclose(vectors[0], np.array([3, 1, 2]) / np.sqrt(14), atol=1e-6)
    assert not vectors[1].any()
    assert service.asked == [["dimensions"], ["abc", "x"]]
    assert (embedder.dimensions, vectors.dtype) == (3, np.dtype(np.float32))
    assert embedder.fingerprint == "langchain:openai:text-embedding-3-small"
    assert additive(embedder) is None


def test_a_refusal_repeats_no_key(service: type[Service]) -> None:
    service.status = 401
    with pytest.raises(EmbedderError, match="AuthenticationError") as caught:
        open_embedder("openai:text-embedding-3-small").embed(["a"])
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_missing_key_and_unknown_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EmbedderError, match="key"):
        open_embedder("openai:text-embedding-3-small").embed(["a"])
    with pytest.raises(EmbedderError, match="nowhere:model"):
        open_embedder("nowhere:model").embed(["a"])
    with pytest.raises(EmbedderError, match="langchain-cohere"):
        open_embedder("cohere:embed-english-v3.0").embed(["a"])


def test_given_langchain_embeddings() -> None:
    embedder = LangChainEmbedder("fake:5", DeterministicFakeEmbedding(size=5))
    vectors = embedder.embed(["a", "b", "a"])
    assert (vectors.shape, embedder.dimensions) == ((3, 5), 5)
    np.testing.assert_array_equal(vectors[0], vectors[2])


@pytest.mark.parametrize("name", ["", "magic", "hf:", ":x", "openai:"])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(EmbedderError, match="static, hashing, minilm") as caught:
        open_embedder(name)
    assert repr(name) in str(caught.value)


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="the extra is installed")
@pytest.mark.parametrize("name", ["minilm", "hf:roberta-base"])
def test_an_extra_that_is_missing_is_named(name: str) -> None:
    embedder = open_embedder(name)
    with pytest.raises(EmbedderError, match=r"pip install '\.\[minilm\]'"):
        embedder.embed(["a"])
    assert embedder.name == name


def test_weights_are_known_by_their_files(tmp_path: Path) -> None:
    assert weights_hash(str(tmp_path)) is None
    (tmp_path / "model.safetensors").write_bytes(b"a" * 300_000)
    first = weights_hash(str(tmp_path))
    assert first == weights_hash(str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"a" * 299_999 + b"b")
    assert weights_hash(str(tmp_path)) != first
    assert weights_hash("no such model at all!") is None


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    """A folder with a BERT of random weights, 16 dimensions."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "film", "director", "currency"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    transformers.BertTokenizer(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    transformers.BertModel(config).save_pretrained(tmp_path)
    return tmp_path


def test_encoders_of_random_weights_agree(encoder: Path) -> None:
    pytest.importorskip("sentence_transformers")
    texts = ["film director", "", "film", "film director currency film director"]
    hugging, sentence = HuggingFaceEmbedder(str(encoder)), MiniLMEmbedder(str(encoder))
    vectors = hugging.embed(texts)
    np.testing.assert_allclose(vectors[2], hugging.embed(["film"])[0], atol=1e-5)
    np.testing.assert_allclose(vectors, sentence.embed(texts), atol=1e-5)
    assert (vectors.shape, hugging.dimensions, sentence.dimensions) == ((4, 16), 16, 16)
    assert not vectors[1].any()
    assert hugging.fingerprint == open_embedder(f"hf:{encoder}").fingerprint != f"hf:{encoder}:None"


def test_a_model_that_is_not_there_is_named(encoder: Path) -> None:
    embedder = HuggingFaceEmbedder(str(encoder / "vocab.txt"))
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        embedder.embed(["a"])
    assert embedder.name.startswith("hf:")


def test_minilm_names_a_missing_model_or_the_extra_that_it_needs(encoder: Path) -> None:
    installed = importlib.util.find_spec("sentence_transformers") is not None
    embedder = MiniLMEmbedder(str(encoder / "vocab.txt"))
    with pytest.raises(EmbedderError, match="cannot be loaded" if installed else r"pip install '\.\[minilm\]'"):
        embedder.embed(["a"])
    assert embedder.name.startswith("minilm")
