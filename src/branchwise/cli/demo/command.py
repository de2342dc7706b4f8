"""The command itself: its options, and its steps one after another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from branchwise.cli.console import show
from branchwise.cli.files import make_folder

if TYPE_CHECKING:
    from branchwise import HierarchicalClassifier
    from branchwise.cli.demo.stage import Stage


def demo(
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Where all files and the page go.")] = Path(
        "demo"
    ),
    passes: Annotated[
        float | None,
        typer.Option(metavar="N", help="Passes over the training documents; 2.5 where not given."),
    ] = None,
    backbone: Annotated[
        str, typer.Option(metavar="NAME", help="A T5 to start from: a hub id, a folder, or starter.")
    ] = "starter",
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Fixes every chance.")] = 0,
    documents: Annotated[
        int | None,
        typer.Option(min=8, metavar="N", help="Use at most so many documents of each part: quicker, poorer."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the training that --output holds.")
    ] = False,
) -> None:
    """Train, compare, predict and explain on documents that ship with Branchwise: real arXiv titles and abstracts.

    Takes less than ten minutes on two cores. Ctrl-C saves a checkpoint; --resume goes on from there.
    """
    from branchwise.cli.demo.abstracts import show_new
    from branchwise.cli.demo.advice import next_steps
    from branchwise.cli.demo.corpus import show_corpus
    from branchwise.cli.demo.measure import measure
    from branchwise.cli.demo.page import write_page
    from branchwise.cli.demo.stage import open_stage
    from branchwise.cli.demo.svm import learning_curve, train_svm

    stage = open_stage(make_folder(output), documents)
    with stage.step("The documents"):
        show_corpus(stage)
    with stage.step("A linear SVM, and its learning curve"):
        svm = train_svm(stage, seed)
        points = learning_curve(stage, svm, seed)
    with stage.step("Training Branchwise"):
        classifier = _model(stage, backbone, seed, passes, resume)
    with stage.step("Both on the test documents"):
        results = measure(stage, svm, points, classifier)
    with stage.step("Four new abstracts"):
        said = show_new(stage, classifier, svm)
    page = write_page(stage, results, classifier, said)
    _show_end(stage, page, next_steps(output, classifier is not None))


def _model(
    stage: Stage, backbone: str, seed: int, passes: float | None, resume: bool
) -> HierarchicalClassifier | None:
    """Return the trained model, or None where what it needs is not installed."""
    from branchwise.cli.demo.model import train_model

    with stage.optional("Branchwise's own model is left out"):
        return train_model(stage, backbone, seed, passes, resume)
    return None


def _show_end(stage: Stage, page: Path, steps: list[tuple[str, list[str]]]) -> None:
    """List what was written, the page first, and what to type next."""
    from rich.text import Text

    show("", Text.assemble(("Open ", "bold"), (str(page), "bold cyan"), (" in a browser.", "bold")))
    show(f"Beside it: {', '.join(path.name for path, _ in stage.files if path != page)}.")
    for what, lines in steps:
        show("", Text(what, style="bold"), *(Text("  " + line, style="cyan") for line in lines))
