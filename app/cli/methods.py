"""The methods by name: where each one's graph and settings are. A new method is a line here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from trivium.nodes.run.context import Context


@dataclass(frozen=True)
class Method:
    """A method's graph (`MODULE.graph`) and the class of its settings (`MODULE:CLASS`), imported when asked for."""

    graph_module: str
    context_module: str
    context_class: str

    def graph(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        """The compiled graph."""
        compiled: CompiledStateGraph[Any, Any, Any, Any] = import_module(self.graph_module).graph
        return compiled

    def context(self, **settings: object) -> Context:
        """Settings of a run; those that the method does not have are left out."""
        kind: type[Any] = self._settings()
        made: Context = kind(**{key: value for key, value in settings.items() if key in kind.__dataclass_fields__})
        return made

    def read_settings(self, texts: Iterable[str]) -> dict[str, object]:
        """Settings from `NAME=VALUE`; raises `UsageError` where the method has no such setting, or it no such value."""
        from trivium.nodes.run.settings import read_setting

        return dict(read_setting(self._settings(), text) for text in texts)

    def _settings(self) -> type[Context]:
        kind: type[Context] = getattr(import_module(self.context_module), self.context_class)
        return kind


METHODS = {
    "keqing": Method("trivium.graphs.keqing", "trivium.nodes.keqing.context", "KeqingContext"),
    "knowgpt": Method("trivium.graphs.knowgpt", "trivium.nodes.knowgpt.context", "KnowGPTContext"),
    "oda": Method("trivium.graphs.oda", "trivium.nodes.oda.context", "OdaContext"),
}
AUTO = "auto"


def method_named(name: str) -> Method:
    """The method of that name; raises `UsageError` where there is none. `auto` takes Keqing's settings."""
    if name == AUTO:
        return METHODS["keqing"]
    if name not in METHODS:
        raise UsageError(f"no method is named {name!r}; there are {', '.join([AUTO, *METHODS])}")
    return METHODS[name]
