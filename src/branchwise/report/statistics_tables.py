"""The paper's two tables of a corpus, and a third with what else shapes a task."""

from __future__ import annotations

from branchwise.corpus.statistics import Statistics
from branchwise.report.table import Table


def statistics_tables(statistics: Statistics) -> list[Table]:
    """Return the tables of a corpus, ready to print or to write as Markdown."""
    return [_corpus(statistics), _levels(statistics), _shape(statistics)]


def _corpus(statistics: Statistics) -> Table:
    parts = list(statistics.sizes) if len(statistics.sizes) > 1 else []
    headings = ["|L|", "depth", "Avg(|Li|)", "Max(|Li|)", *parts, "documents"]
    table = Table("The corpus", headings)
    table.add(
        statistics.labels,
        statistics.depth,
        statistics.labels_per_document,
        statistics.most_labels,
        *(statistics.sizes[name] for name in parts),
        statistics.documents,
    )
    return table


def _levels(statistics: Statistics) -> Table:
    parts = list(statistics.sizes) if len(statistics.sizes) > 1 else []
    headings = ["level", "labels", "in use", *parts, "average" if not parts else "all"]
    table = Table("Average number of occurrences of a label, by level", headings)
    for one in statistics.levels:
        by_part = (one.occurrences_per_label_by_part[name] for name in parts)
        table.add(one.level, one.labels, one.labels_in_use, *by_part, one.occurrences_per_label)
    return table


def _shape(statistics: Statistics) -> Table:
    words = statistics.words
    table = Table("Label sets and texts", ("what", "value"))
    table.add("labels in use", f"{statistics.labels_in_use:,} of {statistics.labels:,}")
    table.add(
        "paths of a document",
        f"{statistics.paths_per_document:.2f} on average, at most {statistics.most_paths:,}",
    )
    table.add("documents with several paths", f"{100 * statistics.multi_path_share:.1f} %")
    table.add("documents that stop at an inner label", f"{100 * statistics.inner_stop_share:.1f} %")
    table.add("documents without labels", f"{statistics.unlabelled:,}")
    table.add(
        "words of a text",
        f"{words.mean:,.0f} on average, median {words.median:,.0f}, 95 % below {words.p95:,.0f}, "
        f"at most {words.max:,}",
    )
    return table
