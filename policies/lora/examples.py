"""Training examples for the fine-tuned model, and the prompts it reads and writes: table 1, but for its slips.

Table 1's example output lacks its first `[` and two braces; ours is JSON. The same texts are used for training, for
serving and, through the merged model's chat template, by a server: a fine-tuned model knows no other wording.
"""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import json_repair

from trivium.kg.indexes import relation_words
from trivium.kg.loaders import Branch
from trivium.kg.loaders import Question as Pair
from trivium.kg.store import GraphStore
from trivium.kg.types import Hop, LogicalChain, Triple, WalkedTriple, chain_text
from trivium.policies.reader.chains.decomposer import MASK, NO_DEPENDENCY, SubQuestion, generated
from trivium.policies.reader.chains.pairs import AlignedPair

DECOMPOSE = "The AI assistant can parse the user input to several subquestions:"
"""Instruction of the module Question Decomposition."""

CHAINS = "The AI assistant can parse the user input to several logical chains:"
"""Instruction of a decomposer that writes logical chains, the other side of figure 6; the wording is ours."""

REASON = (
    "Use the following pieces of context to answer the users question. If you don't know the answer, just say that "
    "you don't know, don't try to make up an answer."
)
"""Instruction of the module Candidate Reasoning."""

_MAX_SUB_QUESTIONS = 16  # a model that runs on is cut here


class Example(NamedTuple):
    """One training example: the model is trained to say `target` after `prompt`."""

    prompt: str
    target: str


def decompose_prompt(question: str) -> str:
    """The prompt of one question to decompose."""
    return f"Instruction: {DECOMPOSE}\nInput: {' '.join(question.split())}\nOutput: "


def chains_prompt(question: str) -> str:
    """The prompt of one question whose logical chains are to be written."""
    return f"Instruction: {CHAINS}\nInput: {' '.join(question.split())}\nOutput: "


def reason_prompt(question: str, triples: Sequence[str]) -> str:
    """The prompt of one sub-question over its candidates' triples, each serialized as a sentence (section 3.3)."""
    context = " ".join(f"{triple}." for triple in triples)
    return f"Instruction: {REASON}\n-------------\n{context}\nInput: {question}\nOutput: "


def write_decomposition(subs: Sequence[SubQuestion]) -> str:
    """Sub-questions as table 1 has them."""
    return json.dumps(
        [
            {
                "question": sub.question,
                "id": sub.id,
                "dep": list(sub.dep),
                "args": {"seed_entities": list(sub.seed_entities)},
            }
            for sub in subs
        ],
        ensure_ascii=False,
    )


def read_decomposition(text: str) -> tuple[SubQuestion, ...]:
    """Sub-questions from what a model wrote, numbered from 0 in its order; empty where it is not a decomposition.

    Tolerant of the flaws in which models write JSON, and strict about meaning: a sub-question without [mask], or one
    that depends on itself or on a later one, makes the whole unreadable, for half a decomposition is another question.
    """

    def read(record: dict[str, Any], first: int, after: tuple[int, ...], seeds: tuple[str, ...]) -> list[SubQuestion]:
        question = record.get("question")
        if not isinstance(question, str) or MASK not in question:
            return []
        return [SubQuestion(first, question, after or (NO_DEPENDENCY,), seeds)]

    return _read_records(text, read)


_ReadRecord = Callable[[dict[str, Any], int, tuple[int, ...], tuple[str, ...]], list[SubQuestion]]
"""The sub-questions of a record from a number on, after others and from seeds; none where it is unreadable."""


def _read_records(text: str, read: _ReadRecord) -> tuple[SubQuestion, ...]:
    """The records that a model wrote, each read by `read`; empty where one of them is unreadable."""
    records = json_repair.loads(text)
    if isinstance(records, dict):
        records = [records]
    if not isinstance(records, list) or not 0 < len(records) <= _MAX_SUB_QUESTIONS:
        return ()
    numbers: dict[int, int] = {}  # ids that the model gave -> our number of the record's last sub-question
    out: list[SubQuestion] = []
    for record in records:
        started = _start(record, numbers)
        subs = read(record, len(out), *started) if started else []
        if not subs or len(out) + len(subs) > _MAX_SUB_QUESTIONS:
            return ()
        out += subs
        if isinstance(record.get("id"), int):
            numbers[record["id"]] = out[-1].id
    return tuple(out)


def _start(record: object, numbers: Mapping[int, int]) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
    """The sub-questions that a record depends on, by our numbers, and its seeds; None where it has no seed."""
    if not isinstance(record, dict):
        return None
    dep = [d for d in _as_list(record.get("dep")) if d != NO_DEPENDENCY]
    after = tuple(numbers[d] for d in dep if isinstance(d, int) and d in numbers)
    if len(after) < len(dep):
        return None
    if after:
        return after, tuple(generated(d) for d in after)
    args = record.get("args")
    seeds = tuple(
        seed.strip()
        for seed in _as_list(args.get("seed_entities") if isinstance(args, dict) else None)
        if isinstance(seed, str) and seed.strip() and not seed.startswith("<GENERATED>")
    )
    return ((), seeds) if seeds else None


def write_chains(branches: Sequence[Branch], rest: LogicalChain) -> str:
    """Logical chains in the manner of table 1: one a topic, and the common rest after their intersection."""
    records = [
        {
            "chain": chain_text(branch.chain),
            "id": place,
            "dep": [NO_DEPENDENCY],
            "args": {"seed_entities": [branch.topic]},
        }
        for place, branch in enumerate(branches)
    ]
    if rest:
        after = range(len(branches))
        seeds = [generated(place) for place in after]
        records.append(
            {"chain": chain_text(rest), "id": len(branches), "dep": list(after), "args": {"seed_entities": seeds}}
        )
    return json.dumps(records, ensure_ascii=False)


def read_chains(text: str, phrases: Mapping[Hop, str]) -> tuple[SubQuestion, ...]:
    """Sub-questions that know their hop, from logical chains that a model wrote; empty where they cannot be read.

    `phrases` has the words of every hop that the KG has: a chain with another hop makes the whole unreadable.
    """

    def read(record: dict[str, Any], first: int, after: tuple[int, ...], seeds: tuple[str, ...]) -> list[SubQuestion]:
        said = _as_list(record.get("chain"))
        hops = [Hop.parse(hop) for hop in said if isinstance(hop, str)]
        if len(hops) < len(said) or any(hop not in phrases for hop in hops):
            return []
        return [
            replace(sub, chain=(hop,)) for sub, hop in zip(_line(hops, first, after, seeds, phrases), hops, strict=True)
        ]

    return _read_records(text, read)


def _as_list(value: object) -> list[object]:
    """A list as it is, nothing as none, and one value (table 1 leaves brackets out) as the only one."""
    return value if isinstance(value, list) else [] if value is None else [value]


def write_answers(labels: Sequence[str]) -> str:
    """The answers to a sub-question as table 1 has them: `["Douglas Sirk"]`."""
    return json.dumps(list(labels), ensure_ascii=False)


def read_answers(text: str) -> list[str]:
    """The answers that a model wrote, in its order; empty where it wrote no list of texts."""
    said = json_repair.loads(text)
    return [item for item in _as_list(said) if isinstance(item, str) and item.strip()]


_RIGHT = 20  # triples that hold an answer, at most, and
_BESIDE = 10  # others around the same entities, for one reasoning example: a prompt of some 400 tokens
_SEEDS = 3  # entities that a later hop's example starts from


def sub_questions(
    branches: Sequence[Branch], rest: LogicalChain, phrases: Mapping[Hop, str]
) -> tuple[SubQuestion, ...]:
    """One sub-question a hop: each branch, then the common rest; empty where a hop has no phrase.

    A branch's topic is as the question calls it. Order, words and dependencies are the compact decomposer's.
    """
    hops = [hop for branch in branches for hop in branch.chain] + list(rest)
    if any(hop not in phrases for hop in hops):
        return ()
    subs: list[SubQuestion] = []
    ends: list[int] = []
    for branch in branches:
        subs += _line(branch.chain, len(subs), (), (branch.topic,), phrases)
        ends.append(len(subs) - 1)
    return (*subs, *_line(rest, len(subs), tuple(ends), (), phrases))


def _line(
    chain: Sequence[Hop], first: int, after: tuple[int, ...], mentions: tuple[str, ...], phrases: Mapping[Hop, str]
) -> list[SubQuestion]:
    """One sub-question a hop, numbered from `first`, each after the one before it."""
    out = []
    for number, hop in enumerate(chain, first):
        dep = after if number == first else (number - 1,)
        seeds = tuple(generated(i) for i in dep) or mentions
        out.append(SubQuestion(number, phrases[hop], dep or (NO_DEPENDENCY,), seeds))
    return out


def decomposition_examples(
    pairs: Iterable[tuple[Pair, AlignedPair | None]], phrases: Mapping[Hop, str]
) -> list[Example]:
    """A question and its decomposition for each pair whose topics were found; questions that repeat stand once."""
    return _examples(
        (decompose_prompt(question), write_decomposition(subs))
        for question, branches, rest in _chains(pairs)
        if (subs := sub_questions(branches, rest, phrases))
    )


def chain_examples(pairs: Iterable[tuple[Pair, AlignedPair | None]]) -> list[Example]:
    """A question and its logical chains for each pair whose topics were found; questions that repeat stand once."""
    return _examples(
        (chains_prompt(question), write_chains(branches, rest)) for question, branches, rest in _chains(pairs)
    )


def _examples(made: Iterable[tuple[str, str]]) -> list[Example]:
    out: dict[str, Example] = {}
    for prompt, target in made:
        out.setdefault(prompt, Example(prompt, target))
    return list(out.values())


def _chains(pairs: Iterable[tuple[Pair, AlignedPair | None]]) -> Iterator[tuple[str, list[Branch], LogicalChain]]:
    """Each question whose topics were found, with their branches in its order and the common rest."""
    for pair, aligned in pairs:
        if aligned is None:
            continue
        mentions = [aligned.question.mentions[place] for place in aligned.gold]
        rest = (pair.chain or ()) if len(mentions) > 1 else ()
        branches = [
            Branch(mention.text, chain[: len(chain) - len(rest)])
            for mention, chain in sorted(zip(mentions, aligned.chains, strict=True), key=lambda item: item[0].start)
        ]
        yield pair.question, branches, rest


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
