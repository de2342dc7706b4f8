"""What this machine can do: its matrix-multiply rate, by a short probe, and its memory."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

PATIENCE = 0.35  # seconds a kind of number
SIDE, SIDE_ON_GPU = 1024, 4096


@dataclass(frozen=True)
class Machine:
    """A device with what was measured on it."""

    device: str  # as people call it
    flops: float  # matrix-multiply operations a second
    memory: int | None  # bytes, None where the system does not say


@functools.cache
def measure_machine() -> Machine:
    """Measure the device that training would use: with torch its best kind of number, else numpy's."""
    if find_spec("torch") is not None:
        return _with_torch()
    return Machine("CPU, 32 bits (numpy)", _numpy_rate(), _memory())


def _with_torch() -> Machine:
    import torch

    if torch.cuda.is_available():
        card = torch.cuda.get_device_properties(0)
        rate = _torch_rate(torch, torch.bfloat16, "cuda", SIDE_ON_GPU)
        return Machine(f"{card.name}, bfloat16", rate, int(card.total_memory))
    # Without hardware for it bfloat16 can be many times slower than 32 bits, so the better of the two counts.
    rates = {
        "bfloat16": _torch_rate(torch, torch.bfloat16, "cpu", SIDE),
        "32 bits": _torch_rate(torch, torch.float32, "cpu", SIDE),
    }
    best = max(rates, key=rates.__getitem__)
    return Machine(f"CPU, {best}", rates[best], _memory())


def _torch_rate(torch: Any, kind: Any, device: str, side: int) -> float:
    a, b = (torch.rand(side, side, device=device, dtype=torch.float32).to(kind) for _ in range(2))

    def multiply() -> None:
        with torch.inference_mode():
            torch.matmul(a, b)
        if device == "cuda":
            torch.cuda.synchronize()

    return _rate(multiply, side)


def _numpy_rate() -> float:
    a = np.ones((SIDE, SIDE), np.float32)
    return _rate(lambda: a @ a, SIDE)


def _rate(multiply: Callable[[], Any], side: int) -> float:
    """Return operations a second of the quickest of some multiplications."""
    ends = time.perf_counter() + PATIENCE
    best = float("inf")
    while True:
        start = time.perf_counter()
        multiply()
        now = time.perf_counter()
        best = min(best, now - start)
        if now > ends:
            return 2.0 * side**3 / best


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None
