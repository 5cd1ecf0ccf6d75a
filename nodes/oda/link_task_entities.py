"""Stage `link_task_entities`: the entities that the question starts from.

They are "the entities embedded within the question" (ODA, section 2.1), given by the client or found by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from trivium.kg.text import fold_name
from trivium.nodes.keqing.decompose.whole import made_whole
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.state import OdaState
from trivium.nodes.run.conversation import begun, question_of, topics_of
from trivium.nodes.run.usage import fresh_channels
from trivium.tools.find_task_entities import TaskEntities, find_task_entities, question_kind
from trivium.tools.get_labels import get_labels
from trivium.tools.resolve_entities import resolve_entities


async def link_task_entities(state: OdaState, runtime: Runtime[OdaContext]) -> dict[str, Any]:
    """Begin a run: its topics, an empty memory, no action yet.

    Raises:
        UsageError, ModelError: the question or the settings cannot be used.
        UnknownEntityError: a given topic is not an entity of the KG.
    """
    kg, given = runtime.context.kg, topics_of(state)
    whole = await made_whole(question_of(state), state, kg, "link_task_entities", topics=given)
    question = whole.question
    fresh = begun(state, question)
    topics = list(dict.fromkeys(await resolve_entities(kg, given) if given else whole.about))
    # Of given topics no other is wanted, but a fact about two entities is checked against what else it names.
    is_fact = question_kind(question) == "fact"
    wanted = not whole.unclear and (not topics or is_fact or (not given and whole.named))
    found = await find_task_entities(kg, whole.of_one, topics) if wanted else TaskEntities({}, [])
    linked, mentions = found
    named = [entity for entity in linked if entity not in topics] if topics else []
    if not topics or (whole.about and not is_fact):  # what a follow-up names besides is a condition
        topics, named = [*topics, *(entity for entity in linked if entity not in topics)], []
    step = {"stage": "link_task_entities", "topics": topics, "named": named, "given": bool(given)}
    return {
        **fresh,
        **whole.channels,
        **fresh_channels(state, noted=whole.events),
        "topics": topics,
        "named": named,
        "namesakes": {entity: same for entity, same in linked.items() if len(same) > 1},
        "mentions": mentions,
        "task_entities": topics,
        "iteration": 0,
        "action": None,
        "proposed": None,
        "history": [],
        "memory": [],
        "facts": [],
        "log": Overwrite([{**step, "links": await _links(linked, mentions, kg)} if mentions else step]),
    }


async def _links(linked: Iterable[str], mentions: Sequence[str], kg: str) -> dict[str, list[dict[str, str]]]:
    """For each mention the entity that it was taken for; a name like it is no exact one."""
    ids = list(linked)
    told = zip(mentions, ids, await get_labels(kg, ids), strict=False)
    return {
        mention: [{"id": key, "label": label, "match": "exact" if fold_name(mention) == fold_name(label) else "fuzzy"}]
        for mention, key, label in told
    }
