"""One tiny checkpoint of each style a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.model.tiny import STYLES, write_backbone


@pytest.fixture(scope="session")
def backbones(tmp_path_factory) -> dict[str, Path]:
    """Folders of a T5 v1.0, a flan-T5 (like v1.1) and an mT5."""
    home = tmp_path_factory.mktemp("backbones")
    return {style: write_backbone(home / style, style) for style in STYLES}


@pytest.fixture(scope="session", params=sorted(STYLES))
def style(request) -> str:
    return request.param


@pytest.fixture(scope="session")
def backbone(backbones, style) -> Path:
    return backbones[style]
