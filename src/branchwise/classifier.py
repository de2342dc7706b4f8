"""The door for Python: one class that trains a model on a corpus, predicts with it, saves and loads it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from branchwise.corpus import Corpus
from branchwise.corpus.splits import split
from branchwise.errors import ModelError
from branchwise.extras import require
from branchwise.score_arrays import dense
from branchwise.taxonomy import Taxonomy
from branchwise.training.settings import Settings, preset

if TYPE_CHECKING:
    from branchwise.decoding.decision import Decisions
    from branchwise.decoding.explanation import Explanation
    from branchwise.decoding.predicting import Outcome
    from branchwise.model.bundle import Model
    from branchwise.model.pieces import PieceStore
    from branchwise.predicted import Predicted, Wanted
    from branchwise.training.run import Validate

SCORED = 1 << 26  # scores of validation documents that decisions are learned from
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
        from branchwise.training.run import Run, clear_checkpoints
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
            holds_empty = bool((train.labels.sizes == 0).any())
            validate = _validator(validation, self.settings, model, holds_empty)
            self._model = run_training(model, self.settings, train, validate, run)
            self._model.record["validation"] = {
                "documents": len(validation),
                "fingerprint": validation.fingerprint,
            }
            say("Learning from the validation documents how to decide.")
            learned = _decisions(self._model, validation, self.settings)
            self._model.decisions = learned.to_dict()
            for sentence in learned.sentences():
                say(sentence)
            if output is not None and first:
                self._model.save(folder)
                clear_checkpoints(folder)
        return self

    def predict(self, texts: Sequence[str], **wishes: Any) -> list[tuple[str, ...] | None]:
        """Return the label ids of every text, closed upwards and in canonical order.

        Parameters
        ----------
        texts
            The documents.
        **wishes
            Any field of :class:`branchwise.decoding.options.DecodingOptions` and of
            :class:`branchwise.decoding.predicting.Wishes`: ``decoding="free"``, ``beams=4``, ``leaves_only=True``,
            ``at_most=5``, ``repair="close"``; ``decision="set"``, ``"threshold"`` or ``"expected-f1"``,
            ``threshold=0.4``, ``top=3``, ``abstain_below=0.6``. Documents that are abstained from are None. A free
            set is as it was written, and may lack parents unless it is repaired.
        """
        outcome = self._outcome(texts, wishes, scores=False)
        sets = outcome.sets.to_ids(self.taxonomy)
        return [None if left else one for left, one in zip(outcome.abstained, sets, strict=True)]

    def scores(
        self, texts: Sequence[str], *, samples: int = 0, seed: int = 0, calibrated: bool = True
    ) -> Any:
        """Return a score between 0 and 1 for every label, a child's never above its parent's.

        Parameters
        ----------
        texts
            The documents.
        samples
            Label sets to sample of every document, in which labels are counted; 0 reads the scores off the greedy
            pass and calibrates them as validation taught.
        seed
            Fixes the samples.
        calibrated
            False leaves the scores of the greedy pass as they are.

        Returns
        -------
        scores
            Documents × labels in the tree's order: an array, or a sparse one where it would be very large.
        """
        return self._outcome(
            texts, {"samples": samples, "seed": seed, "calibrated": calibrated}, scores=True
        ).scores

    def predict_documents(
        self,
        texts: Sequence[str],
        *,
        scores: Wanted = "predicted",
        **wishes: Any,
    ) -> list[Predicted]:
        """Return all there is to say of every text; ``wishes`` are those of :meth:`predict`."""
        from branchwise.predicted import describe

        outcome = self._outcome(texts, wishes, scores=scores != "none", quiet=True)
        return describe(outcome, self.taxonomy, scores)

    def _outcome(
        self, texts: Sequence[str], wishes: dict[str, Any], *, scores: bool, quiet: bool = False
    ) -> Outcome:
        from branchwise.decoding.options import DecodingOptions
        from branchwise.decoding.predicting import Wishes, predict_texts
        from branchwise.training.devices import choose_precision

        if isinstance(texts, str):
            raise ModelError("This takes a list of texts, not one text: put it into a list.")
        for row, text in enumerate(texts, 1):
            if not isinstance(text, str):
                raise ModelError(
                    f"Text {row} is of type {type(text).__name__}, not a string: give strings only."
                )
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise ModelError(
                    f"Text {row} holds half a character at {error.start}: read it with the encoding it is written in."
                ) from error
        deciding = {one.name for one in fields(Wishes)}
        writing = {one.name for one in fields(DecodingOptions)}
        unknown = sorted(set(wishes) - deciding - writing)
        if unknown:
            raise ModelError(
                f"There is no wish {unknown[0]!r}: choose from {', '.join(sorted(deciding | writing))}."
            )
        device = next(self.model.network.parameters()).device
        precision = {"precision": choose_precision("auto", device)}
        return predict_texts(
            self.model,
            texts,
            DecodingOptions(**precision | {name: one for name, one in wishes.items() if name in writing}),
            Wishes(**{name: one for name, one in wishes.items() if name in deciding}),
            scores=scores,
            quiet=quiet,
        )

    def explain(
        self,
        text: str,
        *,
        labels: Sequence[str] | None = None,
        layer: int | None = None,
        head: int | None = None,
    ) -> Explanation:
        """Return what the model looked at when it wrote a text's labels.

        Parameters
        ----------
        text
            The document.
        labels
            Label ids to explain in place of those that are predicted.
        layer, head
            Of the decoder, counted from 1; the average of all where None.
        """
        from branchwise.decoding.explain import explain_labels

        if isinstance(labels, str):
            raise ModelError("The labels to explain are a list of ids, not one text: put it into a list.")
        if isinstance(text, str) and not text.strip():
            raise ModelError("The text is empty, so there is nothing to explain: give one with words.")
        outcome = self._outcome([text], {}, scores=True)
        sets = outcome.sets if labels is None else self.taxonomy.label_sets([labels])
        return explain_labels(self.model, text, sets, dense(outcome.scores)[0], layer=layer, head=head)

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


def _validator(corpus: Corpus, settings: Settings, model: Model, may_be_empty: bool) -> Validate:
    """Return the function that training asks how good a model is by now."""
    from branchwise.decoding.documents import decode_documents
    from branchwise.decoding.options import DecodingOptions
    from branchwise.evaluation import evaluate

    shown, pieces = _shown(corpus, settings, model)

    def validate(model: Model, precision: str) -> dict[str, float]:
        options = DecodingOptions(precision=precision, may_be_empty=may_be_empty)  # type: ignore[arg-type]
        decoded = decode_documents(model, pieces, options)
        result = evaluate(shown.taxonomy, shown.labels, decoded.sets, invalid=decoded.invalid)
        return {
            "micro_f1": result.micro_f1,
            "macro_f1": result.macro_f1_all,
            "label_inconsistency": result.label_inconsistency,
            "invalid_output": float(decoded.invalid.mean()),
        }

    return validate


def _decisions(model: Model, corpus: Corpus, settings: Settings) -> Decisions:
    """Learn on validation documents how scores become label sets."""
    from branchwise.decoding.documents import decode_documents
    from branchwise.decoding.options import DecodingOptions
    from branchwise.decoding.predicting import may_be_empty
    from branchwise.evaluation.tuning import tune

    few = max(SCORED // max(len(model.tree), 1), 1)  # as many documents as a big tree leaves memory for
    shown, pieces = _shown(corpus.take(range(min(few, len(corpus)))), settings, model)
    options = DecodingOptions(precision=model.record["precision"], may_be_empty=may_be_empty(model))
    decoded = decode_documents(model, pieces, options, scores=True)
    written = decoded.sets.closed(model.tree)
    scores = dense(decoded.scores)
    return tune(model.tree, shown.labels, written, scores, settings.select, may_be_empty=options.may_be_empty)


def _shown(corpus: Corpus, settings: Settings, model: Model) -> tuple[Corpus, PieceStore]:
    """Return the validation documents that are decoded, and their pieces."""
    from branchwise.model.pieces import tokenise

    shown = corpus.take(range(min(len(corpus), settings.validation_documents)))
    return shown, tokenise(shown.texts(), len(shown), model.tokenizer, settings.input_limit)


@contextlib.contextmanager
def _folder(output: str | Path | None) -> Iterator[Path]:
    if output is not None:
        yield Path(output)
        return
    with tempfile.TemporaryDirectory(prefix="branchwise-") as scratch:
        yield Path(scratch)
