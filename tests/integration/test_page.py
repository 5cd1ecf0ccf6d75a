"""The web page in Chromium against a real server; left out where Chromium is not installed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.conftest import Server, serving
from tests.page import PHONE, TASKS, TWO_HOPS, Person, chromium, find_that_it_is_not_there, follow_a_path, missing
from trivium.app.server.keys import hash_of
from trivium.kg.embedded import build
from trivium.kg.loaders import read_entities, read_triples
from trivium.knowledge.knowledge import Knowledge
from trivium.knowledge.sample import ensure_sample
from trivium.policies.reader.chains.teaching import teach

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LACK = missing()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(LACK), reason=f"the page is not tried: this machine lacks {LACK}"),
]

LONG = "x" * 10_000
HOSTILE = {
    "script": "<script>window.hacked = 1</script>",
    "image": '<img src="http://evil.example/a.png" onerror="window.hacked = 1">',
    "markdown": "![a](http://evil.example/b.png) [click](javascript:window.hacked=1) **bold**",
    "style": "</style><style>*{display:none}</style>",
    "long": LONG,
    "turned": "\u202emoc.live\u202c",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    ensure_sample()  # made once, before the server starts
    with serving(tmp_path_factory.mktemp("page"), "", "sample") as running:
        yield running


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A film with directors whose names are markup; a key is needed."""
    folder = tmp_path_factory.mktemp("hostile")
    triples, entities = folder / "triples.tsv", folder / "entities.tsv"
    triples.write_text("".join(f"heat\tdirected_by\t{name}\n{name}\tborn_in\tparis\n" for name in HOSTILE))
    named = {"heat": "Heat", "paris": "Paris", **HOSTILE}
    entities.write_text("".join(f"{name}\t{label}\n" for name, label in named.items()))
    build(folder / "kg", read_triples(triples), read_entities(entities))
    with Knowledge.open(folder / "kg") as kg, ThreadPoolExecutor(1) as beside:  # Playwright's loop runs in this thread
        beside.submit(asyncio.run, teach(kg, None, lambda *_: None)).result()
    path, known = json.dumps(str(folder / "kg")), hash_of("tv-alice")
    settings = f'[kg.hostile]\npath = {path}\n[server.auth.alice]\nsha256 = "{known}"\n'
    with serving(folder, settings, "hostile") as running:
        yield running


Visitor = Callable[..., Person]


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Visitor]:
    """Makes somebody at a server's page; in the end nothing was wrong there, and no other host was asked."""
    made: list[Person] = []

    def visit(server: Server, **settings: Any) -> Person:
        made.append(Person(browser, server.url, **settings))
        return made[-1]

    yield visit
    for person in made:
        person.close()
        assert person.trouble == []


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_a_person_who_has_never_seen_it(task: Callable[[Person], None], sample: Server, visitor: Visitor) -> None:
    task(visitor(sample))


def _violations(person: Person) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(person.page).response["violations"]
    return [
        f"{each['id']}: {each['nodes'][0]['target']}" for each in found if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(scheme: str, sample: Server, visitor: Visitor) -> None:
    person = visitor(sample, color_scheme=scheme)
    person.visit()
    assert _violations(person) == []
    follow_a_path(person)
    assert _violations(person) == []
    find_that_it_is_not_there(person)
    person.last("text=Correct the reading").click()
    person.last("text=Compare methods").click()
    person.last(".compare[data-done]").wait_for()
    assert _violations(person) == []


def test_axe_can_fail(sample: Server, visitor: Visitor) -> None:
    person = visitor(sample)
    person.visit()
    person.page.evaluate("document.getElementById('send').removeAttribute('aria-label')")
    assert any(each.startswith("button-name") for each in _violations(person))


def test_a_phone_shows_it_without_scrolling_sideways(sample: Server, visitor: Visitor) -> None:
    person = visitor(sample, viewport=PHONE, has_touch=True, is_mobile=True)
    person.visit()
    person.ask(TWO_HOPS)
    person.last("text=Correct the reading").click()
    person.last(".tools >> text=Query").click()
    assert person.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert not person.page.locator("#threads").is_visible()
    person.page.get_by_role("button", name="Earlier questions").click()
    assert person.page.locator("#history .open").first.is_visible()


@pytest.mark.parametrize("width", [PHONE["width"], 320])
def test_a_phone_shows_all_that_the_bar_says_of_the_graph(width: int, sample: Server, visitor: Visitor) -> None:
    person = visitor(sample, viewport={**PHONE, "width": width}, has_touch=True, is_mobile=True)
    person.visit()
    about = person.page.locator("#about")
    assert about.inner_text().splitlines()[0] == "sample"
    assert "entities," in about.inner_text()
    assert "facts" in about.inner_text()
    for cut in ("each.scrollWidth > each.clientWidth", "each.scrollHeight > each.closest('header').clientHeight"):
        assert not about.evaluate(f"each => {cut}"), cut


def test_an_earlier_question_is_deleted_by_the_mouse(sample: Server, visitor: Visitor) -> None:
    person = visitor(sample)
    person.visit()
    person.ask("who founded Google?")
    entry = person.page.locator("#history li[data-open]", has_text="who founded Google?")
    entry.hover()
    button = entry.get_by_role("button", name="Delete: who founded Google?")
    assert button.evaluate("each => getComputedStyle(each).opacity") == "1", "it is there to be seen"
    button.click()
    person.page.locator("#start").wait_for()
    assert entry.count() == 0


def test_who_says_hello_is_offered_questions(sample: Server, visitor: Visitor) -> None:
    person = visitor(sample)
    person.visit()
    assert person.ask("hello, what can you do?") == "That is not a question to the graph."
    person.last(".suggestions button").first.click()
    person.answer(1)
    assert person.last(".result").get_attribute("data-stop") == "answered"


def test_it_is_used_by_the_keyboard_alone(sample: Server, visitor: Visitor) -> None:
    person = visitor(sample)
    person.visit()
    keys = person.page.keyboard
    keys.press("/")
    keys.type("who directed Written on the Wind?")
    keys.press("Enter")
    assert person.answer(0) == "Douglas Sirk"
    assert person.page.evaluate("document.activeElement.className") == "answer"
    keys.press("Tab")
    keys.press("Enter")
    person.page.locator("#entity h2", has_text="Douglas Sirk").wait_for()
    keys.press("Escape")
    assert not person.page.locator("#entity").is_visible()
    assert person.page.evaluate("document.activeElement.textContent") == "Douglas Sirk"


def test_a_server_that_is_gone_is_said_in_words(sample: Server, visitor: Visitor) -> None:
    person = visitor(sample)
    person.visit()
    person.ask("who founded Google?")
    person.page.context.set_offline(True)
    person.page.get_by_label("Your question").fill("who directed Written on the Wind?")
    person.page.keyboard.press("Enter")
    assert person.last("[role=alert]").inner_text().startswith("The server cannot be reached.")
    person.page.context.set_offline(False)
    assert person.ask("who directed Written on the Wind?") == "Douglas Sirk"
    person.trouble.clear()  # the browser itself notes what it could not reach


def test_labels_are_text(hostile: Server, visitor: Visitor) -> None:
    person = visitor(hostile)
    person.trouble = []
    person.page.goto(f"{hostile.url}/app")
    person.page.get_by_role("textbox", name="Key").fill("tv-alice")
    person.page.get_by_role("button", name="Use this key").click()
    person.page.wait_for_selector("html[data-ready=true]")
    person.trouble.clear()  # the browser itself notes that it was asked for a key
    person.ask("who directed Heat?")
    shown = {each.strip() for each in person.last(".answer button").all_text_contents()}
    assert shown >= {HOSTILE[name] for name in ("script", "image", "markdown", "style")}
    assert max(map(len, shown)) <= 200  # 10 kB of a name do not fill the page
    assert not any("\u202e" in each for each in shown)
    for name in ("script", "image", "markdown", "style", "long"):
        person.last(f"[data-entity={name}]").first.click()
        person.page.locator(f"#entity[data-id={name}] .canvas[data-drawn]").wait_for()
    assert person.page.evaluate("window.hacked") is None
    made = "#turns img, #turns script, #turns style, #turns a, #turns b, #entity img, #entity script, #entity a"
    assert person.page.locator(made).count() == 0
    assert person.page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_a_wrong_key_is_asked_for_again(hostile: Server, visitor: Visitor) -> None:
    person = visitor(hostile)
    person.page.goto(f"{hostile.url}/app")
    person.page.get_by_role("textbox", name="Key").fill("tv-wrong")
    person.page.get_by_role("button", name="Use this key").click()
    person.page.get_by_text("The server does not know this key").wait_for()
    assert "tv-wrong" not in person.page.evaluate("JSON.stringify(localStorage)")
    person.page.get_by_role("button", name="Cancel").click()
    person.trouble.clear()
