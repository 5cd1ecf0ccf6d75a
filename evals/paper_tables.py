"""The tables and figures of the three papers: `trivium eval paper [ITEM [OPTIONS]]`.

Without an item, lists all. With one, prints the paper's figures, then runs the measurement that comes nearest, with the
options handed on; what cannot be run here says why (exit status 1). None of ours is the paper's own setting: what
differs is printed with it, and docs/reference/fidelity.md has it row by row.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

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
class PaperItem:
    """A table or figure.

    Attributes:
        title: what it shows.
        note: how ours differs, or why it cannot be run.
        figures: where its figures stand in `evals/papers/PAPER.yaml`; empty where the text has none.
        measurement: the measurement that comes nearest (`trivium.evals.registry`); empty where there is none.
        arguments: that it is run with.
    """

    title: str
    note: str
    figures: tuple[str, ...] = ()
    measurement: str = ""
    arguments: tuple[str, ...] = ()


_OTHER_SYSTEMS = "cannot be run: it compares other systems, whose code and models are not part of Trivium"
_CHOICES = "dev questions, the answer's column; name a chat model with --set model=openai:NAME, else none is asked"
_COUNTS = "of the sets that are here, most of them a split or half of one"
_NO_DATA = "cannot be run: its data is not here; trivium eval own scores question lines of any set"

ITEMS: Mapping[str, PaperItem] = {
    "keqing-table2": PaperItem("sizes of the data sets", _COUNTS, ("data_sets",), "questions"),
    "keqing-table3": PaperItem(
        "MetaQA, Hits@1", "dev, without a language model", ("results", "MetaQA"), "keqing-pairs", ("metaqa",)
    ),
    "keqing-table4": PaperItem(
        "WebQSP, F1",
        "one-hop training questions on FB15k-237 whose gold is their chain's result, in folds: not comparable",
        ("results", "WebQSP"),
        "keqing-pairs",
        ("webqsp",),
    ),
    "keqing-figure3": PaperItem("cases of GrailQA and WebQSP", _NO_DATA),
    "keqing-figure5": PaperItem(
        "templates per sub-question against F1",
        "other data, no language model; the text gives no figures",
        ("ablations", "templates_per_sub_question"),
        "keqing-templates",
    ),
    "keqing-figure6": PaperItem(
        "sub-questions against whole chains",
        "two classifiers in place of two LLaMAs, of which trivium learn lora BASE tunes the one that writes "
        "sub-questions; the text gives no figures",
        ("ablations", "sub_questions_or_chains"),
        "keqing-chains",
    ),
    "knowgpt-table1": PaperItem("accuracy on three sets", _CHOICES, ("results", "main"), "knowgpt-choices"),
    "knowgpt-table2": PaperItem("OpenBookQA's leaderboard", _OTHER_SYSTEMS, ("results", "leaderboard")),
    "knowgpt-table3": PaperItem(
        "ways to extract knowledge",
        f"{_CHOICES}; choose the row with --set prompt=direct|sub/sentences|rl/sentences",
        ("results", "extraction"),
        "knowgpt-choices",
    ),
    "knowgpt-table4": PaperItem(
        "formats of the prompt",
        f"{_CHOICES}; choose the row with --set prompt=ARM, such as sub/graph",
        ("results", "formats"),
        "knowgpt-choices",
    ),
    "knowgpt-table5": PaperItem("sizes of the data sets", _COUNTS, ("data_sets",), "questions"),
    "knowgpt-table7": PaperItem("fine-tuned language models", _OTHER_SYSTEMS, ("results", "fine_tuned")),
    "knowgpt-table8": PaperItem(
        "formats by type of question",
        "a simulation: the table goes in as the arms' chances, so nothing of it is reproduced",
        ("results", "question_types"),
        "knowgpt-table8",
    ),
    "knowgpt-figure3": PaperItem("a case", "cannot be run: its subgraph and the model's version are not published"),
    "oda-table1": PaperItem("sizes of the data sets", _COUNTS, ("data_sets",), "questions"),
    "oda-table2": PaperItem(
        "Hits@1 on four sets",
        "on a thin slice of Wikidata with few facts of QALD10-en and CREAK, without a model: not comparable",
        ("results",),
        "oda",
    ),
    "oda-table3": PaperItem(
        "without observation, other reflections",
        "three of four variants, without a model, on other sets: not comparable",
        ("ablations", "observation_and_reflection"),
        "oda",
    ),
    "oda-table4": PaperItem(
        "three chat models",
        "cannot be run: it takes three chat models, which trivium eval compare --method oda --model A --model B asks",
        ("ablations", "models"),
    ),
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
            how = f"trivium eval {' '.join((item.measurement, *item.arguments))}" if item.measurement else "-"
            print(f"{name:16} {item.title:40} {how}")
        return 0
    name, *options = given
    if name not in ITEMS:
        raise UsageError(f"unknown table or figure {name!r}; there are {', '.join(ITEMS)}")
    item = ITEMS[name]
    print(f"{name}: {item.title}")
    if item.figures:
        print("\nthe paper:")
        print("\n".join(shown(reduce(lambda part, key: part[key], item.figures, paper(name.partition("-")[0])))))
    print(f"\nours: {item.note}", flush=True)
    if not item.measurement:
        return 1
    from trivium.evals.registry import measurement

    return measurement(item.measurement).run([*item.arguments, *options])
