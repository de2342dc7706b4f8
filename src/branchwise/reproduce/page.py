"""What a reproduction leaves: a page with the papers' tables and ours, and the same as JSON and LaTeX."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from branchwise.compare.folder import write_data, write_whole
from branchwise.compare.making import FREE, OWN
from branchwise.compare.output import latex_of
from branchwise.compare.tables import ablation_table, comparison_table, level_table
from branchwise.corpus.estimate import count_of
from branchwise.errors import MissingExtraError
from branchwise.report.figures.published import Beside, draw_beside
from branchwise.report.page import Page
from branchwise.report.table import Table
from branchwise.reproduce.run import COMPARISON, Reproduction
from branchwise.reproduce.versus import corpus_tables, inconsistency_versus, rows, sources, versus_table
from branchwise.training.settings import preset

PAGE, JSON, LATEX, FIGURE = "index.html", "reproduction.json", "tables.tex", "published.svg"
METRICS = {"micro_f1": "micro F1", "macro_f1_all": "macro F1"}


def tables(made: Reproduction) -> list[Table]:
    """Return all tables: the corpus, published figures beside ours, and the paper's further tables."""
    results, title = made.analysis.results, made.documents.title
    return [
        *corpus_tables(title, made.documents.measured),
        versus_table(made.name, title, results),
        *_further_tables(made),
    ]


def _further_tables(made: Reproduction) -> list[Table]:
    """Return what the paper shows beside its comparison, and our own comparison."""
    results = made.analysis.results
    found = [
        ablation_table(results),
        inconsistency_versus(made.name, results),
        level_table(results),
        comparison_table(results),
    ]
    return [one for one in found if one is not None]


def verdicts(made: Reproduction) -> list[str]:
    """Return what to know first: on how much it rests, and how far our PAMM-HiA-T5 is from the published one."""
    found = [one for one in (made.scale.sentence(made.documents.sizes), conditions(made)) if one]
    for row in rows(made.name, made.analysis.results):
        gaps = [row.gap(metric) for metric in METRICS]
        if row.ours is None or row.ours.system != "pamm" or None in gaps:
            continue
        value = [row.value(metric) for metric in METRICS]
        ours = " / ".join(one.text() for one in value if one is not None)
        found.append(
            f"{row.name} reaches {ours} micro / macro F1 here, freely decoded as in the paper, which is "
            f"{' and '.join(f'{gap:+.2f}' for gap in gaps if gap is not None)} points from what it reports."
        )
    return [*found, *made.analysis.verdicts]


def conditions(made: Reproduction) -> str:
    """Say how our own model was trained, and in what that is not the paper's way."""
    paper = vars(preset("paper"))
    found: dict[str, list[str]] = {}
    for one in made.analysis.results.systems:
        if one.is_ours:
            settings = one.runs[0].inputs["settings"]
            other = ", ".join(
                f"{name} {settings[name]} ({value})"
                for name, value in paper.items()
                if name not in ("seed", "variant") and settings.get(name, value) != value
            )
            found.setdefault(other, []).append(f"{one.name} ({count_of(len(one.runs), 'seed')})")
    sentences = [
        f"{', '.join(names)} trained with "
        + (
            f"settings that are not the paper’s, which are in brackets: {other}."
            if other
            else "the paper’s settings."
        )
        for other, names in found.items()
    ]
    return " ".join(sentences)


def write_results(made: Reproduction, tell: Callable[[str], None]) -> Path:
    """Write the page, the JSON and the LaTeX; without matplotlib, say so and leave the picture out."""
    folder, results = made.folder, made.analysis.results
    page = Page(
        f"{made.documents.title}, reproduced",
        f"Published figures of {made.documents.title}, and those of the systems that were trained here on "
        f"{len(results.train):,} documents and measured on {len(results.test):,}.",
    )
    for sentence in verdicts(made):
        page.verdict(sentence)
    page.section("The corpus")
    for table in corpus_tables(made.documents.title, made.documents.measured):
        page.table(table)
    if made.documents.notes:
        page.items(made.documents.notes)
    page.section("Published figures and ours")
    page.table(versus_table(made.name, made.documents.title, results))
    page.paragraph(
        "Ours are as the systems decide by themselves; of our own model they are decoded freely, which is what the "
        "paper reports, and under the tree’s constraint, which is what users get. One model stands behind one row."
    )
    try:
        draw_beside(
            _beside(made), folder / FIGURE, title=f"{made.documents.title}: published and here, F1 in %"
        )
        page.figure(folder / FIGURE, "Published and own F1 of every system.", "A line joins the same system.")
    except MissingExtraError as error:
        tell(str(error))
    page.items(f"Source: {one}." for one in sources(made.name))
    page.section("The paper’s further tables")
    for table in _further_tables(made):
        page.table(table)
    page.paragraph(
        f"The whole comparison, with everything behind these tables, is in {COMPARISON}/index.html."
    )
    path = folder / PAGE
    write_whole(path, page.html().encode())
    write_whole(folder / LATEX, latex_of(tables(made)).encode())
    write_data(folder / JSON, to_dict(made))
    return path


def to_dict(made: Reproduction) -> dict[str, Any]:
    """Return everything as JSON has it."""
    return {
        "benchmark": made.name,
        "scale": asdict(made.scale),
        "verdict": verdicts(made),
        "corpus": made.documents.measured.to_dict(),
        "notes": made.documents.notes,
        "settings": {one.name: one.runs[0].inputs.get("settings") for one in made.analysis.results.systems},
        "systems": [
            {
                "name": row.name,
                "published": None if row.figure is None else asdict(row.figure),
                "ours": _ours(row.value, row.as_published),
                "constrained": _ours(row.value, OWN) if row.as_published == FREE else None,
                "gap": {metric: row.gap(metric) for metric in METRICS},
            }
            for row in rows(made.name, made.analysis.results)
        ],
    }


def _ours(value: Callable[..., Any], way: str) -> dict[str, Any] | None:
    found = {metric: value(metric, way) for metric in METRICS}
    return {metric: asdict(one) for metric, one in found.items() if one is not None} or None


def _beside(made: Reproduction) -> dict[str, list[Beside]]:
    """Return the systems of the picture by metric: published, ours or both."""
    found = rows(made.name, made.analysis.results)
    charts: dict[str, list[Beside]] = {}
    for metric, spoken in METRICS.items():
        charts[spoken] = []
        for row in found:
            value = row.value(metric)
            theirs = (
                None if row.figure is None else (row.figure.micro, row.figure.macro)[metric != "micro_f1"]
            )
            charts[spoken].append(Beside(row.name, theirs, None if value is None else 100 * value.mean))
    return charts
