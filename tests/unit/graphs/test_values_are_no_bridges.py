"""No template, observation, path or answer goes through a value: products of one price or number are unrelated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trivium.app.cli.main import run

PROPERTIES = {"categoryID", "stock", "unitPrice"}
PRODUCTS = {"Milk": (1, 2.5), "Cheese": (1, 22), "Rye": (2, 4), "Cod": (3, 22), "Eel": (3, 5)}


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Categories with keys of 4 to 6; products with a category's key, a price, and each 4 in stock."""
    folder = tmp_path_factory.mktemp("values")
    lines: list[dict[str, Any]] = [
        {"id": name, "label": name, "types": ["Category"], "properties": {"categoryID": 4 + number}}
        for number, name in enumerate(("Dairy", "Bread", "Fish"))
    ]
    for name, (category, price) in PRODUCTS.items():
        own = {"unitPrice": price, "categoryID": category + 3, "stock": 4}
        lines.append({"id": name, "label": name, "types": ["Product"], "properties": own})
        lines.append({"head": name, "relation": "PART_OF", "tail": ("Dairy", "Bread", "Fish")[category - 1]})
    (folder / "shop.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run(["kg", "build", "--out", str(folder / "kg"), str(folder / "shop.jsonl")]) == 0
    assert run(["learn", "keqing", "--kg", str(folder / "kg")]) == 0
    return str(folder / "kg")


def _said(capsys: pytest.CaptureFixture[str], *command: str) -> dict[str, Any]:
    capsys.readouterr()
    assert run(list(command)) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_no_template_goes_on_from_a_value_or_begins_at_one(kg: str) -> None:
    learned = json.loads((Path(kg) / "templates" / "templates.json").read_text())["data"]["templates"]
    chains = [chain for each in learned for chain in each["chains"]]
    assert ["unitPrice"] in chains
    assert not [chain for chain in chains if {hop.lstrip("^") for hop in chain[:-1]} & PROPERTIES]
    assert not [chain for chain in chains if chain[-1].lstrip("^") in PROPERTIES and chain[-1].startswith("^")]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("find_paths", {"source": "Cheese", "target": "Cod", "max_hops": 4}),
        ("find_paths", {"source": "Dairy", "target": "Rye", "max_hops": 4}),
        ("follow_chain", {"seed_entities": ["Dairy"], "chain": ["categoryID", "^stock", "unitPrice"]}),
        (
            "extract_paths",
            {"question": "Are Cheese and Cod alike?", "source_entities": ["Cheese"], "target_entities": ["Cod"]},
        ),
    ],
)
def test_no_path_goes_through_a_value(
    kg: str, tool: str, arguments: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _said(capsys, "tool", tool, json.dumps(arguments), "--kg", kg)["paths"] == []


def test_an_observation_holds_nothing_behind_a_value(kg: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {"question": "What does Dairy cost on average?", "entities": ["Dairy"], "max_hops": 4, "top_n": 99}
    seen = _said(capsys, "tool", "observe", json.dumps(asked), "--kg", kg)["triples"]
    assert {each["head"] for each in seen} == {"Dairy", "Milk", "Cheese"}, "no product of 4 in stock, no other of 22"


@pytest.mark.parametrize("method", ["auto", "keqing", "knowgpt", "oda"])
@pytest.mark.parametrize("question", ["What is the average unit price of Dairy?", "Which products cost 22?"])
def test_no_answer_is_proved_through_a_value(
    kg: str, method: str, question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = _said(capsys, "ask", question, "--kg", kg, "--method", method, "--json")
    walked = [[(each["relation"], each["inverse"]) for each in path["triples"]] for path in told["paths"]]
    for path in walked:  # a value ends a path, or a condition of the question begins it
        assert not [relation for relation, inverse in path[:-1] if relation in PROPERTIES and not inverse], path
        assert not [relation for relation, inverse in path[1:] if relation in PROPERTIES and inverse], path
    if method == "auto":
        assert told["value"] == 12.25 or {each["id"] for each in told["answers"]} == {"Cheese", "Cod"}
