"""A corpus in parts: stratified so that rare labels reach every part, at random, or by a group column.

The same seed gives the same parts on every machine: only raw random integers, whose stream numpy promises to
keep, decide; never a hash, and never a distribution, whose stream may change from one numpy to the next.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from branchwise.corpus.corpus import Corpus
from branchwise.corpus.stratify import stratify
from branchwise.errors import CorpusError

How = Literal["stratified", "random", "group"]
DEFAULT_PARTS: Mapping[str, float] = MappingProxyType({"train": 0.8, "validation": 0.1, "test": 0.1})
ROUNDING = 1e-6  # by how much fractions may miss the sum of 1


def split(
    corpus: Corpus,
    parts: Mapping[str, float | int] = DEFAULT_PARTS,
    *,
    how: How = "stratified",
    seed: int = 0,
    group: str | None = None,
) -> dict[str, Corpus]:
    """Split a corpus into parts; the documents of a part keep their order.

    Parameters
    ----------
    corpus
        What to split.
    parts
        The name of every part with its share (shares sum to 1) or its number of documents. Numbers may sum
        to less than there are; the documents left over are in no part.
    how
        ``stratified``: every part gets its share of every label, and a label with at least as many
        documents as there are parts reaches every part; a part grows beyond its wished size only where that
        needs it to. ``random``: sizes alone. ``group``: documents with the same value in the column
        ``group`` stay together, sizes are as near as the groups allow.
    seed
        Another seed, another split; the same seed, the same split everywhere.
    group
        A column of the corpus: one that reading kept, or ``text`` to keep equal texts together. A document
        with no value there is a group of its own.

    Returns
    -------
    dict of str to Corpus
        The parts in the order they were named; ``fingerprint`` of each is its content hash.
    """
    if how not in get_args(How):
        raise CorpusError(f"There is no split {how!r}: choose one of {', '.join(get_args(How))}.")
    if (group is None) == (how == "group"):
        raise CorpusError(
            "A split by group needs the name of a column: name one that reading kept."
            if how == "group"
            else f"A {how} split takes no group column, but {group!r} is named: choose 'group' for it."
        )
    if seed < 0:
        raise CorpusError(f"The seed is {seed}: give a whole number from 0 on.")
    sizes = part_sizes(parts, len(corpus))
    rest = len(corpus) - sum(sizes)
    piles = [*sizes, rest] if rest else sizes
    keys = np.random.PCG64(seed).random_raw(len(corpus))
    if how == "random":
        part = np.empty(len(corpus), np.int64)
        part[np.argsort(keys, kind="stable")] = np.repeat(np.arange(len(piles)), piles)
    elif how == "stratified":
        part = stratify(corpus.labels, piles, len(sizes), keys)
    else:
        part = _by_group(_group_of(corpus, str(group)), piles, list(parts), keys, str(group))
    return {name: corpus.take(np.flatnonzero(part == number)) for number, name in enumerate(parts)}


def part_sizes(parts: Mapping[str, float | int], n_documents: int) -> list[int]:
    """Turn shares or numbers of documents into numbers of documents, or say what is wrong with them."""
    wished = ", ".join(f"{name}={value}" for name, value in parts.items())
    if not parts:
        raise CorpusError("No part is named: name at least one, for example train=0.8 and test=0.2.")
    values = list(parts.values())
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        raise CorpusError(f"The parts {wished} are not all numbers: give every part a share or a number.")
    if any(not math.isfinite(value) or value <= 0 for value in values):
        raise CorpusError(f"A part of {wished} would hold no document: give every part more than 0.")
    if all(isinstance(value, int) for value in values):
        sizes = [int(value) for value in values]
        if sum(sizes) > n_documents:
            raise CorpusError(
                f"The parts {wished} ask for {sum(sizes):,} documents, but there are {n_documents:,}: ask "
                "for fewer, or give shares that sum to 1."
            )
        return sizes
    total = math.fsum(values)
    if any(value > 1 for value in values) or any(isinstance(value, int) for value in values):
        raise CorpusError(
            f"The parts {wished} mix shares with numbers of documents: give shares below 1 for all, or whole "
            "numbers for all."
        )
    if abs(total - 1) > ROUNDING:
        raise CorpusError(f"The shares {wished} sum to {total:g}, not to 1: change one of them.")
    sizes = [math.floor(value * n_documents + ROUNDING) for value in values]
    by_remainder = sorted(range(len(sizes)), key=lambda i: sizes[i] - values[i] * n_documents)
    for i in range(n_documents - sum(sizes)):
        sizes[by_remainder[i % len(sizes)]] += 1
    for name, size in zip(parts, sizes, strict=True):
        if not size:
            raise CorpusError(
                f"The part {name!r} would be empty: {parts[name]:g} of {n_documents:,} documents is less "
                "than one; give it a larger share."
            )
    return sizes


def _group_of(corpus: Corpus, column: str) -> np.ndarray:
    """Return the number of each document's group; a document without a value is alone in one."""
    import pyarrow.compute as pc

    names = corpus.documents.column_names
    if column not in names:
        raise CorpusError(
            f"The corpus has no column {column!r} to split by; it has {', '.join(names)}: carry the column "
            "along when reading (keep_fields, --keep-field)."
        )
    values = corpus.documents.column(column).combine_chunks()
    encoded = values.dictionary_encode()
    groups = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    alone = pc.fill_null(pc.equal(values, ""), True).to_numpy(zero_copy_only=False)
    groups[alone] = len(encoded.dictionary) + np.arange(int(alone.sum()))
    return groups


def _by_group(
    groups: np.ndarray, sizes: list[int], names: list[str], keys: np.ndarray, column: str
) -> np.ndarray:
    """Deal whole groups, the largest first, each to the part with the most room; no part stays empty."""
    _, first, member, counts = np.unique(groups, return_index=True, return_inverse=True, return_counts=True)
    if len(counts) < len(names):
        raise CorpusError(
            f"The column {column!r} has {len(counts)} different values, too few for {len(names)} parts: "
            "split into fewer parts or by another column."
        )
    order = np.lexsort((keys[first], -counts)).tolist()
    room = list(sizes)
    empty = set(range(len(names)))
    part_of = np.empty(len(counts), np.int64)
    for place, group in enumerate(order):
        open_parts = empty if len(order) - place == len(empty) else range(len(room))
        part = max(open_parts, key=lambda one: (room[one], -one))
        empty.discard(part)
        room[part] -= int(counts[group])
        part_of[group] = part
    return part_of[member]
