"""``branchwise reproduce``: from a benchmark's raw files to the paper's tables, with ours beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from branchwise.cli.console import say, show, show_json
from branchwise.cli.options import Json, Predictions, SystemSettings
from branchwise.cli.train import PresetName

Name = Literal["rcv1", "nyt", "wos", "arxiv", "bgc"]
ScaleName = Literal["smoke", "small", "full"]


def reproduce(
    benchmark: Annotated[Name, typer.Argument(help="Which benchmark.", show_default=False)],
    source: Annotated[
        Path,
        typer.Option(
            metavar="PATH",
            help="Its raw files (a folder, a zip or a tar), or a folder with train, validation, test and taxonomy.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="The reproduction's own folder; it goes on with what that holds."
        ),
    ],
    scale: Annotated[
        ScaleName, typer.Option(help="Some documents to see it work, a part for an evening, or all.")
    ] = "full",
    systems: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="With commas, as for compare; the scale's where not given."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Runs of every system; 3 at full scale, else 1.")
    ] = None,
    preset: Annotated[
        PresetName | None, typer.Option(help="Of t5, hia and pamm; paper at full scale, else fast.")
    ] = None,
    backbone: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="A hub id, a folder, or starter, which is usual at scale smoke alone."
        ),
    ] = None,
    settings: SystemSettings = None,
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="NAME=VALUE",
            help="Of the benchmark: merge_areas (wos), repeats (nyt), sample (arxiv); repeatable.",
        ),
    ] = None,
    predictions: Predictions = None,
    device: Annotated[str, typer.Option(metavar="NAME", help="auto, cpu, cuda, ….")] = "auto",
    keep_models: Annotated[bool, typer.Option("--keep-models", help="Keep the trained systems.")] = False,
    json: Json = False,
) -> None:
    """Build a benchmark, train systems on it, and print the published figures with ours beside them.

    Stopped anywhere, the same command goes on. What it takes is estimated before it begins.
    """
    from dataclasses import replace

    from branchwise.reproduce import SCALES
    from branchwise.reproduce import reproduce as run
    from branchwise.reproduce.page import tables, to_dict, verdicts, write_results

    given: dict[str, Any] = {"systems": systems, "seeds": seeds, "preset": preset, "backbone": backbone}
    chosen = replace(SCALES[scale], **{name: value for name, value in given.items() if value is not None})
    made = run(
        benchmark,
        source,
        output,
        chosen,
        settings=settings or (),
        options=options or (),
        predictions=predictions or (),
        device=device,
        keep_models=keep_models,
        tell=say,
    )
    page = write_results(made, say)
    if json:
        show_json(to_dict(made))
    else:
        for table in tables(made):
            show(table.rich(), "")
        for sentence in verdicts(made):
            say(sentence)
    say(f"The page is {page}.")
    failed = made.analysis.results.failed
    if failed:
        say(
            f"Failed: {', '.join(f'{one.name} (seed {one.seed})' for one in failed)}; the same command tries again."
        )
        raise typer.Exit(1)
