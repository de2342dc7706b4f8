"""What a check found: one plain sentence a finding, with its numbers for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from branchwise.corpus.estimate import Estimate

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
EXAMPLES = 3  # that a sentence names
LISTED = 1_000  # that the details list


@dataclass(frozen=True)
class Finding:
    """One thing worth knowing.

    Attributes
    ----------
    kind
        A name for programs, such as ``shared_texts``.
    severity
        ``error``: results would mislead. ``warning``: results would suffer. ``note``: good to know.
    sentence
        What, how many, for example which, and what to do.
    count
        How many labels, documents or groups it concerns.
    examples
        The first ids it concerns, up to ``LISTED``.
    details
        Further numbers.
    """

    kind: str
    severity: Severity
    sentence: str
    count: int
    examples: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding ready for JSON."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "sentence": self.sentence,
            "count": self.count,
            "examples": list(self.examples),
            "details": self.details,
        }


@dataclass(frozen=True)
class CheckReport:
    """All findings, the gravest first; none where nothing is worth saying."""

    sizes: dict[str, int]
    findings: tuple[Finding, ...]
    estimate: Estimate | None = None

    @property
    def counts(self) -> dict[str, int]:
        """How many findings of each severity there are."""
        found = Counter(finding.severity for finding in self.findings)
        return {severity: found[severity] for severity in SEVERITIES}

    @property
    def has_errors(self) -> bool:
        """Whether anything was found that would make results mislead."""
        return self.counts["error"] > 0

    def of_kind(self, kind: str) -> Finding | None:
        """Return the finding of a kind, None where there is none."""
        return next((finding for finding in self.findings if finding.kind == kind), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the report ready for JSON."""
        return {
            "sizes": self.sizes,
            "counts": self.counts,
            "findings": [finding.to_dict() for finding in self.findings],
            "estimate": self.estimate.to_dict() if self.estimate is not None else None,
        }


def named(examples: Sequence[str]) -> str:
    """Return the first examples for a sentence: ``a, b, c, …``."""
    shown = ", ".join(examples[:EXAMPLES])
    return f"{shown}, …" if len(examples) > EXAMPLES else shown


def number(count: int, one: str, many: str) -> str:
    """Return a count with the words for one or for many: ``1 label has``, ``2 labels have``."""
    return f"{count:,} {one if count == 1 else many}"


def percent(part: float, whole: float) -> str:
    """Return a share in per cent with as many digits as tell it from none and from all."""
    share = 100 * part / whole if whole else 0.0
    return f"{share:.2g} %" if share < 1 else f"{share:.1f} %" if share < 99.95 or part == whole else "99.9 %"
