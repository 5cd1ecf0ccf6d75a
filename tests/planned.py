"""What an answer says of its plan, held against the plan computed anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trivium.kg.plans.codec import from_json
from trivium.kg.plans.run import run_plan
from trivium.kg.store import GraphStore


async def check_plan_record(told: Mapping[str, Any], store: GraphStore) -> None:
    """An answer of chains that has a plan: the plan gives exactly its answers, its values, its query."""
    computed = await run_plan(store, from_json(told["plan"]), limit=len(told["answers"]) + 1)
    result = computed.result.to_json()
    assert {each["id"] for each in told["answers"]} == {each["id"] for each in result["answers"]}
    assert len(told["answers"]) == result["total"]
    assert (told["values"], told["evidence"], told["query"]) == (result["values"], result["evidence"], computed.query)
