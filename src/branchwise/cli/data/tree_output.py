"""A tree for people and for programs: printed, cut to what can be read, or as data."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.cli.console import console, show_lines, terminal_width
from branchwise.cli.files import STANDARD

if TYPE_CHECKING:
    import numpy as np

    from branchwise.taxonomy import Taxonomy

LINES = 200  # lines of a tree that is printed without anybody saying how much of it


def print_tree(
    taxonomy: Taxonomy,
    documents: np.ndarray | None,
    title: str,
    depth: int | None = None,
    whole: bool = False,
) -> None:
    """Print a tree under a title, cut to what a person can read unless asked for the whole."""
    from rich.text import Text

    from branchwise.report.outline import Cut, fit_cut, outline
    from branchwise.report.tree_text import tree_text

    weight = documents if documents is not None else taxonomy.subtree_size
    deepest = min(depth or taxonomy.depth, taxonomy.depth)
    cut = Cut(deepest) if whole else fit_cut(taxonomy, weight, LINES, depth)
    width = terminal_width()
    lines = [
        Text(title, style="bold"),
        *tree_text(taxonomy, outline(taxonomy, weight, cut), documents, width),
    ]
    if not whole and cut != Cut(deepest):
        advice = "--all shows every label, --depth N the first levels."
        lines.append(
            Text(
                f"Cut to the biggest labels of {cut.depth} of {taxonomy.depth} levels; {advice}",
                "bright_black",
            )
        )
    if width is None:
        show_lines(line.plain for line in lines)
    else:
        console().print(*lines, sep="\n")


def describe(taxonomy: Taxonomy, documents: np.ndarray | None, depth: int | None = None) -> dict[str, Any]:
    """Return the whole tree for a program, in canonical order; the root is null."""
    below = (taxonomy.subtree_size - 1).tolist()
    counted = documents.tolist() if documents is not None else None
    parents = [taxonomy.ids[one] if one >= 0 else None for one in taxonomy.parent.tolist()]
    shown = len(taxonomy) if depth is None else int(taxonomy.level_start[min(depth, taxonomy.depth)])
    nodes = []
    for position in range(shown):
        node = {
            "id": taxonomy.ids[position],
            "parent": parents[position],
            "name": taxonomy.names[position],
            "level": int(taxonomy.level[position]),
            "labels_below": below[position],
        }
        if counted is not None:
            node["documents"] = counted[position]
        nodes.append(node)
    starts = taxonomy.level_start.tolist()
    return {
        "labels": len(taxonomy),
        "depth": taxonomy.depth,
        "labels_per_level": [b - a for a, b in pairwise(starts)],
        "fingerprint": taxonomy.fingerprint,
        "tree": nodes,
    }


def title_of(taxonomy: Taxonomy, source: str) -> str:
    """Return what stands above a tree: where it comes from, and its numbers of labels."""
    starts = taxonomy.level_start.tolist()
    per_level = " + ".join(f"{b - a:,}" for a, b in pairwise(starts))
    name = "standard input" if source == STANDARD else Path(source).name
    return f"{name}: {len(taxonomy):,} labels on {taxonomy.depth} levels ({per_level})"
