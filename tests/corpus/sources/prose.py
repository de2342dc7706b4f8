"""Made-up prose that tells of a label, so that a small classifier can learn from it; ours, not from any corpus."""

from __future__ import annotations

import random

_FILLERS = (
    "the first trial took a year",
    "nobody had looked at it before",
    "three groups were compared",
    "the outcome is open",
    "numbers are given in a table",
    "a short review closes the work",
    "we ask what it costs",
    "the old view does not hold",
)


def about(names: list[str], chance: random.Random) -> str:
    """Return a few sentences that name what they are about, among words that tell nothing."""
    sentences = []
    for name in names:
        words = [word for word in name.replace(",", " ").replace("&", " ").split() if len(word) > 2]
        sentences.append(f"This is about {' and '.join(words) or name}, where {chance.choice(_FILLERS)}.")
        sentences.append(f"On {chance.choice(words or [name])} {chance.choice(_FILLERS)}.")
    chance.shuffle(sentences)
    return " ".join(sentences)
