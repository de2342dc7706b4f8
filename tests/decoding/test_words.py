"""Words of a text: exactly where they stand, whatever the script, and every piece has its owner."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, normalizers

from branchwise.decoding.words import read_words
from branchwise.model.pieces import tokenise
from tests.sequence.spelling import character_tokenizer

TEXTS = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from(" \t\n\u00a0\u2028\u3000abcé"),
        st.sampled_from("e\u0301\u0300\u200d👩👧🏽\ufe0f深度学習が。カ\u3099ﬁ½Ⅳ"),
    ),
    max_size=40,
)


@cache
def tokenizers() -> tuple[Tokenizer, Tokenizer]:
    """Return the tiny tokenizer, and one that changes the text first, as T5's own does."""
    changing = Tokenizer.from_str(character_tokenizer().to_str())
    changing.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.StripAccents()])
    return character_tokenizer(), changing


@given(TEXTS, st.integers(0, 1), st.sampled_from([1, 2, 5, 12, 400]))
@example("a b", 0, 3)
@example("👩\u200d👧 e\u0301te\u0301\tx", 1, 400)
@example("<extra_id_0>a </s> b", 0, 400)
def test_words_are_slices_of_the_text_and_pieces_are_those_of_prediction(text, which, limit):
    tokenizer = tokenizers()[which]
    words = read_words(text, tokenizer, limit)
    assert words.pieces.tolist() == tokenise([text], 1, tokenizer, limit)[0].tolist()
    everything = read_words(text, tokenizer, 10_000)
    assert everything.unread == 0
    spans = everything.spans.tolist()
    assert "".join(text[a:b] for a, b in spans) == "".join(text.split())
    assert all(a < b for a, b in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    n_words = len(words.spans)
    assert words.spans.tolist() == spans[:n_words]
    assert n_words + words.unread == len(spans)
    owned = np.asarray(words.owner.sum(1)).ravel()
    assert owned[-1] == 0, "the end piece is no word's"
    if n_words:
        np.testing.assert_allclose(owned[:-1], 1)
    np.testing.assert_allclose(words.weigh(np.ones((2, len(words.pieces)))).sum(), owned.sum() * 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("one two\tthree\nfour", ["one", "two", "three", "four"]),
        ("no\u00a0break, it's", ["no", "break,", "it's"]),
        ("深度 learning很好。", ["深", "度", "learning", "很", "好", "。"]),
        ("カ\u3099 한국어 ไทย", ["カ\u3099", "한국어", "ไทย"]),
        ("👩\u200d👧 e\u0301te\u0301", ["👩\u200d👧", "e\u0301te\u0301"]),
    ],
)
def test_what_a_word_is(text, words):
    spans = read_words(text, character_tokenizer(), 300).spans
    assert [text[a:b] for a, b in spans] == words


def test_a_piece_of_several_words_is_shared_by_characters():
    words = read_words("学習abc", character_tokenizer(), 300)  # characters that are unknown make one piece
    whole = [row for row in words.owner.toarray().tolist() if row[:2] == [0.5, 0.5]]
    assert len(whole) == 1
    assert words.owner.shape == (len(words.pieces), 3)


def test_a_space_belongs_to_the_word_after_it():
    words = read_words("ab  cd ", character_tokenizer(), 300)
    weights = words.weigh(np.eye(len(words.pieces)))
    pieces = [character_tokenizer().id_to_token(int(one)) for one in words.pieces]
    owners = {
        one: np.flatnonzero(row).tolist() for one, row in zip(pieces, weights, strict=True) if one != "▁"
    }
    assert owners == {"a": [0], "b": [0], "c": [1], "d": [1], "</s>": []}
    first = pieces.index("▁", 1)
    assert np.flatnonzero(weights[first]).tolist() == [1]
