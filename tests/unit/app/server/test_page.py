"""The page's routes: its files for everybody, what they ask for whoever may."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.unit.app.server.conftest import KEYS, http
from trivium.app.server.page import FILES
from trivium.knowledge.knowledge import close_all


@pytest.fixture(autouse=True)
async def closed() -> AsyncIterator[None]:
    yield
    await close_all()


def _read(name: str, **given: Any) -> tuple[str, dict[str, Any]]:
    return f"/app/api/{name}", {"kg": "films", **given}


async def _post(name: str, key: str | None = None, **given: Any) -> Any:  # noqa: ANN401 - JSON
    path, body = _read(name, **given)
    async with http(key=key) as client:
        told = await client.post(path, json=body)
    return told.json() if told.status_code == 200 else (told.status_code, told.json()["detail"])


@pytest.mark.usefixtures("keys")
async def test_its_files_need_no_key_and_what_they_read_does() -> None:
    async with http("10.0.0.5") as client:
        assert (await client.get("/app")).headers["location"] == "app/"
        for path in ("", *(file.name for file in FILES.iterdir())):
            told = await client.get(f"/app/{path}")
            assert told.status_code == 200, path
            assert "'unsafe" not in told.headers["content-security-policy"]
            assert told.headers["content-security-policy"].startswith("default-src 'none'")
        for path in ("../http.py", "%2e%2e/http.py", "..%2f__init__.py", "api/other", "static"):
            assert (await client.get(f"/app/{path}")).status_code in (401, 404), path
        assert (await client.get("/app/api/offer")).status_code == 401
        for name in ("graph", "labels", "neighbors", "find"):
            assert (await client.post(f"/app/api/{name}", json={"kg": "films"})).status_code == 401


def test_nothing_in_its_files_is_inline_or_from_elsewhere() -> None:
    page = (FILES / "index.html").read_text()
    assert "<style" not in page
    assert " style=" not in page
    assert "onclick" not in page
    assert page.count("<script") == page.count('<script type="module" src="page.js"')
    for file in FILES.glob("*.js"):
        text = file.read_text()
        if file.name == "cytoscape.min.js":
            continue
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", ""), file
        for parser in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser"):
            assert parser not in text, (file, parser)


@pytest.mark.usefixtures("keys")
async def test_a_key_is_offered_what_it_may_choose() -> None:
    async with http(key=KEYS["alice"]) as client:
        offered = (await client.get("/app/api/offer")).json()
    assert offered == {"methods": ["auto", "keqing", "knowgpt", "oda"], "kgs": ["films"], "models": ["none"]}
    status, why = await _post("neighbors", key=KEYS["alice"], kg="others", entity="heat")
    assert (status, "films" in why) == (403, True)


@pytest.mark.usefixtures("operator_folder")
async def test_a_graph_says_what_it_holds_and_can_be_asked() -> None:
    told = await _post("graph")
    assert (told["entities"], told["triples"]) > (20, 20)
    assert {"name": "directed_by", "words": "directed by", "value": False} in told["relations"]
    assert len(told["questions"]) >= 5
    assert all(each["question"].strip() and each["kind"] != "unanswerable" for each in told["questions"])


@pytest.mark.usefixtures("operator_folder")
async def test_neighbors_are_named() -> None:
    told = await _post("neighbors", entity="Heat")
    assert told["entity"] == "heat"
    assert {"head": "heat", "relation": "directed_by", "tail": "mann"} in told["triples"]
    assert told["entities"]["mann"]["label"] == "Michael Mann"
    assert told["more"] is False
    few = await _post("neighbors", entity="heat", limit=1)
    assert (len(few["triples"]), few["more"]) == (1, True)
    assert (await _post("labels", ids=["mann", "1995", "nobody"]))["entities"].keys() == {"mann"}
    assert (await _post("find", text="Micheal Mann"))["entities"][0]["id"] == "mann"


@pytest.mark.usefixtures("operator_folder")
@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("graph", {"kg": "/etc"}, "does not offer kg"),
        ("graph", {"kg": "bolt://127.0.0.1:7687"}, "does not offer kg"),
        ("graph", {"kg": ["films"]}, "kg must be"),
        ("neighbors", {"entity": "nobody at all"}, "nobody at all"),
        ("neighbors", {"entity": ""}, "must be an id"),
        ("neighbors", {"entity": "heat", "limit": 10**9}, "from 1 to 200"),
        ("neighbors", {"entity": "heat", "limit": True}, "from 1 to 200"),
        ("labels", {"ids": "mann"}, "list"),
        ("labels", {"ids": ["x"] * 501}, "at most 500"),
        ("labels", {"ids": [{}]}, "list"),
        ("find", {"text": "x" * 501}, "at most 500"),
    ],
)
async def test_what_cannot_be_read_is_refused(name: str, given: dict[str, Any], why: str) -> None:
    status, told = await _post(name, **given)
    assert (status, why in told) == (422, True), told


@pytest.mark.usefixtures("keys")
async def test_the_chat_component_is_sent_to_who_may_ask_and_there_is_no_other() -> None:
    async with http("10.0.0.5") as client:
        assert (await client.post("/ui/keqing", json={"name": "paths"})).status_code == 401
    async with http(key=KEYS["alice"]) as client:
        told = await client.post("/ui/any-assistant", json={"name": "paths"})
        wrong: list[Any] = [{"name": "../http"}, {}, [], 5]
        assert [(await client.post("/ui/auto", json=each)).status_code for each in wrong] == [404] * 4
        assert (await client.post("/ui/auto", content=b"[" * 100_000)).status_code == 422
    assert told.headers["content-type"].startswith("text/html")
    assert told.text.startswith("<script>")
    assert told.text.count("{{shadowRootId}}") == told.text.count("</script>") == 1  # a chat replaces the first alone
    assert "innerHTML" not in told.text
