"""`trivium serve`: the methods behind a LangGraph server, `langgraph dev`, on this machine: offline, without a key."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal

import typer

import trivium
from trivium.app.cli.output import complain
from trivium.kg.errors import UsageError

CONFIG = Path(trivium.__file__).parent / "app" / "server" / "langgraph.json"
"""The graphs that are served: in a checkout a link to the file at its root, in an installed package the file itself."""

# What `langgraph dev` would ask or tell elsewhere: its own statistics, newer versions, traces of every run.
OFFLINE = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "1", "LANGSMITH_TRACING": "false"}


def serve(  # noqa: PLR0913, PLR0917 - the options of a command line
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 is every one.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 2024,
    kg: Annotated[str | None, typer.Option(help="The KG of runs that name none: a name of trivium.toml.")] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Runs at a time; 4, or 50 where [server] models names a chat model.")
    ] = None,
    open_to_all: Annotated[
        bool, typer.Option("--open", help="Listen beyond this machine although the server asks nobody for a key.")
    ] = False,
    origin: Annotated[
        list[str] | None, typer.Option(help="A web page's origin that may call the server (CORS); once each.")
    ] = None,
    new_key: Annotated[
        str | None, typer.Option("--new-key", help="Print a new API key of that name and its lines for trivium.toml.")
    ] = None,
    log: Annotated[Literal["text", "json"], typer.Option(help="Lines for people, or a JSON object each.")] = ("text"),
    reload: Annotated[bool, typer.Option("--reload", help="Start again when a source file changes.")] = False,
) -> None:
    """Serve the methods to chat clients, LangGraph Studio and other programs until interrupted."""
    if new_key is not None:
        _print_key(new_key)
        return
    from trivium.app.cli.prompts import check_every_prompt
    from trivium.nodes.run.context import DEFAULT_KG

    check_every_prompt()
    environment = {**OFFLINE, **os.environ}
    if kg is not None:
        _check_named(kg)
        environment[DEFAULT_KG] = kg
    from trivium.app.server.keys import own_identify, read_keys

    check_host(host, open_to_all=open_to_all, asks=bool(read_keys()) or own_identify() is not None)
    if open_to_all:
        environment["TRIVIUM_OPEN"] = "1"
    if log == "json":
        environment |= {"LOG_JSON": "true", "LOG_COLOR": "false"}
    if origin:
        environment["CORS_CONFIG"] = json.dumps({**_CORS, "allow_origins": origin})
    _check_port(host, port)
    at_a_time = str(jobs or runs_at_a_time())
    command = [
        sys.executable, "-m", "trivium.app.server.dev", "dev", "--config", str(CONFIG), "--host", host,
        "--port", str(port), "--n-jobs-per-worker", at_a_time, "--no-browser", *([] if reload else ["--no-reload"]),
    ]  # fmt: skip
    complain(f"serving on http://{host}:{port}; threads are kept in memory and in ./.langgraph_api")
    os.execve(sys.executable, command, environment)


def runs_at_a_time() -> int:
    """How many runs the queue takes at a time, by what the server offers.

    Runs without a chat model are processor time: more of them at a time end no sooner, and a probe waits for a step of
    each. Those with one mostly wait for it.
    """
    from trivium.kg.catalog import SETTINGS_FILE
    from trivium.nodes.run.access import NO_MODEL, read_policy

    return _WITH_MODELS if set(read_policy(Path(SETTINGS_FILE)).models) > {NO_MODEL} else _WITHOUT_MODELS


_WITHOUT_MODELS, _WITH_MODELS = 4, 50

_CORS = {
    "allow_methods": ["*"],
    "allow_headers": ["*"],
    "expose_headers": ["x-pagination-total", "x-pagination-next", "content-location"],
}


def _print_key(name: str) -> None:
    """A key, shown this once, and what `trivium.toml` keeps of it."""
    from trivium.app.server.keys import new_key

    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise UsageError(f"a key's name has letters, digits, - and _ alone, not {name!r}")
    key, lines = new_key(name)
    complain(f"the key of {name}, which is shown this once: {key}\nadd to trivium.toml:")
    typer.echo(lines, nl=False)


def check_host(host: str, *, open_to_all: bool, asks: bool = False) -> None:
    """Refuse to listen beyond this machine where anybody could then ask; raises `UsageError`.

    Args:
        host: the address.
        open_to_all: whether the operator said so.
        asks: whether the server asks for a key.
    """
    try:
        local = ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    if not local and not open_to_all and not asks:
        raise UsageError(
            f"{host} is reached from other machines, and nothing here asks who they are: "
            "listen on 127.0.0.1, name keys in trivium.toml ([server.auth]), or say --open if something else asks"
        )


def _check_port(host: str, port: int) -> None:
    """Refuse a port that is taken; `langgraph dev` would quietly take another one, where no client looks."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            raise UsageError(
                f"cannot listen on {host}:{port} ({error}): choose another with --port or --host"
            ) from None


def _check_named(kg: str) -> None:
    from trivium.nodes.run.access import read_policy

    names = read_policy(Path("trivium.toml")).kgs
    if kg not in names:
        raise UsageError(
            f"--kg {kg!r} is not a name in trivium.toml; add [kg.{kg}] with its path, or use {', '.join(names)}"
        )


def register(app: typer.Typer) -> None:
    """Add `serve` to the command line."""
    app.command("serve")(serve)
