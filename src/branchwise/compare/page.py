"""The comparison's page: the verdict first, then tables and figures, and where systems err."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from branchwise.compare.analysis import Analysis
from branchwise.compare.folder import write_whole
from branchwise.compare.making import OWN
from branchwise.compare.output import PAGE
from branchwise.compare.page_errors import show_errors, show_suspects
from branchwise.compare.pictures import draw_all
from branchwise.compare.sections import sections
from branchwise.compare.verdict import seeds_sentence
from branchwise.errors import MissingExtraError
from branchwise.report.page import Page
from branchwise.report.table import Table

Pictures = dict[str, list[tuple[Path, str, str]]]
Tables = dict[str, list[Table]]


def write_page(analysis: Analysis, folder: Path, tell: Callable[[str], None]) -> Path:
    """Write the page, which needs no other file; without matplotlib, say so and leave the pictures out."""
    results = analysis.results
    page = Page("Systems compared", _lead(analysis))
    for sentence in analysis.verdicts:
        page.verdict(sentence)
    pictures: Pictures = {}
    try:
        pictures = draw_all(analysis, folder)
    except MissingExtraError as error:
        tell(str(error))
        page.verdict(f"There are no pictures: {error}")
    if results.failed:
        lost = ", ".join(f"{one.name} (seed {one.seed})" for one in results.failed)
        page.verdict(f"Some runs failed and are not in the numbers: {lost}. The last section says why.")
    tables = sections(analysis)
    _comparison(page, analysis, tables)
    _variants(page, tables)
    _by_label(page, tables, pictures)
    _scores(page, tables, pictures)
    _costs(page, tables, pictures)
    show_errors(page, analysis)
    show_suspects(page, analysis)
    _about(page, analysis)
    path = folder / PAGE
    write_whole(path, page.html().encode())
    return path


def _lead(analysis: Analysis) -> str:
    results = analysis.results
    return (
        f"{len(results.systems):,} systems on the same {len(results.test):,} test documents, measured by the same "
        f"code. Those that were trained here learned from the same {len(results.train):,} documents. "
        f"{len(results.tree):,} labels stand on {results.tree.depth} levels."
    )


def _comparison(page: Page, analysis: Analysis, tables: Tables) -> None:
    page.section("The systems side by side")
    _tables(page, tables["systems"])
    page.paragraph(
        "Flat systems take every label by itself, local ones decide place by place in the tree, global ones see it "
        "whole. Numbers are those of the system as it decides by itself, with nothing repaired or added afterwards; "
        "with several runs, mean ± standard deviation over seeds."
    )
    if analysis.results.has_tuned:
        page.paragraph(
            "Thresholds alone can move F1 by several points. So the columns “tuned” give every system the same help: "
            "calibration, thresholds and the rule that serves best are learned from its scores on the validation "
            "documents. Compare systems within one kind of column."
        )
    page.section("Which differences are real")
    page.paragraph(seeds_sentence(analysis.pairs[OWN]))
    _tables(page, tables["differences"])


def _variants(page: Page, tables: Tables) -> None:
    if tables["variants"]:
        page.section("What the parts of the method add")
        _tables(page, tables["variants"])
    page.section("Label inconsistency")
    _tables(page, tables["inconsistency"])
    page.paragraph(
        "A document is inconsistent where a label was predicted without its parent. This is before any repair; systems "
        "that decide from the top down, add ancestors, or decode under the tree’s constraint cannot be."
    )


def _by_label(page: Page, tables: Tables, pictures: Pictures) -> None:
    page.section("By level")
    _pictures(page, pictures, "levels")
    _tables(page, tables["levels"])
    page.section("By label frequency")
    _pictures(page, pictures, "frequency")
    _tables(page, tables["frequency"])


def _scores(page: Page, tables: Tables, pictures: Pictures) -> None:
    page.section("Scores")
    if not tables["scores"]:
        page.paragraph("No system gave scores of all labels, so nothing can be ranked.")
        return
    page.paragraph(
        "Margins and softmaxes become probabilities by maps that were learned on validation documents, so that ranking "
        "and calibration stand beside F1. ECE is the mean distance between a score and how often it is true."
    )
    _tables(page, tables["scores"])
    _pictures(page, pictures, "reliability")


def _costs(page: Page, tables: Tables, pictures: Pictures) -> None:
    if not tables["costs"]:
        return
    page.section("Time and size")
    _tables(page, tables["costs"])
    page.paragraph(
        "Seconds are those of the machine that ran it. Training includes what is learned from validation. Prediction "
        "is the label sets of the test documents; our own model’s includes its scores."
    )
    _pictures(page, pictures, "costs")


def _about(page: Page, analysis: Analysis) -> None:
    results = analysis.results
    page.section("What ran")
    table = Table("Runs", ("system", "what it is", "seeds", "notes"))
    for one in results.systems:
        seeds = ", ".join(str(run.seed) for run in one.runs)
        notes = " ".join(dict.fromkeys(note for run in one.runs for note in run.notes))
        what = "a file of predictions" if one.system == "file" else one.system
        table.add(one.name, what, seeds, notes or None)
    page.table(table)
    if results.failed:
        failures = Table("Failed runs", ("system", "seed", "why"))
        for run in results.failed:
            failures.add(run.name, run.seed, run.error or "")
        page.table(failures)
    marks = Table("Fingerprints of what was read (SHA-256)", ("what", "fingerprint"))
    marks.add("taxonomy", results.tree.fingerprint)
    marks.add("training documents", results.train.fingerprint)
    marks.add("test documents", results.test.fingerprint)
    page.table(marks)


def _tables(page: Page, tables: list[Table]) -> None:
    for table in tables:
        page.table(table)


def _pictures(page: Page, pictures: Pictures, name: str) -> None:
    for path, alt, caption in pictures.get(name, ()):
        page.figure(path, alt, caption)
