"""What makes a model what it is: the settings that it is saved with, each with a default and its help."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, get_args, get_type_hints

from branchwise.choices import MaskKind, OnLong, Reduction, Units, Variant
from branchwise.errors import ModelError


def setting(default: Any, help: str) -> Any:
    """Return a dataclass field with its default and a sentence of help."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The settings of HiA-T5; a saved model's config.json holds them."""

    backbone: str = setting(
        "google-t5/t5-base", "A T5, T5 v1.1, flan-T5 or mT5: a hub id, a folder, or starter."
    )
    variant: Variant = setting(
        "pamm", "t5 writes a flat set of labels, hia level by level, pamm adds the mask loss."
    )
    units: Units = setting("token", "token makes every label one symbol, text spells labels in word pieces.")
    mask: MaskKind = setting(
        "released", "The path-adaptive mask: of the paper's formula, or of its released code."
    )
    rho: float = setting(1.0, "Weight of the mask loss; comparable only within one reduction.")
    reduction: Reduction = setting(
        "mean", "How the mask loss is averaged: sum over a document's rows, mean over rows, or padded rows."
    )
    input_limit: int = setting(300, "The most word pieces of a document that are read.")
    output_limit: int = setting(60, "The most symbols or pieces of a target; also what padded divides by.")
    on_long: OnLong = setting(
        "error", "What to do with an over-long target: error, or drop its deepest labels."
    )
    dropout: float = setting(0.1, "Dropout of the whole network while it trains.")

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for one in fields(self):
            allowed = get_args(hints[one.name])
            value = getattr(self, one.name)
            if allowed and all(isinstance(choice, str) for choice in allowed) and value not in allowed:
                raise ModelError(f"{one.name} is {value!r}: choose one of {', '.join(allowed)}.")
        if self.rho < 0 or not 0 <= self.dropout < 1 or min(self.input_limit, self.output_limit) < 2:
            raise ModelError(
                f"rho is {self.rho}, dropout {self.dropout}, input_limit {self.input_limit} and output_limit "
                f"{self.output_limit}: rho must not be negative, dropout in [0, 1), the limits at least 2."
            )

    @property
    def mask_weight(self) -> float:
        """The weight of the mask loss for this variant: only ``pamm`` has one."""
        return self.rho if self.variant == "pamm" else 0.0
