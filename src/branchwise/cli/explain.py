"""``branchwise explain``: what the model looked at when it wrote a document's labels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from branchwise.cli.console import show, show_json
from branchwise.cli.data.mask import label_set
from branchwise.cli.files import STANDARD, check_figure, check_outputs, complete_file
from branchwise.cli.options import Json
from branchwise.errors import BranchwiseError


def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model's folder, or a hub id.")],
    text: Annotated[str | None, typer.Option(metavar="TEXT", help="The document itself.")] = None,
    file: Annotated[
        str | None, typer.Option(metavar="FILE", help="A file that is the document, or -, in UTF-8.")
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(metavar="IDS", help="Explain these labels and their ancestors, not the predicted ones."),
    ] = None,
    label_separator: Annotated[str, typer.Option(metavar="TEXT", help="Stands between the ids.")] = ",",
    layer: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Attention of this decoder layer, not of all.")
    ] = None,
    head: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Attention of this head, not of all.")
    ] = None,
    figure: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Draw a picture: .png, .svg or .pdf; repeatable."),
    ] = None,
    device: Annotated[str, typer.Option(metavar="NAME", help="auto, cpu, cuda, ….")] = "auto",
    json: Json = False,
) -> None:
    """Show what the model looked at when it wrote the labels of one document.

    For every label: its score, attention on its own path, the words it leaned on, the best sibling passed over.
    """
    figures = figure or []
    check_outputs([file], figures)
    for one in figures:
        check_figure(one)
    document = _document(text, file)
    from branchwise.classifier import HierarchicalClassifier
    from branchwise.training.devices import choose_device

    classifier = HierarchicalClassifier.load(model)
    classifier.model.network.to(choose_device(device))
    named = None
    if labels is not None:
        named = label_set(classifier.taxonomy, labels, label_separator).to_ids(classifier.taxonomy)[0]
    explanation = classifier.explain(document, labels=named, layer=layer, head=head)
    for one in figures:
        from branchwise.report.figures.explanation import draw_explanation

        with complete_file(one) as part:
            draw_explanation(explanation, part)
    if json:
        show_json(explanation.to_dict())
        return
    from branchwise.report.explanation_text import explanation_text

    show(*explanation_text(explanation))


def _document(text: str | None, file: str | None) -> str:
    """Return the one document that the options name."""
    if (text is None) == (file is None):
        raise BranchwiseError(
            "One document is explained at a time: give --text TEXT, or --file FILE, or --file -."
        )
    if text is not None or file is None:
        return text or ""
    where = "Standard input" if file == STANDARD else file
    try:
        data = sys.stdin.buffer.read() if file == STANDARD else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BranchwiseError(
            f"{where} is not UTF-8 text (byte {error.start + 1:,} is no part of a character): convert it first."
        ) from error
    except OSError as error:
        raise BranchwiseError(
            f"{where} cannot be read ({error.strerror or error}): name another file."
        ) from error
