"""arXiv's metadata snapshot in small: a line of JSON for every paper, with all the fields that it has."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.corpus.sources.prose import about

SNAPSHOT = "arxiv-metadata-oai-snapshot.json"
CATEGORIES = {
    # What a paper carries, and what it is about.
    "cs.LG stat.ML": ["Machine Learning", "Computer Science"],
    "math.AG": ["Algebraic Geometry", "Mathematics"],
    "quant-ph": ["Quantum Physics"],
    "astro-ph.GA astro-ph.CO": ["Galaxies", "Cosmology"],
    "cond-mat.soft physics.bio-ph": ["Soft Matter", "Biological Physics"],
    "q-bio.NC": ["Neurons and Cognition"],
    "econ.GN q-fin.EC": ["Economics"],
    "math-ph math.MP": ["Mathematical Physics"],
}


def paper(label: str, title: str, abstract: str, categories: str) -> dict[str, Any]:
    """Return a paper with every field of the snapshot."""
    return {
        "id": label,
        "submitter": "A. Writer",
        "authors": "A. Writer and B. Reader",
        "title": title,
        "comments": "12 pages",
        "journal-ref": None,
        "doi": None,
        "report-no": None,
        "categories": categories,
        "license": None,
        "abstract": f"  {abstract}\n",
        "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
        "update_date": "2008-11-26",
        "authors_parsed": [["Writer", "A.", ""]],
    }


def papers(documents: int = 200, seed: int = 0) -> list[dict[str, Any]]:
    """Return so many papers; titles and abstracts are wrapped as arXiv wraps them."""
    chance = random.Random(seed)
    kinds = list(CATEGORIES)
    found = []
    for number in range(documents):
        kind = kinds[number % len(kinds)]
        label = f"{7 + number // 1000:02}04.{number:04}" if number % 5 else f"hep-th/99{number:05}"
        title = f"A note on {CATEGORIES[kind][0]}:\n  part {number}"
        words = about(CATEGORIES[kind], chance).replace(", where", ",\nwhere")
        found.append(paper(label, title, words, kind))
    return found


def write_arxiv(
    folder: Path, documents: int = 200, seed: int = 0, rows: Iterable[dict[str, Any]] | None = None
) -> Path:
    """Write a snapshot and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = papers(documents, seed) if rows is None else rows
    (folder / SNAPSHOT).write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return folder
