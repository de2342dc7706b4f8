"""``branchwise search``: trains once for every setting to try, and shows which validates best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from branchwise.choices import Average
from branchwise.cli.console import say, show, show_json
from branchwise.cli.options import Json, NeededTaxonomyFile, Reading, reads_documents
from branchwise.cli.settings import takes_settings
from branchwise.cli.taxonomies import read_tree
from branchwise.cli.train import PresetName


@takes_settings
@reads_documents
def search(
    reading: Reading,
    changes: dict[str, Any],
    train: Annotated[
        list[str], typer.Option("--train", metavar="FILE", help="Training documents; repeatable.")
    ],
    validation: Annotated[
        list[str], typer.Option(metavar="FILE", help="Documents to choose the settings by; repeatable.")
    ],
    taxonomy: NeededTaxonomyFile,
    output: Annotated[
        Path, typer.Option(metavar="FOLDER", help="The search's own folder; it goes on with what that holds.")
    ],
    space: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SETTING=VALUES",
            help="What to try: rho=0.1,1,10 or learning_rate=1e-4..3e-3; repeatable. A range is on a log scale where "
            "its end is ten times its start or more, or where :log follows it, and not where :linear does. Where "
            "not given, rho=0.1,1,10,100,200, the paper's grid; a rho is only comparable within one reduction.",
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="The most trials: lists are tried whole where not given, ranges 20 times."
        ),
    ] = None,
    objective: Annotated[
        Average | None, typer.Option(help="The validation F1 to maximise; --select's where not given.")
    ] = None,
    keep_best: Annotated[
        bool, typer.Option("--keep-best", help="Keep the best trial's model in the folder best of --output.")
    ] = False,
    preset: Annotated[PresetName, typer.Option(help="Settings that belong together.")] = "fast",
    device: Annotated[str, typer.Option(metavar="NAME", help="auto, cpu, cuda, ….")] = "auto",
    json: Json = False,
) -> None:
    """Search for the settings that validate best, one training a trial.

    Lists of values are tried in every combination; where there is a range, each trial learns from those before.
    Ctrl-C stops, and the same command goes on where it was.
    """
    from branchwise.search.output import JSON, spoken_changes, table
    from branchwise.search.run import check_installed
    from branchwise.search.run import search as run_search
    from branchwise.search.space import split_texts

    check_installed()
    given = split_texts(space) if space else None
    tree = read_tree(taxonomy)
    result = run_search(
        tree,
        reading.read(train, tree, what="Training documents", part="train"),
        reading.read(validation, tree, what="Validation", part="validation"),
        output=output,
        space=given,
        trials=trials,
        objective=objective,
        preset=preset,
        device=device,
        keep_best=keep_best,
        tell=say,
        **changes,
    )
    best = result.best
    if json:
        show_json(result.to_dict())
    else:
        show(table(result).rich())
    say(
        f"Best is trial {best.number} with {spoken_changes(best)}; {output / JSON} and its neighbours hold all trials."
    )
