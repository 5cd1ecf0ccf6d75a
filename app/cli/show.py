"""How a run looks on a terminal: each stage as it finishes, then the answer and the paths that prove it, as a tree."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Self

from langgraph.types import Overwrite
from rich.console import Console
from rich.markup import escape
from rich.tree import Tree

from trivium.graphs.methods import TEXT
from trivium.kg.plans.text import write
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.path_text import arrow_text, leads_by
from trivium.tools.get_labels import get_labels
from trivium.tools.read_question import read_question

_PATHS = 30  # paths drawn; all are in --json
_SEEDS = 3  # seeds named of each sub-question


_LINES = 6  # lines of KnowGPT's evidence shown; --json has them all
_NAMED = 8  # entities named in a line of KnowGPT's
_SHOWN = 3  # entities and triples named in a line of ODA's

KNOWGPT_STAGES = frozenset({"select_prompt", "extract", "verbalize", "link_entities"})
"""KnowGPT's stages but the last, whose update is the answer. Keqing's `link_entities` adds `links`."""

ODA_STAGES = {
    "link_task_entities": "link",
    "observe": "observe",
    "choose_action": "act",
    "review_action": "review",
    "reflect": "reflect",
}
"""ODA's stages but the last; each appends an entry to the log."""

Labels = Callable[[list[str]], Awaitable[list[str]]]


class RunPrinter:
    """Prints the stages of one run to stdout."""

    def __init__(self, knowledge: Knowledge, *, show_query: bool = False) -> None:
        self._knowledge = knowledge
        self._show_query = show_query
        self._console = Console(highlight=False, soft_wrap=True)
        self._said = ""

    @classmethod
    async def over(cls, kg: str, *, show_query: bool = False) -> Self:
        """A display of runs over a KG, whose labels it shows; with the query of the answer, if that is wanted."""
        return cls(await open_knowledge(kg), show_query=show_query)

    async def stage(self, name: str, added: dict[str, Any]) -> None:
        """Show what a stage added."""
        if name == "decompose":
            self._decomposed(added)
        elif name == "link_entities" and "links" in added:
            self._linked(added["links"])
        elif name == TEXT:
            if not self._said:
                self._console.print()
            self._said += added["text"]
            self._console.print(escape(added["text"]), end="", style="bold")
        elif name == "retrieve":
            for done in added["retrieved"].values():
                self._line(name, f"{done['id']}. {await self._found(done)}")
        elif name in KNOWGPT_STAGES and "answer" not in added:
            for line in await knowgpt_lines(name, added, self._labels):
                self._line("link" if name == "link_entities" else "choose" if name == "select_prompt" else name, line)
        elif name in ("plan_methods", "judge_answer") and "answer" not in added:
            self._tried(added["events"])
        elif name in ODA_STAGES:
            self._line(ODA_STAGES[name], await oda_line(added, self._labels))
        elif "answer" in added:
            await self._answered(added["answer"])

    async def readings(self, question: str) -> None:
        """Show what the reader makes of a question: its plans, best first, with scores, words and what is unread."""
        found = await read_question.operation(self._knowledge, question)
        if not found:
            self._line("read", "no word of the question names anything in this KG")
        for place, reading in enumerate(found, 1):
            empty = "  (finds nothing)" if reading.empty else ""
            self._line("read", f"{place}. {reading.score:.2f}  {write(reading.plan)}{empty}")
            words = [f"{part.word} = {part.element}" for part in reading.parts if part.word != part.element]
            self._line("", f"   {'; '.join(words)}")
            if unread := [*reading.unread, *reading.unused]:
                self._line("", f"   unread: {', '.join(unread)}")

    def _tried(self, events: Overwrite | list[dict[str, Any]]) -> None:
        """Why the router tries a method."""
        for event in _plain(events):
            self._line("auto", f"{event['method']}: {event['message']}")

    async def _found(self, done: dict[str, Any]) -> str:
        """What a sub-question started from, followed and found."""
        seeds = await self._labels(done["seeds"][:_SEEDS])
        more = f" and {len(done['seeds']) - _SEEDS} more" if len(done["seeds"]) > _SEEDS else ""
        chains = " or ".join(" ".join(chain) for chain in done["match"]["chains"]) if done["match"] else "nothing"
        count = done.get("counted", len(done["found"]))  # of a plan each step's size is counted, where it has one
        number = "" if count is None else f": {count} found"
        if "counted" in done and not done["match"]:
            return f"computed from {', '.join(seeds)}{more}{number}"
        return f"from {', '.join(seeds)}{more} along {chains}{number}"

    def _decomposed(self, added: dict[str, Any]) -> None:
        if not added["sub_questions"]:
            self._line("decompose", "could not map the question to this graph")
        for sub in added["sub_questions"]:
            self._line("decompose", f"{sub['id']}. {sub['question']}  <- {', '.join(sub['seed_entities'])}")
        for name in added["unread"]:
            self._line("decompose", f"ignored: {name}")
        self._linked(added["links"])

    def _linked(self, found: dict[str, list[dict[str, Any]]]) -> None:
        for mention, links in found.items():
            if not links:
                self._line("link", f"{mention}: no entity found")
                continue
            others = f"  (or: {', '.join(link['id'] for link in links[1:4])})" if len(links) > 1 else ""
            self._line("link", f"{mention} = {links[0]['label']} [{links[0]['id']}]{others}")

    async def _answered(self, answer: Answer) -> None:
        if self._said != answer["answer"]:  # else it stands there already; what broke off is said anew, by rules
            self._console.print(f"\n[bold]{escape(answer['answer'])}[/bold]", end="")
        self._console.print("\n")
        notes = [event for event in answer["events"] if "message" in event and event["stage"] != "auto"]  # told before
        for event in notes:
            self._line("note", f"{event['stage']}: {event['event']}: {event['message']}")
        if notes:
            self._console.print()
        forest: dict[str, dict[str, Any]] = {}
        for path in answer["paths"][:_PATHS]:
            branch = forest
            first = path["triples"][0]
            branch = branch.setdefault(first["tail" if first["inverse"] else "head"], {})
            for triple in path["triples"]:
                end = triple["head" if triple["inverse"] else "tail"]
                branch = branch.setdefault(f"{arrow_text(triple)}\0{leads_by(triple)}\0{end}", {})
        for root, branches in forest.items():
            tree = Tree(escape((await self._labels([root]))[0]))
            await self._grow(tree, branches)
            self._console.print(tree)
        left = len(answer["paths"]) - _PATHS
        if left > 0:
            self._console.print(f"... and {left} more paths (--json has them all)")
        if self._show_query:
            shown = answer["query"] or {"query": "this answer was not computed by a query plan"}
            for language, text in shown.items():
                self._console.print(f"\n[cyan]{language}[/cyan]  {escape(text)}")
        self._console.print(
            f"\n[dim]{answer['method']}, model {answer['model']}{_cost(answer)}, "
            f"{answer['usage']['seconds'] * 1000:.0f} ms[/dim]"
        )

    async def _grow(self, tree: Tree, branches: dict[str, Any]) -> None:
        for key, below in branches.items():
            arrow, relation, end = key.split("\0")
            (label,) = await get_labels.operation(self._knowledge, [end], ends_of=[relation])
            await self._grow(tree.add(f"[dim]{escape(arrow)}[/dim] {escape(label)}"), below)

    async def _labels(self, ids: list[str]) -> list[str]:
        return await self._knowledge.store.labels(ids)

    def _line(self, stage: str, text: str) -> None:
        self._console.print(f"[cyan]{stage:>9}[/cyan]  {escape(text)}")


def _cost(answer: Answer) -> str:
    """What the model cost, where one was asked."""
    spent = answer["usage"]
    tokens = spent["prompt_tokens"] + spent["completion_tokens"]
    return f", {spent['llm_calls']} calls, {tokens:,} tokens" if spent["llm_calls"] else ""


async def knowgpt_lines(name: str, added: dict[str, Any], labels: Labels) -> list[str]:
    """What a stage did, a line each; none for what is not KnowGPT's."""
    if name == "link_entities" and "candidates" in added:
        sources = ", ".join(await labels(added["sources"][:_NAMED])) or "nothing in this KG"
        offered = ", ".join(each["text"] for each in added["candidates"][:_NAMED]) or "none"
        return [f"from {sources}", f"candidates ({added['proposed_by']}): {offered}"]
    if name == "select_prompt":
        chosen = added["chosen"]
        known = [_estimate(each) for each in chosen["estimates"] if each["pulls"]]
        return [f"{chosen['arm']}: {chosen['reason']}", *known]
    if name == "extract":
        paths = sum(each["target"] is not None for each in added["evidence"])
        return [f"{len(added['evidence'])} pieces of evidence, {paths} of them paths to a candidate"]
    if name == "verbalize":
        shown = [line["text"] for line in added["lines"][:_LINES]]
        more = len(added["lines"]) - len(shown)
        return [*shown, *([f"... and {more} more lines"] if more > 0 else [])]
    return []


def _estimate(estimate: dict[str, Any]) -> str:
    return (
        f"  {estimate['arm']:13} expected {estimate['expectation']:.2f}, up to {estimate['bound']:.2f} more; "
        f"{estimate['pulls']} pulls"
    )


async def oda_line(added: dict[str, Any], labels: Labels) -> str:
    """The last entry of the log in words, entities by their labels."""
    step: dict[str, Any] = (_plain(added.get("log")) or [{}])[-1]
    stage = step.get("stage")
    if stage == "link_task_entities":
        return f"about {await _some(step['topics'], labels) or 'no entity of this graph'}"
    if stage == "observe":
        return f"{step['observed']} triples around {await _some(step['task_entities'], labels)}"
    if stage in ("choose_action", "review_action"):
        return f"{step['name']}({await _some(step['entities'], labels)})  {step['thought']}".rstrip()
    if stage == "reflect":
        kept = [await _triple(triple, labels) for triple in step["kept"][:_SHOWN]]
        return f"kept {len(step['kept'])}: {'; '.join(kept)}" if kept else "kept nothing"
    return ""


async def _some(entities: Sequence[str], labels: Labels) -> str:
    named = ", ".join(await labels(list(entities[:_SHOWN])))
    more = len(entities) - _SHOWN
    return f"{named} and {more} more" if more > 0 else named


async def _triple(triple: Sequence[str], labels: Labels) -> str:
    head, tail = await labels([triple[0], triple[2]])
    return f"{head} {triple[1]} {tail}"


def _plain(written: Overwrite | list[dict[str, Any]] | None) -> list[dict[str, Any]]:
    """What a stage wrote to a channel that adds up, also where it began the channel anew."""
    return (written.value if isinstance(written, Overwrite) else written) or []
