"""A whole plan as one parameterised Cypher query, with the same answers as the executor on arrays.

Labels, relationship types and property names are quoted (`trivium.kg.neo4j.patterns.quote`); everything else that
comes from a plan is a parameter. A set becomes clauses that bind a variable to each of its entities once; a set that
another one is tested against becomes a predicate, so that nothing is collected that need not be. What would be
computed again for every row (a value to compare with, a superlative's winners) is computed once, in front.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, assert_never, cast

from trivium.kg.neo4j.patterns import node, quote
from trivium.kg.neo4j.patterns import text as literal_text
from trivium.kg.neo4j.view import View
from trivium.kg.plans.columns import number_text, value_key
from trivium.kg.plans.plan import (
    SETS,
    Aggregate,
    Aggregation,
    AllOf,
    AnyOf,
    Calculate,
    ChainStep,
    Compare,
    Condition,
    Entities,
    EntitySet,
    Follow,
    Function,
    Group,
    Has,
    HasType,
    Holds,
    Intersect,
    Minus,
    NonEmpty,
    Not,
    OfType,
    Operand,
    Operator,
    QueryPlan,
    Rows,
    Scalar,
    Steps,
    Term,
    Top,
    Union,
    Value,
    ValueOf,
    Walks,
    Where,
)
from trivium.kg.profile import LABEL_PROPERTY, TYPE_PROPERTY, GraphProfile, PropertyProfile, ValueKind

Parameter = str | float | bool | list[str] | list[list[str]]
CypherShape = Literal["entities", "rows", "value"]


@dataclass(frozen=True)
class CypherQuery:
    """A query.

    Attributes:
        body: its clauses before the last, with parameters `$p0`, `$p1`, ….
        columns: what it gives: expressions with the names `id`, `value`, or `c0`, `c1`, ….
        parameters: their values.
        shape: what it gives: rows of entities' ids, rows of cells, or one value.
        entities: of rows: which columns are ids of entities.
    """

    body: str
    columns: tuple[tuple[str, str], ...]
    parameters: Mapping[str, Parameter]
    shape: CypherShape
    entities: tuple[bool, ...] = ()

    @property
    def text(self) -> str:
        """The query, a record a row."""
        return f"{self.body} RETURN {_named(self.columns)}"

    def packed(self, limit: int) -> str:
        """The query of its first `limit` rows as one record, a list of lists: a record costs the driver 0.1 ms."""
        last = _last_clause(self.body)
        cut = f"{'' if last.startswith('WITH') and not _CUT.search(last) else ' WITH *'} LIMIT {int(limit)}"
        return f"{self.body}{cut} RETURN collect([{', '.join(column for column, _ in self.columns)}]) AS rows"

    def display(self) -> str:
        """The query with its parameters written into it, to be shown and run by a person."""
        return _PARAMETER.sub(lambda at: _literal(self.parameters[at[1]]) if at[1] else at[0], self.text)


_PARAMETER = re.compile(r"`[^`]*`|\$(p\d+)\b")  # a relation may be named "$p0"


def _literal(value: Parameter) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return literal_text(value)


def to_cypher(plan: QueryPlan, view: View, profile: GraphProfile) -> CypherQuery:
    """The query of a plan over a Neo4j graph; the plan fits the profile (`trivium.kg.plans.check`)."""
    writer = _CypherWriter(view, profile)
    body, columns, shape, entities = writer.result(plan)
    parts = [f"CALL ({', '.join(writer.hoisted[:i])}) {{ {query} }}" for i, query in enumerate(writer.in_front)]
    if parts:
        known = ", ".join(writer.hoisted)
        # With `WITH *` Neo4j 5 finds no grouping key in what a CALL brings in, unless a WITH has named it.
        body = f"{' '.join(parts)} CALL ({known}) {{ WITH {known} {body} RETURN {_named(columns)} }}"
        columns = [(name, name) for _, name in columns]
    return CypherQuery(body, tuple(columns), writer.parameters, shape, entities)


def _named(columns: Sequence[tuple[str, str]]) -> str:
    return ", ".join(name if name == column else f"{column} AS {name}" for column, name in columns)


@dataclass
class _CypherRow:
    """The variables of a row: entities by position, relationships from 1."""

    nodes: list[str]
    links: list[str] = field(default_factory=list)

    @property
    def names(self) -> str:
        """The variables, as a list for WITH; a relationship of a relation without properties has none."""
        return ", ".join(name for name in (*self.nodes, *self.links) if name)


class _CypherWriter:
    def __init__(self, view: View, profile: GraphProfile) -> None:
        self.view, self.profile = view, profile
        self.parameters: dict[str, Parameter] = {}
        self.hoisted: list[str] = []
        self.in_front: list[str] = []
        self._known: dict[object, str] = {}
        self._formats: dict[tuple[str, str], str] = {}
        self._names = 0

    def name(self, letter: str) -> str:
        """A variable that the query has not used."""
        self._names += 1
        return f"{letter}{self._names}"

    def parameter(self, value: Parameter) -> str:
        """A parameter that holds the value, as the query names it: no value stands in the text."""
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"

    def hoist(self, key: object, query: str, column: str) -> str:
        """Compute a list or value in front of the query, once; the variable that holds it."""
        if key not in self._known:
            name = self.name("v")
            self.in_front.append(f"{query} RETURN {column} AS {name}")
            self.hoisted.append(name)
            self._known[key] = name
        return self._known[key]

    # Results

    def result(self, plan: QueryPlan) -> tuple[str, list[tuple[str, str]], CypherShape, tuple[bool, ...]]:
        """The query before its RETURN, the columns (expression, name), what they hold, which of them are entities."""
        match plan:
            case ValueOf():
                return *self.values(plan), "rows", tuple(_is_entity(term) for term in plan.columns)
            case Group():
                kinds = [_is_entity(term) for term in plan.keys]
                kinds += [each.term is not None and each.function in ("minimum", "maximum") and _is_entity(each.term)
                          for each in plan.aggregates]  # fmt: skip
                return *self.groups(plan), "rows", tuple(kinds)
            case Aggregate() | Calculate() | Holds() | NonEmpty():
                query, column = self.value(plan)
                return query, [(column, "value")], "value", ()
            case _:
                x, query = self.entities(plan)
                return query, [(self.id_of(x), "id")], "entities", ()

    def value(self, plan: Scalar) -> tuple[str, str]:
        """Clauses, and the column that is the plan's one value."""
        match plan:
            case Value():
                return "WITH 1 AS one", self.constant(plan)
            case Aggregate():
                return self.aggregate(plan)
            case ValueOf():
                query, columns = self.values(plan)
                name = self.name("w")
                return f"{query} WITH collect({columns[0][0]}) AS {name}", f"{name}[0]"
            case Calculate():
                left, right = self.scalar(plan.left), self.scalar(plan.right)
                if plan.operator == "/":
                    return "WITH 1 AS one", f"CASE WHEN {right} <> 0 THEN toFloat({left}) / {right} END"
                return "WITH 1 AS one", f"{left} {plan.operator} {right}"
            case Holds():
                left, right = self.scalar(plan.left), self.scalar(plan.right)
                other = plan.right.kind if isinstance(plan.right, Value) else None
                test = _compared(left, plan.operator, right)
                if plan.operator != "!=" or other is None:
                    test = f"coalesce({test}, {'true' if plan.operator == '!=' else 'false'})"
                return "WITH 1 AS one", f"CASE WHEN {left} IS NOT NULL AND {right} IS NOT NULL THEN {test} END"
            case NonEmpty():
                row, query = self.rows(plan.source)
                return f"{query} WITH {row.nodes[0]} LIMIT 1", "count(*) > 0"
            case _:
                assert_never(plan)

    def scalar(self, plan: Scalar) -> str:
        """An expression: a constant, or a value computed in front."""
        if isinstance(plan, Value):
            return self.constant(plan)
        query, column = self.value(plan)
        return self.hoist(("value", plan), query, column)

    def aggregate(self, plan: Aggregate) -> tuple[str, str]:
        """The query, and the expression that aggregates its rows."""
        row, query = self.rows(plan.source)
        if plan.term is None:
            distinct = f" WITH DISTINCT {row.names}"
            if query.endswith(distinct) and "," not in row.names:
                return query.removesuffix(distinct), f"count(DISTINCT {row.names})"
            return query, "count(*)"
        value, query = self.unwound(query, row, plan.term)
        number = self.numbers(plan.term, value) if plan.function in ("sum", "average") else "true"
        if plan.function in ("minimum", "maximum"):
            number = self.main_only(plan.term, value)
        where = "" if number == "true" else f" WITH * WHERE {number}"
        return query + where, _aggregate(plan.function, value, distinct=plan.distinct)

    def unwound(self, query: str, row: _CypherRow, term: Term, names: str = "") -> tuple[str, str]:
        """A variable for each value of a term, and the clauses with those that bind it; missing values go.

        Where `names` are other variables than the row's, they are kept as well.
        """
        name = self.name("u")
        single = self.single(row, term)
        if single is not None:
            return name, f"{_bound(query, names or row.names, f'{single} AS {name}')} WHERE {name} IS NOT NULL"
        return name, f"{query} UNWIND {self.list_of(row, term)} AS {name}"

    def values(self, plan: ValueOf) -> tuple[str, list[tuple[str, str]]]:
        """The query of a table, and its columns (expression, name)."""
        row, query = self.rows(plan.source)
        if len(plan.columns) == 1:
            (term,) = plan.columns
            single = self.single(row, term)
            if plan.distinct and single is not None and not term.aggregate:
                columns = [self.name("u")]
                query += f" WITH DISTINCT {single} AS {columns[0]} WHERE {columns[0]} IS NOT NULL"
            else:
                value, query = self.unwound(query, row, term)
                columns = [value]
                query += f" WITH {'DISTINCT ' if plan.distinct else ''}{value}"
        else:
            columns = []
            for term in plan.columns:
                name, single = self.name("u"), self.single(row, term)
                if single is not None:  # a clause less: such a table is planned in two thirds of the time
                    query += f" WITH *, {single} AS {name}"
                else:
                    query += (
                        f" WITH *, {self.list_of(row, term)} AS l{name} "
                        f"UNWIND CASE WHEN size(l{name}) = 0 THEN [null] ELSE l{name} END AS {name}"
                    )
                columns.append(name)
            query += f" WITH * WHERE NOT ({' AND '.join(f'{name} IS NULL' for name in columns)})"
            query += f" WITH {'DISTINCT ' if plan.distinct else ''}{', '.join(columns)}"
        if plan.order is not None:
            key = self.sort_key(plan.columns[plan.order], columns[plan.order])
            query = self.ordered(query, columns, key, plan.limit, descending=plan.descending)
        elif plan.limit is not None:
            query += f" WITH {', '.join(columns)} LIMIT {int(plan.limit)}"
        return query, self.returned(columns, [_is_entity(term) for term in plan.columns])

    def returned(self, columns: Sequence[str], entities: Sequence[bool]) -> list[tuple[str, str]]:
        """The columns (expression, name) of a RETURN; entities by their id."""
        each = (self.id_of(name) if entity else name for name, entity in zip(columns, entities, strict=True))
        return [(column, f"c{i}") for i, column in enumerate(each)]

    def groups(self, plan: Group) -> tuple[str, list[tuple[str, str]]]:
        """The query of a group, and its columns (expression, name): keys, then aggregates."""
        row, query = self.rows(plan.source)
        keys: list[str] = []
        for term in plan.keys:
            value, query = self.unwound(query, row, term, ", ".join([row.names, *keys]))
            keys.append(value)
        query += f" WITH DISTINCT {', '.join([row.names, *keys])}"
        made, after, names, bound = [], [], [], []
        for each in plan.aggregates:
            name = self.name("g")
            names.append(name)
            if each.term is None:
                made.append(f"count(*) AS {name}")
            elif self.is_plain(each.term, each.function) and (single := self.single(row, each.term)) is not None:
                bound.append(f"{single} AS t{name}")
                made.append(f"{_aggregate(each.function, f't{name}', distinct=each.distinct)} AS {name}")
            else:
                bound.append(f"{self.list_of(row, each.term)} AS t{name}")
                made.append(f"collect(t{name}) AS l{name}")
                after.append(self.of_lists(each, f"l{name}", name))
        query += f" WITH *, {', '.join(bound)}" if bound else ""
        query += f" WITH {', '.join([*keys, *made])}"
        query += "".join(after)
        if plan.having:
            tests = [
                f"{_compared(names[each.aggregate], each.operator, self.constant(each.value))}" for each in plan.having
            ]
            query += f" WITH * WHERE {' AND '.join(tests)}"
        columns = [*keys, *names]
        entities = [_is_entity(term) for term in plan.keys]
        entities += [False] * len(names)
        if plan.order is not None:
            terms: list[Term | None] = [*plan.keys, *(None for _ in names)]
            by = terms[plan.order]
            key = self.sort_key(by, columns[plan.order]) if by is not None else columns[plan.order]
            query = self.ordered(query, columns, key, plan.limit, descending=plan.descending, skip=plan.skip)
        elif keys:
            query += f" ORDER BY {', '.join(keys)}"
            query += f" SKIP {int(plan.skip)} LIMIT {int(plan.limit)}" if plan.limit is not None else ""
        return query, self.returned(columns, entities)

    def of_lists(self, each: Aggregation, lists: str, name: str) -> str:
        """A clause that binds a variable to the aggregate over a list of lists of values."""
        value, inner = self.name("u"), self.name("l")
        assert each.term is not None
        test = "true"
        if each.function in ("sum", "average"):
            test = self.numbers(each.term, value)
        elif each.function in ("minimum", "maximum"):
            test = self.main_only(each.term, value)
        where = "" if test == "true" else f" WITH {value} WHERE {test}"
        made = _aggregate(each.function, value, distinct=each.distinct)
        # No COLLECT: Neo4j 5.26 takes what it aggregates for an aggregate of the clause around it.
        return (
            f" CALL ({lists}) {{ UNWIND {lists} AS {inner} UNWIND {inner} AS {value}{where} RETURN {made} AS {name} }}"
        )

    def ordered(
        self,
        query: str,
        columns: Sequence[str],
        key: str,
        limit: int | None,
        *,
        descending: bool,
        skip: int = 0,
        where: str = "",
    ) -> str:
        """The clauses, rows then ordered by an expression and cut, ties kept; missing keys come last, or go."""
        down = " DESC" if descending else ""
        if limit is None:
            k, kept = self.name("k"), ", ".join(columns)
            return f"{query} WITH {kept}, {key} AS {k} WITH * ORDER BY {k} IS NULL, {k}{down} WITH {kept}"
        k, ks, i = self.name("k"), self.name("ks"), self.name("i")
        if limit == 1 and not skip and len(columns) == 1:
            # The best ones of all are a group: shorter, and planned in half the time.
            (x,) = columns
            keyed = f"{_bound(query, x, f'{key} AS {k}')} WHERE {k} IS NOT NULL{where}"
            return f"{keyed} WITH {k}, collect({x}) AS {ks} ORDER BY {k}{down} LIMIT 1 UNWIND {ks} AS {x} WITH {x}"
        lists = {name: self.name("l") for name in columns}
        unwind = (
            f"UNWIND range(0, size({ks}) - 1) AS {i} "
            f"WITH {', '.join(f'{of}[{i}] AS {name}' for name, of in lists.items())}, {ks}[{i}] AS {k}, {i}, {ks}"
        )
        # Lists leave nulls out: a cell that may be missing is carried in a list of its own.
        collected = ", ".join(f"collect([{name}]) AS {of}" for name, of in lists.items())
        unwind = unwind.replace(f"[{i}] AS ", f"[{i}][0] AS ").replace(f"{ks}[{i}][0]", f"{ks}[{i}]")
        keyed = _bound(query, ", ".join(columns), f"{key} AS {k}")
        sort = f"{keyed} WHERE {k} IS NOT NULL{where} WITH * ORDER BY {k}{down}"
        query = f"{sort} WITH {collected}, collect({k}) AS {ks} {unwind}"
        if skip:
            worse = f"{k} {'<' if descending else '>'} {ks}[{skip - 1}]"
            query += f" WHERE {worse} WITH {', '.join(columns)}, {k}, {i} ORDER BY {i}"
            query += f" WITH {collected}, collect({k}) AS {ks} {unwind}"
        kept = ", ".join(columns)
        query += f" WHERE {i} < {int(limit)} OR {k} = {ks}[{int(limit) - 1}]"
        return f"{query} WITH {kept}, {i} ORDER BY {i} WITH {kept}"

    # Sets

    def rows(self, plan: Rows) -> tuple[_CypherRow, str]:
        """The variables of each row, and the clauses that bind them."""
        if not isinstance(plan, Walks):
            x, query = self.entities(plan)
            return _CypherRow([x]), query
        x, query = self.entities(plan.source)
        row = _CypherRow([x])
        links: list[str] = []
        for number, step in enumerate(plan.steps):
            before = (plan.steps[number - 1], links[-1], row.nodes[-2]) if number else None
            y, r, match = self.step(row.nodes[-1], step, before)
            query += match
            row.nodes.append(y)
            links.append(r)
        for step, link in zip(plan.steps, links, strict=True):
            # Relationships without properties are triples: parallel ones are one.
            row.links.append(link if self.profile.relationship_properties.get(step.relation) else "")
        ways = [
            f"startNode({link}) AS {self.name('s')}"
            for step, link, own in zip(plan.steps, links, row.links, strict=True)
            if not own and (step.direction == "any" or self.view.way(step.relation) == "symmetric")
        ]
        query += f" WITH DISTINCT {', '.join([row.names, *ways])}"
        return row, query

    def entities(self, plan: EntitySet) -> tuple[str, str]:
        """A variable, and the clauses that bind it to each entity of a set once."""
        x = self.name("x")
        match plan:
            case Entities():
                return x, self.by_id(x, plan.ids)
            case OfType():
                return x, self.of_type(x, plan.type)
            case Follow():
                start, query = self.entities(plan.source)
                end, walked = self.ends(start, plan.steps)
                return end, query + walked
            case Intersect():
                first, *others = sorted(plan.sets, key=_cost)
                x, query = self.entities(first)
                joined = [each for each in others if _is_one_step(each) and not _is_from_all(each)]
                query = self.filtered(query, [self.member(x, each) for each in others if each not in joined])
                for each in joined:  # as clauses, since the planner may then begin at either end
                    test, walked = self.step_back(x, cast(Follow, each))
                    query = f"{_where(query + walked, test)} WITH DISTINCT {x}"
                return x, query
            case Union():
                parts = []
                for each in plan.sets:
                    y, query = self.entities(each)
                    parts.append(f"{query} RETURN {y} AS {x}")
                return x, f"CALL ({', '.join(self.hoisted)}) {{ {' UNION '.join(parts)} }} WITH {x}"
            case Minus():
                x, query = self.entities(plan.source)
                return x, self.filtered(query, [f"NOT coalesce({self.member(x, plan.without)}, false)"])
            case Where():
                x, query = self.entities(plan.source)
                return x, self.filtered(query, [self.condition(_CypherRow([x]), plan.condition)])
            case Top():
                x, query = self.entities(plan.source)
                row = _CypherRow([x])
                key = self.extreme(row, plan.by, largest=plan.descending)
                return x, self.ordered(query, [x], key, plan.limit, descending=plan.descending, skip=plan.skip)
            case _:
                assert_never(plan)

    def by_id(self, x: str, ids: Sequence[str]) -> str:
        """MATCH of the entities with these ids."""
        wanted = self.parameter(list(ids))
        if self.view.made:
            return f"MATCH {node(self.view, x)} WHERE {x}.key IN {wanted}"
        return f"MATCH {node(self.view, x)} WHERE elementId({x}) IN {wanted}"

    def of_type(self, x: str, name: str) -> str:
        """MATCH of the entities of a type; of all for ""."""
        if not name:
            return f"MATCH {node(self.view, x)}"
        if self.view.made:
            return f"MATCH {node(self.view, x)} WHERE {self.parameter(name)} IN {x}.types"
        return f"MATCH ({x}:{quote(name)})"

    def filtered(self, query: str, tests: Sequence[str]) -> str:
        """Clauses that go on with some of what they bound."""
        if not tests:
            return query
        return _where(query, " AND ".join(f"({each})" for each in tests))

    def member(self, x: str, plan: EntitySet) -> str:
        """Whether an entity is in a set; an expression."""
        match plan:
            case Entities():
                return f"{self.id_of(x) if not self.view.made else f'{x}.key'} IN {self.parameter(list(plan.ids))}"
            case OfType():
                return self.is_of_type(x, plan.type)
            case Intersect():
                return " AND ".join(f"({self.member(x, each)})" for each in plan.sets)
            case Union():
                return " OR ".join(f"({self.member(x, each)})" for each in plan.sets)
            case Minus():
                return f"({self.member(x, plan.source)}) AND NOT coalesce({self.member(x, plan.without)}, false)"
            case Where():
                return f"({self.member(x, plan.source)}) AND ({self.condition(_CypherRow([x]), plan.condition)})"
            case Follow() if _is_step(plan):
                test, walked = self.step_back(x, plan)
                return f"EXISTS {{{_where(walked, test)} }}"
            case Follow() | Top():
                y, query = self.entities(plan)
                return f"{x} IN {self.hoist(('set', plan), query, f'collect({y})')}"
            case _:
                assert_never(plan)

    def step_back(self, x: str, plan: Follow) -> tuple[str, str]:
        """A chain of one step from its end: the test of its ends, and the clause that walks it."""
        (step,) = plan.steps
        start, walked = self.chain(x, (ChainStep(step.relation, _TURNED[step.direction], step.where),))
        tests = [self.member(start, plan.source)]
        tests += [] if step.to is None else [self.condition(_CypherRow([x]), step.to)]
        return " AND ".join(f"({each})" for each in tests), walked

    def is_of_type(self, x: str, name: str) -> str:
        """A test of an entity's type; true for ""."""
        if not name:
            return "true"
        return f"{self.parameter(name)} IN {x}.types" if self.view.made else f"{x}:{quote(name)}"

    def id_of(self, x: str) -> str:
        """The expression of an entity's id."""
        return f"{x}.id" if self.view.made else f"elementId({x})"

    # Chains

    def chain(self, start: str, chain: Steps) -> tuple[str, str]:
        """The variable at the end of a chain from another, and the clauses; the same end may be bound several times."""
        end, link, query = start, "", ""
        before: tuple[ChainStep, str, str] | None = None
        for number, step in enumerate(chain):
            came = end
            end, link, match = self.step(came, step, before)
            query += match
            before = (step, link, came)
            if number + 1 < len(chain) and chain[number + 1].relation != step.relation:
                query += f" WITH DISTINCT {end}" if start == came and not number else ""
        return end, query

    def ends(self, start: str, chain: Steps) -> tuple[str, str]:
        """The variable at the end of a chain, and the clauses; each end is bound once.

        Entities in between are bound once as well, so that what is walked grows with the entities, not with the ways:
        cases by the same reporter are the cases of a few reporters, not millions of pairs.
        """
        end, query, place = start, "", 0
        while place < len(chain):
            stop = place + 1
            while stop < len(chain) and chain[stop].relation == chain[place].relation:
                stop += 1
            if self.view.way(chain[place].relation) == "stored" and _is_there_and_back(chain[place:stop]):
                there, back = chain[place:stop]
                middle, _, match = self.step(end, there)
                two = self.name("l")
                query += f"{match} WITH {middle}, collect(DISTINCT {end})[..2] AS {two}"
                end, _, match = self.step(middle, back)
                query += _where(match, f"(size({two}) > 1 OR {two}[0] <> {end})")
            else:
                end, walked = self.chain(end, chain[place:stop])
                query += walked
            query += f" WITH DISTINCT {end}"
            place = stop
        return end, query

    def step(self, x: str, step: ChainStep, before: tuple[ChainStep, str, str] | None = None) -> tuple[str, str, str]:
        """One step: the entity it reaches, its relationship, and the clause."""
        y, r = self.name("x"), self.name("r")
        way = self.view.way(step.relation)
        direction = step.direction if way == "stored" else "any" if way == "symmetric" else _TURNED[step.direction]
        left, right = {"out": ("-", "->"), "in": ("<-", "-"), "any": ("-", "-")}[direction]
        match = f" MATCH ({x}){left}[{r}:{quote(step.relation)}]{right}{node(self.view, y)}"
        tests = []
        if before is not None and before[0].relation == step.relation:
            turned = {before[0].direction, step.direction} == {"out", "in"} and way == "stored"
            if turned:
                tests.append(f"{before[2]} <> {y}")
            else:
                tests.append(f"NOT (startNode({before[1]}) = startNode({r}) AND endNode({before[1]}) = endNode({r}))")
        if step.where is not None:
            tests.append(self.condition(_CypherRow([], [r]), step.where, step.relation))
        if step.to is not None:
            tests.append(self.condition(_CypherRow([y]), step.to))
        return y, r, match + (f" WHERE {' AND '.join(f'({each})' for each in tests)}" if tests else "")

    # Terms

    def own(self, row: _CypherRow, term: Term, relation: str = "") -> tuple[str, PropertyProfile | None]:
        """What a term without steps reads: `variable.key`, and its profile."""
        if term.relationship:
            link = row.links[max(term.start - 1, 0)]
            known = self.profile.read_by(term, relation) or self.profile.read_by(term)
            return (f"{link}.{quote(term.property)}" if link else "null"), known
        return self.stored(row.nodes[term.start], term.property), self.profile.property(term.property)

    def stored(self, x: str, name: str) -> str:
        """What a node holds of a property by a plan's name for it; an expression."""
        if name == TYPE_PROPERTY:
            return self.types_told(x)
        if name == LABEL_PROPERTY:
            return self.label_told(x)
        literal = self.view.literal(name)
        return f"{x}.{quote(literal.key if literal is not None else name)}"

    def label_told(self, x: str) -> str:
        """What an entity is called, an expression; of a user's own graph null where a node has no name."""
        if self.view.made:
            return f"coalesce({x}.name, {x}.id)"
        names = []
        for naming in self.view.names:
            told = [literal_text(naming.label)] if naming.prefix and naming.label else []
            parts = [f"coalesce(toStringOrNull({x}.{quote(key)}), '')" for key in naming.keys]
            tests = [f"{x}:{quote(naming.label)}"] if naming.label else []
            tests.append(f"({' OR '.join(f'{x}.{quote(key)} IS NOT NULL' for key in naming.keys)})")
            joined = " + ' ' + ".join([*told, *parts])
            names.append(f"CASE WHEN {' AND '.join(tests)} THEN trim({joined}) END")
        return f"coalesce({', '.join([*names, 'null'])})"

    def types_told(self, x: str) -> str:
        """The list of an entity's types that tell what it is, by their short names; an expression."""
        t, inner = self.name("t"), self.name("t")
        known = f"{x}.types" if self.view.made else f"labels({x})"
        told, pairs = self.parameter(list(map(list, self.profile.telling.items()))), self.profile.telling_inside
        narrow = ""
        if pairs:
            held = self.parameter(list(map(list, pairs)))
            narrow = f" AND none({inner} IN {held} WHERE {inner}[0] = {t}[0] AND {inner}[1] IN {known})"
        return f"[{t} IN {told} WHERE {t}[0] IN {known}{narrow} | {t}[1]]"

    def single(self, row: _CypherRow, term: Term) -> str | None:
        """The one value of a term, or null, as an expression; None where it may have several."""
        if term.aggregate:
            return self.aggregated(row, term)
        if term.steps:
            return None
        if not term.property:
            return row.nodes[term.start]
        if term.operand is not None:
            owner = row.links[max(term.start - 1, 0)] if term.relationship else row.nodes[term.start]
            return self.computed(owner, term, term.operand) if owner else "null"
        stored, known = self.own(row, term)
        if known is None or known.lists:
            return None
        return self.part(self.read(stored, known), known, term)

    def computed(self, owner: str, term: Term, operand: Operand) -> str | None:
        """What is computed of two properties of a node or relationship, or null; None where there may be several."""
        both = [self.main_of(owner, each) for each in term.of_its_own()]
        if any(lists for _, lists, _ in both):
            return None
        (one, _, kind), (other, _, other_kind) = both
        a, b = self.name("y"), self.name("y")
        made = _arithmetic(a, kind, operand, b, other_kind)
        return f"head([{a} IN [{one}] WHERE {a} IS NOT NULL | head([{b} IN [{other}] WHERE {b} IS NOT NULL | {made}])])"

    def computed_list(self, owner: str, term: Term, operand: Operand) -> str:
        """What is computed of two properties of a node or relationship, as a list; an expression."""
        single = self.computed(owner, term, operand)
        if single is not None:
            v = self.name("y")
            return f"[{v} IN [{single}] WHERE {v} IS NOT NULL]"
        (one, lists, kind), (other, other_lists, other_kind) = [self.main_of(owner, each) for each in term.of_its_own()]
        a, b, v = self.name("y"), self.name("y"), self.name("y")
        one, other = one if lists else f"[{one}]", other if other_lists else f"[{other}]"
        made = _arithmetic(a, kind, operand, b, other_kind)
        return (
            f"COLLECT {{ UNWIND {one} AS {a} UNWIND {other} AS {b} WITH {made} AS {v} WHERE {v} IS NOT NULL "
            f"RETURN DISTINCT {v} }}"
        )

    def main_of(self, owner: str, term: Term) -> tuple[str, bool, ValueKind]:
        """The values of a property's main kind that a node or relationship has; whether they are a list; the kind."""
        known = self.profile.read_by(term)
        if known is None:
            return "null", False, "number"
        stored = f"{owner}.{quote(term.property)}" if term.relationship else self.stored(owner, term.property)
        plain, v = replace(term, steps=(), aggregate="", part=""), self.name("y")
        test = self.main_only(plain, v)
        values = self.stored_list(stored, known, plain) if known.lists else self.read(stored, known)
        if test != "true":
            kept = f"[{v} IN {values if known.lists else f'[{values}]'} WHERE {test}]"
            values = kept if known.lists else f"head({kept})"
        return values, known.lists, known.kind

    def list_of(self, row: _CypherRow, term: Term) -> str:
        """The values of a term, as a list; an expression."""
        single = self.single(row, term)
        v = self.name("y")
        if single is not None:
            return f"[{v} IN [{single}] WHERE {v} IS NOT NULL]"
        if not term.steps:
            if term.operand is not None:
                owner = row.links[max(term.start - 1, 0)] if term.relationship else row.nodes[term.start]
                return self.computed_list(owner, term, term.operand)
            stored, known = self.own(row, term)
            return self.stored_list(stored, known, term)
        end, link, walked = self.walked(row.nodes[term.start], term)
        if not term.property:
            return f"COLLECT {{{walked} RETURN DISTINCT {end} }}"
        known = self.profile.read_by(term)
        if term.relationship:
            owner, stored = link, f"{link}.{quote(term.property)}"
        else:
            owner, stored = end, self.stored(end, term.property)
        values = self.stored_list(stored, known, term)
        if term.operand is not None:
            values = self.computed_list(owner, term, term.operand)
        return f"COLLECT {{{walked} WITH DISTINCT {owner} UNWIND {values} AS {v} RETURN {v} }}"

    def walked(self, start: str, term: Term) -> tuple[str, str, str]:
        """End, last relationship and clauses of a term's chain."""
        query, end, link = "", start, ""
        before: tuple[ChainStep, str, str] | None = None
        for step in term.steps:
            came = end
            end, link, match = self.step(came, step, before)
            query += match
            before = (step, link, came)
        return end, link, query

    def stored_list(self, stored: str, known: PropertyProfile | None, term: Term) -> str:
        """The expression of all values of a stored property as a list, each read by its profile."""
        v, w = self.name("y"), self.name("y")
        read = w if known is None else self.part(self.read(w, known), known, term)
        values = f"[{w} IN coalesce([] + {stored}, []) WHERE {w} = {w} AND {w} <> '' | {read}]"
        if known is None or known.lists:
            values = f"COLLECT {{ UNWIND {values} AS {v} RETURN DISTINCT {v} }}"
        return f"[{v} IN {values} WHERE {v} IS NOT NULL]"

    def read(self, stored: str, known: PropertyProfile) -> str:
        """A stored value as the kind that it is read as; an expression."""
        if known.stored != "text":
            if known.kind == "number" or known.mixed:  # NaN is a missing value, too
                return f"CASE WHEN {stored} = {stored} AND {stored} <> '' THEN {stored} END"
            return f"nullIf({stored}, '')" if known.kind == "text" else stored
        test = f"{stored} =~ {self.format(known)}"
        if known.kind == "date":
            p = self.name("y")
            year, month, day = (f"toInteger({p}[{known.pattern.index(letter)}])" for letter in "ymd")
            parts = f"[split(trim({stored}), ['-', '/', '.'])]"
            made = f"head([{p} IN {parts} WHERE {test} | date({{year: {year}, month: {month}, day: {day}}})])"
        elif known.kind == "datetime":
            made = f"CASE WHEN {test} THEN datetime(replace(trim({stored}), ' ', 'T')) END"
        else:
            made = f"CASE WHEN {test} THEN toFloat({stored}) END"
        if known.mixed:
            return f"coalesce({made}, nullIf({stored}, ''))"
        if known.both:
            return f"CASE WHEN {stored} IS :: STRING THEN {made} WHEN {stored} = {stored} THEN {stored} END"
        return made

    def format(self, known: PropertyProfile) -> str:
        """A parameter: the expression that texts match which read as a number, date or time.

        It names no day that is not there, since Cypher has no function that gives null for one.
        """
        if (known.kind, known.pattern) not in self._formats:
            self._formats[known.kind, known.pattern] = self.parameter(_format(known))
        return self._formats[known.kind, known.pattern]

    def part(self, value: str, known: PropertyProfile, term: Term) -> str:
        """The expression of a part of a date or time (year, month, …); null where the kind has none."""
        if not term.part:
            return value
        kinds = known.kinds or (known.kind,)
        if not {"date", "datetime", "time"} & set(kinds):
            return "null"
        v = self.name("y")
        whole = f"datetime({{datetime: {v}, timezone: 'Z'}})" if known.kind == "datetime" else v
        if term.part in ("hour", "minute"):
            if known.kind == "date":
                return "null"
            taken = f"{whole}.{term.part}"
        elif known.kind == "time":
            return "null"
        elif term.part == "date":
            taken = f"date({whole})"
        elif term.part == "decade":
            taken = f"toInteger(floor({whole}.year / 10.0)) * 10"
        else:
            taken = f"{whole}.{'dayOfWeek' if term.part == 'weekday' else term.part}"
        guard = f"{v} IS NOT NULL" + (f" AND {_is_of(v, known.kind)}" if known.mixed else "")
        return f"head([{v} IN [{value}] WHERE {guard} | {taken}])"

    def aggregated(self, row: _CypherRow, term: Term) -> str:
        """The aggregate that a term is; an expression."""
        if term.aggregate == "count" and not term.property:
            if not term.steps:
                return "1"
            end, _, walked = self.walked(row.nodes[term.start], term)
            return f"COUNT {{{walked} RETURN DISTINCT {end} }}"
        inner = replace(term, aggregate="")
        values = self.list_of(row, inner)
        if term.aggregate == "count":
            return f"size({values})"
        function = cast(Function, term.aggregate)
        v = self.name("u")
        test = self.numbers(inner, v) if function in ("sum", "average") else self.main_only(inner, v)
        where = "" if test == "true" else f" WITH {v} WHERE {test}"
        made = _aggregate(function, v, distinct=False)
        return f"COLLECT {{ UNWIND {values} AS {v}{where} RETURN {made} AS made }}[0]"

    def extreme(self, row: _CypherRow, term: Term, *, largest: bool) -> str:
        """The largest or smallest value of a term's main kind, or null; an expression."""
        single = self.single(row, term)
        if single is not None and (term.aggregate or self.main_only(term, "v") == "true"):
            return single
        v = self.name("u")
        test = self.main_only(term, v)
        where = "" if test == "true" else f" WITH {v} WHERE {test}"
        made = "max" if largest else "min"
        return f"COLLECT {{ UNWIND {self.list_of(row, term)} AS {v}{where} RETURN {made}({v}) AS made }}[0]"

    def is_plain(self, term: Term, function: Function) -> bool:
        """Whether an aggregate may read a term's single value as it is."""
        if function in ("sum", "average"):
            return self.numbers(term, "v") == "true"
        return function == "count" or self.main_only(term, "v") == "true"

    def numbers(self, term: Term, value: str) -> str:
        """The condition under which a value is added up."""
        if term.aggregate in ("count", "sum", "average") or (term.part and term.part != "date"):
            return "true"
        known = self.profile.read_by(term)
        if known is not None and known.kind == "number" and not known.mixed:
            return "true"
        return f"({value} IS :: INTEGER OR {value} IS :: FLOAT)"

    def main_only(self, term: Term, value: str) -> str:
        """The condition under which a value orders and is a minimum or maximum."""
        known = self.profile.read_by(term)
        if known is None or not known.mixed or term.part or term.aggregate:
            return "true"
        return _is_of(value, known.kind)

    def sort_key(self, term: Term, value: str) -> str:
        """The expression to order by; null where the value is not of the property's main kind."""
        test = self.main_only(term, value)
        return value if test == "true" else f"CASE WHEN {test} THEN {value} END"

    # Conditions

    def condition(self, row: _CypherRow, condition: Condition, relation: str = "") -> str:
        """The test of a condition on a row; within a step, on the relationship of `relation`."""
        match condition:
            case AllOf():
                return (
                    " AND ".join(f"({self.condition(row, each, relation)})" for each in condition.conditions) or "true"
                )
            case AnyOf():
                return (
                    " OR ".join(f"({self.condition(row, each, relation)})" for each in condition.conditions) or "false"
                )
            case Not():
                return f"NOT coalesce({self.condition(row, condition.condition, relation)}, false)"
            case HasType():
                if row.nodes:
                    return self.is_of_type(row.nodes[0], condition.type)
                return f"type({row.links[0]}) = {self.parameter(condition.type)}"
            case Has():
                return self.has(row, condition.term)
            case Compare():
                return self.compare(row, condition)
            case _:
                assert_never(condition)

    def has(self, row: _CypherRow, term: Term) -> str:
        """The test that a term has a value."""
        if term.steps and not term.property and not term.aggregate:
            _, _, walked = self.walked(row.nodes[term.start], term)
            return f"EXISTS {{{walked} }}"
        single = self.single(row, term)
        if single is not None:
            return f"{single} IS NOT NULL"
        return f"size({self.list_of(row, term)}) > 0"

    def compare(self, row: _CypherRow, condition: Compare) -> str:
        """The test of a comparison with a constant, constants, a term, a set or a scalar plan."""
        left, operator, right = condition.left, condition.operator, condition.right
        if isinstance(right, SETS):
            return self.compare_set(row, left, cast(EntitySet, right), inside=operator == "=")
        if isinstance(right, Term):
            return self.compare_terms(row, left, operator, right)
        if isinstance(right, Value):
            return self.compare_values(row, left, operator, (right,))
        if isinstance(right, tuple):
            return self.compare_values(row, left, operator, right)
        value = self.scalar(cast(Scalar, right))
        v = self.name("y")
        values = self.list_of(row, left)
        if operator == "!=":
            return f"{value} IS NOT NULL AND size({values}) > 0 AND none({v} IN {values} WHERE {v} = {value})"
        return f"any({v} IN {values} WHERE {_compared(v, operator, value)})"

    def compare_set(self, row: _CypherRow, left: Term, right: EntitySet, *, inside: bool) -> str:
        """The test that some end of a term is in a set, or that it has ends and none is."""
        if not left.steps:
            test = f"coalesce({self.member(row.nodes[left.start], right)}, false)"
            return test if inside else f"NOT {test}"
        end, _, walked = self.walked(row.nodes[left.start], left)
        found = f"EXISTS {{{_where(walked, f'({self.member(end, right)})')} }}"
        return found if inside else f"{self.has(row, left)} AND NOT {found}"

    def compare_terms(self, row: _CypherRow, left: Term, operator: Operator, right: Term) -> str:
        """The test that some value of one term compares with some value of the other."""
        a, b = self.name("y"), self.name("y")
        one, two = self.list_of(row, left), self.list_of(row, right)
        x, y = a, b
        kinds = {known.kind for known in (self.profile.read_by(left), self.profile.read_by(right)) if known is not None}
        if kinds == {"date", "datetime"}:
            x, y = f"date({a})", f"date({b})"
        same = "=" if operator == "!=" else operator
        found = f"any({a} IN {one} WHERE any({b} IN {two} WHERE {_compared(x, same, y)}))"
        return found if operator != "!=" else f"size({one}) > 0 AND size({two}) > 0 AND NOT coalesce({found}, false)"

    def compare_values(self, row: _CypherRow, left: Term, operator: Operator, values: Sequence[Value]) -> str:
        """The test of a term's values against constants; several for `between` and for any of a list."""
        known = self.profile.read_by(left)
        raw = left
        if known is not None and known.stored == "text" and all(each.kind == "text" for each in values) and not (
            left.part or left.aggregate):  # fmt: skip
            return self.compare_stored(row, left, operator, values)
        single = None if left.aggregate == "" and left.steps else self.single(row, left)
        wanted = "=" if operator == "!=" else operator
        if single is not None and operator != "!=":
            if self.is_direct(left, known, values):
                single, _ = self.own(row, left)
            return self.test(single, wanted, values, raw)
        v = self.name("y")
        listed = self.list_of(row, left)
        found = f"any({v} IN {listed} WHERE {self.test(v, wanted, values, raw)})"
        return found if operator != "!=" else f"size({listed}) > 0 AND NOT coalesce({found}, false)"

    def is_direct(self, left: Term, known: PropertyProfile | None, values: Sequence[Value]) -> bool:
        """Whether the stored value may be compared as it is, so that an index is used."""
        return (
            not (left.part or left.aggregate or left.operand)
            and known is not None
            and not known.mixed
            and known.stored in ("", known.kind)
            and all(each.kind == known.kind and each.value != "" for each in values)
        )

    def compare_stored(self, row: _CypherRow, left: Term, operator: Operator, values: Sequence[Value]) -> str:
        """Texts against a property of numbers or dates that are stored as texts."""
        known = self.profile.read_by(left)
        assert known is not None
        kinds: tuple[ValueKind, ...] = ("text", known.kind) if known.both or known.mixed else ()
        plain = PropertyProfile(left.property, "text", kinds=kinds, lists=known.lists)
        v = self.name("y")
        if left.steps:
            end, link, walked = self.walked(row.nodes[left.start], left)
            owner = link if left.relationship else end
            stored = f"{owner}.{quote(left.property)}" if left.relationship else self.stored(owner, left.property)
            listed = (
                f"COLLECT {{{walked} WITH DISTINCT {owner} UNWIND {self.stored_list(stored, plain, left)} AS {v} "
                f"RETURN {v} }}"
            )
        else:
            stored, _ = self.own(row, left)
            if not known.lists and operator in ("=", "contains", "starts_with", "ends_with"):
                return self.test(stored, operator, values, Term(property=left.property), plain)
            listed = self.stored_list(stored, plain, left)
        wanted = "=" if operator == "!=" else operator
        found = f"any({v} IN {listed} WHERE {self.test(v, wanted, values, left, plain)})"
        return found if operator != "!=" else f"size({listed}) > 0 AND NOT coalesce({found}, false)"

    def test(
        self, value: str, operator: Operator, values: Sequence[Value], term: Term, known: PropertyProfile | None = None
    ) -> str:
        """Whether one value of a term compares with constants."""
        if operator == "between":
            low, high = values
            return f"{self.test_one(value, '>=', low, term, known)} AND {self.test_one(value, '<=', high, term, known)}"
        if operator == "=" and len(values) > 1 and all(each.kind == "text" for each in values):
            return f"{value} IN {self.parameter([str(each.value) for each in values])}"
        return " OR ".join(self.test_one(value, operator, each, term, known) for each in values) or "false"

    def test_one(self, value: str, operator: Operator, other: Value, term: Term, known: PropertyProfile | None) -> str:
        """The test of one value against one constant; false where their kinds do not compare."""
        known = known or self.profile.read_by(term)
        kind: ValueKind | None = known.kind if known is not None else None
        if term.aggregate in ("count", "sum", "average") or (term.part and term.part != "date"):
            kind = "number"
        elif term.part == "date":
            kind = "date"
        plain = kind is not None and not (known is not None and known.mixed and not term.part)
        if plain and kind != other.kind and {kind, other.kind} != {"date", "datetime"}:
            return "false"
        constant = self.constant(other)
        if not plain and other.kind in ("date", "datetime", "time", "duration"):  # what it is turned into has to be one
            v, one = self.name("y"), kind if kind in ("date", "datetime") else other.kind
            test = self.test_typed(v, operator, other, one, constant)
            return f"any({v} IN [{value}] WHERE {_is_of(v, one)} AND {test})"
        if other.kind in ("date", "datetime", "time", "duration"):
            return self.test_typed(value, operator, other, kind, constant)
        if other.kind == "point":
            return "false" if operator != "=" else f"toString({value}) = {constant}"
        if operator in ("contains", "starts_with", "ends_with"):
            if other.kind != "text":
                return "false"
            value = value if plain else f"CASE WHEN {value} IS :: STRING THEN {value} END"
        return _compared(value, operator, constant)

    def test_typed(self, value: str, operator: Operator, other: Value, kind: ValueKind | None, constant: str) -> str:
        """Whether a date, time or duration of a kind compares with a constant."""
        if operator in ("contains", "starts_with", "ends_with"):
            return "false"
        if other.kind == "date" and kind == "datetime":
            value = f"date(datetime({{datetime: {value}, timezone: 'Z'}}))"
        elif other.kind == "datetime" and kind == "date":
            constant = f"date({constant})"
        elif other.kind == "datetime":
            value = f"datetime({value})" if kind == "datetime" else value
        elif other.kind == "duration":
            value = f"({value}.months * 2629746 + {value}.days * 86400 + {value}.seconds)"
        elif other.kind == "time":
            value = f"localtime({value})"
        return _compared(value, operator, constant)

    def constant(self, value: Value) -> str:
        """A constant as a parameter, made what it is."""
        if value.kind in ("number", "boolean", "text", "point"):
            return self.parameter(value.value)
        if value.kind == "duration":
            return self.parameter(value_key(value))
        text = self.parameter(str(value.value))
        return f"{ {'date': 'date', 'datetime': 'datetime', 'time': 'localtime'}[value.kind] }({text})"


_YEAR, _LEAP = "[0-9]{4}", "[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00"
_DAYS = (
    {"y": _YEAR, "m": "0?[1-9]|1[0-2]", "d": "0?[1-9]|1[0-9]|2[0-8]"},
    {"y": _YEAR, "m": "0?[13-9]|1[0-2]", "d": "29|30"},
    {"y": _YEAR, "m": "0?[13578]|1[02]", "d": "31"},
    {"y": _LEAP, "m": "0?2", "d": "29"},
)
_TIME = "[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?(?:Z|[-+](?:0[0-9]|1[0-7]):?[0-5][0-9])?"


def _format(known: PropertyProfile) -> str:
    """What texts match that `trivium.kg.plans.columns.read_text` reads as a kind."""
    if known.kind == "number":
        return r"\s*-?(?:0|[1-9][0-9]{0,14})(?:[.][0-9]+)?\s*"
    separator, time = ("[-/.]", "") if known.kind == "date" else ("-", _TIME)
    days = (separator.join(f"(?:{day[letter]})" for letter in known.pattern or "ymd") for day in _DAYS)
    days_read = "|".join(days) if known.kind == "date" else "|".join(days).replace("0?", "0")
    return rf"\s*(?:{days_read}){time}\s*"


_CHEAP = 3
_TURNED: dict[Literal["out", "in", "any"], Literal["out", "in", "any"]] = {"out": "in", "in": "out", "any": "any"}
_FUNCTIONS = {"count": "count", "sum": "sum", "average": "avg", "minimum": "min", "maximum": "max"}
_TYPES = {
    "number": "INTEGER | FLOAT", "boolean": "BOOLEAN", "date": "DATE", "datetime": "ZONED DATETIME | LOCAL DATETIME",
    "time": "ZONED TIME | LOCAL TIME", "duration": "DURATION", "point": "POINT", "text": "STRING",
}  # fmt: skip


def _is_of(value: str, kind: ValueKind) -> str:
    return "(" + " OR ".join(f"{value} IS :: {name}" for name in _TYPES[kind].split(" | ")) + ")"


def _is_entity(term: Term) -> bool:
    return not term.property and not term.aggregate


def _aggregate(function: Function, value: str, *, distinct: bool) -> str:
    return f"{_FUNCTIONS[function]}({'DISTINCT ' if distinct else ''}{value})"


def _arithmetic(a: str, kind: ValueKind, operand: Operand, b: str, other: ValueKind) -> str:
    """What is computed of two values that are not null, an expression; as `trivium.kg.plans.columns` does."""
    if not operand.computes(kind, other):
        return "null"
    if operand.operator == "/":
        return f"CASE WHEN {b} <> 0 THEN toFloat({a}) / {b} + 0.0 END"  # no -0, which is another value than 0
    if kind == "number":
        return f"toFloat({a}) {operand.operator} {b} + 0.0"
    if operand.unit in ("year", "month"):
        months, whole = (12, 100) if operand.unit == "month" else (100, 10_000)
        one, two = (f"((({x}.year * {months} + {x}.month) * 100) + {x}.day)" for x in (a, b))
        return f"toFloat(({one} - {two}) / {whole})"
    one, two = (_SECONDS_OF[of].format(x) for x, of in ((a, kind), (b, other)))
    unit = operand.unit or ("minute" if kind == "time" else "day")
    return f"({one} - {two}) / {_UNIT_SECONDS[unit]}"


_SECONDS_OF: dict[ValueKind, str] = {
    "date": "datetime({{date: {0}, timezone: 'Z'}}).epochSeconds",
    "datetime": "datetime({{datetime: {0}, timezone: 'Z'}}).epochMillis / 1000.0",
    "time": "({0}.hour * 3600 + {0}.minute * 60 + {0}.second)",
}
_UNIT_SECONDS = {"day": "86400.0", "hour": "3600.0", "minute": "60.0", "second": "1.0"}


def _compared(value: str, operator: Operator, other: str) -> str:
    if operator == "!=":
        return f"{value} <> {other}"
    words = {"contains": "CONTAINS", "starts_with": "STARTS WITH", "ends_with": "ENDS WITH"}
    if operator in words:
        return f"toLower({value}) {words[operator]} toLower({other})"
    return f"{value} {operator} {other}"


def _where(query: str, test: str) -> str:
    """Clauses whose last one, a MATCH or a WITH, goes on with those rows alone that pass a test."""
    return f"{query} {'AND' if ' WHERE ' in _last_clause(query) else 'WHERE'} {test}"


def _bound(query: str, names: str, column: str) -> str:
    """Clauses that go on with variables and one more column."""
    if "{" not in column and query.endswith((f" WITH {names}", f" WITH DISTINCT {names}")):
        return f"{query}, {column}"
    return f"{query} WITH {names}, {column}"


def _last_clause(query: str) -> str:
    """The last MATCH or WITH of a query and what comes behind it, without what stands in quotes and brackets."""
    nested = 1
    while nested:  # from the inside
        query, nested = _NESTED.subn(" ", query)
    return query[max((match.start() for match in _CLAUSE.finditer(query)), default=0) :]


_NESTED = re.compile(r"`[^`]*`|\{[^][(){}`]*\}|\([^][(){}`]*\)|\[[^][(){}`]*\]")
_CLAUSE = re.compile(r"(?<!STARTS )(?<!ENDS )\b(?:MATCH|WITH)\b")
_CUT = re.compile(r"\b(?:WHERE|LIMIT|UNWIND|CALL)\b")


def _is_one_step(plan: EntitySet) -> bool:
    return isinstance(plan, Follow) and len(plan.steps) == 1


def _is_step(plan: EntitySet) -> bool:
    """Whether a set is the ends of one step from many: tested by walking back from an entity."""
    return _is_one_step(plan) and _cost(plan) > _CHEAP


def _is_there_and_back(steps: Steps) -> bool:
    """Whether steps are a relation and the same one back: what shares the end with the start."""
    return len(steps) == 2 and {step.direction for step in steps} == {"out", "in"}


def _is_from_all(plan: EntitySet) -> bool:
    """Whether a set is reached from all of a type: nothing begins there, and one of its many ways is enough to test."""
    return isinstance(plan, Follow) and isinstance(plan.source, OfType)


def _cost(plan: EntitySet) -> int:
    """How many entities a set is likely to have, roughly: named ones few, whole types many."""
    match plan:
        case Entities():
            return 0
        case OfType():
            return 9
        case Where():
            equal = isinstance(plan.condition, Compare) and plan.condition.operator == "="
            return min(_cost(plan.source), 3 if equal else 7)
        case Intersect():
            return min((_cost(each) for each in plan.sets), default=0)
        case Union():
            return max((_cost(each) for each in plan.sets), default=0)
        case Follow():
            return min(8, _cost(plan.source) + len(plan.steps))
        case Minus() | Top():
            return _cost(plan.source)
        case _:
            assert_never(plan)
