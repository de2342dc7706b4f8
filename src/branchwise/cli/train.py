"""``branchwise train``: from documents and a taxonomy to a model in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from branchwise.cli.console import say, show_json
from branchwise.cli.options import Json, NeededTaxonomyFile, Reading, reads_documents
from branchwise.cli.settings import takes_settings
from branchwise.cli.taxonomies import read_tree

PresetName = Literal["fast", "paper", "released"]


@takes_settings
@reads_documents
def train(
    reading: Reading,
    changes: dict[str, Any],
    train: Annotated[
        list[str], typer.Option("--train", metavar="FILE", help="Training documents; repeatable.")
    ],
    taxonomy: NeededTaxonomyFile,
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the model goes.")],
    validation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE", help="Documents to choose the model by; a tenth of --train where not given."
        ),
    ] = None,
    preset: Annotated[PresetName, typer.Option(help="Settings that belong together.")] = "fast",
    device: Annotated[str, typer.Option(metavar="NAME", help="auto, cpu, cuda, ….")] = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that --output holds.")] = False,
    json: Json = False,
) -> None:
    """Train a model that sorts documents into the tree.

    Ctrl-C saves a checkpoint; the same command with --resume goes on from there.
    """
    from branchwise.classifier import HierarchicalClassifier

    tree = read_tree(taxonomy)
    classifier = HierarchicalClassifier(tree, preset=preset, **changes)
    corpora = {"train": reading.read(train, tree, what="Training documents", part="train")}
    if validation:
        corpora["validation"] = reading.read(validation, tree, what="Validation", part="validation")
    try:
        classifier.fit(
            corpora["train"], corpora.get("validation"), output=output, device=device, resume=resume, tell=say
        )
    except KeyboardInterrupt as stopped:
        if stopped.args:
            say(str(stopped))
        raise
    record = classifier.model.record
    best = record["best"]
    if json:
        show_json({"model": str(output), **{name: record[name] for name in ("steps", "seconds", "best")}})
    say(
        f"The model is in {output}: micro F1 {best['micro_f1']:.4f}, macro F1 {best['macro_f1']:.4f} on validation "
        f"at step {best['step']:,} of {record['steps']:,}."
    )
