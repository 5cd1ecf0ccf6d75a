"""What a chat shows: the answer, then its evidence, as Markdown in which nothing of the graph is markup.

Chat clients render a message's text. A label, a relation's name or a value could be an image that the reader's browser
fetches, a link, a heading, a formula; `plain` writes it so that every renderer shows its characters and no more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from trivium.kg.indexes.words import own_words
from trivium.kg.plans.codec import from_json
from trivium.kg.plans.plan import Entities, nodes
from trivium.kg.text import fold_name
from trivium.kg.types import EXACT_MATCHES
from trivium.nodes.run.abstain import did_you_mean, offered
from trivium.nodes.run.answer_record import Answer, PathRecord
from trivium.nodes.run.path_text import path_texts, walked, walked_labels
from trivium.tools.get_labels import get_labels

_SHOWN = 5  # answers whose path a message shows, and suggestions; `answer` has them all
_LABEL = 120  # characters of a label in a drawing
_PROOFS = 20  # paths among which those that the answer's text names are looked for

# Characters that begin markup anywhere, or could with some client's extensions; written as character references, which
# CommonMark takes for text. A backslash would itself begin a formula in clients that know \( and \[.
_MARKUP = re.compile(r"[\\`*\[\]{}<>#|~$^]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w])")
# What begins a block at the start of a line, and a list's number.
_BLOCK = re.compile(r"^(?:[-+=:]|\d+(?=[.)]))")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# In a model's own Markdown lists and emphasis stay; what could fetch, link, or be HTML or a formula does not.
_UNSAFE = re.compile(r"[\\\[\]<$]|&(?=[#\w])")


def plain(text: str) -> str:
    """A text as Markdown that renders as this text, on one line; control and direction characters are left out."""
    line = " ".join(_UNSEEN.sub("", text).split())
    escaped = _MARKUP.sub(_reference, line)
    return _BLOCK.sub(lambda found: "".join(f"&#{ord(each)};" for each in found[0]), escaped)


def harmless(text: str) -> str:
    """A model's Markdown without images, links, HTML and formulas: their signs are shown as they are."""
    return _UNSAFE.sub(_reference, _UNSEEN.sub("", text))


def _reference(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


async def chat_text(answer: Answer, kg: str, *, by_model: bool = False) -> str:
    """An answer as a chat shows it: what it says, a path a line, what may have been meant, and how sure it is.

    Args:
        answer: the typed result.
        kg: the KG, for the labels of the paths.
        by_model: whether a model worded its text, as Markdown of its own.
    """
    said = await without_evidence(answer, kg)
    for listed_below in filter(None, (did_you_mean(answer["suggestions"]), offered(answer["suggestions"]))):
        said = said.replace(listed_below, "")
    parts = [harmless(said) if by_model else plain(said)]
    parts.append("\n".join([f"- {line}" for line in await path_lines(_shown(answer), kg)]))
    if answer["suggestions"]:
        meant = [(plain(each["label"]), plain(each["why"])) for each in answer["suggestions"][:_SHOWN]]
        if answer["stop_reason"] == "out_of_scope":  # questions that the graph answers
            lines = ["Ask, for example:", "", *(f"- {label}" for label, _ in meant)]
        else:
            lines = ["Did you mean:", "", *(f"- {label} ({why})" for label, why in meant)]
        parts.append("\n".join(lines))
    if how := [*_how(answer), *await _read_as(answer, kg)]:
        parts.append(f"*{' · '.join(map(plain, how))}*")
    return "\n\n".join(filter(None, parts))


def _shown(answer: Answer) -> Sequence[PathRecord]:
    """A path for each of the first answers; where none leads to an answer, the first ones."""
    first = {path["answer"]: path for path in reversed(answer["paths"])}  # of several paths to an answer, the first
    wanted = [first[item["id"]] for item in answer["answers"][:_SHOWN] if item["id"] in first]
    return wanted or answer["paths"][:_SHOWN]


async def chat_ui(answer: Answer, kg: str, message_id: str) -> list[dict[str, Any]]:
    """The paths of `chat_text` for the UI component `paths`, which draws them below a message; none without a path.

    A UI message of LangGraph, of some 300 bytes a path; the component is `app/server/paths.js`.
    """
    paths, shown = [], _shown(answer)
    for path, labels in zip(shown, await walked_labels(shown, kg), strict=True):
        ids = walked(path)
        steps = [
            {"relation": own_words(t["relation"]) or t["relation"], "inverse": t["inverse"]} for t in path["triples"]
        ]
        entities = [{"id": key, "label": label[:_LABEL]} for key, label in zip(ids, labels, strict=True)]
        paths.append({"entities": entities, "steps": steps})
    if not paths:
        return []
    props: dict[str, Any] = {"paths": paths}
    if run := next((step["run"] for step in answer["steps"] if "run" in step), None):  # a thumb reaches it
        props |= {"run": run, "kg": answer["kg"]}
    about = {"message_id": message_id}
    return [{"type": "ui", "id": f"paths-{message_id}", "name": "paths", "props": props, "metadata": about}]


async def path_lines(paths: Sequence[PathRecord], kg: str) -> list[str]:
    """Paths as `A → relation → B ← relation ← C`; names are links where the graph's ids are web addresses."""
    told = []
    for path, labels in zip(paths, await walked_labels(paths, kg), strict=True):
        start, *names = [_name(*pair) for pair in zip(walked(path), labels, strict=True)]
        triples = zip(path["triples"], names, strict=True)
        steps = [f"{'←→'[not t['inverse']]} {_words(t['relation'])} {'←→'[not t['inverse']]} {n}" for t, n in triples]
        told.append(" ".join([start, *steps]))
    return told


def _name(key: str, label: str) -> str:
    shown = plain(label)
    if label == key or not re.fullmatch(r"https?://[^\s<>()\[\]\\]+", key):
        return shown
    return f"[{shown}](<{key}>)"


def _words(relation: str) -> str:
    return plain(own_words(relation) or relation)


def _how(answer: Answer) -> Sequence[str]:
    if answer["stop_reason"] != "answered":
        return []
    model = "" if answer["model"] == "none" else f", {answer['model']}"
    sure = answer["confidence"]
    return [f"{answer['method']}{model}", *([] if sure is None else [f"confidence {sure:.2f}"])]


async def _read_as(answer: Answer, kg: str) -> Sequence[str]:
    """How a question was read that was not read to the letter: a follow-up, and names that are like the graph's."""
    noted = [event["message"] for event in answer["events"] if event.get("event") == "follow_up"]
    if answer["stop_reason"] != "answered":
        return noted
    links: Mapping[str, Any] = next((step["links"] for step in answer["steps"] if step.get("links")), {})
    linked = [
        (mention, hits[0]["label"]) for mention, hits in links.items() if hits and hits[0]["match"] not in EXACT_MATCHES
    ]
    words = next((step["reading"]["words"] for step in answer["steps"] if step.get("reading")), ())
    guessed = [(word, named) for word, named, fit in words if fit < 1 and fold_name(word) != fold_name(named)]
    if guessed and answer["plan"]:
        ids = [key for node in nodes(from_json(answer["plan"])) if isinstance(node, Entities) for key in node.ids]
        labels = set(await get_labels(kg, ids))
        linked += [(word, named) for word, named in guessed if named in labels]
    return [*noted, *(f"{mention!r} read as {label}" for mention, label in dict(linked).items())]


async def without_evidence(answer: Answer, kg: str) -> str:
    """The answer's text without the paths that it names, for whom they are shown apart."""
    paths = [path for path in answer["paths"][:_PROOFS] if path["triples"]]
    if not paths or "Evidence" not in answer["answer"]:
        return answer["answer"]
    lines = [re.escape(text) for text in await path_texts(paths, kg)]
    proof, labels = "|".join(lines), "|".join(re.escape(item["label"]) for item in answer["answers"][:1])
    return re.sub(rf"\s*Evidence(?: for (?:{labels}))?: (?:{proof})(?:; (?:{proof}))*\.", "", answer["answer"]).strip()
