"""transformers' Trainer, taught our loss and its global counts, our batches, and validation by decoding."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils.data import Sampler
from transformers import Trainer

from branchwise.errors import TrainingError
from branchwise.model.loss import Counts, count, mask_divisor, total_loss
from branchwise.model.network import HiAT5
from branchwise.model.weights import load_weights, save_weights
from branchwise.training.batches import Collator, LengthBatches, RowNumbers

WEIGHTS = "model.safetensors"
COMPLETE = "complete"  # an empty file that says a checkpoint was written to its end


class HiATrainer(Trainer):
    """Trains HiA-T5; ``validate`` returns the figures of the model as it stands."""

    def __init__(
        self,
        network: HiAT5,
        batches: Collator,
        validate: Callable[[], dict[str, float]],
        document_id: Callable[[int], str],
        **others: Any,
    ) -> None:
        n_rows = len(batches.tokens)
        # The evaluation set is asked for but never read: validation decodes documents of its own.
        super().__init__(
            network,
            data_collator=batches,
            train_dataset=RowNumbers(n_rows),
            eval_dataset=RowNumbers(1),
            **others,
        )
        self.network, self.batches = network, batches
        self.validate, self.document_id = validate, document_id
        self.folder = Path(str(self.args.output_dir))
        self.model_accepts_loss_kwargs = True  # our loss is already divided by the counts of the whole step
        self.parts = torch.zeros(2)  # cross-entropy and mask loss since the last line of the log
        self.parts_steps = 0
        self.warn: Callable[[str], None] = lambda _: None

    def _get_train_sampler(self, train_dataset: Any = None) -> Sampler[int]:
        del train_dataset
        settings = self.batches.settings
        step = settings.batch * settings.accumulate * self.args.world_size
        return LengthBatches(self.batches.tokens.lengths, step, settings.seed)

    def _get_num_items_in_batch(
        self, batch_samples: list[dict[str, torch.Tensor]], device: torch.device
    ) -> Any:
        """Count targets, rows and documents of a whole step: all accumulated batches on all devices."""
        counts = torch.stack([count(batch["targets"]) for batch in batch_samples]).sum(0)
        return self.accelerator.reduce(counts.to(device), "sum")

    def compute_loss(
        self,
        model: nn.Module,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> torch.Tensor:
        """Return this batch's part of the step's loss."""
        del return_outputs
        documents = inputs.pop("documents")
        counts = Counts(*num_items_in_batch.tolist())
        sums = model(**inputs)
        config = self.batches.settings
        loss = total_loss(sums.cross_entropy, sums.mask_loss, config, counts)
        if not torch.isfinite(loss):
            named = ", ".join(self.document_id(row) for row in documents.tolist())
            raise TrainingError(
                f"The loss became {loss.item()} at step {self.state.global_step + 1} on the documents {named}: look "
                "at these, or lower the learning rate; the last checkpoint is still good."
            )
        parts = [sums.cross_entropy / counts.targets, sums.mask_loss / mask_divisor(config, counts)]
        self.parts += torch.stack([one.detach().float().cpu() for one in parts])
        # Every process has its own part of a sum; data parallelism will take the mean of the gradients.
        return loss * self.accelerator.num_processes

    def training_step(
        self, model: nn.Module, inputs: dict[str, Any], num_items_in_batch: Any = None
    ) -> torch.Tensor:
        """Train on one batch."""
        self.parts_steps += self.accelerator.gradient_state.sync_gradients
        return super().training_step(model, inputs, num_items_in_batch)

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Add both parts of the loss to the log, and keep it as JSON lines too."""
        if "loss" in logs and self.parts_steps:
            parts = self.accelerator.reduce(self.parts.to(self.args.device), "sum") / self.parts_steps
            logs["cross_entropy"], logs["mask_loss"] = parts.tolist()
            self.parts, self.parts_steps = torch.zeros(2), 0
        super().log(logs, start_time)
        if self.is_world_process_zero():
            with (self.folder / "log.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps({"step": self.state.global_step, **logs}) + "\n")

    def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        """Decode the validation documents and return the figures."""
        del args, kwargs
        metrics = {f"eval_{name}": value for name, value in self.validate().items()}
        self.network.train()
        self.log(dict(metrics))
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def _save(self, output_dir: str | None = None, state_dict: dict[str, Any] | None = None) -> None:
        del state_dict
        folder = Path(output_dir) if output_dir else self.folder
        folder.mkdir(parents=True, exist_ok=True)
        save_weights(self.network, folder / WEIGHTS)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: nn.Module | None = None) -> None:
        del model
        load_weights(self.network, Path(resume_from_checkpoint) / WEIGHTS)

    def _load_best_model(self) -> None:
        load_weights(self.network, Path(str(self.state.best_model_checkpoint)) / WEIGHTS)

    def _save_checkpoint(self, model: nn.Module, trial: Any) -> None:
        """Write a checkpoint; where the disk is full, keep the last good one and go on."""
        folder = self.folder / f"checkpoint-{self.state.global_step}"
        try:
            super()._save_checkpoint(model, trial)
            if self.args.should_save and folder.exists():
                (folder / COMPLETE).touch()
        except (OSError, RuntimeError) as error:  # torch.save reports a full disk as a RuntimeError
            if isinstance(error, RuntimeError) and "write" not in str(error).lower():
                raise
            shutil.rmtree(folder, ignore_errors=True)
            self.warn(
                f"The checkpoint of step {self.state.global_step} could not be written ({error}); going on."
            )


def last_checkpoint(folder: Path) -> Path | None:
    """Return the newest checkpoint that was written to its end."""
    found = [one for one in folder.glob("checkpoint-*") if (one / COMPLETE).exists()]
    return max(found, key=lambda one: int(one.name.rpartition("-")[2]), default=None)
