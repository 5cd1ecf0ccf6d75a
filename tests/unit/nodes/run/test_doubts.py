"""What is said in place of an answer to something else than what was asked."""

from __future__ import annotations

import pytest

from trivium.kg.types import Hop
from trivium.nodes.run.context import Context
from trivium.nodes.run.doubts import _missing
from trivium.policies.confidence.signals import AnswerSignals
from trivium.policies.reader.chains.decomposer import Decomposition
from trivium.tools.assess_reading import Assessment


@pytest.mark.parametrize(
    ("question", "chain", "said", "unknown"),
    [
        ("who wrote Gladiator?", "written_by", ("written by", "Gladiator"), []),
        ("who directed Gladiator?", "directed_by", ("", ""), []),
        ("who wrote Gladiator?", "", ("", ""), []),
        ("who wrote Zorro?", "written_by", ("", ""), ["Zorro"]),
    ],
)
async def test_the_relation_that_an_entity_lacks_is_named_unless_the_name_is_unknown(
    question: str, chain: str, said: tuple[str, str], unknown: list[str], kg_name: str
) -> None:
    best = Assessment(
        0.1,
        AnswerSignals(),
        missing=(Hop(chain, inverse=False),) if chain else (),
        names=tuple(map(str.lower, unknown)),
        about="gladiator",
    )
    found = Decomposition((), {})
    signals = await _missing(question, Context(kg=kg_name), best, found, read=True, doubtful=True)
    assert ((signals.missing, signals.of), list(signals.unknown)) == (said, unknown)
