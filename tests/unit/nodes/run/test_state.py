"""What a client of the server is told about a method's input and output."""

from __future__ import annotations

import pytest

from trivium.graphs.keqing import graph
from trivium.graphs.methods import METHODS


@pytest.mark.parametrize("name", METHODS)
def test_every_field_is_described(name: str) -> None:
    method = METHODS[name].graph()
    context = method.get_context_jsonschema()
    assert context is not None
    for schema in (method.get_input_jsonschema(), method.get_output_jsonschema(), context):
        fields = schema["properties"]
        assert fields
        assert [name for name, field in fields.items() if not field.get("description")] == []
    assert set(method.get_input_jsonschema()["properties"]) >= {"messages", "question", "topic_entities"}
    assert set(method.get_output_jsonschema()["properties"]) == {"messages", "ui", "answer", "found"}
    assert method.name == name


def test_a_choice_is_an_enum() -> None:
    context = graph.get_context_jsonschema()
    assert context is not None
    assert context["properties"]["supplement"]["enum"] == ["auto", "always", "never"]
    assert context["properties"]["review"]["type"] == "boolean"
