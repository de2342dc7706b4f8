"""First vectors of the decoder's symbols: a label starts from the mean of its name's word pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from branchwise.taxonomy import Taxonomy

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MARKS = (",", ":", "<pad>", "</s>")  # pieces whose vectors _, /, start and end begin from


def name_vectors(pieces: torch.Tensor, tree: Taxonomy, tokenizer: Tokenizer) -> torch.Tensor:
    """Return one vector a symbol, [K + 4, D], from the vectors of word pieces, [V, D].

    A name without a single piece (white space to the tokenizer) starts from the mean of all pieces.
    """
    spelled = [one.ids for one in tokenizer.encode_batch(list(tree.names), add_special_tokens=False)]
    for text in MARKS:
        mark = tokenizer.token_to_id(text)
        spelled.append([mark] if mark is not None else tokenizer.encode(text, add_special_tokens=False).ids)
    sizes = torch.tensor([len(ids) for ids in spelled], device=pieces.device)
    flat = torch.tensor([one for ids in spelled for one in ids], dtype=torch.int64, device=pieces.device)
    vectors = functional.embedding_bag(flat, pieces, sizes.cumsum(0) - sizes, mode="mean")
    vectors[sizes == 0] = pieces.mean(0)
    return vectors


def outputs_of_names(
    known_names: torch.Tensor, known_outputs: torch.Tensor, names: torch.Tensor
) -> torch.Tensor:
    """Guess output rows for new labels from their names, as trained labels' names go with their rows.

    Word pieces may have no output vectors here, but the old labels have: a ridge regression from their names'
    vectors [K, D] to their output rows [K, E] is read off at the new labels' names [N, D]. A name like nobody's
    gets the mean row, a name that an old label has gets nearly that label's row.
    """
    name_mean, row_mean = known_names.mean(0), known_outputs.mean(0)
    centred = known_names - name_mean
    matrix = centred.T @ centred  # [D, D]
    matrix.diagonal().add_(
        0.1 * float(matrix.trace()) / len(centred) + 1e-12
    )  # a tenth of a name's own weight
    weights = torch.linalg.solve(matrix, centred.T @ (known_outputs - row_mean))  # [D, E]
    return row_mean + (names - name_mean) @ weights
