"""What a client of the server is told about a method's input and output."""

from __future__ import annotations

from typing import Any

import pytest

from graphs.keqing import graph

METHODS = [graph]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_field_is_described(method: Any) -> None:
    for schema in (method.get_input_jsonschema(), method.get_output_jsonschema()):
        fields = schema["properties"]
        assert fields
        assert [name for name, field in fields.items() if not field.get("description")] == []
    assert set(method.get_input_jsonschema()["properties"]) == {"messages", "question", "topic_entities"}
