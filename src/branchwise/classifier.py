"""The door for Python: one class that trains a model on a corpus, predicts with it, saves and loads it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from branchwise.choices import Decoding
from branchwise.corpus import Corpus
from branchwise.corpus.splits import split
from branchwise.errors import ModelError
from branchwise.extras import require
from branchwise.taxonomy import Taxonomy
from branchwise.training.settings import Settings, preset

if TYPE_CHECKING:
    from branchwise.model.bundle import Model
    from branchwise.training.run import Validate

HELD_OUT = 0.1  # share of the training documents that validate where no others are given


class HierarchicalClassifier:
    """Sorts documents into a tree of labels.

    Parameters
    ----------
    taxonomy
        The tree of labels.
    backbone
        A T5: a hub id, a folder, or ``starter``; the preset's where absent.
    preset
        ``fast``, ``paper`` or ``released``; see :mod:`branchwise.training.settings`.
    **settings
        Any setting by name, which then differs from the preset's.
    """

    def __init__(
        self, taxonomy: Taxonomy, backbone: str | None = None, preset: str = "fast", **settings: Any
    ) -> None:
        self.taxonomy = taxonomy
        self.settings = _settings(preset, backbone, settings)
        self._model: Model | None = None

    def fit(
        self,
        train: Corpus,
        validation: Corpus | None = None,
        *,
        output: str | Path | None = None,
        device: str = "auto",
        resume: bool = False,
        tell: Callable[[str], None] | None = None,
    ) -> Self:
        """Train on a corpus and keep the model that does best on validation.

        Parameters
        ----------
        train
            Documents with labels.
        validation
            Documents to choose the model by; a tenth of ``train`` is held out where absent.
        output
            A folder for the model, its checkpoints and its log; without one, nothing stays on disk.
        device
            ``auto``, ``cpu``, ``cuda``, ….
        resume
            Go on with the run that ``output`` holds.
        tell
            Called with a sentence for every thing worth knowing on the way.
        """
        require("transformers", "train", "Training")
        from branchwise.model.bundle import Model
        from branchwise.training.devices import is_first_process
        from branchwise.training.run import Run
        from branchwise.training.run import train as run_training

        first = is_first_process()
        say = tell if tell is not None and first else (lambda _: None)
        if validation is None:
            parts = split(train, {"train": 1 - HELD_OUT, "validation": HELD_OUT}, seed=self.settings.seed)
            train, validation = parts["train"], parts["validation"]
            say(f"{len(validation):,} training documents are held out for validation.")
        for part in (train, validation):
            if part.taxonomy.fingerprint != self.taxonomy.fingerprint:
                raise ModelError(
                    "The documents were read with another taxonomy than the classifier's: use one."
                )
        model = self._model or Model.from_backbone(
            self.settings.model_config(), self.taxonomy, self.settings.seed
        )
        say(f"The backbone is {model.backbone}.")
        with _folder(output) as folder:
            run = Run(folder, device, resume, say)
            validate = _validator(validation, self.settings, model)
            self._model = run_training(model, self.settings, train, validate, run)
            self._model.record["validation"] = {
                "documents": len(validation),
                "fingerprint": validation.fingerprint,
            }
            if output is not None and first:
                self._model.save(folder)
        return self

    def predict(self, texts: Sequence[str], *, decoding: Decoding | None = None) -> list[tuple[str, ...]]:
        """Return the label ids of every text, closed upwards and in canonical order.

        Parameters
        ----------
        texts
            The documents.
        decoding
            ``constrained`` (where it is None, and label units are tokens) or ``free``.
        """
        from branchwise.decoding.documents import decode_documents
        from branchwise.model.pieces import tokenise

        if isinstance(texts, str):
            raise ModelError("predict takes a list of texts, not one text: put it into a list.")
        model = self.model
        pieces = tokenise(texts, len(texts), model.tokenizer, model.config.input_limit)
        decoded = decode_documents(model, pieces, decoding or _usual_decoding(model.config.units))
        return decoded.sets.closed(self.taxonomy).to_ids(self.taxonomy)

    @property
    def model(self) -> Model:
        """The trained model itself."""
        if self._model is None:
            raise ModelError("This classifier has not been trained: call fit first, or load a trained one.")
        return self._model

    def save(self, path: str | Path) -> None:
        """Write the trained model as a folder."""
        self.model.save(path)

    @classmethod
    def load(
        cls, path: str | Path, taxonomy: Taxonomy | None = None, *, carry_over: bool = False
    ) -> HierarchicalClassifier:
        """Load a trained model from a folder or a hub id.

        Parameters
        ----------
        path
            The folder or the id.
        taxonomy
            The tree that labels are meant in; an error where it is not the model's own.
        carry_over
            Take the model over to a different ``taxonomy``, to be trained further with :meth:`fit`.
        """
        require("transformers", "train", "Loading a model")
        from branchwise.model.bundle import Model

        model = Model.load(path, taxonomy, carry_over)
        classifier = cls(model.tree, **vars(model.config))
        classifier._model = model
        return classifier


def _settings(name: str, backbone: str | None, changes: dict[str, Any]) -> Settings:
    return preset(name, **({"backbone": backbone} if backbone is not None else {}), **changes)


def _usual_decoding(units: str) -> Decoding:
    return "constrained" if units == "token" else "free"


def _validator(corpus: Corpus, settings: Settings, model: Model) -> Validate:
    """Return the function that training asks how good a model is by now."""
    from branchwise.decoding.documents import decode_documents
    from branchwise.evaluation import evaluate
    from branchwise.model.pieces import tokenise

    shown = corpus.take(range(min(len(corpus), settings.validation_documents)))
    pieces = tokenise(shown.texts(), len(shown), model.tokenizer, settings.input_limit)
    empty_seen = bool((corpus.labels.sizes == 0).any())

    def validate(model: Model, precision: str) -> dict[str, float]:
        decoded = decode_documents(
            model,
            pieces,
            _usual_decoding(settings.units),
            precision=precision,
            may_be_empty=empty_seen,
        )
        result = evaluate(shown.taxonomy, shown.labels, decoded.sets, invalid=decoded.invalid)
        return {
            "micro_f1": result.micro_f1,
            "macro_f1": result.macro_f1_all,
            "label_inconsistency": result.label_inconsistency,
            "invalid_output": float(decoded.invalid.mean()),
        }

    return validate


@contextlib.contextmanager
def _folder(output: str | Path | None) -> Iterator[Path]:
    if output is not None:
        yield Path(output)
        return
    with tempfile.TemporaryDirectory(prefix="branchwise-") as scratch:
        yield Path(scratch)
