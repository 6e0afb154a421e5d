"""Tests of single pages: the same text as the command line, all output formats, options, errors."""

from __future__ import annotations

import json
import array
import pickle
import subprocess
import sys

import pytest
from conftest import PAGES, RAIN, ROOT, SAMPLE

import threshr


def run(*arguments: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "threshr", *arguments], input=stdin, capture_output=True, check=False)


def test_the_text_is_that_of_the_program(pages, texts):
    out = run("predict", str(SAMPLE / "pages"), "--format", "jsonl", "--markdown", "--metadata", "--units")
    assert out.returncode == 0, out.stderr
    rows = {row["id"]: row for row in map(json.loads, out.stdout.splitlines())}
    assert len(rows) == len(pages)
    extractor = threshr.Extractor(source_map=True)
    for path, page, text in zip(PAGES, pages, texts):
        row, extraction = rows[path.stem], extractor.extract(page)
        assert text == row["text"]
        assert extraction.markdown == row["markdown"]
        assert extraction.language == row.get("language")
        assert extraction.page_type == row["page_type"]
        assert extraction.quality.expected == pytest.approx(row["quality"], abs=1e-6)
        assert [b.score for b in extraction.blocks if b.is_content] == pytest.approx(row["scores"], abs=1e-6)
        assert extraction.comments == row["comments"]
        assert extraction.units == row["units"]
        title = row["metadata"].get("title", {"value": None})
        assert extraction.metadata.title == title["value"]


def test_forms_of_the_content():
    extraction = threshr.extract(RAIN, url="https://example.org/rain")
    assert extraction.text.startswith("It rained all day") or extraction.text.startswith("Rain")
    assert "# Rain" in extraction.markdown or "It rained" in extraction.markdown
    assert extraction.html.startswith("<")
    assert extraction.url == "https://example.org/rain"
    assert extraction.has_content and extraction.title == ""
    assert extraction.language == "en"
    assert 0 <= extraction.quality.low <= extraction.quality.expected <= extraction.quality.high <= 1
    assert sum(extraction.page_types.values()) == pytest.approx(1, abs=1e-3)
    assert extraction.text is extraction.text, "forms are kept"
    assert str(extraction) == extraction.text
    assert "blocks are content" in repr(extraction)


def test_metadata_has_sources():
    page = """<html lang=en><title>Rain in the north | The Daily</title><meta property="og:site_name" content="The Daily">
    <h1>Rain in the north</h1><p>By Ann Miller | May 3, 2024</p><p>It rained all day in the north of the country."""
    metadata = threshr.extract(page).metadata
    assert (metadata.title, metadata.authors) == ("Rain in the north", ["Ann Miller"])
    assert (metadata.date_published, metadata.site_name) == ("2024-05-03", "The Daily")
    assert metadata.sources["site_name"] == "open-graph"
    assert metadata.to_dict()["title"] == "Rain in the north" and "sources" not in metadata.to_dict()


def test_text_is_decoded_already():
    page = '<meta charset="windows-1252"><p>Ein Satz mit Umlauten: äöü, und er geht noch eine Weile weiter als nötig.'
    assert "äöü" in threshr.extract(page).text
    assert "äöü" in threshr.extract(page.encode("windows-1252")).text
    assert "äöü" in threshr.extract(page.encode("utf-8"), charset="utf-8").text
    lone = "<p>A lone \ud800 surrogate is in no charset, but it must not stop a pipeline that meets it."
    assert "A lone \ufffd surrogate" in threshr.extract(lone).text


def test_pages_of_any_buffer():
    for page in (bytearray(RAIN), memoryview(RAIN)):
        assert threshr.extract(page).text == threshr.extract(RAIN).text
    assert threshr.extract(array.array("B", RAIN)).text == threshr.extract(RAIN).text
    for wrong in (5, None, ["a"], [60, 112], (1, 2), {1, 2}, range(5), array.array("i", [60]), object(), True):
        with pytest.raises(TypeError, match="a page is bytes or str") as raised:
            threshr.extract(wrong)
        assert isinstance(raised.value, threshr.ArgumentTypeError)


def test_arguments_of_wrong_types_and_values():
    types = [
        {"url": 5}, {"url": b"https://a.org/"}, {"charset": 5}, {"timeout": "1"}, {"timeout": [1]}, {"max_bytes": "1"},
        {"policy": 5}, {"threshold": "x"}, {"keep_hidden": "no"}, {"links": "no"}, {"source_map": 2}, {"favor": 1},
        {"system": 5}, {"system": "justext", "system_options": 5}, {"system": "justext", "system_options": {"language": {1}}},
        {"system": "justext", "system_options": {1: "en"}}, {"model": 5}, {"drop": ["nav"]}, {"filter": ()},
    ]  # fmt: skip
    values = [{"url": "https://a.org/\ud800"}, {"policy": "\udfff"}, {"timeout": 10**400}, {"timeout": float("nan")}]
    for given in types + values:
        with pytest.raises(threshr.OptionError) as raised:
            threshr.extract(RAIN, **given)
        assert isinstance(raised.value, TypeError) == (given in types), given
    assert threshr.extract(RAIN, links=True, timeout=None, keep_hidden=None, max_bytes=1 << 40).text
    with pytest.raises(threshr.OptionError):
        threshr.Model.load().show(columns=-1)
    with pytest.raises(threshr.ArgumentTypeError):
        threshr.Model.load().save(5)


@pytest.mark.parametrize("page", [b"", "", "plain text", b"\0\xff", "<p>", "<" * 5000])
def test_small_pages(page):
    extraction = threshr.extract(page)
    assert isinstance(extraction.text, str) and isinstance(extraction.markdown, str)
    assert extraction.units is not None and extraction.metadata is not None


def test_errors_are_of_one_family(tmp_path):
    cases = [
        (threshr.NotHtmlError, lambda: threshr.extract(b"%PDF-1.7 x")),
        (threshr.TooLargeError, lambda: threshr.extract(RAIN, max_bytes=10)),
        (threshr.PageTimeoutError, lambda: threshr.extract(RAIN * 2000, timeout=1e-4)),
        (threshr.OptionError, lambda: threshr.extract(RAIN, policy="best")),
        (threshr.OptionError, lambda: threshr.extract(RAIN, timeout=-1)),
        (threshr.OptionError, lambda: threshr.extract(RAIN, threshold=2)),
        (threshr.OptionError, lambda: threshr.Extractor(charset="klingon")),
        (threshr.OptionError, lambda: threshr.Extractor(system="none")),
        (threshr.OptionError, lambda: threshr.Extractor(system="bte", policy="main")),
        (threshr.FileError, lambda: threshr.Extractor(model=tmp_path / "none.json")),
        (threshr.ModelError, lambda: threshr.Extractor(model=b"{}")),
    ]
    for kind, call in cases:
        with pytest.raises(kind) as raised:
            call()
        assert isinstance(raised.value, threshr.Error) and str(raised.value)
        assert type(pickle.loads(pickle.dumps(raised.value))) is kind
    assert issubclass(threshr.PageTimeoutError, TimeoutError) and issubclass(threshr.FileError, OSError)
    with pytest.raises(TypeError):
        threshr.extract(RAIN, no_such_option=1)


def test_options_change_the_result(pages):
    page = pages[0]
    everything = threshr.extract(page, system="keep-everything").text
    assert len(everything) > len(threshr.extract(page).text)
    assert len(threshr.extract(page, favor="precision").text) <= len(threshr.extract(page, favor="recall").text)
    assert threshr.extract(page, threshold=1.0).text != everything
    linked = b"<article><p>It rained <a href=/x>all day</a> in the north of the country, and rivers rose by two metres."
    with_links = threshr.extract(linked, url="https://a.org/").markdown
    assert "https://a.org/x" in with_links
    assert "https://a.org/x" not in threshr.extract(linked, url="https://a.org/", links=False).markdown
    assert threshr.extract(linked, drop="article").text == ""
    sources = [unit["source"] for unit in threshr.extract(RAIN, source_map=True).units]
    assert any(source for source in sources)
    justext = threshr.Extractor(system="justext", system_options={"language": "en"})
    assert justext.extract(page).text and justext.extract(page).quality is None


def test_extractors_are_pickled_by_path_bytes_and_options(pages, tmp_path):
    model = threshr.Model.load(ROOT / "models" / "tiny.json")
    path = tmp_path / "model.json"
    model.save(path)
    for given in (str(path), path, model, model.to_bytes()):
        extractor = threshr.Extractor(model=given, policy="article", links=False)
        pickled = pickle.dumps(extractor)
        assert (len(pickled) < 1000) == isinstance(given, (str, type(path))), "a path is pickled as a path"
        copy = pickle.loads(pickled)
        assert copy.options["policy"] == "article" and copy.options["links"] is False
        assert copy.extract(pages[0]).text == extractor.extract(pages[0]).text
    assert "policy='article'" in repr(extractor) and "bytes>" in repr(extractor)
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()


def test_relative_paths_of_models_survive_a_change_of_folder(tmp_path, monkeypatch):
    threshr.Model.load(ROOT / "models" / "tiny.json").save(tmp_path / "m.json")
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(threshr.Extractor(model="m.json"))
    monkeypatch.chdir("/")
    assert pickle.loads(pickled).extract(RAIN).text


def test_the_program_is_installed():
    out = run("--version")
    assert out.returncode == 0 and threshr.__version__ in out.stdout.decode()
    assert run("predict", "-", stdin=RAIN).stdout.decode().strip() == threshr.extract(RAIN).text.strip()
    assert run("no-such-command").returncode == 2


def test_addresses_and_paths_are_no_pages(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(RAIN if isinstance(RAIN, bytes) else RAIN.encode())
    with pytest.raises(threshr.NotHtmlError, match="address.*urlopen"):
        threshr.extract("https://example.com/a")
    with pytest.raises(threshr.NotHtmlError, match="path.*read_pages"):
        threshr.extract(str(path))
    assert threshr.extract("https://example.com/a is an address").text


def test_defects_are_told():
    assert "empty" in threshr.extract(b"").defect and threshr.extract(RAIN).defect is None
    empty = pickle.loads(pickle.dumps(threshr.extract(b" ")))
    assert "empty" in empty.defect


def test_misspelt_options_and_models_are_answered():
    with pytest.raises(threshr.ArgumentTypeError, match="did you mean `policy`"):
        threshr.extract(RAIN, polcy="main")
    for call in (lambda: threshr.Extractor(model="tinyy"), lambda: threshr.Model.load("cleaneval")):
        with pytest.raises(threshr.FileError, match="default, .*tiny"):
            call()


def test_without_a_title_the_headline_is_no_content():
    page = "<title>Rain</title><h1>Rain in the north</h1>" + "<p>It rained all day, and nobody in the town went out. " * 3
    assert "Rain in the north" in threshr.extract(page, policy="main+title").text
    assert "Rain in the north" not in threshr.extract(page, policy="main+title", title=False).text
