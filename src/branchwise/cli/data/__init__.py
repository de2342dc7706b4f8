"""The commands that look at taxonomies and documents: ``branchwise data …``."""

from __future__ import annotations

import typer

from branchwise.cli.data.build import build
from branchwise.cli.data.check import check
from branchwise.cli.data.convert import convert
from branchwise.cli.data.mask import mask
from branchwise.cli.data.split import split
from branchwise.cli.data.stats import stats
from branchwise.cli.data.tree import tree

data = typer.Typer(
    name="data",
    help="Look at taxonomies and documents, check, convert and split them.",
    no_args_is_help=True,
    epilog="Start with: branchwise data tree taxonomy.tsv",
)
data.command(epilog="Example: branchwise data tree taxonomy.tsv --counts train.jsonl --figure tree.png")(tree)
data.command(epilog="Example: branchwise data stats train.jsonl test.jsonl --taxonomy taxonomy.tsv")(stats)
data.command(epilog="Example: branchwise data check train.jsonl test.jsonl --taxonomy taxonomy.tsv")(check)
data.command(epilog="Example: branchwise data mask --labels e,d --taxonomy taxonomy.tsv --mask both")(mask)
data.command(epilog="Example: branchwise data convert documents.csv --output documents.jsonl.zst")(convert)
data.command(epilog="Example: branchwise data split documents.jsonl --output-dir parts --seed 7")(split)
data.add_typer(build)
