"""`trivium eval paper`: every item names figures and a measurement that exist, and prints the paper's figures."""

from __future__ import annotations

from functools import reduce

import pytest

from trivium.evals import registry
from trivium.evals.paper_tables import ITEMS, main, paper, shown
from trivium.kg.errors import UsageError


def test_every_item_has_figures_or_a_reason_and_a_measurement_that_exists() -> None:
    for name, item in ITEMS.items():
        figures = reduce(lambda part, key: part[key], item.figures, paper(name.partition("-")[0]))
        assert not item.figures or list(shown(figures)), name
        assert item.measurement in {"", *registry.MEASUREMENTS}, name
        assert bool(item.measurement) != item.note.startswith("cannot be run"), name


def test_the_papers_figures_stand_beside_ours(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = list[tuple[str, ...]]()

    def run(self: registry.Measurement, arguments: list[str]) -> int:
        ran.append((self.module, *arguments))
        return 3

    monkeypatch.setattr(registry.Measurement, "run", run)
    assert main(["keqing-table3", "--folds", "2"]) == 3
    assert ran == [("trivium.evals.pair_curves", "metaqa", "--folds", "2")]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines if line.startswith("Keqing-LLaMA")] == [
        ["Keqing-LLaMA", "98.4", "99.9", "99.6"]
    ]
    assert main(["knowgpt-table2"]) == 1
    assert "other systems" in capsys.readouterr().out
    with pytest.raises(UsageError, match="unknown table or figure 'keqing-table9'"):
        main(["keqing-table9"])
