"""What the tests of bulk prediction share."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def disk_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave writes with the system, which outlives a killed process, so that tests are quick."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
