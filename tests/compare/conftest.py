"""One comparison of three rivals, made once for all tests that only look at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from branchwise.compare import Results
from tests.compare.corpora import run


@pytest.fixture(scope="session")
def three(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run(tmp_path_factory.mktemp("three") / "out", "svm,td-svm,leaf-svm", seeds=3)


@pytest.fixture(scope="session")
def backbone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a tiny T5 for our own model."""
    pytest.importorskip("transformers")
    from tests.model.tiny import write_backbone

    return write_backbone(tmp_path_factory.mktemp("backbone") / "t5", "flan")
