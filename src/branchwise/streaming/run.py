"""Bulk prediction from end to end: documents from files, a predictor, and an output, with everything checked first."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import branchwise
from branchwise.corpus.labelling import GrownTree
from branchwise.corpus.policies import Inspector, Policies, ReadingReport
from branchwise.corpus.reader import Document, Input, read_documents
from branchwise.corpus.records import format_of
from branchwise.corpus.streams import STANDARD, Source
from branchwise.errors import BranchwiseError
from branchwise.progress import Progress
from branchwise.streaming.files import FileWriter, find_journal, open_file, unfinished
from branchwise.streaming.forms import Form, form_of
from branchwise.streaming.job import CHUNK, predict_stream
from branchwise.streaming.journal import told
from branchwise.streaming.outcome import Outcome
from branchwise.streaming.parquet import ArrowMessages
from branchwise.streaming.predictor import Predictor
from branchwise.streaming.writers import PipeWriter, Writer


@dataclass(frozen=True)
class Job:
    """What is to be predicted, and where that goes.

    Parameters
    ----------
    given
        The documents' files and fields; labels are never read.
    output
        A file, or ``-`` for standard output.
    format, separator, scores
        As for :func:`branchwise.streaming.forms.form_of`.
    policies, rejects
        What to do with rows that are not as they should be, and a file for those left out.
    resume
        Go on with the unfinished output of a run that was asked for the same.
    line_by_line
        Answer every document before the next is read; for pipes.
    chunk
        The most documents in memory at a time.
    """

    given: Input
    output: str = STANDARD
    format: str | None = None
    separator: str = ";"
    scores: bool = True
    policies: Policies = field(default_factory=Policies)
    rejects: Path | None = None
    resume: bool = False
    line_by_line: bool = False
    chunk: int = CHUNK

    @property
    def is_piped(self) -> bool:
        """Whether the output is a stream or a device, which is written to and never replaced."""
        path = Path(self.output)
        return self.output == STANDARD or (path.exists() and not path.is_file())

    def check(self) -> None:
        """Raise for whatever is wrong already, before a model is loaded for it."""
        self._form()
        for path in self.given.paths:
            format_of(Source(path, self.given.encoding).path, self.given.format)
        if not self.is_piped and self.line_by_line:
            raise BranchwiseError(
                f"{self.output} appears only when it is complete, so that nobody could read it line by line: write to "
                "standard output (--output -), or leave out --line-by-line."
            )
        if self.is_piped and self.resume:
            raise BranchwiseError(
                "Only a file can be gone on with: name one with --output, or leave out --resume."
            )
        if not self.is_piped:
            find_journal(self.output, self.resume)

    def run(self, predictor: Predictor, options: Mapping[str, Any] | None = None) -> Outcome:
        """Predict everything.

        Parameters
        ----------
        predictor
            What predicts.
        options
            What it was opened with, ready for JSON: a run with other options cannot go on.
        """
        self.check()
        started = time.monotonic()
        with self._writer(predictor, options or {}) as writer:
            before = writer.done.documents
            if isinstance(writer, FileWriter) and writer.is_there:
                return Outcome(writer.done, before, time.monotonic() - started, ReadingReport(before))
            inspector = Inspector(self.policies, self.rejects)
            with (
                _Bar(f"Predicting {Path(self.given.paths[0]).name}", self.output) as bar,
                closing(self._documents(inspector, bar)) as documents,
            ):
                chunk = 1 if self.line_by_line else self.chunk
                done = predict_stream(documents, predictor, writer, chunk=chunk, progress=bar)
        return Outcome(done, before, time.monotonic() - started, inspector.report)

    @property
    def kept(self) -> str:
        """A sentence on what a run that stopped has left behind; empty where that is nothing."""
        if self.is_piped or not unfinished(self.output).exists():
            return ""
        return f"What is predicted so far stays in {unfinished(self.output)}: the same command with --resume goes on."

    def _documents(self, inspector: Inspector, bar: Progress) -> Generator[Document, None, None]:
        unlabelled = replace(self.given.fields, labels=None)
        yield from read_documents(
            replace(self.given, fields=unlabelled, may_be_empty=True),
            GrownTree(),
            inspector,
            remember_ids=self.policies.duplicate_id != "keep",
            progress=bar,
        )

    def _form(self) -> Form:
        form = form_of(self.output, self.format, separator=self.separator, scores=self.scores)
        if self.is_piped and isinstance(form, ArrowMessages):
            raise BranchwiseError("Parquet cannot be written to a pipe: name a file with --output.")
        return form

    @contextmanager
    def _writer(self, predictor: Predictor, options: Mapping[str, Any]) -> Iterator[Writer]:
        form = self._form()
        if self.output == STANDARD:
            yield PipeWriter(sys.stdout.buffer, form)
        elif self.is_piped:
            with told(Path(self.output)):
                stream = Path(self.output).open("wb")  # noqa: SIM115
            with stream:
                yield PipeWriter(stream, form)
        else:
            asked = {
                "files": [Path(path).name for path in self.given.paths],
                "model": predictor.fingerprint,
                **options,
                "writes scores": self.scores,
                "format": format_of(self.output, self.format),
                "label separator": self.separator,
                "documents a chunk": self.chunk,
                "version": branchwise.__version__,
            }
            with open_file(self.output, form, asked, resume=self.resume) as writer:
                yield writer


class _Bar(Progress):
    """Counts documents as they are predicted, and stands where reading is."""

    def __init__(self, what: str, output: str) -> None:
        super().__init__(what)
        if output == STANDARD and sys.stdout.isatty():
            self._visible = False  # it would run into the predictions

    def advance(self, items: int = 1, position: float | None = None) -> None:
        """Count ``items`` more; without a position the bar stays where it is."""
        super().advance(items, self._position if position is None else position)
