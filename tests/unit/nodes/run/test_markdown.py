"""What a chat shows, rendered: nothing that the graph holds is markup."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from trivium.kg.plans.codec import to_json
from trivium.kg.plans.plan import ChainStep, Entities, Follow
from trivium.nodes.run.answer_record import Answer, path_record
from trivium.nodes.run.markdown import chat_text, chat_ui, harmless, path_lines, plain

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
EVIL = [
    "![pixel](http://evil.example/track.png)",
    "[click me](http://evil.example)",
    "[ref]: http://evil.example",
    "# Heading Man",
    "$100 and $200",
    "~~struck~~ *bold* _it_ `code` **x**",
    "<script>alert(1)</script>",
    "<img src=http://evil.example/x.png>",
    "<http://evil.example>",
    "a\n\n# b\n---\n| x | y |\n|---|---|",
    "1. one",
    "- item",
    "+ item",
    "---",
    "===",
    "> quote",
    "&lt;b&gt; &#60; &amp",
    "\\(x\\) \\[y\\] \\",
    "::: note",
    "snake_case_name _a_ __b__",
    "[^1]",
    "\u202eevil",
]
LABEL = st.text(
    st.one_of(st.sampled_from("\\`*_{}[]<>()#+-.!|~$&:;=\"'/^@ \n\ta1é"), st.characters(exclude_categories=["Cs"])),
    max_size=40,
) | st.lists(st.sampled_from(EVIL), min_size=1, max_size=3).map(" ".join)


def _tokens(text: str) -> Iterator[Token]:
    for token in RENDERER.parse(text):
        yield token
        yield from token.children or ()


def _shown(text: str) -> str:
    """The characters that a rendered text shows; `AssertionError` for anything but text in paragraphs and lists."""
    out = []
    for token in _tokens(text):
        assert token.type in _TEXT, (token.type, text)
        out.append(token.content if token.type in ("text", "text_special") else "")
    return "".join(out)


_TEXT = {
    "text", "text_special", "inline", "paragraph_open", "paragraph_close", "bullet_list_open", "bullet_list_close",
    "list_item_open", "list_item_close",
}  # fmt: skip


def _as_shown(label: str) -> str:
    """A label without what no renderer shows: runs of white space, control and direction characters."""
    kept = "".join(each for each in label if each.isspace() or (ord(each) > 31 and each not in _UNSEEN))
    return " ".join(kept.split())


_UNSEEN = "\x7f\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@given(LABEL)
def test_a_label_is_shown_as_it_is(label: str) -> None:
    for written in (plain(label), f"- A → {plain(label)} → B"):
        shown = _shown(written)
        assert shown.removeprefix("A → ").removesuffix(" → B").strip() == _as_shown(label)
    assert not set(plain(label)) & set("$\\")


@pytest.mark.parametrize("label", EVIL)
def test_a_models_words_fetch_and_link_nothing(label: str) -> None:
    kinds = {token.type for token in _tokens(harmless(f"It says **so**: {label}"))}
    assert not kinds & {"image", "link_open", "html_inline", "html_block"}
    assert "strong_open" in kinds
    assert not set(harmless(label)) & set("$\\")


class _Labels:
    """Stands in for `get_labels`: an id is its own label, but for one."""

    async def __call__(self, kg: str, ids: list[str], *, ends_of: list[str]) -> list[str]:
        assert len(ends_of) == len(ids)
        return ["A [link](http://x)" if each == "http://kg.example/a" else each for each in ids]


def _answer(**parts: object) -> Answer:
    empty: Answer = {
        "id": "", "question": "who?", "kg": "k", "method": "keqing", "model": "none", "answer": "", "answers": [],
        "choice": None, "value": None, "values": [], "confidence": 0.9, "suggestions": [], "evidence": None,
        "paths": [], "plan": None, "query": None, "steps": [], "stop_reason": "answered",
        "usage": {"llm_calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "seconds": 0.0}, "events": [],
    }  # fmt: skip
    return {**empty, **parts}  # type: ignore[typeddict-item]  # the parts are an answer's


@pytest.fixture
def _labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.nodes.run.path_text.get_labels", _Labels())


@pytest.mark.usefixtures("_labels")
@pytest.mark.parametrize("label", EVIL)
async def test_a_whole_answer_of_evil_labels_is_text(label: str) -> None:
    path = path_record([(label, label, label, False), (label, f"made_{label}", label, True)], label)
    said = f"{label} and {label}. Evidence for {label}: {label} -{label}-> {label}."
    answers = [{"id": label, "label": label, "score": 1.0}]
    suggestions = [{"id": label, "label": label, "why": label}]
    text = await chat_text(_answer(answer=said, answers=answers, paths=[path], suggestions=suggestions), "k")
    kinds = {token.type for token in _tokens(text)} - _TEXT
    assert kinds == {"em_open", "em_close"}  # the line of method and confidence
    assert "http" not in "".join(str(token.attrs) for token in _tokens(text))


@pytest.mark.usefixtures("_labels")
async def test_an_answer_is_said_first_and_then_proved() -> None:
    paths = [path_record([("Heat", "directed_by", "Mann", False)], "Mann")]
    paths.append(path_record([("Ronin", "seenBy", "Mann", True)], "Ronin"))
    answers = [{"id": name, "label": name, "score": 1.0} for name in ("Mann", "Ronin")]
    said = "Mann and Ronin. Evidence for Mann: Heat -directed_by-> Mann."
    text = await chat_text(_answer(answer=said, answers=answers, paths=paths), "k")
    assert text == (
        "Mann and Ronin.\n\n- Heat → directed by → Mann\n- Mann ← seen by ← Ronin\n\n*keqing · confidence 0.90*"
    )


@pytest.mark.usefixtures("_labels")
async def test_ids_that_are_web_addresses_are_links() -> None:
    path = path_record([("http://kg.example/a", "p", "javascript:alert(1)", False)], "b")
    (line,) = await path_lines([path], "k")
    links = [token.attrs["href"] for token in _tokens(line) if token.type == "link_open"]
    assert links == ["http://kg.example/a"]


@pytest.mark.usefixtures("_labels")
async def test_how_a_follow_up_was_read_is_said_in_the_last_line() -> None:
    read = [{"event": "follow_up", "message": "read as 'who directed `Heat`?'"}, {"event": "other", "message": "x"}]
    answered = await chat_text(_answer(answer="Mann.", events=read), "k")
    assert answered == "Mann.\n\n*keqing · confidence 0.90 · read as 'who directed &#96;Heat&#96;?'*"
    unanswered = await chat_text(_answer(answer="Nothing.", stop_reason="not_found", events=read), "k")
    assert unanswered == "Nothing.\n\n*read as 'who directed &#96;Heat&#96;?'*"


async def test_a_name_that_is_only_like_one_of_the_graph_is_said(kg_name: str) -> None:
    """What chains linked says how it matches; of a plan, the words of its reading, where they are an entity's."""
    near = {"label": "Heat", "match": "fuzzy"}
    links = {"Haet": [near], "Ronin": [{"label": "Ronin", "match": "folded"}], "Nobody": []}
    text = await chat_text(_answer(answer="Mann.", steps=[{"stage": "link_entities", "links": links}]), kg_name)
    assert text.endswith("confidence 0.90 · 'Haet' read as Heat*")
    words = [["directed", "directed_by", 0.98], ["Haet", "Heat", 0.8], ["Ronin", "Ronin", 1.0], ["heat", "Heat", 0.9]]
    read = {"stage": "decompose", "reading": {"words": words}}
    plan = to_json(Follow(Entities(("heat",)), (ChainStep("directed_by", "out"),)))
    text = await chat_text(_answer(answer="Mann.", plan=plan, steps=[read]), kg_name)
    assert text.endswith("confidence 0.90 · 'Haet' read as Heat*")


async def test_what_could_be_asked_instead_is_listed_once() -> None:
    asks = [{"id": text, "label": text, "why": "this graph answers it"} for text in ("who?", "what?")]
    said = "This is no question. You could ask: who? what?"
    text = await chat_text(_answer(answer=said, stop_reason="out_of_scope", suggestions=asks), "k")
    assert text == "This is no question.\n\nAsk, for example:\n\n- who?\n- what?"


_TWO = {"w": "film", "b": "book"}


@pytest.mark.usefixtures("_labels")
async def test_what_may_have_been_meant_is_asked() -> None:
    near = [{"id": key, "label": "Written on the Wind", "why": f"{kind}, similar name"} for key, kind in _TWO.items()]
    said = "The knowledge graph has no entity named 'Written on the Wnd'."
    asked = f"{said} Did you mean Written on the Wind?"  # where nothing is listed
    text = await chat_text(_answer(answer=asked, stop_reason="unknown_entity", suggestions=near), "k")
    assert text == (
        f"{said}\n\nDid you mean:\n\n- Written on the Wind (film, similar name)\n"
        "- Written on the Wind (book, similar name)"
    )


@pytest.mark.usefixtures("_labels")
async def test_the_paths_of_the_text_are_drawn_below_it_and_no_more() -> None:
    paths = [path_record([("Heat", "directedBy", "x" * 500, False), ("Ronin", "seenBy", "x" * 500, True)], "Ronin")]
    paths += [path_record([("Heat", "directedBy", f"m{n}", False)], f"m{n}") for n in range(30)]
    answers = [{"id": path["answer"], "label": path["answer"], "score": 1.0} for path in paths]
    (drawn,) = await chat_ui(_answer(answers=answers, paths=paths), "k", "m1")
    assert (drawn["type"], drawn["name"], drawn["metadata"]) == ("ui", "paths", {"message_id": "m1"})
    first, *others = drawn["props"]["paths"]
    assert [each["id"] for each in first["entities"]] == ["Heat", "x" * 500, "Ronin"]
    assert first["steps"] == [{"relation": "directed by", "inverse": False}, {"relation": "seen by", "inverse": True}]
    assert len(others) == 4
    (told,) = await chat_ui(_answer(paths=paths, steps=[{"stage": "select_prompt", "run": "r1"}]), "k", "m1")
    assert (told["props"]["run"], told["props"]["kg"]) == ("r1", _answer()["kg"])
    assert await chat_ui(_answer(stop_reason="not_found"), "k", "m1") == []
