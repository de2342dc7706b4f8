"""Small documents in files, with planted confusions and planted wrong labels, and a command line over them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from branchwise import Corpus, Taxonomy
from branchwise.compare import Results, compare, read_entries
from branchwise.compare.settings import assign
from tests.rivals.corpora import ABOVE, TREE, WORDS


def documents(size: int, seed: int, part: str) -> Corpus:
    """Return documents whose words name their labels, every fourth with two labels."""
    chance = random.Random(seed)
    texts, labels = [], []
    for _ in range(size):
        own = chance.sample(sorted(WORDS), 2 if chance.random() < 0.25 else 1)
        texts.append(" ".join(f"{ABOVE[one]} {WORDS[one]}" for one in own) + f" n{chance.randrange(50)}")
        labels.append(own)
    return Corpus.from_texts(texts, labels, TREE, [f"{part}{row}" for row in range(size)])


def parts() -> tuple[Corpus, Corpus, Corpus]:
    """Return training, validation and test documents."""
    return documents(60, 1, "t"), documents(48, 2, "v"), documents(40, 3, "e")


def write_predictions(path: Path, ids: Sequence[str], labels: Sequence[Sequence[str]]) -> Path:
    """Write somebody else's predictions."""
    lines = [{"id": one, "labels": list(own)} for one, own in zip(ids, labels, strict=True)]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path


def run(
    folder: Path,
    systems: str,
    *,
    predictions: Sequence[str] = (),
    settings: Sequence[str] = (),
    corpora: tuple[Corpus, Corpus, Corpus] | None = None,
    **options: object,
) -> Results:
    """Compare in this process."""
    train, validation, test = corpora or parts()
    entries = assign(read_entries(systems.split(","), predictions), settings)
    return compare(test.taxonomy, train, validation, test, entries, output=folder, **options)  # type: ignore[arg-type]


def write_parts(folder: Path, corpora: tuple[Corpus, Corpus, Corpus] | None = None) -> list[str]:
    """Write the documents as files, and return the options that name them."""
    options = []
    for name, corpus in zip(("train", "validation", "test"), corpora or parts(), strict=True):
        corpus.write(folder / f"{name}.jsonl")
        options += [f"--{name}", str(folder / f"{name}.jsonl")]
    tree: Taxonomy = (corpora or parts())[0].taxonomy
    tree.write(folder / "tree.tsv")
    return [*options, "--taxonomy", str(folder / "tree.tsv")]
