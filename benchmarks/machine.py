"""What a benchmark ran on and how it is written down: figures mean nothing without the machine beside them."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """Describe the machine: processor, cores, memory, versions of what does the work."""
    processor = platform.processor() or platform.machine()
    memory = None
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next((line.split(": ")[1] for line in lines if line.startswith("model name")), processor)
        total = Path("/proc/meminfo").read_text().split()[1]
        memory = round(int(total) / 2**20, 1)
    found = {}
    for package in ("numpy", "scipy", "scikit-learn", "pyarrow", "torch", "transformers"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "memory_gib": memory,
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": found,
    }


def seconds(work: Callable[[], Any], repeats: int = 3) -> float:
    """Return the least wall time of a few runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def write_result(path: Path, command: str, figures: dict[str, Any]) -> None:
    """Write figures with their command and machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    result = {"command": command, "machine": machine(), **figures}
    path.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
