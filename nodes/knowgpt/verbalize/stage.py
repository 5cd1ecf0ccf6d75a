"""KnowGPT's stage `verbalize`: what was extracted as triples, sentences or a graph description (section 4.2.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, TypeAlias

from langgraph.runtime import Runtime

from trivium.kg.indexes.words import own_words
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.state import EvidencePath, KnowGPTState, Line
from trivium.nodes.model.prompt_data import as_data
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.usage import TOKEN_BYTES, estimate_tokens
from trivium.nodes.run.write_answer import listed
from trivium.tools.get_labels import get_labels
from trivium.tools.link_text import says_little

_FACTS = 6  # facts that one sentence joins
_DESCRIBED = 20  # triples that a description is made of
_PATHS = 3  # for one candidate, the best
_OTHERS = 6  # triples shown that lead to no candidate, where none leads to any
_ANY = 10_000  # tokens: no limit for a single path

Writer: TypeAlias = Callable[[Sequence["Fact"], Mapping[str, str], int], list[Line]]

Fact = tuple[str, str, str]
"""A triple in ids."""


async def verbalize(state: KnowGPTState, runtime: Runtime[KnowGPTContext]) -> dict[str, Any]:
    """The lines of the prompt, each with the triples that it says, within the token budget."""
    if not state["evidence"]:
        return {"lines": []}
    context = runtime.context
    form = state["chosen"]["arm"].partition("/")[2]
    facts = facts_of(state["evidence"])
    ids = sorted({key for head, _, tail in facts for key in (head, tail)})
    labels = {key: as_data(label) for key, label in zip(ids, await get_labels(context.kg, ids), strict=True)}
    if context.model == NO_MODEL:
        return {"lines": FORMS[form](facts, labels, context.evidence_tokens)}
    telling = [each for each in state["evidence"] if _tells(each, labels)]
    if form != "graph":
        return {"lines": _by_candidate(state, telling, FORMS[form], labels, context.evidence_tokens)}
    lines = as_graph(facts_of(telling)[:_DESCRIBED], labels, context.evidence_tokens)
    if context.description == "rules" or not lines:
        return {"lines": lines}
    from trivium.nodes.knowgpt.verbalize.prompt import describe  # a run without a model pays nothing for the layer
    from trivium.nodes.model import state_update

    said = [fact for line in lines for fact in line["triples"]]
    shown = as_triples(said, labels, context.evidence_tokens)
    outcome = await describe(state, shown, labels[center_of(said)], context)
    text = as_data(outcome.value, context.evidence_tokens * TOKEN_BYTES) if outcome.value else ""
    return {"lines": [Line(text=text, triples=said)] if text else lines, **state_update(outcome)}


def _tells(evidence: EvidencePath, labels: Mapping[str, str]) -> bool:
    """Whether a path says something to a model: the concepts before its end are none like "someone" or "need to".

    Of a single triple, which leads to no candidate, neither end is.
    """
    steps = evidence["steps"]
    ends = {key for step in steps for key in (step[0], step[2])}
    return not any(says_little(labels[key]) for key in ends - {evidence["target"]})


def _by_candidate(
    state: KnowGPTState, evidence: Sequence[EvidencePath], write: Writer, labels: Mapping[str, str], tokens: int
) -> list[Line]:
    """Under each candidate its best paths, a whole one in each line, or that there is none.

    The paper's prompts list the evidence of all candidates together, where a model cannot tell what speaks for which.
    Every candidate's best path comes before any second one within the budget. What leads to no candidate is shown only
    where nothing leads to any.
    """
    from trivium.nodes.knowgpt.answer.prompt import letters  # belongs to the layer of the chat model

    candidates = state["candidates"]
    paths = [_lines_of(evidence, candidate["entities"], write, labels) for candidate in candidates]
    shown: list[list[Line]] = [[] for _ in candidates]
    spent = 0
    for rank in range(_PATHS):
        for place, found in enumerate(paths):
            cost = estimate_tokens(f"  {found[rank]['text']}\n") if rank < len(found) else tokens
            if rank < len(found) and spent + cost <= tokens:
                shown[place].append(Line(text=f"  {found[rank]['text']}", triples=found[rank]["triples"]))
                spent += cost
    out = list[Line]()
    for key, candidate, found, lines in zip(letters(candidates), candidates, paths, shown, strict=True):
        none = "" if found else " (no link found)"
        out += [Line(text=f"{as_data(key)}: {as_data(candidate['text'])}{none}", triples=[]), *lines]
    return out if any(paths) else out + write(facts_of(evidence)[:_OTHERS], labels, tokens)


def _lines_of(
    evidence: Sequence[EvidencePath], entities: Sequence[str], write: Writer, labels: Mapping[str, str]
) -> list[Line]:
    """The best paths to a candidate's entities, a line each; none that only leads up to one before it."""
    said, out = list[set[Fact]](), list[Line]()
    for each in sorted((each for each in evidence if each["target"] in entities), key=lambda each: -each["reward"]):
        facts = facts_of([each])
        if facts and not any(before <= set(facts) for before in said):
            said.append(set(facts))
            text = " ".join(line["text"] for line in write(facts, labels, _ANY))
            out.append(Line(text=text, triples=facts))
    return out[:_PATHS]


def facts_of(evidence: Sequence[EvidencePath]) -> list[Fact]:
    """The distinct triples of the evidence, those of the largest reward first, a path's in its own order.

    A triple whose ends are one entity says nothing and is left out.
    """
    steps = [step for each in sorted(evidence, key=lambda item: -item["reward"]) for step in each["steps"]]
    return list(dict.fromkeys((head, relation, tail) for head, relation, tail, _ in steps if head != tail))


def as_triples(facts: Sequence[Fact], labels: Mapping[str, str], tokens: int) -> list[Line]:
    """A line a triple: `(Sergey Brin, founder of, Google)`."""
    lines = [Line(text=f"({labels[h]}, {as_data(r)}, {labels[t]})", triples=[(h, r, t)]) for h, r, t in facts]
    return within(lines, tokens)


def as_sentences(facts: Sequence[Fact], labels: Mapping[str, str], tokens: int) -> list[Line]:
    """A line a sentence; the facts of one entity are joined, where its best fact stands."""
    return within(_sentences(facts, labels), tokens)


def as_graph(facts: Sequence[Fact], labels: Mapping[str, str], tokens: int) -> list[Line]:
    """The entity with the most ties first, with what is tied to it, then the rest, entity by entity.

    The paper has the model write this text; these are the rules for where there is none, or none that answers.
    """
    if not facts:
        return []
    center = center_of(facts)
    near = [fact for fact in facts if center in (fact[0], fact[2])]
    others = list(dict.fromkeys(t if h == center else h for h, _, t in near))
    opened = Line(text=f"{labels[center]} stands at the center of this network of {len(others) + 1}.", triples=[])
    rest = [fact for fact in facts if fact not in near]
    return within([opened, *_sentences(near, labels), *_sentences(rest, labels)], tokens)


def center_of(facts: Sequence[Fact]) -> str:
    """The entity with the most ties; of equally tied ones that of the better evidence, as facts come in its order."""
    ties = Counter(key for head, _, tail in facts for key in dict.fromkeys((head, tail)))
    return max(ties, key=lambda key: ties[key])


def _sentences(facts: Sequence[Fact], labels: Mapping[str, str]) -> list[Line]:
    order = {head: place for place, head in enumerate(dict.fromkeys(fact[0] for fact in facts))}
    lines = []
    for head, own in groupby(sorted(facts, key=lambda fact: order[fact[0]]), key=lambda fact: fact[0]):
        mine = list(own)
        for start in range(0, len(mine), _FACTS):
            part = mine[start : start + _FACTS]
            lines.append(Line(text=_sentence(labels[head], part, labels), triples=part))
    return lines


def _sentence(name: str, facts: Sequence[Fact], labels: Mapping[str, str]) -> str:
    """`A is made of b and c, and is used for d.`: one entity's facts, those of one relation together."""
    by_phrase: dict[str, list[str]] = {}
    for _, relation, tail in facts:
        by_phrase.setdefault(as_data(relation_phrase(relation)), []).append(labels[tail])
    said = [f"{phrase} {listed(tails)}" for phrase, tails in by_phrase.items()]
    return f"{name} {listed(said, last=', and ')}."


def within(lines: Sequence[Line], tokens: int) -> list[Line]:
    """The first lines that fit into the budget; none that is longer than what is left."""
    kept, spent = list[Line](), 0
    for line in lines:
        cost = estimate_tokens(line["text"] + "\n")
        if spent + cost <= tokens:
            kept.append(line)
            spent += cost
    return kept


FORMS: dict[str, Writer] = {
    "triples": as_triples,
    "sentences": as_sentences,
    "graph": as_graph,
}
"""The formats by name: F_t, F_s and F_g."""


# ConceptNet's relations: what their words alone would say wrongly or stiffly; keys are words without white space.
_PHRASES = {
    "isa": "is a kind of",
    "usedfor": "is used for",
    "atlocation": "is found at",
    "capableof": "can",
    "hasa": "has",
    "hasproperty": "is",
    "hassubevent": "includes",
    "hasfirstsubevent": "begins with",
    "haslastsubevent": "ends with",
    "hasprerequisite": "requires",
    "haspainintensity": "has a pain intensity of",
    "haspaincharacter": "has a pain that is",
    "causesdesire": "makes people want",
    "motivatedbygoal": "is done for",
    "createdby": "is made by",
    "madeof": "is made of",
    "definedas": "is defined as",
    "symbolof": "is a symbol of",
    "receivesaction": "can be",
    "desireof": "is desired by",
    "notdesires": "does not want",
    "notisa": "is not a kind of",
    "nothasproperty": "is not",
    "notcapableof": "cannot",
    "notmadeof": "is not made of",
    "nothasa": "does not have",
    "inheritsfrom": "inherits from",
    "instanceof": "is an instance of",
    "locatednear": "is near",
    "locationofaction": "is where to",
    "relatedto": "is related to",
    "similarsize": "is about as big as",
    "partof": "is part of",
    "synonym": "means the same as",
    "antonym": "is the opposite of",
    "derivedfrom": "is derived from",
}
_ENDS_IN = ("by", "of", "in", "at", "on", "to", "from", "with", "for", "as", "near")
_VERBS = frozenset({"is", "was", "are", "has", "have", "had", "can", "may", "does", "did", "will", "must", "should"})


@lru_cache(maxsize=65_536)
def relation_phrase(name: str) -> str:
    """The words between head and tail that say a triple of this relation.

    `directed_by` -> `is directed by`; `is_a_subtype_of` -> `is a subtype of`; `UsedFor` -> `is used for`; `causes` ->
    `causes`; `starring` -> `is starring`; `release_year` -> `has the release year`. Rules,
    which cannot know every name: a KG's own words win over grammar, and nothing is said that the name does not say.
    """
    words = own_words(name)
    known = _PHRASES.get(words.replace(" ", ""))
    if known is not None:
        return known
    parts = words.split()
    if not parts or parts[0] in _VERBS:
        return words
    if len(parts) == 1 and words.endswith("ing"):
        return f"is {words}"
    if parts[-1] in _ENDS_IN:
        # "belongs to", "differs from": a verb of its own needs no "is".
        return words if len(parts) > 1 and parts[0].endswith("s") and not parts[0].endswith("ss") else f"is {words}"
    if len(parts) == 1 and words.endswith("s") and not words.endswith("ss"):
        return words
    return f"has the {words}"
