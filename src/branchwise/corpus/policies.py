"""What to do with rows that are not as they should be, and an account of every one of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import IO, Any, Literal, get_args

from branchwise.errors import CorpusError

Policy = Literal["error", "skip", "keep"]
EXAMPLES = 3  # how many examples of each problem the report remembers


@dataclass(frozen=True)
class Policies:
    """One choice a problem: ``error`` stops, ``skip`` leaves the row out and counts it, ``keep`` keeps it.

    Parameters
    ----------
    unknown_label
        A label that is not in the taxonomy; ``keep`` keeps the document without that label.
    missing_text
        No text, or only white space; ``keep`` keeps the document with an empty text.
    bad_text
        A text that is not a string; ``keep`` writes the value as JSON and takes that for the text.
    duplicate_id
        An id that stood before; ``keep`` keeps both documents.
    empty_labels
        A document without labels; ``keep`` keeps it.
    bad_row
        A row that cannot be read at all: not JSON, not of the header's width, not UTF-8, without its id.
        There is nothing to keep, so ``keep`` leaves it out too.
    """

    unknown_label: Policy = "error"
    missing_text: Policy = "error"
    bad_text: Policy = "error"
    duplicate_id: Policy = "error"
    empty_labels: Policy = "keep"
    bad_row: Policy = "error"

    def __post_init__(self) -> None:
        for one in fields(self):
            chosen = getattr(self, one.name)
            if chosen not in get_args(Policy):
                raise CorpusError(
                    f"The policy {one.name} is {chosen!r}: choose one of {', '.join(get_args(Policy))}."
                )

    @classmethod
    def all(cls, policy: Policy) -> Policies:
        """Return the same choice for every problem."""
        return cls(**{one.name: policy for one in fields(cls)})


@dataclass
class ReadingReport:
    """What reading met: documents read and skipped, and every problem with its count and some examples."""

    read: int = 0
    skipped: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the report ready for JSON."""
        return {
            "read": self.read,
            "skipped": self.skipped,
            "problems": dict(self.problems),
            "examples": self.examples,
        }

    def lines(self) -> Iterable[str]:
        """Yield one sentence a kind of problem, for people."""
        for name, count in self.problems.most_common():
            yield f"{name.replace('_', ' ')}: {count:,} ({'; '.join(self.examples[name])})"


class Inspector:
    """Applies the policies row by row and keeps the account.

    Parameters
    ----------
    policies
        What to do with each problem.
    rejects
        A file for the rows left out, one JSON object each; it is there after reading even where it is empty.
    """

    def __init__(self, policies: Policies, rejects: str | Path | None = None) -> None:
        self.policies = policies
        self.report = ReadingReport()
        self._rejects: IO[str] | None = None
        if rejects is None:
            return
        try:  # half a surrogate pair, which has no UTF-8, is written as the escape it came from
            self._rejects = Path(rejects).open("w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
        except OSError as error:
            raise CorpusError(
                f"The file {rejects} for rows left out cannot be written ({error.strerror}): name another."
            ) from error

    def allows(self, problem: str, where: str, detail: str, advice: str) -> bool:
        """Return whether the row stays; raise where the policy for ``problem`` says so."""
        policy: Policy = getattr(self.policies, problem)
        if policy == "error":
            option = "--" + problem.replace("_", "-")
            choices = "skip" if problem == "bad_row" else "skip or keep"
            raise CorpusError(f"{where}: {detail}; {advice}, or choose {option} {choices}.")
        self.report.problems[problem] += 1
        seen = self.report.examples.setdefault(problem, [])
        if len(seen) < EXAMPLES:
            seen.append(f"{where}: {detail}")
        return policy == "keep"

    def reject(self, record: Any, where: str, reason: str) -> None:
        """Count a skipped row and, where a file was named for them, write it there."""
        self.report.skipped += 1
        if self._rejects is not None:
            row = {"where": where, "reason": reason, "record": record}
            self._rejects.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")

    def close(self) -> None:
        """Finish the file of rows left out."""
        if self._rejects is not None:
            self._rejects.close()
