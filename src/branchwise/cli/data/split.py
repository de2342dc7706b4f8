"""``branchwise data split``: documents in parts, each with a content hash, and a manifest that says how."""

from __future__ import annotations

import json as json_module
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from branchwise.cli.console import say, show, show_json
from branchwise.cli.files import check_outputs, complete_file, make_folder
from branchwise.cli.options import Json, Reading, TaxonomyFile, reads_documents
from branchwise.cli.taxonomies import read_tree
from branchwise.errors import BranchwiseError

if TYPE_CHECKING:
    from branchwise.corpus import Corpus

MANIFEST = "split.json"


@reads_documents
def split(
    reading: Reading,
    documents: Annotated[list[str], typer.Argument(metavar="DOCUMENTS...", help="Files of documents, or -.")],
    output_dir: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the parts go; made if need be.")],
    how: Annotated[
        Literal["stratified", "random", "group"], typer.Option(help="What parts have in common.")
    ] = "stratified",
    parts: Annotated[
        str, typer.Option(metavar="NAME=SHARE,...", help="Shares that sum to 1, or numbers of documents.")
    ] = "train=0.8,validation=0.1,test=0.1",
    group: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Field whose equal values stay together.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Another seed, another split.")] = 0,
    suffix: Annotated[str, typer.Option(metavar="SUFFIX", help="Format of the parts.")] = ".jsonl.zst",
    keep_field: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A further field to carry along; repeat it.")
    ] = None,
    taxonomy: TaxonomyFile = None,
    json: Json = False,
) -> None:
    """Split documents into parts: so that rare labels reach each, at random, or by a field.

    Writes one file a part, and split.json with the seed and the content hash of each.
    """
    from branchwise.corpus.splits import part_sizes
    from branchwise.corpus.splits import split as divide

    wished = parse_parts(parts)
    files = {
        name: output_dir / f"{name}{suffix if suffix.startswith('.') else '.' + suffix}" for name in wished
    }
    in_folder = [*files.values(), output_dir / MANIFEST] if output_dir.is_dir() else []
    check_outputs([taxonomy, *documents], [*in_folder, reading.rejects])
    tree = read_tree(taxonomy) if taxonomy is not None else None
    kept = list(dict.fromkeys([*(keep_field or ()), *([group] if group not in (None, "text") else [])]))
    corpus = reading.read(documents, tree, keep_fields=[one for one in kept if one is not None])
    divided = divide(corpus, wished, how=how, seed=seed, group=group)
    manifest = _manifest(corpus, divided, files, {"how": how, "group": group, "seed": seed, "wished": wished})
    make_folder(output_dir)
    with ExitStack() as stack:  # all files appear together, so that no part of another split stands by them
        for name, one in divided.items():
            one.write(stack.enter_context(complete_file(files[name])))
        place = stack.enter_context(complete_file(output_dir / MANIFEST))
        place.write_text(json_module.dumps(manifest, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    for name, size in zip(divided, part_sizes(wished, len(corpus)), strict=True):
        if len(divided[name]) != size:
            reason = "groups stay whole" if how == "group" else "every label reaches every part"
            say(f"{name} has {len(divided[name]):,} documents, not the {size:,} asked for: {reason}.")
    if json:
        show_json(manifest)
    else:
        _print(manifest, output_dir)


def parse_parts(text: str) -> dict[str, float | int]:
    """Read ``train=0.8,test=0.2``, or whole numbers of documents."""
    parts: dict[str, float | int] = {}
    for one in text.split(","):
        name, equals, value = (part.strip() for part in one.partition("="))
        try:
            size: float | int = int(value) if value.isdecimal() else float(value)
        except ValueError:
            equals = ""
        if not equals or not name or "/" in name or "\\" in name:
            raise BranchwiseError(
                f"--parts {text} has {one!r}: write names with shares, as in train=0.8,test=0.2."
            )
        if name in parts:
            raise BranchwiseError(f"--parts {text} names {name!r} twice: give every part its own name.")
        parts[name] = size
    return parts


def _manifest(
    corpus: Corpus, divided: dict[str, Corpus], files: dict[str, Path], how: dict[str, Any]
) -> dict[str, Any]:
    return {
        "source": {"documents": len(corpus), "sha256": corpus.fingerprint},
        "taxonomy": {"labels": len(corpus.taxonomy), "sha256": corpus.taxonomy.fingerprint},
        **how,
        "parts": {
            name: {"file": files[name].name, "documents": len(one), "sha256": one.fingerprint}
            for name, one in divided.items()
        },
    }


def _print(manifest: dict[str, Any], folder: Path) -> None:
    from branchwise.report.table import Table

    table = Table(
        f"{folder}: {manifest['how']} split, seed {manifest['seed']}", ("part", "documents", "sha256")
    )
    for name, part in manifest["parts"].items():
        table.add(name, part["documents"], part["sha256"])
    show(table.rich())
