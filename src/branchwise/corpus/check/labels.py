"""Checks of the labels: enough documents for each, whole paths, targets that fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from branchwise.corpus.check.findings import Finding, named, number, percent
from branchwise.corpus.check.parts import Parts
from branchwise.taxonomy.labelsets import pack

FEW, VERY_FEW = 10, 5  # training documents of a label
SKEWED = 100  # times the median label of its level


def check_labels(parts: Parts, target_limit: int) -> Iterator[Finding]:
    """Yield what is to be said about labels and label sets."""
    yield from _unlabelled(parts)
    yield from _support(parts)
    yield from _skew(parts)
    yield from _skipped_levels(parts)
    yield from _inner_stops(parts)
    yield from _long_targets(parts, target_limit)


def _unlabelled(parts: Parts) -> Iterator[Finding]:
    rows = np.flatnonzero(parts.closed.sizes == 0)
    if len(rows):
        examples = parts.places(rows)
        yield Finding(
            "unlabelled_documents",
            "warning",
            f"{number(len(rows), 'document has', 'documents have')} no label ({named(examples)}): a model "
            "trained on them learns to answer with nothing; label them, or skip them when reading if that "
            "is not meant.",
            len(rows),
            examples,
        )


def _support(parts: Parts) -> Iterator[Finding]:
    tree = parts.tree
    train = parts.corpora[parts.training].labels.counts(len(tree))
    others = sum(
        (parts.corpora[name].labels.counts(len(tree)) for name in parts.held_out), np.zeros_like(train)
    )
    unseen = np.flatnonzero((train == 0) & (others > 0))
    if len(unseen):
        examples = parts.label_ids(unseen)
        rows = np.unique(parts.closed.rows[np.isin(parts.closed.labels, unseen)])
        yield Finding(
            "labels_never_trained",
            "warning",
            f"{number(len(unseen), 'label occurs', 'labels occur')} in {' or '.join(parts.held_out)} but "
            f"never in {parts.training} ({named(examples)}), so a model cannot get "
            f"{number(len(rows), 'document', 'documents')} wholly right; take a stratified split, or "
            "add documents.",
            len(unseen),
            examples,
            {"documents": len(rows)},
        )
    absent = np.flatnonzero((train == 0) & (others == 0))
    if len(absent):
        examples = parts.label_ids(absent)
        yield Finding(
            "labels_without_documents",
            "warning",
            f"{len(absent):,} of {number(len(tree), 'label', 'labels')} "
            f"{'has' if len(absent) == 1 else 'have'} no document at all ({named(examples)}): a model never "
            "predicts them, and macro-F1 over all labels counts each as 0; add documents or prune them "
            "from the taxonomy.",
            len(absent),
            examples,
        )
    few = np.flatnonzero((train > 0) & (train < FEW))
    if len(few):
        few = few[np.argsort(train[few], kind="stable")]
        examples = parts.label_ids(few)
        very_few = int((train[few] < VERY_FEW).sum())
        shown = [f"{tree.ids[k]}: {train[k]}" for k in few[:4].tolist()]
        yield Finding(
            "labels_with_few_documents",
            "warning",
            f"{number(len(few), 'label has', 'labels have')} fewer than {FEW} documents"
            f"{parts.in_training}, {very_few:,} of them fewer than {VERY_FEW} ({named(shown)}): expect them to "
            "be predicted rarely; gather more documents, or merge them into their parents.",
            len(few),
            examples,
            {f"below_{VERY_FEW}": very_few, f"below_{FEW}": len(few)},
        )


def _skew(parts: Parts) -> Iterator[Finding]:
    tree = parts.tree
    train = parts.corpora[parts.training].labels.counts(len(tree))
    found = []
    for level in range(1, tree.depth + 1):
        first = int(tree.level_start[level - 1])
        run = train[first : int(tree.level_start[level])]
        median = float(np.median(run[run > 0])) if run.any() else 0.0
        if median and run.max() >= SKEWED * median:
            top = first + int(run.argmax())
            found.append((float(run.max()) / median, level, top, median))
    if found:
        ratio, level, top, median = max(found)
        yield Finding(
            "skewed_labels",
            "warning",
            f"On level {level} the label {tree.ids[top]} has "
            f"{number(int(train[top]), 'document', 'documents')}, {ratio:,.0f} times as many as the median "
            f"label of that level ({median:g}): micro-F1 will mostly measure the large labels, so look at "
            "macro-F1 too and select on it if rare labels matter.",
            len(found),
            tuple(tree.ids[k] for _, _, k, _ in found),
            {"levels": {str(level): {"label": tree.ids[k], "ratio": ratio} for ratio, level, k, _ in found}},
        )


def _skipped_levels(parts: Parts) -> Iterator[Finding]:
    """Find labels whose parent is not given though a higher ancestor is."""
    tree, given = parts.tree, parts.given
    suspects = given.missing_parent(tree)
    rows, above = given.rows[suspects], tree.parent[given.labels[suspects]]
    labels = given.labels[suspects]
    skipping: list[np.ndarray] = []
    pairs: list[tuple[int, int]] = []
    while len(rows):
        above = tree.parent[above]
        inside = above >= 0
        rows, above, labels = rows[inside], above[inside], labels[inside]
        hit = np.isin(pack(rows, above), given.keys)
        skipping.append(rows[hit])
        pairs.extend(zip(labels[hit].tolist()[:1], above[hit].tolist()[:1], strict=True))
        rows, above, labels = rows[~hit], above[~hit], labels[~hit]
    found = np.unique(np.concatenate(skipping)) if skipping else np.zeros(0, np.int64)
    if len(found):
        examples = parts.places(found)
        label, ancestor = (tree.ids[one] for one in pairs[0])
        yield Finding(
            "skipped_levels",
            "note",
            f"{number(len(found), 'label set skips', 'label sets skip')} a level ({named(examples)}), for "
            f"example {label} and {ancestor} are given but not the label between them: reading adds it, so "
            "only check that the taxonomy is the one the documents were labelled with.",
            len(found),
            examples,
        )


def _inner_stops(parts: Parts) -> Iterator[Finding]:
    tree = parts.tree
    ends = parts.closed.most_specific(tree)
    stopping = ~tree.is_leaf[ends.labels]
    rows = np.unique(ends.rows[stopping])
    if len(rows):
        examples = parts.places(rows)
        most = int(np.bincount(ends.labels[stopping]).argmax())
        yield Finding(
            "inner_stops",
            "note",
            f"{number(len(rows), 'label set stops', 'label sets stop')} at a label that has children "
            f"({percent(len(rows), len(parts.closed))}; most often {tree.ids[most]}; {named(examples)}): "
            "do not decode with leaves only, unless the deeper label is missing by mistake.",
            len(rows),
            examples,
            {"share": len(rows) / len(parts.closed)},
        )


def _long_targets(parts: Parts, limit: int) -> Iterator[Finding]:
    symbols = 2 * parts.closed.sizes  # a separator after each label but the last, and the end symbol
    rows = np.flatnonzero(symbols > limit)
    if len(rows):
        rows = rows[np.argsort(-symbols[rows], kind="stable")]
        examples = parts.places(rows)
        longest = int(symbols.max())
        yield Finding(
            "long_targets",
            "warning",
            f"{number(len(rows), 'label set needs', 'label sets need')} more than {limit} symbols "
            f"({named(examples)}): set the target limit to {longest}, or choose to drop their deepest "
            "labels.",
            len(rows),
            examples,
            {"limit": limit, "longest": longest},
        )
