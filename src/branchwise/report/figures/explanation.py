"""An explanation on one page: the heat map, and the words of the document that each label leaned on."""

from __future__ import annotations

from pathlib import Path

from branchwise.decoding.explanation import Explanation
from branchwise.report import style
from branchwise.report.figures.heat_map import HeatMap
from branchwise.report.figures.word_blocks import WordBlock, draw_key

MARGIN, TITLE, BETWEEN = 0.45, 1.0, 0.6  # inches
COLUMN, NARROW = 6.4, 4.6  # inches of a column of words, beside the map and below it
FEW = 5  # labels whose words stand beside the map
SHOWN = ((FEW, 60), (12, 40), (10**9, 24))  # up to so many labels, so many words of each


def draw_explanation(explanation: Explanation, path: str | Path, title: str = "") -> None:
    """Draw an explanation into a .png, .svg or .pdf file.

    Parameters
    ----------
    explanation
        What ``branchwise.decoding.explain.explain_labels`` returns.
    path
        The file.
    title
        What stands above; the sequence where it is empty.
    """
    style.check_picture(path)
    heat_map = HeatMap(explanation)
    is_beside = len(explanation.explained) <= FEW
    across = heat_map.width + (BETWEEN + COLUMN if is_beside else 0)
    inside = max(across, 2 * NARROW + BETWEEN)
    columns = 1 if is_beside else int((inside + BETWEEN) // (NARROW + BETWEEN))
    width = COLUMN if is_beside else (inside - (columns - 1) * BETWEEN) / columns
    most = next(words for labels, words in SHOWN if len(explanation.explained) <= labels)
    blocks = [WordBlock(explanation, one, width, most) for one in explanation.explained]
    lines = [blocks[start : start + columns] for start in range(0, len(blocks), columns)]
    down = [max(block.height for block in line) for line in lines]
    top = MARGIN + TITLE
    left, first = MARGIN, top + heat_map.height + 0.2
    if is_beside:
        left, first = MARGIN + heat_map.width + BETWEEN, top
    words_end = first + 0.4 + sum(down)
    page = inside + 2 * MARGIN, max(top + heat_map.height, words_end) + 0.2
    figure = style.new_figure(*page)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, page[0]), ylim=(page[1], 0))
    axes.axis("off")
    heading = style.fitted(title or " ".join(explanation.symbols), inside, 14, True)
    style.write(axes, MARGIN, MARGIN + 0.1, heading, fontsize=14, weight="bold")
    style.write(
        axes, MARGIN, MARGIN + 0.42, style.fitted(subtitle(explanation), inside, 9), color=style.MUTED
    )
    heat_map.draw(axes, MARGIN, top)
    draw_key(axes, left, first)
    y = first + 0.4
    for line, height in zip(lines, down, strict=True):
        for column, block in enumerate(line):
            block.draw(axes, left + column * (width + BETWEEN), y)
        y += height
    style.save(figure, path)


def subtitle(explanation: Explanation) -> str:
    """Say what the picture shows, and of which layers and heads."""
    layer = "all layers" if explanation.layer is None else f"layer {explanation.layer}"
    head = "all heads" if explanation.head is None else f"head {explanation.head}"
    text = f"Self-attention in % ({layer}, {head}): a row writes its symbol and looks at the columns."
    if explanation.unread:
        text += f" {explanation.unread:,} words of the text were not read."
    return text
