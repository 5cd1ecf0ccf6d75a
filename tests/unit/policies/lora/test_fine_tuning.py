"""A tiny Llama with random weights learns decompositions to the letter; saved, loaded, merged, refused when damaged."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.unit.policies.lora.conftest import PAIRS, Lesson
from trivium.kg.embedded import verify
from trivium.kg.errors import CorruptError, KnowledgeBaseExistsError, ModelError, NotLearnedError, VersionError
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.lora.model import adapter_kind, has_adapter, merge_adapter, open_adapter, open_base, stage_folder
from trivium.policies.lora.serve import generate, open_lora_decomposer

pytestmark = pytest.mark.slow  # a model is trained, seconds of processor time


def test_every_decomposition_is_learnt_to_the_letter_and_loaded_again(lesson: Lesson) -> None:
    assert lesson.tuned.report.examples == len(lesson.examples) == PAIRS
    said = generate(open_adapter(lesson.kg, "decompose"), [example.prompt for example in lesson.examples])
    assert [one.text for one in said] == [example.target for example in lesson.examples]
    assert min(one.confidence for one in said) > 0.5
    base = open_base(str(lesson.base))
    untrained = generate(base, [lesson.examples[0].prompt], 20)
    assert untrained[0].text != lesson.examples[0].target[: len(untrained[0].text)]


async def test_the_tuned_model_decomposes_behind_the_interface(lesson: Lesson) -> None:
    base = Knowledge.open(lesson.kg)
    decomposer = await open_lora_decomposer(base, await base.templates())
    for pair in lesson.pairs[::2]:
        found = await decomposer.decompose(pair.question, base.store)
        chains = [pair.chain] if pair.chain and not pair.branches else [branch.chain for branch in pair.branches]
        assert len(found.sub_questions) == sum(len(chain or ()) for chain in chains), pair.question
        assert found.confidence > 0.5
        assert all(hits for hits in found.links.values())
    others = next(pair for pair in lesson.pairs if "other" in pair.question)
    marked = (await decomposer.decompose(others.question, base.store)).sub_questions
    assert [sub.excludes_used for sub in marked] == [False, True]
    await base.close()


def test_the_merged_model_says_the_same_without_an_adapter(lesson: Lesson, tmp_path: Path) -> None:
    out = merge_adapter(lesson.kg, "decompose", tmp_path / "merged")
    merged = open_base(str(out))
    prompts = [example.prompt for example in lesson.examples]
    assert [one.text for one in generate(merged, prompts)] == [example.target for example in lesson.examples]
    chat = merged.tokenizer.apply_chat_template([{"role": "user", "content": prompts[0]}], tokenize=False)
    assert chat == f"<s>{prompts[0]}"
    with pytest.raises(KnowledgeBaseExistsError, match="merged"):
        merge_adapter(lesson.kg, "decompose", out)


def test_the_kg_guards_the_adapter(lesson: Lesson, tmp_path: Path) -> None:
    kg = Path(shutil.copytree(lesson.kg, tmp_path / "kg"))
    assert verify(kg) == []
    (weights,) = stage_folder(kg, "decompose").glob("adapter-*/adapter_model.safetensors")
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0")
    assert any("adapter_model" in problem for problem in verify(kg))
    with pytest.raises(CorruptError, match="checksum"):
        open_adapter(kg, "decompose")


def test_what_cannot_be_opened_is_refused_by_name(lesson: Lesson, tmp_path: Path) -> None:
    kg = Path(shutil.copytree(lesson.kg, tmp_path / "kg"))
    assert not has_adapter(kg, "reason")
    with pytest.raises(NotLearnedError, match="--stage reason"):
        open_adapter(kg, "reason")
    with pytest.raises(ModelError, match="no-such-folder"):
        open_base(str(tmp_path / "no-such-folder"))
    with pytest.raises(ModelError, match="bitsandbytes"):
        open_base(str(lesson.base), device="cpu", eight_bit=True)
    kind, folder = adapter_kind("decompose"), stage_folder(kg, "decompose")
    path, found = kind.path(folder), kind.load(folder)
    text = path.read_text()
    kind.save(folder, found.data, made_from={**found.made_from, "base": "sha256:another"}, files=found.files)
    with pytest.raises(CorruptError, match="is not the base model"):
        open_adapter(kg, "decompose")
    path.write_text(text.replace('"format": 2', '"format": 99'))
    with pytest.raises(VersionError, match="99"):
        open_adapter(kg, "decompose")
    path.write_text("{")
    with pytest.raises(CorruptError, match="damaged"):
        open_adapter(kg, "decompose")
