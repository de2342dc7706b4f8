"""One run: a system is trained, or its predictions are read, and it labels the test documents in every way it has."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from branchwise.classifier import HierarchicalClassifier
from branchwise.compare.systems import Entry
from branchwise.corpus import Corpus
from branchwise.decoding.decision import Decisions
from branchwise.evaluation import match, read_predictions
from branchwise.evaluation.hierarchy import is_inconsistent
from branchwise.evaluation.tuning import ENOUGH, tune
from branchwise.model.folder import CONFIG
from branchwise.rivals import new_rival
from branchwise.score_arrays import dense
from branchwise.taxonomy import LabelSets, Taxonomy

OWN, FREE, TUNED = "own", "free", "tuned"
WAYS = {OWN: "as it decides", FREE: "free decoding", TUNED: "tuned on validation"}
MOST_TO_TUNE = 2000  # validation documents that decisions are learned from; as many as our own model takes
SUSPICIOUS = 0.5  # share of inconsistent documents above which a file rather has leaves alone
CHECKPOINTS = "checkpoints"
ROWS = 1024  # documents whose scores are dense at a time

Tell = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Way:
    """The label sets of the test documents, decided in one way."""

    sets: LabelSets
    """As they were decided; nothing is repaired."""
    scores: Any = None  # [N, K] or None
    invalid: np.ndarray | None = None  # [N] bool


@dataclass
class Made:
    """What a run gave."""

    ways: dict[str, Way]
    costs: dict[str, float | None]
    decisions: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Parts:
    """The documents of a comparison, and what is the same for all of its runs."""

    tree: Taxonomy
    train: Corpus
    validation: Corpus
    test: Corpus
    preset: str = "fast"
    backbone: str | None = None
    device: str = "auto"

    @property
    def may_be_empty(self) -> bool:
        """Whether training held documents without labels, so that a prediction may be without."""
        return bool((self.train.labels.sizes == 0).any())


def new_system(entry: Entry, parts: Parts, seed: int) -> Any:
    """Return an untrained system; its settings are checked on the way."""
    if entry.kind == "rival":
        return new_rival(entry.system, parts.tree, seed=seed, **{"device": parts.device} | entry.settings)
    settings = {"backbone": parts.backbone, **entry.settings}
    return HierarchicalClassifier(
        parts.tree, preset=parts.preset, variant=entry.system, seed=seed, **settings
    )


def make(entry: Entry, parts: Parts, seed: int, place: Path, tell: Tell) -> Made:
    """Return what a run gives; a model that is trained is left in ``place``."""
    try:
        if entry.kind == "file":
            return _read(entry, parts, seed)
        return (_make_ours if entry.kind == "ours" else _make_rival)(entry, parts, seed, place, tell)
    finally:
        gc.collect()  # a trainer refers to itself, and a large model should not wait to be found


def _read(entry: Entry, parts: Parts, seed: int) -> Made:
    read = read_predictions(entry.files[seed], parts.tree)
    read = read.take(match(parts.test.ids, read.ids))
    scores = None if read.scores_only_what_is_predicted else read.scores
    notes = [] if scores is not None else ["It has no scores of all labels, so that nothing can be ranked."]
    if (share := float(is_inconsistent(parts.tree, read.sets).mean())) > SUSPICIOUS:
        notes.append(
            f"In {100 * share:.0f} % of its documents a label lacks its parent, and it is scored as it is: if the "
            "file has the most specific labels alone, add their ancestors to it."
        )
    return Made({OWN: Way(read.sets, scores, read.invalid)}, {}, notes=notes)


def _make_rival(entry: Entry, parts: Parts, seed: int, place: Path, tell: Tell) -> Made:
    watch = _Watch()
    system = new_system(entry, parts, seed).fit(parts.train, parts.validation, tell=tell)
    trained = watch.read()
    system.save(place)
    texts = list(parts.test.texts())
    started = time.perf_counter()
    sets = system.decide(texts)
    predicted = time.perf_counter() - started
    scores = system.scores(texts)
    shown = parts.validation.take(range(min(len(parts.validation), MOST_TO_TUNE)))
    own = list(shown.texts())
    empty = parts.may_be_empty
    decisions = tune(parts.tree, shown.labels, system.decide(own), system.scores(own), may_be_empty=empty)
    calibrated = decisions.calibration.apply(scores, parts.tree)
    ways = {OWN: Way(sets, scores), **_tuned(parts, decisions, sets, calibrated)}
    return Made(ways, _costs(trained, predicted, place), decisions.to_dict(), _untaught(decisions))


def _make_ours(entry: Entry, parts: Parts, seed: int, place: Path, tell: Tell) -> Made:
    from branchwise.decoding.options import DecodingOptions
    from branchwise.decoding.predicting import Wishes, predict_texts
    from branchwise.training.devices import choose_device, choose_precision

    notes = []
    trained: tuple[float, float | None]
    watch = _Watch()
    if (place / CONFIG).exists():  # trained, and cut short before it was measured
        classifier = HierarchicalClassifier.load(place, parts.tree)
        classifier.model.network.to(choose_device(parts.device))
        trained = float(classifier.model.record["seconds"]), None
    else:
        goes_on = any((place / CHECKPOINTS).glob("checkpoint-*"))
        classifier = new_system(entry, parts, seed)
        classifier.fit(
            parts.train, parts.validation, output=place, device=parts.device, resume=goes_on, tell=tell
        )
        trained = watch.read()
        if goes_on:
            notes.append("Training was interrupted, and its seconds count from where it went on.")
    model = classifier.model
    device = next(model.network.parameters()).device
    precision: dict[str, Any] = {"precision": choose_precision("auto", device)}
    texts = list(parts.test.texts())
    started = time.perf_counter()
    written = predict_texts(model, texts, DecodingOptions(**precision), Wishes(decision="set"), scores=True)
    predicted = time.perf_counter() - started
    free = predict_texts(model, texts, DecodingOptions(decoding="free", **precision), Wishes(decision="set"))
    learned = Decisions.from_dict(model.decisions, model.tree)
    ways = {
        OWN: Way(written.sets, written.scores, _invalid(written.wrong)),
        FREE: Way(free.sets, None, _invalid(free.wrong)),
        **_tuned(parts, learned, written.sets, written.scores),
    }
    return Made(ways, _costs(trained, predicted, place), model.decisions, notes + _untaught(learned))


def _tuned(parts: Parts, decisions: Decisions, own: LabelSets, scores: Any) -> dict[str, Way]:
    """Return the label sets by the rule that served best on validation; nothing where that taught nothing.

    ``scores`` are calibrated.
    """
    if not decisions.evidence:
        return {}
    decided: list[np.ndarray] = []
    for start in range(0, len(own), ROWS):
        rows = np.arange(start, min(start + ROWS, len(own)))
        decided += decisions.decide(dense(scores[rows]), own.take(rows), parts.tree, parts.may_be_empty)
    return {TUNED: Way(LabelSets.from_lists(decided), scores)}


def _untaught(decisions: Decisions) -> list[str]:
    """Return a note where validation has taught nothing."""
    few = f"Fewer than {ENOUGH} validation documents teach nothing about decisions, so nothing is tuned."
    return [] if decisions.evidence else [few]


def _invalid(wrong: tuple[tuple[str, ...], ...]) -> np.ndarray:
    return np.array([bool(one) for one in wrong], bool)


class _Watch:
    """Counts seconds from when it is made: those on the wall, and those that processors were at work."""

    def __init__(self) -> None:
        self._wall, self._busy = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float | None]:
        return time.perf_counter() - self._wall, time.process_time() - self._busy


def _costs(trained: tuple[float, float | None], predicted: float, place: Path) -> dict[str, float | None]:
    files = [
        one for one in place.rglob("*") if one.is_file() and CHECKPOINTS not in one.relative_to(place).parts
    ]
    return {
        "training_seconds": round(trained[0], 2),
        "training_processor_seconds": None if trained[1] is None else round(trained[1], 2),
        "prediction_seconds": round(predicted, 3),
        "bytes": float(sum(one.stat().st_size for one in files)),
    }
