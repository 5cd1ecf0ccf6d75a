"""Stage `link_task_entities`: the entities that the question starts from.

They are "the entities embedded within the question" (ODA, section 2.1), given by the client or found by name.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.indexes import own_words
from trivium.kg.types import EntityHit
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.nodes.keqing.decompose import check_question
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.state import OdaState
from trivium.nodes.run.context import check_context
from trivium.nodes.run.conversation import asked, question_of
from trivium.nodes.run.usage import fresh_channels
from trivium.policies.keqing.mentions import DEFAULT_MENTION_MODEL, Mention, Question, find_mentions, mention_features
from trivium.policies.keqing.similar_mentions import find_similar
from trivium.policies.question_kind import ASKING_WORDS, FUNCTION_WORDS, question_kind
from trivium.policies.similarity_choice import SimilarityChoice
from trivium.tools.find_entities import resolve

_TOPICS = 4  # entities that a question starts from at most
_NAMESAKES = 5  # entities of one name that are looked at
_TYPE_WORTH = 0.2  # cosine that a namesake gains whose type the question names ("the prefecture Tokyo")
_KNOWN = FUNCTION_WORDS | ASKING_WORDS


async def link_task_entities(state: OdaState, runtime: Runtime[OdaContext]) -> dict[str, Any]:
    """Begin a run: its topics, an empty memory, no action yet.

    Raises:
        UsageError, ModelError: the question or the settings cannot be used.
        UnknownEntityError: a given topic is none of the KG's.
    """
    started = time.time()
    await check_context(runtime.context)
    question = question_of(state)
    check_question(question)
    knowledge = await open_knowledge(runtime.context.kg)
    given = state.get("topic_entities") or []
    topics = list(dict.fromkeys(await resolve(knowledge.base, given))) if given else []
    # Of given topics no other is wanted, but a fact about two entities is checked against what else it names.
    wanted = not topics or question_kind(question) == "fact"
    linked, mentions = await _linked(question, knowledge, topics) if wanted else ({}, [])
    named = [entity for entity in linked if entity not in topics] if topics else []
    topics = topics or list(linked)
    return {
        **asked(state, question),
        **fresh_channels(state),
        "started": started,
        "topic_entities": [],
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
        "log": [{"stage": "link_task_entities", "topics": topics, "named": named, "given": bool(given)}],
    }


async def _linked(question: str, knowledge: Knowledge, topics: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """The entities that the question names, in its order, with their namesakes; and the words by which it names them.

    Of namesakes it is a given topic, or the one that the question says most about.
    """
    store = knowledge.store
    (read,) = await find_mentions([question], store, _KNOWN)
    if not read.mentions:  # a misspelt name, perhaps: the likeliest span alone
        relations = {word for relation in await store.schema() for word in own_words(relation.name).split()}
        read = replace(read, mentions=await find_similar(read, _KNOWN | relations, store))
        mentions = _apart(read)[:1]
    else:
        mentions = _apart(read)
    if not mentions:
        return {}, []
    said = [mention.text for mention in mentions]
    choice = SimilarityChoice(question, said, knowledge.relation_names)
    found: dict[str, list[str]] = {}
    for mention in mentions[:_TOPICS]:
        same = [hit.id for hit in mention.hits[:_NAMESAKES]]
        given = next((hit.id for hit in mention.hits if hit.id in topics), None)
        found[given or await _meant(mention, choice, read.plain, knowledge)] = same
    return found, said


def _apart(question: Question) -> list[Mention]:
    """The likeliest mentions that share no word, in the question's order."""
    odds = DEFAULT_MENTION_MODEL.log_odds(mention_features(question, _KNOWN)).tolist()
    chosen: list[Mention] = []
    for _, mention in sorted(zip(odds, question.mentions, strict=True), key=lambda each: -each[0]):
        if not any(mention.overlaps(other) for other in chosen) and _is_name(mention, question):
            chosen.append(mention)
    return sorted(chosen, key=lambda mention: mention.start)


def _is_name(mention: Mention, question: Question) -> bool:
    """Whether a span is more than words of the question's own: it says the name to the letter, or is the only one."""
    return mention.hits[0].match == "exact" or not any(
        other.hits[0].match == "exact" and other != mention for other in question.mentions
    )


async def _meant(mention: Mention, choice: SimilarityChoice, words: Sequence[str], knowledge: Knowledge) -> str:
    """Which entity of a name is meant: the one of a type that the question names, with a relation that it asks for."""
    hits: Sequence[EntityHit] = mention.hits[:_NAMESAKES]
    if len(hits) == 1:
        return hits[0].id
    ids = [hit.id for hit in hits]
    hops = await knowledge.store.hops(ids)
    entities = await knowledge.store.entities(ids)
    scores = []
    for leaving, entity in zip(hops, entities, strict=True):
        best = choice.best([(hop,) for hop in sorted(leaving)])
        types = {word for kind in (entity.types if entity else ()) for word in kind.casefold().split()}
        scores.append((best[0] if best else -1.0) + _TYPE_WORTH * bool(types & set(words)))
    return ids[max(range(len(ids)), key=lambda place: scores[place])]
