"""The label tree as flat arrays in canonical order, label sets over it, and the file formats it comes in."""

from branchwise.taxonomy.labelsets import LabelSets
from branchwise.taxonomy.tree import ROOT, Taxonomy

__all__ = ["ROOT", "LabelSets", "Taxonomy"]
