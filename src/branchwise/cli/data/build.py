"""``branchwise data build …``: from a benchmark's raw files to parts, taxonomy and manifest, one command each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwise.cli.console import say, show, show_json
from branchwise.cli.options import Json

if TYPE_CHECKING:
    from branchwise.corpus.sources import Built

build = typer.Typer(
    name="build",
    help="Turn a benchmark's raw files, as people receive them, into parts, a taxonomy and a manifest.",
    no_args_is_help=True,
    epilog="Example: branchwise data build wos --source WebOfScience.zip --output wos",
)

Source = Annotated[
    Path,
    typer.Option(
        metavar="PATH",
        help="A folder, zip or tar with the raw files, read in place, not unpacked.",
    ),
]
Output = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Where parts, taxonomy and manifest go; made if need be.")
]


@build.command(epilog="Example: branchwise data build rcv1 --source rcv1-cds --output rcv1")
def rcv1(source: Source, output: Output, json: Json = False) -> None:
    """Build RCV1-V2: the daily zips of newsitem XML of the Reuters CDs, or the LYRL2004 token files."""
    _build("rcv1", source, output, json)


@build.command(epilog="Example: branchwise data build nyt --source LDC2008T19.tgz --output nyt")
def nyt(
    source: Source,
    output: Output,
    repeats: Annotated[
        bool,
        typer.Option(
            "--keep-repeats/--drop-repeats",
            help="Keep documents that HiAGM's lists name twice, some in train and test, as published sizes do.",
        ),
    ] = True,
    json: Json = False,
) -> None:
    """Build the New York Times Annotated Corpus (LDC2008T19), on the document lists of HiAGM."""
    _build("nyt", source, output, json, repeats=repeats)


@build.command(epilog="Example: branchwise data build wos --source WebOfScience.zip --output wos")
def wos(
    source: Source,
    output: Output,
    merge_areas: Annotated[
        bool,
        typer.Option(
            "--merge-areas/--keep-areas",
            help="Give areas that share a code the more frequent one's name, as HiAGM and the paper do.",
        ),
    ] = True,
    json: Json = False,
) -> None:
    """Build Web of Science (WOS-46985) from the Data.xlsx of its folder Meta-data, or a Data.txt saved from it."""
    _build("wos", source, output, json, merge_areas=merge_areas)


@build.command(
    epilog="Example: branchwise data build arxiv --source arxiv-metadata.zip --output arxiv --documents 60000"
)
def arxiv(
    source: Source,
    output: Output,
    documents: Annotated[
        int | None,
        typer.Option(min=10, metavar="N", help="Take a sample of this many documents; all where not given."),
    ] = None,
    json: Json = False,
) -> None:
    """Build arXiv from its public metadata snapshot: titles and abstracts with their categories."""
    _build("arxiv", source, output, json, sample=documents)


@build.command(epilog="Example: branchwise data build bgc --source blurbs.zip --output bgc")
def bgc(source: Source, output: Output, json: Json = False) -> None:
    """Build the Blurb Genre Collection (English): BlurbGenreCollection_EN_{train,dev,test}.txt."""
    _build("bgc", source, output, json)


def _build(name: str, source: Path, output: Path, json: bool, **options: Any) -> None:
    from branchwise.corpus.sources import benchmark
    from branchwise.corpus.sources import build as build_benchmark

    built = build_benchmark(benchmark(name, **options), source, output, tell=say)
    if json:
        show_json(built.manifest)
    else:
        show_built(built)


def show_built(built: Built) -> None:
    """Show what was built and what was left out."""
    from branchwise.report.table import Table

    manifest = built.manifest
    parts = Table(f"{built.folder}: {manifest['title']}", ("part", "documents", "fingerprint of the content"))
    for name, part in manifest["parts"].items():
        parts.add(name, part["documents"], part["fingerprint"] or "")
    show(parts.rich())
    if manifest["dropped"]:
        dropped = Table("Left out", ("reason", "documents", "for example"))
        for reason, one in manifest["dropped"].items():
            dropped.add(reason, one["documents"], ", ".join(one["examples"][:2]))
        show("", dropped.rich())
