"""agent-chat-ui, unchanged and built, against a real server in Chromium: ask, follow up, review with an edit, thumbs.

Left out without Node.js, Chromium and, in `TRIVIUM_AGENT_CHAT_UI`, a checkout of it installed and built
by pnpm. With `TRIVIUM_SCREENSHOTS` naming a folder it leaves a picture of each step there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from langgraph_sdk import get_sync_client

from tests.integration.conftest import Server, serving
from tests.integration.test_example_servers import listening
from tests.neo4j_server.server import free_port
from tests.page import chromium, missing
from trivium.knowledge.sample import ensure_sample

if TYPE_CHECKING:
    from playwright.sync_api import Page

CLIENT = os.environ.get("TRIVIUM_AGENT_CHAT_UI", "")
SHOTS = os.environ.get("TRIVIUM_SCREENSHOTS", "")
QUESTION = "who directed Written on the Wind?"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not CLIENT or not shutil.which("node") or bool(missing()),
        reason="needs TRIVIUM_AGENT_CHAT_UI (a built checkout of agent-chat-ui), Node.js and Chromium",
    ),
]


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Server]]:
    """The client's address, and a server over the sample that lets its pages in."""
    ensure_sample()
    folder, port = tmp_path_factory.mktemp("chat"), free_port()
    url, log = f"http://localhost:{port}", folder / "next.log"
    command = ["node", "node_modules/next/dist/bin/next", "start", "--port", str(port)]
    cors = json.dumps({"allow_origins": [url], "allow_methods": ["*"], "allow_headers": ["*"]})
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=CLIENT, stdout=out, stderr=out)
    try:
        listening(url, process, log)
        with serving(folder, "", "sample", CORS_CONFIG=cors) as server:
            yield url, server
    finally:
        process.kill()
        process.wait()


class _Chat:
    """Somebody who uses agent-chat-ui."""

    def __init__(self, page: Page, url: str, server: Server, assistant: str) -> None:
        self.page, self.trouble = page, list[str]()
        page.on("pageerror", lambda error: self.trouble.append(str(error)))
        page.goto(f"{url}/?apiUrl={server.url}&assistantId={assistant}")

    def ask(self, question: str) -> None:
        """Send a message and wait until the run has ended or stopped."""
        self.page.get_by_placeholder("Type your message...").fill(question)
        self.page.get_by_role("button", name="Send").click()
        self.page.get_by_role("button", name="Cancel").wait_for()
        self.page.get_by_role("button", name="Send").wait_for()

    def said(self, text: str) -> None:
        """Wait for an answer with this text."""
        self.page.locator(".markdown-content", has_text=text).last.wait_for()

    def look(self, name: str) -> None:
        """Keep a picture, where somebody wants them."""
        if SHOTS:
            self.page.wait_for_timeout(1500)  # scrolls and fades in
            self.page.screenshot(path=Path(SHOTS) / f"chat_{name}.png")


@pytest.fixture
def page() -> Iterator[Page]:
    with chromium() as browser:
        made = browser.new_page(viewport={"width": 1180, "height": 900})
        made.set_default_timeout(60_000)
        yield made


def test_a_question_and_what_follows_on_it(chat: tuple[str, Server], page: Page) -> None:
    person = _Chat(page, *chat, "auto")
    person.ask(QUESTION)
    person.said("Douglas Sirk.")
    drawn = page.get_by_role("img", name="Evidence: Written on the Wind → directed by → Douglas Sirk")
    drawn.wait_for()
    person.look("question")
    person.ask("and who starred in it?")
    person.said("Rock Hudson")
    page.get_by_role("img", name="Written on the Wind → starring → Robert Stack").wait_for()
    person.look("follow_up")
    person.ask("where was Frank Skinner born?")
    person.said('does not record "born in"')
    person.look("not_in_the_graph")
    assert person.trouble == []


def test_a_review_is_edited(chat: tuple[str, Server], page: Page) -> None:
    with get_sync_client(url=chat[1].url, api_key=None) as client:
        assistant: Any = client.assistants.create("keqing", context={"review": True}, name="reviewed")
    person = _Chat(page, *chat, assistant["assistant_id"])
    person.ask(QUESTION)
    page.get_by_text("Edit/Approve").wait_for()
    person.look("review")
    page.wait_for_timeout(6_000)  # it lists its threads 4 s after a new one, and then forgets what was typed
    field = page.get_by_role("textbox").filter(has_text="Written on the Wind").first
    subs = json.loads(field.input_value())
    subs[0]["seed_entities"] = ["Rashomon"]
    field.fill(json.dumps(subs))
    person.look("review_edited")
    page.get_by_role("button", name="Submit", exact=True).click()
    page.get_by_role("img", name="Evidence: Rashomon → directed by → Akira Kurosawa").wait_for()
    person.look("review_answer")
    person.ask("who founded Google?")
    page.get_by_text("Edit/Approve").wait_for()
    person.look("review_of_a_second_turn")
    page.get_by_role("button", name="Approve", exact=True).click()
    page.get_by_role("img", name="Larry Page").wait_for()
    assert person.trouble == []


def test_a_thumb_is_counted_once(chat: tuple[str, Server], page: Page) -> None:
    person = _Chat(page, *chat, "knowgpt")
    person.ask(f"{QUESTION} A) Alfred Hitchcock B) Douglas Sirk")
    person.said("Douglas Sirk")
    page.get_by_role("button", name="Right").click()
    page.get_by_text("Thank you").wait_for()
    assert page.get_by_role("button", name="Wrong").is_disabled()
    person.look("thumb")
    assert person.trouble == []
