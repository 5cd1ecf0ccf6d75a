"""A FastAPI product that embeds the graphs: its users, its threads in SQLite, its routes.

cd examples/fastapi_product && pip install "trivium" fastapi langgraph-checkpoint-sqlite && uvicorn app.main:app
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, HTTPException, Request
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from pydantic import BaseModel, Field

from trivium import RequestError, own_runs
from trivium.graphs.keqing import builder
from trivium.nodes.keqing.context import KeqingContext

KG = os.environ.get("PRODUCT_KG", "sample")
FILE = os.environ.get("PRODUCT_THREADS", "threads.sqlite")


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """One file holds the checkpoints; it outlives the process, kill -9 included."""
    async with AsyncSqliteSaver.from_conn_string(FILE) as saver:
        app.state.graph = builder.compile(saver, name="keqing")
        yield


app = FastAPI(title="Film desk", lifespan=lifespan)


def user(x_user: Annotated[str, Header(pattern=r"^[a-z]{1,32}$")]) -> str:
    """Whoever the product's own login says; a header here."""
    return x_user


class Turn(BaseModel):
    """A turn of a conversation."""

    text: str = Field(min_length=1, max_length=1_000)


def _thread(user: str, name: str) -> RunnableConfig:
    """A user's thread: the record is its id, which has the user in it, so nobody reaches another's."""
    return RunnableConfig(configurable={"thread_id": f"{user}/{name}"})


@app.post("/threads/{name}/questions")
async def ask(request: Request, name: str, question: Turn, who: Annotated[str, Depends(user)]) -> dict[str, Any]:
    """Answer, with the paths that prove it."""
    asked = {"messages": [{"role": "user", "content": question.text}]}
    try:
        with own_runs():  # the product chose the KG, not its client
            told = await request.app.state.graph.ainvoke(asked, _thread(who, name), context=KeqingContext(kg=KG))
    except RequestError as error:
        raise HTTPException(422, str(error)) from None
    return {"text": told["messages"][-1].text, "paths": told["answer"]["paths"], "why": told["answer"]["stop_reason"]}


@app.get("/threads/{name}")
async def thread(request: Request, name: str, who: Annotated[str, Depends(user)]) -> list[dict[str, str]]:
    """What was said."""
    state = await request.app.state.graph.aget_state(_thread(who, name))
    if not state.values:
        raise HTTPException(404, "no such thread")
    return [{"role": message.type, "text": message.text} for message in state.values["messages"]]
