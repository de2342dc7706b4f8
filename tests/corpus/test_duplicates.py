"""Duplicates: planted ones are found, near and exact, and unlike texts are left alone."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.corpus.duplicates import find_duplicates
from branchwise.corpus.shingles import HashedWords

WORDS = [f"word{i}" for i in range(2000)]


def column(texts: list[str], chunk: int = 97) -> pa.ChunkedArray:
    chunks = [pa.array(texts[i : i + chunk], pa.large_string()) for i in range(0, len(texts), chunk)]
    return pa.chunked_array(chunks, pa.large_string())


def likeness(one: str, other: str) -> float:
    def runs(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        return {tuple(words[i : i + 3]) for i in range(len(words) - 2)}

    a, b = runs(one), runs(other)
    return len(a & b) / len(a | b)


def changed(words: list[str], places: int, dice: random.Random) -> list[str]:
    found = list(words)
    for place in dice.sample(range(len(words)), places):
        found[place] = dice.choice(WORDS)
    return found


def test_planted_near_duplicates_are_found_and_only_they() -> None:
    dice = random.Random(11)
    texts, alike = [], []
    for _ in range(400):
        words = dice.choices(WORDS, k=dice.choice([12, 40, 150, 400]))
        copy = changed(words, dice.randint(0, max(1, len(words) // 14)), dice)
        texts += [" ".join(words), " ".join(copy)]
        alike.append(likeness(texts[-2], texts[-1]) >= 0.8)
    assert 0.3 < np.mean(alike) < 0.95  # both kinds are there
    found = find_duplicates(column(texts))
    assert (found.near[::2] == found.near[1::2]).tolist() == alike
    assert [group.tolist() for group in found.groups(exact=False)] == [
        [2 * i, 2 * i + 1] for i, is_alike in enumerate(alike) if is_alike
    ]


def test_exact_means_equal_but_for_case_space_and_punctuation() -> None:
    texts = [
        "The quick, brown fox!",
        "  the QUICK brown\n\tfox",
        "“The quick” — brown fox…",
        "The quick brown foxes",
        "quick the brown fox",
        "Thequick brown fox",
        "Straße ÉCOLE",
        "straße e\u0301cole",
        "ﬁsh",
        "fish",
    ]
    found = find_duplicates(column(texts, chunk=3))
    assert found.exact.tolist() == [0, 0, 0, 3, 4, 5, 6, 6, 8, 8]
    assert [group.tolist() for group in found.groups(exact=True)] == [[0, 1, 2], [6, 7], [8, 9]]


def test_texts_without_a_word_repeat_nothing() -> None:
    found = find_duplicates(column(["", "", "!!!", "…", "a", "a"]))
    assert found.exact.tolist() == found.near.tolist() == [0, 1, 2, 3, 4, 4]
    assert find_duplicates(column([])).exact.tolist() == []


def test_likeness_passes_on_through_a_chain_and_exact_copies_join_near_ones() -> None:
    dice = random.Random(2)
    first = dice.choices(WORDS, k=100)
    second = first[:95] + dice.choices(WORDS, k=5)
    third = dice.choices(WORDS, k=8) + second[8:]
    texts = [" ".join(one) for one in (first, second, third, first, dice.choices(WORDS, k=100))]
    assert (
        likeness(texts[0], texts[2]) < 0.8 < min(likeness(texts[0], texts[1]), likeness(texts[1], texts[2]))
    )
    found = find_duplicates(column(texts))
    assert found.near.tolist() == [0, 0, 0, 0, 4]
    assert found.exact.tolist() == [0, 1, 2, 0, 4]


def test_many_copies_of_one_form_are_one_group() -> None:
    dice = random.Random(4)
    form = dice.choices(WORDS, k=120)
    texts = [" ".join([*form[:60], f"name{i}", *form[60:]]) for i in range(3000)]
    groups = find_duplicates(column(texts)).groups(exact=False)
    assert [len(group) for group in groups] == [3000]


def test_half_a_text_in_common_is_no_duplicate() -> None:
    dice = random.Random(6)
    common = dice.choices(WORDS, k=60)
    texts = [" ".join(common + dice.choices(WORDS, k=60)) for _ in range(300)]
    assert find_duplicates(column(texts)).groups(exact=False) == []


@pytest.mark.parametrize("similar", [0.5, 0.95])
def test_the_threshold_is_a_choice(similar: float) -> None:
    dice = random.Random(8)
    words = dice.choices(WORDS, k=200)
    texts = [" ".join(words), " ".join(words[:-15] + dice.choices(WORDS, k=15))]
    assert 0.8 < likeness(*texts) < 0.95
    assert len(find_duplicates(column(texts), similar).groups(exact=False)) == (similar == 0.5)


@given(st.lists(st.lists(st.sampled_from(["a", "b", "ab", "ba", "é", "7", "aab"]), max_size=8), max_size=8))
def test_hashes_agree_exactly_where_the_words_do(texts: list[list[str]]) -> None:
    hashed = HashedWords.of(pa.array([" , ".join(words) for words in texts], pa.large_string()))
    assert hashed.counts.tolist() == [len(words) for words in texts]
    whole = hashed.whole_texts().tolist()
    bounds, shingles = hashed.shingles()
    runs = [[tuple(words[i : i + 3]) for i in range(len(words) - 2)] for words in texts]
    assert np.diff(bounds).tolist() == [len(one) for one in runs]
    flat = [run for one in runs for run in one]
    assert len(set(flat)) == len(set(shingles.tolist()))
    assert len(dict(zip(flat, shingles.tolist(), strict=True))) == len(set(flat))
    for i, one in enumerate(texts):
        for j, other in enumerate(texts):
            assert (whole[i] == whole[j]) == (one == other)
