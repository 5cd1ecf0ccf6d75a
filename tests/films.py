"""A small KG of films made for tests, and question pairs over it whose answers are worked out here, without a store.

Names repeat on purpose: two films are called Solaris, and Avalon is a film and a band.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from trivium.kg.embedded import build
from trivium.kg.loaders import Question, read_entities, read_questions, read_triples
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.teaching import teach

_NAMED = """
alien = Alien; runner = Blade Runner; amelie = Amélie; avalon = Avalon; heat = Heat; ronin = Ronin
diner = Diner; gladiator = Gladiator; solaris72 = Solaris; solaris02 = Solaris; beneath = What Lies Beneath
jackie = Jackie Brown; band = Avalon; scott = Ridley Scott; jeunet = Jean-Pierre Jeunet
levinson = Barry Levinson; mann = Michael Mann; deniro = Robert De Niro; weaver = Sigourney Weaver
ford = Harrison Ford; tautou = Audrey Tautou; pacino = Al Pacino; reno = Jean Reno
tarkovsky = Andrei Tarkovsky; soderbergh = Steven Soderbergh; zemeckis = Robert Zemeckis
frank = John Frankenheimer; tarantino = Quentin Tarantino; hurt = John Hurt; hauer = Rutger Hauer
crowe = Russell Crowe; pfeiffer = Michelle Pfeiffer; grier = Pam Grier; clooney = George Clooney
natalya = Natalya Bondarchuk; rourke = Mickey Rourke; quinn = Aidan Quinn; obannon = Dan O'Bannon
fancher = Hampton Fancher; jody = Jody McBrayer; janna = Janna Long
"""
_NAMES = {
    key: name
    for line in _NAMED.strip().splitlines()
    for key, name in (entry.split(" = ") for entry in line.split("; "))
}

_FACTS = """
directed_by:
    alien scott; runner scott; gladiator scott; amelie jeunet; avalon levinson; diner levinson; heat mann;
    beneath zemeckis; ronin frank; solaris72 tarkovsky; solaris02 soderbergh; jackie tarantino
starring:
    alien weaver; alien hurt; runner ford; runner hauer; amelie tautou; heat deniro; heat pacino;
    ronin deniro; ronin reno; gladiator crowe; beneath ford; beneath pfeiffer; jackie deniro; jackie grier;
    solaris02 clooney; solaris72 natalya; diner rourke; avalon quinn
written_by:
    alien obannon; runner fancher; amelie jeunet; avalon levinson; diner levinson; heat mann;
    jackie tarantino; solaris72 tarkovsky; solaris02 soderbergh
has_genre:
    alien sci-fi; runner sci-fi; solaris72 sci-fi; solaris02 sci-fi; amelie comedy; diner comedy;
    avalon drama; gladiator drama; heat thriller; ronin thriller; beneath thriller; jackie thriller
release_year:
    alien 1979; runner 1982; amelie 2001; avalon 1990; heat 1995; ronin 1998; diner 1982; gladiator 2000;
    solaris72 1972; solaris02 2002; beneath 2000; jackie 1997
has_member:
    band jody; band janna
"""


def _facts() -> Iterator[tuple[str, str, str]]:
    relation = ""
    for line in _FACTS.strip().splitlines():
        if not line.startswith(" "):
            relation = line.rstrip(":")
            continue
        for fact in line.strip().rstrip(";").split("; "):
            head, tail = fact.split()
            yield head, relation, tail


TRIPLES = list(_facts())
_ASKED = [
    (
        "directed_by",
        "alien heat diner ronin",
        ["who directed {}?", "who is the director of {}?", "which person directed the film {}"],
    ),
    (
        "^directed_by",
        "levinson mann scott",
        ["which films did {} direct?", "what movies did {} direct", "films directed by {}"],
    ),
    (
        "starring",
        "alien runner heat jackie",
        ["who starred in {}?", "who acted in {}?", "which actors appear in {}"],
    ),
    (
        "^starring",
        "deniro weaver crowe",
        ["which films did {} act in?", "what movies did {} star in", "films starring {}"],
    ),
    (
        "written_by",
        "amelie runner heat",
        ["who wrote {}?", "who is the writer of {}?", "which person wrote the film {}"],
    ),
    (
        "^written_by",
        "jeunet levinson tarantino",
        ["which films did {} write?", "what movies did {} write", "films written by {}"],
    ),
    (
        "has_genre",
        "alien diner heat",
        ["what genre is {}?", "what kind of film is {}?", "which genre does {} have"],
    ),
    (
        "^has_genre",
        "comedy thriller drama",
        ["list the {} films", "which films have the genre {}?"],
    ),
    (
        "release_year",
        "ronin amelie runner",
        ["when was {} released?", "in which year did {} come out?", "the release year of {}"],
    ),
    (
        "^release_year",
        "1982 1997",
        ["which films came out in {}?", "which films were released in {}?"],
    ),
    (
        "has_member",
        "band",
        ["who is a member of {}?", "who are the members of the band {}?"],
    ),
    (
        "^has_member",
        "jody janna",
        ["which band has {} as a member?", "which band is {} a member of?"],
    ),
    (
        "^directed_by starring",
        "scott mann",
        ["who starred in the films directed by {}?", "which actors appear in the movies {} directed"],
    ),
    (
        "^starring directed_by",
        "deniro crowe",
        ["who directed the films starring {}?", "who is the director of the movies {} acted in"],
    ),
    (
        "^directed_by release_year",
        "scott levinson",
        ["when were the films directed by {} released?"],
    ),
    (
        "directed_by ^directed_by",
        "alien runner diner",
        ["which other films did the director of {} direct?", "what other movies were made by the director of {}"],
    ),
]
_ASKED_BOTH = {
    "^starring": (
        "which films star both {} and {}?|in which movies do both {} and {} appear",
        (("deniro", "pacino"), ("ford", "hauer"), ("weaver", "hurt")),
    ),
}


def walk(seeds: Iterable[str], chain: Sequence[str], left_out: Iterable[str] = ()) -> set[str]:
    """What a chain written as `rel` and `^rel` reaches, without `left_out` after every hop."""
    reached = set(seeds)
    for hop in chain:
        relation, back = hop.removeprefix("^"), hop.startswith("^")
        reached = {
            (head if back else tail)
            for head, name, tail in TRIPLES
            if name == relation and (tail if back else head) in reached
        } - set(left_out)
    return reached


def label(key: str) -> str:
    """An entity's name."""
    return _NAMES.get(key, key)


def pairs() -> list[dict[str, Any]]:
    """Question lines with chain and answers; the topic is marked in none but those of two topics."""
    lines: list[dict[str, Any]] = []
    for chain_words, topics, wordings in _ASKED:
        chain = chain_words.split()
        for wording in wordings:
            for topic in topics.split():
                answers = walk([topic], chain, [topic] if "other" in wording else [])
                text = wording.format(label(topic))
                lines.append({"question": text, "chain": chain, "answers": sorted(answers)})
    for hop, (both, couples) in _ASKED_BOTH.items():
        for wording in both.split("|"):
            for couple in couples:
                answers = walk([couple[0]], [hop]) & walk([couple[1]], [hop])
                branches = [{"topic": topic, "chain": [hop]} for topic in couple]
                text = wording.format(*map(label, couple))
                lines.append({"question": text, "branches": branches, "answers": sorted(answers)})
    return [{"id": f"q{number}", **line} for number, line in enumerate(lines)]


def write_files(folder: Path) -> tuple[Path, Path, Path]:
    """The KG's triples and entities and the pairs as files, as a user would have them."""
    triples, entities, questions = folder / "triples.tsv", folder / "entities.tsv", folder / "pairs.jsonl"
    triples.write_text("".join("\t".join(triple) + "\n" for triple in TRIPLES), encoding="utf-8")
    entities.write_text("".join(f"{key}\t{name}\t\t\n" for key, name in _NAMES.items()), encoding="utf-8")
    questions.write_text("".join(json.dumps(pair) + "\n" for pair in pairs()), encoding="utf-8")
    return triples, entities, questions


def build_films(folder: Path) -> tuple[Path, list[Question]]:
    """The KG under `folder`, not learned yet, and the pairs as they are read from their file."""
    triples, entities, questions = write_files(folder)
    build(folder / "kg", read_triples(triples), read_entities(entities))
    return folder / "kg", read_questions(questions)


def films_without_pairs(folder: Path) -> Path:
    """The KG under `folder`, learned from its relations' names alone: for what does not depend on pairs."""
    made, _ = build_films(folder)
    with Knowledge.open(made) as kg:
        asyncio.run(teach(kg, None, lambda *_: None))
    return made
