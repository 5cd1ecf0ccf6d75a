"""The tables and figures of the three papers: `trivium eval paper [ITEM [OPTIONS]]`.

Without an item, lists all. With one, prints the paper's figures, then runs the measurement that comes nearest, with the
options handed on; what cannot be run here says why (exit status 1). None of ours is the paper's own setting: what
differs is printed with it, and docs/reference/fidelity.md has it row by row.

With `--model NAME` (once or more) the rows are asked of chat models, by `preset=paper`, on the table's own sets as far
as they are in the folder of the data, over a KG that you build of it:
`trivium eval paper ITEM --model NAME --kg KG [--n 100] [--only SET] [--set NAME=VALUE] [--jobs N] [--keep DIR]`.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

from trivium.evals.datasets import SETS, read_set
from trivium.evals.metaqa import HOPS, data_folder, spread
from trivium.kg.errors import UsageError

_FOLDER = Path(__file__).with_name("papers")


def paper(name: str) -> dict[str, Any]:
    """The settings and results of a paper by its file's name, such as `knowgpt`.

    Raises:
        UsageError: PyYAML, which the extra `dev` brings, is not installed, or no such paper is there.
    """
    try:
        import yaml
    except ModuleNotFoundError:
        raise UsageError("reading the papers' figures needs PyYAML: pip install '.[dev]'") from None
    path = _FOLDER / f"{name}.yaml"
    if not path.is_file():
        raise UsageError(f"no paper {name!r}; there are {', '.join(sorted(p.stem for p in _FOLDER.glob('*.yaml')))}")
    read: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return read


@dataclass(frozen=True, slots=True)
class WithModels:
    """How the rows of a table are asked of chat models.

    Attributes:
        method: ours.
        sets: the data sets, by their titles in `trivium.evals.datasets.SETS`.
        rows: the settings of each row, beside `preset=paper`.
        baselines: rows without a method of ours.
    """

    method: str
    sets: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ((),)
    baselines: tuple[str, ...] = ("direct",)


@dataclass(frozen=True, slots=True)
class PaperItem:
    """A table or figure.

    Attributes:
        title: what it shows.
        note: how ours differs, or why it cannot be run.
        figures: where its figures stand in `evals/papers/PAPER.yaml`; empty where the text has none.
        measurement: the measurement that comes nearest (`trivium.evals.registry`); empty where there is none.
        arguments: that it is run with.
        shows: a command of `trivium` that shows what the item does, where it measures nothing.
        models: how it is asked of chat models, where it is.
    """

    title: str
    note: str
    figures: tuple[str, ...] = ()
    measurement: str = ""
    arguments: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    models: WithModels | None = None


_OTHER_SYSTEMS = "cannot be run: it compares other systems, whose code and models are not part of Trivium"
_CHOICES = (
    "dev questions, without a language model; --model openai:NAME --kg KG asks one, with the model alone beside it"
)
_COUNTS = "of the sets that are here, most of them a split or half of one"
_SHOWN = "measures nothing"
_FANG = "Where are both The Call of the Wild and White Fang set?"
_TOKYO = "What is the capital of the prefecture Tokyo?"
_METAQA = tuple(f"MetaQA {hops}-hop dev" for hops in HOPS)
_CHOOSING = ("CommonsenseQA in-house dev", "OpenBookQA dev", "MedQA dev")
_ARMS = tuple((f"prompt={of}/{form}",) for of in ("sub", "rl") for form in ("triples", "sentences", "graph"))
_WIKIDATA = ("QALD10-en", "CREAK", "T-REx", "Zero-Shot RE")
_NO_DATA = "cannot be run: its data is not here; trivium eval own scores question lines of any set"

ITEMS: Mapping[str, PaperItem] = {
    "keqing-figure1": PaperItem("the workflow", _SHOWN, shows=("draw", "keqing")),
    "keqing-figure2": PaperItem(
        "sub-questions to templates and chains",
        _SHOWN,
        shows=("tool", "match_templates", '{"sub_question": "who made the movie [mask]?"}', "--kg", "sample"),
    ),
    "keqing-table1": PaperItem("the prompts", _SHOWN, shows=("prompts", "keqing_decompose")),
    "keqing-table2": PaperItem("sizes of the data sets", _COUNTS, ("data_sets",), "questions", ("--only", "MetaQA")),
    "keqing-table3": PaperItem(
        "MetaQA, Hits@1",
        "dev, without a language model; --model openai:NAME --kg KG asks one",
        ("results", "MetaQA"),
        "keqing-pairs",
        ("metaqa",),
        models=WithModels("keqing", _METAQA),
    ),
    "keqing-table4": PaperItem(
        "WebQSP, F1",
        "one-hop training questions on FB15k-237 whose gold is their chain's result, in folds: not comparable",
        ("results", "WebQSP"),
        "keqing-pairs",
        ("webqsp",),
    ),
    "keqing-figure3": PaperItem("cases of GrailQA and WebQSP", _NO_DATA),
    "keqing-figure4": PaperItem(
        "compound values are flattened", "measures nothing; nodes/keqing/reason/evidence.py and its test do it"
    ),
    "keqing-figure5": PaperItem(
        "templates per sub-question against F1",
        "other data, no language model; the text gives no figures; --model openai:NAME --kg KG asks one, on MetaQA",
        ("ablations", "templates_per_sub_question"),
        "keqing-templates",
        models=WithModels(
            "keqing", _METAQA, tuple((f"templates_per_sub_question={count}",) for count in (1, 3, 5, 10)), ()
        ),
    ),
    "keqing-figure6": PaperItem(
        "sub-questions against whole chains",
        "two classifiers in place of two LLaMAs; --base MODEL fine-tunes one language model to write sub-questions and "
        "one to write chains (a small base: docs/how-to/lora.md); the text gives no figures",
        ("ablations", "sub_questions_or_chains"),
        "keqing-chains",
    ),
    "knowgpt-table1": PaperItem(
        "accuracy on three sets",
        _CHOICES,
        ("results", "main"),
        "knowgpt-choices",
        models=WithModels("knowgpt", _CHOOSING),
    ),
    "knowgpt-table2": PaperItem("OpenBookQA's leaderboard", _OTHER_SYSTEMS, ("results", "leaderboard")),
    "knowgpt-table3": PaperItem(
        "ways to extract knowledge",
        _CHOICES,
        ("results", "extraction"),
        "knowgpt-choices",
        models=WithModels("knowgpt", _CHOOSING, (("prompt=sub/sentences",), ("prompt=rl/sentences",))),
    ),
    "knowgpt-table4": PaperItem(
        "formats of the prompt",
        f"{_CHOICES}; the last row is the bandit's choice, after trivium learn bandit",
        ("results", "formats"),
        "knowgpt-choices",
        models=WithModels("knowgpt", _CHOOSING, (*_ARMS, ("prompt=auto",))),
    ),
    "knowgpt-figure1": PaperItem("an answer with and without a KG", "measures nothing; a picture of the idea"),
    "knowgpt-figure2": PaperItem("the framework", _SHOWN, shows=("draw", "knowgpt")),
    "knowgpt-table5": PaperItem(
        "sizes of the data sets",
        _COUNTS,
        ("data_sets",),
        "questions",
        ("--only", "CommonsenseQA", "--only", "OpenBookQA", "--only", "MedQA"),
    ),
    "knowgpt-table6": PaperItem("links to the baselines' sources", "measures nothing; other systems"),
    "knowgpt-table7": PaperItem("fine-tuned language models", _OTHER_SYSTEMS, ("results", "fine_tuned")),
    "knowgpt-table8": PaperItem(
        "formats by type of question",
        "a simulation: the table goes in as the arms' chances, so nothing of it is reproduced",
        ("results", "question_types"),
        "knowgpt-table8",
    ),
    "knowgpt-figure3": PaperItem("a case", "cannot be run: its subgraph and the model's version are not published"),
    "oda-figure1": PaperItem("observation in the KG", "measures nothing; a picture of the idea"),
    "oda-figure2": PaperItem("the framework", _SHOWN, shows=("draw", "oda")),
    "oda-figure3": PaperItem(
        "an observation",
        _SHOWN,
        shows=(
            "tool",
            "observe",
            '{"question": "who directed Casablanca?", "entities": ["Casablanca"], "top_n": 8}',
            "--kg",
            "sample",
        ),
    ),
    "oda-table1": PaperItem(
        "sizes of the data sets",
        _COUNTS,
        ("data_sets",),
        "questions",
        tuple(part for title in _WIKIDATA for part in ("--only", title)),
    ),
    "oda-table2": PaperItem(
        "Hits@1 on four sets",
        "on a thin slice of Wikidata with few facts of QALD10-en and CREAK, without a model: not comparable; "
        "--model openai:NAME --kg KG asks one",
        ("results",),
        "oda",
        models=WithModels("oda", _WIKIDATA, baselines=("direct", "cot")),
    ),
    "oda-table3": PaperItem(
        "without observation, other reflections",
        "three of four variants, without a model, on other sets: not comparable; --model openai:NAME --kg KG asks one",
        ("ablations", "observation_and_reflection"),
        "oda",
        models=WithModels(
            "oda",
            _WIKIDATA,
            (
                ("observation=false",),
                *((f"reflection={how}",) for how in ("similarity", "random", "generated_fact")),
                (),
            ),
            (),
        ),
    ),
    "oda-table4": PaperItem(
        "three chat models",
        "cannot be run without a chat model: --model A --model B --model C --kg KG asks those that you name",
        ("ablations", "models"),
        models=WithModels("oda", ("T-REx", "QALD10-en")),
    ),
    "oda-table5": PaperItem("a case of reflection", _SHOWN, shows=("ask", _TOKYO, "--method", "oda")),
    "oda-table6": PaperItem("a case of observation", _SHOWN, shows=("ask", _FANG, "--method", "oda")),
    "oda-table7": PaperItem("the prompt of an action", _SHOWN, shows=("prompts", "oda_act")),
    "oda-table8": PaperItem("the prompt of a reflection", _SHOWN, shows=("prompts", "oda_reflect")),
    "oda-cost": PaperItem("seconds a question, time of extraction", "another graph", ("cost",), "bench"),
}


def shown(figures: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a part of a paper's file: a table where it has columns, else a line a key."""
    columns = figures.get("columns")
    rows = figures.get("rows", figures)
    if columns:
        yield f"{'':34} " + "  ".join(f"{column:>14}" for column in columns)
    for name, cells in rows.items():
        if isinstance(cells, list) and name != "columns":
            yield f"{name:34} " + "  ".join(f"{'-' if cell is None else cell:>14}" for cell in cells)
        elif isinstance(cells, dict):
            yield f"{name:34} {', '.join(f'{key} {value}' for key, value in cells.items())}"
        elif name != "columns":
            yield f"{name:34} {cells}"


def main(arguments: Sequence[str] | None = None) -> int:
    """List the items, or print and run one; 1 where it cannot be run. Raises as `paper`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help"):
        print(__doc__)
        for name, item in ITEMS.items():
            print(f"{name:16} {item.title:40} {_how(item)}")
        return 0
    name, *options = given
    if name not in ITEMS:
        raise UsageError(f"unknown table or figure {name!r}; there are {', '.join(ITEMS)}")
    item = ITEMS[name]
    print(f"{name}: {item.title}")
    if item.figures:
        print("\nthe paper:")
        print("\n".join(shown(reduce(lambda part, key: part[key], item.figures, paper(name.partition("-")[0])))))
    if item.models and any(option.partition("=")[0] == "--model" for option in options):
        return _ask_models(name, item.models, options)
    print(f"\nours: {item.note}", flush=True)
    if item.shows:
        return subprocess.run([sys.executable, "-m", "trivium", *item.shows, *options], check=False).returncode
    if not item.measurement:
        return 0 if item.note.startswith(_SHOWN) else 1
    from trivium.evals.registry import measurement

    return measurement(item.measurement).run([*item.arguments, *options])


def _how(item: PaperItem) -> str:
    words = ("eval", item.measurement, *item.arguments) if item.measurement else item.shows
    return f"trivium {' '.join(words)}" if words else "with --model" if item.models else "-"


def _ask_models(name: str, how: WithModels, options: Sequence[str]) -> int:
    """Ask the rows of a table of chat models, set by set; raises as `ask_all`, `UsageError` where no set is here."""
    from trivium.evals.own import ask_all  # loads the graphs
    from trivium.evals.own.report import short_report

    parser = argparse.ArgumentParser(prog=f"trivium eval paper {name}")
    parser.add_argument("--model", action="append", required=True, metavar="NAME", help="a chat model; repeat")
    parser.add_argument("--kg", required=True, help="the KG, built of the data's triples")
    parser.add_argument("--data", type=Path, default=data_folder(), help="the folder of the data")
    parser.add_argument("--n", type=int, default=100, help="questions of each set, evenly spread")
    parser.add_argument("--only", action="append", default=[], metavar="SET", help="sets whose title begins so")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting; comes first")
    parser.add_argument("--jobs", type=int, metavar="N", help="questions at a time (16)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep answers as they come; run again, it goes on")
    given = parser.parse_args(options)
    wanted = [title for title in how.sets if not given.only or title.startswith(tuple(given.only))]
    here = [title for title in wanted if given.data and (given.data / SETS[title][1]).is_file()]
    if not here:
        raise UsageError(
            f"none of {', '.join(wanted or how.sets)} is in the folder of the data: --data or TRIVIUM_DATA"
        )
    print(f"\nours, by preset=paper: {given.n} questions of each set at most, evenly spread, on {given.kg}", flush=True)
    for title, (place, row) in product(here, enumerate(how.rows)):
        questions = list(spread(read_set(given.data, title, names=True), given.n))
        asked_of = list(product([how.method, *(how.baselines if not place else ())], given.model))
        keep = given.keep and given.keep / title / (row[0].replace("/", "-") if row else "as the paper")
        settings = ["preset=paper", *row, *given.set]
        runs = asyncio.run(ask_all(questions, given.kg, asked_of, settings, given.jobs, keep=keep))
        print(f"\n{title}{''.join(f', {each}' for each in row)}\n{short_report(runs)}", flush=True)
    return 0
