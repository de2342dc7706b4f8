"""Cuts the slice of arXiv that ships with the package from the full data, the same one on every machine.

Run it as ``python benchmarks/cut_bundled_slice.py SOURCE OUTPUT``: SOURCE is the folder with taxonomy.tsv and
train, val and test as .jsonl.zst; OUTPUT is src/branchwise/corpus/bundled.

A document is taken where all of its labels are among LABELS, and then with a chance that is the higher the
rarer its rarest label is, so that each label has about PER_LABEL documents to learn from. The chance is drawn
from the hash of the id and the same in all three parts, which therefore stay alike.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa

from branchwise import Corpus, Taxonomy
from branchwise.taxonomy import LabelSets

PARTS = {"train": "train", "validation": "val", "test": "test"}  # our name of a part, and the source's
PER_LABEL = 130
CATEGORIES = {
    "cs": "AI CC CL CR CV DM DS IR LG NE NI SI",
    "math": "CO NA OC PR ST",
    "cond-mat": "dis-nn quant-gas soft stat-mech",
    "physics": "atom-ph bio-ph data-an flu-dyn soc-ph",
    "q-bio": "NC PE QM",
    "stat": "AP ME ML",
}
LABELS = ["quant-ph", *(f"{above}.{one}" for above, below in CATEGORIES.items() for one in below.split())]

ORIGIN = """# Where these documents come from

Titles and abstracts of arXiv papers with their arXiv categories: a slice of the arXiv metadata, which arXiv
publishes under [CC0 1.0](https://creativecommons.org/publicdomain/zero/1.0/) (public domain dedication). A
text is the title, a full stop, and the abstract. Only metadata is here, no paper. "Physical Sciences"
(`physics_group`) is a common parent for arXiv's physics archives.

`benchmarks/cut_bundled_slice.py` cut the slice from a sample of 60,000 documents with {source_labels} labels.
It kept {labels} labels and documents that have no label besides them: some {per_label} training documents for
each most specific label where there are as many, so rare labels have a larger share here than in arXiv,
in all three parts alike. The parts are those of the sample, and no text stands in two of them.

| part | documents | labels a document | several paths | stop at an inner label | SHA-256 of the content |
|---|---|---|---|---|---|
{rows}

The taxonomy has {per_level} labels on levels 1 to {depth}; "Machine Learning" is the name of two of them
(`cs.LG`, `stat.ML`). A part's SHA-256 is `Corpus.bundled(part).fingerprint`; the taxonomy's is
`{taxonomy}`.
"""


def restricted(tree: Taxonomy) -> Taxonomy:
    """Return the tree of LABELS and their ancestors, in the source's order."""
    kept = [int(one) for one in tree.label_sets([LABELS])[0]]
    parents = [tree.ids[tree.parent[one]] if tree.parent[one] >= 0 else None for one in kept]
    return Taxonomy.from_nodes([tree.ids[one] for one in kept], parents, [tree.names[one] for one in kept])


def inside(corpus: Corpus, tree: Taxonomy) -> Corpus:
    """Return the documents that have no label outside the tree, as a corpus of that tree."""
    new = np.array([tree.index.get(one, -1) for one in corpus.taxonomy.ids], np.int32)
    outside = np.zeros(len(corpus), bool)
    outside[corpus.labels.rows[new[corpus.labels.labels] < 0]] = True
    kept = corpus.take(np.flatnonzero(~outside))
    given = LabelSets.from_pairs(kept.given.rows, new[kept.given.labels], len(kept))
    return Corpus(tree, kept.documents, given)


def chances(labels: LabelSets, frequency: np.ndarray) -> np.ndarray:
    """Return the chance of every document, [N]: that of its label with the fewest documents."""
    of_label = np.minimum(1.0, PER_LABEL / np.maximum(frequency, 1))
    chance = np.zeros(len(labels))
    np.maximum.at(chance, labels.rows, of_label[labels.labels])
    return chance


def draws(ids: list[str]) -> np.ndarray:
    """Return a number from 0 to 1 for every id, its hash."""
    first_bytes = [int.from_bytes(hashlib.sha256(one.encode()).digest()[:8]) for one in ids]
    return np.array(first_bytes, np.float64) / 2**64


def cut(source: Path, output: Path) -> None:
    """Write the three parts, the taxonomy and the note of their origin."""
    whole = Taxonomy.read(source / "taxonomy.tsv")
    tree = restricted(whole)
    tree.write(output / "taxonomy.tsv")
    frequency: np.ndarray | None = None
    seen: set[str] = set()
    rows = []
    for part, name in PARTS.items():
        pool = inside(Corpus.read(source / f"{name}.jsonl.zst", whole), tree)
        specific = pool.labels.most_specific(tree)
        if frequency is None:  # that of train, which comes first
            frequency = specific.counts(len(tree))
        drawn = draws(pool.ids) < chances(specific, frequency)
        chosen = []
        for row, text in enumerate(pool.texts()):
            if drawn[row] and text not in seen:
                seen.add(text)
                chosen.append(row)
        corpus = pool.take(chosen)
        write_small(corpus, output / f"{part}.jsonl.zst")
        rows.append(row_of(part, corpus))
    text = ORIGIN.format(
        source_labels=len(whole),
        labels=len(tree),
        per_label=PER_LABEL,
        rows="\n".join(rows),
        per_level=", ".join(map(str, np.diff(tree.level_start))),
        depth=tree.depth,
        taxonomy=tree.fingerprint,
    )
    (output / "ORIGIN.md").write_text(text, encoding="utf-8")


def write_small(corpus: Corpus, path: Path) -> None:
    """Write a part, compressed harder than ``Corpus.write`` does."""
    plain = path.with_suffix("")
    corpus.write(plain)
    path.write_bytes(pa.Codec("zstd", compression_level=19).compress(plain.read_bytes(), asbytes=True))
    plain.unlink()


def row_of(part: str, corpus: Corpus) -> str:
    """Return the line about a part in the note of origin."""
    specific = corpus.labels.most_specific(corpus.taxonomy)
    inner = len(np.unique(specific.rows[~corpus.taxonomy.is_leaf[specific.labels]]))
    several = float(np.mean(specific.sizes > 1))
    average = float(np.mean(corpus.labels.sizes))
    return f"| {part} | {len(corpus):,} | {average:.2f} | {several:.0%} | {inner} | `{corpus.fingerprint}` |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, help="folder of the full data")
    parser.add_argument("output", type=Path, help="folder to write the slice to")
    arguments = parser.parse_args()
    cut(arguments.source, arguments.output)
