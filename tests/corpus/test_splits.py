"""Splits: rare labels reach every part, nothing is lost or doubled, seeds reproduce, groups hold together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.corpus import Corpus
from branchwise.corpus.splits import part_sizes, split
from branchwise.errors import CorpusError
from branchwise.taxonomy import LabelSets, Taxonomy
from tests.strategies import label_sets, taxonomies

THIRDS = {"train": 0.6, "validation": 0.2, "test": 0.2}


def corpus_of(tree: Taxonomy, sets: LabelSets, **columns: list[str | None]) -> Corpus:
    ids = [f"d{i}" for i in range(len(sets))]
    kept = {"id": ids, "text": [f"text {i}" for i in range(len(sets))], **columns}
    table = pa.table({name: pa.array(values, pa.large_string()) for name, values in kept.items()})
    return Corpus(tree, table, sets)


def two_levels(n_roots: int, n_children: int) -> Taxonomy:
    ids = [f"r{i}" for i in range(n_roots)] + [f"r{i}.{j}" for i in range(n_roots) for j in range(n_children)]
    return Taxonomy.from_nodes(ids, [one.split(".")[0] if "." in one else None for one in ids])


def skewed(n_documents: int = 600, most_paths: int = 3, seed: int = 5) -> Corpus:
    """Build documents whose labels follow Zipf's law, some with several paths."""
    tree = two_levels(6, 12)
    rng = np.random.Generator(np.random.PCG64(seed))
    leaves = np.flatnonzero(tree.is_leaf)
    weights = 1 / np.arange(1, len(leaves) + 1) ** 1.3
    sizes = rng.integers(1, most_paths + 1, n_documents)
    lists = [rng.choice(leaves, size, p=weights / weights.sum()).tolist() for size in sizes.tolist()]
    return corpus_of(tree, LabelSets.from_lists(lists))


def missed(corpus: Corpus, parts: Mapping[str, Corpus]) -> int:
    """Count the labels with enough documents that some part does not hold, once a part."""
    n_labels = len(corpus.taxonomy)
    enough = corpus.labels.counts(n_labels) >= len(parts)
    return sum(int((enough & (part.labels.counts(n_labels) == 0)).sum()) for part in parts.values())


def test_stratified_parts_hold_every_label_that_random_parts_miss() -> None:
    corpus = skewed()
    assert (corpus.labels.counts(len(corpus.taxonomy)) == 3).any()  # the hardest case is there
    random = [missed(corpus, split(corpus, THIRDS, how="random", seed=seed)) for seed in range(3)]
    stratified = [missed(corpus, split(corpus, THIRDS, seed=seed)) for seed in range(3)]
    assert min(random) > 0
    assert stratified == [0, 0, 0]


@pytest.mark.parametrize("parts", [THIRDS, {"train": 0.8, "validation": 0.1, "test": 0.1}])
def test_stratified_sizes_and_label_shares_are_as_wished(parts: dict[str, float]) -> None:
    corpus = skewed(3000)
    counts = corpus.labels.counts(len(corpus.taxonomy))
    for name, part in split(corpus, parts).items():
        assert len(part) == pytest.approx(parts[name] * 3000, abs=3)
        share = part.labels.counts(len(corpus.taxonomy)) / np.maximum(counts, 1)
        assert np.abs(share - parts[name])[counts >= 100].max() < 0.02


def test_an_inner_label_reaches_every_part_though_each_child_has_one_document() -> None:
    tree = two_levels(1, 3)
    corpus = corpus_of(tree, tree.label_sets([["r0.0"], ["r0.1"], ["r0.2"]] + [[]] * 57))
    for seed in range(5):
        assert missed(corpus, split(corpus, seed=seed)) == 0


def test_chained_multi_path_wishes_are_met() -> None:
    # Every label has three documents and shares each of them: a careless choice for one blocks another.
    tree = two_levels(9, 0)
    grid = [[f"r{row}" for row in cells] for cells in ((0, 3, 6), (0, 4, 7), (0, 5, 8), (1, 3, 7), (1, 4, 8))]
    grid += [["r1", "r5", "r6"], ["r2", "r3", "r8"], ["r2", "r4", "r6"], ["r2", "r5", "r7"]]
    corpus = corpus_of(tree, tree.label_sets(grid + [[]] * 51))
    assert [missed(corpus, split(corpus, THIRDS, seed=seed)) for seed in range(8)] == [0] * 8


def test_tangled_wishes_are_met_by_moving_documents_afterwards() -> None:
    rng = np.random.Generator(np.random.PCG64(9))
    left_open = misplaced = 0
    for _ in range(
        20
    ):  # 40 labels of 3 to 8 documents among 40 documents: dealing alone leaves 12 wishes open
        lists: list[list[int]] = [[] for _ in range(60)]
        for label in range(40):
            for document in rng.permutation(40)[: rng.integers(3, 9)].tolist():
                lists[document].append(label)
        corpus = corpus_of(two_levels(40, 0), LabelSets.from_lists(lists))
        parts = split(corpus, THIRDS)
        left_open += missed(corpus, parts)
        misplaced += abs(len(parts["train"]) - 36) + abs(len(parts["test"]) - 12)
    assert left_open <= 4
    assert misplaced <= 2  # what was moved is made good elsewhere


def test_a_part_grows_where_its_labels_need_more_documents_than_it_has_room_for() -> None:
    tree = two_levels(20, 0)
    corpus = corpus_of(tree, tree.label_sets([[f"r{i % 20}"] for i in range(100)]))
    parts = split(corpus, {"train": 90, "test": 10})
    assert missed(corpus, parts) == 0
    assert {name: len(part) for name, part in parts.items()} == {"train": 80, "test": 20}


def test_documents_keep_their_order_and_columns() -> None:
    corpus = corpus_of(two_levels(2, 0), LabelSets.empty(50), source=[str(i % 7) for i in range(50)])
    for part in split(corpus, THIRDS, how="random").values():
        rows = [int(one[1:]) for one in part.ids]
        assert rows == sorted(rows)
        assert part.documents.column("source").to_pylist() == [str(row % 7) for row in rows]


@st.composite
def any_corpora(draw: st.DrawFn) -> Corpus:
    tree = draw(taxonomies())
    return corpus_of(tree, draw(label_sets(tree, closed=draw(st.booleans()), max_documents=40)))


@given(any_corpora(), st.sampled_from(["stratified", "random", "group"]), st.integers(0, 2**32))
def test_nothing_is_lost_or_doubled(corpus: Corpus, how: str, seed: int) -> None:
    if len(corpus) < 5:
        return
    group = {"group": "id"} if how == "group" else {}
    parts = split(corpus, THIRDS, how=how, seed=seed, **group)  # type: ignore[arg-type]
    assert list(parts) == list(THIRDS)
    assert sorted(one for part in parts.values() for one in part.ids) == sorted(corpus.ids)
    assert all(len(part) for part in parts.values())
    sets = dict(zip(corpus.ids, corpus.given.to_ids(corpus.taxonomy), strict=True))
    for part in parts.values():
        assert part.given.to_ids(part.taxonomy) == [sets[one] for one in part.ids]
    if how != "stratified":
        assert [len(part) for part in parts.values()] == part_sizes(THIRDS, len(corpus))
    again = split(corpus, THIRDS, how=how, seed=seed, **group)  # type: ignore[arg-type]
    assert [part.fingerprint for part in again.values()] == [part.fingerprint for part in parts.values()]


@given(taxonomies(), st.data())
def test_single_paths_always_reach_every_part(tree: Taxonomy, data: st.DataObject) -> None:
    ends = data.draw(st.lists(st.integers(0, len(tree) - 1), min_size=10, max_size=60))
    corpus = corpus_of(tree, LabelSets.from_lists([[end] for end in ends]))
    assert missed(corpus, split(corpus, THIRDS, seed=data.draw(st.integers(0, 99)))) == 0


def test_the_same_seed_gives_the_same_parts_on_every_machine() -> None:
    corpus = skewed_by_hand()
    stratified, random = split(corpus, THIRDS), split(corpus, THIRDS, how="random")
    grouped = split(corpus, THIRDS, how="group", group="source")
    assert stratified["test"].fingerprint == GOLDEN["stratified"]
    assert random["test"].fingerprint == GOLDEN["random"]
    assert grouped["test"].fingerprint == GOLDEN["group"]
    assert split(corpus, THIRDS, seed=1)["test"].fingerprint != GOLDEN["stratified"]
    assert split(corpus, THIRDS, how="random", seed=1)["test"].fingerprint != GOLDEN["random"]


def skewed_by_hand() -> Corpus:
    """Build a corpus without any random number, so that only the split itself can change the golden hashes."""
    tree = two_levels(4, 5)
    sets = [[f"r{i % 4}.{(i * i) % 5}"] + ([f"r{i % 3}.{i % 5}"] if i % 4 == 0 else []) for i in range(120)]
    return corpus_of(tree, tree.label_sets(sets), source=[f"s{(i * 7) % 23}" for i in range(120)])


GOLDEN = {
    "stratified": "27a90b4b3a61afdc8d088f57fee8c221d29f0fc48e78540ac8675f17f96a66bd",
    "random": "d14eb74318da0718e6c248382e0b889425650308efbbc5e0d1241483ba5b88f8",
    "group": "c6d225c1a701b47cea4e4c34983f71a485612f56ffe8da418782da449beeb703",
}


def test_a_group_never_straddles_parts_and_sizes_are_near() -> None:
    rng = np.random.Generator(np.random.PCG64(3))
    source = [f"s{int(one)}" for one in rng.zipf(1.6, 2000) % 400]
    corpus = corpus_of(two_levels(2, 0), LabelSets.empty(2000), source=list(source))
    parts = split(corpus, how="group", group="source")
    values = {name: set(part.documents.column("source").to_pylist()) for name, part in parts.items()}
    assert not values["train"] & values["validation"]
    assert not values["train"] & values["test"]
    assert not values["validation"] & values["test"]
    assert [len(part) for part in parts.values()] == pytest.approx([1600, 200, 200], abs=20)


def test_documents_without_a_group_are_each_alone_and_large_groups_leave_no_part_empty() -> None:
    alone = corpus_of(two_levels(2, 0), LabelSets.empty(100), source=["", None] * 50)
    sizes = [len(part) for part in split(alone, how="group", group="source").values()]
    assert sizes == [80, 10, 10]
    three = corpus_of(two_levels(2, 0), LabelSets.empty(90), source=["a", "b", "c"] * 30)
    assert [len(part) for part in split(three, how="group", group="source").values()] == [30, 30, 30]


def test_equal_texts_stay_together_when_split_by_text() -> None:
    tree = two_levels(2, 0)
    texts = [f"text {i // 2}" for i in range(60)]
    corpus = Corpus.from_texts(texts, None, tree)
    parts = split(corpus, THIRDS, how="group", group="text")
    assert [len(part) for part in parts.values()] == [36, 12, 12]
    assert all(len(set(part.texts())) * 2 == len(part) for part in parts.values())


def test_numbers_of_documents_leave_the_rest_out() -> None:
    corpus = skewed(500)
    for how in ("random", "stratified"):
        parts = split(corpus, {"train": 300, "test": 100}, how=how)  # type: ignore[arg-type]
        assert [len(part) for part in parts.values()] == [300, 100]
        assert not set(parts["train"].ids) & set(parts["test"].ids)


@pytest.mark.parametrize(
    ("parts", "options", "words"),
    [
        ({"train": 0.8, "test": 0.1}, {}, "sum to 0.9, not to 1"),
        ({"train": 90, "test": 11}, {}, "ask for 101 documents, but there are 100"),
        ({"train": 0.9, "test": 10}, {}, "mix shares with numbers"),
        ({"train": 0.995, "test": 0.005}, {}, "'test' would be empty"),
        ({"train": 1.0, "test": 0.0}, {}, "would hold no document"),
        ({"train": 1.2, "test": -0.2}, {}, "would hold no document"),
        ({"train": float("nan")}, {}, "would hold no document"),
        ({"train": "all"}, {}, "not all numbers"),
        ({}, {}, "No part is named"),
        (THIRDS, {"how": "cut"}, "no split 'cut': choose one of stratified, random, group"),
        (THIRDS, {"how": "group"}, "needs the name of a column"),
        (THIRDS, {"group": "id"}, "takes no group column"),
        (
            THIRDS,
            {"how": "group", "group": "author"},
            "no column 'author' to split by; it has id, text, kind",
        ),
        (THIRDS, {"how": "group", "group": "kind"}, "has 2 different values, too few for 3 parts"),
        (THIRDS, {"seed": -1}, "seed is -1"),
    ],
)
def test_errors_say_what_is_wrong(parts: dict, options: dict, words: str) -> None:
    corpus = corpus_of(two_levels(2, 0), LabelSets.empty(100), kind=["a", "b"] * 50)
    with pytest.raises(CorpusError, match=words):
        split(corpus, parts, **options)
