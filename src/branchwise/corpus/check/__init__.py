"""What a careful colleague would look at in a corpus before training on it."""

from branchwise.corpus.check.check import check
from branchwise.corpus.check.findings import CheckReport, Finding

__all__ = ["CheckReport", "Finding", "check"]
