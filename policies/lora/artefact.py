"""Adapters on disk, and the merged model for a server.

KG/lora/STAGE/lora.json        what it is: base model, hash, settings, how training went; names the adapter's folder
KG/lora/STAGE/adapter-HASH/    adapter_model.safetensors, adapter_config.json: peft's own layout, so that peft and
                               servers which take adapters read it as well
KG/lora/STAGE/training.safetensors   where an unfinished run stands; gone when it is done
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trivium.kg.errors import CorruptError, KnowledgeBaseExistsError, ModelError, NotLearntError, VersionError
from trivium.kg.files import atomic_folder, sha256_file, write_atomic
from trivium.policies.lora.base_model import BaseModel, fingerprint, open_base, quiet
from trivium.policies.lora.settings import LoraSettings, as_json
from trivium.policies.lora.training import TrainingReport

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Stage = Literal["decompose", "reason"]
"""What a model was fine-tuned for: the paper's Question Decomposition or its Candidate Reasoning."""

FORMAT = 1
_MODEL, _WEIGHTS = "lora.json", "adapter_model.safetensors"
_CHECKPOINT = "training.safetensors"


def stage_folder(kg: Path, stage: Stage) -> Path:
    """Where a stage's adapter is kept in a KG's directory."""
    return kg / "lora" / stage


def checkpoint_file(kg: Path, stage: Stage) -> Path:
    """Where an unfinished run is kept."""
    return stage_folder(kg, stage) / _CHECKPOINT


def has_adapter(kg: Path, stage: Stage) -> bool:
    """Whether a fine-tuned model of this stage is there."""
    return (stage_folder(kg, stage) / _MODEL).exists()


def free_adapters(base: BaseModel, settings: LoraSettings) -> None:
    """Put fresh adapters on every linear layer of the base and let them alone learn; changes `base.model`."""
    import torch
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

    torch.manual_seed(settings.seed)
    whole = ["embed_tokens", "lm_head"] if settings.train_embeddings else None
    config = LoraConfig(
        task_type="CAUSAL_LM",
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules="all-linear",
        modules_to_save=whole,
    )
    with quiet():
        if settings.eight_bit:
            base.model = prepare_model_for_kbit_training(base.model)
        try:
            base.model = get_peft_model(base.model, config)
        except ValueError as error:
            raise ModelError(f"no adapters fit on the base model {base.name!r}: {error}") from error


def save_adapter(
    kg: Path, stage: Stage, base: BaseModel, settings: LoraSettings, report: TrainingReport, kg_hash: str
) -> list[Path]:
    """Write the adapter and then the JSON that names it, in one step; returns the files written and removed."""
    folder = stage_folder(kg, stage)
    folder.mkdir(parents=True, exist_ok=True)
    building = folder / ".adapter-building"
    shutil.rmtree(building, ignore_errors=True)
    with quiet():
        # Trained embeddings are among the saved modules already; asking the hub about them is spared.
        base.model.save_pretrained(building, save_embedding_layers=False)
    sha = sha256_file(building / _WEIGHTS)
    adapter = folder / f"adapter-{sha[:16]}"
    shutil.rmtree(adapter, ignore_errors=True)
    building.rename(adapter)
    name = str(Path(base.name).resolve()) if Path(base.name).is_dir() else base.name
    model = {
        "format": FORMAT,
        "stage": stage,
        "base": name,
        "base_fingerprint": base.fingerprint,
        "adapter": adapter.name,
        "sha256": sha,
        "kg_hash": kg_hash,
        "settings": as_json(settings),
        "report": asdict(report),
    }
    write_atomic(folder / _MODEL, json.dumps(model, ensure_ascii=False, indent=1).encode())
    stale = [path for path in folder.glob("adapter-*/*") if path.parent != adapter]
    for path in {path.parent for path in stale}:
        shutil.rmtree(path, ignore_errors=True)
    return [adapter / _WEIGHTS, adapter / "adapter_config.json", folder / _MODEL, *stale]


def read_adapter(kg: Path, stage: Stage) -> dict[str, Any]:
    """What `lora.json` says.

    Raises:
        NotLearntError: nothing was fine-tuned for this stage.
        CorruptError: a file is missing or damaged.
        VersionError: a newer Trivium wrote it.
    """
    folder = stage_folder(kg, stage)
    if not has_adapter(kg, stage):
        raise NotLearntError(
            f"no model was fine-tuned to {stage} on this KG yet: run trivium learn lora MODEL "
            f"--stage {stage} --kg KG --questions F.jsonl"
        )
    try:
        model: dict[str, Any] = json.loads((folder / _MODEL).read_bytes())
        if model["format"] > FORMAT:
            raise VersionError(f"{folder / _MODEL} has format {model['format']}, this Trivium reads up to {FORMAT}")
        if sha256_file(folder / model["adapter"] / _WEIGHTS) != model["sha256"]:
            raise CorruptError(f"the adapter in {folder} differs from its checksum: fine-tune it again")
        return {key: model[key] for key in ("base", "base_fingerprint", "adapter", "settings", "report", "stage")}
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise CorruptError(f"the adapter in {folder} is damaged ({error}): fine-tune it again") from error


def open_adapter(kg: Path, stage: Stage, *, device: str = "auto") -> BaseModel:
    """The base with its adapter, ready to generate. Blocks for as long as the base takes to load.

    Raises:
        ModelError: the base cannot be opened.
        NotLearntError, CorruptError, VersionError: as `read_adapter`; `CorruptError` too where the base is not the one
            that the adapter was trained on.
    """
    told = read_adapter(kg, stage)
    folder = Path(told["base"])
    if folder.is_dir() and fingerprint(told["base"], None) != told["base_fingerprint"]:
        raise CorruptError(
            f"{folder} is not the base model that the adapter of {kg} was trained on (its hash differs): "
            "put that one back, or fine-tune again"
        )
    base = open_base(told["base"], device=device)
    from peft import PeftModel

    with quiet():
        base.model = PeftModel.from_pretrained(base.model, stage_folder(kg, stage) / told["adapter"])
    base.model.eval()
    return base


def merge_adapter(kg: Path, stage: Stage, out: Path) -> Path:
    """Write base and adapter as one model in Hugging Face's layout, for any OpenAI-compatible server.

    Its chat template hands a user's message on as it is, so that a server's chat reads the prompt of the training.

    Raises:
        KnowledgeBaseExistsError: `out` exists and is no empty folder.
        As `open_adapter`.
    """
    if out.exists() and any(out.iterdir()):
        raise KnowledgeBaseExistsError(f"{out} exists and is not empty: name another folder for the merged model")
    base = open_adapter(kg, stage, device="cpu")
    out.parent.mkdir(parents=True, exist_ok=True)
    with quiet(), atomic_folder(out) as building:
        base.model.merge_and_unload().save_pretrained(building)
        base.tokenizer.chat_template = _pass_through(base.tokenizer)
        base.tokenizer.save_pretrained(building)
    return out


def _pass_through(tokenizer: PreTrainedTokenizerBase) -> str:
    """A chat template that adds nothing but the begin-of-text which training had."""
    start = "" if tokenizer.bos_token_id is None else "{{ bos_token }}"
    return start + "{% for message in messages %}{{ message['content'] }}{% endfor %}"
