"""What is known of how a model came to a document's labels: plain arrays, to be drawn, printed or written as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

DIGITS = 6  # of every number in JSON


@dataclass(frozen=True)
class Sibling:
    """A label under the same parent as one that is explained."""

    label: str
    name: str
    score: float
    passed_over: bool
    """Whether it is not among the labels that are explained."""


@dataclass(frozen=True, eq=False)
class ExplainedLabel:
    """One label, and what the model looked at when it wrote it."""

    label: str
    name: str
    score: float
    probability: float
    """Of the label at its place, after everything before it in the sequence: the full softmax's, uncalibrated."""
    path_share: float | None
    """Share of self-attention inside the path mask; None for the t5 variant, which has no mask."""
    even_share: float | None
    """The same for a model that looks at everything before evenly."""
    by_attention: np.ndarray
    """Share of each word in cross-attention, [W]; sums to one where there are words."""
    end_share: float
    """Share of cross-attention that rested on the end piece, and on no word; the rest is shared out above."""
    by_gradient: np.ndarray
    """Share of each word in the gradient of the label's log probability, [W]; likewise."""
    siblings: tuple[Sibling, ...]
    """All of them, best score first."""

    @property
    def best_passed_over(self) -> Sibling | None:
        """The sibling that came nearest to being among the labels."""
        return next((one for one in self.siblings if one.passed_over), None)


@dataclass(frozen=True, eq=False)
class Explanation:
    """How a model reads a document and writes N symbols for it, label by label."""

    text: str
    spans: np.ndarray  # [W, 2] where each word that was read begins in the text, and where it ends
    unread: int  # words beyond the input limit
    symbols: tuple[str, ...]  # [N] what is produced, the end symbol last
    attention: np.ndarray
    """Self-attention, [N, N]: row i produces symbol i, column j is the start (j = 0) or symbol j - 1.

    Every row sums to one. In token units a row looks only at columns up to its own number. In text units the
    pieces of a label are averaged where they are produced and added up where they are looked at, and a
    label's row may also look one column further: at the pieces of the label itself that are written already.
    """
    on_path: np.ndarray | None  # [N, N] bool, which inputs the path mask shows a row; None for the t5 variant
    explained: tuple[ExplainedLabel, ...]  # in the order in which they are written
    layer: int | None  # the decoder layer that all attention here is of; None for the mean of all
    head: int | None  # likewise

    @property
    def labels(self) -> tuple[str, ...]:
        """The ids of the labels, in the order in which they are written."""
        return tuple(one.label for one in self.explained)

    @property
    def inputs(self) -> tuple[str, ...]:
        """What the columns of the heat map are."""
        return ("START", *self.symbols[:-1])

    @property
    def words(self) -> tuple[str, ...]:
        """The words that were read, as they stand in the text."""
        return tuple(self.text[start:stop] for start, stop in self.spans.tolist())

    @property
    def rows(self) -> range:
        """The row of the heat map that produces each label."""
        return range(0, 2 * len(self.explained), 2)

    @property
    def path_share(self) -> float | None:
        """The mean share of self-attention on the labels' own paths."""
        shares = [one.path_share for one in self.explained if one.path_share is not None]
        return sum(shares) / len(shares) if shares else None

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation ready for JSON; lists of a label follow the list of words."""
        return {
            "text": self.text,
            "labels": list(self.labels),
            "layer": self.layer,
            "head": self.head,
            "symbols": list(self.symbols),
            "inputs": list(self.inputs),
            "attention": _listed(self.attention),
            "on_path": None if self.on_path is None else self.on_path.astype(int).tolist(),
            "path_share": _rounded(self.path_share),
            "words": [
                {"word": word, "start": start, "end": stop}
                for word, (start, stop) in zip(self.words, self.spans.tolist(), strict=True)
            ],
            "unread_words": self.unread,
            "explained": [
                {
                    "label": one.label,
                    "name": one.name,
                    "score": _rounded(one.score),
                    "probability": _rounded(one.probability),
                    "path_share": _rounded(one.path_share),
                    "even_share": _rounded(one.even_share),
                    "by_attention": _listed(one.by_attention),
                    "end_share": _rounded(one.end_share),
                    "by_gradient": _listed(one.by_gradient),
                    "siblings": [asdict(other) | {"score": _rounded(other.score)} for other in one.siblings],
                }
                for one in self.explained
            ],
        }


def top_words(explanation: Explanation, weights: np.ndarray, most: int) -> list[tuple[str, float]]:
    """Return the heaviest words with their weights, every spelling once however often it stands in the text."""
    total: dict[str, float] = {}
    for word, weight in zip(explanation.words, weights.tolist(), strict=True):
        bare = word.strip(AROUND_WORDS) or word
        total[bare] = total.get(bare, 0.0) + weight
    ranked = sorted(total.items(), key=lambda one: -one[1])
    return [(word, weight) for word, weight in ranked[:most] if weight > 0]


AROUND_WORDS = ".,;:!?()[]{}<>\"'“”‘’„«»…"  # cut off where words are listed


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), DIGITS)


def _listed(values: np.ndarray) -> Any:
    return np.round(values.astype(np.float64), DIGITS).tolist()
