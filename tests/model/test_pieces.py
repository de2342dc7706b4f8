"""Documents as word pieces: the same from a file as from memory, cut and closed, and fetched by the batch."""

from __future__ import annotations

import numpy as np
import pytest

from branchwise.model.pieces import CHUNK, tokenise
from tests.sequence.spelling import character_tokenizer


@pytest.fixture(scope="module")
def texts() -> list[str]:
    random = np.random.default_rng(0)
    return ["abc" * int(size) for size in random.integers(0, 9, 2 * CHUNK + 77)]


@pytest.mark.parametrize("on_disk", [False, True])
def test_pieces_are_the_tokenizers_cut_and_closed(texts, tmp_path, on_disk):
    tokenizer = character_tokenizer()
    store = tokenise(iter(texts), len(texts), tokenizer, 16, tmp_path / "p.arrow" if on_disk else None)
    expected = [tokenizer.encode(one, add_special_tokens=False).ids for one in texts]
    assert store.cut == sum(len(one) > 15 for one in expected)
    assert len(store) == len(texts)
    for row in (0, 5, CHUNK - 1, CHUNK, 2 * CHUNK, len(texts) - 1):
        assert store[row].tolist() == [*expected[row][:15], 1]
        assert store.lengths[row] == len(store[row]) <= 16


@pytest.mark.parametrize("on_disk", [False, True])
def test_batches_are_padded_to_their_longest_or_to_a_width(texts, tmp_path, on_disk):
    store = tokenise(texts, len(texts), character_tokenizer(), 20, tmp_path / "p.arrow" if on_disk else None)
    rows = np.array([CHUNK + 3, 1, 2 * CHUNK + 5, 0, 1])
    input_ids, real = store.padded(rows)
    assert input_ids.shape == real.shape == (5, store.lengths[rows].max())
    assert input_ids.dtype == real.dtype == np.int64
    for place, row in enumerate(rows):
        assert input_ids[place][real[place] == 1].tolist() == store[row].tolist()
        assert real[place].tolist() == sorted(real[place].tolist(), reverse=True)
        assert not input_ids[place][real[place] == 0].any()
    assert store.padded(rows, width=33)[0].shape == (5, 33)


def test_no_documents_at_all(tmp_path):
    for path in (None, tmp_path / "none.arrow"):
        store = tokenise([], 0, character_tokenizer(), 8, path)
        assert len(store) == store.cut == 0
        assert store.padded(np.zeros(0, np.int64))[0].shape == (0, 1)


def test_a_text_of_exactly_the_limit_is_not_cut():
    store = tokenise(
        ["abc", "abcd"], 2, character_tokenizer(), 5
    )  # a piece for the word's start, one for the end
    assert store.lengths.tolist() == [5, 5]
    assert store.cut == 1
