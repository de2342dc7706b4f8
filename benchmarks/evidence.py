"""The tables about training, as lists of runs: settings, the ρ grid, the three variants, the whole corpus.

Every run is a process of :mod:`benchmarks.experiment` with one result file, and is not made again where that file
is there, so that a list cut short goes on where it was.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

Run = tuple[str, int, dict[str, object]]  # name, training documents, settings

# About half the work a document; the list "settings" shows what that costs.
SHORT = {"input_limit": 128, "passes": 2, "batch": 8}
GRID = (0.1, 1, 10, 100, 200)
SEEDS = (0, 1, 2)


def settings() -> Iterator[Run]:
    """List what may be best per minute, on validation: 4,000 documents, `hia`, one seed."""
    yield "settings/whole-text-1-pass", 4000, {"variant": "hia", "passes": 1, "batch": 8}
    yield "settings/128-pieces-2-passes", 4000, {"variant": "hia", **SHORT}
    yield "settings/128-pieces-batch-16", 4000, {"variant": "hia", **SHORT, "batch": 16}
    yield "settings/128-pieces-rate-2e-3", 4000, {"variant": "hia", **SHORT, "learning_rate": 2e-3}
    yield "settings/128-pieces-still-words", 4000, {"variant": "hia", **SHORT, "train_piece_vectors": False}


def rho() -> Iterator[Run]:
    """List the paper's grid of ρ in `mean`, both masks, on validation; `hia` is ρ = 0."""
    for mask in ("released", "paper"):
        for weight in GRID:
            yield f"rho/{mask}-{weight:g}", 4000, {"mask": mask, "rho": weight, **SHORT}


def variants() -> Iterator[Run]:
    """List the ablation: three variants, three seeds, on test."""
    for seed in SEEDS:
        for variant in ("hia", "pamm", "t5"):
            yield f"variants/{variant}-seed-{seed}", 8000, {"variant": variant, "seed": seed, **SHORT}


def whole() -> Iterator[Run]:
    """List one pass over the whole corpus."""
    for variant in ("pamm", "hia"):
        yield f"whole/{variant}", 48000, {"variant": variant, "passes": 1, "batch": 8}


LISTS = {"settings": settings, "rho": rho, "variants": variants, "whole": whole}
ON_TEST = ("variants", "whole")


def main() -> None:
    """Make the runs of some lists that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lists", nargs="+", choices=list(LISTS))
    parser.add_argument("--data", type=Path, required=True, help="as for benchmarks.experiment")
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results/training"))
    arguments = parser.parse_args()
    for name in arguments.lists:
        for run, documents, changes in LISTS[name]():
            part = "test" if name in ON_TEST else "validation"
            values = {"backbone": "starter", "validation_documents": 1000, **changes}
            command = [sys.executable, "-m", "benchmarks.experiment", "--data", str(arguments.data)]
            command += ["--name", run, "--documents", str(documents), "--on", part]
            command += ["--results", str(arguments.results)]
            command += [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
            subprocess.run(command, check=False)


if __name__ == "__main__":
    main()
