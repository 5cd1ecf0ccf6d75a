"""The third decomposer: a LoRA-tuned causal LM writes the sub-questions, as in the paper (section 3.1, table 1)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from trivium.kg.store import GraphStore
from trivium.kg.templates import TemplateIndex
from trivium.kg.text import fold_name, tokens
from trivium.kg.types import EntityHit, Hop
from trivium.policies.keqing.compact_decomposer import Habits
from trivium.policies.keqing.decomposer import NO_DEPENDENCY, Decomposition, SubQuestion
from trivium.policies.keqing.phrasing import has_exclusion_cue
from trivium.policies.lora.generation import Said
from trivium.policies.lora.prompts import decompose_prompt, read_decomposition

_CANDIDATES = 10  # entities considered for a mention

Speak = Callable[[Sequence[str]], Sequence[Said]]
"""What a model says to each prompt; blocks."""


@dataclass(frozen=True)
class LoraDecomposer:
    """A fine-tuned model with the templates that its sub-questions are matched to.

    Attributes:
        speak: the model.
        templates: the KG's; the nearest one of a sub-question says which relation its mention has to have.
        habits: when a question's topic is no answer, which table 1 does not write down.
    """

    speak: Speak
    templates: TemplateIndex
    habits: Habits
    name: str = "lora"

    async def decompose(self, question: str, store: GraphStore, topic_entities: Sequence[str] = ()) -> Decomposition:
        """Decompose one question; empty where the model writes no decomposition that can be read."""
        (said,) = await asyncio.to_thread(self.speak, [decompose_prompt(question)])
        subs = read_decomposition(said.text)
        if not subs:
            return Decomposition((), confidence=said.confidence)
        hops = [self.templates.match([sub.question], 1)[0][0].template.chains[0] for sub in subs]
        links = await self._links(subs, [chain[0] for chain in hops], store, topic_entities)
        marked = self._exclude(question, subs, [chain[-1] for chain in hops])
        return Decomposition(marked, links, said.confidence)

    async def _links(
        self, subs: Sequence[SubQuestion], first: Sequence[Hop], store: GraphStore, topics: Sequence[str]
    ) -> dict[str, tuple[EntityHit, ...]]:
        """Each mention's entities: given topics first, then those that the template's relation can leave."""
        wanted = {mention: hop for sub, hop in zip(subs, first, strict=True) for mention in _mentions(sub)}
        found = dict(zip(wanted, await store.find(list(wanted), limit=_CANDIDATES), strict=True))
        given = [hits[0] for hits in await store.find(list(topics), fuzzy=False) if hits]
        ids = list({hit.id for hits in found.values() for hit in hits})
        leave = dict(zip(ids, await store.hops(ids), strict=True))
        links = {}
        for mention, hits in found.items():
            meant = [hit for hit in given if _names(mention, hit, hits)] or (given if len(wanted) == 1 else [])
            able = [hit for hit in hits if wanted[mention] in leave[hit.id]]
            if chosen := tuple(meant[:1] or able or hits):
                links[mention] = chosen
        return links  # a mention that no name is like stays open: `link_entities` asks by meaning

    def _exclude(self, question: str, subs: Sequence[SubQuestion], hops: Sequence[Hop]) -> tuple[SubQuestion, ...]:
        """The sub-questions that leave the topic out: by the habit of their pair of hops, else by a cue in words."""
        cue = has_exclusion_cue([token.text for token in tokens(question)])
        out = []
        for sub, hop in zip(subs, hops, strict=True):
            habits = {self.habits.get((hops[dep], hop), "cue") for dep in sub.dep if dep != NO_DEPENDENCY}
            out.append(replace(sub, excludes_used="always" in habits or (cue and "cue" in habits)))
        return tuple(out)


def _mentions(sub: SubQuestion) -> tuple[str, ...]:
    return sub.seed_entities if sub.dep == (NO_DEPENDENCY,) else ()


def _names(mention: str, topic: EntityHit, hits: Sequence[EntityHit]) -> bool:
    """Whether a mention means a given topic."""
    return fold_name(mention) == fold_name(topic.label) or any(hit.id == topic.id for hit in hits)
