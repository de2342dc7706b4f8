"""``branchwise data check``: what a careful colleague would look at before training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from branchwise.cli.console import show, show_json
from branchwise.cli.files import check_outputs
from branchwise.cli.options import Json, Reading, TaxonomyFile, reads_documents
from branchwise.cli.parts import WHOLE, Documents, PartOption, name_parts, read_parts, rejects_of
from branchwise.cli.taxonomies import read_tree

if TYPE_CHECKING:
    from branchwise.corpus.check import CheckReport

COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan"}


@reads_documents
def check(
    reading: Reading,
    documents: Documents = None,
    part: PartOption = None,
    taxonomy: TaxonomyFile = None,
    backbone: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A T5, such as t5-base or a folder: estimate its training."),
    ] = None,
    tokenizer: Annotated[
        str | None, typer.Option(metavar="FILE", help="A tokenizer.json to count word pieces with.")
    ] = None,
    input_limit: Annotated[
        int, typer.Option(min=1, metavar="N", help="Word pieces that a model reads.")
    ] = 300,
    target_limit: Annotated[int, typer.Option(min=1, metavar="N", help="Symbols that a model writes.")] = 60,
    strict: Annotated[
        bool, typer.Option("--strict", help="Leave with exit code 1 if there are errors.")
    ] = False,
    json: Json = False,
) -> None:
    """Look for what would spoil training, or the trust in its results.

    Findings are errors (results would mislead), warnings (they would suffer) and notes.
    """
    from branchwise.corpus.check import check as look

    parts = name_parts(documents, part)
    inputs = [taxonomy, tokenizer, *(file for files in parts.values() for file in files)]
    check_outputs(inputs, rejects_of(reading, parts))
    corpora = read_parts(reading, parts, read_tree(taxonomy) if taxonomy is not None else None)
    report = look(
        corpora, input_limit=input_limit, target_limit=target_limit, tokenizer=tokenizer, backbone=backbone
    )
    if json:
        show_json(report.to_dict())
    else:
        print_findings(report)
    if strict and report.has_errors:
        raise typer.Exit(1)


def print_findings(report: CheckReport) -> None:
    """Print every finding as a sentence under its severity, the gravest first."""
    from rich.padding import Padding
    from rich.text import Text

    sizes = ", ".join(f"{name} {size:,}" for name, size in report.sizes.items())
    if list(report.sizes) == [WHOLE]:
        sizes = f"{report.sizes[WHOLE]:,} documents"
    show(Text(f"Checked {sizes}.", style="bold"), "")
    for finding in report.findings:
        colour = COLOURS[finding.severity]
        show(
            Text(finding.severity, style=colour), Padding(Text(finding.sentence), (0, 0, 1, 2), expand=False)
        )
    if report.estimate is not None:
        show(
            Text("estimate", style="cyan"),
            Padding(Text(report.estimate.sentence), (0, 0, 1, 2), expand=False),
        )
    found = [f"{count} {severity}{'' if count == 1 else 's'}" for severity, count in report.counts.items()]
    show(Text(f"{', '.join(found)}."))
