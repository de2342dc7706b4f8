"""A corpus at a glance: labels of every level, documents of every label, and labels of a document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from branchwise.corpus.statistics import Statistics
from branchwise.report import style
from branchwise.taxonomy import Taxonomy

PAGE = (14.0, 5.0)  # inches
BOTTOM, HEIGHT = 0.15, 0.54  # shares of the page
PANELS = ((0.055, 0.2), (0.345, 0.32), (0.745, 0.23))  # left edge and width of each chart, shares of the page
MOST_TICKS = 12
MANY = 30  # labels of a document that have a bar of their own; the rest share the last


def draw_statistics(
    statistics: Statistics, tree: Taxonomy, counts: np.ndarray, path: str | Path, title: str = ""
) -> None:
    """Draw a corpus into a .png, .svg or .pdf file.

    Parameters
    ----------
    statistics
        What :func:`branchwise.corpus.statistics.statistics` counts.
    tree
        The taxonomy.
    counts
        Documents of every label, [K], over all parts.
    path
        The file.
    title
        What stands above; the numbers of documents and labels where it is empty.
    """
    style.check_picture(path)
    figure = style.new_figure(*PAGE)
    page = figure.add_axes((0, 0, 1, 1))
    page.set(xlim=(0, PAGE[0]), ylim=(PAGE[1], 0))
    page.axis("off")
    named = title or f"{statistics.documents:,} documents, {statistics.labels:,} labels"
    style.write(page, 0.35, 0.42, style.fitted(named, PAGE[0] - 0.7, 15, True), fontsize=15, weight="bold")
    charts = [figure.add_axes((left, BOTTOM, width, HEIGHT)) for left, width in PANELS]
    _labels_per_level(charts[0], statistics)
    _documents_per_label(charts[1], tree, counts)
    _labels_per_document(charts[2], statistics)
    style.save(figure, path)


def _whole_numbers() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=6, integer=True)


def _colours(n: int) -> list[str]:
    return [style.SERIES[i % len(style.SERIES)] for i in range(n)]


def _labels_per_level(axes: Any, statistics: Statistics) -> None:
    levels = statistics.levels
    numbers = [one.labels for one in levels]
    used = [one.labels_in_use for one in levels]
    places = np.arange(len(levels))
    colours = _colours(len(levels))
    axes.barh(places, numbers, height=0.62, color=style.EMPTY)
    axes.barh(places, used, height=0.62, color=colours)
    for place, one in zip(places, levels, strict=True):
        unused = (
            f"{one.labels:,}"
            if one.labels == one.labels_in_use
            else f"{one.labels_in_use:,} of {one.labels:,}"
        )
        style.write(axes, one.labels + 0.02 * max(numbers), place, unused, color=style.MUTED)
    style.quiet(axes)
    axes.spines["bottom"].set_visible(False)
    axes.set(
        xlim=(0, 1.45 * max(numbers, default=1)), ylim=(len(levels) - 0.4, -0.6), xticks=[], yticks=places
    )
    axes.set_yticklabels([f"level {one.level}" for one in levels], color=style.INK)
    in_use = f"{statistics.labels_in_use:,} of {statistics.labels:,} labels have documents"
    style.heading(axes, "Labels on each level", in_use)


def _documents_per_label(axes: Any, tree: Taxonomy, counts: np.ndarray) -> None:
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    ranks = np.arange(1, len(order) + 1)
    size = 16 if len(order) < 500 else 6
    for level in range(1, tree.depth + 1):
        here = tree.level[order] == level
        colour = style.SERIES[(level - 1) % len(style.SERIES)]
        axes.scatter(ranks[here], counts[order][here], s=size, color=colour, linewidths=0)
    style.quiet(axes, grid="y")
    axes.set_yscale("log")
    axes.set_xlim(0, max(len(order), 1) * 1.03 + 1)
    top = float(counts.max(initial=1))
    axes.set_ylim(0.8, max(top, 10) * 1.6)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.minorticks_off()
    axes.xaxis.set_major_locator(_whole_numbers())
    axes.set_xlabel("labels, most frequent first", color=style.MUTED, fontsize=9, family=style.families())
    missing = int((counts == 0).sum())
    median = f"median {np.median(counts):,.0f}, largest {int(top):,}" if len(order) else "no labels in use"
    style.heading(axes, "Documents of each label", median + (f", {missing:,} without any" if missing else ""))


def _labels_per_document(axes: Any, statistics: Statistics) -> None:
    sizes = statistics.label_set_sizes
    last = min(max(sizes, default=0), MANY)
    bars = np.zeros(last + 1, np.int64)
    for size, documents in sizes.items():
        bars[min(size, last)] += documents
    first = 0 if bars[0] else min(1, last)
    places = np.arange(first, last + 1)
    axes.bar(places, bars[first:], width=0.78, color=style.SERIES[0])
    style.quiet(axes, grid="y")
    step = -(-len(places) // MOST_TICKS)
    ticks = places[::step]
    axes.set_xticks(ticks)
    over = max(sizes, default=0) > MANY
    axes.set_xticklabels([f"{one}+" if over and one == last else str(one) for one in ticks])
    axes.set_xlim(first - 0.7, last + 0.7)
    axes.yaxis.set_major_locator(_whole_numbers())
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel(
        "labels of a document, ancestors included", color=style.MUTED, fontsize=9, family=style.families()
    )
    summary = f"mean {statistics.labels_per_document:.2f}, most {statistics.most_labels}"
    style.heading(axes, "Labels of a document", summary)
