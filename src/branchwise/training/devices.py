"""Which device and precision a run uses, and how that is said."""

from __future__ import annotations

import os

import torch

from branchwise.errors import ModelError


def is_first_process() -> bool:
    """Say whether this is the one process, or the first of several that train together."""
    return os.environ.get("RANK", "0") == "0"


def choose_device(wanted: str = "auto") -> torch.device:
    """Return the device that was asked for; ``auto`` takes a GPU where there is one."""
    if wanted == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(wanted)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise ModelError(
            f"The device {wanted!r} cannot be used ({reason}): choose auto, cpu or cuda."
        ) from error
    return device


def choose_precision(wanted: str, device: torch.device) -> str:
    """Return bf16 or fp32; ``auto`` takes bf16 where the hardware multiplies matrices in it."""
    if wanted != "auto":
        return wanted
    if device.type == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported() else "fp32"
    return "bf16" if device.type == "cpu" and _cpu_has_bf16() else "fp32"


def _cpu_has_bf16() -> bool:
    cpu = torch.cpu
    return any(getattr(cpu, name, bool)() for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
