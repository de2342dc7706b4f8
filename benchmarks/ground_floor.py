"""The rooms that everything stands on, at 500,000 documents, each beside the plain way of doing the same.

The documents are those of the bundled corpus, repeated under new ids. The reference of each row is the
obvious loop (or scikit-learn, for F1), run on fewer documents where it would take too long, in the same run.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import seconds, write_result
from branchwise import Corpus, Taxonomy, evaluate
from branchwise.sequence import TokenCodec, path_mask
from branchwise.taxonomy import LabelSets

BATCH = 64


def main() -> None:
    """Run every row and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=500_000)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/ground_floor.json"))
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []

    def row(
        name: str, reference: str, ours: Callable[[], Any], theirs: Callable[[], Any], share: float
    ) -> None:
        """Time both; ``share`` is the part of the documents that the reference runs on."""
        mine, other = seconds(ours, 2), seconds(theirs, 1) / share
        rate = arguments.documents / mine
        rows.append(
            {
                "what": name,
                "seconds": round(mine, 3),
                "documents_a_second": round(rate),
                "reference": reference,
                "times_faster": round(other / mine, 1),
            }
        )
        sys.stderr.write(
            f"{name}: {mine:.2f} s, {rate:,.0f} documents a second, {other / mine:.1f} × {reference}\n"
        )

    bundled = Corpus.bundled("train")
    tree = bundled.taxonomy
    order = np.arange(arguments.documents) % len(bundled)
    sets = bundled.labels.take(order)
    few = max(arguments.documents // 50, 1)
    share = few / arguments.documents

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "documents.jsonl"
        _write(bundled, order, path)
        row(
            "read JSON lines",
            "json.loads alone",
            lambda: Corpus.read(path, tree),
            lambda: [json.loads(line) for line in path.open(encoding="utf-8")],
            1.0,
        )

    wide, wide_sets = _wide_tree(100_000, arguments.documents)
    row(
        "close label sets, 100,000-node tree",
        "a Python set a document",
        lambda: wide_sets.closed(wide),
        lambda: [_closed(wide, wide_sets[i].tolist()) for i in range(few)],
        share,
    )
    codec = TokenCodec(tree)
    batches = [sets.take(np.arange(a, min(a + BATCH, len(sets)))) for a in range(0, len(sets), BATCH)]
    row(
        f"encode, batches of {BATCH}",
        "a Python loop a document",
        lambda: [codec.encode(batch) for batch in batches],
        lambda: [_encoded(codec, sets[i].tolist()) for i in range(few)],
        share,
    )
    encoded = [codec.encode(batch) for batch in batches]
    row(
        f"path-adaptive mask, batches of {BATCH}",
        "a Python loop over rows",
        lambda: [path_mask(one, tree) for one in encoded],
        lambda: [_mask(tree, sets[i].tolist()) for i in range(few)],
        share,
    )
    predicted = _disturbed(sets, tree)
    row(
        "evaluate, every metric without scores",
        "scikit-learn's micro and macro F1 alone, sparse",
        lambda: evaluate(tree, sets, predicted),
        lambda: _sklearn_f1(sets, predicted, len(tree)),
        1.0,
    )
    write_result(
        arguments.output,
        f"python -m benchmarks.ground_floor --documents {arguments.documents}",
        {
            "documents": arguments.documents,
            "labels": len(tree),
            "labels_a_document": round(float(sets.sizes.mean()), 2),
            "rows": rows,
            "peak_memory_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        },
    )


def _write(corpus: Corpus, order: np.ndarray, path: Path) -> None:
    texts, labels = list(corpus.texts()), corpus.given.to_ids(corpus.taxonomy)
    with path.open("w", encoding="utf-8") as file:
        for number, source in enumerate(order.tolist()):
            row = {"id": str(number), "text": texts[source], "labels": labels[source]}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _wide_tree(n_labels: int, n_documents: int) -> tuple[Taxonomy, LabelSets]:
    """Return a random tree some ten levels deep, and documents with three labels each."""
    random = np.random.default_rng(0)
    parents = [""] * 10 + [str(random.integers(i // 4, i // 3 + 1)) for i in range(10, n_labels)]
    tree = Taxonomy.from_nodes([str(i) for i in range(n_labels)], parents)
    labels = random.integers(0, n_labels, 3 * n_documents).astype(np.int32)
    return tree, LabelSets.from_pairs(np.repeat(np.arange(n_documents), 3), labels, n_documents)


def _closed(tree: Taxonomy, labels: list[int]) -> list[int]:
    found = set(labels)
    for label in labels:
        above = int(tree.parent[label])
        while above >= 0:
            found.add(above)
            above = int(tree.parent[above])
    return sorted(found)


def _encoded(codec: TokenCodec, labels: list[int]) -> list[int]:
    symbols: list[int] = []
    for i, label in enumerate(labels):
        if i:
            deeper = codec.tree.level[label] != codec.tree.level[labels[i - 1]]
            symbols.append(codec.symbols.below if deeper else codec.symbols.between)
        symbols.append(label)
    return [*symbols, codec.symbols.end]


def _mask(tree: Taxonomy, labels: list[int]) -> np.ndarray:
    mask = np.zeros((2 * len(labels), 2 * len(labels)), bool)
    for k, label in enumerate(labels):
        branch = {*tree.ancestors(label), label}
        for row in (2 * k, 2 * k + 1):
            mask[row, 0] = True
            for u, other in enumerate(labels[: k + 1]):
                if other in branch:
                    mask[row, 2 * u] = True
                    mask[row, 2 * u + 1] = 2 * u + 1 <= row
    mask[-1] = True
    return mask


def _disturbed(sets: LabelSets, tree: Taxonomy) -> LabelSets:
    random = np.random.default_rng(1)
    labels = np.where(
        random.random(len(sets.labels)) < 0.3, random.integers(0, len(tree), len(sets.labels)), sets.labels
    )
    return LabelSets.from_pairs(sets.rows, labels.astype(np.int32), len(sets)).closed(tree)


def _sklearn_f1(truth: LabelSets, predicted: LabelSets, n_labels: int) -> None:
    from scipy.sparse import csr_matrix
    from sklearn.metrics import f1_score

    pair = [csr_matrix(one.to_csr(n_labels)) for one in (truth, predicted)]
    for average in ("micro", "macro"):
        f1_score(*pair, average=average, zero_division=0)


if __name__ == "__main__":
    main()
