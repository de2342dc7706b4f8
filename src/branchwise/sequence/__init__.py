"""Label set ⇄ multi-level sequence, in both label units, and the path-adaptive mask of such a sequence."""

from branchwise.choices import MASKS, VARIANTS, MaskKind, Variant
from branchwise.sequence.encoded import Encoded
from branchwise.sequence.mask import loss_rows, path_mask
from branchwise.sequence.parse import Parsed, Problem
from branchwise.sequence.symbols import Symbols
from branchwise.sequence.text import TextCodec
from branchwise.sequence.tokens import TokenCodec

__all__ = [
    "MASKS",
    "VARIANTS",
    "Encoded",
    "MaskKind",
    "Parsed",
    "Problem",
    "Symbols",
    "TextCodec",
    "TokenCodec",
    "Variant",
    "loss_rows",
    "path_mask",
]
