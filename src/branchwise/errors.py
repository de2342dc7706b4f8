"""The errors a user can cause: each message is one sentence saying what is wrong, where, and what to do."""

from __future__ import annotations


class BranchwiseError(ValueError):
    """Anything wrong with what a user gave us; the command line prints it and leaves with exit code 2."""


class TaxonomyError(BranchwiseError):
    """A taxonomy that is not a tree of labels, or a label that is not in it."""


class CorpusError(BranchwiseError):
    """A document file that cannot be read as asked."""


class SequenceError(BranchwiseError):
    """A label set that cannot be written as a sequence, or the other way round."""


class EvaluationError(BranchwiseError):
    """Truth and predictions that do not belong together."""


class MissingExtraError(BranchwiseError):
    """An optional dependency that is not installed."""


class ModelError(BranchwiseError):
    """A backbone or a saved model that cannot be used as asked."""


class TrainingError(BranchwiseError):
    """Training that cannot go on."""
