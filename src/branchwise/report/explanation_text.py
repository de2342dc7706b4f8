"""An explanation in the terminal: the sequence, a row for every label, and what the columns mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from branchwise.decoding.explanation import ExplainedLabel, Explanation, top_words
from branchwise.report.table import ABSENT, Table

if TYPE_CHECKING:
    from rich.console import RenderableType

WORDS = 4  # of each measure


def explanation_text(explanation: Explanation) -> Iterator[RenderableType]:
    """Yield what is printed of an explanation."""
    from rich.text import Text

    yield Text.assemble(("Sequence: ", "bold"), " ".join(explanation.symbols))
    if explanation.unread:
        unread = "1 word" if explanation.unread == 1 else f"{explanation.unread:,} words"
        yield Text(f"{unread} at the end of the text were not read, because the model reads no further.")
    yield Text("")
    yield label_table(explanation).rich()
    yield Text("")
    for line in notes(explanation):
        yield Text(line, style="bright_black")


def label_table(explanation: Explanation) -> Table:
    """Return a row for every label, in the order in which they are written."""
    has_path = explanation.on_path is not None
    headings = [
        "label",
        "score",
        *(["on path", "if even"] if has_path else []),
        "words by attention",
        "words by gradient",
        "best sibling passed over",
    ]
    table = Table("What each label leaned on", headings)
    for one in explanation.explained:
        table.add(
            one.label,
            one.score,
            *([_per_cent(one.path_share), _per_cent(one.even_share)] if has_path else []),
            *(
                " ".join(word for word, _ in top_words(explanation, weights, WORDS)) or ABSENT
                for weights in (one.by_attention, one.by_gradient)
            ),
            _passed_over(one),
        )
    return table


def notes(explanation: Explanation) -> Iterator[str]:
    """Yield sentences on what the numbers are."""
    layer = "all layers" if explanation.layer is None else f"layer {explanation.layer}"
    head = "all heads" if explanation.head is None else f"head {explanation.head}"
    if explanation.on_path is not None:
        yield (
            f"on path: the share of self-attention ({layer}, {head}) on the label's own branch, the start "
            "included; if even: what it would be if everything before were looked at alike."
        )
    yield (
        f"words: those that cross-attention ({layer}, {head}) rested on, and those that the label's log probability "
        "is most sensitive to."
    )


def _passed_over(one: ExplainedLabel) -> str:
    best = one.best_passed_over
    return ABSENT if best is None else f"{best.label} ({best.score:.2f})"


def _per_cent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.0f} %"
