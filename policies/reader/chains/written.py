"""Templates that a chat model wrote for a KG's hops, once: kept beside what was learnt, used by every later lesson.

The asking is not here (`nodes.keqing.write_templates`): this refuses what is no template, keeps the rest, and says
which hops are still to be written. A hop that a model was asked for is never asked for again, whatever came of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from trivium.kg.artifact import ArtifactKind
from trivium.kg.embedded import keep
from trivium.kg.errors import OutdatedError
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.text import fold_name
from trivium.kg.types import Hop, RelationSchema, schema_hops
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.lexicon import stem
from trivium.policies.reader.chains.natural import natural_templates
from trivium.policies.reader.chains.schema_words import HopWords
from trivium.policies.reader.chains.templates import QuestionTemplate
from trivium.policies.reader.english import classes

Written = Mapping[Hop, Sequence[str]]
"""For each hop that was asked for its templates, the most natural first; none where nothing usable came."""

WRITTEN = ArtifactKind("what a model wrote", "written", 1, "remove the file, and let trivium learn templates ask again")
_LONGEST = 160  # characters of a template
_OWN, _END = 0.7, 0.8  # weights of a template's words, and of the noun after its "which"
_COMMON = 0.1  # share of the hops from which a word says too little of each
_FEW = 2  # hops that may share a word however few there are


def read_written(folder: Path) -> dict[Hop, list[str]]:
    """What was written for the KG whose learnt files are in `folder`; nothing where no model was asked.

    Raises:
        CorruptError, VersionError: as `ArtifactKind.load`.
    """
    if not WRITTEN.exists(folder):
        return {}
    try:
        try:
            kept = WRITTEN.load(folder).data["templates"]
        except OutdatedError:  # the plain form that it had at first: what a model wrote was paid for
            kept = json.loads(WRITTEN.path(folder).read_bytes())["templates"]
        return {Hop.parse(hop): [str(text) for text in texts] for hop, texts in kept.items()}
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise WRITTEN.unreadable(folder, error) from error


def keep_written(base: KnowledgeBase, written: Written) -> None:
    """Keep templates for the KG, those of before among them; raises `BusyError` while another process writes."""
    templates = {str(hop): list(texts) for hop, texts in sorted(written.items())}
    keep(base.path, lambda: WRITTEN.save(base.learnt, {"templates": templates}, made_from={}))


def unwritten(schema: Iterable[RelationSchema], written: Written) -> list[Hop]:
    """The hops that no model was asked for yet, a relation's two directions together."""
    hops = (hop for relation in schema for hop in schema_hops([relation]))
    return [hop for hop in hops if hop not in written]


def usable(
    proposed: Mapping[Hop, Sequence[str]], schema: Sequence[RelationSchema], written: Written, most: int
) -> dict[Hop, list[str]]:
    """Of what a model proposed, at most `most` templates for each hop.

    Refused is a text that is no question with one `[mask]`, that is proposed for two hops, and that another hop has.
    """
    taken = {fold_name(text): hop for hop, texts in written.items() for text in texts}
    for template in natural_templates(schema):
        for (hop,) in template.chains:
            taken.setdefault(fold_name(template.text), hop)
    clean = {hop: list(dict.fromkeys(filter(None, map(_cleaned, texts)))) for hop, texts in proposed.items()}
    said = Counter(fold_name(text) for texts in clean.values() for text in {fold_name(t): t for t in texts}.values())
    out: dict[Hop, list[str]] = {}
    for hop, texts in clean.items():
        own = {fold_name(text): text for text in reversed(texts)}
        kept = [text for key, text in reversed(own.items()) if said[key] == 1 and taken.get(key, hop) == hop]
        out[hop] = kept[:most]
    return out


def _cleaned(text: str) -> str | None:
    """The text on one line, as a question; None where it is none with one mask and a word of its own."""
    line = " ".join(text.split()).replace("[MASK]", MASK).replace("[Mask]", MASK)
    words = fold_name(line.replace(MASK, " ")).split()
    said = any(word.isalpha() and word not in classes().question for word in words)
    if line.count(MASK) != 1 or len(words) < 2 or len(line) > _LONGEST or not (said or len(words) > 2):
        return None
    return line if line.endswith("?") else f"{line.rstrip('.! ')}?"


def written_templates(written: Written, schema: Iterable[RelationSchema]) -> list[QuestionTemplate]:
    """The templates of the hops that the KG still has, each hop's first one before any other's second."""
    hops = set(schema_hops(schema))
    here = {hop: texts for hop, texts in written.items() if hop in hops}
    most = max(map(len, here.values()), default=0)
    return [
        QuestionTemplate(texts[place], ((hop,),))
        for place in range(most)
        for hop, texts in here.items()
        if place < len(texts)
    ]


def add_words(profiles: Mapping[Hop, HopWords], written: Written) -> None:
    """Add the templates' words as evidence for their hops (in place), except words that many hops' templates use."""
    words = {hop: {stem(word) for text in texts for word in _content(text)} for hop, texts in written.items()}
    users = Counter(word for found in words.values() for word in found)
    most = max(_FEW, _COMMON * len(words))
    for hop, found in words.items():
        if hop not in profiles:
            continue
        profile, asked = profiles[hop], _asked_for(written[hop])
        for word in found:
            if users[word] <= most and word not in asked:
                profile.own[word] = max(profile.own.get(word, 0.0), _OWN)
        for word in asked:
            profile.end[word] = max(profile.end.get(word, 0.0), _END)


def _content(text: str) -> list[str]:
    """The words of a template that say something."""
    return [word for word in fold_name(text.replace(MASK, " ")).split() if word not in classes().question]


def _asked_for(texts: Collection[str]) -> set[str]:
    """Stems of the nouns that templates ask for: the word after "which" or "what"."""
    found = set()
    for text in texts:
        words = fold_name(text.replace(MASK, " ")).split()
        if len(words) > 1 and words[0] in ("which", "what") and words[1] not in classes().question:
            found.add(stem(words[1]))
    return found
