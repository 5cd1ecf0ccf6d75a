"""The entities that a question starts from (ODA, section 2.1: "the entities embedded within the question")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from trivium.kg.indexes import own_words, relation_words
from trivium.kg.store import GraphStore
from trivium.kg.text import tokens
from trivium.kg.types import EntityHit
from trivium.policies.oda.similarity_choice import RelationNames, SimilarityChoice
from trivium.policies.reader.chains.lexicon import stem
from trivium.policies.reader.chains.mentions import (
    DEFAULT_MENTION_MODEL,
    Mention,
    SplitQuestion,
    find_mentions,
    mention_features,
)
from trivium.policies.reader.chains.similar_mentions import find_similar
from trivium.policies.reader.english import classes

QuestionKind = Literal["fact", "count", "open"]
"""`fact`: true or false; `count`: how many; `open`: anything else."""


_COUNTING = ("what is the number of", "what was the number of", "number of")


def question_kind(question: str) -> QuestionKind:
    """The kind of a question; a sentence that asks nothing and states something is a fact to check."""
    words = [token.text for token in tokens(question)]
    if not words:
        return "open"
    if " how many " in f" {' '.join(words)} " or " ".join(words).startswith(_COUNTING):
        return "count"
    stated = question.rstrip().endswith(".") and not classes().asks_or_orders.intersection(words[:2])
    return "fact" if words[0] in classes().auxiliaries or stated else "open"


_TOPICS = 4  # entities that a question starts from at most
_NAMESAKES = 5  # entities of one name that are compared
_TYPE_WORTH = 0.2  # cosine that a namesake gains whose type the question names ("the prefecture Tokyo")


class TaskEntities(NamedTuple):
    """The entities that a question names.

    Attributes:
        entities: in the question's order, each with the ids of all entities of its name.
        mentions: the words by which the question names them.
    """

    entities: Mapping[str, list[str]]
    mentions: list[str]


async def find_task_entities(
    question: str, topics: Sequence[str], store: GraphStore, names: RelationNames
) -> TaskEntities:
    """The entities that a question names; of namesakes a given topic, else the one that the question says most about.

    Args:
        question: in words.
        topics: ids of entities that it is known to be about.
        store: the KG's.
        names: the KG's relations, by which namesakes are told apart.
    """
    (read,) = await find_mentions([question], store, classes().unnamed)
    if not read.mentions:  # a misspelt name, perhaps: the likeliest span alone
        relations = {word for relation in await store.schema() for word in own_words(relation.name).split()}
        read = replace(read, mentions=await find_similar(read, classes().unnamed | relations, store))
        mentions = _apart(read)[:1]
    else:
        mentions = _apart(read)
    if len(mentions) > 1:
        mentions = await _without_schema_words(mentions, read, store)
    if not mentions:
        return TaskEntities({}, [])
    texts = [mention.text for mention in mentions]
    choice = names.choice(question, tuple(texts))
    found: dict[str, list[str]] = {}
    for mention in mentions[:_TOPICS]:
        same = [hit.id for hit in mention.hits[:_NAMESAKES]]
        given = next((hit.id for hit in mention.hits if hit.id in topics), None)
        found[given or await _meant(mention, choice, read.plain, store)] = same
    return TaskEntities(found, texts)


async def _without_schema_words(
    mentions: Sequence[Mention], question: SplitQuestion, store: GraphStore
) -> list[Mention]:
    """Without single words that say what is asked for ("country", "actors"), where another name is left.

    A graph of everything names such words too, as a genre or a tag. They are words of its relations' and types' names,
    and written small.
    """
    relations = await store.schema()
    names = [relation.name for relation in relations]
    names += [kind for relation in relations for kind in (*relation.head_types, *relation.tail_types)]
    said = {stem(word) for name in names for word in relation_words(name).split()}
    small = {place for place, word in enumerate(question.words) if question.text[word.start : word.end].islower()}
    asked = {place for place in small if stem(question.plain[place]) in said}
    left = [each for each in mentions if each.stop - each.start > 1 or each.start not in asked]
    return left or list(mentions)


def _apart(question: SplitQuestion) -> list[Mention]:
    """The likeliest mentions that share no word, in the question's order."""
    odds = DEFAULT_MENTION_MODEL.log_odds(mention_features(question, classes().unnamed)).tolist()
    chosen: list[Mention] = []
    for _, mention in sorted(zip(odds, question.mentions, strict=True), key=lambda each: -each[0]):
        if not any(mention.overlaps(other) for other in chosen) and _is_name(mention, question):
            chosen.append(mention)
    return sorted(chosen, key=lambda mention: mention.start)


def _is_name(mention: Mention, question: SplitQuestion) -> bool:
    """Whether a span is more than words of the question's own: it is an exact name, or no other span is one."""
    return mention.hits[0].match == "exact" or not any(
        other.hits[0].match == "exact" and other != mention for other in question.mentions
    )


async def _meant(mention: Mention, choice: SimilarityChoice, words: Sequence[str], store: GraphStore) -> str:
    """Which entity of a name is meant: the one of a type that the question names, with a relation that it asks for."""
    hits: Sequence[EntityHit] = mention.hits[:_NAMESAKES]
    if len(hits) == 1:
        return hits[0].id
    ids = [hit.id for hit in hits]
    hops = await store.hops(ids)
    entities = await store.entities(ids)
    scores = []
    for leaving, entity in zip(hops, entities, strict=True):
        best = choice.best([(hop,) for hop in sorted(leaving)])
        types = {word for kind in (entity.types if entity else ()) for word in kind.casefold().split()}
        scores.append((best[0] if best else -1.0) + _TYPE_WORTH * bool(types & set(words)))
    return ids[max(range(len(ids)), key=lambda place: scores[place])]
