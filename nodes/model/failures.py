"""Failures of a model's server: which exceptions they are, what they mean, and whether asking again can help."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

# Base errors of the clients behind LangChain's integrations. Looked up among the modules that are loaded, so that
# nothing is imported for it; LangChain's own `ModelError` covers the integrations that raise it.
_CLIENT_ERRORS = {
    "openai": ("OpenAIError",),
    "httpx2": ("HTTPError", "StreamError"),
    "httpx": ("HTTPError", "StreamError"),
    "anthropic": ("AnthropicError",),
    "groq": ("GroqError",),
    "ollama": ("ResponseError", "RequestError"),
    "aiohttp": ("ClientError",),
    "botocore.exceptions": ("BotoCoreError", "ClientError"),
    "google.api_core.exceptions": ("GoogleAPIError",),
    "google.auth.exceptions": ("GoogleAuthError",),
    "google.genai.errors": ("APIError",),
    "langchain_core.exceptions": ("LangChainException",),
}
# What the clients raise on an answer that is not a chat completion.
_MALFORMED = (ValueError, LookupError, TypeError, AttributeError)
_OPTIONAL = ("temperature", "stream_options", "response_format", "max_completion_tokens", "max_tokens")
"""Parameters that a request can do without."""


def client_errors() -> tuple[type[Exception], ...]:
    """What a call of a chat model may raise; evaluated by an `except` only once something was raised."""
    found = [
        getattr(sys.modules[module], name)
        for module, names in _CLIENT_ERRORS.items()
        if module in sys.modules
        for name in names
        if hasattr(sys.modules[module], name)
    ]
    return (*found, OSError, ImportError, *_MALFORMED)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request brought no answer.

    Attributes:
        message: what happened, not yet redacted.
        again: whether the same request may succeed later.
        wait: seconds that the server asks to wait; None where it says nothing.
        parameter: an optional parameter that the model refused.
        timeout: whether time ran out.
    """

    message: str
    again: bool = False
    wait: float | None = None
    parameter: str | None = None
    timeout: bool = False


def failure(error: Exception) -> Failure:
    """What an exception of `client_errors` means."""
    status = _status(error)
    if status is not None:
        return Failure(
            f"the model's server answered {status}: {_said(error)}",
            again=_transient(status, error),
            wait=_retry_after(error),
            parameter=_refused(error) if status in (400, 422) else None,
        )
    if isinstance(error, _MALFORMED):
        return Failure(f"the model's server sent no chat completion ({type(error).__name__}): {error}")
    again = _lost(error) or bool(getattr(error, "is_retryable", False))  # LangChain's own word for it
    return Failure(f"the model's server gave no answer ({type(error).__name__}): {error}", again=again)


def _status(error: Exception) -> int | None:
    for source in (error, getattr(error, "response", None)):
        status = getattr(source, "status_code", None)
        if isinstance(status, int):
            return status
    return None


def _transient(status: int, error: Exception) -> bool:
    """429 and 5xx pass; a spent quota, which is a 429 as well, does not."""
    return status >= 500 or (status == 429 and getattr(error, "code", None) != "insufficient_quota")


def _lost(error: Exception) -> bool:
    """Whether the connection failed, rather than the request."""
    names = {base.__name__ for base in type(error).__mro__}
    return isinstance(error, OSError) or bool(names & {"APIConnectionError", "TransportError"})


def _said(error: Exception) -> str:
    """The server's own words, where the body has them."""
    body = getattr(error, "body", None)
    said = body.get("message") if isinstance(body, dict) else None
    return str(said or error)


def _refused(error: Exception) -> str | None:
    named = getattr(error, "param", None)
    said = _said(error)
    return next((name for name in _OPTIONAL if name == named or name in said), None)


def _retry_after(error: Exception) -> float | None:
    """The seconds of a Retry-After header, given as a number or as a date."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get("retry-after") if headers is not None else None
    if value is None:
        return None
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except ValueError:
        return None
