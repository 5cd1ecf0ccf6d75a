"""The built wheel, in a folder whose own packages have the names of our rooms: only `trivium` is installed and used."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from langgraph_sdk import get_client

from tests.integration.conftest import ROOT, serving

ROOMS = ("app", "evals", "graphs", "knowledge", "kg", "nodes", "policies", "tools")
QUESTION = "who founded Google?"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the tracked files and unpacked as `pip install --target` would."""
    if importlib.util.find_spec("setuptools") is None:
        pytest.skip("setuptools is not installed here; pip would fetch it")
    source, out = tmp_path_factory.mktemp("source") / "trivium", tmp_path_factory.mktemp("dist")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if (ROOT / name).exists() or (ROOT / name).is_symlink():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name, follow_symlinks=False)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(out)]
    subprocess.run([*build, str(source)], check=True, capture_output=True)
    (wheel,) = out.glob("*.whl")
    target = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A product's folder: each of our rooms' names is a package of its own there, which refuses to be imported."""
    for room in ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text("raise ImportError(f'{__name__} of the product was imported')\n")
    return tmp_path


def _run(installed: Path, folder: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def _modules(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*.py")}


def test_the_wheel_holds_one_package(installed: Path) -> None:
    assert {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")} == {"trivium"}
    assert not [path for path in installed.rglob("*") if path.is_symlink()]
    assert (installed / "trivium" / "py.typed").is_file()
    for room in ROOMS:
        assert (installed / "trivium" / room / "__init__.py").is_file()
        shipped = {path.relative_to(ROOT / room) for path in (ROOT / room).rglob("*.py")}
        assert shipped == {
            path.relative_to(installed / "trivium" / room) for path in (installed / "trivium" / room).rglob("*.py")
        }


def test_a_product_with_packages_of_our_names_uses_it(installed: Path, hostile: Path) -> None:
    code = f"from trivium import ask; import trivium; print(trivium.__file__); print(ask({QUESTION!r})['answer'])"
    file, answer = _run(installed, hostile, "-c", code).splitlines()[:2]
    assert Path(file).is_relative_to(installed)
    assert "Sergey Brin" in answer
    told = json.loads(_run(installed, hostile, "-m", "trivium", "ask", QUESTION, "--json"))
    assert "Sergey Brin" in {found["label"] for found in told["answers"]}


async def test_a_product_with_packages_of_our_names_serves_it(installed: Path, hostile: Path) -> None:
    with serving(hostile, "", "sample", PYTHONPATH=str(installed)) as server:
        client = get_client(url=server.url, api_key=None)
        try:
            state = await client.runs.wait(None, "keqing", input={"question": QUESTION})
        finally:
            await client.aclose()
    assert isinstance(state, dict)
    assert "Sergey Brin" in {found["label"] for found in state["answer"]["answers"]}
