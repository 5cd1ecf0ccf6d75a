"""Run a plan on a store: check it, compute it in a bounded time, prove it, and show it as queries.

What the tool `run_plan`, `trivium query` and `trivium verify` do, without LangChain.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from trivium.kg.loaders.rdf_terms import entity_term
from trivium.kg.neo4j.patterns import text
from trivium.kg.neo4j.view import MADE, View
from trivium.kg.plans.check import validate
from trivium.kg.plans.codec import to_json
from trivium.kg.plans.cypher import to_cypher
from trivium.kg.plans.plan import Entities, QueryPlan, rewritten
from trivium.kg.plans.result import PlanResult
from trivium.kg.plans.sparql import to_sparql
from trivium.kg.plans.text import write
from trivium.kg.profile import GraphProfile
from trivium.kg.store import GraphStore

SECONDS, ROW_LIMIT, ANSWERS = 30.0, 5_000_000, 1000
"""The time limit, the rows of one step, and the answers that are given, where nothing else is wanted."""


@dataclass(frozen=True, slots=True)
class PlanRun:
    """A plan that was run.

    Attributes:
        plan: the plan.
        result: what it gives, with evidence and paths.
        query: the plan as a query by language: "cypher" and, of an embedded KG, "sparql".
        seconds: how long it took.
    """

    plan: QueryPlan
    result: PlanResult
    query: dict[str, str]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The result of the tool `run_plan`."""
        return {
            **self.result.to_json(),
            "query": self.query,
            "plan": to_json(self.plan),
            "text": write(self.plan),
            "usage": {"seconds": round(self.seconds, 4)},
        }


async def run_plan(
    store: GraphStore,
    plan: QueryPlan,
    *,
    seconds: float = SECONDS,
    row_limit: int = ROW_LIMIT,
    limit: int = ANSWERS,
) -> PlanRun:
    """Check a plan against a store's schema, and let the store compute it.

    Args:
        store: the KG's store.
        plan: what to compute.
        seconds: the time limit.
        row_limit: rows that one step, of a database the answer, may have.
        limit: entities or rows that are given.

    Raises:
        PlanError: the plan does not fit the graph.
        TimeLimitError: it took longer, or has a larger step.
        NoCopyError: a large database has no local copy, from which its schema is known.
        StoreError: a database failed.
    """
    begun = time.monotonic()
    profile = await store.profile()
    validate(plan, profile)
    result = await store.run_plan(plan, seconds=seconds, row_limit=row_limit, limit=limit)
    return PlanRun(plan, result, queries(plan, profile, getattr(store, "view", None)), time.monotonic() - begun)


def queries(plan: QueryPlan, profile: GraphProfile, view: View | None = None) -> dict[str, str]:
    """A plan as queries that a user can run, with its constants written into them.

    Those of an embedded KG are remembered but for the ids in them: most questions differ in these alone.

    Args:
        plan: the plan.
        profile: of the graph.
        view: how a Neo4j database is read; None for an embedded KG, whose Cypher is for what `trivium kg copy` writes
            and whose SPARQL is for `trivium kg export --format ntriples`.
    """
    if view is not None:
        return {"cypher": to_cypher(plan, view, profile).display()}
    slots: dict[tuple[str, ...], str] = {}

    def emptied(node: object) -> object:
        if not isinstance(node, Entities):
            return node
        return Entities((slots.setdefault(node.ids, f"{_SLOT}{len(slots)}"),))

    shape = rewritten(plan, emptied)
    known = profile.query_texts.get(shape)
    if known is None:
        known = (to_cypher(shape, MADE, profile).display(), to_sparql(shape, profile).text)
        profile.query_texts.put(shape, known)
    cypher, sparql = known
    return {
        "cypher": _filled(cypher, {text(slot): ", ".join(map(text, ids)) for ids, slot in slots.items()}),
        "sparql": _filled(sparql, {entity_term(slot): " ".join(map(entity_term, ids)) for ids, slot in slots.items()}),
    }


_SLOT = f"{uuid4().hex} "
"""Begins what stands for the ids of a set in a text that is remembered: no graph has it."""


def _filled(query: str, written: Mapping[str, str]) -> str:
    """A query with what is written for each slot."""
    return re.sub("|".join(map(re.escape, written)), lambda found: written[found[0]], query) if written else query
