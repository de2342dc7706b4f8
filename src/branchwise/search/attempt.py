"""One trial: a model trained with its settings, or the reason why there is none."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from branchwise.classifier import HierarchicalClassifier
from branchwise.corpus import Corpus
from branchwise.errors import BranchwiseError, MissingExtraError, ModelError
from branchwise.model.folder import RECORD, read_json
from branchwise.search.output import spoken_changes
from branchwise.search.result import SearchResult, Trial
from branchwise.search.space import what_matters
from branchwise.taxonomy import Taxonomy


@dataclass
class Attempts:
    """Makes trials, one after another; ``keep`` is the folder for the best model, where that is kept."""

    tree: Taxonomy
    train: Corpus
    validation: Corpus
    device: str
    keep: Path | None
    tell: Callable[[str], None]

    def make(self, changes: dict[str, Any], result: SearchResult) -> Trial:
        """Return the trial of some settings, which is the next after those of ``result``."""
        trial = Trial(len(result.trials) + 1, changes)
        named = f"Trial {trial.number:,} of {result.planned:,}"
        self.tell(f"{named}: {spoken_changes(trial)}.")
        if same := _same(trial, result):
            self.tell(f"{named} is the same as trial {same.number:,} and is not trained again.")
            return replace(same, number=trial.number, changes=changes, seconds=0.0, same_as=same.number)
        started = time.monotonic()
        trial = self._attempt(trial, named, result)
        gc.collect()  # the trainer refers to itself, and a large model should not wait to be found
        return replace(trial, seconds=round(time.monotonic() - started, 1))

    def _attempt(self, trial: Trial, named: str, result: SearchResult) -> Trial:
        """Return the trial with its figures, or with the reason why it has none."""
        try:
            classifier = self._train(trial, result)
        except Exception as error:  # whatever its settings do to a trial, the others are not lost
            if result.best_or_none is None and isinstance(error, ModelError | MissingExtraError):
                raise  # no backbone, say: that would be the end of every trial
            self.tell(f"{named} failed: {_reason(error)}")
            return replace(trial, error=_reason(error))
        record = classifier.model.record
        trial = replace(trial, best=record["best"], steps=record["steps"])
        if self.keep is not None and result.is_better(trial):
            record["search"] = {"trial": trial.number, "changes": trial.changes}
            classifier.save(self.keep)
        scores = f"micro F1 {trial.score('micro'):.4f}, macro F1 {trial.score('macro'):.4f}"
        self.tell(f"{named}: {scores} on validation.")
        return trial

    def _train(self, trial: Trial, result: SearchResult) -> HierarchicalClassifier:
        settings = vars(result.settings_of(trial.changes))
        classifier = HierarchicalClassifier(self.tree, **settings)
        return classifier.fit(self.train, self.validation, device=self.device, tell=self.tell)

    def kept(self) -> int | None:
        """Return the number of the trial whose model is kept."""
        if self.keep is None or not (self.keep / RECORD).exists():
            return None
        return read_json(self.keep / RECORD).get("search", {}).get("trial")


def _same(trial: Trial, result: SearchResult) -> Trial | None:
    """Return the first trial that differs in nothing that matters."""
    matters = what_matters(result.settings_of(trial.changes))
    return next(
        (one for one in result.trials if what_matters(result.settings_of(one.changes)) == matters), None
    )


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, BranchwiseError) else f"{type(error).__name__}: {error}"
