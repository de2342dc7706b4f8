"""The demo's page in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.demos import run_demo
from tests.page.test_page_in_browser import WIDTHS, assert_sound, requests


@pytest.fixture(scope="module")
def demo_page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the demo, once there is a browser to look at it."""
    assert browser
    folder = tmp_path_factory.mktemp("demo") / "demo"
    assert run_demo(folder).code == 0
    return folder / "index.html"


@pytest.mark.parametrize("width", WIDTHS)
def test_the_demo_page(demo_page: Path, width: int, show: Any) -> None:
    browser = show(demo_page, width)
    assert_sound(browser)
    assert browser.execute_script("return document.images.length") == 6
    assert requests(browser, demo_page) == [demo_page.as_uri()]
    verdict = browser.find_element("css selector", ".verdict")
    assert verdict.text.startswith("Branchwise is ")
    assert verdict.rect["y"] + verdict.rect["height"] < 900, "the verdict is to be seen without scrolling"
