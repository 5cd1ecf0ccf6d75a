"""A real server whose users have JSON Web Tokens: `examples/jwt_auth.py`, as its docstring says."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from langgraph_sdk import get_client
from langgraph_sdk.errors import APIStatusError

from tests.integration.conftest import ROOT, Server, serving

pytestmark = pytest.mark.slow  # a server of its own

CLAIMS: dict[str, Any] = {"iss": "https://login.example", "aud": "trivium"}
ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "who directed Heat?"}]}
PROVIDER, STRANGER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
PUBLIC = PROVIDER.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def _token(user: str, signed_by: Any = PROVIDER, algorithm: str = "RS256", **claims: object) -> str:  # noqa: ANN401
    said = {**CLAIMS, "sub": user, "exp": time.time() + 600, **claims}
    return jwt.encode({name: value for name, value in said.items() if value is not None}, signed_by, algorithm)


@pytest.fixture(scope="module")
def server(films_kg: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder, path = tmp_path_factory.mktemp("jwt"), json.dumps(str(films_kg))
    shutil.copy(ROOT / "examples" / "jwt_auth.py", folder)
    (folder / "provider.pem").write_bytes(PUBLIC)
    settings = f'[kg.films]\npath = {path}\n[kg.others]\npath = {path}\n[server]\nidentify = "jwt_auth:identify"\n'
    environment = {"JWT_PUBLIC_KEY": "provider.pem", "JWT_ISSUER": CLAIMS["iss"], "JWT_AUDIENCE": CLAIMS["aud"]}
    with serving(folder, settings, "films", **environment) as running:
        yield running


def test_jwt_auth(server: Server) -> None:
    """Only a valid token is let in."""
    forged = {
        "none": "-",
        "text": "x.y.z",
        "another key": _token("ann", STRANGER),
        "the public key as a secret": _hmac("ann"),
        "unsigned": jwt.encode({**CLAIMS, "sub": "ann", "exp": time.time() + 600}, "", "none"),
        "old": _token("ann", exp=time.time() - 5),
        "for ever": _token("ann", exp=None),
        "nobody": _token("ann", sub=None),
        "of another issuer": _token("ann", iss="https://evil.example"),
        "for another product": _token("ann", aud="mail"),
    }
    with httpx.Client(base_url=server.url, timeout=60) as client:
        for name, token in forged.items():
            headers = {"authorization": f"Bearer {token}"}
            for method, path in (
                ("POST", "/threads"),
                ("POST", "/runs/wait"),
                ("GET", "/v1/models"),
                ("GET", "/metrics"),
            ):
                told = client.request(method, path, headers=headers, json={} if method == "POST" else None)
                assert told.status_code == 401, (name, path)
        good = {"authorization": f"Bearer {_token('ann')}"}
        assert client.get("/v1/models", headers=good).status_code == 200
        assert client.get("/metrics", headers=good).status_code == 403, "no operator"
        boss = {"authorization": f"Bearer {_token('root', roles=['operator'])}"}
        assert client.get("/metrics", headers=boss).status_code == 200


async def test_a_user_has_own_threads_and_the_kgs_of_the_token(server: Server) -> None:
    ann, ben = (
        get_client(url=server.url, api_key=None, headers={"authorization": f"Bearer {_token(user, kgs=['films'])}"})
        for user in ("ann", "ben")
    )
    thread = (await ann.threads.create())["thread_id"]
    told: Any = await ann.runs.wait(thread, "keqing", input=ASKED, context={"kg": "films"})
    assert [item["id"] for item in told["answer"]["answers"]] == ["mann"]
    assert await ben.threads.search() == []
    for call in (
        ben.threads.get_state(thread), ben.runs.wait(thread, "keqing", input=ASKED, context={"kg": "films"}),
        ann.runs.wait(None, "keqing", input=ASKED, context={"kg": "others"}),
    ):  # fmt: skip
        with pytest.raises((APIStatusError, httpx.HTTPStatusError)) as refused:
            await call
        assert refused.value.response.status_code in {403, 404}
    await ann.aclose()
    await ben.aclose()


def _hmac(user: str) -> str:
    """A token whose signature is made with the provider's public key, which everybody has (PyJWT itself would not)."""
    parts = [{"alg": "HS256", "typ": "JWT"}, {**CLAIMS, "sub": user, "exp": time.time() + 600}]
    text = b".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts)
    signature = base64.urlsafe_b64encode(hmac.new(PUBLIC, text, hashlib.sha256).digest()).rstrip(b"=")
    return (text + b"." + signature).decode()
