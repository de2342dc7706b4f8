"""The check as a whole: every question asked of a corpus in parts, its findings in order of gravity."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from branchwise.corpus.check.findings import SEVERITIES, CheckReport
from branchwise.corpus.check.labels import check_labels
from branchwise.corpus.check.parts import Parts
from branchwise.corpus.check.repeats import check_repeats
from branchwise.corpus.check.texts import check_texts
from branchwise.corpus.corpus import Corpus
from branchwise.corpus.estimate import estimate_training

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def check(
    corpora: Mapping[str, Corpus],
    *,
    input_limit: int = 300,
    target_limit: int = 60,
    tokenizer: str | Path | Tokenizer | None = None,
    backbone: str | Path | None = None,
) -> CheckReport:
    """Look for what would spoil training on a corpus or the trust in its results.

    Parameters
    ----------
    corpora
        The parts by name; the one named ``train``, or else the first, is the one to train on.
    input_limit
        Word pieces of a text that a model will read.
    target_limit
        Symbols of a target; a label set of n labels needs 2n.
    tokenizer
        The backbone's tokenizer.json (or its folder, or the tokenizer itself) to count word pieces with;
        without one they are estimated.
    backbone
        A T5 by name or folder, to estimate the time and memory of training.
    """
    parts = Parts(corpora)
    findings = [
        *check_labels(parts, target_limit),
        *check_texts(parts, input_limit, tokenizer),
        *check_repeats(parts),
    ]
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    estimate = None
    if backbone is not None:
        estimate = estimate_training(
            corpora[parts.training], backbone, input_limit=input_limit, target_limit=target_limit
        )
    return CheckReport({name: len(one) for name, one in corpora.items()}, tuple(findings), estimate)
