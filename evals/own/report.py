"""The report of `trivium eval own`, as text and as an HTML page."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trivium.evals.intervals import Interval, interval, sign_test
from trivium.evals.own.causes import MENDS
from trivium.evals.own.runs import Run, RunAnswer, disagreements, said
from trivium.kg.html_page import HtmlPage, Point
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.spending import Spending, named_price

_CELL = 60  # characters of a cell in the text report


class ReportTable(NamedTuple):
    """A table; for a chart beside it `bars` holds (label, share in [0, 1], text), or `points` a plot over `across`."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    bars: Sequence[tuple[str, float, str]] = ()
    points: Sequence[Point] = ()
    across: str = ""


def text_report(runs: Sequence[Run], before: Sequence[Run] = (), *, limit: int = 10, seed: int = 0) -> str:
    """All tables as text; at most `limit` questions a cause."""
    return "\n\n".join(_aligned(table) for table in tables(runs, before, limit=limit, seed=seed))


def html_page(kg: str, runs: Sequence[Run], before: Sequence[Run] = (), *, seed: int = 0) -> str:
    """All tables in full, with charts."""
    page = HtmlPage(f"Questions over {kg}")
    for table in tables(runs, before, limit=None, seed=seed):
        page.heading(table.title)
        if table.bars:
            page.bars(table.bars, full=1.0)
        if table.points:
            page.points(table.points, table.across, "Hits@1 %")
        page.table(table.columns, table.rows)
    return str(page)


def tables(
    runs: Sequence[Run], before: Sequence[Run] = (), *, limit: int | None = None, seed: int = 0
) -> Iterator[ReportTable]:
    """The report's tables; those without a row are left out."""
    found = [
        _methods(runs, seed),
        _measures(runs, seed),
        _paired(runs, seed),
        _kinds(runs),
        _calibration(runs),
        *_compared(runs, before, seed),
        *(_errors(runs[0], limit) if runs else ()),
        _disagreeing(runs, limit),
    ]
    return (table for table in found if table.rows)


def _methods(runs: Sequence[Run], seed: int) -> ReportTable:
    rows, bars = [], []
    for run in runs:
        figures = run.figures(seed)
        error = figures["calibration"]
        rows.append(
            (
                run.name,
                str(figures["n"]),
                str(figures["hits"]),
                str(figures["f1"]),
                str(figures["withheld"]),
                f"{figures['false_claims']} of {figures['unanswerable']}",
                "-" if error is None else f"{error:.2f}",
                f"{1000 * figures['seconds']:.0f}",
                f"{figures['calls']} / {figures['tokens']:,}",
            )
        )
        bars.append((run.name, figures["hits"].mean, str(figures["hits"])))
    columns = (
        "method", "n", "Hits@1 % [95 %]", "F1 % [95 %]", "withheld", "false claims", "calibration error",
        "ms (median)", "calls / tokens",
    )  # fmt: skip
    return ReportTable("Methods", columns, rows, bars)


def _measures(runs: Sequence[Run], seed: int) -> ReportTable:
    """What papers mean by right, and what a question cost; of one run without a model nothing beside its first row."""
    if len(runs) < 2 and all(run.model == NO_MODEL for run in runs):
        return ReportTable("Measures", (), ())
    rows = []
    for run in runs:
        asked, usage = run.answerable, [each.answer["usage"] for each in run.answers]
        values = [each.score.top1 for each in asked if each.kind in ("number", "yes or no")]
        model = run.model != NO_MODEL
        cost = _cost(run)
        rows.append(
            (
                run.name,
                str(interval([each.contains for each in asked], seed)),
                f"{100 * _share([each.score.any_hit for each in asked]):.1f}",
                f"{100 * _share(values):.1f} of {len(values)}" if values else "-",
                f"{100 * _share([each.stands_in for each in run.answers]):.1f}" if model else "-",
                f"{_share([each['llm_calls'] for each in usage]):.2f}",
                f"{_tokens(run):,.0f}",
                f"{cost:.5f}" if cost else "-",
            )
        )
    columns = (
        "method", "contained % [95 %]", "any hit %", "values right %", "stand-in %", "calls / question",
        "tokens / question", "cost / question",
    )  # fmt: skip
    across, spent = _spent(runs)
    hits = [run.figures(seed)["hits"] for run in runs]
    points = [
        Point(run.name, x, each.mean, each.low, each.high) for run, x, each in zip(runs, spent, hits, strict=True)
    ]
    title = "Measures (contained: Hits@1 as ODA and ToG count it)"
    return ReportTable(title, columns, rows, points=points, across=across)


def _spent(runs: Sequence[Run]) -> tuple[str, list[float]]:
    """What a question costs each run, in the first measure that all have: price, tokens, or time without a model."""
    costs = [_cost(run) for run in runs]
    known = [cost for cost in costs if cost is not None]
    if len(known) == len(runs) and any(known):
        return "cost a question", known
    if any(tokens := [_tokens(run) for run in runs]):
        return "tokens a question", tokens
    return "ms a question, median", [1000 * run.figures()["seconds"] for run in runs]


def _tokens(run: Run) -> float:
    usage = [each.answer["usage"] for each in run.answers]
    return _share([each["prompt_tokens"] + each["completion_tokens"] for each in usage])


def _cost(run: Run) -> float | None:
    """The mean price of a question by `[prices]` of trivium.toml, 0 without a model; None where it has none for it."""
    if run.model == NO_MODEL:
        return 0.0
    if (price := named_price(run.model)) is None:
        return None
    spent, usage = Spending(price=price), [each.answer["usage"] for each in run.answers]
    return _share([spent.cost(each["prompt_tokens"], each["completion_tokens"]) for each in usage])


def _paired(runs: Sequence[Run], seed: int) -> ReportTable:
    """Each run against the first one on the same questions."""
    rows = []
    for run in runs[1:]:
        pairs = [(a.score.top1, b.score.top1) for a, b in zip(runs[0].scored, run.scored, strict=True)]
        won, lost = sum(b > a for a, b in pairs), sum(b < a for a, b in pairs)
        difference = _signed(interval([b - a for a, b in pairs], seed, signed=True))
        rows.append((run.name, str(len(pairs)), difference, str(won), str(lost), f"{sign_test(won, lost):.3g}"))
    first = runs[0].name if runs else ""
    columns = ("method", "n", "right, points [95 %]", "won", "lost", "p (sign test)")
    return ReportTable(f"Beside {first}, question by question", columns, rows)


def short_report(runs: Sequence[Run], *, seed: int = 0) -> str:
    """The figures as text, without questions."""
    return "\n\n".join(map(_aligned, _figures(runs, seed)))


def markdown(runs: Sequence[Run], *, seed: int = 0) -> str:
    """The figures as Markdown tables, without questions."""
    return "\n\n".join(
        "\n".join([f"**{table.title}**", "", *(f"| {' | '.join(row)} |" for row in _with_rule(table))])
        for table in _figures(runs, seed)
    )


def csv_text(runs: Sequence[Run], *, seed: int = 0) -> str:
    """The figures as CSV: a row a method and measure."""
    out = io.StringIO()
    written = csv.writer(out, lineterminator="\n")
    written.writerow(("table", "method", "measure", "value"))
    for table in _figures(runs, seed):
        for name, *cells in table.rows:
            written.writerows((table.title, name, *pair) for pair in zip(table.columns[1:], cells, strict=True))
    return out.getvalue()


def _figures(runs: Sequence[Run], seed: int) -> list[ReportTable]:
    return [table for table in (_methods(runs, seed), _measures(runs, seed), _paired(runs, seed)) if table.rows]


def _with_rule(table: ReportTable) -> Iterator[Sequence[str]]:
    yield table.columns
    yield ["---"] * len(table.columns)
    yield from table.rows


def _kinds(runs: Sequence[Run]) -> ReportTable:
    """Hits@1 by kind of question; the best method of a kind is marked, several where they are equal."""
    grouped = [run.by(lambda each: each.kind) for run in runs]
    rows = []
    for kind, group in grouped[0].items() if grouped else ():
        shares = [_share([each.score.top1 for each in by_kind[kind]]) for by_kind in grouped]
        marked = [f"{100 * share:.0f}{' *' if share == max(shares) > 0 else ''}" for share in shares]
        rows.append((kind, str(len(group)), *marked))
    return ReportTable("Hits@1 % by kind (* best)", ("kind", "n", *(run.name for run in runs)), rows)


def _calibration(runs: Sequence[Run]) -> ReportTable:
    rows, bars = [], []
    for confidence, right, count in runs[0].bins() if runs else ():
        rows.append((f"{confidence:.2f}", f"{right:.2f}", str(count)))
        bars.append((f"confidence {confidence:.2f}", right, f"{right:.2f} right of {count}"))
    name = runs[0].name if runs else ""
    return ReportTable(f"Confidence and share right: {name}", ("confidence", "right", "claims"), rows, bars)


def _errors(run: Run, limit: int | None) -> Iterator[ReportTable]:
    """The errors of a run by cause: one table that counts them, one with the questions."""
    groups = {cause: group for cause, group in run.by(lambda each: each.cause).items() if cause}
    counted = [(cause, str(len(group)), MENDS.get(cause, "")) for cause, group in groups.items()]
    yield ReportTable(f"Errors by cause: {run.name}", ("cause", "n", "to mend"), counted)
    for cause, group in groups.items():
        rows = [_miss(each) for each in group[:limit]]
        more = f", {limit} of {len(group)}" if limit and len(group) > limit else ""
        yield ReportTable(f"{cause}{more}", ("id", "question", "said", "gold"), rows)


def _miss(each: RunAnswer) -> tuple[str, ...]:
    gold = ", ".join(each.question.answers[:4]) or "(nothing)"
    return each.question.id, each.question.question, said(each.answer), gold


def _disagreeing(runs: Sequence[Run], limit: int | None) -> ReportTable:
    rows = []
    for question, voices in disagreements(runs)[:limit]:
        rows.append((question.id, question.question, "; ".join(f"{name}: {text}" for name, text in voices.items())))
    return ReportTable("Methods disagree", ("id", "question", "claims"), rows)


def _compared(runs: Sequence[Run], before: Sequence[Run], seed: int) -> Iterator[ReportTable]:
    """What changed since another run: paired differences, and the questions that were won and lost."""
    rows: list[tuple[str, ...]] = []
    changed: list[tuple[str, ...]] = []
    for run in runs:
        old = next((each for each in before if (each.method, each.model) == (run.method, run.model)), None)
        if old is None:
            continue
        known = {each.question.question: each for each in old.scored}
        pairs = [(known[each.question.question], each) for each in run.scored if each.question.question in known]
        moved = [(was, now) for was, now in pairs if was.score.top1 != now.score.top1]
        won = sum(now.score.top1 > was.score.top1 for was, now in moved)
        difference = interval([now.score.top1 - was.score.top1 for was, now in pairs], seed, signed=True)
        rows.append((run.name, str(len(pairs)), _signed(difference), str(won), str(len(moved) - won)))
        for was, now in moved:
            mark = "won" if now.score.top1 > was.score.top1 else "lost"
            changed.append((run.name, mark, now.question.question, said(was.answer), said(now.answer)))
    yield ReportTable("Since the other run", ("method", "n", "right, points [95 %]", "won", "lost"), rows)
    yield ReportTable("Questions that changed", ("method", "", "question", "before", "now"), changed)


def changed_answers(before: Run, now: Run) -> list[tuple[str, str, str, str]]:
    """The questions of two runs whose answers differ: won, lost or changed, question, answer before, answer now."""
    rows = []
    for was, each in zip(before.answers, now.answers, strict=True):
        moved = each.score.top1 - was.score.top1 if each.question.labeled else 0.0
        mark = "won" if moved > 0 else "lost" if moved < 0 else "changed"
        if _content(was.answer) != _content(each.answer) or moved:
            rows.append((mark, each.question.question, said(was.answer), said(each.answer)))
    return rows


def _content(answer: Answer) -> tuple[object, ...]:
    """What an answer claims, whatever the order of its entities."""
    ids = sorted(item["id"] for item in answer["answers"])
    return ids, answer["value"], answer["values"] if not ids else [], answer["choice"], answer["stop_reason"]


def _signed(difference: Interval) -> str:
    return f"{100 * difference.mean:+.1f} [{100 * difference.low:+.1f}, {100 * difference.high:+.1f}]"


def _share(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _aligned(table: ReportTable) -> str:
    rows = [tuple(" ".join(_cut(cell).split()) for cell in row) for row in table.rows]
    widths = [max(map(len, column)) for column in zip(table.columns, *rows, strict=True)]
    drawn = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (table.columns, *rows)
    )
    return "\n".join([table.title, *map(str.rstrip, drawn)])


def _cut(text: str) -> str:
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"
