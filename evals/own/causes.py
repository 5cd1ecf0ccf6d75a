"""Why an answer is wrong, from the answer's own record and a look into the KG."""

from __future__ import annotations

from collections.abc import Collection

from trivium.evals.metrics import claims, score_answer
from trivium.kg.loaders import Question
from trivium.kg.store import GraphStore
from trivium.kg.text import fold_case
from trivium.nodes.run.answer_record import Answer

_STOPS = {
    "unknown_entity": "name not found",
    "ambiguous": "name not found",
    "not_understood": "question not understood",
    "not_found": "fact not found",
    "out_of_scope": "question not understood",
}
MENDS = {
    "claimed without evidence": "raise min_confidence",
    "name not found": "trivium kg alias KG ENTITY NAME",
    "wrong entity": "trivium kg alias KG ENTITY NAME, or topic_entities",
    "wrong relation": "trivium kg word KG RELATION PHRASE, or learn from this pair",
    "question not understood": "trivium kg word KG RELATION PHRASE, or learn from this pair",
    "fact not found": "trivium kg add, or trivium kg word KG RELATION PHRASE",
    "operator missing": "word the question with count, highest, more than, …",
    "not in the graph": "trivium kg add, or check the gold answer's spelling",
    "right answer not first": "give the question one topic more",
}
"""For each cause what a user can do."""


class Causes:
    """Finds causes; what it reads of the KG is kept for all questions."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._texts: frozenset[str] | None = None
        self._known: dict[str, bool] = {}

    async def of(self, question: Question, answer: Answer) -> str:
        """The cause of a wrong best answer; "" where it is right, or nothing was claimed and nothing should be."""
        found = score_answer(answer, question.answers, question.rows)
        if found.top1:
            return ""
        if not question.answers:
            return "claimed without evidence"
        if question.choices:
            return "wrong choice" if claims(answer) else "nothing chosen"
        if not any([await self._holds(gold) for gold in question.answers]):
            return "not in the graph"
        if found.any_hit:
            return "right answer not first"
        return await self._wrong(question, answer)

    async def _wrong(self, question: Question, answer: Answer) -> str:
        """The cause where the KG has the gold answer and the method did not give it."""
        computed = all(map(_is_computed, question.answers))
        told = answer["value"] is not None or any(_is_computed(item["label"]) for item in answer["answers"])
        if computed and not told:
            return "operator missing"
        if not claims(answer):
            return _STOPS.get(answer["stop_reason"], answer["stop_reason"])
        if question.topic_entities and not self._starts(answer) & await self._ids(question.topic_entities):
            return "wrong entity"
        return "wrong relation"

    async def _holds(self, gold: str) -> bool:
        """Whether a gold answer can come of the KG: an entity, a value, or a number or truth that is computed."""
        if _is_computed(gold):
            return True
        if gold not in self._known:
            [entity], [hits] = await self._store.entities([gold]), await self._store.find([gold], fuzzy=False)
            self._known[gold] = entity is not None or bool(hits) or fold_case(gold) in await self._values()
        return self._known[gold]

    async def _values(self) -> Collection[str]:
        """The folded texts of all values."""
        if self._texts is None:
            columns = await self._store.columns()
            parts = (column for found in columns.properties.values() for column in found)
            self._texts = frozenset(fold_case(text) for column in parts for text in column.texts)
        return self._texts

    async def _ids(self, names: Collection[str]) -> set[str]:
        hits = await self._store.find(list(names), fuzzy=False)
        return {*names, *(hit.id for found in hits for hit in found)}

    @staticmethod
    def _starts(answer: Answer) -> set[str]:
        """Every entity on the answer's paths but the answers."""
        ends = {triple[end] for path in answer["paths"] for triple in path["triples"] for end in ("head", "tail")}
        return ends - {item["id"] for item in answer["answers"]}


def _is_computed(text: str) -> bool:
    """Whether a text is a number, or says yes or no."""
    if text.casefold() in ("true", "false", "yes", "no"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True
