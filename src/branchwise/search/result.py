"""What a search has found out: its trials, which of them is best, and all of it as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from branchwise.choices import Average
from branchwise.errors import TrainingError
from branchwise.search.space import Range, Space
from branchwise.training.settings import Settings


@dataclass(frozen=True)
class Trial:
    """One setting of everything searched, and how the model that it gave validates."""

    number: int  # 1 for the first
    changes: dict[str, Any]  # the searched settings
    best: dict[str, float] | None = None  # figures and step of the model that validated best
    steps: int | None = None
    seconds: float | None = None
    error: str | None = None  # why there is no model
    same_as: int | None = None  # the trial whose figures these are, where nothing that matters differs

    def score(self, average: Average) -> float | None:
        """Return the validation F1, None where the trial failed."""
        return self.best[f"{average}_f1"] if self.best else None

    def to_dict(self) -> dict[str, Any]:
        """Return the trial as JSON has it."""
        return {**asdict(self), "micro_f1": self.score("micro"), "macro_f1": self.score("macro")}


@dataclass
class SearchResult:
    """The trials of a search, in the order in which they were made."""

    objective: Average
    space: Space
    settings: Settings  # what the trials start from
    documents: Mapping[str, int]  # in training and validation
    planned: int  # trials that there are to be
    trials: list[Trial] = field(default_factory=list)

    @property
    def best(self) -> Trial:
        """The trial with the highest objective, the earlier of two."""
        if self.best_or_none is None:
            why = f"; the first: {self.trials[0].error}" if self.trials else "."
            raise TrainingError(f"None of {len(self.trials)} trials came to a model{why}")
        return self.best_or_none

    @property
    def best_or_none(self) -> Trial | None:
        """The best trial, None while none has come to a model."""
        first = next(iter(self.ranked()), None)
        return first if first is not None and first.best else None

    @property
    def best_settings(self) -> Settings:
        """The settings to train with."""
        return self.settings_of(self.best.changes)

    def settings_of(self, changes: dict[str, Any]) -> Settings:
        """Return a trial's settings, all of them."""
        return replace(self.settings, **changes)

    def is_better(self, trial: Trial) -> bool:
        """Say whether a new trial is better than all before it."""
        new, old = trial.score(self.objective), self.best_or_none
        return new is not None and (old is None or new > (old.score(self.objective) or 0.0))

    def ranked(self) -> list[Trial]:
        """Return the trials, the best first and the failed last."""

        def place(trial: Trial) -> float:
            score = trial.score(self.objective)
            return -score if score is not None else 1.0

        return sorted(self.trials, key=place)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        best = self.best_or_none
        return {
            "objective": self.objective,
            "space": space_to_dict(self.space),
            "settings": asdict(self.settings),
            "documents": dict(self.documents),
            "planned": self.planned,
            "best": best.to_dict() if best else None,
            "trials": [one.to_dict() for one in self.trials],
        }


def space_to_dict(space: Space) -> dict[str, Any]:
    """Return a space as JSON has it: lists of values, and ranges as they are written."""
    return {
        name: str(values) if isinstance(values, Range) else list(values) for name, values in space.items()
    }
