"""The tables of a comparison by what they are about, for the page, the terminal and LaTeX alike."""

from __future__ import annotations

from branchwise.compare.analysis import Analysis
from branchwise.compare.making import OWN, TUNED
from branchwise.compare.tables import (
    ablation_table,
    comparison_table,
    cost_table,
    frequency_table,
    inconsistency_table,
    level_table,
    scores_tables,
    significance_tables,
)
from branchwise.report.table import Table


def sections(analysis: Analysis) -> dict[str, list[Table]]:
    """Return the tables of every section in reading order; a section without anything to show has none."""
    results = analysis.results
    ways = (OWN, TUNED) if results.has_tuned else (OWN,)
    found: dict[str, list[Table | None]] = {
        "systems": [comparison_table(results)],
        "differences": [*significance_tables(analysis.pairs)],
        "variants": [ablation_table(results)],
        "inconsistency": [inconsistency_table(results)],
        "levels": [level_table(results, way) for way in ways],
        "frequency": [frequency_table(results, analysis.buckets, way) for way in ways],
        "scores": [*scores_tables(results)],
        "costs": [cost_table(results)],
    }
    return {name: [one for one in several if one and one.rows] for name, several in found.items()}
