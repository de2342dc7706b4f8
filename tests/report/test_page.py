"""The page builder: everything within one file, and every text as it stands."""

from __future__ import annotations

import re
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from branchwise import Taxonomy
from branchwise.errors import BranchwiseError
from branchwise.report.embedding import embed
from branchwise.report.figures import draw_tree
from branchwise.report.page import Page
from branchwise.report.table import Table

BAD = "<b onclick='x()'>&\"</b>"
VOID = {"meta", "link", "img", "br"}
TREE = Taxonomy.from_nodes(list("abc"), [None, "a", "a"])


class Reader(HTMLParser):
    """Collects elements and text, and fails where an element is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(page: Page) -> Reader:
    reader = Reader()
    reader.feed(page.html())
    assert not reader.open
    return reader


def test_every_text_is_escaped(tmp_path: Path) -> None:
    draw_tree(TREE, tmp_path / "tree.svg")
    page = Page(BAD, BAD)
    page.verdict(BAD)
    page.section(BAD)
    page.heading(BAD)
    page.paragraph(BAD, BAD)
    page.quote(BAD)
    page.items([BAD])
    page.code([BAD, BAD])
    page.figure(tmp_path / "tree.svg", BAD, BAD)
    table = Table(BAD, (BAD, BAD))
    table.add(BAD, BAD)
    page.table(table)
    reader = read(page)
    assert not {tag for tag, _ in reader.found} & {"b", "script"}
    above = ["title", "h1", "lead", "verdict", "contents"]
    below = ["h2", "h3", "p", "p", "quote", "item", "figcaption", "caption", "th", "th", "td", "td"]
    assert reader.texts.count(BAD) == len(above) + len(below)
    assert f"{BAD}\n{BAD}" in reader.texts
    assert next(attributes["alt"] for tag, attributes in reader.found if tag == "img") == BAD


def test_nothing_is_fetched_and_the_browser_is_told_so(tmp_path: Path) -> None:
    page = Page("t")
    for suffix in (".svg", ".png"):
        draw_tree(TREE, tmp_path / f"tree{suffix}")
        page.figure(tmp_path / f"tree{suffix}", "a tree", "")
    reader = read(page)
    for _, attributes in reader.found:
        for name in ("src", "href"):
            address = attributes.get(name)
            assert address is None or address.startswith(("data:", "#"))
    assert "@import" not in page.html()
    assert "url(" not in page.html()
    policies = [one["content"] for tag, one in reader.found if one.get("http-equiv")]
    assert policies == ["default-src 'none'; img-src data:; style-src 'unsafe-inline'"]
    assert str(tmp_path) not in page.html()


def test_contents_name_every_section_once() -> None:
    page = Page("t")
    for title in ("Same", "Same", "…", "名前", "Same 2"):
        page.section(title)
    found = read(page).found
    links = [one["href"] for tag, one in found if tag == "a"]
    assert links == [f"#{one['id']}" for tag, one in found if tag == "h2"]
    assert len(set(links)) == 5


def test_a_page_without_sections_has_no_contents() -> None:
    assert "<nav" not in Page("t").html()


def test_tables_as_html() -> None:
    table = Table("t", ("name", "share", "count"))
    table.add("a < b", 12.345, 1234)
    table.add("c", None, 5)
    assert table.html() == (
        '<table><caption>t</caption><thead><tr><th scope="col">name</th><th scope="col" class="number">share</th>'
        '<th scope="col" class="number">count</th></tr></thead><tbody>'
        '<tr><td>a &lt; b</td><td class="number">12.35</td><td class="number">1,234</td></tr>'
        '<tr><td>c</td><td class="number">–</td><td class="number">5</td></tr></tbody></table>'
    )


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_pictures_keep_bytes_and_size(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"tree{suffix}"
    draw_tree(TREE, path, scores=np.array([0.9, 0.5, 0.1]), predicted=["a"])
    address, width, height = embed(path)
    assert b64decode(address.partition(",")[2]) == path.read_bytes()
    draw_tree(TREE, tmp_path / "other.png", scores=np.array([0.9, 0.5, 0.1]), predicted=["a"])
    _, other_width, other_height = embed(tmp_path / "other.png")
    assert abs(width - other_width) <= 1
    assert abs(height - other_height) <= 1
    assert re.fullmatch(r"data:image/(svg\+xml|png);base64", address.partition(",")[0])


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"<svg></svg>", b'<svg width="10" height="10"></svg>'])
def test_another_kind_of_picture(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "odd.svg").write_bytes(content)
    with pytest.raises(BranchwiseError, match=r"odd\.svg is neither a PNG picture nor an SVG one"):
        embed(tmp_path / "odd.svg")
