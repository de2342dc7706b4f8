"""The search itself: one training a trial, each put down before the next begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.choices import Average
from branchwise.classifier import HierarchicalClassifier
from branchwise.corpus import Corpus
from branchwise.errors import BranchwiseError
from branchwise.extras import require
from branchwise.search import output as files
from branchwise.search.attempt import Attempts
from branchwise.search.result import SearchResult, space_to_dict
from branchwise.search.space import PAPER_GRID, GivenSpace, grid_size, read_space
from branchwise.taxonomy import Taxonomy

if TYPE_CHECKING:
    from branchwise.search.journal import Journal

BEST = "best"
USUAL_TRIALS = 20

Tell = Callable[[str], None]


def check_installed() -> None:
    """Raise where a library that a search needs is missing."""
    require("transformers", "train", "Training")
    require("optuna", "search", "Searching")


def search(
    taxonomy: Taxonomy,
    train: Corpus,
    validation: Corpus,
    *,
    output: str | Path,
    space: GivenSpace | None = None,
    trials: int | None = None,
    objective: Average | None = None,
    backbone: str | None = None,
    preset: str = "fast",
    device: str = "auto",
    keep_best: bool = False,
    tell: Tell | None = None,
    **settings: Any,
) -> SearchResult:
    """Train once for every setting to try, and say which validates best.

    A search that was stopped or killed goes on where it was when it is called again with the same settings.

    Parameters
    ----------
    taxonomy, backbone, preset, settings
        As for :class:`branchwise.HierarchicalClassifier`; the trials start from these.
    train, validation
        Documents to learn from, and documents to choose by.
    output
        The search's own folder: its journal, a record of every trial, a table and a picture.
    space
        Values or a :class:`Range` by setting, or a text such as ``1e-4..3e-3``; the paper's grid of ρ where absent.
    trials
        The most trials; where absent, a grid is tried whole and ranges get 20.
    objective
        The validation F1 to maximise, ``micro`` or ``macro``; the setting ``select`` where absent.
    device
        ``auto``, ``cpu``, ``cuda``, ….
    keep_best
        Keep the best trial's model in the folder ``best``; other models are not kept.
    tell
        Called with a sentence for every thing worth knowing on the way.
    """
    check_installed()
    from branchwise.search.journal import Journal
    from branchwise.training.devices import choose_device

    if objective is not None and settings.setdefault("select", objective) != objective:
        raise BranchwiseError(
            f"select is {settings['select']} and the objective {objective}: give one of them."
        )
    base = HierarchicalClassifier(taxonomy, backbone, preset, **settings).settings
    wanted = read_space(PAPER_GRID if space is None else space, base)
    given = {*settings, *(("backbone",) if backbone is not None else ())}
    if twice := sorted(given & set(wanted)):
        raise BranchwiseError(
            f"{twice[0]} has a value and is to be searched as well: leave one of them away."
        )
    size = grid_size(wanted)
    if trials is not None and trials < 1:
        raise BranchwiseError(f"{trials} trials were asked for: it takes at least 1.")
    planned = min(
        one for one in (trials or (USUAL_TRIALS if size is None else size), size) if one is not None
    )
    choose_device(device)  # before anything is written: an unusable one is no trial's fault
    asked = {
        "settings": asdict(base),
        "space": space_to_dict(wanted),
        "taxonomy": taxonomy.fingerprint,
        "training data": train.fingerprint,
        "validation data": validation.fingerprint,
    }
    folder = Path(output)
    journal = Journal(folder, asked, wanted, base.seed)
    documents = {"train": len(train), "validation": len(validation)}
    finished = journal.finished()
    planned = max(planned, len(finished))
    result = SearchResult(base.select, wanted, base, documents, planned, finished)
    told = _each_once(tell)
    attempts = Attempts(taxonomy, train, validation, device, folder / BEST if keep_best else None, told)
    _try_all(journal, result, attempts, folder)
    if keep_best and attempts.kept() != result.best.number:
        told(
            f"Trial {result.best.number}, the best, came before models were kept, so that it is not in "
            f"{folder / BEST}: train it with {files.as_options(result.best)}."
        )
    return result


def _try_all(journal: Journal, result: SearchResult, attempts: Attempts, folder: Path) -> None:
    """Make the trials that are left, and bring what the folder shows up to date after each."""
    if result.trials:
        attempts.tell(f"{len(result.trials):,} of {result.planned:,} trials are finished already.")
        files.write(result, folder, attempts.tell)
    try:
        while len(result.trials) < result.planned:
            begun, changes = journal.next()
            trial = attempts.make(changes, result)
            journal.finish(begun, trial, trial.score(result.objective))
            result.trials.append(trial)
            files.write(result, folder, attempts.tell)
    except KeyboardInterrupt:
        attempts.tell(
            f"Stopped in trial {len(result.trials) + 1:,} of {result.planned:,}; the same command goes on with it from "
            "its beginning."
        )
        raise


def _each_once(tell: Tell | None) -> Tell:
    """Return a teller that says nothing twice, as all trials have much in common."""
    said: set[str] = set()

    def once(sentence: str) -> None:
        if tell is not None and sentence not in said:
            said.add(sentence)
            tell(sentence)

    return once
