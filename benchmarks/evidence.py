"""The tables about training, as lists of runs: settings, the ρ grid, the three variants.

Every run is a process of :mod:`benchmarks.experiment` with one result file, and is not made again where that file
is there, so that a list cut short goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

Run = tuple[str, int, dict[str, object]]  # name, training documents, settings

# The first 128 pieces of a text cost about half of what whole texts do.
SHORT = {"input_limit": 128, "batch": 8, "passes": 1}
GRID = (0.1, 1, 10, 100, 200)
SEEDS = (0, 1, 2)


def settings() -> Iterator[Run]:
    """List what may be best per minute, on validation: 4,000 documents, `hia`, one seed."""
    base = {"variant": "hia", **SHORT}
    yield "settings/base", 4000, base
    yield "settings/batch-4", 4000, {**base, "batch": 4}
    yield "settings/rate-2e-3", 4000, {**base, "learning_rate": 2e-3}
    yield "settings/still-words", 4000, {**base, "train_piece_vectors": False}
    yield "settings/rate-5e-4", 4000, {**base, "learning_rate": 5e-4}
    yield "settings/whole-text", 4000, {**base, "input_limit": 300}
    yield "settings/2-passes", 4000, {**base, "passes": 2}
    # On two threads a batch of 16 goes through 1.4 times the documents a second that batches of 8 do.
    yield "settings/batch-16-longer", 4000, {**base, "batch": 16, "passes": 1.4}


def rho() -> Iterator[Run]:
    """List the paper's grid of ρ in `mean`, both masks, on validation; `settings/base` is ρ = 0."""
    for weight in GRID:
        for mask in ("released", "paper"):
            yield f"rho/{mask}-{weight:g}", 4000, {"mask": mask, "rho": weight, **SHORT}


def variants() -> Iterator[Run]:
    """List the ablation: three variants, three seeds, on test; and once the other ρ that validation favours."""
    for seed in SEEDS:
        for variant in ("hia", "pamm", "t5"):
            yield f"variants/{variant}-seed-{seed}", 8000, {"variant": variant, "seed": seed, **SHORT}
    for weight in (10, 0.1):
        yield f"variants/pamm-rho-{weight:g}-seed-0", 8000, {"rho": weight, **SHORT}


LISTS = {"settings": settings, "rho": rho, "variants": variants}
ON_TEST = ("variants",)


def main() -> None:
    """Make the runs of some lists that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lists", nargs="+", choices=list(LISTS))
    parser.add_argument("--data", type=Path, required=True, help="as for benchmarks.experiment")
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results/training"))
    parser.add_argument("--models", type=Path, help="folder that keeps the trained models")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time, which share the cores")
    arguments = parser.parse_args()
    threads = max((os.cpu_count() or 1) // arguments.jobs, 1)

    def make(run: tuple[str, Run]) -> None:
        name, (title, documents, changes) = run
        part = "test" if name in ON_TEST else "validation"
        values = {"backbone": "starter", "validation_documents": 400, **changes}
        command = [sys.executable, "-m", "benchmarks.experiment", "--data", str(arguments.data)]
        command += ["--name", title, "--documents", str(documents), "--on", part]
        command += ["--measured", "2000" if part == "test" else "1000"]
        command += ["--results", str(arguments.results)]
        command += ["--models", str(arguments.models)] if arguments.models else []
        command += [word for key, value in values.items() for word in ("--set", f"{key}={json.dumps(value)}")]
        subprocess.run(command, check=False, env={**os.environ, "OMP_NUM_THREADS": str(threads)})

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(make, [(name, run) for name in arguments.lists for run in LISTS[name]()]))


if __name__ == "__main__":
    main()
