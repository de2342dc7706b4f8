"""Every setting of training with its default and its help, and the presets that set several at once."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from branchwise.choices import Average, FlatOrder, Precision, Schedule
from branchwise.errors import ModelError
from branchwise.model.config import ModelConfig, setting


@dataclass(frozen=True, kw_only=True)
class Settings(ModelConfig):
    """A model's settings and those of its training."""

    learning_rate: float = setting(1e-3, "The highest learning rate.")
    schedule: Schedule = setting("linear", "linear falls to zero after the warm-up, constant stays.")
    warmup: float = setting(0.1, "Share of all steps in which the learning rate rises to its highest.")
    weight_decay: float = setting(0.0, "Decay of the weights, decoupled from the learning rate's moments.")
    clip: float = setting(1.0, "The longest gradient that is followed; 0 does not clip.")
    batch: int = setting(16, "Documents a batch, on each device.")
    accumulate: int = setting(1, "Batches whose gradients add up to one step.")
    passes: float = setting(3.0, "Passes over the training documents.")
    precision: Precision = setting("auto", "auto takes bf16 where the hardware computes in it, else fp32.")
    pad_to_limit: bool = setting(
        False, "Pad every batch to the limits, as the released code does, not to its longest."
    )
    train_position_bias: bool = setting(
        True, "Learn the encoder's position bias; without it attention is faster."
    )
    train_piece_vectors: bool = setting(
        True, "Learn the vectors of the word pieces, as text units always do; without it steps are faster."
    )
    flat_order: FlatOrder = setting(
        "fixed", "Order of t5's labels: one for each document, or new on each pass."
    )
    seed: int = setting(0, "Fixes the order of documents, dropout and every other chance.")
    evaluations: int = setting(1, "How often a pass is followed by validation, evenly spaced within it.")
    validation_documents: int = setting(
        2000, "The most validation documents decoded each time, the first ones."
    )
    select: Average = setting("micro", "The validation F1 that chooses the model.")
    patience: int = setting(0, "Stop after so many validations without a better one; 0 never stops early.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (
            min(self.batch, self.accumulate, self.evaluations, self.validation_documents) < 1
            or self.passes <= 0
        ):
            raise ModelError(
                f"batch is {self.batch}, accumulate {self.accumulate}, evaluations {self.evaluations}, "
                f"validation_documents {self.validation_documents} and passes {self.passes}: all must be positive."
            )
        if self.learning_rate <= 0 or not 0 <= self.warmup < 1:
            raise ModelError(
                f"learning_rate is {self.learning_rate} and warmup {self.warmup}: the first must be positive, "
                "the second a share below 1."
            )

    def model_config(self) -> ModelConfig:
        """Return what a saved model keeps of the settings."""
        return ModelConfig(**{one.name: getattr(self, one.name) for one in fields(ModelConfig)})


PRESETS: dict[str, dict[str, Any]] = {
    # Huang et al., "Hierarchy-Aware T5 with Path-Adaptive Mask Mechanism", section 4.1 unless said.
    "paper": {
        "backbone": "google-t5/t5-base",
        "units": "text",
        "mask": "paper",  # their equation for M, section 3.3
        "reduction": "padded",
        "rho": 100.0,
        "input_limit": 300,
        "output_limit": 60,
        "on_long": "drop",
        "dropout": 0.1,  # T5's own
        "learning_rate": 3e-4,
        "schedule": "constant",  # none is named
        "warmup": 0.0,
        "clip": 0.0,
        "batch": 10,
        "passes": 3.0,
        "precision": "fp32",
    },
    # The authors' released code: its argument defaults and training loop.
    "released": {
        "backbone": "google-t5/t5-base",
        "units": "text",
        "mask": "released",
        "reduction": "padded",
        "rho": 100.0,
        "input_limit": 300,
        "output_limit": 90,
        "on_long": "drop",
        "dropout": 0.1,
        "learning_rate": 5e-4,
        "schedule": "linear",
        "warmup": 0.0,
        "clip": 1.0,
        "batch": 10,
        "accumulate": 16,
        "passes": 20.0,
        "precision": "fp32",
        "pad_to_limit": True,
    },
    # Found on arXiv validation data with two CPU cores; docs/training.md holds the evidence.
    "fast": {
        "units": "token",
        "mask": "released",
        "reduction": "mean",
        "dropout": 0.0,
        "learning_rate": 1e-3,
        "input_limit": 128,
        "batch": 8,
        "train_position_bias": False,
    },
}


def preset(name: str, **changes: Any) -> Settings:
    """Return a preset's settings, with some of them changed."""
    if name not in PRESETS:
        raise ModelError(f"There is no preset {name!r}: choose one of {', '.join(PRESETS)}.")
    known = {one.name for one in fields(Settings)}
    unknown = sorted(set(changes) - known)
    if unknown:
        raise ModelError(f"There is no setting {unknown[0]!r}: choose from {', '.join(sorted(known))}.")
    return replace(Settings(), **{**PRESETS[name], **changes})
