"""What was fine-tuned, for answering: greedy generation, the decomposer and the candidate reasoner.

`TRIVIUM_LORA_SERVER` is the base URL of an OpenAI-compatible server of the merged model and `TRIVIUM_LORA_MODEL` the
model's name there; both are the operator's, in the environment, and `TRIVIUM_LORA_KEY` where the server wants one. Then
`decompose=lora` needs neither torch nor an adapter on this machine.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from trivium.kg.errors import ModelError
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.memory import Memory
from trivium.kg.store import GraphStore
from trivium.kg.text import fold_name, tokens
from trivium.kg.types import EntityHit, Hop, schema_hops
from trivium.policies.lora.examples import (
    chains_prompt,
    decompose_prompt,
    read_answers,
    read_chains,
    read_decomposition,
    reason_prompt,
)
from trivium.policies.lora.model import BaseModel, open_adapter, quiet
from trivium.policies.lora.train import prompt_ids
from trivium.policies.reader.chains.artifact import DECOMPOSER, load_decomposer
from trivium.policies.reader.chains.compact_decomposer import Habits, Phrases
from trivium.policies.reader.chains.decomposer import NO_DEPENDENCY, Decomposition, SubQuestion
from trivium.policies.reader.chains.phrasing import has_exclusion_cue
from trivium.policies.reader.chains.templates import TemplateIndex, schema_template

_lock = threading.Lock()  # one generation at a time: two on the same cores or the same card only slow each other


class Generated(NamedTuple):
    """A generated text without its end mark, and the geometric mean of its tokens' probabilities, in [0, 1]."""

    text: str
    confidence: float


def generate(base: BaseModel, prompts: Sequence[str], max_new_tokens: int = 512) -> list[Generated]:
    """The most probable continuation of each prompt, token by token; blocks, and takes turns with other threads."""
    import torch
    from transformers import LogitsProcessorList

    if not prompts:
        return []

    # Not `output_scores`: the whole vocabulary's scores of all steps at once take gigabytes.
    likeliest: list[torch.Tensor] = []

    def watch(_: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Keep the log-probability of the token that greedy generation takes; changes no score."""
        likeliest.append(scores.float().log_softmax(-1).amax(-1))
        return scores

    rows = [prompt_ids(prompt, base.tokenizer) for prompt in prompts]
    longest = max(map(len, rows))
    pad = base.tokenizer.pad_token_id
    # Padded on the left: generation goes on from the last column.
    ids = torch.tensor([[pad] * (longest - len(row)) + row for row in rows], device=base.device)
    mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows], device=base.device)
    with _lock, quiet(), torch.inference_mode():
        out = base.model.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=max_new_tokens,
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            pad_token_id=pad,
            eos_token_id=base.tokenizer.eos_token_id,
            logits_processor=LogitsProcessorList([watch]),
        )
        said = out[:, longest:]
        chosen = torch.stack(likeliest, dim=1).cpu()
    texts = []
    for row, scores in zip(said.tolist(), chosen, strict=True):
        end = row.index(base.tokenizer.eos_token_id) if base.tokenizer.eos_token_id in row else len(row)
        text = base.tokenizer.decode(row[:end], skip_special_tokens=True)
        sure = float(scores[: end + 1].mean().exp())
        texts.append(Generated(text, sure))
    return texts


_TOGETHER = 64  # prompts that are continued at once
_REMEMBERED = 4_000_000  # bytes of prompts and what was said to them
_CANDIDATES = 10  # entities considered for a mention

Speak = Callable[[Sequence[str]], Sequence[Generated]]
"""What a model says to each prompt; blocks."""

ReadWritten = Callable[[str], tuple[SubQuestion, ...]]
"""The sub-questions in what a model wrote; empty where it cannot be read."""


def speaker(base: BaseModel) -> Speak:
    """What a fine-tuned model says: prompts of like length are continued together, and what was said is remembered."""
    said: Memory[str, Generated] = Memory(_REMEMBERED)

    def speak(prompts: Sequence[str]) -> list[Generated]:
        found = {prompt: said.get(prompt) for prompt in prompts}
        new = sorted((prompt for prompt, known in found.items() if known is None), key=len)
        for start in range(0, len(new), _TOGETHER):
            part = new[start : start + _TOGETHER]
            for prompt, one in zip(part, generate(base, part), strict=True):
                found[prompt] = one
                said.put(prompt, one)
        return [text for prompt in prompts if (text := found[prompt]) is not None]

    return speak


@dataclass(frozen=True)
class LoraDecomposer:
    """A fine-tuned model that writes sub-questions, or logical chains, with the templates that words are matched to.

    Attributes:
        speak: the model.
        templates: the KG's; the nearest one of a sub-question in words says which relation its mention has to have.
        habits: when a question's topic is not an answer, which table 1 does not write down.
        prompt: the prompt of a question.
        read: the sub-questions in what the model writes.
    """

    speak: Speak
    templates: TemplateIndex
    habits: Habits
    prompt: Callable[[str], str] = decompose_prompt
    read: ReadWritten = read_decomposition
    name: str = "lora"

    async def decompose(self, question: str, store: GraphStore, topic_entities: Sequence[str] = ()) -> Decomposition:
        """Decompose one question; empty where the model writes no decomposition that can be read."""
        (said,) = await asyncio.to_thread(self.speak, [self.prompt(question)])
        subs = self.read(said.text)
        if not subs:
            return Decomposition((), confidence=said.confidence)
        hops = [sub.chain or self.templates.match([sub.question], 1)[0][0].template.chains[0] for sub in subs]
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


@dataclass(frozen=True, slots=True)
class ReasonerChoice:
    """Which candidates the model takes.

    Attributes:
        ids: of the candidates that it named, in its order.
        invented: what it named beside them, dropped: only a candidate may be an answer.
    """

    ids: tuple[str, ...]
    invented: tuple[str, ...]


@dataclass(frozen=True)
class LoraReasoner:
    """A fine-tuned model that reads a sub-question's triples as text and names the answers."""

    speak: Speak

    async def choose(self, questions: Sequence[ReasonerQuestion]) -> list[ReasonerChoice]:
        """The answers to several sub-questions at once, each among its own candidates."""
        prompts = [reason_prompt(asked.question, asked.triples) for asked in questions]
        said = await asyncio.to_thread(self.speak, prompts)
        return [_chosen(read_answers(text.text), asked.candidates) for text, asked in zip(said, questions, strict=True)]


@dataclass(frozen=True, slots=True)
class ReasonerQuestion:
    """A sub-question in words without a mask, its triples serialized as text, and its candidates: id -> label."""

    question: str
    triples: tuple[str, ...]
    candidates: Mapping[str, str]


def _chosen(said: Sequence[str], candidates: Mapping[str, str]) -> ReasonerChoice:
    """Names become candidates by their folded label; namesakes are all meant."""
    named: dict[str, list[str]] = {}
    for key, label in candidates.items():
        named.setdefault(fold_name(label), []).append(key)
    ids = [key for name in said for key in named.get(fold_name(name), ())]
    invented = [name for name in said if fold_name(name) not in named]
    return ReasonerChoice(tuple(dict.fromkeys(ids)), tuple(dict.fromkeys(invented)))


async def open_lora_decomposer(base: KnowledgeBase, templates: TemplateIndex) -> LoraDecomposer:
    """The decomposer of a KG, from its adapter or from the server that the environment names.

    Raises:
        ModelError, NotLearnedError, CorruptError, VersionError: as `open_adapter` and `served`.
    """
    speak = served() or speaker(await asyncio.to_thread(open_adapter, base.path, "decompose"))
    _, habits = await _words(base)
    return LoraDecomposer(speak, templates, habits)


async def open_lora_chains(base: KnowledgeBase, templates: TemplateIndex) -> LoraDecomposer:
    """The decomposer of a KG that writes logical chains (figure 6), from its adapter; raises as `open_adapter`."""
    speak = speaker(await asyncio.to_thread(open_adapter, base.path, "chains"))
    phrases, habits = await _words(base)
    words = {hop: schema_template(hop).text for hop in schema_hops(await base.store.schema())}
    words |= {hop: text for hop, text in phrases.items() if hop in words}
    return LoraDecomposer(speak, templates, habits, chains_prompt, partial(read_chains, phrases=words))


async def _words(base: KnowledgeBase) -> tuple[Phrases, Habits]:
    """What was learned of each hop's words, and of when a question's topic is no answer."""
    if not DECOMPOSER.exists(base.learnt):
        return {}, {}
    trained = await asyncio.to_thread(load_decomposer, base.learnt, base.embedder)
    return trained.phrases, trained.habits


async def open_lora_reasoner(base: KnowledgeBase) -> LoraReasoner:
    """The candidate reasoner of a KG; raises as `trivium.policies.lora.model.open_adapter` does."""
    return LoraReasoner(speaker(await asyncio.to_thread(open_adapter, base.path, "reason")))


log = logging.getLogger("trivium.lora")

SERVER, MODEL, KEY = "TRIVIUM_LORA_SERVER", "TRIVIUM_LORA_MODEL", "TRIVIUM_LORA_KEY"
_SECONDS = 60.0


def served() -> Callable[[Sequence[str]], list[Generated]] | None:
    """What a server says to each prompt, where the environment names one; raises `ModelError` where half is missing."""
    url, model = os.environ.get(SERVER), os.environ.get(MODEL)
    if not url:
        return None
    if not model:
        raise ModelError(f"{SERVER} is set and {MODEL} is not: name the model as that server calls it")

    def speak(prompts: Sequence[str]) -> list[Generated]:
        return [_ask(url, model, prompt) for prompt in prompts]

    return speak


def _ask(url: str, model: str, prompt: str) -> Generated:
    """One greedy completion; nothing, with a warning, where the server fails: the run goes on without it."""
    from openai import OpenAI, OpenAIError

    try:
        # The merged model's chat template hands the message on as it is.
        client = OpenAI(base_url=url, api_key=os.environ.get(KEY) or "none", timeout=_SECONDS, max_retries=1)
        with client:
            reply = client.chat.completions.create(
                model=model,
                messages=[{"role": "user", "content": prompt}],
                temperature=0,
                max_tokens=512,
                logprobs=True,
            )
    except OpenAIError as error:
        log.warning("the fine-tuned model's server failed: %s", type(error).__name__)
        return Generated("", 0.0)
    if not reply.choices:
        return Generated("", 0.0)
    choice = reply.choices[0]
    tokens = (choice.logprobs.content if choice.logprobs else None) or []
    sure = math.exp(sum(token.logprob for token in tokens) / len(tokens)) if tokens else 0.0
    return Generated(choice.message.content or "", sure)
