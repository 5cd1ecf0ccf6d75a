"""Settings of the router: those of every method."""

from __future__ import annotations

from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.oda.context import OdaContext

CONTEXTS: dict[str, type[KeqingContext | KnowGPTContext | OdaContext]] = {
    "keqing": KeqingContext,
    "oda": OdaContext,
    "knowgpt": KnowGPTContext,
}
"""The settings of each method that the router tries."""


class AutoContext(KeqingContext, KnowGPTContext, OdaContext):
    """Settings of a run whose method is chosen for it.

    A setting that is given holds for each method that has it; for any other each method has its own default, whatever
    is shown here.
    """

    def check(self) -> None:
        """Refuse settings that one of the methods would refuse; raises as `Context.check`."""
        for kind in CONTEXTS.values():
            kind.of(self).check()
