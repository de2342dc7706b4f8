"""The choices that people make by name; a module of its own, so that the command line can list them at once."""

from __future__ import annotations

from typing import Literal, get_args

Variant = Literal["t5", "hia", "pamm"]
Units = Literal["token", "text"]
MaskKind = Literal["paper", "released"]
Reduction = Literal["sum", "mean", "padded"]
OnLong = Literal["error", "drop"]
Decoding = Literal["free", "constrained"]
Repair = Literal["drop", "close"]
Rule = Literal["set", "threshold", "expected-f1"]
Calibrating = Literal["none", "temperature", "isotonic"]
Precision = Literal["auto", "bf16", "fp32"]
Computes = Literal["fp32", "bf16"]  # what ``auto`` has been decided to mean
Schedule = Literal["linear", "constant"]
FlatOrder = Literal["fixed", "each-pass"]
Average = Literal["micro", "macro"]

VARIANTS: tuple[Variant, ...] = get_args(Variant)
MASKS: tuple[MaskKind, ...] = get_args(MaskKind)
