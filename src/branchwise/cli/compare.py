"""``branchwise compare``: trains several systems on the same documents, measures all alike, and writes a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from branchwise.cli.console import say, show, show_json
from branchwise.cli.files import check_outputs, complete_file
from branchwise.cli.options import (
    Json,
    NeededTaxonomyFile,
    Predictions,
    Reading,
    SystemSettings,
    reads_documents,
)
from branchwise.cli.taxonomies import read_tree
from branchwise.cli.train import PresetName

if TYPE_CHECKING:
    from branchwise.compare.analysis import Analysis


@reads_documents
def compare(
    reading: Reading,
    train: Annotated[
        list[str], typer.Option("--train", metavar="FILE", help="Training documents; repeatable.")
    ],
    validation: Annotated[
        list[str], typer.Option(metavar="FILE", help="Documents to choose and calibrate by; repeatable.")
    ],
    test: Annotated[list[str], typer.Option(metavar="FILE", help="Documents to measure on; repeatable.")],
    taxonomy: NeededTaxonomyFile,
    output: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="The comparison's own folder; it goes on with what that holds."),
    ],
    systems: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Which to train, with commas: svm, leaf-svm, td-svm, hr-svm, textcnn, bow-cnn, han, hmcn, hiagm, "
            "sgm, t5, hia, pamm; NAME=SYSTEM gives one a name of its own.",
        ),
    ] = "",
    predictions: Predictions = None,
    seeds: Annotated[
        int, typer.Option(min=1, metavar="N", help="Runs of every system that a seed changes.")
    ] = 1,
    settings: SystemSettings = None,
    preset: Annotated[PresetName, typer.Option(help="Of t5, hia and pamm.")] = "fast",
    backbone: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of t5, hia and pamm: a hub id, a folder, or starter; the preset's if not given.",
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(metavar="NAME", help="auto, cpu, cuda, …; of t5, hia and pamm.")
    ] = "auto",
    keep_models: Annotated[
        bool, typer.Option("--keep-models", help="Keep the trained systems in the folder models of --output.")
    ] = False,
    resamples: Annotated[int, typer.Option(min=1, metavar="N", help="Of the paired bootstrap.")] = 1000,
    forget: Annotated[
        list[str] | None,
        typer.Option("--forget", metavar="NAME", help="Take a system out of --output first; repeatable."),
    ] = None,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Train nothing; write the report on what --output holds.")
    ] = False,
    latex: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the tables as LaTeX too, for booktabs.")
    ] = None,
    json: Json = False,
) -> None:
    """Compare systems on the same documents, with everything a paper shows of that and a page to read.

    Finished runs stay in --output: after Ctrl-C, a failure, or to add a system, give the same command again. The
    exit code is 1 where a run failed and the others are reported.
    """
    from branchwise.compare import compare as run_comparison
    from branchwise.compare import forget as take_out
    from branchwise.compare import read_entries
    from branchwise.compare.analysis import analyse
    from branchwise.compare.output import latex as as_latex
    from branchwise.compare.output import write_files
    from branchwise.compare.page import write_page
    from branchwise.compare.settings import assign

    files = [text.partition("=")[2] for text in predictions or ()]
    check_outputs([*train, *validation, *test, taxonomy, *files], [latex, reading.rejects])
    named = systems.split(",")
    entries = []
    if not report_only or any(named) or predictions:
        entries = assign(read_entries(named, predictions or ()), settings or ())
    if forget:
        take_out(output, forget)
    tree = read_tree(taxonomy)
    results = run_comparison(
        tree,
        reading.read(train, tree, what="Training documents", part="train"),
        reading.read(validation, tree, what="Validation", part="validation"),
        reading.read(test, tree, what="Test", part="test"),
        entries,
        output=output,
        seeds=seeds,
        preset=preset,
        backbone=backbone,
        device=device,
        keep_models=keep_models,
        report_only=report_only,
        tell=say,
    )
    analysis = analyse(results, resamples=resamples)
    everything = write_files(analysis, output)
    page = write_page(analysis, output, say)
    if latex is not None:
        with complete_file(latex) as place:
            place.write_text(as_latex(analysis), encoding="utf-8")
    if json:
        show_json(everything)
    else:
        _print(analysis)
    say(f"The report is {page}; every number is in comparison.csv and comparison.json beside it.")
    asked = {one.name for one in entries}
    failed = ", ".join(f"{one.name} (seed {one.seed})" for one in results.failed if one.name in asked)
    if before := ", ".join(sorted({one.name for one in results.failed if one.name not in asked})):
        say(f"Failed in an earlier command: {before}; name them again to try again, or --forget them.")
    if failed:
        say(f"Failed: {failed}; the same command tries these again.")
        raise typer.Exit(1)


def _print(analysis: Analysis) -> None:
    from rich.text import Text

    from branchwise.compare.output import tables

    for table in tables(analysis):
        show(table.rich(), "")
    for sentence in analysis.verdicts:
        show(Text(sentence))
