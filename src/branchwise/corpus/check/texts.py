"""Checks of the texts: there is one, and it fits the input."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from branchwise.corpus.check.findings import Finding, named, number, percent
from branchwise.corpus.check.parts import Parts
from branchwise.corpus.lengths import counted_pieces, estimated_pieces, open_tokenizer, take_texts

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SAMPLE = 10_000  # texts that are tokenised at most
WORRYING = 0.1  # share of texts that are cut


def check_texts(
    parts: Parts, input_limit: int, tokenizer: str | Path | Tokenizer | None
) -> Iterator[Finding]:
    """Yield what is to be said about the texts."""
    yield from _empty(parts)
    yield from _long(parts, input_limit, tokenizer)


def _empty(parts: Parts) -> Iterator[Finding]:
    bare = pc.binary_length(pc.utf8_trim_whitespace(pc.fill_null(parts.texts, "")))
    rows = np.flatnonzero(bare.to_numpy() == 0)
    if len(rows):
        examples = parts.places(rows)
        yield Finding(
            "empty_texts",
            "warning",
            f"{number(len(rows), 'text is', 'texts are')} empty ({named(examples)}): nothing can be learned "
            "from them; skip them when reading (the policy for missing text), or find out why they are empty.",
            len(rows),
            examples,
        )


def _long(parts: Parts, limit: int, tokenizer: str | Path | Tokenizer | None) -> Iterator[Finding]:
    if tokenizer is None:
        looked_at = np.arange(len(parts.texts))
        pieces = estimated_pieces(parts.texts)
        how = "an estimate from words and characters; name a tokenizer to count"
    else:
        looked_at = np.unique(np.linspace(0, len(parts.texts) - 1, SAMPLE).astype(np.int64))
        pieces = counted_pieces(take_texts(parts.texts, looked_at), open_tokenizer(tokenizer))
        sampled = len(looked_at) < len(parts.texts)
        how = f"counted on every {len(parts.texts) / SAMPLE:.0f}th text" if sampled else "counted"
    rows = looked_at[pieces > limit]
    if not len(rows):
        return
    share = len(rows) / len(looked_at)
    p95 = int(np.percentile(pieces, 95))
    cut = float(np.maximum(pieces - limit, 0).sum() / pieces.sum())
    examples = parts.places(rows)
    advice = f"an input limit of {p95} keeps 95 % of them whole" if p95 > limit else "little is lost"
    yield Finding(
        "long_texts",
        "warning" if share > WORRYING else "note",
        f"{percent(len(rows), len(looked_at))} of the texts are longer than {limit} word pieces and would "
        f"be cut, which loses {percent(cut, 1)} of all text ({how}; {named(examples)}): {advice}.",
        len(rows),
        examples,
        {
            "limit": limit,
            "share": share,
            "text_lost": cut,
            "p95_pieces": p95,
            "texts": len(looked_at),
            "estimated": tokenizer is None,
        },
    )
