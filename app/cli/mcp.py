"""`trivium mcp`: a KG for any agent, over the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from trivium.kg.errors import UsageError


def mcp(
    kg: Annotated[str, typer.Option(help="A KG directory, name or URI; without it, the bundled sample.")] = "sample",
    method: Annotated[str, typer.Option(help="auto, keqing, knowgpt, oda")] = "auto",
    model: Annotated[str, typer.Option(help="A chat model, such as openai:gpt-4o-mini, or none.")] = "none",
    http: Annotated[
        bool, typer.Option("--http", help="Serve on http://HOST:PORT/mcp; else on stdin and stdout.")
    ] = False,
    host: Annotated[str, typer.Option(help="The address to listen on with --http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on with --http.")] = 8000,
    open_to_all: Annotated[
        bool, typer.Option("--open", help="Listen beyond this machine, though nobody is asked for a key.")
    ] = False,
) -> None:
    """Offer a KG to agents: questions with proofs, and steps through the graph."""
    try:
        from trivium.app.server.mcp import make_server
    except ModuleNotFoundError as error:
        raise UsageError(f"trivium mcp needs the package {error.name}: pip install 'trivium[mcp]'") from None
    import asyncio

    from trivium.app.cli.serve import check_host

    if http:
        check_host(host, open_to_all=open_to_all)

    async def run() -> None:
        server = await make_server(kg, method=method, model=model)
        await (server.run_streamable_http_async(host=host, port=port) if http else server.run_stdio_async())

    asyncio.run(run())


def register(app: typer.Typer) -> None:
    """Add `mcp` to the command line."""
    app.command("mcp")(mcp)
