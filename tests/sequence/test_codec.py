"""Token units: every closed set has one sequence, and any string of symbols is read and judged."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.errors import SequenceError
from branchwise.sequence import VARIANTS, TokenCodec
from branchwise.taxonomy import LabelSets, Taxonomy
from tests.strategies import label_sets, taxonomies


@st.composite
def trees_with_sets(draw):
    tree = draw(taxonomies())
    return tree, draw(label_sets(tree))


@pytest.fixture
def tree() -> Taxonomy:
    """Roots a, b; c under a; d under b; e under c."""
    return Taxonomy.from_nodes(["a", "b", "c", "d", "e"], ["", "", "a", "b", "c"])


def spelled(codec, encoded, row=0):
    return " ".join(codec.symbols.spell(encoded.targets[row, : encoded.lengths[row]], codec.tree))


def symbols_of(codec, text):
    marks = {"_": codec.symbols.between, "/": codec.symbols.below, "EOS": codec.symbols.end}
    marks |= {"START": codec.symbols.start, "?": 99}
    return [marks[one] if one in marks else codec.tree.index[one] for one in text.split()]


def test_the_design_documents_example(tree):
    codec = TokenCodec(tree)
    assert spelled(codec, codec.encode(tree.label_sets([["e", "d"]]))) == "a _ b / c _ d / e EOS"


def test_sets_may_stop_inside_have_one_label_or_none(tree):
    codec = TokenCodec(tree)
    encoded = codec.encode(tree.label_sets([["c", "b"], ["a"], []]))
    assert [spelled(codec, encoded, row) for row in range(3)] == ["a _ b / c EOS", "a EOS", "EOS"]
    assert encoded.targets[1, 2:].tolist() == [codec.symbols.end] * 4, "padding is the end symbol"


@given(trees_with_sets())
def test_every_closed_set_comes_back_and_is_valid(case):
    tree, sets = case
    for variant in VARIANTS:
        codec = TokenCodec(tree, variant)
        encoded = codec.encode(sets)
        for row, labels in enumerate(sets):
            parsed = codec.decode(encoded.targets[row])
            assert parsed.labels == tuple(labels.tolist())
            assert parsed.is_valid


@given(trees_with_sets())
def test_levels_stand_in_order_with_their_labels_in_canonical_order(case):
    tree, sets = case
    codec = TokenCodec(tree)
    encoded = codec.encode(sets)
    for row, labels in enumerate(sets):
        levels = groupby(labels.tolist(), key=lambda label: int(tree.level[label]))
        written = " / ".join(" _ ".join(str(label) for label in level) for _, level in levels)
        marks = {codec.symbols.between: "_", codec.symbols.below: "/"}
        real = encoded.targets[row, : encoded.lengths[row] - 1].tolist()
        assert " ".join(marks.get(one, str(one)) for one in real) == written


@given(taxonomies(max_labels=5), st.data())
def test_a_string_is_valid_exactly_where_it_is_some_sets_sequence(tree, data):
    codec = TokenCodec(tree)
    string = data.draw(st.lists(st.integers(0, len(tree) + 3), max_size=7))
    parsed = codec.decode(string)
    encoded = codec.encode(LabelSets.from_lists([parsed.labels]).closed(tree))
    ends = codec.symbols.end in string
    until_end = string[: string.index(codec.symbols.end) + 1] if ends else string
    assert parsed.is_valid == (until_end == encoded.targets[0].tolist())


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a _ b / c EOS", []),
        ("a _ b / c", ["unfinished"]),
        ("", ["unfinished"]),
        ("a _ a EOS", ["repeat"]),
        ("b _ a EOS", ["wrong order"]),
        ("a / d EOS", ["missing parent"]),
        ("a _ c EOS", ["wrong level"]),
        ("c EOS", ["wrong level", "missing parent"]),
        ("a b EOS", ["missing separator"]),
        ("a _ _ b EOS", ["misplaced separator"]),
        ("_ a EOS", ["misplaced separator"]),
        ("a _ EOS", ["misplaced separator"]),
        ("a _ START EOS", ["unknown symbol"]),
        ("a _ ? EOS", ["unknown symbol"]),
        ("a EOS b b", []),
    ],
)
def test_each_thing_that_can_be_wrong_is_named(tree, text, kinds):
    codec = TokenCodec(tree)
    parsed = codec.decode(symbols_of(codec, text))
    assert [problem.kind for problem in parsed.problems] == kinds
    assert parsed.is_valid == (not kinds)


def test_a_problem_says_what_and_where(tree):
    codec = TokenCodec(tree)
    (problem,) = codec.decode(symbols_of(codec, "a / d EOS")).problems
    assert (problem.at, problem.detail) == (2, "the parent b of d does not come before it")


def test_the_flat_variant_knows_neither_levels_nor_order(tree):
    codec = TokenCodec(tree, "t5")
    assert codec.decode(symbols_of(codec, "e _ b _ a EOS")).is_valid
    (problem,) = codec.decode(symbols_of(codec, "a / c EOS")).problems
    assert problem.kind == "misplaced separator"


def test_the_flat_variants_order_depends_on_seed_document_and_epoch_alone():
    tree = Taxonomy.from_nodes([str(i) for i in range(30)], [""] * 30)
    sets = LabelSets.from_lists([range(20)] * 4)

    def orders(seed=0, documents=None, epoch=0, rows=(0, 1, 2, 3)):
        encoded = TokenCodec(tree, "t5", seed).encode(sets.take(rows), documents, epoch)
        return encoded.targets.tolist()

    usual = orders()
    assert orders() == usual
    assert orders(seed=1) != usual
    assert orders(epoch=1) != usual
    assert len({tuple(row) for row in usual}) == 4, "every document has an order of its own"
    assert orders(documents=np.array([2, 3]), rows=(2, 3)) == usual[2:], "whatever its batch"
    assert sum(row[0] < row[2] for row in orders(rows=[0] * 400, documents=np.arange(400))) in range(150, 250)


def test_an_over_long_target_is_an_error_that_counts(tree):
    codec = TokenCodec(tree)
    sets = tree.label_sets([["a"], ["e", "d"], ["c"]])
    with pytest.raises(
        SequenceError, match=r"1 of 3 label sets need more than the 8 .* longest 10 .* number 2"
    ):
        codec.fit(sets, 8)


def test_dropping_takes_whole_labels_from_the_deepest_level(tree):
    codec = TokenCodec(tree)
    sets = tree.label_sets([["a"], ["e", "d"], ["c"]])
    fitted, long = codec.fit(sets, 8, "drop")
    assert long.tolist() == [False, True, False]
    assert fitted.to_ids(tree) == [("a",), ("a", "b", "c", "d"), ("a", "c")]


@given(trees_with_sets(), st.integers(2, 12))
def test_what_dropping_leaves_is_closed_and_fits(case, limit):
    tree, sets = case
    codec = TokenCodec(tree)
    fitted, long = codec.fit(sets, limit, "drop")
    assert fitted.is_closed(tree).all()
    assert codec.encode(fitted).lengths.max(initial=0) <= limit
    assert (codec.encode(sets).lengths > limit).tolist() == long.tolist()
    assert fitted.take(np.flatnonzero(~long)) == sets.take(np.flatnonzero(~long))


def test_an_unknown_variant_is_a_clear_error(tree):
    with pytest.raises(SequenceError, match="no variant 'bart': choose one of t5, hia, pamm"):
        TokenCodec(tree, "bart")  # type: ignore[arg-type]
