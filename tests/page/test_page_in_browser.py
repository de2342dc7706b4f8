"""A page as a real browser shows it: every picture there, nothing too wide, nothing fetched, no complaint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from branchwise import Taxonomy
from branchwise.report.figures import Curve, draw_curves, draw_tree
from branchwise.report.page import Page
from branchwise.report.table import Table

WIDTHS = (380, 1200)
ODD = "<script>document.title = 'bad'</script> & “quotes” \" ' </title> 名前"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a page with everything that a page can hold, some of it wide and some of it odd."""
    folder = tmp_path_factory.mktemp("page")
    tree = Taxonomy.from_nodes(list("abcde"), [None, None, "a", "b", "c"], [ODD, *"BCDE"])
    draw_tree(tree, folder / "tree.png")
    draw_tree(tree, folder / "tree.svg", scores=np.linspace(1, 0, 5), predicted=["a", "c"])
    draw_curves([Curve("one", [1, 2], {"F1": [0.1, 0.2]})], folder / "curves.svg")
    made = Page(ODD, ODD)
    made.verdict(ODD)
    for name in ("tree.svg", "tree.png", "curves.svg"):
        made.section(f"Section of {name}")
        made.figure(folder / name, ODD, ODD)
    made.section(ODD)
    table = Table(ODD, [f"a long heading {n}" for n in range(12)])
    table.add(ODD, *range(11))
    made.table(table)
    made.code(["branchwise train " + "--train a/long/name.jsonl " * 12])
    made.paragraph("unbroken" * 80)
    made.quote(ODD)
    made.items([ODD, "x" * 300])
    made.write(folder / "index.html")
    return folder / "index.html"


def assert_sound(browser: Any) -> None:
    """Fail where a picture is not there, the page scrolls sideways, or the browser has something to say."""
    images = browser.execute_script(
        "return Array.from(document.images, one => [one.alt, one.complete, one.naturalWidth, one.width])"
    )
    assert images
    for alt, complete, natural, shown in images:
        assert complete, alt
        assert natural > 0, alt
        assert shown > 100, alt
    scrolled, inside = browser.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert scrolled <= inside
    beyond = browser.execute_script(
        "const edge = document.documentElement.clientWidth + 1;"
        "return Array.from(document.querySelectorAll('h1, h2, h3, p, li, nav, figure, .wide, pre, blockquote'))"
        ".filter(one => one.getBoundingClientRect().right > edge).map(one => one.outerHTML.slice(0, 80))"
    )
    assert not beyond
    assert not browser.get_log("browser")


def requests(browser: Any, page: Path) -> list[str]:
    """Return the addresses that the browser asked for on behalf of a page; its own start page asks for some too."""
    messages = [json.loads(one["message"])["message"] for one in browser.get_log("performance")]
    sent = [one for one in messages if one["method"] == "Network.requestWillBeSent"]
    ours = [one["params"] for one in sent if one["params"]["documentURL"] == page.as_uri()]
    return [one["request"]["url"] for one in ours if not one["request"]["url"].startswith("data:")]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pictures_and_widths(page: Path, width: int, dark: bool, show: Any) -> None:
    browser = show(page, width, dark=dark)
    assert_sound(browser)
    assert requests(browser, page) == [page.as_uri()]


def test_texts_are_shown_as_they_stand(page: Path, show: Any) -> None:
    browser = show(page, 1200)
    assert browser.title == ODD
    for part in ("h1", ".verdict", "figcaption", "caption", "blockquote", "li:last-child"):
        assert browser.execute_script(f"return document.querySelector({part!r}).textContent")
    assert browser.execute_script("return document.querySelector('h1').textContent") == ODD
    assert browser.execute_script("return document.scripts.length") == 0


def test_contents_lead_to_every_section(page: Path, show: Any) -> None:
    browser = show(page, 380)
    links = browser.find_elements("css selector", "nav a")
    headings = browser.find_elements("css selector", "h2")
    assert [one.text for one in links] == [one.text for one in headings]
    for link, heading in zip(links, headings, strict=True):
        browser.execute_script("window.scrollTo(0, 0)")
        link.click()
        top = browser.execute_script("return arguments[0].getBoundingClientRect().top", heading)
        at_end = browser.execute_script(
            "return Math.ceil(window.scrollY + window.innerHeight) >= document.documentElement.scrollHeight"
        )
        assert -1 <= top <= (900 if at_end else 60)


def test_dark_and_light_differ(page: Path, show: Any) -> None:
    grounds = {
        show(page, 380, dark=dark).execute_script("return getComputedStyle(document.body).backgroundColor")
        for dark in (False, True)
    }
    assert len(grounds) == 2
