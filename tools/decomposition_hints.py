"""`decomposition_hints`: what helps a chat model take a question apart (Keqing, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from trivium.kg.errors import NotLearnedError
from trivium.kg.indexes.words import relation_words
from trivium.kg.text import tokens
from trivium.kg.types import Hop, schema_hops
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.exemplars import Exemplar
from trivium.policies.reader.chains.mentions import split_question
from trivium.policies.reader.chains.phrasing import has_exclusion_cue
from trivium.policies.reader.chains.similar_mentions import short_for
from trivium.policies.reader.english import classes
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import Count
from trivium.tools.describe_entities import EntityDescription, describe_entities
from trivium.tools.link_text import link_text
from trivium.tools.next_relations import next_relations
from trivium.tools.rank_texts import nearness
from trivium.tools.resolve_entities import resolve_entities
from trivium.tools.word_relations import word_relations

__all__ = ["DecompositionHints", "Exemplar", "RelationHint", "decomposition_hints"]

_OWN, _NEXT = 0.5, 0.2
"""Added to the nearness of a relation that an entity of the question has, and of one that can follow such a one."""
_ENTITIES = 6
_TWO = 2


class DecompositionHintsArguments(Arguments):
    """The entities that a question names, the relations that it may ask about, and questions like it, decomposed."""

    question: str = Field(min_length=1, max_length=10_000, description="the question in words")
    topic_entities: list[str] = Field(default_factory=list, description="entities it is about, ids or labels")
    relations: Count = Field(24, description="maximum number of relations")
    exemplars: Count = Field(4, description="maximum number of questions with their decomposition")


class RelationHint(NamedTuple):
    """A relation in one direction.

    Attributes:
        hop: the relation, and whether it is walked from tail to head.
        starts: types of the entities from which it leads; empty where the graph has none.
        ends: types of those to which it leads.
        wording: a template of a question about it.
        own: whether an entity of the question has it.
    """

    hop: Hop
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    wording: str
    own: bool


class DecompositionHints(NamedTuple):
    """Hints for decomposing one question.

    Attributes:
        entities: those that the question names.
        relations: those that these entities have, and that can come after them, nearest to the question first.
        exemplars: questions with their sub-questions, nearest first.
        excludes: whether the question leaves out what it starts from, as by "other" or "also".
    """

    entities: list[EntityDescription]
    relations: list[RelationHint]
    exemplars: list[Exemplar]
    excludes: bool


@tool(DecompositionHintsArguments)
async def decomposition_hints(
    kg: Knowledge, question: str, topics: Sequence[str] = (), relations: int = 24, exemplars: int = 4
) -> DecompositionHints:
    """What is offered to a model that decomposes a question.

    Args:
        kg: the KG.
        question: in words.
        topics: ids or labels of the entities that it is known to be about; none looks for names in it.
        relations: the most that are offered.
        exemplars: the most that are shown.
    """
    ids = await resolve_entities.operation(kg, topics) if topics else await _linked(kg, question)
    described = [each for each in await describe_entities.operation(kg, ids) if each is not None]
    entities = (described if topics else _named(question, described))[:_ENTITIES]
    offered = await _relations(kg, question, entities, relations)
    shown = await kg.near((await kg.exemplars()).nearest, question, exemplars)
    excludes = has_exclusion_cue([word.text for word in split_question(question)])
    return DecompositionHints(entities, offered, list(shown), excludes)


async def _linked(kg: Knowledge, question: str) -> list[str]:
    """The entities that the question names, and those that a word of it stands for: "French" for France, "UK"."""
    (exact,) = await link_text.operation(kg, [question])
    try:
        initials = (await kg.decomposer()).initials
    except NotLearnedError:
        initials = {}
    said = {word.text for label in await kg.store.labels(exact) for word in tokens(label)}
    found = []
    for word in split_question(question):
        if word.text not in said | classes().unnamed:
            # Two small letters are a word: "go" is no Gary Oldman.
            short = len(word.text) > _TWO or question[word.start : word.end].isupper()
            found.append(await short_for(word.text, kg.store, initials if short else {}))
    return list(dict.fromkeys([*exact, *(hits[0].id for hits in found if hits)]))


def _named(question: str, entities: Sequence[EntityDescription]) -> list[EntityDescription]:
    """The entities without the plain words that name one too ("film"), where others are written with capitals."""
    written = any(each.label in question and each.label != each.label.lower() for each in entities)
    return [each for each in entities if not written or " " in each.label or each.label != each.label.lower()]


async def _relations(
    kg: Knowledge, question: str, entities: Sequence[EntityDescription], most: int
) -> list[RelationHint]:
    """The relations nearest to the question; those of its entities first, then those that can follow them."""
    own = {hop for entity in entities for hop in entity.hops}
    after = set[Hop]().union(*await next_relations.operation(kg, list(own)))
    schema = await kg.store.schema()
    hops = schema_hops(schema)
    wordings = await word_relations.operation(kg, hops)
    texts = [f"{relation_words(hop.relation)} {wordings.get(hop, '')}" for hop in hops]
    near = await nearness(kg, question, texts)
    near += [_OWN if hop in own else _NEXT if hop in after else 0.0 for hop in hops]
    types = {each.name: (tuple(each.head_types), tuple(each.tail_types)) for each in schema}
    order = np.argsort(-near, kind="stable").tolist()
    first = [at for at in order if hops[at] in own][: most * 2 // 3]
    chosen = [hops[at] for at in [*first, *(at for at in order if at not in first)][:most]]
    hints = []
    for hop in chosen:
        heads, tails = types[hop.relation]
        starts, ends = (tails, heads) if hop.inverse else (heads, tails)
        hints.append(RelationHint(hop, starts, ends, wordings.get(hop, ""), hop in own))
    return hints


@decomposition_hints.json
async def _(kg: Knowledge, args: DecompositionHintsArguments) -> Result:
    hints = await decomposition_hints.operation(kg, args.question, args.topic_entities, args.relations, args.exemplars)
    exemplars: list[dict[str, Any]] = [
        {"question": each.question, "sub_questions": list(each.sub_questions)} for each in hints.exemplars
    ]
    return {
        "entities": [{"id": each.id, "label": each.label, "types": list(each.types)} for each in hints.entities],
        "relations": [
            {"relation": str(each.hop), "from": list(each.starts), "to": list(each.ends), "template": each.wording}
            for each in hints.relations
        ],
        "exemplars": exemplars,
    }
