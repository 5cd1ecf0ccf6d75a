"""What plans give, in a form in which executors, databases and the brute-force interpreter can be compared.

Sets are sets of ids; rows are counted; a cell is (kind, key), an entity ("entity", id); floats are rounded.
"""
# ruff: noqa: ANN401 - cells of any kind

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import pyoxigraph

from tests.contracts.plan_interpreter import Interpreter
from tests.contracts.random_plans import Graph
from trivium.kg.loaders.rdf_terms import (
    OBJECT,
    OWN,
    PREDICATE,
    STATEMENT,
    SUBJECT,
    TYPE,
    entity_term,
    iri_of,
    name_of,
    relation_term,
    value_term,
)
from trivium.kg.plans.cells import ENTITY
from trivium.kg.plans.columns import GraphColumns, typed
from trivium.kg.plans.execute import Executor, Listed
from trivium.kg.plans.plan import Entities, Group, QueryPlan, Value, ValueOf
from trivium.kg.plans.result import EntityItem, Item, PlanResult
from trivium.kg.plans.sparql import SparqlQuery
from trivium.kg.types import Entity, QualifiedTriple, Statement, Triple, ValueText
from trivium.kg.values import kind_of_datatype, read_value


def columns_of_graph(graph: Graph) -> GraphColumns:
    entities, edges = graph
    return GraphColumns.of([(id_, types, properties) for id_, (types, properties) in entities.items()], edges)


def cell(value: Any) -> Any:
    """An executor's value as the interpreter has it, floats rounded."""
    if value is None:
        return None
    kind, key, text = typed(value) or ("", 0.0, "")
    return (kind, text if kind == "text" else round(key, 6))


def canonical(executor: Executor, plan: QueryPlan) -> Any:
    answer = executor.answer(plan)
    if answer is None or isinstance(answer, Value):
        return cell(answer)
    if isinstance(answer, Listed):
        rows = []
        for row in answer.at.tolist():
            cells: list[Any] = []
            for at, column in zip(row, answer.columns, strict=True):
                if at < 0:
                    cells.append(None)
                elif column.kind[at] == ENTITY:
                    cells.append(("entity", executor.graph.ids[int(column.key[at])]))
                else:
                    cells.append(cell(column.value(at)))
            rows.append(tuple(cells))
        return Counter(rows)
    return {executor.graph.ids[row] for row in answer.tolist()}


def expected(interpreter: Interpreter, plan: QueryPlan) -> Any:
    found = interpreter.run(plan)
    if found is None or isinstance(found, tuple):
        return rounded(found)
    if isinstance(plan, ValueOf | Group):
        return Counter(tuple(rounded(each) for each in row) for row in found)
    return set(found)


def rounded(found: Any) -> Any:
    if found is None:
        return None
    return (found[0], round(found[1], 6) if isinstance(found[1], float | int) else found[1])


def without_bare_entities(graph: Graph) -> Graph:
    """The graph, with a type for entities that have nothing: an export knows nothing of these."""
    entities, edges = graph
    known = {end for edge in edges for end in (edge[0], edge[2])}
    return {
        id_: (types, owned) if types or owned or id_ in known else (["A"], owned)
        for id_, (types, owned) in entities.items()
    }, edges


def ntriples(graph: Graph) -> str:
    """A graph as `trivium kg export --format ntriples` writes it."""
    return "".join(f"{line} .\n" for line in _lines(graph))


def _lines(graph: Graph) -> Iterator[str]:
    entities, edges = graph
    for id_, (types, owned) in entities.items():
        yield from (f"{entity_term(id_)} <{TYPE}> <{iri_of(name, 'type')}>" for name in types)
        yield from (f"{entity_term(id_)} {relation_term(name)} {value}" for name, value in _literals(owned))
    for number, (head, relation, tail, own) in enumerate(edges):
        triple = (entity_term(head), relation_term(relation), entity_term(tail))
        yield " ".join(triple)
        if relation == "r":
            node = f"<{OWN}statement:{number}>"
            yield f"{node} <{TYPE}> <{STATEMENT}>"
            yield from (
                f"{node} <{part}> {term}" for part, term in zip((SUBJECT, PREDICATE, OBJECT), triple, strict=True)
            )
            yield from (f"{node} {relation_term(name)} {value}" for name, value in _literals(own))


def _literals(owned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from ((name, value_term(ValueText(text, kind))) for name, kind, text in _values(owned))


def of_sparql(store: pyoxigraph.Store, query: SparqlQuery) -> Any:
    """What a query gives."""
    rows: list[list[Any]] = [list(row) for row in store.query(query.text)]  # type: ignore[union-attr]
    if query.shape == "entities":
        return {name_of(row[0].value) for row in rows}
    if query.shape == "value":
        return _term_cell(rows[0][0]) if rows else None
    return Counter(tuple(map(_term_cell, row)) for row in rows)


def _term_cell(term: Any) -> Any:
    if term is None:
        return None
    if isinstance(term, pyoxigraph.NamedNode):
        return ("entity", name_of(term.value))
    value = read_value(term.value, kind_of_datatype(term.datatype.value))
    return ("text", term.value) if value.kind == "text" else (value.kind, round(value.number, 6))


def with_ids(part: Any, ids: Mapping[str, str]) -> Any:
    """A plan with the ids that its entities have in a database."""
    if isinstance(part, tuple):
        return tuple(with_ids(each, ids) for each in part)
    if isinstance(part, Entities):
        return Entities(tuple(ids.get(each, "4:none:1") for each in part.ids))
    if isinstance(part, Value) or not hasattr(part, "__dataclass_fields__"):
        return part
    return replace(part, **{each.name: with_ids(getattr(part, each.name), ids) for each in fields(part) if each.init})


def of_rows(rows: Iterable[list[Any]], shape: str, entities: tuple[bool, ...], names: Mapping[str, str]) -> Any:
    """What the rows of a Cypher query give; `names` are the ids that the plan knows."""
    found = list(rows)
    if shape == "entities":
        ids = [names[row[0]] for row in found]
        assert len(ids) == len(set(ids)), "an entity twice"
        return set(ids)
    if shape == "value":
        return _driver_cell(found[0][0]) if found else None
    return Counter(
        tuple(
            ("entity", names[value]) if entity and value is not None else _driver_cell(value)
            for value, entity in zip(row, entities, strict=True)
        )
        for row in found
    )


def facts_of(graph: Graph) -> tuple[list[Triple], list[Entity]]:
    """A graph as the triples and the entities that a KG is built from; parallel relationships have ids of their own."""
    entities, edges = graph
    facts = [
        Triple(id_, name, ValueText(text, kind))
        for id_, (_, owned) in entities.items()
        for name, kind, text in _values(owned)
    ]
    rich: dict[tuple[str, str, str], list[Statement]] = {}
    for number, (head, relation, tail, own) in enumerate(edges):
        if own or relation == "r":
            found = tuple(sorted((name, ValueText(text, kind)) for name, kind, text in _values(own)))
            rich.setdefault((head, relation, tail), []).append(Statement(found, f"{number:02}"))
        else:
            facts.append(Triple(head, relation, tail))
    facts += [QualifiedTriple(*ends, tuple(sorted(found))) for ends, found in rich.items()]
    return facts, [Entity(id_, id_, (), tuple(types)) for id_, (types, _) in entities.items()]


def _values(owned: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name, given in owned.items():
        for each in given if isinstance(given, list) else [given]:
            kind, _, text = typed(each) or ("text", 0.0, "")
            yield name, kind, text


def of_plan_result(found: PlanResult, plan: QueryPlan) -> Any:
    """What a store gives."""
    if isinstance(plan, ValueOf | Group):
        return Counter(tuple(map(_item_cell, row)) for row in found.rows)
    if found.value is not None:
        return cell(found.value)
    return {each.id for each in found.entities}


def _item_cell(item: Item) -> Any:
    return ("entity", item.id) if isinstance(item, EntityItem) else cell(item)


def _driver_cell(value: Any) -> Any:
    return cell(value.to_native() if hasattr(value, "to_native") else value)
