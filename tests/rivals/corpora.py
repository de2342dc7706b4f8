"""Small corpora whose right answers are built in."""

from __future__ import annotations

import random

from branchwise import Corpus, Taxonomy

TREE = Taxonomy.from_nodes(
    ["animal", "plant", "cat", "dog", "tree", "moss"], ["", "", "animal", "animal", "plant", "plant"]
)
WORDS = {"cat": "purr whisker", "dog": "bark leash", "tree": "trunk timber", "moss": "damp carpet"}
ABOVE = {"cat": "animal breathes", "dog": "animal breathes", "tree": "grows green", "moss": "grows green"}


def separable(copies: int = 6) -> Corpus:
    """Return documents whose words name their labels, some with two labels, and one that stops early."""
    texts, labels = [], []
    for number in range(copies):
        for label, words in WORDS.items():
            texts.append(f"{ABOVE[label]} {words} number{number}")
            labels.append([label])
        texts.append(f"{ABOVE['cat']} {WORDS['cat']} {ABOVE['moss']} {WORDS['moss']}")
        labels.append(["cat", "moss"])
        texts.append(f"{ABOVE['dog']} number{number}")
        labels.append(["animal"])
    return Corpus.from_texts(texts, labels, TREE)


KIN = Taxonomy.from_nodes(
    ["sea", "land", "whale", "shark", "squid", "horse", "sheep"],
    ["", "", "sea", "sea", "sea", "land", "land"],
)
SHARED = {
    "sea": [f"wave{number}" for number in range(30)],
    "land": [f"field{number}" for number in range(30)],
}


def one_rare(seed: int, rare: int, others: int) -> Corpus:
    """Return documents of relatives with a vocabulary in common, where one of them, the squid, is rare.

    The squid's own word also occurs on land, so that the word alone does not tell.
    """
    chance = random.Random(seed)
    texts, labels = [], []
    for label in KIN.ids[2:]:
        above = "land" if label in ("horse", "sheep") else "sea"
        for _ in range(rare if label == "squid" else others):
            words = [*chance.sample(SHARED[above], 4), "ink" if label == "squid" else label]
            if above == "land" and chance.random() < 0.1:
                words.append("ink")
            texts.append(" ".join(words))
            labels.append([label])
    return Corpus.from_texts(texts, labels, KIN)
