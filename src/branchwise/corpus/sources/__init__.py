"""The named benchmarks: from the raw files as people receive them to parts in our own format, with a manifest."""

from branchwise.corpus.sources.build import Built, build, read_built
from branchwise.corpus.sources.registry import BENCHMARKS, benchmark

__all__ = ["BENCHMARKS", "Built", "benchmark", "build", "read_built"]
