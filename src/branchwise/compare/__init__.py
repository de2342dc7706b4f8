"""A door: trains several systems on the same documents, measures them with the same code, and reports on all."""

from branchwise.compare.results import Results, read_results
from branchwise.compare.run import compare, forget
from branchwise.compare.systems import Entry, read_entries

__all__ = ["Entry", "Results", "compare", "forget", "read_entries", "read_results"]
