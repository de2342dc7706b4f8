"""``branchwise data convert``: documents from any shape and format into Branchwise's own, in any format."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from branchwise.cli.console import say
from branchwise.cli.files import STANDARD, check_outputs
from branchwise.cli.options import Reading, TaxonomyFile, reads_documents
from branchwise.cli.taxonomies import read_tree


@reads_documents
def convert(
    reading: Reading,
    documents: Annotated[list[str], typer.Argument(metavar="DOCUMENTS...", help="Files of documents, or -.")],
    output: Annotated[
        str,
        typer.Option(
            metavar="FILE", help=".jsonl, .csv, .tsv, .parquet or .xlsx, text also .gz or .zst, or -."
        ),
    ],
    output_format: Annotated[
        Literal["jsonl", "csv", "tsv", "parquet", "xlsx"] | None,
        typer.Option(metavar="FORMAT", help="jsonl, csv, tsv, parquet or xlsx, where no suffix says it."),
    ] = None,
    output_separator: Annotated[
        str, typer.Option(metavar="TEXT", help="Stands between labels in one written cell.")
    ] = ";",
    keep_field: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A further field to carry along; repeat it.")
    ] = None,
    taxonomy: TaxonomyFile = None,
    closed: Annotated[bool, typer.Option("--closed", help="Write every ancestor too.")] = False,
) -> None:
    """Read documents in one shape or format and write them in another.

    Without --taxonomy the labels must be paths such as "A > B > C"; they become ids that are whole paths.
    """
    from branchwise.corpus.write import write_documents

    check_outputs([taxonomy, *documents], [output, reading.rejects])
    tree = read_tree(taxonomy) if taxonomy is not None else None
    corpus = reading.read(documents, tree, keep_fields=keep_field or ())
    write_documents(corpus, output, closed=closed, format=output_format, label_separator=output_separator)
    if output != STANDARD:
        say(
            f"{output}: {len(corpus):,} documents, {len(corpus.taxonomy):,} labels, "
            f"sha256 {corpus.fingerprint}."
        )
