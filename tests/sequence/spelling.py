"""A small real tokenizer, with T5's special pieces, that tells characters apart and knows no words."""

from __future__ import annotations

import string
from functools import cache

from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers


@cache
def character_tokenizer() -> Tokenizer:
    """Return a tokenizer of printable ASCII characters; all others are unknown to it."""
    pieces = ["<pad>", "</s>", "<unk>", "▁", *string.printable[:95].replace(" ", "")]
    tokenizer = Tokenizer(models.Unigram([(one, -1.0) for one in pieces], unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<pad>", "</s>", "<unk>", *(f"<extra_id_{i}>" for i in range(4))]
    tokenizer.add_special_tokens([AddedToken(one, special=True) for one in special])
    return tokenizer
