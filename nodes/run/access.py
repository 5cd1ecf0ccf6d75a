"""What a server's clients may choose: KGs and models that the operator named in `trivium.toml`, within set limits.

    [kg.films]                       # a name for clients; `sample` is always there
    path = "films-kg"

    [server]
    models = ["openai:gpt-4o-mini"]  # besides none

    [server.at_most]                 # how far clients may raise a number; else see `Policy.most`
    max_tokens = 500_000

It holds for every run but the operator's own (`trivium.nodes.run.operator`), whatever serves the graphs. The file lies
in the working directory; a change of it is taken up by the next run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivium.kg.catalog import SAMPLE, SETTINGS_FILE, read_settings
from trivium.kg.errors import BadInputError, UsageError
from trivium.nodes.run.operator import is_own_run

if TYPE_CHECKING:
    from trivium.nodes.run.context import Context

NO_MODEL = "none"
_LIMITED = "max_"  # settings that cost the operator time or money begin so
_ROOM = 10


@dataclass(frozen=True, slots=True)
class Policy:
    """What clients may choose."""

    kgs: tuple[str, ...] = (SAMPLE,)
    models: tuple[str, ...] = (NO_MODEL,)
    at_most: Mapping[str, float] = field(default_factory=dict)

    def check(self, settings: Context) -> None:
        """Refuse settings that the operator did not allow; raises `UsageError`, which names what he did."""
        for name, allowed in (("kg", self.kgs), ("model", self.models)):
            chosen = getattr(settings, name)
            if chosen not in allowed:
                raise UsageError(
                    f"this server does not offer {name} {str(chosen)[:80]!r}; choose one of: {', '.join(allowed)}"
                )
        for name, each in type(settings).model_fields.items():
            chosen, most = getattr(settings, name), self.most(name, each.default)
            if chosen is not None and most is not None and chosen > most:
                raise UsageError(f"{name} is at most {most:g} on this server, not {chosen}")

    def most(self, name: str, default: object) -> float | None:
        """The most that a client may set for a number; None for settings that are not numbers or default to 0.

        As far as the operator says; else a `max_…` setting, which is what costs him, to its default, and any other to
        ten times that.
        """
        if name in self.at_most:
            return self.at_most[name]
        if isinstance(default, bool) or not isinstance(default, int | float) or not default:
            return None
        return default if name.startswith(_LIMITED) else _ROOM * default


def check_policy(settings: Context) -> None:
    """Refuse, in a client's run, what the operator did not allow; raises as `Policy.check`, and `BadInputError`."""
    if not is_own_run():
        read_policy(Path(SETTINGS_FILE)).check(settings)


def read_policy(path: Path) -> Policy:
    """The policy of a settings file; without one, the sample and no model.

    Raises:
        BadInputError: the file is not as shown above.
    """
    read = read_settings(path)
    server = _table(path, read, "server")
    models, at_most = server.get("models", []), _table(path, server, "at_most")
    if not isinstance(models, list) or not all(isinstance(model, str) for model in models):
        raise BadInputError('[server] models is a list of names, such as ["openai:gpt-4o-mini"]', path=path)
    if not all(isinstance(value, int | float) for value in at_most.values()):
        raise BadInputError("[server.at_most] holds numbers, such as max_tokens = 500_000", path=path)
    names = dict.fromkeys([SAMPLE, *_table(path, read, "kg")])
    return Policy(tuple(names), tuple(dict.fromkeys([NO_MODEL, *models])), at_most)


def _table(path: Path, parent: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = parent.get(name, {})
    if not isinstance(table, dict):
        raise BadInputError(f"{name} is a table, [{name}]", path=path)
    return table
