"""``branchwise data stats``: the two tables that a paper has on its corpora, for any corpus."""

from __future__ import annotations

from typing import Annotated

import typer

from branchwise.cli.console import show, show_json
from branchwise.cli.files import check_figure, check_outputs, complete_file
from branchwise.cli.options import Figure, Json, Reading, TaxonomyFile, reads_documents
from branchwise.cli.parts import Documents, PartOption, name_parts, read_parts, rejects_of
from branchwise.cli.taxonomies import read_tree


@reads_documents
def stats(
    reading: Reading,
    documents: Documents = None,
    part: PartOption = None,
    taxonomy: TaxonomyFile = None,
    figure: Figure = None,
    json: Json = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown tables for a paper.")] = False,
) -> None:
    """Count documents, labels and words: the tables that a paper has on its corpora.

    Without --taxonomy the labels must be paths such as "A > B > C".
    """
    from branchwise.corpus.statistics import statistics
    from branchwise.report.statistics_tables import statistics_tables

    parts = name_parts(documents, part)
    inputs = [taxonomy, *(file for files in parts.values() for file in files)]
    check_outputs(inputs, [figure, *rejects_of(reading, parts)])
    check_figure(figure)
    corpora = read_parts(reading, parts, read_tree(taxonomy) if taxonomy is not None else None)
    counted = statistics(corpora)
    if figure is not None:
        import numpy as np

        from branchwise.report.figures import draw_statistics

        tree = next(iter(corpora.values())).taxonomy
        counts = np.sum([one.labels.counts(len(tree)) for one in corpora.values()], axis=0)
        with complete_file(figure) as place:
            draw_statistics(counted, tree, counts, place)
    if json:
        show_json(counted.to_dict())
        return
    for table in statistics_tables(counted):
        if markdown:
            typer.echo(table.markdown())
        else:
            show(table.rich(), "")
