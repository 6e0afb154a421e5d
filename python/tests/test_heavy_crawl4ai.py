"""Tests with crawl4ai: the content filter in its Markdown generator."""

from __future__ import annotations

import logging

from conftest import RAIN, need

import threshr

need("crawl4ai")
from crawl4ai import DefaultMarkdownGenerator  # noqa: E402

from threshr.integrations.crawl4ai import ThreshrContentFilter  # noqa: E402


def generate(html: str, **options):
    generator = DefaultMarkdownGenerator(content_filter=ThreshrContentFilter(**options), content_source="raw_html")
    return generator.generate_markdown(html, base_url="https://a.org/x/")


def test_the_fit_markdown_is_the_content(pages):
    for page in pages[:10]:
        html = page.decode("utf-8", "replace")
        found = generate(html)
        assert found.fit_html == f"<div>{threshr.extract(html).html}</div>"
        words = threshr.extract(html).text.split()
        assert words[0] in found.fit_markdown and words[-1].strip(".") in found.fit_markdown
    found = generate(RAIN.decode())
    assert "It rained all day" in found.fit_markdown and "News" not in found.fit_markdown and "News" in found.raw_markdown
    assert "News" in generate(RAIN.decode(), system="keep-everything").fit_markdown


def test_a_page_that_fails_has_no_content(caplog):
    with caplog.at_level(logging.WARNING):
        assert generate(RAIN.decode(), max_bytes=10).fit_markdown.strip() == ""
    assert "expected at most 10" in caplog.text
