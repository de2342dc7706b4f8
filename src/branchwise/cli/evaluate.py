"""``branchwise evaluate``: predictions against the truth, as a table for a paper and as JSON."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwise.cli.console import say, show, show_json
from branchwise.cli.files import check_figure, check_outputs, complete_file
from branchwise.cli.options import Json, NeededTaxonomyFile, Reading, reads_documents
from branchwise.cli.taxonomies import read_tree
from branchwise.errors import BranchwiseError

if TYPE_CHECKING:
    from branchwise.corpus import Corpus
    from branchwise.evaluation import Evaluation, PairedBootstrap, Predictions
    from branchwise.report.table import Table


@reads_documents
def evaluate(
    reading: Reading,
    truth: Annotated[str, typer.Argument(metavar="TRUTH", help="Documents with their true labels.")],
    predictions: Annotated[str, typer.Argument(metavar="PREDICTIONS", help="Ids with predicted labels.")],
    taxonomy: NeededTaxonomyFile,
    compare: Annotated[
        str | None, typer.Option(metavar="OTHER", help="Other predictions: adds the paired bootstrap.")
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, metavar="N", help="Of the paired bootstrap.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of the paired bootstrap.")] = 0,
    add_ancestors: Annotated[
        bool, typer.Option("--add-ancestors", help="Add missing ancestors to predictions before scoring.")
    ] = False,
    per_label: Annotated[bool, typer.Option("--per-label", help="Add a table with every label.")] = False,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write everything as JSON too.")] = None,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw how true the scores are: .png, .svg or .pdf."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown tables for a paper.")] = False,
    json: Json = False,
) -> None:
    """Measure predictions against the truth; both are matched by id.

    Predictions are .jsonl lines such as {"id": "1", "labels": ["a", "b"]}, or .csv or .tsv.
    """
    from branchwise.evaluation import paired_bootstrap

    check_outputs([truth, predictions, compare, taxonomy], [output, figure, reading.rejects])
    check_figure(figure)
    tree = read_tree(taxonomy)
    corpus = reading.read([truth], tree, what="Truth", texts=False)
    first = _matched(corpus, predictions, reading)
    names = _names(predictions, compare)
    systems = {names[0]: _measure(corpus, first, add_ancestors, names[0])}
    comparison = None
    if compare is not None:
        second = _matched(corpus, compare, reading)
        systems[names[1]] = _measure(corpus, second, add_ancestors, names[1])
        comparison = paired_bootstrap(
            tree,
            corpus.labels,
            first.sets,
            second.sets,
            resamples=resamples,
            seed=seed,
            add_ancestors=add_ancestors,
        )
    if figure is not None:
        _draw(systems, figure)
    report = _report(systems, comparison)
    if output is not None:
        with complete_file(output) as place:
            place.write_text(json_module.dumps(report, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    if json:
        show_json(report)
    else:
        _print(systems, comparison, per_label, markdown)


def _draw(systems: dict[str, Evaluation], figure: Path) -> None:
    from branchwise.report.figures import draw_reliability

    measured = {name: one.calibration for name, one in systems.items() if one.calibration is not None}
    if not measured:
        raise BranchwiseError(
            "There are no scores of all labels to draw: predict with --scores all, or leave --figure out."
        )
    with complete_file(figure) as place:
        draw_reliability(measured, place)


def _matched(corpus: Corpus, path: str, reading: Reading) -> Predictions:
    from branchwise.evaluation import match, read_predictions

    read = read_predictions(path, corpus.taxonomy, label_separator=reading.label_separator)
    return read.take(match(corpus.ids, read.ids))


def _measure(corpus: Corpus, predicted: Predictions, add_ancestors: bool, name: str) -> Evaluation:
    from branchwise.evaluation import evaluate as measure

    scores = predicted.scores
    if predicted.scores_only_what_is_predicted:
        scores = None
        say(
            f"{name}: only predicted labels have scores, so ranking and calibration are not measured; predict with "
            "--scores all."
        )
    result = measure(
        corpus.taxonomy,
        corpus.labels,
        predicted.sets,
        scores=scores,
        add_ancestors=add_ancestors,
        invalid=predicted.invalid,
    )
    if result.label_inconsistency and not add_ancestors:
        say(
            f"{name}: {100 * result.label_inconsistency:.1f} % of the documents are predicted a label without "
            "its parent, and scored as they are; --add-ancestors completes them first."
        )
    return result


def _names(predictions: str, compare: str | None) -> list[str]:
    """Return short names of the systems, that differ."""
    files = [predictions] if compare is None else [predictions, compare]
    short = ["standard input" if one == "-" else Path(one).name for one in files]
    if len(set(short)) == len(files):
        return short
    return files if len(set(files)) == len(files) else [f"{one} ({at})" for at, one in enumerate(files, 1)]


def _report(systems: dict[str, Evaluation], comparison: PairedBootstrap | None) -> dict[str, Any]:
    """Return one system's numbers as they are, or two under their names with the comparison."""
    if comparison is None:
        [only] = systems.values()
        return only.to_dict()
    from branchwise.report.evaluation_tables import difference_sentence

    return {
        "systems": {name: one.to_dict() for name, one in systems.items()},
        "comparison": {**comparison.to_dict(), "sentence": difference_sentence(comparison, *systems)},
    }


def _print(
    systems: dict[str, Evaluation], comparison: PairedBootstrap | None, per_label: bool, markdown: bool
) -> None:
    from rich.text import Text

    from branchwise.report.evaluation_tables import (
        difference_sentence,
        difference_table,
        label_table,
        level_table,
        overall_table,
    )

    tables: list[Table] = [overall_table(systems), level_table(systems)]
    if per_label:
        tables += [label_table(one, name if len(systems) > 1 else "") for name, one in systems.items()]
    if comparison is not None:
        tables.append(difference_table(comparison, *systems))
    for table in tables:
        if markdown:
            typer.echo(table.markdown())
        else:
            show(table.rich(), "")
    if comparison is not None:
        show(Text(difference_sentence(comparison, *systems)))
