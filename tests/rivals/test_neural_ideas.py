"""What sets each neural rival apart, in cases where its idea must show."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from branchwise import Corpus, Taxonomy
from branchwise.rivals.neural.han import Sentences
from branchwise.rivals.neural.label_graph import GraphConvolution, TreeLstm, prior_probabilities
from branchwise.taxonomy import ROOT
from tests.rivals.corpora import KIN, TREE, one_rare
from tests.rivals.neural import batch, network, tiny

FLAT = Taxonomy.from_nodes(["q", "r"], ["", ""])


def ordered() -> Corpus:
    """Return documents of the same words, whose order tells the label."""
    fill = ["one two", "three", "two four five", "six"]
    texts = [f"{a} {pair} {b}" for pair in ("not good", "good not") for a in fill for b in fill]
    return Corpus.from_texts(texts, [["q"]] * 16 + [["r"]] * 16, FLAT)


def test_textcnn_tells_the_order_of_words_where_filters_span_two() -> None:
    corpus = ordered()
    texts = list(corpus.texts())
    right = {}
    for span in (1, 2):
        system = tiny("textcnn", FLAT, narrowest=span, widest=span, epochs=6).fit(corpus, corpus)
        right[span] = system.predict(texts) == corpus.labels.to_ids(FLAT)
    assert right == {1: False, 2: True}


def test_textcnn_finds_a_run_of_words_wherever_it_stands() -> None:
    net = network("textcnn", FLAT, narrowest=2, widest=2)
    with torch.no_grad():
        net.convolutions.layers[0].bias.fill_(-4)  # only what is strongly recognised counts
        early, late = net.features(batch([3, 4, 5, 5, 5, 5], [5, 5, 5, 5, 3, 4]))
    shared = (early > 0) & (late > 0)
    assert torch.allclose(early[shared], late[shared], atol=1e-5)


@pytest.mark.parametrize("pooling", ["average", "maximum"])
def test_bow_cnn_regions_are_free_of_order_within_and_aware_of_place_between(pooling: str) -> None:
    net = network("bow-cnn", FLAT, region=3, parts=2, pooling=pooling)
    with torch.inference_mode():
        regions = net.regions(batch([3, 4, 5], [5, 3, 4]))
        assert regions.shape[1] == 5
        assert torch.allclose(regions[0, 2], regions[1, 2], atol=1e-5)  # the same three words
        words = net.words.weight[[3, 4, 5]].sum(0)
        assert torch.allclose(regions[0, 2], torch.relu(words), atol=1e-5)
        a, b = net.pooled(batch([3, 3, 3, 3, 4, 4, 4, 4], [4, 4, 4, 4, 3, 3, 3, 3]))
        assert torch.allclose(a[0], b[1], atol=1e-5)  # parts are swapped with what stands in them
        assert not torch.allclose(a[0], a[1], atol=1e-2)


def test_bow_cnn_learns_what_comes_first() -> None:
    texts = [
        f"{' '.join([a] * 6)} x{n} {' '.join([b] * 6)}"
        for a, b in (("sun", "rain"), ("rain", "sun"))
        for n in range(9)
    ]
    corpus = Corpus.from_texts(texts, [["q"]] * 9 + [["r"]] * 9, FLAT)
    right = {}
    for parts in (1, 2):
        system = tiny("bow-cnn", FLAT, parts=parts).fit(corpus, corpus)
        right[parts] = system.predict(texts) == corpus.labels.to_ids(FLAT)
    assert right == {1: False, 2: True}


def test_han_divides_texts_after_full_stops() -> None:
    sentences = Sentences.of(batch([3, 4, 2, 5], [6], [2, 7, 8, 2]))
    assert sentences.words.tolist() == [[3, 4, 2], [5, 0, 0], [6, 0, 0], [2, 0, 0], [7, 8, 2]]
    assert sentences.lengths.tolist() == [3, 1, 1, 1, 3]
    assert sentences.counts.tolist() == [2, 1, 2]
    assert [one.tolist() for one in sentences.place] == [[0, 0, 1, 2, 2], [0, 1, 0, 0, 1]]


def test_han_attends_to_the_word_and_the_sentence_that_tell() -> None:
    chance = np.random.default_rng(0)
    texts, labels, where = [], [], []
    for number in range(80):
        lines = [[f"fill{n}" for n in chance.integers(8, size=4)] for _ in range(5)]
        sentence, word = chance.integers(5), chance.integers(4)
        if number % 2:
            lines[sentence][word] = "sun"
            where.append((number, sentence, word))
        texts.append(". ".join(" ".join(line) for line in lines) + ".")
        labels.append(["q"] if number % 2 else [])
    corpus = Corpus.from_texts(texts, labels, FLAT)
    trained = tiny("han", FLAT).fit(corpus, corpus).trained
    encoded = trained.vocabulary.encode(texts, 256)
    lists = [encoded.words[a:b].tolist() for a, b in pairwise(encoded.offsets)]
    with torch.inference_mode():
        _, by_sentence, by_word, sentences = trained.network.eval().read(batch(*lists))
    assert torch.allclose(by_sentence.sum(1), torch.ones(80), atol=1e-5)
    assert torch.allclose(by_word.sum(1), torch.ones(len(by_word)), atol=1e-5)
    assert (by_word[sentences.words == 0] == 0).all()
    assert np.mean([int(by_sentence[text].argmax()) == line for text, line, _ in where]) > 0.9
    assert np.mean([int(by_word[5 * text + line].argmax()) == word for text, line, word in where]) > 0.9


def test_hmcn_mixes_local_and_global_outputs_and_knows_what_a_violation_is() -> None:
    net = network("hmcn", TREE, beta=0.25)
    with torch.inference_mode():
        local, overall = net.outputs(batch([3, 4, 5]))
        assert torch.allclose(
            net(batch([3, 4, 5])).sigmoid(), 0.25 * local.sigmoid() + 0.75 * overall.sigmoid(), atol=1e-5
        )
        chances = torch.tensor([[0.9, 0.2, 0.5, 0.95, 0.6, 0.1]])  # animal, plant, cat, dog, tree, moss
        assert net.violation(chances).item() == pytest.approx((0.05**2 + 0.4**2) / 6)


def test_hmcn_violates_the_tree_less_with_the_penalty() -> None:
    # Both labels always come together and nothing tells when, so that which is likelier is mere chance.
    tree = Taxonomy.from_nodes(["above", "below"], ["", "above"])
    chance = np.random.default_rng(0)
    texts = [" ".join(f"w{n}" for n in chance.integers(30, size=6)) for _ in range(80)]
    corpus = Corpus.from_texts(texts, [["below"] if one else [] for one in chance.integers(2, size=80)], tree)
    violated = dict.fromkeys((0.0, 20.0), 0.0)
    for penalty in violated:
        for seed in range(2):
            system = tiny("hmcn", tree, penalty=penalty, epochs=1, seed=seed).fit(corpus, corpus)
            margins, _ = system._answers(texts)
            chances = torch.from_numpy(margins).sigmoid()
            violated[penalty] += system.trained.network.violation(chances).item()
    assert violated[20.0] < 0.2 * violated[0.0]


def test_hiagm_knows_how_training_documents_divide() -> None:
    shares = torch.tensor([0.5, 0.2, 0.4, 0.1, 0.0, 0.0])  # animal, plant; cat, dog; tree, moss
    prior = prior_probabilities(TREE, shares)
    assert prior.tolist() == pytest.approx([5 / 7, 2 / 7, 0.8, 0.2, 0.5, 0.5])
    corpus = one_rare(0, rare=5, others=20)
    system = tiny("hiagm", KIN, epochs=1).fit(corpus, corpus)
    counts = corpus.labels.counts(len(KIN))
    for label, above in enumerate(KIN.parent.tolist()):
        siblings = list(KIN.children(above))
        learned = system.trained.network.graph.prior[label].item()
        assert learned == pytest.approx(counts[label] / counts[siblings].sum(), abs=1e-6)


@pytest.mark.parametrize(("graph", "reach"), [(GraphConvolution, 1), (TreeLstm, 9)])
def test_hiagm_features_travel_along_the_tree(graph: type, reach: int) -> None:
    tree = Taxonomy.from_nodes(["a", "b", "c", "d", "e"], ["", "", "a", "a", "c"])  # a over c, d; c over e
    torch.manual_seed(1)
    layer = graph(tree, torch.tensor([0.5, 0.3, 0.3, 0.2, 0.1]), 6)
    values = torch.randn(1, 5, 6)
    before = layer(values)
    assert before.shape == values.shape
    for label in range(5):
        moved = values.clone()
        moved[0, label] += 3
        changed = {tree.ids[n] for n in torch.nonzero((layer(moved) - before)[0].abs().sum(1) > 1e-6)[:, 0]}
        lines = {n for n in range(5) if label in (n, *tree.ancestors(n)) or n in tree.ancestors(label)}
        near = {n for n in lines if abs(int(tree.level[n]) - int(tree.level[label])) <= reach}
        assert changed == {tree.ids[n] for n in near}


def test_hiagm_weighs_a_parent_by_the_prior() -> None:
    tree = Taxonomy.from_nodes(["a", "c", "d"], ["", "a", "a"])
    layer = GraphConvolution(tree, torch.tensor([1.0, 0.75, 0.25]), 2)
    with torch.no_grad():
        layer.gates.weight.zero_()  # every gate is half open
        values = torch.tensor([[[8.0, 4.0], [0.0, 0.0], [0.0, 0.0]]])
        assert layer(values).tolist() == [[[4.0, 2.0], [3.0, 1.5], [1.0, 0.5]]]


def test_hiagm_draws_classifiers_to_their_parents() -> None:
    net = network("hiagm", TREE, structure="none")
    weights = net.output.weight.detach()
    expected = sum(
        float((weights[label] - weights[above]).square().sum()) / 2
        for label, above in enumerate(TREE.parent.tolist())
        if above != ROOT
    )
    assert net.distance().item() == pytest.approx(expected, rel=1e-5)
    corpus = one_rare(0, rare=5, others=20)
    apart = [
        tiny("hiagm", KIN, epochs=1, structure="none", penalty=penalty)
        .fit(corpus, corpus)
        .trained.network.distance()
        .item()
        for penalty in (0.0, 0.1)
    ]
    assert apart[1] < 0.5 * apart[0]


def test_hiagm_is_not_below_its_own_text_encoder_on_a_rare_child() -> None:
    train, test = one_rare(0, rare=8, others=60), one_rare(100, rare=40, others=40)
    true = test.labels.to_csr(len(KIN)).toarray()[:, KIN.index["squid"]] > 0
    sizes = {"filters": 24, "features": 16, "hidden": 12, "rate": 0.01, "epochs": 6}
    f1 = {}
    for structure in ("none", "gcn"):
        system = tiny("hiagm", KIN, structure=structure, **sizes).fit(train, train)
        found = system.decide(list(test.texts())).to_csr(len(KIN)).toarray()[:, KIN.index["squid"]] > 0
        f1[structure] = 2 * (found & true).sum() / (found.sum() + true.sum())
    assert f1["gcn"] >= f1["none"] - 0.03
    assert f1["gcn"] > 0.9


def test_sgm_writes_frequent_labels_first_and_then_the_end() -> None:
    net = network("sgm", TREE, shares=[0.5, 0.4, 0.1, 0.45, 0.4, 0.0])
    assert net.order.tolist() == [0, 3, 1, 4, 2, 5]  # of equally frequent ones the first of the tree
    truth = torch.tensor([[1, 1, 1, 0, 1, 0], [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0]]).float()
    assert net.target(truth).tolist() == [[0, 1, 4, 2, 6], [5, 6, 6, 6, 6], [6, 6, 6, 6, 6]]


@pytest.mark.parametrize("beam", [1, 3])
def test_sgm_never_repeats_a_label_and_ends(beam: int) -> None:
    net = network("sgm", TREE, beam=beam)
    with torch.inference_mode():
        net.output.weight.zero_()
        net.output.bias.copy_(
            torch.tensor([9.0, 8, 7, 6, 5, 4, 0])
        )  # the same labels at every step, never the end
        labels, missed = net.write(batch([3, 4], [5]))
        assert labels.all()  # were one repeated, another would be missing
        assert (missed[:, 0] < 0.5).all()
        net.settings = tiny("sgm", TREE, beam=beam, most=2).settings
        assert net.write(batch([3]))[0].tolist() == [[True, True, False, False, False, False]]
        net.output.bias[-1] = 20
        assert not net.write(batch([3]))[0].any()


def test_sgm_with_a_wide_beam_finds_the_likeliest_sequence() -> None:
    tree = Taxonomy.from_nodes(["a", "b"], ["", ""])
    net = network("sgm", tree, beam=3)
    read = net.read(batch([3, 4, 5]))

    def chance(labels: list[int]) -> float:
        """Return the log chance of one sequence, step by step."""
        state, given = net.begin(read)
        total, ruled_out = 0.0, []
        for symbol in [*labels, 2]:
            margins, state = net.step(read, state, given)
            margins[:, ruled_out] = -torch.inf
            log_chances = margins.log_softmax(1)
            total += float(log_chances[0, symbol])
            ruled_out.append(symbol)
            given = net.blend(torch.tensor([symbol]), log_chances.exp())
        return total

    with torch.inference_mode():
        every = {labels: chance(list(labels)) for labels in [(), (0,), (1,), (0, 1), (1, 0)]}
        assert sum(np.exp(list(every.values()))) == pytest.approx(1, abs=1e-5)
        best = max(every, key=lambda labels: every[labels])
        assert net.write(batch([3, 4, 5]))[0][0].tolist() == [label in best for label in (0, 1)]


def test_sgm_scores_are_of_being_chosen_at_some_step() -> None:
    net = network("sgm", FLAT, beam=1, most=1)
    with torch.inference_mode():
        net.output.weight.zero_()
        net.output.bias.copy_(torch.tensor([0.6, 0.3, 0.1]).log())
        labels, missed = net.write(batch([3]))
        assert labels.tolist() == [[True, False]]
        # First 0.6 and 0.3; then, without the first label, 0.3 of 0.4.
        assert missed[0].tolist() == pytest.approx([0.4, 0.7 * 0.25])
