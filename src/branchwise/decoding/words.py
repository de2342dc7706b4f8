"""The words of a document as people see them, and which of them each word piece belongs to."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from branchwise.errors import ModelError
from branchwise.model.pieces import END

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_UNSPACED = "\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uffef\U00020000-\U0003ffff"
_JOINED = "\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"  # marks that change the character before them
WORD = re.compile(f"[{_UNSPACED}][{_JOINED}]*|[^\\s{_UNSPACED}]+")
"""Words stand between spaces; Chinese and Japanese write none, so each of their characters is a word."""


@dataclass(frozen=True, eq=False)
class Words:
    """What the model reads of a document: S word pieces, the end piece last, and the W words they spell."""

    pieces: np.ndarray  # [S] int64
    spans: np.ndarray  # [W, 2] int64, a word's first character in the text and the one after its last
    unread: int  # words of the text beyond the input limit
    owner: (
        csr_array  # [S, W], the share of each piece in each word; a row sums to one, the end piece's to zero
    )

    def weigh(self, weights: np.ndarray) -> np.ndarray:
        """Add the weights of pieces up into words, [..., S] to [..., W]."""
        return weights @ self.owner


def read_words(text: str, tokenizer: Tokenizer, limit: int) -> Words:
    """Cut a text into pieces, as prediction does, and find the words they belong to.

    A piece that spans several words is shared among them by characters; one that stands for a space belongs
    to the word after it.
    """
    try:
        encoding = tokenizer.encode(text, add_special_tokens=False)
    except TypeError as error:  # the tokenizer's word for half a surrogate pair
        raise ModelError(
            "The text cannot be read, because it holds bytes that are no UTF-8: convert it to UTF-8."
        ) from error
    kept = len(encoding.ids) if len(encoding.ids) < limit else limit - 1
    offsets = encoding.offsets[:kept]
    is_cut = kept < len(encoding.ids)
    end = max((stop for _, stop in offsets), default=0) if is_cut else len(text)
    spans, unread = [], 0
    for one in WORD.finditer(text):
        if one.start() < end:
            spans.append(one.span())
        else:
            unread += 1
    rows, columns, shares = [], [], []
    for row, (start, stop) in enumerate(offsets):
        for column, share in _owners(spans, start, stop):
            rows.append(row)
            columns.append(column)
            shares.append(share)
    return Words(
        np.array([*encoding.ids[:kept], tokenizer.token_to_id(END)], np.int64),
        np.array(spans, np.int64).reshape(-1, 2),
        unread,
        csr_array((shares, (rows, columns)), shape=(kept + 1, len(spans)), dtype=np.float64),
    )


def _owners(spans: list[tuple[int, int]], start: int, stop: int) -> list[tuple[int, float]]:
    """Return the words that the characters from ``start`` to ``stop`` belong to, each with its share."""
    if not spans:
        return []
    first = bisect_right(spans, start, key=lambda span: span[1])  # the first word that ends after the start
    common = []
    for column in range(first, len(spans)):
        if spans[column][0] >= stop:
            break
        common.append((column, min(stop, spans[column][1]) - max(start, spans[column][0])))
    total = sum(size for _, size in common)
    if total <= 0:
        return [(min(first, len(spans) - 1), 1.0)]
    return [(column, size / total) for column, size in common]
