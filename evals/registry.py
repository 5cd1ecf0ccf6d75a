"""The measurements that `trivium eval` lists and runs. A new one is a line here.

Each module offers `main(arguments: Sequence[str] | None) -> int | None`: it parses its own options, prints on stdout,
and raises `TriviumError` where it cannot be run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from trivium.kg.errors import UsageError


@dataclass(frozen=True, slots=True)
class Measurement:
    """Where a measurement is, what it says of itself, and the arguments that choose it within its module."""

    module: str
    summary: str
    chosen: tuple[str, ...] = ()

    def run(self, arguments: Sequence[str]) -> int:
        """Run it; returns its exit status."""
        status: int | None = import_module(self.module).main([*self.chosen, *arguments])
        return status or 0


_ABLATIONS = "trivium.evals.ablations.run"
MEASUREMENTS = {
    "own": Measurement("trivium.evals.own", "Your questions over your KG: all methods, intervals, errors by cause."),
    "compare": Measurement("trivium.evals.own", "The same: methods, models and baselines, paired by question."),
    "questions": Measurement(
        "trivium.evals.datasets", "Question lines from the files of MetaQA, WebQSP, QALD-10 and others, or a table."
    ),
    "paper": Measurement(
        "trivium.evals.paper_tables", "The papers' tables and figures: their numbers, then ours where they can be run."
    ),
    "sample": Measurement("trivium.evals.sample", "The bundled sample's test questions: Hits@1, F1, exact sets."),
    "own-graphs": Measurement(
        "trivium.evals.own_graphs", "Small graphs in users' manner, learned from their schema alone."
    ),
    "small-graphs": Measurement(
        "trivium.evals.small_graphs", "A hundred small graphs, questions in users' words by writers who saw no code."
    ),
    "removed-facts": Measurement(
        "trivium.evals.small_graphs.removed", "The same graphs without what their questions ask for: what is claimed."
    ),
    "fit-confidence": Measurement(
        "trivium.evals.fit_confidence", "Fit how sure a plan's answer is, and what that is worth on graphs left out."
    ),
    "load-server": Measurement(
        "trivium.evals.load_server", "A running server under load: what is lost or crossed, how long each run takes."
    ),
    "serving": Measurement(
        "trivium.evals.serving", "Asking through our routes, beside LangGraph's queue and the graph in process."
    ),
    "checkpoints": Measurement(
        "trivium.evals.checkpoints", "Bytes of checkpoints that a turn writes, and that 50 turns leave, by method."
    ),
    "bombs": Measurement(
        "trivium.evals.bombs", "32 questions made to cost processor time: what each takes of the event loop."
    ),
    "memory": Measurement(
        "trivium.evals.memory", "Memory that a process keeps over thousands of odd, or of distinct, questions."
    ),
    "kill-workers": Measurement(
        "trivium.evals.kill_workers", "Workers of a production server killed in mid-run: what becomes of the runs."
    ),
    "reproduce": Measurement(
        "trivium.evals.reproduce", "All measurements without a model, resumably; writes them into docs/results.md."
    ),
    "bench": Measurement("trivium.evals.bench.__main__", "Speed, each figure beside its yardstick."),
    "reader": Measurement("trivium.evals.reader", "The reader alone, from the schema, on every data set, in thirds."),
    "operators": Measurement(
        "trivium.evals.operators", "150 questions that compute: counts, bounds, extremes, and/or/not."
    ),
    "calibration": Measurement(
        "trivium.evals.calibration", "What confidence is worth on a KG: ECE, AUROC, risk against coverage."
    ),
    "prompts": Measurement(
        "trivium.evals.prompt_sizes", "Tokens of every prompt on your questions and KG; no model is asked."
    ),
    "keqing-templates": Measurement(_ABLATIONS, "Figure 5: templates per sub-question, K = 1 to 10.", ("templates",)),
    "keqing-chains": Measurement(_ABLATIONS, "Figure 6: sub-questions against whole chains.", ("chains",)),
    "keqing-supplement": Measurement(_ABLATIONS, "With and without dense triples beside the chains'.", ("supplement",)),
    "keqing-pairs": Measurement(
        "trivium.evals.pair_curves", "What 0 to all pairs are worth, on WebQSP in folds or MetaQA."
    ),
    "keqing-sure": Measurement(
        "trivium.evals.sure", "From which confidence of the decomposer a model need not be asked."
    ),
    "oda": Measurement(
        "trivium.evals.oda", "ODA without a model on four sets, and what each rule of its choice is worth."
    ),
    "knowgpt-choices": Measurement(
        "trivium.evals.choices", "CommonsenseQA, OpenBookQA and MedQA, with intervals; --set model=… asks one."
    ),
    "knowgpt-paths": Measurement(
        "trivium.evals.paths", "How good the paths of each policy are, on CommonsenseQA dev over ConceptNet."
    ),
    "knowgpt-starts": Measurement(
        "trivium.evals.path_starts", "What REINFORCE adds to each warm start of the path policy, on several seeds."
    ),
    "knowgpt-table8": Measurement(
        "trivium.evals.table8", "A simulation from table 8: the bandit learns which prompt suits a question."
    ),
}


def measurement(name: str) -> Measurement:
    """The measurement of that name; raises `UsageError`."""
    if name not in MEASUREMENTS:
        raise UsageError(f"unknown measurement {name!r}; there are {', '.join(MEASUREMENTS)}")
    return MEASUREMENTS[name]
