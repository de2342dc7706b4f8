"""From texts to label sets as a user wishes them: written, scored, calibrated, decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from scipy.sparse import csr_array, issparse, vstack

from branchwise.choices import Rule
from branchwise.decoding.decision import Decisions, best_labels, confidence
from branchwise.decoding.documents import FAINT, decode_documents
from branchwise.decoding.options import DecodingOptions
from branchwise.errors import ModelError
from branchwise.model.bundle import Model
from branchwise.model.pieces import tokenise
from branchwise.score_arrays import dense
from branchwise.taxonomy import LabelSets

CELLS = 1 << 22  # scores that are sorted and calibrated at a time


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What a user wishes of a prediction, beside how sets are written."""

    decision: Rule | None = None
    """``set``: what was written; ``threshold``; ``expected-f1``; where None, what served best on validation."""
    threshold: float | None = None
    """The least score of a label; the tuned ones where None."""
    top: int | None = None
    """So many of the best labels, and no other rule."""
    abstain_below: float | None = None
    """The least confidence; documents below it are left to people."""
    calibrated: bool = True
    """Whether scores are calibrated as validation taught."""

    def __post_init__(self) -> None:
        if self.decision is not None and self.decision not in get_args(Rule):
            raise ModelError(f"The decision is {self.decision!r}: choose one of {', '.join(get_args(Rule))}.")
        for name in ("threshold", "abstain_below"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float) and 0 <= value <= 1):
                raise ModelError(f"{name} is {value!r}: give a number from 0 to 1.")
        if self.top is not None and (not isinstance(self.top, int) or self.top < 1):
            raise ModelError(f"top is {self.top}: ask for a whole number of labels, at least one.")
        if self.threshold is not None and self.decision not in (None, "threshold"):
            raise ModelError(
                f"A threshold was given, but the decision is {self.decision!r}: leave one of them out."
            )
        if self.top is not None and (self.decision is not None or self.threshold is not None):
            raise ModelError("top decides by itself: leave decision and threshold out.")


@dataclass(frozen=True, eq=False)
class Outcome:
    """What is said of N documents."""

    sets: LabelSets
    scores: np.ndarray | csr_array | None  # [N, K], calibrated; None where nobody needs them
    wrong: tuple[tuple[str, ...], ...]  # of each document, the kinds of what is wrong with what was written
    repaired: np.ndarray  # [N] bool
    confidence: np.ndarray | None  # [N]
    abstained: np.ndarray  # [N] bool


def predict_texts(
    model: Model,
    texts: Sequence[str],
    options: DecodingOptions | None = None,
    wishes: Wishes | None = None,
    *,
    scores: bool = False,
    quiet: bool = False,
) -> Outcome:
    """Predict the label sets of texts.

    Parameters
    ----------
    model
        The trained model.
    texts
        The documents.
    options
        How sets are written, and scores found.
    wishes
        How sets come out of what was written and scored.
    scores
        Whether scores are wanted for themselves.
    quiet
        Show no progress of its own.
    """
    options, wishes = options or DecodingOptions(), wishes or Wishes()
    learned = Decisions.from_dict(model.decisions, model.tree)
    wished = _wished(options, wishes, learned, model.tree.depth)
    needed = scores or wished.rule != "set" or wishes.top is not None or wishes.abstain_below is not None
    if options.samples and not needed:
        raise ModelError(
            "Samples are drawn to score labels, and nothing here asks for scores: leave samples out, or ask for "
            "scores, a threshold or top."
        )
    empty = may_be_empty(model)
    pieces = tokenise(texts, len(texts), model.tokenizer, model.config.input_limit)
    options = replace(options, may_be_empty=options.may_be_empty or empty)
    decoded = decode_documents(model, pieces, options, scores=needed, quiet=quiet)
    sets = decoded.sets
    if options.decoding == "constrained":
        sets = sets.closed(model.tree)  # the t5 variant writes flat sets
    if decoded.scores is None:
        nobody = np.zeros(len(sets), bool)
        return Outcome(sets, None, decoded.wrong, decoded.repaired, None, nobody)
    calibrated, decided, sure = [], [], []
    is_sparse = issparse(decoded.scores)
    calibrate = wishes.calibrated and not options.samples  # maps are fitted to scores of the greedy pass
    step = max(CELLS // max(len(model.tree), 1), 1)
    for start in range(0, max(len(sets), 1), step):
        rows = np.arange(start, min(start + step, len(sets)))
        part = dense(decoded.scores[rows])
        part = learned.calibration.apply(part, model.tree) if calibrate else part
        if wishes.top is not None:
            chosen = best_labels(part, wishes.top)
        else:
            chosen = wished.decide(part, sets.take(rows), model.tree, empty)
        decided += list(chosen)
        sure.append(confidence(part, chosen))
        calibrated.append(csr_array(np.where(part < FAINT, 0, part)) if is_sparse else part)
    sets = LabelSets.from_lists(decided)
    certain = np.concatenate(sure)
    whole = csr_array(vstack(calibrated)) if is_sparse else np.concatenate(calibrated)
    abstained = certain < (wishes.abstain_below or 0.0)
    return Outcome(
        sets,
        whole,
        decoded.wrong,
        decoded.repaired,
        certain,
        abstained,
    )


def may_be_empty(model: Model) -> bool:
    """Say whether training held documents without labels, so that a prediction may be without."""
    return bool(model.record.get("train", {}).get("documents_without_labels", 0))


def _wished(options: DecodingOptions, wishes: Wishes, learned: Decisions, depth: int) -> Decisions:
    """Return how to decide where ``top`` does not, or say which wishes exclude each other."""
    by_scores = wishes.top or wishes.threshold is not None or wishes.decision in ("threshold", "expected-f1")
    if by_scores and not options.is_plain:
        raise ModelError(
            "Labels cannot come from scores (decision, threshold, top) and from a way of writing (free decoding, "
            "beams, leaves only, at most) at once: leave one of the two out."
        )
    if wishes.threshold is not None:
        return replace(learned, rule="threshold", thresholds=(wishes.threshold,) * depth)
    if wishes.decision is not None:
        return replace(learned, rule=wishes.decision)
    # Who says how to write wants what was written; and what was learned holds for scores of the greedy pass.
    is_usual = options.is_plain and not options.samples and wishes.calibrated
    return learned if is_usual else replace(learned, rule="set")
