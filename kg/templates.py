"""Question templates with the logical chains they own, and their FAISS index (Keqing, sections 3.1 and 3.2).

Before anything is learnt, every relation has two templates in words made from its name, one a direction. Learning puts
templates mined from pairs in their place (`trivium.policies.keqing.template_mining`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self

from trivium.kg.embedders import Embedder
from trivium.kg.errors import CorruptError
from trivium.kg.files import write_atomic
from trivium.kg.indexes import VectorIndex, own_words, relation_words
from trivium.kg.types import Hop, LogicalChain, RelationSchema, chain_text, parse_chain

Exclusion = Literal["always", "never", "cue"]
"""Whether entities that the question started from are left out of a dependent sub-question's answers: always, never,
or where the question's words say so ("other", "also")."""

_FILE = "templates.json"
_INDEX = "index"
_REMEMBERED = 10_000  # sub-questions whose matches are remembered


@dataclass(frozen=True, slots=True)
class QuestionTemplate:
    """A sub-question in words with one [mask], and the chains that answer it.

    Attributes:
        text: such as `who directed [mask]?`; unique among its KG's templates.
        chains: the logical chains it owns, the most frequent first, never empty.
        count: training pairs it was mined from; 0 for one made from the schema.
        exclusion: when used entities are no answers; learnt from the pairs.
    """

    text: str
    chains: tuple[LogicalChain, ...]
    count: int = 0
    exclusion: Exclusion = "cue"


def schema_template(hop: Hop) -> QuestionTemplate:
    """A template for one hop from the relation's name alone."""
    words = relation_words(hop.relation)
    text = f"[mask] is the {words} of what?" if hop.inverse else f"what is the {words} of [mask]?"
    return QuestionTemplate(text, ((hop,),))


def schema_templates(schema: Iterable[RelationSchema]) -> list[QuestionTemplate]:
    """Two templates a relation, forward and inverse; relations that read the same in words share theirs."""
    merged: dict[str, QuestionTemplate] = {}
    for relation in schema:
        for inverse in (False, True):
            made = schema_template(Hop(relation.name, inverse))
            known = merged.get(made.text)
            chains = made.chains if known is None else known.chains + made.chains
            merged[made.text] = QuestionTemplate(made.text, chains)
    return list(merged.values())


def completed(
    first: Iterable[QuestionTemplate],
    offered: Iterable[QuestionTemplate],
    hops: Iterable[Hop],
    wordings: Mapping[Hop, Sequence[str]] | None = None,
) -> list[QuestionTemplate]:
    """The `first` templates, of those `offered` all whose text is free, and one for every one of `hops` that has none.

    Such a hop takes the first of its `wordings` that is free, else the text that the relation's name alone gives. A
    template that has even that text, for another hop, owns both, this one last: a text stands for one template.
    """
    by_text: dict[str, QuestionTemplate] = {}
    for template in (*first, *offered):
        by_text.setdefault(template.text, template)
    owned = {chain for template in by_text.values() for chain in template.chains}
    for hop in hops:
        if (hop,) in owned:
            continue
        plain = schema_template(hop)
        text = next((text for text in (wordings or {}).get(hop, ()) if text not in by_text), plain.text)
        known = by_text.get(text)
        chains = plain.chains if known is None else (*known.chains, *plain.chains)
        by_text[text] = QuestionTemplate(text, chains) if known is None else replace(known, chains=chains)
    return list(by_text.values())


def _said(template: QuestionTemplate) -> str:
    """What a template is found by: its words, and those of its relation's name where no pair wrote them.

    A natural wording ("what does [mask] do for a living?") may leave out the very word that a question uses.
    """
    names = () if template.count else dict.fromkeys(own_words(hop.relation) for hop in template.chains[0])
    return " ".join([template.text, *names])


@dataclass(frozen=True)
class TemplateMatch:
    """A template and the cosine of its text with the sub-question's, in [-1, 1]."""

    template: QuestionTemplate
    score: float


class TemplateIndex:
    """A KG's templates, matched by encoder cosine through FAISS (eq. 2)."""

    def __init__(self, templates: Sequence[QuestionTemplate], index: VectorIndex, embedder: Embedder) -> None:
        self.templates = tuple(templates)
        self._by_text = {template.text: template for template in self.templates}
        self._index = index
        self._embedder = embedder
        self._matched: dict[tuple[str, int], list[TemplateMatch]] = {}

    @classmethod
    def build(cls, templates: Sequence[QuestionTemplate], embedder: Embedder, *, source_version: str = "") -> Self:
        """Embed and index the templates."""
        texts = [template.text for template in templates]
        said = [_said(template) for template in templates]
        return cls(templates, VectorIndex.build(texts, said, embedder, source_version=source_version), embedder)

    @property
    def source_version(self) -> str:
        """The schema's version that the templates were made for."""
        return self._index.source_version

    def get(self, text: str) -> QuestionTemplate | None:
        """The template with exactly this text."""
        return self._by_text.get(text)

    def match(self, sub_questions: Sequence[str], k: int) -> list[list[TemplateMatch]]:
        """The k templates nearest to each sub-question, best first; a template's own text scores 1.

        Matches are remembered: a decomposer writes the same sub-questions again and again.
        """
        if len(self._matched) > _REMEMBERED:
            self._matched.clear()
        new = [text for text in dict.fromkeys(sub_questions) if (text, k) not in self._matched]
        if new:
            scores, texts = self._index.search(self._embedder.embed(new), k)
            for text, row, found in zip(new, scores.tolist(), texts, strict=True):
                near = [TemplateMatch(self._by_text[match], score) for score, match in zip(row, found, strict=True)]
                self._matched[text, k] = self._own_first(text, near)
        return [self._matched[text, k] for text in sub_questions]

    def _own_first(self, text: str, near: list[TemplateMatch]) -> list[TemplateMatch]:
        """The matches with the template that has this very text first.

        An embedder that pools its words tells "what is the part of of [mask]?" from "[mask] is the part of of what?" by
        rounding errors alone; they walk a relation in opposite directions.
        """
        own = self._by_text.get(text)
        if own is None:
            return near
        others = [match for match in near if match.template is not own]
        return [TemplateMatch(own, 1.0), *others][: len(near)]

    def save(self, folder: Path) -> None:
        """Write templates and index; the templates last, since they name what the index must hold."""
        self._index.save(folder / _INDEX)
        write_templates(folder, self.templates)

    @classmethod
    def load(cls, folder: Path, embedder: Embedder) -> Self:
        """Read what `save` wrote.

        Raises:
            CorruptError: a file is missing or damaged, or templates and index differ.
            EmbedderError: another embedder made the index.
        """
        templates = read_templates(folder)
        index = VectorIndex.load(folder / _INDEX, embedder)
        if list(index.keys) != [template.text for template in templates]:
            raise CorruptError(f"{folder}: the index does not hold the templates of {_FILE}; build it again")
        return cls(templates, index, embedder)


def write_templates(folder: Path, templates: Iterable[QuestionTemplate]) -> None:
    """Write templates without their index."""
    rows = [
        {"text": t.text, "chains": [chain_text(c) for c in t.chains], "count": t.count, "exclusion": t.exclusion}
        for t in templates
    ]
    write_atomic(folder / _FILE, json.dumps(rows, ensure_ascii=False, indent=1).encode())


def read_templates(folder: Path) -> list[QuestionTemplate]:
    """The templates of a folder without their index; raises `CorruptError`."""
    try:
        rows = json.loads((folder / _FILE).read_bytes())
        return [
            QuestionTemplate(
                row["text"], tuple(parse_chain(chain) for chain in row["chains"]), row["count"], row["exclusion"]
            )
            for row in rows
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CorruptError(f"{folder / _FILE} is missing or damaged ({error})") from error
