"""`trivium user-data export | delete`: what a running server keeps of a user, by the name of his key."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from trivium.app.cli.output import complain, print_json
from trivium.kg.errors import RequestError, UsageError
from trivium.kg.files import write_atomic

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient

_T = TypeVar("_T")
API_KEY = "TRIVIUM_API_KEY"
"""The environment variable that holds the key with which the server is asked."""

_Server = Annotated[str, typer.Option(help="The server's address.")]
_Of = Annotated[
    str | None, typer.Option(help="The name of the key whose data it is; without it, what the key asked with sees.")
]


def export(
    file: Annotated[Path, typer.Argument(help="The file to write: a JSON object a line.")],
    server: _Server = "http://127.0.0.1:2024",
    of: _Of = None,
) -> None:
    """Write what a server keeps of a user: threads with what was asked and answered, items of the store."""
    from trivium.app.server.user_data import kept

    async def run(client: LangGraphClient) -> list[dict[str, Any]]:
        return [line async for line in kept(client, of)]

    lines = _asked(server, run)
    write_atomic(file, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode(errors="replace"))
    complain(f"wrote {len(lines)} threads and items to {file}")


def delete(
    server: _Server = "http://127.0.0.1:2024",
    of: _Of = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
) -> None:
    """Delete it, for good: its threads with their checkpoints, and its items."""
    from trivium.app.server.user_data import delete as remove

    whose = f"of {of}" if of else "that this key sees"
    if not yes and not typer.confirm(f"delete every thread and item {whose} on {server}?"):
        raise UsageError("nothing was deleted; say --yes to delete without being asked")
    told = _asked(server, lambda client: remove(client, of))
    print_json(told)
    if told["left"]:
        raise RequestError(f"{told['left']} came while the others were deleted; run it again")


def _asked(server: str, run: Callable[[LangGraphClient], Awaitable[_T]]) -> _T:
    """Run it with a client of the server; raises `RequestError` where the server refuses or is not there."""
    import httpx
    from langgraph_sdk import get_client

    async def connected() -> _T:
        client = get_client(url=server, api_key=os.environ.get(API_KEY))
        try:
            return await run(client)
        finally:
            await client.aclose()

    try:
        return asyncio.run(connected())
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        said = " ".join(str(error).split())[:200]
        raise RequestError(
            f"{server} does not answer as asked ({type(error).__name__}: {said}); see {API_KEY}"
        ) from None


def register(app: typer.Typer) -> None:
    """Add `user-data` to the command line."""
    group = typer.Typer(help="Export or delete what a running server keeps of a user.", no_args_is_help=True)
    group.command("export")(export)
    group.command("delete")(delete)
    app.add_typer(group, name="user-data")
