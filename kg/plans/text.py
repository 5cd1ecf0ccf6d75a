r"""Plans as one readable line, and back: `write` and `parse`.

    type City | where population > 150000 and located_in/ = (ids "state/texas") | top 3 by population
    ids "film/heat" | follow directed_by, ^directed_by | values release_year, title
    type Order | walk contains | group #1/name : sum #1@quantity | order 1 descending | limit 5

A plan is a source and stages with `|` between them:

- sources: `type NAME`, `type ""` (every entity), `ids "ID", …`, `both(PLAN; PLAN)`, `either(PLAN; PLAN)`, `(PLAN)`
- sets: `follow STEP, …`, `where CONDITION`, `minus (PLAN)`, `top N by TERM`, `bottom N by TERM`,
  `sort by TERM` (largest first) and `sort up by TERM`, each with `skip N` behind it if some are left out in front
- rows: `walk STEP, …`
- results: `values TERM, …` (`values all` repeats equal rows), `count`, `count TERM`, `sum TERM`, `average TERM`,
  `minimum TERM`, `maximum TERM` (each with `distinct` in front of the term), `exists`,
  `group TERM, … : AGGREGATE, …` with `| having N OPERATOR VALUE`; both with `| order COLUMN`, `descending`, `| limit N`
  (of groups with `skip N` behind it)
  (`group : average price, count` gives one row over all)
- `calculate A / B` (`+ - * /`) and `holds A OPERATOR B`, where A and B are constants or `(PLAN)`

A step is `rel`, `^rel` (inverse) or `~rel` (either way), with `[CONDITION]` on the relationship and `{CONDITION}` on
the entity reached. A term is `property`, `step/step/property`, `step/` (the entity there), `.` (the entity itself),
`@property` or `step/@property` (of the relationship), `::type` or `step/::type` (`TYPE_PROPERTY`), `::label` or
`step/::label` (`LABEL_PROPERTY`), `count(step/)`, `sum(step/property)`, with `::year` and the like behind it for parts
of dates, and `#1/…` or `#1@property` in front for position 1 of a walk. In place of a property stands what is computed
of two: `{shipped - ordered}` (`+ - * /`), `step/{…}`, `@{…}`, with a unit for dates and times: `{died - born in year}`.
A condition is `TERM OPERATOR VALUE`, `has TERM`, `is TYPE`, with `and`, `or`, `not` and parentheses; a value is `5`,
`"text"`, `true`, `date "2020-01-31"`, `["a", "b"]` (one of these), a term, or `(PLAN)`.
Names that are not plain words are put in backticks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn, cast, get_args

from trivium.kg.errors import PlanError
from trivium.kg.plans.columns import number_text
from trivium.kg.plans.plan import (
    ARITHMETIC,
    FUNCTIONS,
    OPERATORS,
    PARTS,
    SETS,
    UNITS,
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
    Having,
    Holds,
    Intersect,
    Minus,
    NonEmpty,
    Not,
    OfType,
    Operand,
    Operator,
    Part,
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
from trivium.kg.profile import LABEL_PROPERTY, TYPE_PROPERTY, ValueKind
from trivium.kg.text import closest

_KINDS: tuple[str, ...] = get_args(ValueKind)
_STAGES = (
    "follow", "where", "minus", "top", "bottom", "sort", "walk", "values", "exists", "group", "having", "order",
    "limit", *FUNCTIONS,
)  # fmt: skip
_SOURCES = ("type", "ids", "both", "either", "calculate", "holds")
_BUILT_IN = (TYPE_PROPERTY, LABEL_PROPERTY)
_WORDS = frozenset(
    (*_STAGES, *_SOURCES, "and", "or", "not", "has", "is", "by", "up", "skip", "all", "distinct", "descending", "true",
     "false", *(each for each in OPERATORS if each.isidentifier()))
)  # fmt: skip
_NAME = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(
    r'\s*(?:(?P<string>"(?:[^"\\]|\\.)*"|\'[^\']*\')|(?P<quoted>`(?:[^`]|``)+`)|(?P<number>-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)'
    r"|(?P<name>[^\W\d]\w*)|(?P<sign>::|!=|<=|>=|[-+*/=<>|(),;:\[\]{}^~@#.]))"
)


# Writing


def write(plan: QueryPlan | Rows) -> str:
    """The plan on one line."""
    match plan:
        case Entities():
            return f"ids {', '.join(map(_string, plan.ids))}" if plan.ids else "ids"
        case OfType():
            return f"type {_name(plan.type)}" if plan.type else 'type ""'
        case Intersect() | Union():
            word = "both" if isinstance(plan, Intersect) else "either"
            return f"{word}({'; '.join(map(write, plan.sets))})"
        case Calculate() | Holds():
            word = "calculate" if isinstance(plan, Calculate) else "holds"
            return f"{word} {_scalar(plan.left)} {plan.operator} {_scalar(plan.right)}"
        case _:
            return f"{write(plan.source)} | {_stage(plan)}"


def _stage(plan: Any) -> str:  # noqa: ANN401, PLR0911 - one case a node with a source
    match plan:
        case Follow() | Walks():
            word = "follow" if isinstance(plan, Follow) else "walk"
            return f"{word} {', '.join(map(_step, plan.steps))}"
        case Minus():
            return f"minus ({write(plan.without)})"
        case Where():
            return f"where {_condition(plan.condition)}"
        case Top():
            skip = f" skip {plan.skip}" if plan.skip else ""
            if plan.limit is None:
                return f"sort {'' if plan.descending else 'up '}by {_term(plan.by)}{skip}"
            return f"{'top' if plan.descending else 'bottom'} {plan.limit} by {_term(plan.by)}{skip}"
        case ValueOf():
            return f"values {'' if plan.distinct else 'all '}{', '.join(map(_term, plan.columns))}{_cut(plan)}"
        case Aggregate():
            return _aggregation(plan)
        case Group():
            keys, made = ", ".join(map(_term, plan.keys)), ", ".join(map(_aggregation, plan.aggregates))
            having = "".join(f" | having {each.aggregate} {each.operator} {_value(each.value)}" for each in plan.having)
            return f"group {keys + ' ' if keys else ''}: {made}{having}{_cut(plan)}"
        case NonEmpty():
            return "exists"
        case _:
            raise AssertionError(plan)


def _cut(plan: ValueOf | Group) -> str:
    order = f" | order {plan.order}" if plan.order is not None else " | order" if plan.descending else ""
    down = " descending" if plan.descending else ""
    skip = f" skip {plan.skip}" if isinstance(plan, Group) and plan.skip else ""
    return f"{order}{down}" + (f" | limit {plan.limit}{skip}" if plan.limit is not None else "")


def _aggregation(each: Aggregate | Aggregation) -> str:
    if each.term is None:
        return each.function
    return f"{each.function} {'distinct ' if each.distinct else ''}{_term(each.term)}"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _name(name: str) -> str:
    if _NAME.fullmatch(name) and name not in _WORDS and name not in _KINDS:
        return name
    return "`" + name.replace("`", "``") + "`"


def _step(step: ChainStep) -> str:
    where = f"[{_condition(step.where)}]" if step.where is not None else ""
    to = f"{{{_condition(step.to)}}}" if step.to is not None else ""
    return {"out": "", "in": "^", "any": "~"}[step.direction] + _name(step.relation) + where + to


def _term(term: Term) -> str:
    steps = "".join(f"{_step(step)}/" for step in term.steps)
    name = _name(term.property) if term.property else ""
    if term.operand is not None:
        unit = f" in {term.operand.unit}" if term.operand.unit else ""
        name = f"{{{name} {term.operand.operator} {_name(term.operand.property)}{unit}}}"
    if term.relationship:
        name = f"@{name}"
    elif term.property in _BUILT_IN:
        name = term.property
    start = f"#{term.start}{'' if term.relationship and not steps else '/'}" if term.start else ""
    whole = (start + steps + name or ".") + (f"::{term.part}" if term.part else "")
    return f"{term.aggregate}({whole})" if term.aggregate else whole


def _condition(condition: Condition) -> str:
    match condition:
        case AllOf() | AnyOf():
            word = "and" if isinstance(condition, AllOf) else "or"
            if len(condition.conditions) < 2:
                return f"{word}({', '.join(map(_condition, condition.conditions))})"
            return f" {word} ".join(map(_inner, condition.conditions))
        case Not():
            return f"not {_inner(condition.condition)}"
        case Has():
            return f"has {_term(condition.term)}"
        case HasType():
            return f"is {_name(condition.type)}"
        case _:
            return f"{_term(condition.left)} {condition.operator} {_right(condition.right)}"


def _inner(condition: Condition) -> str:
    text = _condition(condition)
    return f"({text})" if isinstance(condition, AllOf | AnyOf) else text


def _right(right: Value | tuple[Value, ...] | Term | QueryPlan) -> str:
    if isinstance(right, Value):
        return _value(right)
    if isinstance(right, tuple):
        return f"[{', '.join(map(_value, right))}]"
    return _term(right) if isinstance(right, Term) else f"({write(right)})"


def _scalar(plan: Scalar) -> str:
    return _value(plan) if isinstance(plan, Value) else f"({write(plan)})"


def _value(value: Value) -> str:
    if isinstance(value.value, bool):
        return "true" if value.value else "false"
    if isinstance(value.value, float):
        return number_text(value.value)
    return _string(value.value) if value.kind == "text" else f"{value.kind} {_string(value.value)}"


# Reading


def parse(text: str) -> QueryPlan:
    """The plan of a line; raises `PlanError` that says at which character."""
    reader = _Reader(text)
    plan = reader.plan()
    if reader.token:
        reader.fail("the end of the plan, or '|'")
    if isinstance(plan, Walks):
        raise PlanError("the plan ends with 'walk', which gives rows and no answer; add values, count or group")
    return plan


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.kind, self.token, self.start = "", "", 0
        self.next()

    def next(self) -> str:
        """Go on by one token; returns the one that was passed."""
        passed = self.token
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            self.start = len(self.text) - len(self.text[self.at :].lstrip())
            self.kind, self.token = "", ""
            if self.text[self.at :].strip():
                raise PlanError(f"character {self.start + 1}: cannot read {self.text[self.start : self.start + 20]!r}")
            return passed
        self.kind, self.token = cast(str, match.lastgroup), cast(str, match[cast(str, match.lastgroup)])
        self.start, self.at = match.start(cast(str, match.lastgroup)), match.end()
        return passed

    def fail(self, expected: str) -> NoReturn:
        """Raise `PlanError` at the current token."""
        found = repr(self.token) if self.token else "the end"
        raise PlanError(f"character {self.start + 1}: expected {expected}, got {found}")

    def is_sign(self, sign: str) -> bool:
        """Whether the current token is this sign."""
        return self.kind == "sign" and self.token == sign

    def is_word(self, *words: str) -> bool:
        """Whether the current token is one of these words, unquoted."""
        return self.kind == "name" and self.token in words

    def sign(self, sign: str) -> None:
        """Pass this sign; raises `PlanError` where another token stands."""
        if not self.is_sign(sign):
            self.fail(repr(sign))
        self.next()

    def took(self, sign: str) -> bool:
        """Pass this sign if it stands here, and say whether it did."""
        if self.is_sign(sign):
            self.next()
            return True
        return False

    def word(self, *words: str) -> str:
        """Pass one of these words and return it; raises `PlanError` with the closest one."""
        if not self.is_word(*words):
            near = closest(self.token, words) if self.kind == "name" else ""
            self.fail(f"one of {', '.join(words)}{near}" if len(words) > 1 else repr(words[0]))
        return self.next()

    def took_word(self, word: str) -> bool:
        """Pass this word if it stands here, and say whether it did."""
        if self.is_word(word):
            self.next()
            return True
        return False

    def name(self) -> str:
        """name: a plain word that is no keyword, or any text in backticks (doubled within)."""
        if self.kind == "quoted":
            return self.next()[1:-1].replace("``", "`")
        if self.kind != "name" or self.token in _WORDS:
            self.fail("a name (in backticks if it is not a plain word)")
        return self.next()

    def string(self) -> str:
        """string: a text in double quotes, with JSON's escapes, or in single ones, with none."""
        if self.kind != "string":
            self.fail("a text in quotes")
        text = self.next()
        try:
            return text[1:-1] if text[0] == "'" else cast(str, json.loads(text))
        except ValueError:
            raise PlanError(f"character {self.start}: a text with a wrong escape") from None

    def number(self) -> int:
        """number: a whole number, not negative."""
        if self.kind != "number" or not self.token.isdigit():
            self.fail("a whole number")
        return int(self.next())

    def listed(self, one: Callable[[], Any], between: str = ",") -> tuple[Any, ...]:
        """One or more of what `one` reads, with a sign between."""
        found = [one()]
        while self.took(between):
            found.append(one())
        return tuple(found)

    # Plans

    def plan(self) -> QueryPlan | Walks:
        """plan: source ('|' stage)*."""
        plan = self.source()
        while self.took("|"):
            plan = self.stage(plan)
        return plan

    def source(self) -> QueryPlan | Walks:
        """source: '(' plan ')' | type | ids | both | either | calculate | holds."""
        if self.took("("):
            plan = self.plan()
            self.sign(")")
            return plan
        word = self.word(*_SOURCES)
        if word == "type":
            return OfType(self.string() if self.kind == "string" else self.name())
        if word == "ids":
            return Entities(self.listed(self.string) if self.kind == "string" else ())
        if word in ("both", "either"):
            self.sign("(")
            sets = () if self.is_sign(")") else self.listed(self.set, ";")
            self.sign(")")
            return Intersect(sets) if word == "both" else Union(sets)
        left = self.scalar()
        if word == "calculate":
            if self.kind == "number" and self.token.startswith("-"):  # "5 -3"
                self.fail("an operator with blanks around it")
            if self.token not in ARITHMETIC:
                self.fail("one of + - * /")
            return Calculate(cast(Any, self.next()), left, self.scalar())
        return Holds(left, self.operator(), self.scalar())

    def set(self) -> EntitySet:
        """A plan that gives entities; raises `PlanError` for another."""
        at = self.start
        plan = self.plan()
        if not isinstance(plan, SETS):
            raise PlanError(f"character {at + 1}: expected entities, got values or rows")
        return cast(EntitySet, plan)

    def scalar(self) -> Scalar:
        """A value, or a plan in brackets that gives one value."""
        if self.is_sign("("):
            at = self.start
            plan = self.source()
            if isinstance(plan, (*SETS, Walks, Group)):
                raise PlanError(f"character {at + 1}: expected a plan that gives one value, got entities or rows")
            return cast(Scalar, plan)
        return self.value()

    def stage(self, plan: QueryPlan | Walks) -> QueryPlan | Walks:
        """stage: what stands behind a '|'; raises `PlanError` where it cannot follow what is before it."""
        at = self.start
        word = self.word(*_STAGES)
        if word in ("order", "limit", "having"):
            if not isinstance(plan, Group | (ValueOf if word != "having" else Group)):
                raise PlanError(f"character {at + 1}: {word!r} follows values or group alone; for sets use top or sort")
            return self.cut(word, plan)
        if not isinstance(plan, (*SETS, Walks)):
            raise PlanError(f"character {at + 1}: {word!r} cannot follow a result")
        if word in ("follow", "where", "minus", "top", "bottom", "sort", "walk"):
            if isinstance(plan, Walks):
                raise PlanError(f"character {at + 1}: {word!r} cannot follow 'walk'; put it in front")
            return self.set_stage(word, cast(EntitySet, plan))
        return self.result(word, cast(Rows, plan))

    def set_stage(self, word: str, plan: EntitySet) -> EntitySet | Walks:
        """follow, walk, where, minus, top, bottom or sort: entities from entities, or rows."""
        if word in ("follow", "walk"):
            steps: Steps = self.listed(self.step)
            return Follow(plan, steps) if word == "follow" else Walks(plan, steps)
        if word == "where":
            return Where(plan, self.condition())
        if word == "minus":
            self.sign("(")
            without = self.set()
            self.sign(")")
            return Minus(plan, without)
        limit = None if word == "sort" else self.number()
        descending = word != "bottom" and not (word == "sort" and self.took_word("up"))
        self.word("by")
        by = self.term()
        return Top(plan, by, limit, descending, self.number() if self.took_word("skip") else 0)

    def result(self, word: str, rows: Rows) -> QueryPlan:
        """exists, values, group or an aggregate over entities or rows."""
        if word == "exists":
            return NonEmpty(rows)
        if word == "values":
            repeated = self.took_word("all")
            return ValueOf(rows, self.listed(self.term), not repeated)
        if word == "group":
            keys = () if self.token == ":" else self.listed(self.term)
            self.sign(":")
            return Group(rows, keys, self.listed(lambda: self.aggregation(self.word(*FUNCTIONS))))
        each = self.aggregation(word)
        return Aggregate(rows, each.function, each.term, each.distinct)

    def aggregation(self, word: str) -> Aggregation:
        """aggregation: function ['distinct'] term; count alone may lack its term."""
        function = cast(Function, word)
        if not self.token or self.token in ("|", ",", ")", ";"):
            if function != "count":
                self.fail(f"what to take the {word} of")
            return Aggregation(function)
        distinct = self.took_word("distinct")
        return Aggregation(function, self.term(), distinct)

    def cut(self, word: str, plan: Group | ValueOf) -> Group | ValueOf:
        """having, order or limit, behind values or group."""
        if word == "having":
            assert isinstance(plan, Group)
            having = Having(self.number(), self.operator(), self.value())
            return replace(plan, having=(*plan.having, having))
        if word == "limit":
            plan = replace(plan, limit=self.number())
            if isinstance(plan, Group) and self.took_word("skip"):
                plan = replace(plan, skip=self.number())
            return plan
        order = self.number() if self.kind == "number" else None
        return replace(plan, order=order, descending=self.took_word("descending"))

    # Terms and conditions

    def step(self) -> ChainStep:
        """step: ['^' | '~'] name ['[' condition ']'] ['{' condition '}']."""
        direction: Any = "in" if self.took("^") else "any" if self.took("~") else "out"
        relation = self.name()
        where = to = None
        if self.took("["):
            where = self.condition()
            self.sign("]")
        if self.took("{"):
            to = self.condition()
            self.sign("}")
        return ChainStep(relation, direction, where, to)

    def term(self) -> Term:
        """term: function '(' plain term ')' | plain term."""
        if self.is_word(*FUNCTIONS):
            function = cast(Function, self.next())
            self.sign("(")
            inner = self.plain_term(function)
            self.sign(")")
            return inner
        return self.plain_term("")

    def plain_term(self, function: Function | str) -> Term:
        """Plain term: ['#' number '/'] (step '/')* (['@'] (name | computed) | '.' | '::' built in) ['::' part]."""
        start, steps, name, own = 0, [], "", False
        operand: Operand | None = None
        if self.took("#"):
            start = self.number()
            if not self.is_sign("@"):
                self.sign("/")
        if not self.took("."):
            while (self.kind in ("quoted", "name") and self.token not in _WORDS) or self.token in ("^", "~"):
                step = self.step()
                if self.took("/"):
                    steps.append(step)
                    continue
                if step.direction != "out" or step.where is not None or step.to is not None:
                    self.fail("'/' behind a step")
                name = step.relation
                break
            own = self.took("@")
            if self.is_sign("{") and not name:
                name, operand = self.computed()
            elif own:
                name = self.name()
            elif not (name or steps or start or self.is_sign("::")):
                self.fail("a term: a property, a chain such as rel/property, or '.'")
        part: Part = ""
        if self.took("::"):
            built_in = () if name or own else _BUILT_IN
            word = self.word(*(each.removeprefix("::") for each in built_in), *PARTS[1:])
            name, part = (f"::{word}", "") if f"::{word}" in built_in else (name, cast(Part, word))
        return Term(tuple(steps), name, part, cast(Any, function), own, start, operand)

    def computed(self) -> tuple[str, Operand]:
        """computed: '{' name ('+' | '-' | '*' | '/') name ['in' unit] '}'."""
        self.sign("{")
        name = self.name()
        if self.token not in ARITHMETIC:
            self.fail("one of + - * /")
        operator, other = self.next(), self.name()
        unit = self.word(*UNITS[1:]) if self.took_word("in") else ""
        self.sign("}")
        return name, Operand(cast(Any, operator), other, cast(Any, unit))

    def condition(self) -> Condition:
        """condition: all of ('or' all of)*."""
        found: list[Condition] = [self.all_of()]
        while self.took_word("or"):
            found.append(self.all_of())
        return found[0] if len(found) == 1 else AnyOf(tuple(found))

    def all_of(self) -> Condition:
        """All of: one condition ('and' one condition)*."""
        found: list[Condition] = [self.one_condition()]
        while self.took_word("and"):
            found.append(self.one_condition())
        return found[0] if len(found) == 1 else AllOf(tuple(found))

    def one_condition(self) -> Condition:
        """One condition: not, brackets, and(…), or(…), has term, is type, or term operator right."""
        if self.took_word("not"):
            return Not(self.one_condition())
        if self.took("("):
            condition = self.condition()
            self.sign(")")
            return condition
        if self.is_word("and", "or"):
            kind = AllOf if self.next() == "and" else AnyOf
            self.sign("(")
            inner = () if self.is_sign(")") else self.listed(self.condition)
            self.sign(")")
            return kind(inner)
        if self.took_word("has"):
            return Has(self.term())
        if self.took_word("is"):
            return HasType(self.name())
        return Compare(self.term(), self.operator(), self.right())

    def operator(self) -> Operator:
        """operator: one of `OPERATORS`."""
        if self.token not in OPERATORS:
            self.fail(f"an operator ({' '.join(OPERATORS)})")
        return cast(Operator, self.next())

    def right(self) -> Value | tuple[Value, ...] | Term | QueryPlan:
        """right: values in square brackets, a plan in brackets, a value, or a term."""
        if self.took("["):
            values = () if self.is_sign("]") else self.listed(self.value)
            self.sign("]")
            return values
        if self.is_sign("("):
            return cast(QueryPlan, self.source())
        if self.kind in ("string", "number") or self.is_word("true", "false") or self.is_constant():
            return self.value()
        return self.term()

    def is_constant(self) -> bool:
        """Whether a word of a kind with its text stands here: date "2020-01-31"."""
        return self.is_word(*_KINDS) and self.text[self.at :].lstrip()[:1] == '"'

    def value(self) -> Value:
        """value: number | true | false | kind string | string."""
        if self.kind == "number":
            return Value("number", float(self.next()))
        if self.is_word("true", "false"):
            return Value("boolean", self.next() == "true")
        if self.kind == "name" and self.token in _KINDS:
            kind = cast(ValueKind, self.next())
            return Value(kind, self.string())
        return Value("text", self.string())
