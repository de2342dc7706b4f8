"""The loop of bulk prediction: a chunk of documents in, predictions out in the same order, nothing kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Protocol

from branchwise.errors import BranchwiseError
from branchwise.predicted import Predict
from branchwise.progress import Progress
from branchwise.streaming.journal import Done
from branchwise.streaming.writers import Writer

CHUNK = 1024  # documents; many enough that sorting them by length pays


class Document(Protocol):
    """What is predicted."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def text(self) -> str:
        """Its text."""


def predict_stream(
    documents: Iterable[Document],
    predict: Predict,
    writer: Writer,
    *,
    chunk: int = CHUNK,
    progress: Progress | None = None,
) -> Done:
    """Predict documents in order and write what is predicted, after those that the writer has already.

    Parameters
    ----------
    documents
        All documents, those that an earlier run has predicted too.
    predict
        Takes the texts of a chunk.
    writer
        Where predictions go.
    chunk
        The most documents that are in memory at a time.
    progress
        Counts the documents that are predicted.
    """
    known = _Digest()
    remaining = iter(documents)
    _pass_over(remaining, writer.done, known)
    done = writer.done
    for some in _chunks(remaining, chunk):
        predicted = predict([one.text for one in some])
        if len(predicted) != len(some):
            raise RuntimeError(f"{len(some)} texts were predicted as {len(predicted)}.")
        done = Done(
            done.documents + len(some),
            known.add(some),
            done.invalid + sum(one.invalid for one in predicted),
            done.abstained + sum(one.abstained for one in predicted),
        )
        writer.write([(one.id, answer) for one, answer in zip(some, predicted, strict=True)], done)
        if progress is not None:
            progress.advance(len(some))
    writer.finish()
    return done


def _pass_over(documents: Iterator[Document], done: Done, known: _Digest) -> None:
    """Read the documents that are predicted already, which must still be the same ones."""
    digest = ""
    for count in range(done.documents):
        document = next(documents, None)
        if document is None:
            raise BranchwiseError(
                f"The input ends after {count:,} documents, but {done.documents:,} are predicted already: give the "
                "files that the run was begun with, or delete the unfinished output to start again."
            )
        digest = known.add([document])
    if digest != done.digest:
        raise BranchwiseError(
            f"The first {done.documents:,} documents of the input are not those that are predicted already: give "
            "the files and fields that the run was begun with, or delete the unfinished output to start again."
        )


def _chunks(documents: Iterator[Document], size: int) -> Iterator[list[Document]]:
    """Group documents; those before a row that stops everything are a last chunk before the error."""
    some: list[Document] = []
    try:
        for document in documents:
            some.append(document)
            if len(some) == size:
                yield some
                some = []
    except BranchwiseError:
        if some:
            yield some
        raise
    if some:
        yield some


class _Digest:
    """Tells one beginning of the input from any other."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)

    def add(self, documents: Iterable[Document]) -> str:
        """Return the digest of all documents so far."""
        for one in documents:
            for part in (one.id, one.text):
                data = part.encode(errors="surrogatepass")
                self._hash.update(b"%d:%b" % (len(data), data))
        return self._hash.hexdigest()
