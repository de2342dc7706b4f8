"""A command line to run, and a tiny T5."""

from tests.cli.conftest import branchwise
from tests.compare.conftest import backbone

__all__ = ["backbone", "branchwise"]
