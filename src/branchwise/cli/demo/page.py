"""The demo's page: the verdict first, then the numbers, new documents, the corpus, and what to type next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from branchwise.cli.demo.advice import next_steps
from branchwise.cli.demo.hardware import hardware
from branchwise.cli.demo.page_results import RULES, Report, show_curves, show_documents, show_results
from branchwise.report.page import Page
from branchwise.report.table import Table

if TYPE_CHECKING:
    from branchwise import HierarchicalClassifier
    from branchwise.cli.demo.abstracts import Said
    from branchwise.cli.demo.measure import Results
    from branchwise.cli.demo.stage import Stage


def write_page(stage: Stage, results: Results, classifier: HierarchicalClassifier | None, said: Said) -> Path:
    """Write the page beside everything it shows, and return where it is."""
    record = None if classifier is None else classifier.model.record
    decisions = {} if classifier is None else classifier.model.decisions
    rule = RULES[decisions.get("rule", "set")]
    page = Page("Branchwise at work", _lead(stage, classifier))
    report = Report(page, stage, results, record, rule, decisions.get("evidence", {}), said)
    page.verdict(results.verdict())
    for one in stage.missing:
        page.verdict(one)
    for part in (show_results, show_curves, show_documents, _corpus, _next, _times):
        part(report)
    return stage.write("index.html", "the page", page.write)


def _lead(stage: Stage, classifier: HierarchicalClassifier | None) -> str:
    sizes = {name: len(one) for name, one in stage.corpora.items()}
    lead = (
        f"Branchwise sorts documents into a tree of labels. Here it has {sizes['train']:,} titles and abstracts of "
        f"arXiv to learn from and {sizes['validation']:,} to make its choices by; it is measured on "
        f"{sizes['test']:,} others, beside a linear SVM that had the same documents. "
    )
    if classifier is None:
        return lead
    backbone = classifier.settings.backbone
    if backbone == "starter":
        return lead + (
            "Its backbone is the starter: flan-t5-small, a small T5, which somebody fine-tuned to write titles and "
            "stored in 8 bits; it comes without a model hub. It is good for trying things out, and far from "
            "t5-base, the usual choice."
        )
    return lead + f"Its backbone is {Path(backbone).name if Path(backbone).exists() else backbone}."


def _corpus(report: Report) -> None:
    page = report.page
    page.section("The documents")
    page.paragraph("Metadata of arXiv, which is free for any use (CC0); a slice of it ships with Branchwise.")
    report.picture(
        "tree", "The tree of labels with the number of documents of each.", "The tree; bars count documents."
    )
    report.picture(
        "statistics",
        "Labels of each level, documents of each label, labels of a document.",
        "The corpus at a glance, all parts together.",
    )
    for table in report.stage.tables:
        page.table(table)
    report.picture(
        "mask",
        "One document's labels as a sequence, and which earlier symbols each row may look at.",
        "One document's labels as the model writes them, level by level. A row may look at the marked columns; the "
        "mask of the paper's formula and that of its released code differ.",
    )
    page.heading("What a careful colleague would say")
    page.items(report.stage.findings or ["Nothing."])


def _next(report: Report) -> None:
    report.page.section("What to type next")
    folder = report.stage.folder
    shown = Path(folder.name) if folder.is_absolute() or ".." in folder.parts else folder
    for what, lines in next_steps(shown, report.record is not None):
        report.page.paragraph(f"{what}:")
        report.page.code(lines)


def _times(report: Report) -> None:
    report.page.section("How long it took")
    table = Table(f"On {hardware()}", ("step", "seconds"), decimals=1)
    for step, seconds in report.stage.seconds.items():
        table.add(step, seconds)
    table.add("all of it", sum(report.stage.seconds.values()))
    report.page.table(table)
    if report.stage.resumed:
        report.page.paragraph(
            "Training was interrupted and went on later: the seconds count from where it went on."
        )
