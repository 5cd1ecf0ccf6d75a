"""A whole plan as one SPARQL 1.1 query over `trivium kg export --format ntriples`, with the executor's answers.

IRIs and constants are written by `trivium.kg.loaders.rdf_terms`; nothing else of a plan gets into the text. A set is a
group pattern that binds a variable; what has to be aggregated or ordered first is a sub-select.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, assert_never, cast

from trivium.kg.loaders.rdf_terms import (
    LABEL,
    OBJECT,
    PREDICATE,
    STATEMENT,
    SUBJECT,
    TYPE,
    entity_term,
    iri_of,
    relation_term,
    string_term,
)
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

_XSD = "http://www.w3.org/2001/XMLSchema#"


@dataclass(frozen=True)
class SparqlQuery:
    """A query.

    Attributes:
        text: SPARQL 1.1.
        shape: what it gives: rows of entities' ids, rows of cells, or one value.
    """

    text: str
    shape: Literal["entities", "rows", "value"]


def to_sparql(plan: QueryPlan, profile: GraphProfile) -> SparqlQuery:
    """The query of a plan over the export of a KG; the plan fits the profile (`trivium.kg.plans.check`)."""
    writer = _SparqlWriter(profile)
    match plan:
        case ValueOf():
            return SparqlQuery(writer.values(plan), "rows")
        case Group():
            return SparqlQuery(writer.groups(plan), "rows")
        case Aggregate() | Calculate() | Holds() | NonEmpty():
            return SparqlQuery(f"SELECT ?value WHERE {{ {writer.scalar(plan, '?value')} }}", "value")
        case _:
            x = writer.name("x")
            return SparqlQuery(f"SELECT DISTINCT ({x} AS ?id) WHERE {{ {writer.set(x, plan)} }}", "entities")


@dataclass
class _SparqlRow:
    """The variables of a row: entities by position, statements and relations of relationships from 1."""

    nodes: list[str]
    links: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    """Of steps in either direction: which way they went."""

    @property
    def names(self) -> str:
        """Its variables: nodes, links, heads."""
        return " ".join([*self.nodes, *self.links, *self.heads])


@dataclass
class _Scope:
    """Patterns that a condition needs bound beside it."""

    patterns: list[str] = field(default_factory=list)


class _SparqlWriter:
    def __init__(self, profile: GraphProfile) -> None:
        self.profile = profile
        self._names = 0
        self._as_text = False
        """Whether values that are numbers or dates, but held as texts, are compared as texts."""

    def name(self, letter: str) -> str:
        """A variable that the query has not used."""
        self._names += 1
        return f"?{letter}{self._names}"

    # Results

    def scalar(self, plan: Scalar, name: str) -> str:
        """A pattern that binds a variable to the one value of a plan, and gives one row; unbound without a value."""
        match plan:
            case Value():
                return f"BIND({_constant(plan)} AS {name})"
            case Aggregate():
                return f"{{ {self.aggregate(plan, name)} }}"
            case ValueOf():
                inner = self.values(plan)
                return f"OPTIONAL {{ SELECT (?c0 AS {name}) WHERE {{ {{ {inner} }} }} LIMIT 1 }}"
            case Calculate():
                left, right = self.name("a"), self.name("b")
                both = f"{self.scalar(plan.left, left)} {self.scalar(plan.right, right)}"
                test = f"IF({right} = 0, 1/0, {_double(left)} / {right})" if plan.operator == "/" else (
                    f"{left} {plan.operator} {right}")  # fmt: skip
                return f"{both} BIND({test} AS {name})"
            case Holds():
                left, right = self.name("a"), self.name("b")
                both = f"{self.scalar(plan.left, left)} {self.scalar(plan.right, right)}"
                otherwise = "true" if plan.operator == "!=" else "false"
                test = f"COALESCE({_compared(left, plan.operator, right)}, {otherwise})"
                return f"{both} BIND(IF(BOUND({left}) && BOUND({right}), {test}, 1/0) AS {name})"
            case NonEmpty():
                row, pattern = self.rows(plan.source)
                return f"{{ SELECT (COUNT({row.nodes[0]}) > 0 AS {name}) WHERE {{ {pattern} }} }}"
            case _:
                assert_never(plan)

    def aggregate(self, plan: Aggregate, name: str) -> str:
        """A sub-select of one row."""
        row, pattern = self.rows(plan.source)
        if plan.term is None:
            return f"SELECT (COUNT(*) AS {name}) WHERE {{ {pattern} }}"
        value = self.name("v")
        cells = f"{pattern} {self.cells(row, plan.term, value)} {self.kind_filter(plan.function, plan.term, value)}"
        return f"SELECT ({_aggregate(plan.function, value, distinct=plan.distinct)} AS {name}) WHERE {{ {cells} }}"

    def kind_filter(self, function: Function, term: Term, value: str) -> str:
        """FILTER for the values that an aggregate takes; "" for none."""
        if function == "count" or term.aggregate:
            return ""
        if function in ("sum", "average"):
            return f"FILTER(isNumeric({value}))"
        return self.main_filter(term, value)

    def main_filter(self, term: Term, value: str) -> str:
        """FILTER for values of the property's main kind; "" where it has one kind."""
        known = self.profile.read_by(term)
        if known is None or not known.mixed or term.part or term.aggregate:
            return ""
        return f"FILTER({_is_of(value, known.kind)})"

    def values(self, plan: ValueOf) -> str:
        """A select of the columns ?c0, ?c1, and so on."""
        row, pattern = self.rows(plan.source)
        columns = [f"?c{i}" for i in range(len(plan.columns))]
        inner = [self.name("u") for _ in columns]
        if len(columns) == 1:
            pattern += f" {self.cells(row, plan.columns[0], inner[0])}"
        else:
            for term, name in zip(plan.columns, inner, strict=True):
                pattern += f" {self.optional(row, term, name)}"
            pattern += f" FILTER({' || '.join(f'BOUND({name})' for name in inner)})"
        made = " ".join(f"({name} AS {column})" for name, column in zip(inner, columns, strict=True))
        select = f"SELECT {'DISTINCT ' if plan.distinct else ''}{made} WHERE {{ {pattern} }}"
        if plan.order is None:
            return select + (f" LIMIT {plan.limit}" if plan.limit is not None else "")
        return self.ordered(columns, select, columns[plan.order], plan.columns[plan.order], plan)

    def ordered(self, columns: Sequence[str], select: str, key: str, term: Term | None, plan: ValueOf | Group) -> str:
        """A select in the order of a column, cut to its limit with ties."""
        pattern = f"{{ {select} }}"
        if plan.limit is None:
            order = f"DESC({key})" if plan.descending else key
            return f"SELECT {' '.join(columns)} WHERE {{ {pattern} }} ORDER BY (!BOUND({key})) {order}"
        pattern += f" FILTER(BOUND({key}))" + (f" {self.main_filter(term, key)}" if term is not None else "")
        skip = plan.skip if isinstance(plan, Group) else 0
        cut = self.cut(pattern, key, plan.limit, descending=plan.descending, skip=skip)
        order = f"DESC({key})" if plan.descending else key
        return f"SELECT {' '.join(columns)} WHERE {{ {cut} }} ORDER BY {order}"

    def cut(self, pattern: str, key: str, limit: int, *, descending: bool, skip: int = 0) -> str:
        """A pattern that keeps the first rows by a key, and their ties."""
        order = f"DESC({key})" if descending else f"ASC({key})"
        if skip:
            over = self.name("t")
            first = f"{{ SELECT ({key} AS {over}) WHERE {{ {pattern} }} ORDER BY {order} LIMIT 1 OFFSET {skip - 1} }}"
            pattern = f"{{ {pattern} {first} FILTER({key} {'<' if descending else '>'} {over}) }}"
        last = self.name("t")
        threshold = (
            f"SELECT ({key} AS {last}) WHERE {{ {pattern} }} ORDER BY {order} LIMIT 1 OFFSET {max(limit - 1, 0)}"
        )
        test = f"FILTER(!BOUND({last}) || {key} {'>=' if descending else '<='} {last})"
        return f"{pattern} OPTIONAL {{ {threshold} }} {test}" if limit > 0 else f"{pattern} FILTER(false)"

    def groups(self, plan: Group) -> str:
        """The SELECT of a group: keys, then aggregates."""
        row, pattern = self.rows(plan.source)
        keys = [f"?c{i}" for i in range(len(plan.keys))]
        bound = " ".join(self.cells(row, term, name) for term, name in zip(plan.keys, keys, strict=True))
        distinct = f"{{ SELECT DISTINCT {row.names} {' '.join(keys)} WHERE {{ {pattern} {bound} }} }}"
        columns, parts = list(keys), []
        for each in plan.aggregates:
            name = f"?c{len(columns)}"
            columns.append(name)
            parts.append(self.of_groups(each, row, distinct, keys, name))
        whole = " ".join(parts)
        if keys:
            whole = f"{{ SELECT DISTINCT {' '.join(keys)} WHERE {{ {distinct} }} }} {whole}"
        for having in plan.having:
            name = columns[len(keys) + having.aggregate]
            equal: Operator = "=" if having.operator == "!=" else having.operator
            test = self.test(name, equal, having.value, _aggregated(plan.aggregates[having.aggregate]))
            if having.operator == "!=":
                test = f"!COALESCE({test}, false)"
            whole += f" FILTER(BOUND({name}) && ({test}))"
        select = f"SELECT {' '.join(columns)} WHERE {{ {whole} }}"
        if not keys and plan.order is None:
            return select
        if plan.order is None:
            cut = f" LIMIT {plan.limit} OFFSET {plan.skip}" if plan.limit is not None else ""
            return f"{select} ORDER BY {' '.join(keys)}{cut}"
        term = plan.keys[plan.order] if plan.order < len(keys) else None
        return self.ordered(columns, select, columns[plan.order], term, plan)

    def of_groups(self, each: Aggregation, row: _SparqlRow, distinct: str, keys: Sequence[str], name: str) -> str:
        """The pattern that binds `name` to an aggregate of each group."""
        by = f"GROUP BY {' '.join(keys)}" if keys else ""
        if each.term is None:
            return f"{{ SELECT {' '.join(keys)} (COUNT(*) AS {name}) WHERE {{ {distinct} }} {by} }}"
        value, total = self.name("v"), self.name("m")
        cells = f"{self.cells(row, each.term, value)} {self.kind_filter(each.function, each.term, value)}"
        made = _aggregate(each.function, value, distinct=each.distinct)
        select = f"SELECT {' '.join(keys)} ({made} AS {total}) WHERE {{ {distinct} {cells} }} {by}"
        empty = "0" if each.function in ("count", "sum") else "1/0"
        return f"OPTIONAL {{ {select} }} BIND(COALESCE({total}, {empty}) AS {name})"

    # Rows and sets

    def rows(self, plan: Rows) -> tuple[_SparqlRow, str]:
        """The variables of each row, and a pattern that gives each row once."""
        x = self.name("x")
        if not isinstance(plan, Walks):
            return _SparqlRow([x]), f"{{ SELECT DISTINCT {x} WHERE {{ {self.set(x, plan)} }} }}"
        pattern = self.set(x, plan.source)
        row = _SparqlRow([x])
        ends: tuple[str, str] | None = None
        before: ChainStep | None = None
        for step in plan.steps:
            y, r = self.name("x"), self.name("r") if self.profile.relationship_properties.get(step.relation) else ""
            walked, ends = self.step(row.nodes[-1], y, step, before, ends, r)
            pattern += f" {walked}"
            row.nodes.append(y)
            row.links.append(r or self.name("none"))
            if step.direction == "any":
                row.heads.append(ends[0])
            before = step
        return row, f"{{ SELECT DISTINCT {row.names} WHERE {{ {pattern} }} }}"

    def set(self, x: str, plan: EntitySet) -> str:  # noqa: PLR0911 - one case a kind of set
        """A pattern that binds a variable to each entity of a set, perhaps several times."""
        match plan:
            case Entities():
                terms = " ".join(entity_term(each) for each in plan.ids)
                return f"{{ VALUES {x} {{ {terms} }} {self.is_entity(x)} }}"
            case OfType():
                if plan.type:
                    return f"{x} <{TYPE}> <{iri_of(plan.type, 'type')}> ."
                return f"{{ SELECT DISTINCT {x} WHERE {{ {self.every(x)} }} }}"
            case Follow():
                start = self.name("x")
                return f"{{ {self.set(start, plan.source)} {self.chain(start, plan.steps, x)} }}"
            case Intersect():
                return " ".join(f"{{ {self.set(x, each)} }}" for each in plan.sets)
            case Union():
                return f"{{ {' UNION '.join(f'{{ {self.set(x, each)} }}' for each in plan.sets)} }}"
            case Minus():
                return f"{{ {self.set(x, plan.source)} MINUS {{ {self.set(x, plan.without)} }} }}"
            case Where():
                scope = _Scope()
                test = self.condition(_SparqlRow([x]), plan.condition, scope)
                beside = " ".join(scope.patterns)
                return f"{{ {self.set(x, plan.source)} {beside} FILTER({test}) }}"
            case Top():
                return self.top(x, plan)
            case _:
                assert_never(plan)

    def top(self, x: str, plan: Top) -> str:
        """The pattern of the first entities by a term, with their ties."""
        key, value = self.name("k"), self.name("v")
        if plan.limit is None:
            return self.set(x, plan.source)
        row, pattern = _SparqlRow([x]), f"{{ SELECT DISTINCT {x} WHERE {{ {self.set(x, plan.source)} }} }}"
        if plan.by.aggregate:
            keyed = f"{pattern} {self.cells(row, plan.by, key)}"
        else:
            cells = f"{pattern} {self.cells(row, plan.by, value)} {self.main_filter(plan.by, value)}"
            best = "MAX" if plan.descending else "MIN"
            keyed = f"{{ SELECT {x} ({best}({value}) AS {key}) WHERE {{ {cells} }} GROUP BY {x} }}"
        keyed = f"{{ {keyed} FILTER(BOUND({key})) }}"
        return f"{{ {self.cut(keyed, key, plan.limit, descending=plan.descending, skip=plan.skip)} }}"

    def every(self, x: str) -> str:
        """A pattern of every entity: what has a type, a property or a relation, or is at the end of one."""
        p, o = self.name("p"), self.name("o")
        names = " ".join(relation_term(each) for each in self.profile.relations)
        properties = " ".join(relation_term(each) for each in self.profile.properties)
        return (
            f"{{ {x} <{TYPE}> {o} FILTER({o} != <{STATEMENT}>) }} "
            f"UNION {{ VALUES {p} {{ {names} {properties} }} {x} {p} {o} {_no_statement(x)} }} "
            f"UNION {{ VALUES {p} {{ {names} }} {o} {p} {x} {_no_statement(o)} }}"
        )

    def is_entity(self, x: str) -> str:
        """FILTER for what is the head or tail of a triple."""
        p, o = self.name("p"), self.name("o")
        return f"FILTER EXISTS {{ {{ {x} {p} {o} }} UNION {{ {o} {p} {x} }} }}"

    # Chains

    def chain(self, start: str, chain: Steps, end: str) -> str:
        """A pattern from one variable to another."""
        at, out = start, []
        before: ChainStep | None = None
        ends: tuple[str, str] | None = None
        for number, step in enumerate(chain):
            to = end if number == len(chain) - 1 else self.name("x")
            pattern, ends = self.step(at, to, step, before, ends, "")
            out.append(pattern)
            at, before = to, step
        return " ".join(out)

    def step(
        self, x: str, y: str, step: ChainStep, before: ChainStep | None, ends: tuple[str, str] | None, link: str
    ) -> tuple[str, tuple[str, str]]:
        """One step, and the variables of its triple's head and tail."""
        head, tail = (x, y) if step.direction == "out" else (y, x)
        ways = [(head, tail)] if step.direction != "any" else [(x, y), (y, x)]
        r = link or (self.name("r") if step.where is not None else "")
        parts = [self.triple(one, other, step, r) for one, other in ways]
        if len(ways) > 1:
            head, tail = self.name("h"), self.name("t")
            parts = [
                f"{{ {part} BIND({one} AS {head}) BIND({other} AS {tail}) }}"
                for part, (one, other) in zip(parts, ways, strict=True)
            ]
        pattern = " UNION ".join(parts)
        tests = []
        scope = _Scope()
        if before is not None and ends is not None and before.relation == step.relation:
            tests.append(f"!({ends[0]} = {head} && {ends[1]} = {tail})")
        if step.where is not None:
            tests.append(self.condition(_SparqlRow([], [r]), step.where, scope, step.relation))
        if step.to is not None:
            tests.append(self.condition(_SparqlRow([y]), step.to, scope))
        beside = " ".join(scope.patterns)
        filters = " ".join(f"FILTER({each})" for each in tests)
        return f"{pattern} {beside} {filters}".strip(), (head, tail)

    def triple(self, head: str, tail: str, step: ChainStep, link: str) -> str:
        """The pattern of a step; with `link`, that variable is its statement, unbound where there is none."""
        relation = relation_term(step.relation)
        if not link:
            return f"{head} {relation} {tail} ."
        stated = f"<{SUBJECT}> {head} ; <{PREDICATE}> {relation} ; <{OBJECT}> {tail} ."
        other = self.name("r")
        plain = f"{head} {relation} {tail} . FILTER NOT EXISTS {{ {other} {stated} }}"
        return f"{{ {{ {link} {stated} }} UNION {{ {plain} }} }}"

    # Terms

    def cells(self, row: _SparqlRow, term: Term, value: str) -> str:
        """A pattern that binds a variable to each value of a term for a row, each as often as there are values."""
        if term.aggregate:
            return self.aggregated(row, term, value)
        if term.relationship and not term.steps:
            link = row.links[max(term.start - 1, 0)]
            return self.once(link, term, value, self.read(link, term, value, bound=True))
        start = row.nodes[term.start]
        if not term.steps:
            read = self.read(start, term, value) if term.property else f"BIND({start} AS {value})"
            return self.once(start, term, value, read)
        end = self.name("x")
        if term.relationship:
            r, walked = self.stated(start, end, term)
            inner = f"{walked} {self.read(r, term, value)}"
            return f"{{ SELECT DISTINCT {start} {r} {value} WHERE {{ {inner} }} }}"
        walked = self.chain(start, term.steps, end if term.property else value)
        if not term.property:
            return f"{{ SELECT DISTINCT {start} {value} WHERE {{ {walked} }} }}"
        return f"{{ SELECT DISTINCT {start} {end} {value} WHERE {{ {walked} {self.read(end, term, value)} }} }}"

    def once(self, owner: str, term: Term, value: str, pattern: str) -> str:
        """A pattern that reads a term, each value once: of several values different ones may give equal results."""
        known = self.profile.read_by(term) if term.operand is not None else None
        if known is None or not known.lists:
            return pattern
        return f"{{ SELECT DISTINCT {owner} {value} WHERE {{ {pattern} }} }}"

    def optional(self, row: _SparqlRow, term: Term, value: str) -> str:
        """As `cells`, for rows without a value too."""
        cells = self.cells(row, term, value)
        if term.aggregate:  # what is optional is inside
            return cells.removesuffix(f" FILTER(BOUND({value}))")
        if not term.steps and not term.property:  # BIND in OPTIONAL would not see the row
            return cells
        return f"OPTIONAL {{ {cells} }}"

    def read(self, owner: str, term: Term, value: str, *, bound: bool = False) -> str:
        """A pattern that binds a variable to a property's values, to parts of them, or to what is computed of them."""
        if term.operand is not None:
            return self.computed(owner, term, term.operand, value, bound=bound)
        known = self.profile.read_by(term)
        read = "" if known is None or self._as_text else _read(known)
        raw = self.name("s") if read or term.part else value
        if term.property == TYPE_PROPERTY and not term.relationship:
            pattern = self.types_told(owner, raw)
        elif term.property == LABEL_PROPERTY and not term.relationship:
            pattern = f"{owner} <{LABEL}> {raw} ."
        else:
            pattern = f"{owner} {relation_term(term.property)} {raw} ."
        if bound:  # the relationship may have no statement
            pattern = f"FILTER(BOUND({owner})) {pattern}"
        stored = raw
        if read:
            stored = self.name("s") if term.part else value
            pattern += f" BIND(COALESCE({read.replace('?raw', raw)}, {raw}) AS {stored})"
        if not term.part:
            return pattern
        taken = _part(stored, term.part, known.kind if known else "date")
        return f"{pattern} BIND({taken} AS {value}) FILTER(BOUND({value}))"

    def computed(self, owner: str, term: Term, operand: Operand, value: str, *, bound: bool) -> str:
        """A pattern that binds a variable to what is computed of two properties."""
        patterns, names, kinds = [], [], []
        for each in term.of_its_own():
            known, name = self.profile.read_by(each), self.name("o")
            plain = replace(each, steps=(), part="")
            patterns.append(f"{self.read(owner, plain, name, bound=bound)} {self.main_filter(each, name)}")
            names.append(name)
            kinds.append(known.kind if known is not None else "number")
        made = _arithmetic(names[0], kinds[0], operand, names[1], kinds[1])
        return f"{' '.join(patterns)} BIND({made} AS {value}) FILTER(BOUND({value}))"

    def types_told(self, owner: str, value: str) -> str:
        """A pattern that binds a variable to the short name of each type that tells what an entity is."""
        t, outer, inner = self.name("t"), self.name("t"), self.name("t")
        told = self.profile.telling.items()
        rows = " ".join(f"(<{iri_of(name, 'type')}> {string_term(said)})" for name, said in told)
        pattern = f"VALUES ({t} {value}) {{ {rows} }} {owner} <{TYPE}> {t} ."
        if pairs := self.profile.telling_inside:
            held = " ".join(f"(<{iri_of(one, 'type')}> <{iri_of(other, 'type')}>)" for one, other in pairs)
            narrower = f"VALUES ({outer} {inner}) {{ {held} }} {owner} <{TYPE}> {inner} . FILTER({outer} = {t})"
            pattern += f" FILTER NOT EXISTS {{ {narrower} }}"
        return pattern

    def aggregated(self, row: _SparqlRow, term: Term, value: str) -> str:
        """A pattern that binds a variable to an aggregate of a row's own values."""
        inner = replace(term, aggregate="")
        if not term.steps and not term.property:
            return f"BIND(1 AS {value})"
        start = row.links[max(term.start - 1, 0)] if term.relationship and not term.steps else row.nodes[term.start]
        one, made = self.name("v"), self.name("m")
        function = cast(Function, term.aggregate)
        cells = f"{self.cells(row, inner, one)} {self.kind_filter(function, inner, one)}"
        total = _aggregate(function, one, distinct=False)
        select = f"SELECT {start} ({total} AS {made}) WHERE {{ {cells} }} GROUP BY {start}"
        if function in ("count", "sum"):
            return f"OPTIONAL {{ {select} }} BIND(COALESCE({made}, 0) AS {value})"
        return f"OPTIONAL {{ {select} }} BIND({made} AS {value}) FILTER(BOUND({value}))"

    # Conditions

    def condition(self, row: _SparqlRow, condition: Condition, scope: _Scope, relation: str = "") -> str:
        """The test of a condition on a row; within a step, on the relationship of `relation`."""
        match condition:
            case AllOf():
                tests = (f"({self.condition(row, each, scope, relation)})" for each in condition.conditions)
                return " && ".join(tests) or "true"
            case AnyOf():
                tests = (f"({self.condition(row, each, scope, relation)})" for each in condition.conditions)
                return " || ".join(tests) or "false"
            case Not():
                return f"!COALESCE({self.condition(row, condition.condition, scope, relation)}, false)"
            case HasType():
                if not row.nodes:
                    return "true" if condition.type == relation else "false"
                return f"EXISTS {{ {row.nodes[0]} <{TYPE}> <{iri_of(condition.type, 'type')}> }}"
            case Has():
                return self.has(row, condition.term, scope)
            case Compare():
                return self.compare(row, condition, scope)
            case _:
                assert_never(condition)

    def bound(self, row: _SparqlRow, term: Term, scope: _Scope) -> tuple[str, str]:
        """A variable for each value of a term, and the pattern to be tested with EXISTS; "" where it is bound beside.

        What is aggregated cannot be in EXISTS, where a sub-select does not see the row.
        """
        value = self.name("v")
        if not term.aggregate:
            return value, self.plain_cells(row, term, value)
        made = self.aggregated(row, term, value)
        scope.patterns.append(made.replace(f" FILTER(BOUND({value}))", ""))
        return value, ""

    def plain_cells(self, row: _SparqlRow, term: Term, value: str) -> str:
        """As `cells`, without sub-selects; a value may be bound several times."""
        if not term.steps:
            return self.cells(row, term, value)
        start, end = row.nodes[term.start], self.name("x")
        if not term.relationship:
            walked = self.chain(start, term.steps, end if term.property else value)
            return f"{walked} {self.read(end, term, value)}" if term.property else walked
        r, walked = self.stated(start, end, term)
        return f"{walked} {self.read(r, term, value)}"

    def stated(self, start: str, end: str, term: Term) -> tuple[str, str]:
        """The variable of the statement that a term's chain ends with, and the pattern of the walk."""
        r, at, before, ends, out = self.name("r"), start, None, None, []
        for number, step in enumerate(term.steps):
            last = number == len(term.steps) - 1
            to = end if last else self.name("x")
            pattern, ends = self.step(at, to, step, before, ends, r if last else "")
            out.append(pattern)
            at, before = to, step
        return r, " ".join(out)

    def has(self, row: _SparqlRow, term: Term, scope: _Scope) -> str:
        """The test that a term has a value."""
        value, pattern = self.bound(row, term, scope)
        return self.exists(row, pattern) if pattern else f"BOUND({value})"

    def exists(self, row: _SparqlRow, pattern: str) -> str:
        """The test that a pattern matches; of a relationship, only where the row has one."""
        found = f"EXISTS {{ {pattern} }}"
        return found if row.nodes else f"(BOUND({row.links[0]}) && {found})"

    def compare(self, row: _SparqlRow, condition: Compare, scope: _Scope) -> str:
        """The test of a comparison with a constant, constants, a term, a set or a scalar plan."""
        left, operator, right = condition.left, condition.operator, condition.right
        known = self.profile.read_by(left)
        constants = right if isinstance(right, tuple) else (right,)
        texts = all(isinstance(each, Value) and each.kind == "text" for each in constants)
        self._as_text = texts and known is not None and bool(_read(known)) and not (left.part or left.aggregate)
        value, pattern = self.bound(row, left, scope)
        compared, self._as_text = None if self._as_text else left, False
        wanted: Operator = "=" if operator == "!=" else operator
        if isinstance(right, SETS):
            test = f"{pattern} {self.set(value, cast(EntitySet, right))}"
            found = self.exists(row, test) if left.steps else self.member(row.nodes[left.start], cast(EntitySet, right))
            return found if operator == "=" else f"({self.exists(row, pattern)} && !{found})"
        if isinstance(right, Term):
            other, beside = self.bound(row, right, scope)
            kinds = {
                known.kind for known in (self.profile.read_by(left), self.profile.read_by(right)) if known is not None
            }
            a, b = (_day(value), _day(other)) if kinds == {"date", "datetime"} else (value, other)
            test = _compared(a, wanted, b)
            patterns = f"{pattern} {beside}".strip()
            found = self.exists(row, f"{patterns} FILTER({test})") if patterns else f"COALESCE({test}, false)"
            if operator != "!=":
                return found
            both = self.exists(row, patterns) if patterns else f"(BOUND({value}) && BOUND({other}))"
            return f"({both} && !{found})"
        if isinstance(right, Value):
            test = self.test(value, wanted, right, compared)
        elif isinstance(right, tuple) and operator == "between":
            low, high = right
            test = f"({self.test(value, '>=', low, compared)}) && ({self.test(value, '<=', high, compared)})"
        elif isinstance(right, tuple):
            tests = (self.test(value, wanted, each, compared) for each in right)
            test = " || ".join(f"COALESCE({each}, false)" for each in tests) or "false"
        else:
            other = self.name("w")
            scope.patterns.append(self.scalar(cast(Scalar, right), other))
            test = _compared(value, wanted, other)
            if operator == "!=":
                test_missing = f"BOUND({other}) && "
                found = self.exists(row, f"{pattern} FILTER({test})") if pattern else f"COALESCE({test}, false)"
                return f"({test_missing}{self.exists(row, pattern) if pattern else f'BOUND({value})'} && !{found})"
        found = self.exists(row, f"{pattern} FILTER({test})") if pattern else f"COALESCE({test}, false)"
        if operator != "!=":
            return found
        return f"({self.exists(row, pattern) if pattern else f'BOUND({value})'} && !{found})"

    def member(self, x: str, plan: EntitySet) -> str:
        """The test that an entity is in a set."""
        return f"EXISTS {{ {self.set(x, plan)} }}"

    def test(self, value: str, operator: Operator, other: Value, term: Term | None) -> str:
        """Whether one value compares with a constant."""
        known = self.profile.read_by(term) if term is not None else None
        kinds: set[str] = set(known.kinds or (known.kind,)) if known is not None else set()
        if term is not None and (term.aggregate in ("count", "sum", "average") or (term.part and term.part != "date")):
            kinds = {"number"}
        elif term is not None and term.part == "date":
            kinds = {"date"}
        constant = _constant(other)
        if other.kind == "date" and "datetime" in kinds:
            value = _day(value)
        elif other.kind == "datetime" and "date" in kinds:
            constant = _day(constant)
        if operator in ("contains", "starts_with", "ends_with") and other.kind != "text":
            return "false"
        guard = (
            "" if kinds == {other.kind} or {other.kind, *kinds} <= {"date", "datetime"} else _is_of(value, other.kind)
        )
        test = _compared(value, operator, constant)
        if kinds and other.kind not in kinds and not ({other.kind, *kinds} <= {"date", "datetime"}):
            return "false"
        return f"({guard} && {test})" if guard else test


def _no_statement(x: str) -> str:
    return f"FILTER NOT EXISTS {{ {x} <{TYPE}> <{STATEMENT}> }}"


def _aggregated(each: Aggregation) -> Term | None:
    """What the value of a group's aggregate is read as."""
    if each.function in ("minimum", "maximum") and each.term is not None:
        return each.term
    return Term(aggregate="count")


_FUNCTIONS = {"count": "COUNT", "sum": "SUM", "average": "AVG", "minimum": "MIN", "maximum": "MAX"}
_DATATYPES: dict[ValueKind, str] = {
    "date": "date", "datetime": "dateTime", "time": "time", "duration": "duration", "boolean": "boolean",
    "text": "string",
}  # fmt: skip


def _aggregate(function: Function, value: str, *, distinct: bool) -> str:
    made = f"{_FUNCTIONS[function]}({'DISTINCT ' if distinct else ''}{value})"
    return f"IF(COUNT({value}) = 0, 1/0, {made})" if function not in ("count", "sum") else made


def _is_of(value: str, kind: ValueKind) -> str:
    return (
        f"isNumeric({value})" if kind == "number" else f"datatype({value}) = <{_XSD}{_DATATYPES.get(kind, 'string')}>"
    )


def _double(value: str) -> str:
    return f"<{_XSD}double>({value})"


def _day(value: str) -> str:
    """The day of a date or date-time, as a date."""
    return f"<{_XSD}date>(SUBSTR(STR({value}), 1, 10))"


_NUMBER = string_term(r"^\s*-?(0|[1-9][0-9]{0,14})(\.[0-9]+)?\s*$")
_DATE = string_term(r"^\s*([0-9]{1,4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,4})\s*$")


def _read(known: PropertyProfile) -> str:
    """The text `?raw` as the number or date that it reads as, or an error; "" where values are no such texts."""
    if known.stored != "text":
        return ""
    if known.kind == "number":
        return f"IF(REGEX(STR(?raw), {_NUMBER}), <{_XSD}decimal>(STR(?raw)), 1/0)"
    if known.kind == "datetime":
        return f'<{_XSD}dateTime>(REPLACE(STR(?raw), " ", "T"))'
    if known.kind != "date" or not known.pattern:
        return ""
    year, month, day = (f'REPLACE(STR(?raw), {_DATE}, "${known.pattern.index(each) + 1}")' for each in "ymd")
    month, day = (f'SUBSTR(CONCAT("0", {each}), STRLEN({each}))' for each in (month, day))
    made = f'<{_XSD}date>(CONCAT({year}, "-", {month}, "-", {day}))'
    return f"IF(REGEX(STR(?raw), {_DATE}) && STRLEN({year}) = 4, {made}, 1/0)"


def _part(value: str, part: str, kind: ValueKind) -> str:
    text = f"STR({value})"
    if part in ("hour", "minute"):
        whole = f"{'HOURS' if part == 'hour' else 'MINUTES'}({value})"
        return f"<{_XSD}integer>(SUBSTR({text}, {1 if part == 'hour' else 4}, 2))" if kind == "time" else whole
    if part == "date":
        return _day(value)
    year, month, day = (f"<{_XSD}integer>(SUBSTR({text}, {at}, {size}))" for at, size in ((1, 4), (6, 2), (9, 2)))
    if part == "weekday":
        # Zeller's congruence, of a year that begins in March; 1 is Monday.
        shift = f"FLOOR((14 - {month}) / 12)"
        y, m = f"({year} - {shift})", f"({month} + 12 * {shift} - 2)"
        total = f"({day} + {y} + FLOOR({y} / 4) - FLOOR({y} / 100) + FLOOR({y} / 400) + FLOOR(31 * {m} / 12) + 6)"
        return f"({total} - 7 * FLOOR({total} / 7) + 1)"
    return {
        "year": year,
        "month": month,
        "day": day,
        "quarter": f"FLOOR(({month} + 2) / 3)",
        "decade": f"(FLOOR({year} / 10) * 10)",
    }[part]


def _arithmetic(a: str, kind: ValueKind, operand: Operand, b: str, other: ValueKind) -> str:
    """What is computed of two values, or an error; as `trivium.kg.plans.columns` does."""
    if not operand.computes(kind, other):
        return "1/0"
    if kind == "number":
        test = f"{_double(a)} {operand.operator} {_double(b)} + 0"  # no -0, which is another term than 0
        return f"IF({b} = 0, 1/0, {test})" if operand.operator == "/" else test
    if operand.unit in ("year", "month"):
        months, whole = (12, 100) if operand.unit == "month" else (100, 10_000)
        one, two = (
            f"(({_part(x, 'year', of)} * {months} + {_part(x, 'month', of)}) * 100 + {_part(x, 'day', of)})"
            for x, of in ((a, kind), (b, other))
        )
        gone = f"(({one} - {two}) / {whole})"
        return _double(f"IF({gone} < 0, CEIL({gone}), FLOOR({gone}))")
    one, two = (_seconds(x, of) for x, of in ((a, kind), (b, other)))
    unit = operand.unit or ("minute" if kind == "time" else "day")
    return f"{_double(f'({one} - {two})')} / {_UNIT_SECONDS[unit]}"


_UNIT_SECONDS = {"day": "86400", "hour": "3600", "minute": "60", "second": "1"}


def _seconds(value: str, kind: ValueKind) -> str:
    """Seconds of a date, date-time or time, since one moment."""
    if kind == "time":
        return f"({_part(value, 'hour', kind)} * 3600 + {_part(value, 'minute', kind)} * 60 + SECONDS({value}))"
    year, month, day = (_part(value, each, kind) for each in ("year", "month", "day"))
    shift = f"FLOOR((14 - {month}) / 12)"  # of a year that begins in March
    y = f"({year} - {shift})"
    days = (
        f"({day} + FLOOR((153 * ({month} + 12 * {shift} - 3) + 2) / 5) + 365 * {y} + FLOOR({y} / 4) "
        f"- FLOOR({y} / 100) + FLOOR({y} / 400))"
    )
    if kind == "date":
        return f"({days} * 86400)"
    return f"({days} * 86400 + HOURS({value}) * 3600 + MINUTES({value}) * 60 + SECONDS({value}))"


def _compared(value: str, operator: Operator, other: str) -> str:
    words = {"contains": "CONTAINS", "starts_with": "STRSTARTS", "ends_with": "STRENDS"}
    if operator in words:
        return f"{words[operator]}(LCASE(STR({value})), LCASE({other}))"
    return f"{value} {operator} {other}"


def _constant(value: Value) -> str:
    """A constant as a literal."""
    if isinstance(value.value, bool):
        return "true" if value.value else "false"
    if isinstance(value.value, float):
        text = number_text(value.value)
        return text if text.lstrip("-").replace(".", "", 1).isdigit() else f'"{text}"^^<{_XSD}double>'
    literal = string_term(value.value)
    if value.kind == "duration":
        return number_text(value_key(value))
    return literal if value.kind in ("text", "point") else f"{literal}^^<{_XSD}{_DATATYPES[value.kind]}>"
