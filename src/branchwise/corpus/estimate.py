"""What training on a corpus will take on this machine: time and memory, before anything is downloaded.

An estimate, good to a factor of two: operations are counted from the backbone's sizes and the corpus' own
lengths, the machine's rate is measured, and how much of it training reaches is an assumption.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from branchwise.corpus.corpus import Corpus
from branchwise.corpus.lengths import PIECES_PER_WORD, estimated_pieces
from branchwise.corpus.machine import Machine, measure_machine
from branchwise.corpus.t5_sizes import T5Sizes, t5_sizes
from branchwise.errors import CorpusError

Units = Literal["token", "text"]

# Of the machine's matrix-multiply rate: an assumption, not measured where it is used. The starter backbone was
# seen to reach 0.34 in bfloat16 and 0.72 in 32 bits on one undisturbed core of a server, without the optimiser.
SHARE_REACHED = 0.35
BACKWARD = 2  # the backward pass costs twice the forward pass
BYTES_PER_WEIGHT = 16  # weight, gradient and Adam's two moments, four bytes each
BYTES_PER_ACTIVATION = 4  # as if all were kept in 32 bits; bfloat16 autocast keeps some of them in 16
OWN_SYMBOLS = 4  # of the decoder's small vocabulary, beside the labels: start, end and two separators


@dataclass(frozen=True)
class Estimate:
    """Time and memory of training, with everything they were computed from."""

    backbone: str
    parameters: int
    """Weights that are trained, label vectors included."""
    documents: int
    passes: float
    batch: int
    units: str
    pieces_per_text: float
    """Mean length of an input, cut at the limit."""
    symbols_per_target: float
    training_flops_per_document: float
    total_flops: float
    device: str
    machine_flops: float
    share_reached: float
    seconds: float
    weight_bytes: int
    """Weights, gradients and the optimiser's moments."""
    activation_bytes: int
    """What the largest batch keeps for the backward pass."""
    memory_bytes: int
    machine_memory_bytes: int | None

    @property
    def fits(self) -> bool | None:
        """Whether the memory suffices; None where the system does not say how much there is."""
        return None if self.machine_memory_bytes is None else self.memory_bytes < self.machine_memory_bytes

    @property
    def sentence(self) -> str:
        """The estimate in words."""
        there = self.machine_memory_bytes
        memory = f"{self.memory_bytes / 1e9:.1f} GB" + (
            f" of {there / 1e9:.1f} GB" if there is not None else ""
        )
        return (
            f"Training {self.backbone} ({self.parameters / 1e6:.0f} M weights) for "
            f"{count_of(self.passes, 'pass')} over {count_of(self.documents, 'document')} takes about "
            f"{duration(self.seconds)} on this machine, with nothing else running ({self.device}, "
            f"{self.machine_flops / 1e9:,.0f} billion operations a second, of which training is assumed to "
            f"reach {100 * self.share_reached:.0f} %) and about {memory} of memory; this is an estimate, "
            "good to a factor of two, and leaves out validation."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate ready for JSON."""
        return asdict(self) | {"fits": self.fits, "sentence": self.sentence}


def estimate_training(
    corpus: Corpus,
    backbone: str | Path,
    *,
    passes: int = 3,
    batch: int = 16,
    input_limit: int = 300,
    target_limit: int = 60,
    units: Units = "token",
    machine: Machine | None = None,
) -> Estimate:
    """Estimate what training will take.

    Parameters
    ----------
    corpus
        The training documents.
    backbone
        A T5 by name, such as ``t5-base``, or a folder with its config.json.
    passes, batch
        How often each document is seen, and how many are seen at once.
    input_limit, target_limit
        Longest input in word pieces and longest target in symbols.
    units
        Whether a label is one symbol (``token``) or spelled out (``text``).
    machine
        Another machine than this one, which is measured otherwise.
    """
    numbers = {"passes": passes, "batch": batch, "input_limit": input_limit, "target_limit": target_limit}
    _check(numbers, units)
    pieces = np.minimum(estimated_pieces(corpus.documents.column("text")), input_limit)
    symbols = np.minimum(_symbols(corpus, units), target_limit)
    lengths = _Lengths(len(corpus), pieces, symbols)
    return _estimate(lengths, len(corpus.taxonomy), backbone, passes, batch, units, machine)


def expected_training(
    documents: int,
    labels: int,
    labels_per_document: float,
    backbone: str | Path,
    *,
    passes: float = 3,
    batch: int = 16,
    input_limit: int = 300,
    units: Units = "token",
    machine: Machine | None = None,
) -> Estimate:
    """Estimate what training will take on documents that are not there yet, as if all were as long as the limit."""
    _check({"passes": passes, "batch": batch, "input_limit": input_limit}, units)
    a_label = 2.0 if units == "token" else 2 * PIECES_PER_WORD + 1  # names of two words or so
    symbols = np.array([max(round(a_label * labels_per_document), 1)])
    lengths = _Lengths(documents, np.array([input_limit]), symbols)
    return _estimate(lengths, labels, backbone, passes, batch, units, machine)


@dataclass(frozen=True)
class _Lengths:
    """Documents, and how long they and their targets are: of each, or of one that stands for all."""

    documents: int
    pieces: np.ndarray
    symbols: np.ndarray


def _check(numbers: Mapping[str, float], units: str) -> None:
    for name, value in numbers.items():
        if value <= 0 or (name != "passes" and value < 1):
            raise CorpusError(f"An estimate with {name}={value} makes no sense: give at least 1.")
    if units not in ("token", "text"):
        raise CorpusError(f"There are no label units {units!r}: choose token or text.")


def _estimate(
    lengths: _Lengths,
    n_labels: int,
    backbone: str | Path,
    passes: float,
    batch: int,
    units: Units,
    machine: Machine | None,
) -> Estimate:
    sizes = t5_sizes(backbone)
    documents, pieces, symbols = lengths.documents, lengths.pieces, lengths.symbols
    outputs = n_labels + OWN_SYMBOLS if units == "token" else sizes.vocabulary
    forward = (
        sizes.encoder_flops(pieces)
        + sizes.cross_flops(pieces)
        + sizes.decoder_flops(pieces, symbols, outputs)
    )
    per_document = (1 + BACKWARD) * float(forward.mean()) if len(pieces) else 0.0
    total = per_document * documents * passes
    machine = machine or measure_machine()
    parameters = sizes.parameters
    if (
        units == "token"
    ):  # the small vocabulary has vectors of its own, and the large output layer is not used
        unused = 0 if sizes.tied else sizes.vocabulary * sizes.d_model
        parameters += 2 * outputs * sizes.d_model + outputs - unused
    longest = int(pieces.max(initial=0)), int(symbols.max(initial=0))
    activations = min(batch, documents) * _kept(sizes, *longest, outputs) * BYTES_PER_ACTIVATION
    weights = parameters * BYTES_PER_WEIGHT
    return Estimate(
        backbone=sizes.name,
        parameters=parameters,
        documents=documents,
        passes=passes,
        batch=batch,
        units=units,
        pieces_per_text=float(pieces.mean()) if len(pieces) else 0.0,
        symbols_per_target=float(symbols.mean()) if len(pieces) else 0.0,
        training_flops_per_document=per_document,
        total_flops=total,
        device=machine.device,
        machine_flops=machine.flops,
        share_reached=SHARE_REACHED,
        seconds=total / (machine.flops * SHARE_REACHED),
        weight_bytes=weights,
        activation_bytes=activations,
        memory_bytes=weights + activations,
        machine_memory_bytes=machine.memory,
    )


def _symbols(corpus: Corpus, units: Units) -> np.ndarray:
    """Return the length of every target: labels, a separator after each but the last, and the end symbol."""
    if units == "token":
        return np.maximum(2 * corpus.labels.sizes, 1)
    words = np.array([len(name.split()) for name in corpus.taxonomy.names])
    pieces = np.ceil(words * PIECES_PER_WORD) + 1
    sums = np.bincount(corpus.labels.rows, pieces[corpus.labels.labels], minlength=len(corpus))
    return np.maximum(sums, 1).astype(np.int64)


def _kept(sizes: T5Sizes, pieces: int, symbols: int, outputs: int) -> int:
    """Count the numbers that one document of the longest kind keeps for the backward pass.

    Per position: the inputs of every matrix and of every norm. The decoder's self-attention shows its
    probabilities to the mask loss, so they are kept; the other attentions are computed in blocks.
    """
    feed_forward = (5 if sizes.gated else 3) * sizes.d_ff
    encoder = sizes.encoder_layers * pieces * (6 * sizes.d_model + 4 * sizes.inner + feed_forward)
    cross = sizes.decoder_layers * pieces * 2 * sizes.inner
    decoder = sizes.decoder_layers * symbols * (9 * sizes.d_model + 6 * sizes.inner + feed_forward)
    probabilities = sizes.decoder_layers * 3 * sizes.heads * symbols**2
    return encoder + cross + decoder + probabilities + 3 * symbols * outputs


def duration(seconds: float) -> str:
    """Say a time as people would."""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 1.5 * length:
            return (
                f"{seconds / length:,.0f} {unit}s"
                if seconds >= 10 * length
                else f"{seconds / length:.1f} {unit}s"
            )
    return f"{seconds:.0f} seconds" if seconds >= 1.5 else "a second"


def count_of(number: float, noun: str) -> str:
    """Return a number with its noun, one or many."""
    many = noun + ("es" if noun.endswith(("s", "ch", "x")) else "s")
    return f"{number:,.12g} {noun if number == 1 else many}"
