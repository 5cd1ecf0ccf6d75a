"""The runner of documentation: commands stand in fenced blocks, what is not run has a reason, a failure is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs_blocks import PAGES, REASONS, ROOT, Block, read_page, run_page, unfenced_commands

PAGE = """# A page

<!-- setup
echo hidden > file
-->

```bash
cat file
export WHO=me
```

```text
false
```

<!-- not run: a chat model -->

```bash
false
```

```bash
echo "$WHO" >> file; cat file
```
"""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_stand_in_blocks_that_are_run_or_say_why_not(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert unfenced_commands(text) == []
    assert {block.reason for block in read_page(text).blocks} <= {"", *REASONS}


def test_a_page_runs_as_one_shell(tmp_path: Path) -> None:
    page = read_page(PAGE)
    assert [block.reason for block in page.blocks] == ["", "", "a chat model", ""]
    printed = run_page(page, tmp_path / "x")
    assert printed.splitlines() == ["::line 3", "::line 7", "hidden", "::line 22", "hidden", "me"]


def test_a_failure_names_its_block(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="line 7\nhidden\nlast words"):
        run_page(read_page(PAGE.replace("export WHO=me", "echo last words; false")), tmp_path / "x")
    assert read_page(PAGE).blocks[0] == Block(3, "echo hidden > file")


def test_indented_commands_are_found() -> None:
    assert unfenced_commands("text\n\n    trivium ask x\n    more\n\n    [kg]\n") == ["trivium"]
    assert unfenced_commands("text\n\n```bash\n\n    trivium ask x\n```\n") == []
