"""What bulk prediction asks of a model, whatever is in its folder, and how such a folder is opened."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from branchwise.errors import ModelError
from branchwise.predicted import Predicted, describe_sets
from branchwise.rivals import holds_rival, kind_of, load_system

if TYPE_CHECKING:
    from branchwise.classifier import HierarchicalClassifier
    from branchwise.taxonomy import Taxonomy


class Predictor(Protocol):
    """Predicts chunks of texts."""

    @property
    def tree(self) -> Taxonomy:
        """The tree of the labels."""

    @property
    def fingerprint(self) -> str:
        """The same exactly where the same texts are predicted the same; options aside."""

    def __call__(self, texts: Sequence[str]) -> list[Predicted]:
        """Return one prediction a text, in the same order."""

    def summary(self) -> list[str]:
        """Return sentences on what happened, for the end: outputs that were invalid, by kind."""


def open_predictor(
    model: str | Path, options: Mapping[str, Any] | None = None, *, device: str = "auto"
) -> Predictor:
    """Open a model's folder.

    Parameters
    ----------
    model
        The folder, or a hub id.
    options
        How to predict, by the names that ``HierarchicalClassifier.predict_documents`` has for it.
    device
        ``auto``, ``cpu``, ``cuda``, ….
    """
    given = dict(options or {})
    return RivalPredictor(model, given) if holds_rival(model) else HiaPredictor(model, given, device)


class RivalPredictor:
    """Predicts with a rival, which decides in its own way."""

    def __init__(self, folder: str | Path, options: Mapping[str, Any]) -> None:
        foreign = sorted(set(options) - {"scores"})
        if foreign:
            raise ModelError(
                f"{folder} holds the system {kind_of(folder)}, which has no choice of "
                f"{foreign[0].replace('_', '-')}: leave that option out."
            )
        self._folder, self._scores = Path(folder), options.get("scores", "predicted")
        self._system = load_system(folder)

    @property
    def tree(self) -> Taxonomy:
        """The system's own tree."""
        return self._system.taxonomy

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of everything in the folder."""
        return _digest(sorted(one for one in self._folder.iterdir() if one.is_file()))

    def __call__(self, texts: Sequence[str]) -> list[Predicted]:
        """Return one prediction a text."""
        sets = self._system.decide(texts)
        scores = None if self._scores == "none" else self._system.scores(texts)
        return describe_sets(sets, scores, self.tree, self._scores)

    def summary(self) -> list[str]:
        """Return nothing: what a rival predicts is never invalid."""
        return []


class HiaPredictor:
    """Predicts with HiA-T5."""

    def __init__(self, model: str | Path, options: Mapping[str, Any], device: str = "auto") -> None:
        from branchwise.classifier import HierarchicalClassifier
        from branchwise.training.devices import choose_device

        self._source, self._options = model, dict(options)
        self._problems: Counter[str] = Counter()
        self._repaired = 0
        self._classifier: HierarchicalClassifier = HierarchicalClassifier.load(model)
        self._classifier.model.network.to(choose_device(device))

    @property
    def tree(self) -> Taxonomy:
        """The model's own tree."""
        return self._classifier.taxonomy

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of everything in the folder that predictions depend on."""
        from branchwise.model.folder import CONFIG, NEEDED, find_model

        folder, _ = find_model(self._source)
        return _digest([folder / name for name in sorted({CONFIG, *NEEDED})])

    def __call__(self, texts: Sequence[str]) -> list[Predicted]:
        """Return one prediction a text."""
        predict: Any = self._classifier
        found: list[Predicted] = predict.predict_documents(texts, **self._options)
        self._problems.update(kind for one in found for kind in one.problems)
        self._repaired += sum(one.repaired for one in found)
        return found

    def summary(self) -> list[str]:
        """Return what was wrong with what the model wrote in this run, and how much was repaired."""
        if not self._problems:
            return []
        kinds = ", ".join(f"{count:,} × {kind}" for kind, count in self._problems.most_common())
        lines = [f"What was wrong with sequences: {kinds}."]
        if self._options.get("repair"):
            lines.append(f"{self._repaired:,} label sets were changed by --repair {self._options['repair']}.")
        return lines


def _digest(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
