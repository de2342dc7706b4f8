"""A door: from a benchmark's raw files to the paper's tables with our figures beside them, in one resumable run."""

from branchwise.reproduce.run import Reproduction, reproduce
from branchwise.reproduce.scale import SCALES, Scale

__all__ = ["SCALES", "Reproduction", "Scale", "reproduce"]
