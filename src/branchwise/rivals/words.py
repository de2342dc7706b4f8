"""Documents as TF-IDF vectors: scikit-learn's, made to bear empty vocabularies and to be saved as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfVectorizer

MANY = 1000  # documents from which on a word has to stand in more than one of them


@dataclass(frozen=True, eq=False)
class Words:
    """V words, or phrases of up to ``phrase`` words, and how telling each is."""

    vocabulary: list[str]
    idf: np.ndarray  # [V] float32
    phrase: int = 1

    @classmethod
    def learn(
        cls, texts: Iterable[str], n_texts: int, phrase: int, fewest: int | None
    ) -> tuple[Words, csr_array]:
        """Return the words of some texts, and the texts as vectors.

        ``fewest`` is the number of texts that a word has to stand in; where it is None, 3, but 1 in a small
        collection.
        """
        fewest = (3 if n_texts >= MANY else 1) if fewest is None else fewest
        vectorizer = _vectorizer(phrase, min_df=min(fewest, n_texts))
        try:
            vectors = vectorizer.fit_transform(texts)
        except ValueError as error:
            if "empty vocabulary" not in str(error) and "no terms remain" not in str(error):
                raise
            return cls([], np.zeros(0, np.float32), phrase), csr_array((n_texts, 0), dtype=np.float32)
        words = cls(vectorizer.get_feature_names_out().tolist(), vectorizer.idf_.astype(np.float32), phrase)
        return words, csr_array(vectors)

    def vectors(self, texts: list[str]) -> csr_array:
        """Return texts as vectors of length 1, or 0 where no word is known: sparse [N, V] float32."""
        if not self.vocabulary or not texts:
            return csr_array((len(texts), len(self.vocabulary)), dtype=np.float32)
        return csr_array(self._fitted.transform(texts))

    @cached_property
    def _fitted(self) -> TfidfVectorizer:
        vectorizer = _vectorizer(self.phrase, vocabulary=self.vocabulary)
        vectorizer.idf_ = self.idf
        return vectorizer


def _vectorizer(phrase: int, **options: object) -> TfidfVectorizer:
    return TfidfVectorizer(sublinear_tf=True, ngram_range=(1, phrase), dtype=np.float32, **options)
