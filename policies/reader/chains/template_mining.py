"""Templates from training pairs by the paper's frequency rule (Keqing, section 3.1).

Each logical chain is assigned its most frequent template over the pairs; turned round, a template owns a set of chains
of any length.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeVar

from trivium.kg.text import fold_name
from trivium.kg.types import Hop, LogicalChain
from trivium.policies.reader.chains.pairs import AlignedPair
from trivium.policies.reader.chains.phrasing import masked_text
from trivium.policies.reader.chains.templates import Exclusion, QuestionTemplate

_SURE = 0.9  # share of a hop's evidence from which exclusion is a habit of the KG's questions, not of their words


def mine_templates(pairs: Iterable[AlignedPair]) -> list[QuestionTemplate]:
    """The templates of single-topic pairs, the most frequent first.

    Wordings that differ in case and punctuation alone count as one, shown as most often written. Between equally
    frequent templates the one that fewer other chains use is taken, then the shorter.
    """
    pairs = list(pairs)
    uses: dict[LogicalChain, Counter[str]] = defaultdict(Counter)
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in pairs:
        if len(pair.gold) == 1:
            text = masked_text(pair.question, pair.question.mentions[pair.gold[0]])
            uses[pair.chains[0]][fold_name(text)] += 1
            written[fold_name(text)][text] += 1
    total = Counter[str]()
    for counts in uses.values():
        total.update(counts)
    owned: dict[str, list[tuple[int, LogicalChain]]] = defaultdict(list)
    for chain, counts in uses.items():
        key = max(counts, key=lambda k: (counts[k], counts[k] / total[k], -len(k), k))
        owned[key].append((counts[key], chain))
    habits = exclusion_habits((item.hop, item.excluded) for pair in pairs for item in pair.exclusion)
    templates = [_template(written[key].most_common(1)[0][0], chains, habits) for key, chains in owned.items()]
    return sorted(templates, key=lambda t: (-t.count, t.text))


def _template(text: str, owned: list[tuple[int, LogicalChain]], habits: Mapping[Hop, Exclusion]) -> QuestionTemplate:
    ordered = [chain for _, chain in sorted(owned, key=lambda item: (-item[0], item[1]))]
    return QuestionTemplate(text, tuple(ordered), sum(n for n, _ in owned), habits.get(ordered[0][-1], "cue"))


Key = TypeVar("Key")


def exclusion_habits(evidence: Iterable[tuple[Key, bool]]) -> dict[Key, Exclusion]:
    """For each hop, or pair of hops, that came back to a topic: do answers leave it out always, never, or on a cue?"""
    counts: dict[Key, Counter[bool]] = defaultdict(Counter)
    for key, excluded in evidence:
        counts[key][excluded] += 1
    out: dict[Key, Exclusion] = {}
    for key, seen in counts.items():
        share = seen[True] / seen.total()
        out[key] = "always" if share >= _SURE else "never" if 1 - share >= _SURE else "cue"
    return out
