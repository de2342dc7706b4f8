"""Taxonomies from files and pipes: what ``-`` stands for, and how its format is recognised."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from branchwise.cli.console import say
from branchwise.cli.files import STANDARD, complete_file
from branchwise.errors import TaxonomyError

if TYPE_CHECKING:
    from branchwise.taxonomy import Taxonomy

STARTS = {b"{": ".json", b"[": ".json", b"<": ".rdf", b"@": ".ttl", b"PREFIX": ".ttl", b"Root\t": ".taxonomy"}


def read_tree(path: str | Path, **options: Any) -> Taxonomy:
    """Read a taxonomy file, or standard input in the format that its first characters show (else TSV)."""
    from branchwise.taxonomy import Taxonomy

    if str(path) != STANDARD:
        return Taxonomy.read(path, **options)
    data = sys.stdin.buffer.read()
    start = data[:64].lstrip(b"\xef\xbb\xbf \r\n\t")
    suffix = next((suffix for mark, suffix in STARTS.items() if start.startswith(mark)), ".tsv")
    with tempfile.TemporaryDirectory(prefix="branchwise-") as folder:
        copy = Path(folder) / f"tree{suffix}"
        copy.write_bytes(data)
        try:
            return Taxonomy.read(copy, **options)
        except TaxonomyError as error:
            raise TaxonomyError(str(error).replace(str(copy), "standard input")) from error


def write_tree(tree: Taxonomy, path: str | Path) -> None:
    """Write a taxonomy file, which appears when it is complete; ``-`` is standard output, as TSV."""
    if str(path) != STANDARD:
        with complete_file(path) as part:
            tree.write(part)
        if Path(path).suffix.lower() == ".taxonomy" and (tree.names != tree.ids or any(tree.synonyms)):
            say(f"{path} holds ids alone, as HiAGM's format does: the names and synonyms are not in it.")
        return
    with tempfile.TemporaryDirectory(prefix="branchwise-") as folder:
        copy = Path(folder) / "tree.tsv"
        tree.write(copy)
        typer.echo(copy.read_bytes(), nl=False)
