"""Tests with markitdown: the plug-in that its entry point names."""

from __future__ import annotations

import io
from importlib.metadata import entry_points

import pytest
from conftest import PAGES, RAIN, need

import threshr

need("markitdown")
from markitdown import MarkItDown, StreamInfo  # noqa: E402


@pytest.fixture
def convert():
    """Converts bytes with markitdown and its plug-ins."""
    if not [found for found in entry_points(group="markitdown.plugin") if found.name == "threshr"]:
        pytest.skip("*** the package threshr is not installed: its entry point is NOT tested")

    def convert(page: bytes, extension: str = ".html", url: str | None = None, **options):
        converter = MarkItDown(enable_plugins=True, **options)
        return converter.convert_stream(io.BytesIO(page), stream_info=StreamInfo(extension=extension, url=url))

    return convert


def lines(markdown: str) -> list[str]:
    """The lines of a text with content. markitdown removes spaces and empty lines."""
    return [line.rstrip() for line in markdown.splitlines() if line.strip()]


def test_pages_are_converted_by_threshr(convert, pages):
    for page in pages[:10]:
        expected = threshr.extract(page, url="https://a.org/x/")
        found = convert(page, url="https://a.org/x/")
        assert lines(found.markdown) == lines(expected.markdown) and found.title == expected.metadata.title


def test_files_and_options(convert):
    assert MarkItDown(enable_plugins=True).convert(PAGES[0]).title == threshr.extract(PAGES[0].read_bytes()).metadata.title
    assert "News" not in convert(RAIN).markdown and "It rained all day" in convert(RAIN).markdown
    assert "News" in convert(RAIN, threshr={"system": "keep-everything"}).markdown
    assert convert("name,age\nÁgnes,5\n".encode(), ".csv").markdown.startswith("| name | age |"), "other files are not ours"


def test_the_charset_is_detected_by_threshr(convert):
    """markitdown guesses another charset from the same bytes."""
    text = "Zażółć gęślą jaźń. Powódź zalała miasto, a ludzie uciekali na wyższe piętra domów. " * 2
    assert "wyższe piętra domów" in convert(f"<h1>Powódź</h1><p>{text}".encode("iso-8859-2")).markdown


def test_a_page_that_fails_is_converted_by_markitdown(convert):
    assert "It rained all day" in convert(RAIN, threshr={"max_bytes": 10}).markdown
