"""Question templates with the logical chains they own, and their FAISS index (Keqing, sections 3.1 and 3.2).

Before anything is learned, every relation has two templates in words made from its name, one a direction. Learning puts
templates mined from pairs in their place (`trivium.policies.reader.chains.learning`). A relation that is new to
the graph gets its templates at the next question (`current_templates`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self

import numpy as np

from trivium.kg.artifact import Artifact, ArtifactKind
from trivium.kg.embedded import keep
from trivium.kg.embedders import Embedder, FloatArray
from trivium.kg.errors import CorruptError, VersionError
from trivium.kg.indexes import VectorIndex, own_words, relation_words
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.memory import Memory
from trivium.kg.types import Hop, LogicalChain, RelationSchema, chain_text, parse_chain, passes_value, schema_hops

log = logging.getLogger("trivium.kg")

TemplateMaker = Callable[[Sequence[RelationSchema]], "list[QuestionTemplate]"]
"""Makes the templates of a schema."""

Exclusion = Literal["always", "never", "cue"]
"""Whether entities that the question started from are left out of a dependent sub-question's answers: always, never,
or where the question's words say so ("other", "also")."""

TEMPLATES = ArtifactKind("the question templates", "templates", 2, "run trivium learn keqing")
FOLDER = "templates"
"""The folder of a KG in which they lie."""

_REMEMBERED = 2_000_000  # bytes of matches that are remembered
_MATCH = 100  # bytes of one: a tuple of two


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
    """A KG's templates, matched by encoder cosine through FAISS (eq. 2).

    Args:
        templates: in the order of their vectors.
        vectors: unit vectors of what each is found by, float32 [n, d].
        embedder: made them.
        schema: the fingerprint of the schema that the templates were made for.
    """

    def __init__(
        self, templates: Sequence[QuestionTemplate], vectors: FloatArray, embedder: Embedder, schema: str = ""
    ) -> None:
        self.templates = tuple(templates)
        self.schema = schema
        self.embedded_anew = False
        """Whether loading had to make the vectors, as another embedder's were kept."""
        self._by_text = {template.text: template for template in self.templates}
        self._vectors = vectors
        self._index = VectorIndex.from_vectors([template.text for template in templates], vectors, embedder)
        self._by_text_alone: VectorIndex | None = None
        self._embedder = embedder
        self._matched: Memory[tuple[str, int, bool], list[TemplateMatch]] = Memory(
            _REMEMBERED, lambda key, found: len(key[0]) + _MATCH * len(found)
        )

    @classmethod
    def build(cls, templates: Sequence[QuestionTemplate], embedder: Embedder, *, schema: str = "") -> Self:
        """Embed and index the templates."""
        return cls(templates, embedder.embed(list(map(_said, templates))), embedder, schema)

    def get(self, text: str) -> QuestionTemplate | None:
        """The template with exactly this text."""
        return self._by_text.get(text)

    def match(self, sub_questions: Sequence[str], k: int, *, text_alone: bool = False) -> list[list[TemplateMatch]]:
        """The k templates nearest to each sub-question, best first; a template's own text scores 1.

        `text_alone` leaves relations' names out of the templates' vectors (equation 2; deviation 15). Matches are
        remembered: a decomposer writes the same sub-questions again and again.
        """
        found = {text: self._matched.get((text, k, text_alone)) for text in sub_questions}
        new = [text for text, matches in found.items() if matches is None]
        if new:
            index = self._text_index() if text_alone else self._index
            scores, texts = index.search(self._embedder.embed(new), k)
            for text, row, names in zip(new, scores.tolist(), texts, strict=True):
                near = [TemplateMatch(self._by_text[name], score) for score, name in zip(row, names, strict=True)]
                found[text] = self._own_first(text, near)
                self._matched.put((text, k, text_alone), self._own_first(text, near))
        return [found[text] or [] for text in sub_questions]

    def _text_index(self) -> VectorIndex:
        """The index of the texts alone, made where it is first asked for."""
        if self._by_text_alone is None:
            texts = list(self._by_text)
            self._by_text_alone = VectorIndex.from_vectors(texts, self._embedder.embed(texts), self._embedder)
        return self._by_text_alone

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

    def save(self, folder: Path) -> list[Path]:
        """Write templates and their vectors; returns the files written and removed."""
        return write_templates(folder, self.templates, self._vectors, schema=self.schema, embedder=self._embedder)

    @classmethod
    def load(cls, folder: Path, embedder: Embedder) -> Self:
        """Read what `save` wrote; vectors of another embedder are made anew.

        Raises:
            CorruptError, VersionError: as `ArtifactKind.load`.
        """
        found = TEMPLATES.load(folder)
        templates, schema = _templates(found), found.made_from.get("schema", "")
        vectors = found.arrays.get("vectors")
        if found.stale(embedder=embedder.fingerprint) or vectors is None or len(vectors) != len(templates):
            anew = cls.build(templates, embedder, schema=schema)
            anew.embedded_anew = True
            return anew
        return cls(templates, vectors, embedder, schema)


def write_templates(
    folder: Path,
    templates: Sequence[QuestionTemplate],
    vectors: FloatArray | None = None,
    *,
    schema: str = "",
    embedder: Embedder | None = None,
) -> list[Path]:
    """Write templates, with the vectors that they are found by where they are given, float32 [n, d]."""
    rows = [
        {"text": t.text, "chains": [chain_text(c) for c in t.chains], "count": t.count, "exclusion": t.exclusion}
        for t in templates
    ]
    made_from = {"schema": schema} | ({} if embedder is None else {"embedder": embedder.fingerprint})
    arrays = None if vectors is None or not len(vectors) else {"vectors": np.asarray(vectors, np.float32)}
    return TEMPLATES.save(folder, {"templates": rows}, arrays, made_from=made_from)


def read_templates(folder: Path) -> list[QuestionTemplate]:
    """The templates of a folder; raises as `ArtifactKind.load`."""
    return _templates(TEMPLATES.head(folder))


def _templates(found: Artifact) -> list[QuestionTemplate]:
    try:
        return [
            QuestionTemplate(row["text"], tuple(map(parse_chain, row["chains"])), row["count"], row["exclusion"])
            for row in found.data["templates"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise TEMPLATES.unreadable(found.folder, error) from error


async def save_templates(base: KnowledgeBase, templates: Iterable[QuestionTemplate]) -> TemplateIndex:
    """Replace a KG's templates; raises `BusyError` while another process writes."""
    schema = (await base.sources())["schema"]
    index = await asyncio.to_thread(TemplateIndex.build, list(templates), base.embedder, schema=schema)

    def save() -> list[Path]:
        base.embedder.save()
        return index.save(base.path / FOLDER)

    await asyncio.to_thread(keep, base.path, save)
    return index


async def current_templates(base: KnowledgeBase, made: TemplateMaker) -> TemplateIndex:
    """The KG's templates as they lie on disk, brought up to date with the schema; kept in memory while they last.

    Learned templates stay, but for chains of relations that have gone; a hop that is new gets what `made` says of it.
    """
    folder = base.path / FOLDER
    schema = (await base.sources())["schema"]

    async def load() -> TemplateIndex:
        kept: Sequence[QuestionTemplate] = ()
        if TEMPLATES.exists(folder):
            try:
                found = await asyncio.to_thread(TemplateIndex.load, folder, base.embedder)
                if found.schema == schema and not found.embedded_anew:
                    return found
                kept = found.templates
            except (CorruptError, VersionError) as error:
                kept = _rescued(folder)
                log.warning("%s; until then %s are used", error, "its texts" if kept else "those of the schema")
        relations = await base.store.schema()
        texts = _brought_up_to_date(kept, relations, made(relations))
        index = await asyncio.to_thread(TemplateIndex.build, texts, base.embedder, schema=schema)

        def save_with_vectors(where: Path) -> None:
            index.save(where)
            base.embedder.save()

        await asyncio.to_thread(base.keep, FOLDER, save_with_vectors)
        return index

    stamp = TEMPLATES.stamp(folder)
    return await base.derived("templates", f"{schema} {stamp} {base.embedder.fingerprint}", load)


def _rescued(folder: Path) -> list[QuestionTemplate]:
    """The templates of a folder whose vectors are damaged; none where the templates are."""
    try:
        return read_templates(folder)
    except (CorruptError, VersionError):
        return []


def _brought_up_to_date(
    kept: Iterable[QuestionTemplate], schema: Sequence[RelationSchema], made: Sequence[QuestionTemplate]
) -> list[QuestionTemplate]:
    """The templates that there were, and the schema's own for every hop that none of them owns.

    Those there were stay, mined or not: what was learned writes its sub-questions in their very words.
    """
    hops = set(schema_hops(schema))
    properties = {relation.name for relation in schema if relation.kind is not None}

    def possible(chain: LogicalChain) -> bool:
        return hops.issuperset(chain) and not passes_value(chain, properties)

    # A template that a relation which is gone shared with others stays theirs.
    left = [replace(t, chains=tuple(chain for chain in t.chains if possible(chain))) for t in kept]
    first = [template for template in left if template.chains]
    owned = {chain for found in first for chain in found.chains}
    offered = [found for found in made if not owned.issuperset(found.chains)]
    said = [hop for found in offered for hop, *more in found.chains if not more]
    return completed(first, offered, said)
