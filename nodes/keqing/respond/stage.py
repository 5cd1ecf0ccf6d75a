"""Stage `respond`: the answer in words from the execution log, with the path of every answer (Keqing, section 3.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.indexes import relation_words
from trivium.kg.indexes.words import own_name
from trivium.kg.plans.codec import from_json
from trivium.kg.plans.plan import (
    Aggregate,
    Calculate,
    Compare,
    Follow,
    NonEmpty,
    Term,
    Top,
    Value,
    ValueOf,
    nodes,
    relations,
)
from trivium.kg.plans.proof import instead_of
from trivium.kg.profile import TYPE_PROPERTY
from trivium.kg.text import fold_case, fold_name, tokens
from trivium.kg.types import parse_chain
from trivium.kg.values import read_value
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.decompose.follow_up import opens, points_outside
from trivium.nodes.keqing.respond.as_plan import as_plan
from trivium.nodes.keqing.state import AssessedState, KeqingState, PlanOutcome
from trivium.nodes.run.abstain import Signals, Suggestion
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import AnswerEntity, PathRecord, path_record
from trivium.nodes.run.conversation import NO_OPTIONS, choices_in
from trivium.nodes.run.missing import (
    absent_names,
    askable,
    known_beside,
    missing_hop,
    namesakes,
    near_names,
    phrases,
    unknown_names,
    widened,
)
from trivium.nodes.run.path_text import leads_by
from trivium.nodes.run.state import Step
from trivium.nodes.run.write_answer import NAMED, Claim, evidence, named, write_answer
from trivium.tools.decompose_question import NO_DEPENDENCY
from trivium.tools.get_labels import get_labels
from trivium.tools.run_plan import run_plan

_LOGGED = 20  # seeds shown of each sub-question in the log
_INSTEAD = 3  # things found in place of what a "no" denies, in its words
_DIGITS = 15  # significant digits that sums of floats are exact to
_SECONDS = 2.0  # for what a "no" is about
_STEM = 4  # letters that words of one stem have in common


async def respond(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Write the typed result; an answer that nothing supports says so."""
    context = runtime.context
    if outcome := state.get("outcome"):
        claim = _plan_claim(state, outcome)
        found = claim.found and not _repeats_name(state, claim) and not await is_unfounded(claim, context)
    else:
        claim = await _chains_claim(state, context)
        found = claim.found and not _repeats_name(state, claim)
    words = await _words(state, claim.answers, context)
    claim.text = words.text or await _sentence(claim, outcome["total"] if outcome else 0, context.kg)
    if not claim.found and choices_in(state.get("question", ""))[1]:
        claim.text = NO_OPTIONS
    signals = await signals_of(state, context, found=found)
    claim.confidence = _confidence(state, signals)
    return await write_answer(
        "keqing",
        state,
        context,
        claim,
        signals=signals,
        steps=_steps(state),
        events=_events(state),
        state_update=words.state_update,
        message_id=words.message_id,
    )


async def _chains_claim(state: KeqingState, context: KeqingContext) -> Claim:
    """What following the sub-questions' chains found: entities with their paths, and as a plan where one says it."""
    followed, traces = state["sub_questions"] and not _withheld(state), _Traces(state)
    reasoned = state["reasoned"] if followed else []
    paths = [path_record(path, item["id"]) for item in reasoned for path in traces.of(item["id"], item["from"])]
    reached_by = {path["answer"]: path["triples"][-1] for path in reversed(paths) if path["triples"]}
    ends_of = [leads_by(reached_by[item["id"]]) if item["id"] in reached_by else "" for item in reasoned]
    labels = await get_labels(context.kg, [item["id"] for item in reasoned], ends_of=ends_of)
    answers = [
        AnswerEntity(id=item["id"], label=label, score=item["score"])
        for item, label in zip(reasoned, labels, strict=True)
    ]
    claim = Claim(answers=answers, paths=paths)
    if claim.found and (same := await as_plan(state, context, [item["id"] for item in reasoned])):
        claim.plan, claim.query, claim.values = same.plan, same.query, same.values
    return claim


def _plan_claim(state: KeqingState, outcome: PlanOutcome) -> Claim:
    """What a plan gave: entities, a value, or rows, with the evidence of what was computed."""
    value, values = outcome["value"], outcome["values"]
    if isinstance(value, float):
        value = float(f"{value:.{_DIGITS}g}")  # the sum of 10.1 and 20.2 is 30.3, and not 30.299999999999997
    if value is None and len(values) == 1 and not isinstance(values[0], dict):
        value = values[0]
    return Claim(
        answers=_as_written(outcome["answers"], outcome["paths"]),
        value=value,
        values=values,
        paths=outcome["paths"],
        evidence=outcome["evidence"],
        plan=state["plan"],
        query=outcome["query"],
    )


def _as_written(answers: Sequence[AnswerEntity], paths: Sequence[PathRecord]) -> list[AnswerEntity]:
    """Numbers with an era, a word for thousands or the like as the graph writes them: "8300 BCE" for -8300."""
    plain = {answer["id"] for answer in answers if _is_plain(answer["id"])}
    numbers = {float(each) for each in plain}
    known: dict[float, str] = {}
    for written in {path["answer"] for path in paths} - plain if plain else ():
        found = read_value(written)
        if found.kind == "number" and not found.unit and found.number in numbers and not _is_plain(written):
            known[found.number] = written
    texts = [known.get(float(key), "") if (key := answer["id"]) in plain else "" for answer in answers]
    return [
        AnswerEntity(id=text, label=text, score=answer["score"]) if text else answer
        for answer, text in zip(answers, texts, strict=True)
    ]


def _is_plain(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _repeats_name(state: KeqingState, claim: Claim) -> bool:
    """Whether a plan that walks no relation finds what the question names: "the capital of Germany" is not Germany.

    Nor is Germany what it says of it that no word was read as: no district, for "the average rainfall in the district".
    """
    plan, question = state.get("plan"), f" {fold_name(state.get('question', ''))} "
    labels = [f" {fold_name(answer['label'])} " for answer in claim.answers]
    if len(labels) != 1 or " or " in question:
        return False
    as_written = fold_case(claim.answers[0]["label"]) in fold_case(state.get("question", ""))
    if not plan:
        assessed = state.get("assessed")
        return as_written and bool(assessed and assessed["signals"].get("strange")) and labels[0] in question
    if relations(from_json(plan)):
        return False
    if isinstance(from_json(plan), ValueOf) and not as_written:
        return False  # the channel "#platform-ops" is not the team Platform Ops
    parts = list(nodes(from_json(plan)))
    chosen = any(isinstance(node, Top) for node in parts)  # "between A and B, which is older?"
    told = [part for each in parts if isinstance(each, Compare) for part in _part_of_text(each)]
    if any(isinstance(node, Term) and node.property == TYPE_PROPERTY for node in parts):  # a Wine Fair may be a fair
        told += [each for sub in state["sub_questions"] for each in sub.get("seed_entities", ())]
    for each in told:  # what has "consent" in its description may be Consent
        question = question.replace(f" {fold_name(each)} ", " ")
    return labels[0] in question and not chosen


def _part_of_text(condition: Compare) -> Iterator[str]:
    """The part of a text that a condition is on."""
    if condition.operator in ("contains", "starts_with", "ends_with") and isinstance(condition.right, Value):
        yield str(condition.right.value)


async def is_unfounded(claim: Claim, context: KeqingContext) -> bool:
    """Whether a "no" rests on nothing, what it is about has no such fact at all; or a sum, since nothing is added."""
    if claim.value not in (False, 0) or claim.plan is None:
        return False
    plan, rows = from_json(claim.plan), (claim.evidence or {}).get("rows") or []
    if isinstance(plan, Aggregate) and plan.function == "sum":
        return all(isinstance(row, list) and all(each is None for each in row[1:]) for row in rows)
    if claim.value is not False or rows:
        return False
    ways = instead_of(plan) if isinstance(plan, NonEmpty) else []
    about = [each.source for each in ways if isinstance(each, ValueOf | Follow)]
    if not about:
        return False
    return (await run_plan(context.kg, NonEmpty(about[0]), seconds=_SECONDS)).result.value == Value.of(True)


def _withheld(state: KeqingState) -> bool:
    assessed = state.get("assessed")
    return bool(assessed and assessed["withheld"])


def _confidence(state: KeqingState, signals: Signals) -> float | None:
    """The chance that the answer, or the reading withheld, is right; None where a model read the question.

    Where nothing is there to be withheld it is 0; of several readings that fit alike each has its share.
    """
    if state.get("decomposed_by"):
        return None
    assessed = state.get("assessed")
    chance = assessed["confidence"] if assessed else state["confidence"]
    if not signals.found and not signals.doubtful:
        return 0.0
    return chance / max(len(signals.readings), 1)


async def _sentence(claim: Claim, total: int, kg: str) -> str:
    """The value, the answers, or the first rows of `total`; and the path of the first answer."""
    if claim.value is not None:
        shown = ("No", "Yes")[claim.value] if isinstance(claim.value, bool) else _with_unit(claim)
        told = _INSTEAD if claim.value is False else len(_computed(claim).properties())
        return f"{shown}. {await evidence(claim.paths[:told], kg)}".strip()
    if claim.answers:
        first = claim.answers[0]
        proof = [path for path in claim.paths if path["answer"] == first["id"]]
        return f"{named(claim.answers)}. {await evidence(proof, kg, first['label'])}".strip()
    rows = [_row(each) for each in claim.values[:NAMED]]
    return f"{'; '.join(rows)}{f'; and {total - len(rows)} more' if total > len(rows) else ''}." if rows else ""


def _with_unit(claim: Claim) -> object:
    """The value as the graph writes it where that has a unit or an era ("59.00 EUR") and all paths end in it.

    What is computed of two dates has the unit in which they differ ("5 days"), a share its sign ("20%").
    """
    if _is_percentage(claim.plan) and isinstance(claim.value, int | float):
        return f"{claim.value}%"
    if (operand := _computed(claim).operand) is not None and operand.unit and isinstance(claim.value, int | float):
        return f"{claim.value} {operand.unit}{'s' * (claim.value != 1)}"
    ends = {path["answer"] for path in claim.paths}
    written = read_value(ends.pop()) if len(ends) == 1 else None
    said = written is not None and written.number == claim.value and not _is_plain(written.text)
    return written.text if written is not None and said else claim.value


def _is_percentage(plan: object) -> bool:
    """Whether a plan gives a hundred times one number in another."""
    match from_json(plan) if plan else None:
        case Calculate(operator="*", left=Value(value=100.0), right=Calculate(operator="/")):
            return True
        case _:
            return False


def _computed(claim: Claim) -> Term:
    """What a claim's one value is computed by, where that is computed of two properties; else any one property."""
    plan = from_json(claim.plan) if claim.plan else None
    term = plan.columns[0] if isinstance(plan, ValueOf) else plan.term if isinstance(plan, Aggregate) else None
    counted = isinstance(plan, Aggregate) and plan.function == "count"
    return term if term is not None and term.operand is not None and not counted else Term(property="*")


def _row(row: object) -> str:
    """A row of a group or table in words: `Beverages: 12, 30.5`."""
    if not isinstance(row, dict):
        return str(row)
    return f"{_cell(row.get('keys', row['key']))}: {_cell(row.get('values', row['value']))}"


def _cell(cell: object) -> str:
    if isinstance(cell, list):
        return ", ".join(map(_cell, cell))
    return str(cell["label"]) if isinstance(cell, dict) else "-" if cell is None else str(cell)


@dataclass(frozen=True, slots=True)
class _Words:
    """What the model said of the answers, if it did, under which message id it was streamed, and what it cost."""

    text: str | None = None
    message_id: str | None = None
    state_update: dict[str, Any] = field(default_factory=dict)


async def _words(state: KeqingState, answers: list[AnswerEntity], context: KeqingContext) -> _Words:
    """The model's words; none where there is no model, or no answer: without evidence it would make something up."""
    if context.model == NO_MODEL or context.respond == "rules" or not answers:
        return _Words()
    from trivium.nodes.keqing.respond.model import say
    from trivium.nodes.model import state_update  # a run without a model pays nothing for the layer

    text, message_id, outcome = await say(state, answers, context)
    return _Words(text, message_id, state_update(outcome))


class _Traces:
    """Whole paths from the question's topics to its answers, put together from those of the sub-questions."""

    def __init__(self, state: KeqingState) -> None:
        items = state["sub_questions"]
        self._dep = {item["id"]: item["dep"] for item in items}
        self._paths = {
            done["id"]: {item["id"]: item["path"] for item in done["found"]} for done in state["retrieved"].values()
        }
        self._known: dict[tuple[str, int], list[list[Step]]] = {}

    def of(self, entity: str, sub_questions: Iterable[int]) -> list[list[Step]]:
        """One path to the entity for each of these sub-questions and each topic behind it."""
        return [path for number in sub_questions for path in self._trace(entity, number)]

    def _trace(self, entity: str, number: int) -> list[list[Step]]:
        known = self._known.get((entity, number))
        if known is None:
            known = self._known[entity, number] = self._put_together(entity, number)
        return known

    def _put_together(self, entity: str, number: int) -> list[list[Step]]:
        own = list(self._paths[number][entity])
        if self._dep[number] == [NO_DEPENDENCY]:
            return [own]
        head, _, tail, inverse = own[0]
        start = tail if inverse else head
        known = [dep for dep in self._dep[number] if start in self._paths[dep]]
        return [before + own for dep in known for before in self._trace(start, dep)]


def _steps(state: KeqingState) -> list[dict[str, Any]]:
    """The execution log: what each stage did, in order."""
    subs = [{key: sub[key] for key in ("id", "question", "dep", "seed_entities")} for sub in state["sub_questions"]]
    log: list[dict[str, Any]] = [
        {"stage": "decompose", "sub_questions": subs, "confidence": round(state["confidence"], 4)},
    ]
    if state.get("reading"):
        log[0]["reading"] = state["reading"]
    if state.get("assessed"):
        log[0]["assessed"] = state["assessed"]
    if state.get("decomposed_by"):
        log[0]["by"] = state["decomposed_by"]
    if not subs or _withheld(state):
        return log
    log.append({"stage": "link_entities", "links": state["links"]})
    log.append({"stage": "match_template", "matches": state["matches"]})
    log += [
        {
            "stage": "retrieve",
            "id": done["id"],
            "seeds": done["seeds"][:_LOGGED],
            "template": done["match"]["template"] if done["match"] else None,
            "chains": done["match"]["chains"] if done["match"] else [],
            "found": done["counted"] if "counted" in done else len(done["found"]),
            "excluded": done["excluded"],
            "supplement": [list(triple) for triple in done["supplement"]],
        }
        for done in state["retrieved"].values()
    ]
    return [*log, {"stage": "reason", "answers": len(state["reasoned"])}]


def _events(state: KeqingState) -> list[dict[str, Any]]:
    """What a user should know beside the answer: names that could mean more, and results that a cap cut."""
    events: list[dict[str, Any]] = [
        {
            "stage": "link_entities",
            "event": "ambiguous",
            "mention": mention,
            "chosen": first["id"],
            "alternatives": others,
        }
        for mention, (first, *others) in ((m, links) for m, links in state["links"].items() if links)
        if others
    ]
    events += [
        {"stage": "link_entities", "event": "unknown_entity", "mention": mention}
        for mention, links in state["links"].items()
        if not links
    ]
    events += [{"stage": "decompose", "event": "unread_name", "mention": name} for name in state.get("unread", ())]
    return events + [
        {"stage": "retrieve", "event": "truncated", "id": done["id"], "kept": len(done["found"])}
        for done in state["retrieved"].values()
        if done["truncated"]
    ]


async def signals_of(state: KeqingState, context: KeqingContext, *, found: bool) -> Signals:
    """The signals of a run that comes to its end: what it found may be claimed, or what is missing."""
    assessed, links = state.get("assessed"), state["links"]
    if found and not (assessed and assessed["withheld"]):
        return Signals(found=True, readings=await _namesakes(state, context) if assessed else ())
    read = bool(state["sub_questions"])
    unlinked = [mention for mention, hits in links.items() if not hits]
    if assessed is None:
        pointing = "" if read else points_outside(opens(state.get("question", "")))
        return Signals(found=False, read=read, unknown=unlinked, pointing=pointing)
    question = state.get("question", "")
    matches = {mention: [hit["match"] for hit in hits] for mention, hits in links.items()}
    nothing = not links and not assessed["about"]
    names, unread = assessed["names"], assessed["unread"]
    odd = unknown_names(question, matches, names, nothing=nothing, unread=bool(unread), read=_said(state))
    unknown = unlinked or await widened(await absent_names(odd, context.kg), question, context.kg)
    chat = assessed["chat"] and not unknown
    suggestions = await (askable(context.kg) if chat else near_names(unknown, context.kg))
    about = assessed["about"]
    label, knows = await known_beside(context.kg, about, question, unknown, unread, suggestions)
    missing, of = "", ""
    if not unknown:
        missing, of = await missing_hop(parse_chain(assessed["missing"]), assessed["about"], context.kg, label)
    return Signals(
        found=False,
        read=read,
        doubtful=assessed["withheld"],
        unknown=unknown,
        unread=phrases(question, assessed["unread"]),
        missing=missing,
        of=of,
        about=label,
        knows=knows,
        unmet=[] if unknown or missing else _unmet(state, assessed),
        suggestions=suggestions,
        chat=chat,
        nearest=_nearest(state),
        guessed=_guessed(state),
    )


def _said(state: KeqingState) -> set[str]:
    """The words that the plan reader takes for what the graph itself calls so, folded."""
    words = (state.get("reading") or {}).get("words", ())
    return {token.text for word, _, fit in words if fit >= 1 for token in tokens(word)}


def _guessed(state: KeqingState) -> list[tuple[str, str]]:
    """Words that the plan reader takes for a relation, property or type of another name."""
    words = (state.get("reading") or {}).get("words", ())
    found = [(word, relation_words(own_name(element))) for word, element, fit in words if 0 < fit < 1]
    return [(word, element) for word, element in found if fold_case(word)[:_STEM] not in element]


def _nearest(state: KeqingState) -> str:
    """What the reading answers, in the words of its template; "" where it is not one step from one name."""
    if len(state["sub_questions"]) != 1 or len(state["sub_questions"][0]["seed_entities"]) != 1:
        return ""
    (sub,) = state["sub_questions"]
    return sub["question"].replace("[mask]", sub["seed_entities"][0])


async def _namesakes(state: KeqingState, context: KeqingContext) -> list[Suggestion]:
    if state.get("plan"):
        return []
    return await namesakes(state.get("question", ""), state["sub_questions"], state["links"], context.kg)


def _unmet(state: KeqingState, assessed: AssessedState) -> list[str]:
    """Names and numbers of the question that no answer meets, where nothing fits all of it."""
    if assessed["signals"].get("half"):  # what is asked of them was not computed
        return []
    left = [name for name in dict.fromkeys(state.get("unread") or ()) if name != name.lower() or name.isdigit()]
    numbers = [name for name in assessed["names"] if name.isdigit()]
    unmet = [*left, *(number for number in numbers if number not in left)]
    if unmet or assessed["unread"] or not state.get("plan") or not assessed["signals"].get("ahead"):
        return unmet
    if _guessed(state):
        return []
    # All of the question was read, and nothing is so.
    words = [word for word, *_ in (state.get("reading") or {}).get("words", ())]
    return list(dict.fromkeys(word for word in words if word != word.lower() or any(map(str.isdigit, word))))
