"""The page at `/app/`: plain HTML, CSS and JavaScript, and the little that it asks beside LangGraph's API.

The page asks through threads and runs of LangGraph's own API: threads are its history, each key sees its own, a
checkpoint is where an edited reading goes on from, and it works unchanged on any server of that API. What has no
thread (the graph's examples, an entity's neighbors, labels) is answered here, in process.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from trivium.app.server.gate import KEY
from trivium.app.server.keys import LOCAL, Key
from trivium.graphs.methods import METHODS
from trivium.kg.catalog import SETTINGS_FILE
from trivium.kg.errors import BadInputError, RequestError, TriviumError, UsageError
from trivium.kg.indexes.words import own_words, relation_words
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.nodes.run.access import check_policy, read_policy
from trivium.nodes.run.context import Context
from trivium.policies.reader.chains.natural import plural
from trivium.tools.describe_entities import describe_entities
from trivium.tools.example_questions import example_questions
from trivium.tools.find_entities import find_entities
from trivium.tools.neighbors import neighbors
from trivium.tools.resolve_entities import resolve_entities

FILES = Path(__file__).parent / "static"
"""What a browser loads."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}
"""Of every file of the page: nothing inline, nothing from elsewhere, in nobody's frame."""

_EXAMPLES = 24
_MOST_IDS = 500
_MOST_NEIGHBORS = 200
_TYPES = 12


class _Files(StaticFiles):
    """The page's files with its headers."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or what is wrong as JSON."""
        try:
            return await super().get_response(path, scope)
        except HTTPException as error:  # whatever serves our routes need not know Starlette's
            return JSONResponse({"detail": error.detail}, error.status_code)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """The file with the page's headers."""
        response = super().file_response(*args, **kwargs)
        response.headers.update(HEADERS)
        return response


async def _home(request: Request) -> Response:
    """`/app` is `/app/`: the page's own addresses are relative, so that it may lie behind a prefix.

    ---
    summary: The page
    tags: [Trivium]
    responses: {200: {description: a redirection}}
    """
    del request
    return RedirectResponse("app/", 307)


async def _offer(request: Request) -> Response:
    """`GET /app/api/offer`: the methods, KGs and models that the request's key may choose, the default first.

    ---
    summary: What a run may name
    tags: [Trivium]
    responses: {200: {description: methods, KGs and models}}
    """
    key: Key = request.scope.get(KEY, LOCAL)
    policy, default = read_policy(Path(SETTINGS_FILE)), Context().kg
    kgs = [kg for kg in policy.kgs if key.kgs is None or kg in key.kgs]
    kgs.sort(key=lambda name: name != default)
    models = [model for model in policy.models if key.models is None or model in key.models]
    return JSONResponse({"methods": list(METHODS), "kgs": kgs, "models": models})


async def _graph(kg: Knowledge, given: dict[str, Any]) -> dict[str, Any]:
    """`POST /app/api/graph`, `{"kg"}`: how much the KG holds, its relations in words, questions that it can answer."""
    del given
    info, schema = await kg.store.info(), await kg.store.schema()
    questions = await example_questions.operation(kg, _EXAMPLES)
    types: dict[str, None] = {}
    for relation in schema:
        first = (*relation.head_types[:1], *relation.tail_types[:1])
        types.update(dict.fromkeys(plural(relation_words(each)) for each in first if each.strip()))
    return {
        "entities": info.entities,
        "triples": info.triples,
        "types": list(types)[:_TYPES],
        "relations": [
            {"name": each.name, "words": own_words(each.name) or each.name, "value": each.kind is not None}
            for each in schema
        ],
        "questions": [{"question": each.question, "kind": each.kind} for each in questions],
    }


async def _labels(kg: Knowledge, given: dict[str, Any]) -> dict[str, Any]:
    """`POST /app/api/labels`, `{"kg", "ids"}`: label and types of each id that is an entity."""
    ids = given.get("ids")
    if not isinstance(ids, list) or len(ids) > _MOST_IDS or not all(isinstance(each, str) for each in ids):
        raise UsageError(f"ids must be a list of at most {_MOST_IDS} ids")
    return {"entities": await _described(kg, ids)}


async def _neighbors(kg: Knowledge, given: dict[str, Any]) -> dict[str, Any]:
    """`POST /app/api/neighbors`, `{"kg", "entity", "limit"}`: the triples around an entity, and what they name."""
    entity, limit = given.get("entity"), given.get("limit", 60)
    if not isinstance(entity, str) or not entity:
        raise UsageError("entity must be an id or a label")
    if type(limit) is not int or not 1 <= limit <= _MOST_NEIGHBORS:
        raise UsageError(f"limit must be a whole number from 1 to {_MOST_NEIGHBORS}")
    (id_,) = await resolve_entities.operation(kg, [entity])
    (found,) = await neighbors.operation(kg, [id_], limit=limit + 1)
    shown = found[:limit]
    names = dict.fromkeys(name for triple in shown for name in (triple.head, triple.tail))
    return {
        "entity": id_,
        "triples": [{"head": each.head, "relation": each.relation, "tail": each.tail} for each in shown],
        "more": len(found) > limit,
        "entities": await _described(kg, [id_, *names]),
    }


async def _find(kg: Knowledge, given: dict[str, Any]) -> dict[str, Any]:
    """`POST /app/api/find`, `{"kg", "text"}`: entities of a name or one like it."""
    text = given.get("text")
    if not isinstance(text, str) or not 1 <= len(text) <= _MOST_IDS:
        raise UsageError(f"text must be a name of at most {_MOST_IDS} characters")
    (hits,) = await find_entities.operation(kg, [text], 8, meaning=False)
    return {"entities": [{"id": each.id, "label": each.label} for each in hits]}


async def _described(kg: Knowledge, ids: Iterable[str]) -> dict[str, Any]:
    wanted = list(dict.fromkeys(ids))
    found = await describe_entities.operation(kg, wanted, relations=False) if wanted else []
    return {each.id: {"label": each.label, "types": list(each.types)} for each in found if each is not None}


_Read = Callable[[Knowledge, dict[str, Any]], Awaitable[dict[str, Any]]]


def _post(name: str, read: _Read) -> Route:
    """A route that reads a KG which the request names, where its key may."""

    async def answer(request: Request) -> Response:
        key: Key = request.scope.get(KEY, LOCAL)
        try:
            given = json.loads(await request.body())
            if not isinstance(given, dict):
                raise UsageError("the body must be a JSON object")
            kg = given.get("kg", Context().kg)
            check_policy(Context(kg=kg))
            if key.kgs is not None and kg not in key.kgs:
                raise UsageError(f"this key may use kg {', '.join(key.kgs)}")
            return JSONResponse(await read(await open_knowledge(kg), given))
        except (RequestError, BadInputError) as error:
            return JSONResponse({"detail": str(error)}, 422)
        except (ValueError, RecursionError):
            return JSONResponse({"detail": "the body is not JSON"}, 422)
        except TriviumError as error:
            return JSONResponse({"detail": type(error).__name__}, 500)

    return Route(f"/app/api/{name}", answer, methods=["POST"])


routes: list[BaseRoute] = [
    Route("/app", _home),
    Route("/app/api/offer", _offer),
    _post("graph", _graph),
    _post("labels", _labels),
    _post("neighbors", _neighbors),
    _post("find", _find),
    Mount("/app", _Files(directory=FILES, html=True)),
]
