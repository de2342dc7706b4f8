"""One call that measures predicted label sets, and scores where there are any, against the truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from branchwise.errors import EvaluationError
from branchwise.evaluation import f1
from branchwise.evaluation.calibration import calibrate
from branchwise.evaluation.counts import per_document, per_label
from branchwise.evaluation.hierarchy import hierarchy_scores, is_inconsistent
from branchwise.evaluation.ranking import rank_labels
from branchwise.evaluation.result import Evaluation
from branchwise.evaluation.scores import check_scores
from branchwise.evaluation.sets import AnySets, check_together
from branchwise.taxonomy import Taxonomy


def evaluate(
    tree: Taxonomy,
    truth: AnySets,
    predicted: AnySets,
    *,
    scores: Any = None,
    add_ancestors: bool = False,
    invalid: Any = None,
) -> Evaluation:
    """Measure predictions with every metric of the project.

    Parameters
    ----------
    tree
        The taxonomy that both kinds of sets are over.
    truth
        The true label sets: LabelSets, or one iterable of label ids a document. They are closed upwards here.
    predicted
        The predicted label sets, in the same order. They are scored as they are.
    scores
        Documents × labels in the taxonomy's order, between 0 and 1, dense or SciPy sparse (a cell that is not
        stored is 0); without them, ranking and calibration are not reported.
    add_ancestors
        Add missing ancestors to the predictions before scoring, after counting where they are missing.
    invalid
        How many outputs were no valid label sequence, or a boolean a document; not reported where None.
    """
    true, given = check_together(tree, truth, predicted=predicted)
    checked_scores = None if scores is None else check_scores(tree, scores, len(true))
    invalid_output = None if invalid is None else _count_invalid(invalid, len(true)) / len(true)
    inconsistent = int(is_inconsistent(tree, given).sum())
    scored = given.closed(tree) if add_ancestors else given
    by_label = per_label(true, scored, len(tree))
    by_document = per_document(true, scored)
    whole = by_label.total()
    return Evaluation(
        documents=len(true),
        labels=len(tree),
        supported_labels=int(by_label.supported.sum()),
        micro_f1=float(f1.micro_f1(by_label)),
        micro_precision=f1.precision(whole).item(),
        micro_recall=f1.recall(whole).item(),
        macro_f1_all=float(f1.macro_f1(by_label)),
        macro_f1_supported=float(f1.macro_f1(by_label, supported_only=True)),
        weighted_f1=float(f1.weighted_f1(by_label)),
        document_f1=f1.document_f1(by_document),
        exact_match=float(f1.is_exact(by_document).mean()),
        hierarchy=hierarchy_scores(tree, true, scored),
        label_inconsistency=inconsistent / len(true),
        ancestors_added=add_ancestors,
        documents_completed=inconsistent if add_ancestors else 0,
        invalid_output=invalid_output,
        ranking=None if checked_scores is None else rank_labels(checked_scores, true),
        calibration=None if checked_scores is None else calibrate(checked_scores, true),
        levels=f1.level_scores(tree, by_label),
        per_label=f1.label_scores(tree, by_label),
    )


def _count_invalid(invalid: Any, n_documents: int) -> int:
    flags = np.asarray(invalid)
    if flags.ndim == 0 and flags.dtype.kind in "iu" and 0 <= flags <= n_documents:
        return int(flags)
    if flags.shape == (n_documents,) and flags.dtype.kind == "b":
        return int(flags.sum())
    raise EvaluationError(
        f"The invalid outputs must be a whole number from 0 to {n_documents} or one boolean for each of the "
        f"{n_documents} documents, not {np.shape(invalid) or invalid!r} of type {flags.dtype}."
    )
