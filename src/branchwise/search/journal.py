"""A search's journal on disk, kept by Optuna: what was asked, what is finished, and which setting is next."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, GridSampler, TPESampler
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock
from optuna.trial import TrialState

from branchwise.errors import BranchwiseError, TrainingError
from branchwise.search.result import Trial
from branchwise.search.space import Range, Space, grid_size

NAME = "journal.jsonl"
RANDOM_FIRST = 5  # trials drawn at random before what they showed steers the next
DIGITS = 3  # significant ones of a number drawn from a range


class _Grid(GridSampler):
    """A grid whose end the caller notices; Optuna's own stops a loop that we do not use."""

    def after_trial(self, *_: Any) -> None:
        """Do nothing."""


class Journal:
    """The trials of one search, finished, cut short and to come.

    Parameters
    ----------
    folder
        Where the journal is, or will be.
    asked
        What the search is about, as JSON has it; a journal about something else is refused.
    space
        What is tried.
    seed
        Fixes what is drawn.
    """

    def __init__(self, folder: Path, asked: dict[str, Any], space: Space, seed: int) -> None:
        self.space, self.seed = space, seed
        self._distributions = {name: _distribution(values) for name, values in space.items()}
        try:
            self._study = _open(folder / NAME)
        except OSError as error:
            raise BranchwiseError(
                f"The search cannot be written to {folder} ({error.strerror or error}): choose another folder."
            ) from error
        except (ValueError, KeyError) as error:
            raise TrainingError(
                f"The search's journal {folder / NAME} cannot be read ({error}): choose another folder."
            ) from error
        known = self._study.user_attrs.get("asked")
        if known is None:
            self._study.set_user_attr("asked", asked)
        elif difference := _difference(known, asked):
            raise TrainingError(
                f"{folder} holds another search ({difference}): give the same settings and documents to go on with it, "
                "or choose another folder."
            )
        self._queue_what_was_cut_short()

    def finished(self) -> list[Trial]:
        """Return the trials that need not be made again, failed ones among them."""
        states = (TrialState.COMPLETE, TrialState.FAIL)
        records = (one.user_attrs["record"] for one in self._study.get_trials(False, states))
        return sorted((Trial(**one) for one in records), key=lambda one: one.number)

    def next(self) -> tuple[Any, dict[str, Any]]:
        """Begin a trial; return what :meth:`finish` wants to know it by, and its settings."""
        self._study.sampler = self._sampler()
        trial = self._study.ask(self._distributions)
        return trial, {name: _rounded(trial.params[name], values) for name, values in self.space.items()}

    def finish(self, begun: Any, trial: Trial, score: float | None) -> None:
        """Put a trial down as finished; without a score, as failed."""
        begun.set_user_attr("record", asdict(trial))
        if score is None:
            self._study.tell(begun, state=TrialState.FAIL)
        else:
            self._study.tell(begun, score)

    def _sampler(self) -> BaseSampler:
        """Return a sampler for the next trial alone, so that a search gone on with draws as one in a piece."""
        if grid_size(self.space) is not None:
            grid: Any = dict(self.space)
            return _Grid(grid, seed=self.seed)
        (seed,) = np.random.SeedSequence([self.seed, len(self.finished())]).generate_state(1)
        return TPESampler(seed=int(seed), n_startup_trials=RANDOM_FIRST)

    def _queue_what_was_cut_short(self) -> None:
        """Let trials that never finished be the next; Optuna keeps them as running for good."""
        queued = {one.user_attrs.get("again") for one in self._study.trials}
        for one in self._study.get_trials(states=(TrialState.RUNNING,)):
            if one.number not in queued:
                fixed = {"fixed_params": one.params} if one.params else {}
                again = optuna.trial.create_trial(
                    state=TrialState.WAITING,
                    user_attrs={"again": one.number},
                    system_attrs={**one.system_attrs, **fixed},
                )
                self._study.add_trial(again)


def _open(path: Path) -> Any:
    path.parent.mkdir(parents=True, exist_ok=True)
    _mend(path)
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        storage = JournalStorage(JournalFileBackend(str(path), JournalFileOpenLock(str(path))))
        return optuna.create_study(
            storage=storage, study_name="search", direction="maximize", load_if_exists=True
        )
    finally:
        optuna.logging.set_verbosity(verbosity)


def _mend(path: Path) -> None:
    """Take away a last line that a kill left half written, as Optuna would write on behind it."""
    if path.exists() and not (lines := path.read_bytes()).endswith(b"\n"):
        path.write_bytes(lines[: lines.rfind(b"\n") + 1])


def _difference(known: dict[str, Any], asked: dict[str, Any]) -> str:
    """Return the first thing in which two searches differ, in words; nothing where they are the same."""
    for name, value in asked["settings"].items():
        if (before := known["settings"].get(name)) != value:
            return f"its {name} is {before}, not {value}"
    return next((f"its {name} is another" for name, value in asked.items() if known.get(name) != value), "")


def _distribution(values: tuple[Any, ...] | Range) -> BaseDistribution:
    if not isinstance(values, Range):
        return CategoricalDistribution(values)
    kind: Any = IntDistribution if isinstance(values.low, int) else FloatDistribution
    return kind(values.low, values.high, log=values.log)


def _rounded(drawn: Any, values: tuple[Any, ...] | Range) -> Any:
    if not isinstance(values, Range) or isinstance(drawn, int):
        return drawn
    return min(max(float(f"{drawn:.{DIGITS}g}"), values.low), values.high)
