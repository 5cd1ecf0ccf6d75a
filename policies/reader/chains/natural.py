"""Templates in natural words for a schema's hops: "who directed [mask]?", not "what is the directed by of [mask]?".

Words come from a small phrase book of English (`phrases.txt`), else are put together from the shape of a relation's
name and the types of its ends. No text may stand for two hops (matching finds hops by their text): where two would read
alike, each takes a longer wording, and in the end the one that the name alone gives
(`trivium.policies.reader.chains.templates`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from trivium.kg.indexes import name_path, own_words, relation_words
from trivium.kg.types import Hop, RelationSchema, schema_hops
from trivium.policies.reader.chains.lexicon import lexicon, stem
from trivium.policies.reader.chains.templates import QuestionTemplate, schema_template
from trivium.policies.reader.english import FOLDER, classes, english

_FILE = FOLDER / "phrases.txt"


@dataclass(frozen=True)
class _Names:
    """What a relation's name and types give: words of its own, nouns for its ends ("" for none).

    Of a path over a node that stands for an event (Freebase's CVT) also the event's name, and the stems by which the
    path's first part names the event: only where the own words say the same is the name a relation's by itself.
    """

    own: tuple[str, ...]
    head: str
    tail: str
    between: str = ""
    event: frozenset[str] = frozenset()

    @property
    def plain(self) -> tuple[str, ...]:
        """The own words without an auxiliary before them: `has genre` is `genre`."""
        return self.own[1:] if len(self.own) > 1 and self.own[0] in classes().verbs_of_names else self.own


@dataclass(frozen=True, slots=True)
class _Verb:
    """A verb's base and past, whether it is asked for in the present, and "who" or "what" does it."""

    base: str
    past: str
    now: bool
    who: str

    def done(self, manner: str = "") -> tuple[str, str]:
        """Both ways to ask where triples begin with what it is done to: `directed by`."""
        told, did = (_present(self.base), "does") if self.now else (self.past, "did")
        several = self.base if self.now else self.past
        agent = f"{{tails {self.who} {manner}{told}|{manner}{several}}} [mask]?"
        return agent, f"which {{heads}} {did} [mask] {manner}{self.base}?"

    def doing(self) -> tuple[str, str]:
        """Both ways to ask where triples begin with the doer: `directed`."""
        agent, done = self.done()
        return done.replace("{heads}", "{tails}"), agent.replace("{tails", "{heads")


@dataclass
class _Book:
    """The phrase book: (this way, the other way) by name, and the verbs by their participles."""

    phrases: dict[str, tuple[str, str]] = field(default_factory=dict)
    by_participle: dict[str, _Verb] = field(default_factory=dict)

    def add_verb(self, words: Sequence[str]) -> None:
        """A line such as `direct directed directed director`; see the file."""
        base, past, participle, *rest = words
        verb = _Verb(base, past, now="~" in rest, who="what" if "what" in rest else "who")
        agents = [word for word in rest if word not in ("~", "what")]
        self.by_participle.setdefault(participle, verb)
        for name in [f"{participle} by", *agents, *map(plural, agents)]:
            self.phrases.setdefault(name, verb.done())
        for name in [past, _present(base), *(f"{agent} of" for agent in agents)]:
            self.phrases.setdefault(name, verb.doing())


@cache
def _book() -> _Book:
    book = _Book()
    lines = [line.partition("#")[0].strip() for line in _FILE.read_text(encoding="utf-8").splitlines()]
    for names, *ways in (line.split("|") for line in lines if "|" in line):
        for name in names.split(","):
            book.phrases[name.strip()] = (ways[0].strip(), ways[1].strip())
    for line in lines:
        if line and "|" not in line:
            book.add_verb(line.split())
    return book


def natural_templates(schema: Iterable[RelationSchema]) -> list[QuestionTemplate]:
    """A template for every hop of the schema, no two of the same text but those whose names alone are alike."""
    wordings = {hop: _wordings(hop, relation) for relation in schema for hop in schema_hops([relation])}
    merged: dict[str, list[Hop]] = {}
    for hop, text in _apart(wordings).items():
        merged.setdefault(text, []).append(hop)
    return [QuestionTemplate(text, tuple((hop,) for hop in alike)) for text, alike in merged.items()]


def own_wordings(schema: Iterable[RelationSchema]) -> dict[Hop, list[str]]:
    """For each hop of the schema the wordings that no other hop has, the most natural first; may be none."""
    wordings = {hop: _wordings(hop, relation) for relation in schema for hop in schema_hops([relation])}
    said = Counter(text for texts in wordings.values() for text in texts)
    return {hop: [text for text in texts if said[text] == 1] for hop, texts in wordings.items()}


def _apart(wordings: Mapping[Hop, Sequence[str]]) -> dict[Hop, str]:
    """Each hop's first wording that is no other hop's; its last one, from the name alone, where there is none."""
    level = dict.fromkeys(wordings, 0)
    while True:
        said = Counter(wordings[hop][place] for hop, place in level.items())
        alike = [hop for hop, place in level.items() if said[wordings[hop][place]] > 1]
        more = [hop for hop in alike if level[hop] + 1 < len(wordings[hop])]
        if not more:
            return {hop: wordings[hop][place] for hop, place in level.items()}
        for hop in more:
            level[hop] += 1


def _wordings(hop: Hop, relation: RelationSchema) -> list[str]:
    """The hop's wordings, the most natural first, the last from its name alone."""
    names = _names(relation)
    both = [pair for pair in (_phrase(names), _from_shape(names)) if pair is not None]
    texts = [_filled(pair[hop.inverse], names) for pair in both]
    # Alike so far: "the film [mask]" says which of two relations with one name is meant, and the event's name does.
    start = names.tail if hop.inverse else names.head
    if hop.inverse and names.head and names.plain[-1] not in classes().prepositions:
        texts.append(f"which {plural(names.head)} have the {' '.join(names.plain)} [mask]?")
    texts += [text.replace("[mask]", f"the {start} [mask]") for text in texts[:1] if start and "the [mask]" not in text]
    texts += [f"{text.removesuffix('?')} by {names.between}?" for text in texts[-1:] if names.between]
    return list(dict.fromkeys([*texts, schema_template(hop).text]))


def _names(relation: RelationSchema) -> _Names:
    parts = name_path(relation.name)
    own = tuple(own_words(relation.name).removesuffix(" s").split())  # Freebase marks plurals so: `sibling_s`
    head, tail = _noun(relation.head_types), _noun(relation.tail_types)
    if not parts:
        return _Names(own, head, tail)
    head = head or relation_words(parts[0][-2])
    if len(parts) == 1:
        return _Names(own, head, tail)
    between = relation_words(parts[-1][-2])
    event = frozenset(map(stem, relation_words(parts[0][-1]).removesuffix(" s").split()))
    return _Names(own, head, tail, between, event)


def _noun(types: Sequence[str]) -> str:
    """The most frequent type as a noun; none where it says nothing ("Entity")."""
    words = relation_words(types[0]) if types else ""
    return "" if words in classes().any_type or not words.replace(" ", "").isalpha() else words


def _phrase(names: _Names) -> tuple[str, str] | None:
    """What the phrase book has for a name, as it stands or without "has" and the like."""
    book, (*more, last) = _book(), names.plain
    whole = " ".join(names.own)
    if names.event and names.event != set(map(stem, names.own)) and whole not in english().anywhere:
        return None  # an `award` over a nomination is none that was won
    found = book.phrases.get(whole) or book.phrases.get(" ".join(names.plain))
    if found is None and len(more) > 1 and last == "by" and more[-1] in book.by_participle:
        found = book.by_participle[more[-1]].done(f"{' '.join(more[:-1])} ")  # "executive produced by"
    if found is None and more and last in book.by_participle:  # "organizations founded"
        verb = book.by_participle[last]
        asked, agent = verb.doing()
        found = (asked.replace("{tails}", " ".join(more)), agent)
    return found


def _from_shape(names: _Names) -> tuple[str, str]:
    """Both ways to ask for a relation whose name is in no phrase book, from the shape of the name."""
    words = names.plain
    first, last, whole = words[0], words[-1], " ".join(words)
    who = "who" if _is_person(names.tail) else "what"
    whose = "who" if _is_person(names.head) else "what"
    if len(words) > 1 and last == "of":
        return f"what is [mask] the {' '.join(words[:-1])} of?", f"{whose} is the {whole} [mask]?"
    if len(words) > 2 and last == "by" and not words[-2].endswith("ed"):  # "production design by"
        deed = " ".join(words[:-1])
        return f"who did the {deed} of [mask]?", f"which {{heads}} have the {deed} by [mask]?"
    if len(words) > 1 and last in classes().prepositions:
        if _is_present(first):
            return f"{who} does [mask] {' '.join([_base(first), *words[1:]])}?", f"{whose} {whole} [mask]?"
        return f"{who} was [mask] {whole}?", f"{whose} was {whole} [mask]?"
    if len(words) > 1 and first in classes().prepositions:
        noun = " ".join(words[1:])
        return f"which {noun} is [mask] {first}?", f"which {{heads}} are {first} the {noun} [mask]?"
    many = _is_plural(last) or (len(words) > 1 and last.endswith("ed") and _is_plural(words[-2]))
    asked = f"{'who' if who == 'who' or _is_person(last) else 'what'} {'are' if many else 'is'} the {whole} of [mask]?"
    if many:
        have = "who has" if whose == "who" else "which {heads} have"
        return asked, f"{have} [mask] among their {whole}?"
    return asked, f"whose {whole} is [mask]?" if whose == "who" else f"which {{heads}} have the {whole} [mask]?"


def _filled(text: str, names: _Names) -> str:
    """The text with its nouns; a verb in the singular where "who" or "what" stands for a noun that is not known."""
    for slot, noun in (("heads", names.head), ("tails", names.tail)):
        if f"{{{slot} " in text:
            before, _, rest = text.partition(f"{{{slot} ")
            inside, _, after = rest.partition("}")
            one, several = inside.split("|")
            named = noun and not _is_person(noun)
            text = f"{before}{f'which {plural(noun)} {several}' if named else one}{after}"
        if noun:
            text = text.replace(f"{{{slot}}}", plural(noun))
            continue
        for many, single in (("were", "was"), ("are", "is"), ("have", "has")):
            text = text.replace(f"which {{{slot}}} {many} ", f"what {single} ")
        text = text.replace(f"which {{{slot}}}", "what")
    return text


def _is_person(noun: str) -> bool:
    """Whether a noun's last word is a person's: one who does something, or people in general."""
    word = stem(noun.rsplit(maxsplit=1)[-1]) if noun else ""
    return word not in english().groups and any(
        "who" in (concept.doers if word in concept.doers else concept.words)
        for concept in lexicon().about(word)
        if concept.doers or {"person", "human"} & concept.words
    )


def _is_present(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3


def _is_plural(word: str) -> bool:
    return _is_present(word) or word in english().plurals.values()


def _present(base: str) -> str:
    """The third person: `supply` -> `supplies`; nouns take the same endings."""
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return f"{base[:-1]}ies"
    return f"{base}es" if base.endswith(("s", "x", "ch", "sh")) else f"{base}s"


def _base(present: str) -> str:
    """The verb of a third person: `supplies` -> `supply`, `reaches` -> `reach`, `lives` -> `live`."""
    if present.endswith("ies"):
        return f"{present[:-3]}y"
    return present[:-2] if present.endswith(("sses", "xes", "ches", "shes")) else present[:-1]


def plural(noun: str) -> str:
    """A noun's plural: `award nominee` -> `award nominees`."""
    *before, last = noun.split()
    if last in english().plurals:
        last = english().plurals[last]
    elif not _is_plural(last):
        last = _present(last)
    return " ".join([*before, last])
