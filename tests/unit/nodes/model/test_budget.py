"""Budgets, usage, redaction and prompts: what needs no server."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from trivium.nodes.model import NO_USAGE, Budget, RetryPolicy, add_usage, redact
from trivium.nodes.model.failures import failure
from trivium.nodes.run.usage import Usage, estimate_tokens

SPENT = Usage(llm_calls=2, prompt_tokens=100, completion_tokens=20, seconds=1.5)


def test_usage_adds_up_in_any_order() -> None:
    assert add_usage(SPENT, NO_USAGE) == SPENT
    assert add_usage(SPENT, SPENT) == Usage(llm_calls=4, prompt_tokens=200, completion_tokens=40, seconds=3.0)


def test_a_budget_is_what_is_left() -> None:
    left = Budget(calls=4, tokens=150, seconds=2).after(SPENT)
    assert left == Budget(calls=2, tokens=30, seconds=0.5)
    assert left.refusal(30) is None
    assert "31 tokens, 30 of the run's" in str(left.refusal(31))
    assert "calls" in str(left.after(SPENT).refusal(0))


def test_tokens_are_estimated_in_every_script() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("abcde") == 2
    assert estimate_tokens("誰が監督したか") > 4
    assert estimate_tokens("\ud800") == 1  # half a character, as broken input has it


def test_back_off_doubles_with_jitter_and_is_capped() -> None:
    retry = RetryPolicy(backoff=1.0, longest_wait=3.0)
    waits = [[retry.wait(attempt, None) for _ in range(50)] for attempt in range(4)]
    assert all(0.5 <= wait <= 1.5 for wait in waits[0])
    assert all(1.0 <= wait <= 3.0 for wait in waits[1])
    assert all(wait <= 3.0 for wait in waits[3])
    assert (retry.wait(0, 0.0), retry.wait(0, 99.0)) == (0.0, 3.0)


class AnsweredError(Exception):
    def __init__(self, header: str) -> None:
        super().__init__("busy")
        self.status_code = 429
        self.response = type("Response", (), {"headers": {"retry-after": header}})()


@pytest.mark.parametrize(("header", "least", "most"), [("2.5", 2.5, 2.5), ("-1", 0, 0), ("date", 50, 60)])
def test_retry_after_is_a_number_or_a_date(header: str, least: float, most: float) -> None:
    lost = failure(AnsweredError(formatdate(time.time() + 60, usegmt=True) if header == "date" else header))
    assert lost.wait is not None
    assert least <= lost.wait <= most
    assert lost.again


def test_a_retry_after_that_cannot_be_read_is_none() -> None:
    lost = failure(AnsweredError("soon"))
    assert lost.wait is None
    assert lost.again


def test_secrets_are_taken_out() -> None:
    environ = {
        "X_API_KEY": "abcd-1234",
        "HF_TOKEN": "tok tok",
        "TRIVIUM_NEO4J_PASSWORD": "abcd",
        "HOME": "/root",
        "A_TOKEN": "1",
    }
    text = redact("abcd-1234 tok tok abcd /root 1 sk-proj-abc_DEF123 Bearer xyz http://me:pw@host/", environ)
    assert text == "[redacted] [redacted] [redacted] /root 1 [redacted] Bearer [redacted] http://[redacted]@host/"
    assert redact("nothing here", environ) == "nothing here"
