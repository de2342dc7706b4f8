"""A real browser, headless and without a network; tests that need one are skipped where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage",
)  # fmt: skip
PROGRAMS = {"browser": ("chromium", "chromium-browser", "google-chrome"), "driver": ("chromedriver",)}


def found(kind: str) -> str | None:
    return next((path for name in PROGRAMS[kind] if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start Chromium; its log is kept, so that a page's errors can be read."""
    pytest.importorskip("selenium", reason="page tests need selenium, which the extra dev brings")
    programs = {kind: found(kind) for kind in PROGRAMS}
    missing = [kind for kind, path in programs.items() if path is None]
    if missing:
        pytest.skip(f"page tests need Chromium and its driver; not found: {' and '.join(missing)}")
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    os.environ["SE_OFFLINE"] = "true"  # selenium is not to look for a driver elsewhere
    options = ChromeOptions()
    options.binary_location = programs["browser"]
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    try:
        driver = Chrome(options=options, service=Service(programs["driver"]))
    except WebDriverException as error:
        pytest.skip(f"page tests need a Chromium that starts: {error.msg}")
    driver.get("about:blank")  # in place of the browser's own start page, which has a log of its own
    yield driver
    driver.quit()


@pytest.fixture
def show(browser: Any) -> Any:
    """Return a function that opens a file at a width, and forgets what was logged before."""

    def open_at(path: Path, width: int, *, dark: bool = False) -> Any:
        for log in ("browser", "performance"):
            browser.get_log(log)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(path.as_uri())
        return browser

    return open_at
