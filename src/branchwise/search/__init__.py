"""A door: looks for the settings that validate best, trial by trial, and goes on where it was cut short."""

from branchwise.search.result import SearchResult, Trial
from branchwise.search.run import search
from branchwise.search.space import Range

__all__ = ["Range", "SearchResult", "Trial", "search"]
