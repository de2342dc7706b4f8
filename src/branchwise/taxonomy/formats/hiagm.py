"""HiAGM's .taxonomy: each line a label and then its children, separated by tabs; the top one is Root.

The format holds ids alone, which serve as names too; names, synonyms and copies are not written.
"""

from __future__ import annotations

import re
from pathlib import Path

from branchwise.errors import TaxonomyError
from branchwise.taxonomy.formats.nodes import Nodes
from branchwise.taxonomy.formats.source import Source, write_text
from branchwise.taxonomy.tree import ROOT, Taxonomy

ROOT_NAME = "Root"


def read(path: Path) -> Taxonomy:
    """Read the lines in any order; siblings keep the order in which they stand."""
    source = Source.read(path)
    nodes = Nodes(source)
    child_lines: list[int] = []
    parent_lines: dict[str, int] = {}
    for line, text in enumerate(re.split(r"\r\n|\r|\n", source.text), start=1):
        parent, *children = (cell.strip() for cell in text.rstrip().split("\t"))
        if not parent and not children:
            continue
        if ROOT_NAME in children:
            raise TaxonomyError(
                f"{ROOT_NAME!r} is a child of {parent!r} ({source.at(line)}), but it names the root: "
                "rename the label or take it away."
            )
        parent_lines.setdefault(parent, line)
        for child in children:
            nodes.add(child, None if parent == ROOT_NAME else parent)
            child_lines.append(line)
    known = {ROOT_NAME, *nodes.ids}
    for parent, line in parent_lines.items():
        if parent not in known:
            raise TaxonomyError(
                f"The parent {parent!r} ({source.at(line)}) is unknown, as no line has it among the "
                f"children: add it to its parent's line, or to the line that begins with {ROOT_NAME}."
            )
    return nodes.build(lambda row: source.at(child_lines[row]))


def write(tree: Taxonomy, path: Path) -> None:
    """Write the ids, one line for the root and one for every label with children."""
    for label in tree.ids:
        if label == ROOT_NAME or label != label.strip() or re.search(r"[\t\r\n]", label):
            raise TaxonomyError(
                f"The id {label!r} cannot be written to {path}, as it is {ROOT_NAME} or has a tab, a line "
                "end or white space around it: write a .tsv or .json file."
            )
    lines = []
    for position in [ROOT, *range(len(tree))]:
        children = [tree.ids[child] for child in tree.children(position)]
        if children:
            lines.append("\t".join([ROOT_NAME if position == ROOT else tree.ids[position], *children]) + "\n")
    write_text(path, "".join(lines))
