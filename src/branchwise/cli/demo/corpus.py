"""The demo's first step: the documents as files, the tree, the corpus in numbers, one mask, and a check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from branchwise.cli.console import show

if TYPE_CHECKING:
    from branchwise.cli.demo.stage import Stage
    from branchwise.taxonomy import LabelSets, Taxonomy


def show_corpus(stage: Stage) -> None:
    """Write the corpus in Branchwise's own form, draw it, and say in a few lines what is in it."""
    tree, sizes = stage.tree, {name: len(one) for name, one in stage.corpora.items()}
    show(
        f"Titles and abstracts of arXiv: {', '.join(f'{size:,} for {name}' for name, size in sizes.items())}.",
        f"The tree has {len(tree):,} labels on {tree.depth} levels.",
    )
    stage.write("taxonomy.tsv", "the tree", tree.write)
    for name, corpus in stage.corpora.items():
        stage.write(f"{name}.jsonl", f"{len(corpus):,} documents", corpus.write)
    _draw_tree(stage)
    _count(stage)
    _draw_mask(stage)
    _check(stage)


def _draw_tree(stage: Stage) -> None:
    from branchwise.report.figures import draw_tree

    title = f"arXiv: {len(stage.tree):,} labels on {stage.tree.depth} levels"
    stage.draw("tree", "the tree", lambda place: draw_tree(stage.tree, place, stage.counts(), title=title))


def _count(stage: Stage) -> None:
    from branchwise.corpus.statistics import statistics
    from branchwise.report.figures import draw_statistics
    from branchwise.report.statistics_tables import statistics_tables

    counted = statistics(stage.corpora)
    stage.tables = list(statistics_tables(counted))
    text = "\n".join(table.markdown() for table in stage.tables)
    stage.write("statistics.md", "the corpus in numbers", lambda place: _write_text(place, text))
    stage.draw(
        "statistics",
        "the corpus at a glance",
        lambda place: draw_statistics(counted, stage.tree, stage.counts(), place, "arXiv, the bundled part"),
    )
    show(
        f"A document has {counted.labels_per_document:.1f} labels on average, ancestors included; "
        f"{100 * counted.multi_path_share:.0f} % are on several branches."
    )


def _draw_mask(stage: Stage) -> None:
    from branchwise.report.figures import draw_mask
    from branchwise.report.mask_view import view_mask

    sets = stage.corpora["train"].labels
    both = view_mask(stage.tree, sets.take([_telling_row(sets, stage.tree)]), ["paper", "released"])
    stage.draw(
        "mask", "one document's labels as a sequence, with both masks", lambda place: draw_mask(both, place)
    )


def _check(stage: Stage) -> None:
    from branchwise.corpus.check import check

    report = check(stage.corpora)
    stage.findings = [f"{one.severity}: {one.sentence}" for one in report.findings]
    found = [f"{count} {severity}{'' if count == 1 else 's'}" for severity, count in report.counts.items()]
    show(f"A check found {', '.join(found)}; the page has them.")


def _telling_row(sets: LabelSets, tree: Taxonomy) -> int:
    """Return the first document with three levels and two branches, or else the one with most labels."""
    import numpy as np

    deepest = np.zeros(len(sets), np.int64)
    np.maximum.at(deepest, sets.rows, tree.level[sets.labels])
    roots = np.bincount(sets.rows[tree.level[sets.labels] == 1], minlength=len(sets))
    telling = np.flatnonzero((deepest >= 3) & (roots >= 2) & (sets.sizes >= 5) & (sets.sizes <= 7))
    return int(telling[0]) if len(telling) else int(np.argmax(sets.sizes))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
