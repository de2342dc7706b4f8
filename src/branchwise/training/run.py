"""One training run: from a model, documents and settings to a better model, its checkpoints and its log."""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from branchwise.corpus import Corpus
from branchwise.errors import TrainingError
from branchwise.model.bundle import Model
from branchwise.model.folder import CONFIG
from branchwise.model.pieces import PieceStore, tokenise
from branchwise.training.batches import Collator
from branchwise.training.devices import choose_device, choose_precision, is_first_process
from branchwise.training.settings import Settings

Validate = Callable[[Model, str], dict[str, float]]  # model and precision to micro_f1, macro_f1, …
PRIVATE = "checkpoints"


@dataclass
class Run:
    """Where a run works and what it tells people on the way."""

    folder: Path
    device: str = "auto"
    resume: bool = False
    tell: Callable[[str], None] = field(default=lambda _: None)


def train(model: Model, settings: Settings, corpus: Corpus, validate: Validate, run: Run) -> Model:
    """Train a model on a corpus; the best by validation is left in ``model``, whose record is filled in.

    Raises KeyboardInterrupt after Ctrl-C, once a checkpoint is saved from which the run goes on.
    """
    from transformers import EarlyStoppingCallback, PrinterCallback, ProgressCallback, set_seed

    from branchwise.training.callbacks import Interrupt, NewOrders, ProgressBar
    from branchwise.training.trainer import HiATrainer, last_checkpoint

    work = run.folder / PRIVATE
    checkpoint = _checkpoint(work, last_checkpoint(work), run)
    device = choose_device(run.device)
    precision = choose_precision(settings.precision, device)
    run.tell(f"Training on {device.type} in {precision}.")
    set_seed(settings.seed)
    sets, dropped = model.codec.fit(corpus.labels, settings.output_limit, settings.on_long)
    _tell_of_labels(corpus, dropped, run)
    freeze(model, settings)
    with tempfile.TemporaryDirectory(prefix="branchwise-") as scratch:
        pieces = tokenise(
            corpus.texts(), len(corpus), model.tokenizer, settings.input_limit, Path(scratch) / "pieces.arrow"
        )
        if pieces.cut:
            run.tell(
                f"{pieces.cut:,} of {len(pieces):,} texts are longer than {settings.input_limit} pieces and are cut."
            )
        collator = Collator(pieces, sets, model.codec, settings)
        arguments = _arguments(settings, work, device, precision, pieces)
        interrupt = Interrupt()
        ids = corpus.documents.column("id")
        trainer = HiATrainer(
            network=model.network,
            batches=collator,
            validate=lambda: validate(model, precision),
            document_id=lambda row: ids[row].as_py(),
            args=arguments,
            callbacks=[interrupt, NewOrders(collator), ProgressBar(_step_documents(settings, arguments))],
        )
        trainer.warn = run.tell
        if settings.patience:
            trainer.add_callback(EarlyStoppingCallback(settings.patience))
        for noisy in (ProgressCallback, PrinterCallback):
            trainer.remove_callback(noisy)
        result = trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    if interrupt.asked:
        raise KeyboardInterrupt(
            f"Stopped after step {trainer.state.global_step:,}; the same command with --resume goes on from there."
        )
    model.network.eval()
    model.record = _record(settings, corpus, pieces, trainer.state, result.metrics, device, precision)
    return model


def clear_checkpoints(folder: Path) -> None:
    """Take the checkpoints of a finished run away, of which nobody goes on; its log stays."""
    for one in (folder / PRIVATE).glob("checkpoint-*"):
        shutil.rmtree(one, ignore_errors=True)


def _checkpoint(work: Path, found: Path | None, run: Run) -> Path | None:
    if found is not None and run.resume:
        run.tell(f"Going on from {found.name}.")
        return found
    if found is not None:
        raise TrainingError(
            f"{run.folder} holds an unfinished run ({found.name}): pass --resume to go on with it, or choose "
            "another folder."
        )
    if (run.folder / CONFIG).exists():
        raise TrainingError(
            f"{run.folder} holds a finished model: choose another folder, or remove it to train again."
        )
    if run.resume:
        run.tell(f"There is no checkpoint in {run.folder} yet; training starts from the beginning.")
    if is_first_process():
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
    return None


def _tell_of_labels(corpus: Corpus, dropped: np.ndarray, run: Run) -> None:
    counts = corpus.labels.counts(len(corpus.taxonomy))
    unseen = int((counts == 0).sum())
    if unseen == len(counts):
        raise TrainingError("No training document has a label: check which field holds the labels.")
    if unseen:
        run.tell(
            f"{unseen:,} of {len(counts):,} labels have no training document; they will hardly be predicted."
        )
    if dropped.any():
        run.tell(f"{int(dropped.sum()):,} label sets were too long and lost labels of their deepest level.")


def freeze(model: Model, settings: Settings) -> None:
    """Leave out of training what the settings say is not learned."""
    for name, one in model.network.encoder.named_parameters():
        if "relative_attention_bias" in name:
            one.requires_grad_(settings.train_position_bias)
        if "embed_tokens" in name:  # in text units the decoder writes with them too
            one.requires_grad_(settings.train_piece_vectors or model.config.units == "text")


def _step_documents(settings: Settings, arguments: Any) -> int:
    return settings.batch * settings.accumulate * arguments.world_size


def _arguments(
    settings: Settings, work: Path, device: torch.device, precision: str, pieces: PieceStore
) -> Any:
    from transformers import TrainingArguments

    world = int(os.environ.get("WORLD_SIZE", "1"))
    a_pass = max(-(-len(pieces) // (settings.batch * settings.accumulate * world)), 1)
    steps = max(round(a_pass * settings.passes), 1)
    every = max(min(a_pass // settings.evaluations, steps), 1)
    os.environ["TENSORBOARD_LOGGING_DIR"] = str(work / "tensorboard")
    return TrainingArguments(
        output_dir=str(work),
        use_cpu=device.type == "cpu",
        bf16=precision == "bf16",
        per_device_train_batch_size=settings.batch,
        gradient_accumulation_steps=settings.accumulate,
        max_steps=steps,
        learning_rate=settings.learning_rate,
        lr_scheduler_type=settings.schedule if settings.schedule == "linear" else "constant_with_warmup",
        warmup_steps=round(steps * settings.warmup),
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.clip,
        optim="adamw_torch_fused",
        eval_strategy="steps",
        eval_steps=every,
        save_strategy="steps",
        save_steps=every,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model=f"eval_{settings.select}_f1",
        greater_is_better=True,
        logging_steps=max(min(a_pass // 20, 50), 1),
        logging_nan_inf_filter=False,
        report_to=["tensorboard"],
        seed=settings.seed,
        remove_unused_columns=False,
        ddp_find_unused_parameters=False,
        dataloader_num_workers=0,
        disable_tqdm=True,
        log_level="error",
    )


def _record(
    settings: Settings,
    corpus: Corpus,
    pieces: PieceStore,
    state: Any,
    metrics: dict[str, float],
    device: torch.device,
    precision: str,
) -> dict[str, Any]:
    history = [one for one in state.log_history if "eval_micro_f1" in one]
    best = max(history, key=lambda one: one[f"eval_{settings.select}_f1"], default=None)
    return {
        "settings": dataclasses.asdict(settings),
        "train": {
            "documents": len(corpus),
            "fingerprint": corpus.fingerprint,
            "cut_texts": pieces.cut,
            "documents_without_labels": int((corpus.labels.sizes == 0).sum()),
            "label_documents": {
                corpus.taxonomy.ids[label]: int(count)
                for label, count in enumerate(corpus.labels.counts(len(corpus.taxonomy)))
                if count
            },
        },
        "device": device.type,
        "precision": precision,
        "steps": state.global_step,
        "seconds": round(metrics.get("train_runtime", 0.0), 1),
        "best": {name.removeprefix("eval_"): value for name, value in best.items()} if best else None,
        "history": state.log_history,
    }
