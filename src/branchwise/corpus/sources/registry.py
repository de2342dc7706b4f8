"""The benchmarks by name; each is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from branchwise.corpus.sources.benchmark import Benchmark
from branchwise.errors import CorpusError

_HOMES = {"rcv1": "Rcv1", "nyt": "Nyt", "wos": "Wos", "arxiv": "Arxiv", "bgc": "Bgc"}
BENCHMARKS = tuple(_HOMES)


def benchmark(name: str, **options: Any) -> Benchmark:
    """Return a benchmark with its options, or say which there are."""
    if name not in _HOMES:
        raise CorpusError(f"There is no benchmark {name!r}: choose one of {', '.join(BENCHMARKS)}.")
    made: Benchmark = getattr(import_module(f"branchwise.corpus.sources.{name}"), _HOMES[name])(**options)
    return made
