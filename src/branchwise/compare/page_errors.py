"""The part of the page on errors, in words that need no knowledge of label ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from branchwise.compare.analysis import Analysis
from branchwise.compare.errors import DOES_WELL
from branchwise.compare.making import TUNED
from branchwise.compare.results import Results
from branchwise.report.page import Page
from branchwise.report.table import Table
from branchwise.taxonomy import LabelSets

SNIPPET = 260  # characters of a document that are shown
CONFUSIONS = 8  # pairs shown a system
SUSPECTS = 20  # documents shown


def show_errors(page: Page, analysis: Analysis) -> None:
    """Show confused siblings and the worst documents of every system."""
    results = analysis.results
    name = partial(_path, results)
    page.section("Where systems err")
    page.paragraph(
        "Errors are those of the first run of each system, with its tuned decisions where it has them: a system that "
        "hardly dares to predict would show few."
    )
    page.heading("Siblings taken for each other")
    page.paragraph(
        "Documents that lack the true label and have a sibling of it instead. Labels are shown with the labels above."
    )
    for system, several in analysis.confusions.items():
        if not several:
            page.paragraph(f"{system}: none.")
            continue
        table = Table(system, ("true label", "predicted instead", "documents", "of"))
        for one in several[:CONFUSIONS]:
            table.add(name(one.true), results.tree.names[one.predicted], one.documents, one.support)
        page.table(table)
    page.heading("The hardest documents")
    page.paragraph("Those with the lowest F1, averaged over all systems.")
    shown = [row for row, _ in analysis.hardest]
    said = results.said(TUNED)
    for (row, value), text in zip(analysis.hardest, snippets(results, shown), strict=True):
        page.quote(text)
        table = Table(
            f"Document {results.test.ids[row]}, mean F1 {100 * value:.0f} %", ("who", "labels"), unbroken=(0,)
        )
        table.add("its label", _ends(results, results.test.labels[row].tolist()))
        for system, answer in said.items():
            table.add(system, _ends(results, answer.sets[row].tolist()))
        page.table(table)
    page.heading("The worst documents of each system")
    for system, mistakes in analysis.worst.items():
        table = Table(system, ("document", "text", "missed", "wrong", "F1"), unbroken=(0,))
        texts = snippets(results, [one.row for one in mistakes], SNIPPET // 2)
        for mistake, text in zip(mistakes, texts, strict=True):
            missed, wrong = (_names(results, labels) for labels in (mistake.missed, mistake.wrong))
            table.add(results.test.ids[mistake.row], text, missed, wrong, f"{100 * mistake.f1:.0f}")
        if mistakes:
            page.table(table)
        else:
            page.paragraph(f"{system}: none.")


def show_suspects(page: Page, analysis: Analysis) -> None:
    """Show documents on which good systems agree against the label."""
    results, judges = analysis.results, analysis.judges
    page.section("Labels that are probably wrong")
    who = f"within {100 * (1 - DOES_WELL):.0f} % of the best micro F1"
    if len(judges) < 2:
        page.paragraph(f"It takes two systems that do well ({who}), and there are fewer: nothing to report.")
        return
    found = len(analysis.suspects)
    page.paragraph(
        f"Systems that do well ({', '.join(judges)}: {who}) were asked. On {found:,} of {len(results.test):,} "
        "documents most of them, and at least two, say the same label set with high confidence, and it is not the "
        "document’s. Not all of these labels are wrong: systems that learned from the same documents share their "
        "blind spots. They are where to look first. Beside each set stands the F1 that the systems’ scores promise "
        "for it."
    )
    shown = analysis.suspects[:SUSPECTS]
    if found > len(shown):
        page.paragraph(
            f"The first {len(shown)} are shown, on which most systems agree and whose label surprises them most; "
            "comparison.json lists all."
        )
    for one, text in zip(shown, snippets(results, [one.row for one in shown]), strict=True):
        page.quote(text)
        table = Table(f"Document {results.test.ids[one.row]}", ("who", "labels", "promised F1, %"))
        sure, of_label = (
            None if value is None else f"{100 * value:.0f}"
            for value in (one.confidence, one.confidence_in_label)
        )
        table.add("its label", _ends(results, results.test.labels[one.row].tolist()), of_label)
        table.add(", ".join(one.systems), _ends(results, one.labels), sure)
        page.table(table)


def snippets(results: Results, rows: Sequence[int], length: int = SNIPPET) -> list[str]:
    """Return the beginnings of documents, cut between words."""
    found = []
    for text in results.test.take(np.asarray(rows, np.int64)).texts() if rows else ():
        plain = " ".join(text.split())
        cut = plain if len(plain) <= length else plain[:length].rsplit(" ", 1)[0].rstrip(" .,;:") + "…"
        found.append(cut or "(no text)")
    return found


def _path(results: Results, label: int) -> str:
    return " › ".join(results.tree.path_names(label))


def _names(results: Results, labels: Iterable[int]) -> str:
    return "; ".join(results.tree.names[one] for one in labels) or "nothing"


def _ends(results: Results, labels: Iterable[int]) -> str:
    """Return the paths to the most specific labels; one without its parent is shown with its path all the same."""
    [ends] = LabelSets.from_lists([labels]).closed(results.tree).most_specific(results.tree)
    return "; ".join(_path(results, one) for one in ends.tolist()) or "nothing"
