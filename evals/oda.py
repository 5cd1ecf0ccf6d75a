"""ODA without a model: Hits@1 on six sets, with each rule of its choice left out in turn: `trivium eval oda`.

The topic is given, as in the paper. The paper's four sets are asked on the Wikidata slice, a declared substitute for
its 3-hop extract with thinner neighborhoods: T-REx and Zero-Shot RE are easy there, and it holds hardly any fact that
QALD10-en or CREAK ask for. WebQSP on FB15k-237 has the chains' own results as answers (`trivium.evals.webqsp`). None of
it is comparable with the paper's figures.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from trivium.evals.ablations.asking import made_kg, need_data
from trivium.evals.datasets import read_set
from trivium.evals.metaqa import HOPS, is_held_out, read_metaqa, spread
from trivium.evals.metrics import Score, ask, mean
from trivium.evals.webqsp import read_webqsp
from trivium.graphs.oda import graph
from trivium.kg.loaders import Question
from trivium.knowledge.knowledge import close_all, open_knowledge
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.run.operator import own_runs
from trivium.policies.oda.similarity_choice import ChoiceRules, RelationNames

_LIVELY = 40  # characters of a row's name

Variant = tuple[str, ChoiceRules, dict[str, object]]
"""A name, the rules of the choice, and settings of the run."""

VARIANTS: tuple[Variant, ...] = (
    ("as it is", ChoiceRules(), {}),
    ("relations by their whole names", ChoiceRules(own_names=False), {}),
    ("entities' names left in the question", ChoiceRules(leave_names_out=False), {}),
    ("inverse hops cost nothing", ChoiceRules(inverse_cost=0.0), {}),
    ("any word speaks for any hop", ChoiceRules(word_likeness=-1.0), {}),
    ("without observation (section 4.1)", ChoiceRules(), {"observation": False}),
    ("similarity of triples (section 4.2)", ChoiceRules(), {"reflection": "similarity"}),
    ("random triples (section 4.2)", ChoiceRules(), {"reflection": "random"}),
)


_PAPERS = ("Zero-Shot RE", "T-REx", "QALD10-en", "CREAK")


def question_sets(data: Path, count: int) -> list[tuple[str, str, list[Question]]]:
    """Name, KG and questions of each set; WebQSP's in two halves, the others `count` each."""
    webqsp = read_webqsp(data, topics=True)
    sets = [("WebQSP, even", "fb15k237", webqsp[::2]), ("WebQSP, odd", "fb15k237", webqsp[1::2])]
    sets += [(title, "wikidata_slice", spread(read_set(data, title, names=True), count)) for title in _PAPERS]
    for hops in HOPS:
        held_out = [question for question in read_metaqa(data, hops, topics=True) if is_held_out(question)]
        sets.append((f"MetaQA {hops}-hop", "metaqa", spread(held_out, count)))
    return sets


async def mean_score(questions: Sequence[Question], context: OdaContext, rules: ChoiceRules) -> Score:
    """The mean score of some questions under these settings and rules."""
    knowledge = await open_knowledge(context.kg)
    knowledge.relation_names = RelationNames(knowledge.embedder, rules)
    return mean(each.score for each in await ask(graph, questions, context))


async def measure(data: Path, count: int, tell: Callable[[str], None]) -> None:
    """Tell a row a variant: Hits@1 of every set, in percent; of the first variant F1 as well."""
    sets = question_sets(data, count)
    folders = {kg: str(made_kg(kg, data)) for _, kg, _ in sets}
    tell(f"{'Hits@1, %':{_LIVELY}}" + "".join(f"{f'{name} ({len(asked)})':>22}" for name, _, asked in sets))
    try:
        for name, rules, settings in VARIANTS:
            scores = []
            for _, kg, asked in sets:
                context = OdaContext(kg=folders[kg], **settings)  # type: ignore[arg-type] # checked by the run itself
                scores.append(await mean_score(asked, context, rules))
            tell(f"{name:{_LIVELY}}" + "".join(f"{100 * score.top1:22.1f}" for score in scores))
            if name == VARIANTS[0][0]:
                tell(f"{'  F1 of the same':{_LIVELY}}" + "".join(f"{100 * score.f1:22.1f}" for score in scores))
    finally:
        await close_all()


@own_runs()
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and show; raises `TriviumError` where the data is not here."""
    parser = argparse.ArgumentParser(prog="trivium eval oda", description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder that holds oda/, fb15k237/, wikidata_slice/ and metaqa/")
    parser.add_argument("--count", type=int, default=200, help="questions of each set but WebQSP")
    given = parser.parse_args(arguments)
    asyncio.run(measure(need_data(given.data), given.count, lambda line: print(line, flush=True)))
    return 0
