"""A system that needs no training: a text's first letter is its label. And the jobs that let it predict files."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from branchwise import Taxonomy
from branchwise.corpus.policies import Policies
from branchwise.corpus.reader import Input
from branchwise.predicted import Predicted, paths_of
from branchwise.streaming.outcome import Outcome
from branchwise.streaming.run import Job
from tests.corpus.files import Rows

TREE = Taxonomy.from_nodes(
    ["letter", "a", "b", "c", "digit"],
    [None, "letter", "letter", "b", None],
    ["Letter", "A", "B", "C", "Digit"],
)
FORMS = ("jsonl", "csv", "tsv.gz", "jsonl.gz", "csv.zst", "parquet")


class Letters:
    """Predicts; ``before`` is called with every chunk first."""

    def __init__(self, before: Callable[[Sequence[str]], None] = lambda _: None) -> None:
        self.tree, self.fingerprint = TREE, "letters"
        self._before = before

    def __call__(self, texts: Sequence[str]) -> list[Predicted]:
        self._before(texts)
        sets = TREE.label_sets([self._labels(text) for text in texts])
        paths = paths_of(sets, TREE)
        return [
            Predicted(
                labels,
                {label: 1 / (2 + len(text)) for label in labels},
                path,
                problems=("repeat",) if text.endswith("!") else (),
                confidence=0.25 if "?" in text else None,
                abstained="?" in text,
            )
            for text, labels, path in zip(texts, sets.to_ids(TREE), paths, strict=True)
        ]

    def summary(self) -> list[str]:
        return ["Letters were read."]

    @staticmethod
    def _labels(text: str) -> list[str]:
        return ["digit", "c"] if text[:1].isdigit() else [text[0]] if text[:1] in ("a", "b", "c") else []


def rows(count: int) -> Rows:
    """Return documents of which some have odd texts."""
    texts = ("a text", "b, or not?", '7 "quotes"\nand lines', "c!", "émigré > 名; x")
    return [
        {"id": f"d{i}", "text": f"{texts[i % 5]} {i}" + "!" * (i % 7 == 0), "labels": ["any"]}
        for i in range(count)
    ]


def job(source: Path, output: Path | str, **choices: Any) -> Job:
    """Return a job of small chunks that skips bad rows."""
    return Job(Input([source]), str(output), **{"policies": Policies.all("skip"), "chunk": 3} | choices)


def run(source: Path, output: Path, **choices: Any) -> Outcome:
    """Run a job in this process."""
    return job(source, output, **choices).run(Letters())


def killed(one: Job, at: int) -> bool:
    """Run a job in a process that kills itself at the given step of its work; say whether it came that far."""
    child = os.fork()
    if child == 0:
        try:
            steps = iter(range(1, at + 1))
            _watch(lambda: next(steps, at) == at and os.kill(os.getpid(), signal.SIGKILL))
            one.run(Letters(lambda _: os.fsync(-1)))
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _watch(step: Callable[[], object]) -> None:
    """Let every safe write, renaming and deletion, and every prediction, be a step, before and after."""
    rename, unlink = Path.replace, os.unlink

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def do(*arguments: Any, **named: Any) -> Any:
            step()
            result = call(*arguments, **named)
            step()
            return result

        return do

    os.fsync = watched(lambda _: None)
    Path.replace = watched(rename)  # type: ignore[method-assign]
    os.unlink = watched(unlink)
