"""Branchwise sorts documents into your own tree of labels.

The whole public surface is what stands in ``__all__``; each name is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchwise.classifier import HierarchicalClassifier
    from branchwise.corpus import Corpus
    from branchwise.evaluation import evaluate
    from branchwise.taxonomy import Taxonomy

__all__ = ["Corpus", "HierarchicalClassifier", "Taxonomy", "evaluate"]
__version__ = "0.1.0"

_HOMES = {
    "Corpus": "branchwise.corpus",
    "HierarchicalClassifier": "branchwise.classifier",
    "Taxonomy": "branchwise.taxonomy",
    "evaluate": "branchwise.evaluation",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'branchwise' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
