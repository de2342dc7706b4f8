"""``branchwise demo``: what Branchwise does, on the documents that ship with it, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from branchwise.cli.console import say, show
from branchwise.cli.files import complete_file, make_folder

if TYPE_CHECKING:
    import numpy as np

    from branchwise.corpus import Corpus
    from branchwise.taxonomy import LabelSets, Taxonomy

PARTS = ("train", "validation", "test")


@dataclass
class _Stage:
    """What the steps share: the corpus, and the folder with the files written so far."""

    folder: Path
    corpora: dict[str, Corpus]
    draws: bool
    written: list[tuple[Path, str]] = field(default_factory=list)

    @property
    def tree(self) -> Taxonomy:
        return self.corpora["train"].taxonomy

    def counts(self) -> np.ndarray:
        """Return the documents of every label, over all parts."""
        import numpy as np

        return np.sum([one.labels.counts(len(self.tree)) for one in self.corpora.values()], axis=0)

    def write(self, name: str, what: str, make: Callable[[Path], None]) -> None:
        """Make a file, whole or not at all, and remember it."""
        with complete_file(self.folder / name) as place:
            make(place)
        self.written.append((self.folder / name, what))

    def draw(self, name: str, what: str, make: Callable[[Path], None]) -> None:
        """Make a picture, where there is something to draw it with."""
        if self.draws:
            self.write(name, what, make)


def demo(
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Where files and pictures go.")] = Path(
        "demo"
    ),
) -> None:
    """Show Branchwise at work on the documents that ship with it: real arXiv titles and abstracts."""
    stage = _Stage(make_folder(output), _bundled(), _can_draw())
    for title, step in (
        ("The documents and their tree", show_tree),
        ("The corpus in numbers", show_statistics),
        ("One document's labels as a sequence, and who may look at whom", show_mask),
        ("What a careful colleague would say", show_check),
        ("What to do next", show_next),
    ):
        _headline(title)
        step(stage)


def show_tree(stage: _Stage) -> None:
    """Print and draw the tree, and write corpus and tree as files in Branchwise's own form."""
    from branchwise.cli.data.tree_output import print_tree
    from branchwise.report.figures import draw_tree

    title = f"arXiv: {len(stage.tree):,} labels on {stage.tree.depth} levels"
    print_tree(stage.tree, stage.counts(), title, depth=2)
    stage.draw(
        "tree.png", "the tree", lambda place: draw_tree(stage.tree, place, stage.counts(), title=title)
    )
    stage.write("taxonomy.tsv", "the tree as a file", stage.tree.write)
    for name, corpus in stage.corpora.items():
        stage.write(f"{name}.jsonl", f"{len(corpus):,} documents", corpus.write)


def show_statistics(stage: _Stage) -> None:
    """Print, write and draw the tables of the corpus."""
    from branchwise.corpus.statistics import statistics
    from branchwise.report.figures import draw_statistics
    from branchwise.report.statistics_tables import statistics_tables

    counted = statistics(stage.corpora)
    tables = statistics_tables(counted)
    for table in tables:
        show(table.rich(), "")
    text = "\n".join(table.markdown() for table in tables)
    stage.write("statistics.md", "these tables", lambda place: _write_text(place, text))
    stage.draw(
        "statistics.png",
        "the corpus at a glance",
        lambda place: draw_statistics(counted, stage.tree, stage.counts(), place, "arXiv, the bundled part"),
    )


def show_mask(stage: _Stage) -> None:
    """Print and draw the sequence and both masks of a document with several paths."""
    from branchwise.cli.data.mask import print_mask
    from branchwise.report.figures import draw_mask
    from branchwise.report.mask_view import view_mask

    row = _telling_row(stage.corpora["train"].labels, stage.tree)
    labels = stage.corpora["train"].labels.take([row])
    text = stage.corpora["train"].documents.column("text")[row].as_py()
    show(f"“{text[:150].rstrip()}…”", "")
    print_mask(view_mask(stage.tree, labels, ["released"]))
    both = view_mask(stage.tree, labels, ["paper", "released"])
    stage.draw("mask.png", "both masks", lambda place: draw_mask(both, place))


def show_check(stage: _Stage) -> None:
    """Print what a check of the corpus finds."""
    from branchwise.cli.data.check import print_findings
    from branchwise.corpus.check import check

    print_findings(check(stage.corpora))


def show_next(stage: _Stage) -> None:
    """List what was written, and what to type for one's own documents."""
    from rich.text import Text

    for path, what in stage.written:
        show(Text.assemble((str(path), "bold"), f"  {what}"))
    show("", "With your own documents (.jsonl, .csv, .tsv, .parquet, .xlsx) and tree (.tsv, .json, .ttl, …):")
    for line in (
        "branchwise data tree taxonomy.tsv --counts documents.csv --figure tree.png",
        "branchwise data check documents.csv --taxonomy taxonomy.tsv",
        "branchwise data split documents.csv --taxonomy taxonomy.tsv --output-dir parts",
        "branchwise data stats parts/*.jsonl.zst --taxonomy taxonomy.tsv",
    ):
        show(Text("  " + line, style="cyan"))


def _bundled() -> dict[str, Corpus]:
    from branchwise.corpus import Corpus

    return {part: Corpus.bundled(part) for part in PARTS}


def _can_draw() -> bool:
    from branchwise.errors import MissingExtraError
    from branchwise.report.style import check_picture

    try:
        check_picture("tree.png")
    except MissingExtraError as error:
        say(f"No pictures: {error}")
        return False
    return True


def _headline(title: str) -> None:
    from rich.text import Text

    show("", Text(title, style="bold cyan"), "")


def _telling_row(sets: LabelSets, tree: Taxonomy) -> int:
    """Return the first document with three levels and two branches, or else the one with most labels."""
    import numpy as np

    deepest = np.zeros(len(sets), np.int64)
    np.maximum.at(deepest, sets.rows, tree.level[sets.labels])
    roots = np.bincount(sets.rows[tree.level[sets.labels] == 1], minlength=len(sets))
    telling = np.flatnonzero((deepest >= 3) & (roots >= 2) & (sets.sizes >= 5) & (sets.sizes <= 7))
    return int(telling[0]) if len(telling) else int(np.argmax(sets.sizes))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
