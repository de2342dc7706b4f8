"""What the demo ran on, in a few words: times mean nothing without it."""

from __future__ import annotations

import os
import platform
from pathlib import Path

PROCESSORS, GIB = Path("/proc/cpuinfo"), 2**30


def hardware() -> str:
    """Return processor, cores, memory and graphics card as people call them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parts = [_processor(), f"{cores} core{'' if cores == 1 else 's'}"]
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        parts.append(f"{memory / GIB:.0f} GB of memory")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        pass
    return ", ".join([*parts, *_cards()])


def _processor() -> str:
    if PROCESSORS.exists():
        for line in PROCESSORS.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _cards() -> list[str]:
    try:
        import torch
    except ModuleNotFoundError:
        return []
    return [str(torch.cuda.get_device_name())] if torch.cuda.is_available() else []
