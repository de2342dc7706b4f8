"""The paper's tables, and those of later systems, with our own figures beside them and the gap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from branchwise.compare.making import FREE, OWN
from branchwise.compare.results import Results, Spread, System
from branchwise.compare.tables import cell
from branchwise.corpus.sources.published import occurrences, paper_statistics, published
from branchwise.corpus.statistics import Statistics
from branchwise.report.table import Table

PUBLISHED_AS = {
    "svm": "SVM",
    "leaf-svm": "Leaf-SVM",
    "td-svm": "TD-SVM",
    "hr-svm": "HR-SVM",
    "textcnn": "TextCNN",
    "bow-cnn": "bow-CNN",
    "han": "HAN",
    "hmcn": "HMCN",
    "hiagm": "HiAGM",
    "sgm": "SGM",
    "t5": "T5",
    "hia": "HiA-T5",
    "pamm": "PAMM-HiA-T5",
}
"""What papers call our systems."""


@dataclass(frozen=True)
class Figure:
    """One published result, in per cent."""

    name: str
    group: str
    micro: float
    macro: float
    source: str


@dataclass(frozen=True)
class Row:
    """A published result, one of ours, or both."""

    name: str
    figure: Figure | None
    ours: System | None

    @property
    def as_published(self) -> str:
        """The way to decide that the paper reports: free decoding where there is any."""
        return FREE if self.ours is not None and self.ours.is_ours else OWN

    def value(self, metric: str, way: str | None = None) -> Spread | None:
        """Return our own figure."""
        return None if self.ours is None else self.ours.metric(metric, way or self.as_published)

    def gap(self, metric: str) -> float | None:
        """Return by how many points ours is above the published one."""
        value = self.value(metric)
        if value is None or self.figure is None:
            return None
        return 100 * value.mean - (self.figure.micro if metric == "micro_f1" else self.figure.macro)


def figures(name: str) -> Iterator[Figure]:
    """Yield what is published about a benchmark: the paper's tables first, then what came later."""
    known = published()
    for block in (name, f"ablation_{name}"):
        for row in known.get(block, {}).get("rows", ()):
            group = row.get("group", "ablation")
            if block == name or row["name"] not in {one["name"] for one in known[name]["rows"]}:
                quoted = f", quoted from {row['quoted_from']}" if "quoted_from" in row else ""
                yield Figure(row["name"], group, row["micro"], row["macro"], known[block]["source"] + quoted)
    for row in known["later_published"]["rows"]:
        if name in row:
            micro, macro = row[name]
            yield Figure(row["name"], "later", micro, macro, known["later_published"]["source"])
    for row in known["later_reruns"]["rows"]:
        if name in row:
            micro, _, macro, _ = row[name]
            title = f"{row['name']} (run again)"
            yield Figure(title, "later", micro, macro, known["later_reruns"]["source"])


def rows(name: str, results: Results) -> list[Row]:
    """Return every published result with ours beside it, then those of ours that nobody published."""
    ours = _under_published_names(results)
    found = [Row(one.name, one, ours.pop(one.name, None)) for one in figures(name)]
    left = [one for one in results.systems if one in ours.values() or one.name != one.system]
    named = {id(one): name for name, one in ours.items()}
    return found + [Row(named.get(id(one), one.name), None, one) for one in left]


def _under_published_names(results: Results) -> dict[str, System]:
    """Return our systems by what papers call them; one with a name of its own is something of its own."""
    return {PUBLISHED_AS.get(one.system, one.name): one for one in results.systems if one.name == one.system}


def versus_table(name: str, title: str, results: Results) -> Table:
    """Return published and own F1 side by side; of our model the freely decoded, which is what the paper reports."""
    table = Table(
        f"{title}: published F1 and ours, in %; gaps in points",
        (
            "group",
            "system",
            "published micro",
            "macro",
            "here micro",
            "macro",
            "gap micro",
            "macro",
            "constrained micro",
            "macro",
        ),
        unbroken=(1,),
    )
    group = None
    for row in rows(name, results):
        now = row.figure.group if row.figure else "only ours"
        own = [cell(row.value(metric)) for metric in ("micro_f1", "macro_f1_all")]
        both = [
            row.value(metric, OWN) if row.as_published == FREE else None
            for metric in ("micro_f1", "macro_f1_all")
        ]
        table.add(
            now if now != group else "",
            row.name,
            row.figure.micro if row.figure else None,
            row.figure.macro if row.figure else None,
            *own,
            *(None if one is None else f"{one:+.2f}" for one in map(row.gap, ("micro_f1", "macro_f1_all"))),
            *map(cell, both),
        )
        group = now
    return table


def sources(name: str) -> list[str]:
    """Return where the published figures come from."""
    return list(dict.fromkeys(one.source for one in figures(name)))


def inconsistency_versus(name: str, results: Results) -> Table | None:
    """Return the paper's Table 6 with ours; None for benchmarks that it does not have."""
    block: dict[str, Any] | None = published().get(f"label_inconsistency_{name}")
    if block is None:
        return None
    ours = _under_published_names(results)
    table = Table(
        "Documents with a label whose parent is missing, before any repair, in %",
        ("system", "published", "ours"),
        unbroken=(0,),
    )
    for row in block["rows"]:
        one = ours.get(row["name"])
        way = FREE if one is not None and one.is_ours else OWN
        table.add(
            row["name"], row["percent"], None if one is None else cell(one.metric("label_inconsistency", way))
        )
    return table


def corpus_tables(title: str, measured: Statistics) -> list[Table]:
    """Return the paper's Tables 1 and 2 with what is here."""
    paper = paper_statistics(title) or {}
    ours = {
        "labels": measured.labels,
        "depth": measured.depth,
        "mean_labels": measured.labels_per_document,
        "max_labels": measured.most_labels,
        **measured.sizes,
    }
    spoken = {
        "depth": "levels",
        "mean_labels": "labels a document",
        "max_labels": "labels of a document at most",
    }
    one = Table(f"{title}: the corpus", ("", "published", "here"), unbroken=(0,))
    for name, value in ours.items():
        one.add(spoken.get(name, name), paper.get(name), value)
    known = occurrences(title)
    two = Table("How often a label of a level occurs, on average", ("level", "published", "here"))
    for at, level in enumerate(measured.levels):
        two.add(level.level, known[at] if at < len(known) else None, round(level.occurrences_per_label))
    return [one, two]
