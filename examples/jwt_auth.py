"""Who asks the server, by JSON Web Tokens that your identity provider signs.

Copy it beside trivium.toml, name it there, and start the server with what a token must be signed with and say:

    [server]
    identify = "jwt_auth:identify"

    pip install "pyjwt[crypto]"
    JWT_PUBLIC_KEY=provider.pem JWT_ISSUER=https://login.example JWT_AUDIENCE=trivium trivium serve --host 0.0.0.0

`sub` is the user. `kgs` and `tokens_per_day` bound what a token may ask and spend; the role `operator` lets it change
what everybody uses.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import jwt

from trivium.app.server.keys import Key

PUBLIC_KEY = Path(os.environ["JWT_PUBLIC_KEY"]).read_text(encoding="utf-8")  # a token's `alg` never chooses the key
CHECKS = {"issuer": os.environ["JWT_ISSUER"], "audience": os.environ["JWT_AUDIENCE"]}


def identify(headers: Mapping[str, str]) -> Key | None:
    """The holder of the token in `Authorization: Bearer`; None where it is not valid now and for us."""
    token = headers.get("authorization", "").removeprefix("Bearer ")
    try:
        said = jwt.decode(token, PUBLIC_KEY, ["RS256"], **CHECKS, options={"require": ["exp", "iss", "aud", "sub"]})
    except jwt.PyJWTError:
        return None
    kgs, tokens = said.get("kgs"), said.get("tokens_per_day")
    return Key(
        f"jwt:{said['sub']}",  # as none of [server.auth] is called
        kgs=None if kgs is None else tuple(kgs),
        tokens_per_day=None if tokens is None else int(tokens),
        operator="operator" in said.get("roles", []),
    )
