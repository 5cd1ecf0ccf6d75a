"""Training examples from question pairs: decompositions, and candidate reasoning over serialised triples."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

from trivium.kg.indexes import relation_words
from trivium.kg.loaders import Question as Pair
from trivium.kg.store import GraphStore
from trivium.kg.types import Hop, LogicalChain, Triple, WalkedTriple
from trivium.policies.keqing.decomposer import MASK, NO_DEPENDENCY, SubQuestion, generated
from trivium.policies.keqing.pairs import AlignedPair
from trivium.policies.lora.prompts import Example, decompose_prompt, reason_prompt, write_answers, write_decomposition

_RIGHT = 20  # triples that hold an answer, at most, and
_BESIDE = 10  # others around the same entities, for one reasoning example: a prompt of some 400 tokens
_SEEDS = 3  # entities that a later hop's example starts from


def sub_questions(
    branches: Sequence[tuple[str, LogicalChain]], rest: LogicalChain, phrases: Mapping[Hop, str]
) -> tuple[SubQuestion, ...]:
    """One sub-question a hop: each branch (mention, own chain), then the common rest; empty where a hop has no phrase.

    The same order, words and dependencies as the compact decomposer writes.
    """
    hops = [hop for _, chain in branches for hop in chain] + list(rest)
    if any(hop not in phrases for hop in hops):
        return ()
    subs: list[SubQuestion] = []
    ends: list[int] = []
    for mention, chain in branches:
        subs += _line(chain, len(subs), (), mention, phrases)
        ends.append(len(subs) - 1)
    return (*subs, *_line(rest, len(subs), tuple(ends), "", phrases))


def _line(
    chain: LogicalChain, first: int, after: tuple[int, ...], mention: str, phrases: Mapping[Hop, str]
) -> list[SubQuestion]:
    out = []
    for number, hop in enumerate(chain, first):
        dep = after if number == first else (number - 1,)
        seeds = tuple(generated(i) for i in dep) or (mention,)
        out.append(SubQuestion(number, phrases[hop], dep or (NO_DEPENDENCY,), seeds))
    return out


def decomposition_examples(
    pairs: Iterable[tuple[Pair, AlignedPair | None]], phrases: Mapping[Hop, str]
) -> list[Example]:
    """A question and its decomposition for each pair whose topics were found; questions that repeat stand once."""
    out: dict[str, Example] = {}
    for pair, aligned in pairs:
        if aligned is None:
            continue
        mentions = [aligned.question.mentions[place] for place in aligned.gold]
        rest = (pair.chain or ()) if len(mentions) > 1 else ()
        branches = [
            (mention.text, chain[: len(chain) - len(rest)])
            for mention, chain in sorted(zip(mentions, aligned.chains, strict=True), key=lambda item: item[0].start)
        ]
        subs = sub_questions(branches, rest, phrases)
        if subs:
            prompt = decompose_prompt(pair.question)
            out.setdefault(prompt, Example(prompt, write_decomposition(subs)))
    return list(out.values())


async def reasoning_examples(
    pairs: Iterable[tuple[Pair, AlignedPair | None]], phrases: Mapping[Hop, str], store: GraphStore, seed: int
) -> AsyncIterator[Example]:
    """For each hop of each pair: its sub-question over triples, some of which hold the answers and some do not."""
    chance = random.Random(seed)
    seen: set[tuple[str, Hop]] = set()
    for _, aligned in pairs:
        if aligned is None:
            continue
        topic = aligned.question.mentions[aligned.gold[0]].hits[0].id
        frontier = [topic]
        for hop in aligned.chains[0]:
            reached = (await store.follow(frontier[:_SEEDS], (hop,))).reached
            if not reached or hop not in phrases:
                break
            if (frontier[0], hop) not in seen:
                seen.add((frontier[0], hop))
                yield await _reasoning(frontier[:_SEEDS], hop, phrases[hop], store, chance)
            frontier = [item.id for item in reached]


async def _reasoning(seeds: list[str], hop: Hop, phrase: str, store: GraphStore, chance: random.Random) -> Example:
    """One example: up to `_RIGHT` triples of the hop and `_BESIDE` others around its seeds, shuffled."""
    around = [walked for found in await store.neighbors(seeds, limit=200) for walked in found]
    right = [walked for walked in around if (walked.relation, walked.inverse) == hop][:_RIGHT]
    others = [walked for walked in around if (walked.relation, walked.inverse) != hop]
    shown = [*right, *chance.sample(others, min(_BESIDE, len(others)))]
    chance.shuffle(shown)
    answers = [walked.end for walked in shown if (walked.relation, walked.inverse) == hop]
    labels = await store.labels(list(dict.fromkeys(answers)))
    names = await store.labels(seeds)
    question = phrase.replace(MASK, ", ".join(names))
    return Example(reason_prompt(question, await serialise(shown, store)), write_answers(labels))


async def serialise(triples: Sequence[WalkedTriple | Triple], store: GraphStore) -> list[str]:
    """Each triple as text: subject, relation in words, object joined (section 3.3, the second format)."""
    labels = await store.labels([name for triple in triples for name in (triple.head, triple.tail)])
    return [
        f"{labels[2 * place]} {relation_words(triple.relation)} {labels[2 * place + 1]}"
        for place, triple in enumerate(triples)
    ]
