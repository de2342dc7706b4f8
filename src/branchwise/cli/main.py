"""The command line: which commands there are, and how whatever goes wrong reaches the user."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from branchwise import __version__
from branchwise.cli.compare import compare
from branchwise.cli.console import say
from branchwise.cli.data import data
from branchwise.cli.demo import demo
from branchwise.cli.evaluate import evaluate
from branchwise.cli.explain import explain
from branchwise.cli.predict import predict
from branchwise.cli.reproduce import reproduce
from branchwise.cli.search import search
from branchwise.cli.train import train
from branchwise.errors import BranchwiseError

app = typer.Typer(
    name="branchwise",
    help="Sort documents into your own tree of labels.",
    epilog="Start with: branchwise demo",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog="Example: branchwise demo --output demo")(demo)
app.add_typer(data)
app.command(
    epilog="Example: branchwise train --train train.jsonl --validation val.jsonl --taxonomy tree.tsv --output model"
)(train)
app.command(
    epilog="Example: branchwise search --train train.jsonl --validation val.jsonl --taxonomy tree.tsv --output search"
)(search)
app.command(epilog="Example: branchwise predict model documents.jsonl --output predictions.jsonl")(predict)
app.command(
    epilog="Example: branchwise compare --train train.jsonl --validation val.jsonl --test test.jsonl "
    "--taxonomy tree.tsv --systems svm,td-svm,pamm --seeds 3 --output comparison"
)(compare)
app.command(epilog="Example: branchwise reproduce wos --source WebOfScience.zip --output wos --scale small")(
    reproduce
)
app.command(epilog='Example: branchwise explain model --text "Deep networks for proteins" --figure why.png')(
    explain
)
app.command(epilog="Example: branchwise evaluate test.jsonl predictions.jsonl --taxonomy tree.tsv")(evaluate)

BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 1
CommandLineError: Any = typer.BadParameter.__mro__[2]  # ClickException, which Typer exports only through this


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"branchwise {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and leave.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Sort documents into your own tree of labels."""


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code: 0, 1 where a check fails, 2 for bad input."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(_exit_code(arguments))


def _exit_code(arguments: Sequence[str] | None) -> int:
    try:
        code = typer.main.get_command(app).main(arguments, prog_name="branchwise", standalone_mode=False)
        sys.stdout.flush()
    except BranchwiseError as error:
        return _refuse(str(error))
    except CommandLineError as error:
        return 0 if _was_help(error) else _refuse(_usage(error))
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return BROKEN_PIPE
    if code == INTERRUPTED:
        say("Interrupted.")
    return code if isinstance(code, int) else 0


def _refuse(message: str) -> int:
    say("Error: " + " ".join(message.split("\n")))
    return BAD_INPUT


def _was_help(error: Any) -> bool:
    """Say whether a command without arguments has just shown its help."""
    return type(error).__name__ == "NoArgsIsHelpError"


def _usage(error: Any) -> str:
    """Return one sentence on a wrong option, and where to read about the right ones."""
    message = str(error.format_message()).strip().rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{message}: see {context.command_path} --help." if context is not None else f"{message}."


def _silence_stdout() -> None:
    """Point standard output at nothing, so that Python's own flush at the end stays quiet."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
