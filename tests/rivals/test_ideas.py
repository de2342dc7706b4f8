"""What sets each rival apart, in corpora where its idea must show."""

from __future__ import annotations

import numpy as np
import pytest

from branchwise import Corpus, Taxonomy
from branchwise.rivals import rival
from branchwise.rivals.hr_svm import Centres
from branchwise.taxonomy import ROOT
from tests.rivals.corpora import KIN, TREE, one_rare, separable


def weights_of(system: object, label: str) -> dict[str, float]:
    trained = system.trained  # type: ignore[attr-defined]
    column = trained.weights.toarray()[:, system.taxonomy.index[label]]  # type: ignore[attr-defined]
    return dict(zip(trained.words.vocabulary, column.tolist(), strict=True))


def test_svm_may_predict_a_label_without_its_parent() -> None:
    tree = Taxonomy.from_nodes(["above", "below"], ["", "above"])
    # The parent's machine leans on the common word, which leaves the child's own word to the child's machine.
    texts = ["sign common"] * 40 + ["common"] * 60 + ["else"] * 60
    labels = [["below"]] * 40 + [["above"]] * 60 + [[]] * 60
    corpus = Corpus.from_texts(texts, labels, tree)
    system = rival("svm")(tree).fit(corpus, corpus)
    assert system.predict(["sign else", *texts]) == [("below",), *corpus.labels.to_ids(tree)]


def test_leaf_svm_learns_where_paths_end_and_adds_what_is_above() -> None:
    corpus = separable()
    system = rival("leaf-svm")(TREE).fit(corpus, corpus)
    # "animal" is the most specific label only of documents without purring and barking.
    assert weights_of(system, "animal")["purr"] < 0 < weights_of(system, "animal")["animal"]
    assert system.predict(["purr whisker animal breathes"]) == [("animal", "cat")]


CELLS = Taxonomy.from_nodes(
    ["biology", "prison", "cytology", "ecology", "inmates"], ["", "", "biology", "biology", "prison"]
)


def cells() -> Corpus:
    """Return documents in which a cell is mostly a prison's, but in biology always cytology's."""
    texts = ["cell gene species"] * 4 + ["forest gene species"] * 4 + ["cell guard warden"] * 60
    labels = [["cytology"]] * 4 + [["ecology"]] * 4 + [["inmates"]] * 60
    return Corpus.from_texts(texts, labels, CELLS)


def test_td_svm_solves_within_the_documents_of_the_parent() -> None:
    corpus = cells()
    top_down = rival("td-svm")(CELLS).fit(corpus, corpus)
    flat = rival("svm")(CELLS).fit(corpus, corpus)
    local, everywhere = weights_of(top_down, "cytology"), weights_of(flat, "cytology")
    assert local["guard"] == local["warden"] == 0
    assert everywhere["guard"] < 0
    assert local["cell"] > 2 * everywhere["cell"]
    assert local["cell"] > local["gene"]  # among biology's documents only the cell tells
    assert everywhere["cell"] < everywhere["gene"]  # among all documents the cell mostly misleads
    assert top_down.predict(["cell gene species"]) == [("biology", "cytology")]
    assert top_down.predict(["cell guard"]) == [("prison", "inmates")]


def test_td_svm_never_predicts_below_a_parent_it_did_not_predict() -> None:
    margins = np.array([[1.0, -1.0, 0.5, 2.0, -3.0, 4.0]])
    assert rival("td-svm")(TREE).combine(margins).tolist() == [[1.0, -1.0, 0.5, 1.0, -3.0, -1.0]]


def test_leaf_svm_margins_rise_to_the_root() -> None:
    margins = np.array([[-2.0, 1.0, 0.5, -1.0, -3.0, -4.0]])
    assert rival("leaf-svm")(TREE).combine(margins).tolist() == [[0.5, 1.0, 0.5, -1.0, -3.0, -4.0]]


def test_hr_svm_draws_labels_to_their_parents() -> None:
    train = Corpus.bundled("train").take(range(600))
    tree = train.taxonomy
    below = np.flatnonzero(tree.parent >= 0)
    distance = {}
    for name in ("svm", "hr-svm"):
        weights = rival(name)(tree, prune=0).fit(train, train).trained.weights.toarray()
        distance[name] = np.linalg.norm(weights[:, below] - weights[:, tree.parent[below]], axis=0)
    assert distance["hr-svm"].sum() < 0.9 * distance["svm"].sum()
    assert (distance["hr-svm"] < distance["svm"]).mean() > 0.9


@pytest.mark.parametrize("seed", range(3))
def test_hr_svm_finds_more_of_a_rare_label_that_shares_its_relatives_words(seed: int) -> None:
    train, test = one_rare(seed, rare=5, others=100), one_rare(seed + 100, rare=60, others=60)
    squid = KIN.index["squid"]
    true = test.labels.to_csr(len(KIN)).toarray()[:, squid] > 0
    found, wrong = {}, {}
    for name in ("svm", "hr-svm"):
        decided = rival(name)(KIN).fit(train, train).decide(list(test.texts()))
        predicted = decided.to_csr(len(KIN)).toarray()[:, squid] > 0
        found[name], wrong[name] = int((predicted & true).sum()), int((predicted & ~true).sum())
    assert found["hr-svm"] >= found["svm"] + 10
    assert wrong["hr-svm"] <= wrong["svm"] + 1


def test_centres_are_the_means_of_their_neighbours() -> None:
    tree = Taxonomy.from_nodes(["a", "b", "c", "d", "e"], ["", "", "a", "a", "c"])  # a over c, d; c over e
    machines = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    centres = Centres(tree, 3)
    centres.settle(machines)
    a, c = centres.home_of(0), centres.home_of(2)
    assert a is not None
    assert c is not None
    own, leaf_d, own_c, leaf_e = (machines[tree.index[label]] for label in "adce")
    assert a == pytest.approx((0 + own + leaf_d + c) / 4, abs=1e-5)  # the root's centre is zero
    assert c == pytest.approx((a + own_c + leaf_e) / 3, abs=1e-5)
    assert centres.home_of(tree.index["b"]) is None
    assert centres.home_of(tree.index["d"]) == pytest.approx(a)


def test_in_a_flat_tree_hr_svm_is_svm() -> None:
    tree = Taxonomy.from_nodes(["q", "r"], ["", ""])
    corpus = Corpus.from_texts(["one two", "three two"] * 5, [["q"], ["r"]] * 5, tree)
    flat, drawn = (rival(name)(tree).fit(corpus, corpus) for name in ("svm", "hr-svm"))
    assert np.array_equal(flat.trained.weights.toarray(), drawn.trained.weights.toarray())


def joint_objective(machines: np.ndarray, documents: np.ndarray, signs: np.ndarray, tree: Taxonomy) -> float:
    """Return what hr-svm minimises, with cost 1 and the best centres, written out label by label."""
    centres = Centres(tree, machines.shape[1])
    centres.settle(machines)
    value = 0.0
    for label in range(len(tree)):
        home = centres.home_of(label)
        value += ((machines[label] - (0 if home is None else home)) ** 2).sum() / 2
        if not tree.is_leaf[label]:
            parent = int(tree.parent[label])
            above = 0 if parent == ROOT else centres.home_of(parent)
            value += ((home - above) ** 2).sum() / 2
    margins = documents @ machines[:, :-1].T + machines[:, -1]
    return float(value + (np.maximum(0, 1 - signs * margins) ** 2).sum())


def test_hr_svm_alternates_towards_the_joint_minimum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("branchwise.rivals.hr_svm.SETTLED", 1e-3)
    corpus = separable(2)
    signs = np.where(corpus.labels.to_csr(len(TREE)).toarray() > 0, 1, -1)
    values = []
    for rounds in (1, 2, 5, 100):
        trained = rival("hr-svm")(TREE, prune=0, rounds=rounds).fit(corpus, corpus).trained
        documents = trained.words.vectors(list(corpus.texts())).toarray()
        machines = np.concatenate([trained.weights.toarray().T, trained.intercept[:, None]], axis=1)
        values.append(joint_objective(machines, documents, signs, TREE))
    assert values == sorted(values, reverse=True)

    def flat(vector: np.ndarray) -> float:
        return joint_objective(vector.reshape(machines.shape), documents, signs, TREE)

    # Convex, so no way down from here means that this is the minimum.
    chance = np.random.default_rng(0)
    slopes = [
        (flat(machines.ravel() + 0.01 * one) - flat(machines.ravel() - 0.01 * one)) / 0.02
        for one in (one / np.linalg.norm(one) for one in chance.normal(size=(200, machines.size)))
    ]
    at_zero = [
        (flat(0.01 * one) - flat(-0.01 * one)) / 0.02
        for one in (one / np.linalg.norm(one) for one in chance.normal(size=(200, machines.size)))
    ]
    assert np.abs(slopes).mean() < 0.01 * np.abs(at_zero).mean()
