"""Tests with scrapy: a response, and the item pipeline in a crawl of a local server."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading

import pytest
from conftest import PAGES, SAMPLE, need

import threshr

need("scrapy")
from scrapy.exceptions import DropItem, NotConfigured  # noqa: E402
from scrapy.http import HtmlResponse  # noqa: E402

from threshr.integrations.scrapy import ThreshrPipeline, extract  # noqa: E402


def test_a_response(pages):
    response = HtmlResponse("https://a.org/x", body=pages[0], headers={"Content-Type": "text/html; charset=utf-8"})
    expected = threshr.extract(pages[0], url="https://a.org/x")
    assert extract(response).text == expected.text and extract(response).url == "https://a.org/x"
    assert extract(response, policy="article").text == threshr.extract(pages[0], policy="article").text
    latin = "<p>Über zwölf Flüsse traten über die Ufer, sagte die Polizei am späten Abend.".encode("latin-1")
    response = HtmlResponse("https://a.org/x", body=latin, headers={"Content-Type": "text/html; charset=ISO-8859-1"})
    assert "Über zwölf" in extract(response).text
    response = HtmlResponse("https://a.org/x", body=latin, headers={"Content-Type": "text/html; charset=klingon"})
    assert extract(response).text


def test_the_item_pipeline(pages):
    pipeline = ThreshrPipeline("html", "url", ["text", "title", "metadata", "quality"], {"policy": "main"})
    item = pipeline.process_item({"html": pages[0], "url": "https://a.org/", "other": 1})
    expected = threshr.extract(pages[0], url="https://a.org/", policy="main")
    assert item["text"] == expected.text and item["title"] == expected.metadata.title and item["other"] == 1
    assert "html" not in item and 0 < item["quality"] <= 1 and item["metadata"]["title"] == item["title"]
    assert pipeline.process_item({"other": 1}) == {"other": 1}
    with pytest.raises(DropItem):
        pipeline.process_item({"html": b"%PDF-1.7 x", "url": "u"})
    with pytest.raises(NotConfigured):
        ThreshrPipeline("html", "url", ["nothing"], {})


SPIDER = """
import scrapy

class Pages(scrapy.Spider):
    name = "pages"
    custom_settings = {
        "ITEM_PIPELINES": {"threshr.integrations.scrapy.ThreshrPipeline": 300},
        "THRESHR_FIELDS": ["markdown", "language"],
        "TELNETCONSOLE_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
    }

    def parse(self, response):
        yield {"url": response.url, "html": response.body}
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, directory=str(SAMPLE / "pages"), **kwargs)

    def log_message(self, *_):
        pass


def test_a_crawl(tmp_path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    urls = [f"http://127.0.0.1:{server.server_port}/{path.name}" for path in PAGES[:3]]
    (tmp_path / "spider.py").write_text(SPIDER.replace('name = "pages"', f'name = "pages"\n    start_urls = {urls!r}'))
    command = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-O", "out.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    server.shutdown()
    items = {item["url"]: item for item in json.loads((tmp_path / "out.json").read_text())}
    assert set(items) == set(urls), done.stderr[-2000:]
    for url, path in zip(urls, PAGES):
        expected = threshr.extract(path.read_bytes(), url=url)
        assert items[url]["markdown"] == expected.markdown and items[url]["language"] == expected.language
