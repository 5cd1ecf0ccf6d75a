"""Random writes to a database by two clients, against a Python set of triples: the model of the embedded store's."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.contracts.naive import NaiveGraph, hash_triples
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.loading import load
from trivium.kg.neo4j.snapshots import LocalCopy
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.view import MADE
from trivium.kg.plans.text import parse
from trivium.kg.types import Triple, ValueText

pytestmark = pytest.mark.slow

T = TypeVar("T")

KEYS = st.sampled_from([f"{letter}{i}" for letter in ("a", "B b ", "é") for i in range(4)])
PLAIN = st.builds(Triple, KEYS, st.sampled_from(["r0", "r1", "r `2`"]), KEYS)
VALUES = st.builds(
    lambda head, name, value: Triple(head, name, ValueText(*value)),
    KEYS, st.sampled_from(["n0", "said"]),
    st.sampled_from([("1", "number"), ("-3", "number"), ("2.5", "number"), ("Ann", "text"), ("1", "text")]),
)  # fmt: skip
TRIPLES = st.one_of(PLAIN, PLAIN, VALUES)


class Writes(RuleBasedStateMachine):
    """Writes by the store that is read and by another client, and openings, with a local copy and without."""

    address: Address
    root: Path  # for the KGs and local copies of the examples
    numbers = count()

    @initialize(first=st.lists(PLAIN, min_size=1, max_size=8))
    def build(self, first: list[Triple]) -> None:
        self.folder = self.root / f"{next(self.numbers)}"
        self.runner = asyncio.Runner()
        build(self.folder / "kg", [first])
        source = EmbeddedStore.open(self.folder / "kg")
        self.store, self.other = self.opened(), self.opened()
        self.wait(load(self.store.client, source, lambda *_: None))
        source.close_now()
        self.model = set(first)

    def opened(self) -> Neo4jStore:
        return Neo4jStore(Client(self.address), MADE)

    def wait(self, asked: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(asked)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.wait(self.store.close())
            self.wait(self.other.close())
            self.runner.close()

    @rule(new=st.lists(TRIPLES, max_size=4), elsewhere=st.booleans())
    def add(self, new: list[Triple], elsewhere: bool) -> None:
        before = len(self.model)
        added = self.wait((self.other if elsewhere else self.store).add(new))
        self.model |= set(new)
        assert added == len(self.model) - before

    @rule(some=st.lists(TRIPLES, max_size=3), share=st.floats(0, 0.5), elsewhere=st.booleans())
    def remove(self, some: list[Triple], share: float, elsewhere: bool) -> None:
        asked = [*sorted(self.model)[: int(share * len(self.model))], *some]
        before = len(self.model)
        deleted = self.wait((self.other if elsewhere else self.store).delete(asked))
        self.model -= set(asked)
        assert deleted == before - len(self.model)

    @rule()
    def reopen(self) -> None:
        self.wait(self.store.close())
        self.store = self.opened()

    @rule()
    def copy(self) -> None:
        self.store.copies = LocalCopy(self.store, self.folder / "copy")

    @invariant()
    def shows_what_was_written(self) -> None:
        if hasattr(self, "store"):
            self.store.client.asked = -math.inf  # as if a second had gone by since the other client wrote
            self.wait(self.shown())

    async def shown(self) -> None:
        held = {row async for batch in self.store.triples() for row in batch}
        assert held == self.model
        info = await self.store.info()
        assert (info.triples, info.hash) == (len(self.model), hash_triples([sorted(self.model)]))
        names = {row.relation for row in self.model}
        counts = {each.name: each.triples for each in await self.store.schema()}
        assert counts == {name: sum(row.relation == name for row in self.model) for name in names}
        plain = NaiveGraph(row for row in self.model if not isinstance(row.tail, ValueText))
        heads = sorted({row.head for row in plain.all})[:4]
        for head, found in zip(heads, await self.store.neighbors(heads), strict=True):
            around = [each for each in found if not isinstance(each.tail, ValueText)]
            assert around == plain.neighbors(head, None, "both")
        if plain.all and self.store.copies is not None:
            head, relation, _ = plain.all[0]
            result = await self.store.run_plan(parse(f'ids "{head}" | follow `{relation.replace("`", "``")}`'))
            ends = {row.tail for row in plain.all if (row.head, row.relation) == (head, relation)}
            assert {each.id for each in result.entities} == ends


def test_what_two_clients_write_is_what_a_set_of_triples_holds(neo4j_address: Address, tmp_path: Path) -> None:
    machine = type("Machine", (Writes,), {"address": neo4j_address, "root": tmp_path})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=10, stateful_step_count=8, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
