"""The causal LM that is fine-tuned, its settings, and its adapters on disk.

KG/lora/STAGE/lora.json        what it is: base model, hash, settings, how training went; names the adapter's folder
KG/lora/STAGE/adapter-HASH/    adapter_model.safetensors, adapter_config.json: peft's own layout, so that peft and
                               servers which take adapters read it as well
KG/lora/STAGE/training-KEY/    transformers' checkpoints of an unfinished run; removed when it is done
"""

from __future__ import annotations

import hashlib
import shutil
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trivium.kg.artifact import ArtifactKind
from trivium.kg.errors import (
    CorruptError,
    KnowledgeBaseExistsError,
    ModelError,
    NotLearnedError,
    UsageError,
)
from trivium.kg.files import atomic_folder, sha256_file


@dataclass(frozen=True)
class LoraSettings:
    """One line each; `trivium learn lora MODEL --set NAME=VALUE` sets any of them."""

    rank: int = 16
    """Rank of the adapters' matrices."""
    alpha: int = 32
    """Their scale is alpha / rank."""
    dropout: float = 0.05
    """Share of an adapter's inputs hidden at each step, in [0, 1)."""
    train_embeddings: bool = False
    """Train token embeddings and output layer whole: for a base with random weights or tokens it has never seen."""
    learning_rate: float = 2e-4
    """Peak of AdamW's rate; warmed up linearly, then a cosine down to a tenth."""
    warmup: float = 0.05
    """Share of all steps over which the rate rises."""
    weight_decay: float = 0.0
    batch: int = 16
    """Examples a step."""
    epochs: int = 3
    max_tokens: int = 1024
    """Examples with more tokens, prompt and answer together, are left out and counted."""
    held_out: float = 0.05
    """Share of the examples that is never trained on; its loss decides when to stop. 0 trains all epochs on all."""
    evaluate_every: int = 100
    """Steps between two looks at the held-out loss; also those between two checkpoints."""
    patience: int = 3
    """Looks without an improvement after which training stops; the best weights are kept."""
    eight_bit: bool = False
    """Load the base in 8 bits; needs bitsandbytes and a CUDA device."""
    device: str = "auto"
    """`cpu`, `cuda`; `auto` takes CUDA where there is one."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what no run can have; raises `UsageError`."""
        for name in ("rank", "alpha", "batch", "epochs", "max_tokens", "evaluate_every", "patience"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("dropout", "warmup", "held_out"):
            if not 0 <= getattr(self, name) < 1:
                raise UsageError(f"{name} must be in [0, 1), not {getattr(self, name)}")
        if self.learning_rate <= 0 or self.weight_decay < 0:
            raise UsageError("learning_rate must be above 0 and weight_decay not below")


_KINDS = {"int": int, "float": float, "str": str}


def settings_from(words: Iterable[str]) -> LoraSettings:
    """Settings from words such as `rank=8`; raises `UsageError` that names the word and what there is."""
    known = {item.name: str(item.type) for item in fields(LoraSettings)}
    values: dict[str, object] = {}
    for word in words:
        name, separator, value = word.partition("=")
        if not separator or name not in known:
            raise UsageError(f"{word!r} is not a setting: write NAME=VALUE, NAME one of {', '.join(known)}")
        values[name] = _parsed(name, known[name], value)
    return LoraSettings(**values)  # type: ignore[arg-type]  # the values were parsed by their fields' own types


def _parsed(name: str, kind: str, value: str) -> object:
    if kind == "bool":
        if value.lower() not in ("true", "false"):
            raise UsageError(f"{name} must be true or false, not {value!r}")
        return value.lower() == "true"
    try:
        return _KINDS[kind](value)
    except ValueError:
        raise UsageError(f"{name} must be a number ({kind}), not {value!r}") from None


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """How a run went.

    Attributes:
        examples, held_out: how many were trained on and how many only looked at.
        steps: taken in all, those before a resume included.
        loss: mean training loss a token of the last steps.
        held_out_loss: the best one, in nats a token; None where nothing was held out.
        stopped_early: whether the held-out loss ended the run.
        resumed_from: the step at which a checkpoint was taken up; 0 for a run from its start.
    """

    examples: int
    held_out: int
    steps: int
    loss: float
    held_out_loss: float | None
    stopped_early: bool
    resumed_from: int


_EDGE = 1 << 20  # bytes of a weights file's beginning and end that are hashed: reading all of a 7B takes half a minute


@dataclass
class BaseModel:
    """An open base: transformers' model and tokenizer, and what identifies it.

    Attributes:
        name: the folder or hub name as it was given.
        fingerprint: of a folder the hash of its weights and configuration, of a hub model its commit.
    """

    name: str
    fingerprint: str
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    device: str


def need_lora() -> None:
    """Refuse to go on without the extra; raises `ModelError`."""
    missing = [name for name in ("torch", "transformers", "peft") if find_spec(name) is None]
    if missing:
        raise ModelError(f"LoRA needs {', '.join(missing)}: pip install '.[lora]' in Trivium's folder")


def chosen_device(device: str) -> str:
    """`auto` as the best that there is."""
    import torch

    if device != "auto":
        return device
    return "cuda" if torch.cuda.is_available() else "cpu"


def fingerprint(name: str, commit: str | None) -> str:
    """What identifies a base model: `commit:HASH` of the hub, or `sha256:HASH` of a folder.

    The folder's hash is over configuration, tokenizer and weights, of which names, sizes and both ends count.
    """
    folder = Path(name)
    if not folder.is_dir():
        return f"commit:{commit}"
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.iterdir() if p.suffix in (".json", ".safetensors", ".bin", ".model")):
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as file:
            digest.update(file.read(_EDGE))
            if size > 2 * _EDGE:
                file.seek(-_EDGE, 2)
            digest.update(file.read(_EDGE))
    return f"sha256:{digest.hexdigest()}"


def open_base(name: str, *, device: str = "auto", eight_bit: bool = False) -> BaseModel:
    """Open a causal LM; float32 on a CPU, bfloat16 elsewhere. Blocks; a hub name may download.

    Raises:
        ModelError: it cannot be opened, or 8 bits are asked for where they cannot be had.
    """
    need_lora()
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = chosen_device(device)
    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(name)
            model = AutoModelForCausalLM.from_pretrained(name, **_how(place, eight_bit=eight_bit))
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(
            f"the base model {name!r} cannot be opened ({reason}): name a folder that holds a causal LM "
            "with its tokenizer, or a model of the hub that this machine can reach"
        ) from error
    if tokenizer.eos_token_id is None:
        raise ModelError(f"the tokenizer of {name!r} has no end-of-text token, without which no answer ends")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token  # padding is masked out everywhere: any token serves
    if not eight_bit:
        model.to(place)
    found = fingerprint(name, getattr(model.config, "_commit_hash", None))
    return BaseModel(name, found, model, tokenizer, place)


def _how(device: str, *, eight_bit: bool) -> dict[str, Any]:
    """Arguments of `from_pretrained` for a device."""
    import torch

    if not eight_bit:
        return {"dtype": torch.float32 if device == "cpu" else torch.bfloat16}
    if not device.startswith("cuda") or find_spec("bitsandbytes") is None:
        raise ModelError("eight_bit needs a CUDA device and the package bitsandbytes; leave it out to train without")
    from transformers import BitsAndBytesConfig

    return {"quantization_config": BitsAndBytesConfig(load_in_8bit=True), "device_map": {"": device}}


@contextmanager
def quiet() -> Iterator[None]:
    """Without the libraries' bars, and their notices about each other's old names, which no user of ours can act on."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*is_gradient_checkpointing.*", category=FutureWarning)
            yield
    finally:
        if shown:
            logging.enable_progress_bar()


if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Stage = Literal["decompose", "chains", "reason"]
"""What a model was fine-tuned for: the paper's Question Decomposition, the same in logical chains (figure 6), or its
Candidate Reasoning."""

_WEIGHTS, _CONFIG = "adapter_model.safetensors", "adapter_config.json"


def stage_folder(kg: Path, stage: Stage) -> Path:
    """Where a stage's adapter is kept in a KG's directory."""
    return kg / "lora" / stage


def adapter_kind(stage: Stage) -> ArtifactKind:
    """The artifact of a stage, `lora.json` in its folder, with peft's files beside it."""
    return ArtifactKind(f"the model fine-tuned to {stage}", "lora", 2, f"run trivium learn lora MODEL --stage {stage}")


def has_adapter(kg: Path, stage: Stage) -> bool:
    """Whether a fine-tuned model of this stage is there."""
    return adapter_kind(stage).exists(stage_folder(kg, stage))


def add_adapters(base: BaseModel, settings: LoraSettings) -> None:
    """Put new adapters on every linear layer of the base and let them alone learn; changes `base.model`."""
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
    adapter = folder / f"adapter-{sha256_file(building / _WEIGHTS)[:16]}"
    shutil.rmtree(adapter, ignore_errors=True)
    building.rename(adapter)
    name = str(Path(base.name).resolve()) if Path(base.name).is_dir() else base.name
    data = {"base": name, "settings": asdict(settings), "report": asdict(report)}
    files = {"weights": adapter / _WEIGHTS, "config": adapter / _CONFIG}
    made_from = {"kg": kg_hash, "base": base.fingerprint}
    touched = adapter_kind(stage).save(folder, data, made_from=made_from, files=files)
    for other in folder.glob("adapter-*"):
        if other != adapter:
            shutil.rmtree(other, ignore_errors=True)
    return touched


def open_adapter(kg: Path, stage: Stage, *, device: str = "auto") -> BaseModel:
    """The base with its adapter, ready to generate. Blocks for as long as the base takes to load.

    Raises:
        NotLearnedError: nothing was fine-tuned for this stage.
        CorruptError, OutdatedError, VersionError: as `ArtifactKind.load`; `CorruptError` too where the base is not the
            one that the adapter was trained on.
        ModelError: the base cannot be opened.
    """
    kind, folder = adapter_kind(stage), stage_folder(kg, stage)
    if not kind.exists(folder):
        raise NotLearnedError(
            f"no model was fine-tuned to {stage} on this KG yet: {kind.renew} --kg KG --questions F.jsonl"
        )
    found = kind.load(folder)
    try:
        name, weights = str(found.data["base"]), found.files["weights"]
    except KeyError as error:
        raise kind.damaged(folder, error) from error
    if Path(name).is_dir() and found.stale(base=fingerprint(name, None)):
        raise CorruptError(
            f"{name} is not the base model that the adapter of {kg} was trained on (its hash differs): "
            "put that one back, or fine-tune again"
        )
    base = open_base(name, device=device)
    from peft import PeftModel

    with quiet():
        base.model = PeftModel.from_pretrained(base.model, weights.parent)
    base.model.eval()
    return base


def merge_adapter(kg: Path, stage: Stage, out: Path) -> Path:
    """Write base and adapter as one model in Hugging Face's layout, for any OpenAI-compatible server.

    Its chat template hands a user's message on as it is, so that a server's chat reads the prompt of the training.

    Raises:
        KnowledgeBaseExistsError: `out` exists and is not an empty folder.
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
