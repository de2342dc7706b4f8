"""``branchwise predict``: documents in, predictions out, through files that survive a kill or through pipes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from branchwise.cli.choosing import Choosing, chooses_labels
from branchwise.cli.console import say, say_report, show_json
from branchwise.cli.files import STANDARD, check_outputs
from branchwise.cli.options import Json, Reading, reads_texts
from branchwise.errors import BranchwiseError, CorpusError

if TYPE_CHECKING:
    from branchwise.streaming.run import Job


@chooses_labels
@reads_texts
def predict(
    reading: Reading,
    choosing: Choosing,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model's folder, or a hub id.")],
    documents: Annotated[list[str], typer.Argument(metavar="DOCUMENTS...", help="Files of documents, or -.")],
    output: Annotated[
        str,
        typer.Option(metavar="FILE", help=".jsonl, .csv, .tsv or .parquet, text also .gz or .zst, or -."),
    ] = STANDARD,
    output_format: Annotated[
        Literal["jsonl", "csv", "tsv", "parquet"] | None,
        typer.Option(metavar="FORMAT", help="jsonl, csv, tsv or parquet, where no suffix says it."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished run beside --output, if there is one.")
    ] = False,
    line_by_line: Annotated[
        bool, typer.Option("--line-by-line", help="Answer each document before the next is read; for pipes.")
    ] = False,
    scores: Annotated[
        Literal["predicted", "all", "none"],
        typer.Option(help="Write the scores of the predicted labels, of all labels, or none."),
    ] = "predicted",
    device: Annotated[str, typer.Option(metavar="NAME", help="auto, cpu, cuda, ….")] = "auto",
    json: Json = False,
) -> None:
    """Predict the labels of documents, in their order and in memory that does not grow with them.

    Labels that the documents have already are not read. A file appears under its own name when it is complete;
    after Ctrl-C or a kill, the same command with --resume goes on without repeating or losing a document.
    """
    from branchwise.streaming.predictor import open_predictor

    check_outputs(documents, [output, reading.rejects])
    if json and output == STANDARD:
        raise BranchwiseError(
            "The predictions and --json would both go to standard output: name a file with --output, or leave out "
            "--json."
        )
    options = {**choosing.given(), "scores": scores}
    job = _job(reading, documents, output, output_format, scores != "none", resume, line_by_line)
    job.check()
    predictor = open_predictor(model, options, device=device)
    try:
        outcome = job.run(predictor, options)
    except (CorpusError, KeyboardInterrupt):
        if job.kept:
            say(job.kept)
        raise
    where = "" if output == STANDARD else f"{output}: "
    say_report(outcome.report, "Reading")
    for line in (where + outcome.sentence(), *predictor.summary()):
        say(line)
    if json:
        show_json({"output": output, **outcome.to_dict()})


def _job(
    reading: Reading,
    documents: list[str],
    output: str,
    output_format: str | None,
    scores: bool,
    resume: bool,
    line_by_line: bool,
) -> Job:
    from branchwise.corpus import Policies
    from branchwise.corpus.reader import Input
    from branchwise.corpus.shapes import Fields
    from branchwise.streaming.run import Job

    fields = Fields(text=tuple(reading.text_field or ("text",)), labels=None, id=reading.id_field)
    return Job(
        Input(documents, fields, reading.format, reading.encoding),
        output,
        output_format,
        reading.label_separator,
        scores,
        Policies(
            missing_text=reading.missing_text,
            bad_text=reading.bad_text,
            duplicate_id=reading.duplicate_id,
            bad_row=reading.bad_row,
        ),
        reading.rejects,
        resume,
        line_by_line,
    )
