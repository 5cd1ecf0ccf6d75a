"""Every command of the documentation is run, page by page, or says what it needs that a test has not.

The pages share the tests' cache, where the bundled sample is learned once: half a minute of CPU.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs_blocks import PAGES, ROOT, read_page, run_page

RUN = [page for page in PAGES if read_page(page.read_text(encoding="utf-8")).run]
_WITHOUT = [page for page in RUN if read_page(page.read_text(encoding="utf-8")).needs != "neo4j"]
_NEO4J = [page for page in RUN if page not in _WITHOUT]


@pytest.mark.slow
@pytest.mark.parametrize("page", _WITHOUT, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_runs_from_start_to_end(page: Path, tmp_path: Path) -> None:
    read = read_page(page.read_text(encoding="utf-8"))
    if read.needs and find_spec(read.needs) is None:
        pytest.skip(f"{page.name} needs {read.needs}")
    run_page(read, tmp_path / "newcomer")


@pytest.mark.slow
@pytest.mark.parametrize("page", _NEO4J, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_on_neo4j_runs(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    address = request.getfixturevalue("neo4j_address")
    login = {"TRIVIUM_NEO4J_USER": address.user or "", "TRIVIUM_NEO4J_PASSWORD": address.password or ""}
    read = read_page(page.read_text(encoding="utf-8").replace("bolt://localhost:7687", address.uri))
    run_page(read, tmp_path / "newcomer", login)
