"""Stage `respond`: the answer in words from the execution log, with the path of every answer (Keqing, section 3.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.store import GraphStore
from trivium.knowledge.knowledge import open_knowledge
from trivium.nodes.keqing.computed import Value, computed, computed_sentence
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import KeqingState
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import Answer, AnswerEntity, PathRecord, path_record, usage
from trivium.nodes.run.conversation import reply
from trivium.nodes.run.path_text import path_text
from trivium.nodes.run.qualifiers import qualified
from trivium.nodes.run.state import Step
from trivium.policies.keqing.decomposer import NO_DEPENDENCY

_NAMED = 12  # answers named in the sentence; the rest are counted
_LOGGED = 20  # seeds shown of each sub-question in the log


async def respond(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Write the typed result; an answer that nothing supports says so."""
    knowledge = await open_knowledge(runtime.context.kg)
    reasoned = state["reasoned"] if state["sub_questions"] else []
    labels = await knowledge.store.labels([item["id"] for item in reasoned])
    answers = [
        AnswerEntity(id=item["id"], label=label, score=item["score"])
        for item, label in zip(reasoned, labels, strict=True)
    ]
    traces = _Traces(state)
    paths = [path_record(path, item["id"]) for item in reasoned for path in traces.of(item["id"], item["from"])]
    value = None
    if state.get("operators"):
        value, more = computed(state, traces.of)
        paths += more
    words = await _words(state, answers, knowledge.store, runtime.context)
    answer = Answer(
        id="",
        question=state["question"],
        kg=runtime.context.kg,
        method="keqing",
        model=runtime.context.model,
        answer=words.text or await _sentence(answers, paths, value, knowledge.store),
        answers=answers,
        choice=None,
        value=value,
        paths=await qualified(paths, knowledge.store),
        steps=_steps(state),
        stop_reason=_stop_reason(state, answered=bool(answers) or value is not None),
        usage=usage(state["started"], state.get("usage"), words.told.get("usage")),
        events=[*state.get("events", ()), *words.told.get("events", ()), *_events(state)],
    )
    return {"answer": answer, **words.told, **await reply(state, answer, knowledge.store, message_id=words.message_id)}


def _stop_reason(state: KeqingState, *, answered: bool) -> str:
    if answered:
        return "answered"
    return "no_answer" if state["sub_questions"] else "no_reading"


@dataclass(frozen=True, slots=True)
class _Words:
    """What the model said of the answers, if it did, under which message id it was streamed, and what it cost."""

    text: str | None = None
    message_id: str | None = None
    told: dict[str, Any] = field(default_factory=dict)


async def _words(state: KeqingState, answers: list[AnswerEntity], store: GraphStore, context: KeqingContext) -> _Words:
    """The model's words; none where there is no model, or no answer: without evidence it would make something up."""
    if context.model == NO_MODEL or context.respond == "rules" or not answers:
        return _Words()
    from trivium.nodes.keqing.respond_llm import say
    from trivium.nodes.model import told  # a run without a model pays nothing for the layer

    text, message_id, outcome = await say(state, answers, store, context)
    return _Words(text, message_id, told(outcome))


class _Traces:
    """Whole paths from the question's topics to its answers, put together from those of the sub-questions."""

    def __init__(self, state: KeqingState) -> None:
        items = [*state["sub_questions"], *(state.get("operators") or ())]
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
        if not own:  # an operator took the entity from what it stands on
            holding = [dep for dep in self._dep[number] if entity in self._paths[dep]]
            return [path for dep in holding for path in self._trace(entity, dep)]
        head, _, tail, inverse = own[0]
        start = tail if inverse else head
        known = [dep for dep in self._dep[number] if start in self._paths[dep]]
        return [before + own for dep in known for before in self._trace(start, dep)]


async def _sentence(
    answers: list[AnswerEntity], paths: list[PathRecord], value: Value | None, store: GraphStore
) -> str:
    """The answers, or the computed value, in a sentence, and the path of the first one."""
    if value is not None:
        return await computed_sentence(value, paths, store)
    if not answers:
        return "The knowledge graph gives no answer to this question."
    names = [answer["label"] for answer in answers[:_NAMED]]
    more = len(answers) - len(names)
    if more:
        text = f"{', '.join(names)} and {more} more."
    else:
        text = f"{' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))}."
    proof = "; ".join([await path_text(path, store) for path in paths if path["answer"] == answers[0]["id"]])
    return f"{text} Evidence for {names[0]}: {proof}."


def _steps(state: KeqingState) -> list[dict[str, Any]]:
    """The execution log: what each stage did, in order."""
    subs = [{key: sub[key] for key in ("id", "question", "dep", "seed_entities")} for sub in state["sub_questions"]]
    log: list[dict[str, Any]] = [
        {"stage": "decompose", "sub_questions": subs, "confidence": round(state["confidence"], 4)},
    ]
    if state.get("operators"):
        log[0]["operators"] = state["operators"]
    if state.get("decomposed_by"):
        log[0]["by"] = state["decomposed_by"]
    if not subs:
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
            "found": len(done["found"]),
            "excluded": done["excluded"],
            "supplement": [list(triple) for triple in done["supplement"]],
        }
        for done in state["retrieved"].values()
        if "used" not in done
    ]
    log += [
        {"stage": "compute", "id": done["id"], "found": len(done["found"]), "value": done.get("value")}
        for done in state["retrieved"].values()
        if "used" in done
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
