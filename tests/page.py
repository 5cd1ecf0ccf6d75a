"""The web page in Debian's Chromium: ten tasks of a person who has never seen it, for tests and for screenshots.

`python -m tests.page` starts a server over the bundled sample, does every task and writes a screenshot of each to
`build/page/` (`make screenshots`), and the one that README shows to `docs/images/page/`. `python -m tests.page --paint`
measures when the page is first painted.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_ROOT = Path(__file__).parents[1]
IMAGES = _ROOT / "build" / "page"
SHOWN = _ROOT / "docs" / "images" / "page" / "follow_a_path.png"
"""What README shows."""
SIZE = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
TWO_HOPS = "who starred in films directed by Douglas Sirk?"
_WAIT = 60_000  # milliseconds; an answer takes about one


def missing() -> str:
    """What this machine lacks for a browser's tests; empty where it has all."""
    if not (find_spec("playwright") and find_spec("axe_playwright_python")):
        return "playwright (pip install .[dev])"
    return "" if shutil.which("chromium") else "Chromium (apt-get install chromium)"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


class Person:
    """Somebody at the page of a server, who sees what Chromium shows and says so where something is wrong.

    Attributes:
        page: Chromium's.
        trouble: errors of the console and of scripts, and requests to another host.
    """

    def __init__(self, browser: Browser, url: str, **settings: Any) -> None:
        self._context = browser.new_context(**{"viewport": SIZE, **settings})
        self._context.set_default_timeout(_WAIT)
        self._url, self.trouble = url, list[str]()
        self.page: Page = self._context.new_page()
        self.page.on("console", lambda said: self.trouble.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("request", lambda sent: None if self._own(sent.url) else self.trouble.append(sent.url))

    def _own(self, address: str) -> bool:
        return address.startswith((f"{self._url}/", "data:", "blob:"))

    def close(self) -> None:
        """Leave."""
        self._context.close()

    def allow_clipboard(self) -> None:
        """Let the page write to the clipboard and this person read it."""
        self._context.grant_permissions(["clipboard-read", "clipboard-write"])

    def visit(self) -> None:
        """Open the page."""
        self.page.goto(f"{self._url}/app")
        self.page.wait_for_selector("html[data-ready=true]")

    def ask(self, question: str) -> str:
        """Type a question, and return what the page answers."""
        turns = self.page.locator(".turn").count()
        self.page.get_by_label("Your question").fill(question)
        self.page.keyboard.press("Enter")
        return self.answer(turns)

    def answer(self, turn: int) -> str:
        """The heading of a turn's answer, once it is there and drawn."""
        result = self.page.locator(".turn").nth(turn).locator(".result")
        result.wait_for()
        if result.locator(".canvas").count():
            result.locator(".canvas[data-drawn]").first.wait_for()
        return result.locator(".answer").inner_text()

    def last(self, selector: str) -> Any:  # noqa: ANN401 - Playwright's Locator
        """Something of the last turn."""
        return self.page.locator(".turn").last.locator(selector)


def ask(person: Person) -> None:
    """Ask a question."""
    person.visit()
    person.page.evaluate(
        """() => { window.seen = []; new MutationObserver(() => document.querySelectorAll("[data-stage]").forEach(
            (each) => seen.includes(each.dataset.stage) || seen.push(each.dataset.stage)))
            .observe(document.getElementById("turns"), { childList: true, subtree: true }); }"""
    )
    assert person.ask("who directed Written on the Wind?") == "Douglas Sirk"
    stages = person.page.evaluate("seen")
    assert stages[:2] == ["plan_methods", "decompose"], stages
    assert "Written on the Wind" in person.last(".paths li").first.inner_text()


def follow_a_path(person: Person) -> None:
    """From a path of the answer to an entity on it, to a neighbor of that, and back."""
    person.visit()
    person.ask(TWO_HOPS)
    person.last(".paths button").filter(has_text="All That Heaven Allows").first.click()
    panel = person.page.locator("#entity")
    panel.locator("h2", has_text="All That Heaven Allows").wait_for()
    panel.get_by_role("button", name="Jane Wyman").click()
    panel.locator("h2", has_text="Jane Wyman").wait_for()
    panel.locator(".canvas[data-drawn]").wait_for()
    assert "Magnificent Obsession" in panel.inner_text()
    panel.get_by_role("button", name="← All That Heaven Allows").click()
    panel.locator("h2", has_text="All That Heaven Allows").wait_for()
    panel.locator(".canvas[data-drawn]").wait_for()


def correct_the_reading(person: Person) -> None:
    """Say that another name was meant in the first step, and run from there."""
    person.visit()
    assert person.ask(TWO_HOPS).startswith("Rock Hudson")
    person.last("text=Correct the reading").click()
    person.last("fieldset").first.get_by_label("Entity").fill("Akira Kurosawa")
    person.last("text=Run from here").click()
    assert "Toshiro Mifune" in person.answer(1)
    assert "reading corrected by you" in person.last(".facts").inner_text()
    assert "Akira Kurosawa" in person.last(".reading").inner_text()


def compare_methods(person: Person) -> None:
    """See what each method answers."""
    person.visit()
    person.ask("who directed Written on the Wind?")
    person.last("text=Compare methods").click()
    person.last(".compare[data-done]").wait_for()
    assert person.last(".compare tbody th").all_text_contents() == ["Keqing", "KnowGPT", "ODA"]
    told = person.last(".compare tbody td:nth-child(2)").all_text_contents()
    assert told[0] == "Douglas Sirk"
    assert all(each not in ("", "…") for each in told)


def find_that_it_is_not_there(person: Person) -> None:
    """Ask for what the graph lacks, and look at what it does know."""
    person.visit()
    assert person.ask("where was Frank Skinner born?") == "The graph lacks this fact."
    assert person.last(".result").get_attribute("data-stop") == "not_found"
    assert person.last(".proof").count() == 0
    person.last(".about-it").click()
    person.page.locator("#entity h2", has_text="Frank Skinner").wait_for()
    person.page.locator("#entity .canvas[data-drawn]").wait_for()


def take_up_a_suggestion(person: Person) -> None:
    """A name with a typo, and the one that was meant."""
    person.visit()
    assert person.ask("who directed Rock Hudsen's films?") == "The graph does not know this name."
    person.last(".suggestions button").filter(has_text="Rock Hudson").click()
    assert "Douglas Sirk" in person.answer(1)
    assert person.last(".asked").text_content() == "who directed Rock Hudson's films?"


def follow_up(person: Person) -> None:
    """A second question that needs the first."""
    person.visit()
    person.ask("who directed Written on the Wind?")
    assert "Rock Hudson" in person.ask("and who starred in it?")
    assert "read as 'who starred in Written on the Wind?'" in (person.last(".facts").text_content() or "")


def give_a_thumb(person: Person) -> None:
    """Say that an answer is right; it is known when the page is opened again."""
    person.visit()
    person.ask("who directed Written on the Wind?")
    person.last("[data-thumb=up]").click()
    person.last("[data-thumb=up][aria-pressed=true]").wait_for()
    person.page.reload()
    person.page.locator("[data-thumb=up][aria-pressed=true]").wait_for()
    person.answer(0)


def copy_the_query(person: Person) -> None:
    """Copy the plan as SPARQL."""
    person.allow_clipboard()
    person.visit()
    person.ask("who directed Written on the Wind?")
    person.last(".tools >> text=Query").click()
    assert person.last(".query pre").inner_text().startswith("MATCH")
    person.last(".query >> text=SPARQL").click()
    person.last(".query >> text=Copy").click()
    person.last(".query >> text=Copied").wait_for()
    assert person.page.evaluate("navigator.clipboard.readText()").startswith("SELECT")


def find_an_old_thread(person: Person) -> None:
    """Come back to what was asked before, and go on there."""
    person.visit()
    person.ask("who founded Google?")
    person.page.get_by_role("button", name="New question").click()
    person.ask("who directed Written on the Wind?")
    person.page.locator("#history .open", has_text="who founded Google?").first.click()
    assert "Larry Page" in person.answer(0)
    assert person.page.locator(".turn").count() == 1


TASKS: tuple[Callable[[Person], None], ...] = (
    ask, follow_a_path, correct_the_reading, compare_methods, find_that_it_is_not_there, take_up_a_suggestion,
    follow_up, give_a_thumb, copy_the_query, find_an_old_thread,
)  # fmt: skip


_PAINTED = "performance.getEntriesByName('first-paint')[0]?.startTime"


def paint(browser: Browser, url: str, visits: int = 15) -> str:
    """When the page is first painted, in milliseconds: of so many first visits, with nothing in the browser's cache.

    Beside each, `/healthz`, one word: what the browser itself takes on this machine at this time.
    """
    seen: dict[str, list[float]] = {"/app/": [], "/healthz": []}
    for _ in range(visits):
        for path, taken in seen.items():
            person = Person(browser, url)
            person.page.goto(f"{url}{path}")
            person.page.wait_for_function(f"{_PAINTED} > 0")
            taken.append(person.page.evaluate(_PAINTED))
            person.close()
    told = (f"{path} median {statistics.median(each):.0f}, most {max(each):.0f}" for path, each in seen.items())
    return f"first paint of {visits} first visits in ms: {'; '.join(told)}"


def main() -> None:
    """Write the screenshots, or with `--paint` measure."""
    from tests.integration.conftest import serving
    from trivium.knowledge.sample import ensure_sample

    if lack := missing():
        sys.exit(f"screenshots need {lack}")
    ensure_sample()
    if "--paint" in sys.argv:
        with (
            tempfile.TemporaryDirectory() as folder,
            serving(Path(folder), "", "sample") as server,
            chromium() as browser,
        ):
            print(paint(browser, server.url))  # noqa: T201
        return
    IMAGES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), "", "sample") as server,
        chromium() as browser,
    ):
        looks: list[tuple[str, Callable[[Person], None], dict[str, Any]]] = [
            *((task.__name__, task, {}) for task in TASKS),
            ("start", Person.visit, {}),
            ("dark", follow_a_path, {"color_scheme": "dark"}),
            ("phone", ask, {"viewport": PHONE, "device_scale_factor": 2}),
        ]
        for name, task, settings in looks:
            person = Person(browser, server.url, **settings)
            task(person)
            person.page.wait_for_timeout(300)
            person.page.screenshot(path=SHOWN if name == SHOWN.stem else IMAGES / f"{name}.png")
            person.close()
            print(f"{name}: {task.__doc__}", person.trouble or "")  # noqa: T201


if __name__ == "__main__":
    main()
