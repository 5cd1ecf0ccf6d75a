"""Messages without secrets: what a server, a log or an answer may repeat of an error."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

_LONGEST = 300
_SHORTEST_SECRET = 4  # a shorter value is not a secret, and would blank out half of any text
_SECRET_NAME = re.compile(r"(_API_KEY|_TOKEN|_SECRET|PASSWORD)$", re.IGNORECASE)
_SECRET_LOOKS = re.compile(r"\b(?:sk|pk|lsv2)[-_][\w*.…-]{6,}|(?<=\bBearer )\S+|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)")
_BLANK = "[redacted]"


def redact(text: str, environ: Mapping[str, str] | None = None) -> str:
    """The text without any secret: values of *_API_KEY, *_TOKEN, *_SECRET and *PASSWORD, and what looks like a key."""
    variables = os.environ if environ is None else environ
    secrets = {value.strip() for name, value in variables.items() if _SECRET_NAME.search(name)}
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, _BLANK)
    return _SECRET_LOOKS.sub(_BLANK, text)


def brief(text: str) -> str:
    """The text in one line, redacted before it is cut, so that no half of a secret stays."""
    line = " ".join(redact(text).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
