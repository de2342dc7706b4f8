"""The options that every command which reads documents has, in one place."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from branchwise.cli.console import say_report

if TYPE_CHECKING:
    from branchwise.corpus import Corpus
    from branchwise.taxonomy import Taxonomy

Policy = Literal["error", "skip", "keep"]
WHERE = "Where a document's parts stand"
ODD = "Rows that are not as they should be"
LABELS_READ = ("label_field", "path_separator", "unknown_label", "empty_labels")

Json = Annotated[bool, typer.Option("--json", help="Write JSON for a program instead of text.")]
Figure = Annotated[
    Path | None, typer.Option("--figure", metavar="FILE", help="Draw a picture: .png, .svg or .pdf.")
]
TaxonomyFile = Annotated[
    Path | None,
    typer.Option("--taxonomy", metavar="FILE", help="The tree: .tsv, .csv, .json, .taxonomy, .ttl or .rdf."),
]
NeededTaxonomyFile = Annotated[
    Path,
    typer.Option("--taxonomy", metavar="FILE", help="The tree: .tsv, .csv, .json, .taxonomy, .ttl or .rdf."),
]
Predictions = Annotated[
    list[str] | None,
    typer.Option(
        "--predictions",
        metavar="NAME=FILE",
        help="Somebody else's system, by what it predicts for the test documents; repeatable, and a repeated NAME is "
        "another seed.",
    ),
]
SystemSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="[SYSTEM.]NAME=VALUE",
        help="A setting of one system, or of all that have it; repeatable.",
    ),
]


@dataclass(frozen=True)
class Reading:
    """How documents are read; every field is an option of the command line."""

    text_field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Field of the text; repeat it to join several.", rich_help_panel=WHERE
        ),
    ] = None
    label_field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Field of the labels; repeated, they are the levels of one path.",
            rich_help_panel=WHERE,
        ),
    ] = None
    id_field: Annotated[
        str | None, typer.Option(metavar="NAME", help="Field of the id.", rich_help_panel=WHERE)
    ] = None
    label_separator: Annotated[
        str, typer.Option(metavar="TEXT", help="Stands between labels in one cell.", rich_help_panel=WHERE)
    ] = ";"
    path_separator: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Stands between the parts of a label path.", rich_help_panel=WHERE),
    ] = None
    format: Annotated[
        Literal["jsonl", "csv", "tsv", "parquet", "xlsx"] | None,
        typer.Option(
            metavar="FORMAT",
            help="jsonl, csv, tsv, parquet or xlsx, where no suffix says it.",
            rich_help_panel=WHERE,
        ),
    ] = None
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="Encoding of text files.", rich_help_panel=WHERE)
    ] = "utf-8"
    unknown_label: Annotated[
        Policy, typer.Option(help="A label that the tree does not have.", rich_help_panel=ODD)
    ] = "error"
    missing_text: Annotated[Policy, typer.Option(help="No text.", rich_help_panel=ODD)] = "error"
    bad_text: Annotated[Policy, typer.Option(help="A text that is no string.", rich_help_panel=ODD)] = "error"
    duplicate_id: Annotated[Policy, typer.Option(help="An id that stood before.", rich_help_panel=ODD)] = (
        "error"
    )
    empty_labels: Annotated[Policy, typer.Option(help="No labels.", rich_help_panel=ODD)] = "keep"
    bad_row: Annotated[
        Literal["error", "skip"],
        typer.Option(help="A row that cannot be read: no JSON, too few cells.", rich_help_panel=ODD),
    ] = "error"
    rejects: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the rows left out to this file.", rich_help_panel=ODD),
    ] = None

    def read(
        self,
        paths: Sequence[str],
        tree: Taxonomy | None = None,
        *,
        what: str = "Reading",
        part: str = "",
        quiet: bool = False,
        keep_fields: Sequence[str] = (),
        texts: bool = True,
    ) -> Corpus:
        """Read documents as the options say, and tell on standard error what was met.

        Parameters
        ----------
        paths, tree, keep_fields
            As for :meth:`branchwise.Corpus.read`.
        what
            What the account of skipped rows begins with.
        part
            A part's name, which tells the file of its skipped rows from those of other parts.
        quiet
            Write neither the account nor the skipped rows, where the same rows are read again.
        texts
            False where ids and labels are all that matters, so that no text is asked for.
        """
        from branchwise.corpus import Corpus, Policies

        corpus = Corpus.read(
            list(paths),
            tree,
            text_field=(self.text_field or "text") if texts else None,
            label_field=self.label_field or "labels",
            id_field=self.id_field,
            keep_fields=keep_fields,
            label_separator=self.label_separator,
            path_separator=self.path_separator,
            format=self.format,
            encoding=self.encoding,
            policies=Policies(
                unknown_label=self.unknown_label,
                missing_text=self.missing_text,
                bad_text=self.bad_text,
                duplicate_id=self.duplicate_id,
                empty_labels=self.empty_labels,
                bad_row=self.bad_row,
            ),
            rejects=None if quiet else self.rejects_of(part),
        )
        if not quiet:
            say_report(corpus.report, what)
        return corpus

    def rejects_of(self, part: str = "") -> Path | None:
        """Return the file for the skipped rows of a part: ``rejects.train.jsonl``."""
        if self.rejects is None or not part:
            return self.rejects
        return self.rejects.with_name(f"{self.rejects.stem}.{part}{self.rejects.suffix}")


def reads_documents(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command with a parameter ``reading: Reading`` one option for every field of it."""
    return spread_fields(command, "reading", Reading)


def reads_texts(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command that looks at no labels the same options, but those about labels that are read."""
    return spread_fields(command, "reading", Reading, without=LABELS_READ)


def spread_fields(
    command: Callable[..., Any], name: str, kind: Any, without: Sequence[str] = ()
) -> Callable[..., Any]:
    """Give a command one option for every field of the dataclass that its parameter ``name`` is."""
    types = get_type_hints(kind, include_extras=True)
    options = [
        inspect.Parameter(
            one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=types[one.name]
        )
        for one in fields(kind)
        if one.name not in without
    ]
    return spread(command, name, options, kind)


def spread(
    command: Callable[..., Any], name: str, options: Sequence[inspect.Parameter], gather: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a command whose parameter ``name`` is gathered from several options."""
    hints = get_type_hints(command, include_extras=True)
    own = [
        one.replace(annotation=hints.get(one.name, one.annotation), kind=one.KEYWORD_ONLY)
        for one in inspect.signature(command).parameters.values()
        if one.name != name
    ]

    def gathering(**values: Any) -> Any:
        gathered = gather(**{one.name: values.pop(one.name) for one in options})
        return command(**values, **{name: gathered})

    gathering.__name__, gathering.__doc__ = command.__name__, command.__doc__
    gathering.__annotations__ = {one.name: one.annotation for one in (*own, *options)}
    gathering.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]
    return gathering
