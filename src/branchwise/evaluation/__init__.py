"""How good predicted label sets are: every metric, prediction files, and whether a difference is real."""

from branchwise.evaluation.bootstrap import PairedBootstrap, paired_bootstrap
from branchwise.evaluation.evaluate import evaluate
from branchwise.evaluation.predictions import Predictions, match, read_predictions
from branchwise.evaluation.result import Evaluation

__all__ = [
    "Evaluation",
    "PairedBootstrap",
    "Predictions",
    "evaluate",
    "match",
    "paired_bootstrap",
    "read_predictions",
]
