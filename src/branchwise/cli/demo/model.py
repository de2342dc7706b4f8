"""Branchwise's own model in the demo: its settings, its training, and what it says of documents."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

from branchwise.cli.console import say
from branchwise.errors import BranchwiseError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from branchwise import HierarchicalClassifier
    from branchwise.cli.demo.stage import Stage
    from branchwise.predicted import Predicted

# What fits into a few minutes on two cores. An abstract's first 128 pieces cost half of what all of it does.
# Validation twice a pass gives the learning curve its points, the last one at the end of two and a half passes.
SETTINGS: dict[str, Any] = {"input_limit": 128, "batch": 8, "passes": 2.5, "evaluations": 2}
CHUNK = 128  # documents between two moves of the progress bar
FOLDER, CHECKPOINTS, CHECKPOINT = "model", "checkpoints", "checkpoint-*"


def train_model(
    stage: Stage, backbone: str, seed: int, passes: float | None, resume: bool
) -> HierarchicalClassifier:
    """Train the model into the demo's folder, or take the one that is finished there where that is asked.

    Ctrl-C saves a checkpoint; ``resume`` goes on from there.
    """
    from branchwise import HierarchicalClassifier
    from branchwise.extras import require

    for module in ("torch", "transformers"):
        require(module, "train", "Training")
    folder = stage.folder / FOLDER
    train, validation = stage.corpora["train"], stage.corpora["validation"]
    if _is_finished(folder, train.fingerprint):
        if resume:
            say(f"{folder} holds the finished model: going on with it.")
            return HierarchicalClassifier.load(folder, stage.tree)
        shutil.rmtree(folder)  # an earlier demo's
    stage.resumed = resume and _has_checkpoint(folder)
    changes = SETTINGS if passes is None else {**SETTINGS, "passes": passes}
    say(
        f"Passes over the {len(train):,} documents: {changes['passes']:g}. Most of the demo's time goes here; Ctrl-C "
        "saves what is learned."
    )
    classifier = HierarchicalClassifier(stage.tree, backbone=backbone, preset="fast", seed=seed, **changes)
    try:
        classifier.fit(train, validation, output=folder, resume=resume, tell=say)
    except KeyboardInterrupt as stopped:
        if stopped.args:
            say(str(stopped))
        raise
    return classifier


def ask(
    classifier: HierarchicalClassifier, texts: Sequence[str], what: str, **wishes: Any
) -> list[Predicted]:
    """Return all there is to say of every text, with one bar for all of it."""
    from branchwise.progress import Progress

    said: list[Predicted] = []
    with Progress(what, len(texts)) as progress:
        for start in range(0, len(texts), CHUNK):
            chunk = texts[start : start + CHUNK]
            said += classifier.predict_documents(chunk, **wishes)
            progress.advance(len(chunk))
    return said


def _is_finished(folder: Path, fingerprint: str) -> bool:
    """Say whether a folder holds a finished model and no run after it; a model of other documents is not touched."""
    record = folder / "training.json"
    if not record.exists():
        return False
    if json.loads(record.read_text(encoding="utf-8")).get("train", {}).get("fingerprint") != fingerprint:
        raise BranchwiseError(
            f"{folder} holds a model of other documents: choose another folder with --output, or remove that one."
        )
    return not _has_checkpoint(folder)


def _has_checkpoint(folder: Path) -> bool:
    return any((folder / CHECKPOINTS).glob(CHECKPOINT))
