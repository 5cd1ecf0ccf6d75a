"""`trivium learn knowgpt` and the tool it serves: learned, used, refused when the KG changed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.films import write_files
from tests.unit.app.cli.running import Trivium, refused
from trivium.kg.errors import UsageError
from trivium.policies.paths import learn
from trivium.policies.paths.learn import PathTraining
from trivium.policies.paths.policy import PathNetwork
from trivium.policies.paths.train import PolicySettings

pytest.importorskip("torch", reason="training needs the extra train")
CALL = json.dumps(
    {"question": "whose film is Heat?", "source_entities": ["heat"], "target_entities": ["deniro", "scott"]}
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer and smaller steps."""
    policy = PolicySettings(network=PathNetwork(16, 8), warm_steps=4, reinforce_steps=2, batch_size=64, pairs_a_step=8)
    monkeypatch.setattr(learn, "PathTraining", lambda: PathTraining(policy))


@pytest.mark.usefixtures("small")
def test_what_is_learnt_is_used_until_the_kg_changes(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kg"
    shutil.copytree(films_kg, folder)
    *_, questions = write_files(tmp_path)
    before = trivium("tool", "extract_paths", CALL, "--kg", folder).json
    assert before["policy"] == "structural"
    assert "trivium learn knowgpt" in before["events"][0]
    told = trivium("learn", "knowgpt", "--kg", folder, "--questions", questions, "--json").json
    assert told["method"] == "knowgpt"
    assert 0 < told["connected"] <= told["pairs"]
    after = trivium("tool", "extract_paths", CALL, "--kg", folder).json
    assert after["policy"] == "learned"
    assert after["trained"].endswith("imitation of paths ranked by reward")  # or REINFORCE after it
    assert "events" not in after
    assert {path["answer"] for path in after["paths"]} == {"deniro"}
    assert trivium("kg", "verify", folder).code == 0
    assert not (folder / "knowgpt" / "checkpoint.safetensors").exists()
    again = trivium("learn", "knowgpt", "--kg", folder, "--questions", questions)
    assert again.out.startswith("learned a path policy from ")
    (tmp_path / "more.tsv").write_text("heat\thas_genre\tnoir\n")
    assert trivium("kg", "add", folder, tmp_path / "more.tsv").code == 0
    stale = trivium("tool", "extract_paths", CALL, "--kg", folder).json
    assert stale["policy"] == "learned"  # it stays in use, and says so
    assert "before this KG changed; trivium learn knowgpt" in stale["events"][0]
    assert {path["answer"] for path in stale["paths"]} == {"deniro"}
    for file in (folder / "paths").iterdir():
        file.unlink()  # the features that it knows entities by
    lost = trivium("tool", "extract_paths", CALL, "--kg", folder).json
    assert lost["policy"] == "structural"
    assert "another state of the KG" in lost["events"][0]
    trivium("learn", "knowgpt", "--kg", folder, "--questions", questions)
    assert "events" not in trivium("tool", "extract_paths", CALL, "--kg", folder).json


@pytest.mark.usefixtures("small")
def test_how_it_is_trained_can_be_chosen(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(films_kg, tmp_path / "kg"))
    *_, questions = write_files(tmp_path)
    learn_ = ("learn", "knowgpt", "--kg", folder, "--questions", questions)
    chosen = ("--warm-start", "none", "--rl-steps", 3, "--max-hops", 2, "--lambdas", 2, 0.5, 0, "--json")
    report = trivium(*learn_, *chosen).json
    assert (report["steps"], report["served"], report["warm_start"]) == (3, "REINFORCE", "none")
    assert trivium("kg", "info", folder, "--json").json["path_policy"] == "REINFORCE alone"
    rewards = [path["reward"] for path in trivium("tool", "extract_paths", CALL, "--kg", folder).json["paths"]]
    assert rewards
    assert all(1.5 <= reward <= 2.5 for reward in rewards)  # 2 for the target and half a cosine, nothing for brevity
    refused(trivium(*learn_, "--warm-start", "none", "--rl-steps", 0), "UsageError", "nothing to train", code=2)
    refused(trivium(*learn_, "--rl-rate", 0), "UsageError", "--rl-rate must be above 0, not 0.0", code=2)


def test_the_papers_training_gives_way_to_options(
    trivium: Trivium, kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[PathTraining]()

    async def learn_nothing(_: object, __: object, ___: object, training: PathTraining) -> None:
        seen.append(training)
        raise UsageError("seen")

    monkeypatch.setattr(learn, "learn_paths", learn_nothing)
    *_, questions = write_files(tmp_path)
    command = ("learn", "knowgpt", "--kg", kg, "--questions", questions)
    for options in ((), ("--preset", "paper"), ("--preset", "paper", "--warm-start", "none", "--rl-rate", 0.01)):
        trivium(*command, *options)
    ours, paper, own = seen
    assert (ours.warm_start, ours.policy.rehearsal) == ("ranked", 0.5)
    assert (paper.warm_start, paper.policy.rehearsal, paper.policy.entropy) == ("bfs", 0, 0)
    assert paper.demonstrations.shortest
    assert (own.warm_start, own.policy.rehearsal, own.policy.reinforce_rate) == ("none", 0, 0.01)


def test_bad_requests(trivium: Trivium, kg: Path, tmp_path: Path) -> None:
    without = trivium("learn", "knowgpt", "--kg", kg)
    assert (without.code, without.out) == (2, "")
    assert "--questions" in without.err
    nothing = tmp_path / "nothing.jsonl"
    nothing.write_text('{"question": "why?", "answers": ["42"]}\n')
    refused(trivium("learn", "knowgpt", "--kg", kg, "--questions", nothing), "BadInputError", "names an entity")
    apart = tmp_path / "apart.jsonl"
    apart.write_text('{"question": "Alien?", "choices": [{"id": "A", "text": "[red]Kristen Wiig"}]}\n')
    refused(trivium("learn", "knowgpt", "--kg", kg, "--questions", apart), "BadInputError", "connected")
    assert not (kg / "knowgpt" / "paths.json").exists()
