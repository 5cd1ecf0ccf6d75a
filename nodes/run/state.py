"""What the stages of every method hand on: ids and short paths, never subgraphs, so that a checkpoint stays small.

A method's own state extends `RunState` and stands in `nodes/METHOD/state.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from pydantic import ConfigDict, GetJsonSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema
from typing_extensions import TypedDict, get_original_bases, is_typeddict

from trivium.nodes.run.abstain import Stop
from trivium.nodes.run.usage import Usage, add_drawings, add_events, add_usage, newest

T = TypeVar("T")

_BY_DOCSTRINGS = ConfigDict(use_attribute_docstrings=True)


def described(kind: type[T]) -> type[T]:
    """Decorate a TypedDict, which can have no base but others of its kind."""
    bases = list(filter(is_typeddict, get_original_bases(kind)))
    made: Any = kind
    made.__pydantic_config__ = _BY_DOCSTRINGS
    made.__get_pydantic_json_schema__ = lambda core, handler: _with_inherited(core, handler, bases)
    return kind


def _with_inherited(core: CoreSchema, handler: GetJsonSchemaHandler, bases: Iterable[type]) -> dict[str, Any]:
    made = handler(core)
    own = handler.resolve_ref_schema(made)["properties"]
    for base in bases:
        for name, field in TypeAdapter(base).json_schema()["properties"].items():
            own[name].setdefault("description", field.get("description", ""))
    return made


Step = tuple[str, str, str, bool]
"""A walked triple: head, relation, tail, inverse."""


@described
class QuestionInput(TypedDict, total=False):
    """A question, as text or as the last message of a chat."""

    messages: Annotated[list[AnyMessage], add_messages]
    """A chat; a human message at its end is the question, and is answered by a message."""
    question: str
    """The question in words, where no message asks it."""
    topic_entities: list[str]
    """Entities it is about, ids or labels, where the client knows them; else they are found in the question.

    The first stage sees them; a thread's next question does not.
    """
    previous: dict[str, Any] | None
    """The typed answer before, for a question that follows up on it ("and who starred in them?") where no thread
    keeps it."""


class FollowUp(TypedDict):
    """How a question that goes on from the last answers is answered by a method that reads it as a whole."""

    asked: str
    """The question as it was asked; the state's `question` points to nothing."""
    of_one: str
    """The state's `question`, about the first of `about` alone."""
    about: list[str]
    """What is meant, ids: any one of them, the first in the question's words; empty where those name it."""
    among: list[str]
    """The last answers among which the question asks, ids; empty where it asks among all that there are."""
    besides: list[str]
    """What it asks for others than, ids ("what other films did he direct?")."""
    unclear: str
    """Why nothing is claimed, where it cannot be said what is meant."""


class RunState(QuestionInput, total=False):
    """What the states of all methods have."""

    ui: Annotated[list[dict[str, Any]], add_drawings]
    """What a chat draws below its messages, by LangGraph's generative UI; of the last 20 answers."""

    remembered: dict[str, Any] | None
    """The last answers that a question may follow up on, as `previous`: those before a question that had none."""
    follow_up: FollowUp | None
    """How ODA and KnowGPT answer a question that goes on from the last answers; none for any other."""
    settings: dict[str, Any]
    """The run's settings, so that it goes on with them after an interrupt or from a checkpoint, where a server does
    not hand them on (`trivium.graphs.stage`)."""
    started: float
    """When the first stage began, seconds since the epoch."""
    usage: Annotated[Usage, add_usage]
    """What this run's stages have spent on the model; empty without one. The first stage empties it."""
    events: Annotated[list[dict[str, Any]], add_events]
    """What happened on the way of this run that a user should know; the first stage empties it."""
    stopped: Annotated[Stop | None, newest]
    """What stopped the run from outside, such as the end of the question's time; its last stage says so."""
    found: Annotated[dict[str, Any], newest]
    """What the last stage found, in short; for those who watch a server's run."""
    answer: dict[str, Any]
    """The typed result (`trivium.nodes.run.answer_record`)."""


@described
class AnswerOutput(TypedDict, total=False):
    """The answer, typed, and as a message where a message asked."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The chat with its answer: in prose, with its evidence."""
    ui: Annotated[list[dict[str, Any]], add_drawings]
    """The paths of the answer for the UI component `paths`, which draws them."""
    found: Annotated[dict[str, Any], newest]
    """What the last stage found, in short: in the stream of updates, what each stage found."""
    answer: dict[str, Any]
    """The typed result, in the shape of the contract."""
