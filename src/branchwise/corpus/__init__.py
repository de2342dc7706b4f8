"""Documents and their label sets: readers of every format, policies, splits, statistics and checks."""

from branchwise.corpus.corpus import Corpus
from branchwise.corpus.policies import Policies, ReadingReport

__all__ = ["Corpus", "Policies", "ReadingReport"]
