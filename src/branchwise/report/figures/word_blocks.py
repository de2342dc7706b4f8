"""A document's words for every label, shaded by how much the label leaned on them; long texts as their best parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from branchwise.decoding.explanation import ExplainedLabel, Explanation
from branchwise.report import style
from branchwise.report.figures.heat_map import shade

ATTENTION, GRADIENT = style.SERIES[2], style.SERIES[3]
STRONGEST = 0.6  # of the colour behind a word, which must stay legible
CURVE = 1.2  # power of weight that colours follow: what is weak should be quiet
FONT = 8.5
LINE, HEADING, AFTER = 0.25, 0.3, 0.2  # inches: a line of words, the line of the label, below a block
PART = 12  # words of one part of a long text
NEARLY = 1.4  # times as many words as are to be shown, and still nothing is left out
SPACE, TIGHT = 0.055, 0.015  # inches between words that a space parts, and between others


@dataclass(frozen=True)
class _Placed:
    x: float
    line: int
    text: str
    word: int | None  # None for what stands for words left out


@dataclass(frozen=True, eq=False)
class WordBlock:
    """The words of one label, laid out in a column."""

    explanation: Explanation
    one: ExplainedLabel
    width: float
    most: int
    """Words that are shown."""

    @cached_property
    def placed(self) -> list[_Placed]:
        """Where every word stands, and every … for words left out."""
        spans = self.explanation.spans
        placed: list[_Placed] = []
        x, line = 0.0, 0
        last: int | None = None
        for text, word in self._items():
            fits = style.fitted(text, self.width, FONT)
            wide = style.text_width(fits, FONT)
            joined = word is not None and last is not None and spans[last, 1] == spans[word, 0]
            gap = 0.0 if not placed else TIGHT if joined else SPACE
            if x + gap + wide > self.width:
                x, line, gap = 0.0, line + 1, 0.0
            placed.append(_Placed(x + gap, line, fits, word))
            x += gap + wide
            last = word
        return placed

    def _items(self) -> list[tuple[str, int | None]]:
        """Return the words to show, with … between those that do not follow each other in the text."""
        words = self.explanation.words
        weights = _peaked(self.one.by_attention) + _peaked(self.one.by_gradient)
        items: list[tuple[str, int | None]] = []
        next_word = 0
        for word in best_parts(weights, self.most):
            if word > next_word:
                items.append(("…", None))
            items.append((words[word], word))
            next_word = word + 1
        if next_word < len(words) or self.explanation.unread:
            items.append(("…", None))
        return items

    @property
    def height(self) -> float:
        """Inches of the block down to the next."""
        lines = self.placed[-1].line + 1 if self.placed else 1
        return HEADING + lines * LINE + AFTER

    def draw(self, axes: Any, left: float, top: float) -> None:
        """Draw the block into axes of inches, down from the upper left corner."""
        from matplotlib.patches import Rectangle

        score = f"score {self.one.score:.2f}"
        room = self.width - style.text_width(score, FONT) - 0.2
        label = style.fitted(self.one.label, room, 10, True)
        style.write(axes, left, top, label, fontsize=10, weight="bold")
        used = style.text_width(label, 10, True) + 0.12
        if self.one.name != self.one.label and room - used > 0.4:
            style.write(
                axes,
                left + used,
                top,
                style.fitted(self.one.name, room - used, FONT),
                color=style.MUTED,
                fontsize=FONT,
            )
        style.write(axes, left + self.width, top, score, color=style.MUTED, fontsize=FONT, ha="right")
        if not self.placed:
            style.write(axes, left, top + HEADING, "The text has no words.", color=style.MUTED, fontsize=FONT)
        attention, gradient = _peaked(self.one.by_attention), _peaked(self.one.by_gradient)
        for one in self.placed:
            x, y = left + one.x, top + HEADING + one.line * LINE
            if one.word is not None:
                wide = style.text_width(one.text, FONT)
                for height, at, colour in (
                    (0.16, y - 0.08, shade(attention[one.word], ATTENTION, STRONGEST, CURVE)),
                    (0.03, y + 0.085, shade(gradient[one.word], GRADIENT, 1.0, CURVE)),
                ):
                    axes.add_patch(
                        Rectangle(
                            (x - 0.01, at), wide + 0.02, height, facecolor=colour, linewidth=0, zorder=0
                        )
                    )
            style.write(
                axes, x, y, one.text, fontsize=FONT, color=style.MUTED if one.word is None else style.INK
            )


def draw_key(axes: Any, left: float, top: float) -> None:
    """Say what shades and lines mean, in one line."""
    from matplotlib.patches import Rectangle

    axes.add_patch(
        Rectangle((left, top - 0.08), 0.3, 0.16, facecolor=shade(1, ATTENTION, STRONGEST), linewidth=0)
    )
    style.write(axes, left + 0.38, top, "cross-attention", color=style.MUTED, fontsize=FONT)
    after = left + 0.38 + style.text_width("cross-attention", FONT) + 0.3
    axes.add_patch(Rectangle((after, top + 0.03), 0.3, 0.03, facecolor=GRADIENT, linewidth=0))
    text = "gradient (each relative to the label’s strongest word)"
    style.write(axes, after + 0.38, top, text, color=style.MUTED, fontsize=FONT)


def best_parts(weights: np.ndarray, most: int) -> list[int]:
    """Return which words to show: all if they are few, else the parts of the text that weigh most."""
    if len(weights) <= most * NEARLY:
        return list(range(len(weights)))
    size = min(PART, most)
    sums = np.convolve(weights, np.ones(size), "valid")  # of the part that begins at each word
    shown = np.zeros(len(weights), bool)
    for _ in range(most // size):
        start = int(sums.argmax())
        if sums[start] < 0:
            break
        shown[start : start + size] = True
        sums[max(start - size + 1, 0) : start + size] = -1.0
    return np.flatnonzero(shown).tolist()


def _peaked(weights: np.ndarray) -> np.ndarray:
    """Divide weights by the greatest."""
    most = weights.max(initial=0.0)
    return weights / most if most > 0 else weights
