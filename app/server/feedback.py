"""`POST /feedback`: a thumb for a run reaches KnowGPT's bandit and, where runs are traced there, LangSmith."""

from __future__ import annotations

import asyncio
import json
import logging
from functools import cache
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID, uuid5

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from trivium.app.server.gate import KEY
from trivium.app.server.keys import LOCAL, Key
from trivium.kg.errors import BadInputError, RequestError, TriviumError, UsageError
from trivium.knowledge.knowledge import open_knowledge
from trivium.nodes.run.access import check_policy
from trivium.nodes.run.context import Context
from trivium.tools.registry import call_tool, parse_call

if TYPE_CHECKING:
    from langsmith import Client

log = logging.getLogger("trivium.server")

COMPLETION = "chatcmpl-"
"""What the id of a completion of `/v1` begins with; behind it stands the run's id."""

_FEEDBACK = "trivium-thumb"  # LangSmith's key of it


class Thumb(BaseModel):
    """What a client sends.

    Attributes:
        run: what the answer's step `select_prompt` names, for the bandit.
        trace: the id of LangGraph's run, or of a completion of `/v1`, for LangSmith; by default `run`.
        thumb: whether the run was right.
        kg: the KG that it asked; by default the server's.
    """

    model_config = ConfigDict(extra="forbid")

    run: str | None = None
    trace: str | None = None
    thumb: Literal["up", "down"]
    kg: str | None = None

    @model_validator(mode="after")
    def _names_one(self) -> Thumb:
        if not self.run and not self.trace:
            raise ValueError("name a run or a trace")
        return self

    @property
    def traced(self) -> UUID | None:
        """The run's id in a trace; None where neither id can be one."""
        try:
            return UUID((self.trace or self.run or "").removeprefix(COMPLETION))
        except ValueError:
            return None


async def feedback(request: Request) -> Response:
    """`POST /feedback`: `{"run", "thumb": "up" | "down", "kg", "trace"}` says whether a run was right, once.

    ---
    summary: Say whether a run was right
    tags: [Trivium]
    responses: {200: {description: whether it was counted, and whether LangSmith has it}}
    """
    key: Key = request.scope.get(KEY, LOCAL)
    try:
        given = Thumb.model_validate(json.loads(await request.body()))
        kg = given.kg or Context().kg
        check_policy(Context(kg=kg))
        if key.kgs is not None and kg not in key.kgs:
            raise UsageError(f"this key may use kg {', '.join(key.kgs)}")
        counted = await _count(given.run, given.thumb, kg) if given.run else {"run": given.trace, "counted": False}
    except ValidationError as error:
        return JSONResponse({"detail": "; ".join(each["msg"] for each in error.errors())}, 422)
    except (ValueError, RecursionError):
        return JSONResponse({"detail": "not a JSON object"}, 422)
    except (RequestError, BadInputError) as error:
        return JSONResponse({"detail": str(error)}, 422)
    except TriviumError as error:
        return JSONResponse({"detail": type(error).__name__}, 500)
    return JSONResponse({**counted, "langsmith": await _send(given.traced, given.thumb)})


routes = [Route("/feedback", feedback, methods=["POST"])]


async def _count(run: str, thumb: str, kg: str) -> dict[str, Any]:
    """Count it for the bandit; raises `UsageError` for a run that it does not know."""
    asked = json.dumps({"run": run, "thumb": thumb})
    counted: dict[str, Any] = await call_tool("feedback", parse_call("feedback", asked), await open_knowledge(kg))
    return counted


async def _send(run: UUID | None, thumb: str) -> bool:
    """Send it to LangSmith, where runs are traced there; whether it has arrived."""
    from langsmith.utils import tracing_is_enabled

    if run is None or tracing_is_enabled() is not True:
        return False
    return await asyncio.to_thread(_send_now, run, thumb)


def _send_now(run: UUID, thumb: str) -> bool:
    from langsmith.utils import LangSmithError
    from requests import RequestException

    client = _langsmith()
    try:
        client.create_feedback(
            run,
            _FEEDBACK,
            score=float(thumb == "up"),
            # Of the run's own id: a thumb that is sent again takes the first one's place.
            feedback_id=uuid5(run, _FEEDBACK),
            session_id=_project(),
            stop_after_attempt=2,
        )
    except (LangSmithError, RequestException, ValueError) as error:
        log.warning("LangSmith does not take the feedback (%s)", type(error).__name__)
        return False
    return True


@cache
def _langsmith() -> Client:
    from langsmith import Client

    return Client(auto_batch_tracing=False)


@cache
def _project() -> UUID:
    """The project that traces go to; a newer LangSmith finds a run only within it."""
    from langsmith.utils import get_tracer_project

    found: UUID = _langsmith().read_project(project_name=get_tracer_project()).id
    return found
