"""``branchwise data tree``: the taxonomy on the screen, as a picture, as JSON, or in another file format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from branchwise.cli.console import show_json
from branchwise.cli.data.tree_output import describe, print_tree, title_of
from branchwise.cli.files import STANDARD, check_figure, check_outputs, complete_file
from branchwise.cli.options import Figure, Json, Reading, reads_documents
from branchwise.cli.taxonomies import read_tree, write_tree
from branchwise.errors import BranchwiseError

if TYPE_CHECKING:
    import numpy as np

    from branchwise.taxonomy import Taxonomy

SKOS = "SKOS files (.ttl, .rdf)"


@reads_documents
def tree(
    reading: Reading,
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="The taxonomy: .tsv, .csv, .json, .taxonomy, .ttl, .rdf or -."),
    ] = None,
    grow_from: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="DOCUMENTS", help="Grow the tree from documents that carry paths."),
    ] = None,
    counts: Annotated[
        list[str] | None, typer.Option(metavar="DOCUMENTS", help="Count the documents of every label.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Show only the first N levels.")
    ] = None,
    whole: Annotated[bool, typer.Option("--all", help="Show every label, however many there are.")] = False,
    output: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the tree in the format of FILE's suffix, or - for TSV."),
    ] = None,
    figure: Figure = None,
    json: Json = False,
    language: Annotated[
        str | None,
        typer.Option(metavar="TAG", help="Language of the names, such as en.", rich_help_panel=SKOS),
    ] = None,
    ids: Annotated[
        Literal["auto", "iri", "notation", "local"] | None,
        typer.Option(help="What identifies a label.", rich_help_panel=SKOS),
    ] = None,
    several_parents: Annotated[
        Literal["error", "first", "duplicate"] | None,
        typer.Option(help="What to do with a concept under several others.", rich_help_panel=SKOS),
    ] = None,
) -> None:
    """Print a taxonomy with the number of labels below each; draw it, count its documents, convert it.

    A tree that is too big for the screen shows its biggest labels and says how many more there are.
    """
    if (file is None) == (not grow_from):
        raise BranchwiseError(
            "The tree comes from a taxonomy FILE or --from documents: name exactly one of them."
        )
    check_outputs([file, *(grow_from or ()), *(counts or ())], [output, figure, reading.rejects])
    check_figure(figure)
    taxonomy, documents = _open(reading, file, grow_from, language, ids, several_parents)
    if counts:
        counted = reading.read(counts, taxonomy, what="Counting", texts=False)
        documents = counted.labels.counts(len(taxonomy))
    title = title_of(taxonomy, file or next(iter(grow_from or ())))
    if output is not None:
        write_tree(taxonomy, output)
    if figure is not None:
        from branchwise.report.figures import draw_tree

        with complete_file(figure) as part:
            draw_tree(taxonomy, part, documents, title=title)
    if json:
        show_json(describe(taxonomy, documents, depth))
    elif output != STANDARD:
        print_tree(taxonomy, documents, title, depth, whole)


def _open(
    reading: Reading,
    file: str | None,
    grow_from: list[str] | None,
    language: str | None,
    ids: str | None,
    several_parents: str | None,
) -> tuple[Taxonomy, np.ndarray | None]:
    """Return the tree, and the documents of every label where it is grown from documents."""
    options = {"language": language, "ids": ids, "several_parents": several_parents}
    chosen = {name: value for name, value in options.items() if value is not None}
    if file is not None:
        return read_tree(file, **chosen), None
    if chosen:
        raise BranchwiseError(
            f"--{next(iter(chosen)).replace('_', '-')} is for SKOS files: leave it out with --from."
        )
    corpus = reading.read(grow_from or (), texts=False)
    return corpus.taxonomy, corpus.labels.counts(len(corpus.taxonomy))
