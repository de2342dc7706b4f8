"""What a run of bulk prediction has done, in numbers and in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from branchwise.corpus.policies import ReadingReport
from branchwise.streaming.journal import Done


@dataclass(frozen=True)
class Outcome:
    """What a run has done."""

    done: Done
    """Of the whole output, what an earlier run wrote included."""
    before: int
    """Documents that an earlier run had predicted."""
    seconds: float
    report: ReadingReport
    """What reading met; empty where an earlier run had read everything."""

    @property
    def rate(self) -> float:
        """Documents a second of this run."""
        return (self.done.documents - self.before) / max(self.seconds, 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers ready for JSON."""
        return {
            "documents": self.done.documents,
            "predicted_before": self.before,
            "left_out": self.report.skipped,
            "invalid": self.done.invalid,
            "abstained": self.done.abstained,
            "seconds": round(self.seconds, 3),
            "documents_per_second": round(self.rate, 1),
            "reading": self.report.to_dict(),
        }

    def sentence(self) -> str:
        """Return what was done, for people."""
        done = self.done
        before = f" ({self.before:,} of them before)" if self.before else ""
        parts = [f"{done.documents:,} document{'' if done.documents == 1 else 's'} predicted{before}"]
        counts = {
            "left out": self.report.skipped,
            "with invalid output": done.invalid,
            "abstained": done.abstained,
        }
        parts += [f"{count:,} {what}" for what, count in counts.items() if count]
        return f"{', '.join(parts)}, {self.rate:,.0f} a second."
