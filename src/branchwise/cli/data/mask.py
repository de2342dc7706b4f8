"""``branchwise data mask``: one label set as a sequence, and which inputs each of its rows may look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from branchwise.cli.console import show, show_json, terminal_width
from branchwise.cli.files import check_figure, check_outputs, complete_file
from branchwise.cli.options import Figure, Json, NeededTaxonomyFile
from branchwise.cli.taxonomies import read_tree
from branchwise.errors import BranchwiseError

if TYPE_CHECKING:
    from branchwise.report.mask_view import MaskView
    from branchwise.sequence import MaskKind
    from branchwise.taxonomy import LabelSets, Taxonomy


def mask(
    labels: Annotated[str, typer.Option(metavar="IDS", help="Label ids; their ancestors are added.")],
    taxonomy: NeededTaxonomyFile,
    label_separator: Annotated[str, typer.Option(metavar="TEXT", help="Stands between the ids.")] = ",",
    kind: Annotated[
        Literal["paper", "released", "both"], typer.Option("--mask", help="The paper's formula or its code.")
    ] = "released",
    variant: Annotated[
        Literal["t5", "hia", "pamm"], typer.Option(help="How sets are written; t5 has no mask.")
    ] = "pamm",
    units: Annotated[
        Literal["token", "text"], typer.Option(help="One symbol a label, or its name's word pieces.")
    ] = "token",
    tokenizer: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A T5 tokenizer.json, for --units text.")
    ] = None,
    figure: Figure = None,
    json: Json = False,
) -> None:
    """Show the sequence of a label set and its path-adaptive mask.

    Input 0 is the start, input i the symbol before; row i produces symbol i and looks at the inputs marked.
    """
    from branchwise.report.mask_view import view_mask

    check_outputs([taxonomy, tokenizer], [figure])
    check_figure(figure)
    if (units == "text") != (tokenizer is not None):
        raise BranchwiseError(
            "Text units need a tokenizer, and only they do: give --units text and --tokenizer FILE."
        )
    if variant == "t5" and figure is not None:
        raise BranchwiseError("The t5 variant has no mask to draw: choose --variant hia or pamm.")
    tree = read_tree(taxonomy)
    sets = label_set(tree, labels, label_separator)
    kinds: list[MaskKind] = ["paper", "released"] if kind == "both" else [kind]
    opened = _open_tokenizer(tokenizer)
    view = view_mask(tree, sets, kinds if variant != "t5" else [], variant=variant, tokenizer=opened)
    if figure is not None:
        from branchwise.report.figures import draw_mask

        with complete_file(figure) as part:
            draw_mask(view, part)
    if json:
        show_json(
            {"labels": list(sets.to_ids(tree)[0]), "variant": variant, "units": units, **view.to_dict()}
        )
    else:
        print_mask(view)


def label_set(tree: Taxonomy, labels: str, separator: str = ",") -> LabelSets:
    """Return the closed label set that some ids name; an id that holds the separator may stand alone."""
    whole = labels.strip()
    parts = [whole] if whole in tree.index else [one.strip() for one in labels.split(separator or ",")]
    named = [one for one in parts if one]
    if not named:
        raise BranchwiseError("--labels names no label: give label ids, for example --labels cs.LG,stat.ML.")
    return tree.label_sets([named])


def print_mask(view: MaskView) -> None:
    """Print the sequence, the table of rows, and a grid for every mask."""
    from rich.text import Text

    from branchwise.report.mask_text import grid, legend, row_table

    show(Text.assemble(("Sequence: ", "bold"), " ".join(view.targets)), Text(""))
    if not view.masks:
        show(Text("The t5 variant writes labels in a random order and has no mask."))
        return
    show(row_table(view).rich(), Text(""))
    for kind in view.masks:
        show(*grid(view, kind, terminal_width()), Text(""))
    show(legend(view))


def _open_tokenizer(path: Path | None) -> Any:
    if path is None:
        return None
    from branchwise.corpus.lengths import open_tokenizer

    return open_tokenizer(path)
