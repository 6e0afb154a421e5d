"""The functions of other extractors: their keywords, and a text near theirs."""

from __future__ import annotations

import csv
import inspect
import io
import json
from xml.etree import ElementTree

import pytest
from conftest import RAIN, need

import threshr
from threshr.compat import resiliparse, trafilatura


def test_trafilatura_extract(pages, texts):
    assert trafilatura.extract(pages[0]) == texts[0]
    assert trafilatura.extract(b"%PDF-1.7 x") is None and trafilatura.extract("") is None
    assert trafilatura.extract(RAIN, output_format="markdown") == threshr.extract(RAIN, links=False).markdown
    assert trafilatura.extract(RAIN, include_formatting=True) == threshr.extract(RAIN).markdown
    assert trafilatura.extract(RAIN, output_format="html").startswith("<")
    assert trafilatura.extract(RAIN, target_language="de") is None
    assert trafilatura.extract(RAIN, target_language="en") == threshr.extract(RAIN).text
    assert trafilatura.extract(RAIN, only_with_metadata=True) is None
    assert trafilatura.extract(RAIN, url="https://a.org/", url_blacklist={"https://a.org/"}) is None
    document = json.loads(trafilatura.extract(RAIN, output_format="json", with_metadata=True, url="https://a.org/x"))
    assert document["title"] == "Rain" and document["hostname"] == "a.org" and document["language"] == "en"
    assert trafilatura.extract(RAIN, with_metadata=True).startswith('---\ntitle: "Rain"\n')
    with pytest.raises(threshr.OptionError, match="txt, markdown, html, json, csv, xml"):
        trafilatura.extract(RAIN, output_format="xmltei")
    with pytest.warns(UserWarning, match="prune_xpath"):
        trafilatura.extract(RAIN, prune_xpath="//p")
    with pytest.warns(UserWarning, match="deduplicate"):
        trafilatura.extract(RAIN, deduplicate=True)
    with pytest.raises(TypeError):
        trafilatura.extract(RAIN, no_such=1)
    with pytest.raises(TypeError):
        trafilatura.extract(5)


def test_trafilatura_bare_extraction():
    document = trafilatura.bare_extraction(RAIN, url="https://a.org/x")
    assert document.title == "Rain" and document.text == threshr.extract(RAIN).text
    assert trafilatura.bare_extraction(RAIN, as_dict=True)["title"] == "Rain"
    assert trafilatura.bare_extraction("") is None


def test_csv_has_the_columns_of_trafilatura(pages, texts):
    def row(module, **options):
        text = module.extract(pages[0], url="https://a.org/x", record_id="7", output_format="csv", **options)
        (only,) = csv.reader(io.StringIO(text), delimiter="\t")
        return only

    ours = row(trafilatura, with_metadata=True)
    assert ours[1] == "7" and ours[7] == texts[0] and ours[2] == "null"
    need("trafilatura")
    import trafilatura as original

    theirs = row(original, with_metadata=True)
    # id, host, title, date: what both find in this page
    assert len(ours) == len(theirs)
    assert [ours[i] for i in (1, 6)] == [theirs[i] for i in (1, 6)]


def test_xml_has_the_elements_of_trafilatura(pages):
    page = """<title>T</title><article><h2>Rain in <i>Rome</i></h2><p>It rained for three days in the old town, and the streets
    were <b>under</b> water.<br>Nobody came, and &amp; <a href="/x">they</a> stayed at home for the whole of the week.</p>
    <ul><li>The first item of the list is about the rain.</li><li>The second item of the list is about it.</li></ul>
    <table><tr><th>Day<th>Rain</tr><tr><td>Monday<td>3 mm</tr></table></article>"""
    text = trafilatura.extract(page, output_format="xml", url="https://a.org/x", with_metadata=True, record_id="a&b\0")
    root = ElementTree.fromstring(text)
    assert root.tag == "doc" and [child.tag for child in root] == ["main", "comments"]
    assert root.get("hostname") == "a.org" and root.get("id") == "a&b"
    assert root.find("main/list/item").text.startswith("The first item") and root.find("main/list").get("rend") == "ul"
    assert root.find("main/p/lb") is not None and root.find("main//hi") is None and root.find("main//ref") is None
    linked = trafilatura.extract(
        page, output_format="xml", url="https://a.org/x", include_links=True, include_formatting=True
    )
    root = ElementTree.fromstring(linked)
    assert root.attrib == {} and root.find("main//ref").get("target").endswith("/x")
    assert root.find("main/p/hi").get("rend") == "#b"
    need("trafilatura")
    import trafilatura as original

    known = set()
    for page in pages[:12]:
        known |= {e.tag for e in ElementTree.fromstring(original.extract(page, output_format="xml")).iter()}
    known |= {"list", "item", "quote", "code", "table", "row", "cell", "ref", "hi", "graphic", "lb", "head", "del"}
    for page in pages:
        text = trafilatura.extract(
            page, output_format="xml", include_links=True, include_formatting=True, include_images=True
        )
        assert {e.tag for e in ElementTree.fromstring(text).iter()} <= known


def test_trafilatura_takes_its_keywords():
    need("trafilatura")
    import trafilatura as original

    for name in ("extract", "bare_extraction"):
        ours = inspect.signature(getattr(trafilatura, name)).parameters
        for keyword, parameter in inspect.signature(getattr(original, name)).parameters.items():
            is_ignored = keyword in trafilatura._IGNORED
            assert keyword in ours or is_ignored, f"{name} does not take {keyword}"
            if keyword in ours and keyword != "filecontent":
                assert ours[keyword].default == parameter.default, f"{name} has another default of {keyword}"


def test_the_texts_are_near_those_of_trafilatura(pages):
    need("trafilatura")
    import trafilatura as original

    shares = []
    for page in pages[:12]:
        ours, theirs = set((trafilatura.extract(page) or "").split()), set((original.extract(page) or "").split())
        shares.append(len(ours & theirs) / max(1, len(ours | theirs)))
    assert sorted(shares)[len(shares) // 2] > 0.6


def test_resiliparse_extract_plain_text(pages):
    page = threshr._threshr.decode(pages[0])
    content = resiliparse.extract_plain_text(page, main_content=True)
    assert content == threshr.extract(page).text
    everything = resiliparse.extract_plain_text(page)
    assert len(everything) > len(content) and everything.count("\n") > 5
    assert "\n" not in resiliparse.extract_plain_text(page, preserve_formatting=False)
    assert resiliparse.extract_plain_text(page, preserve_formatting="minimal_html", main_content=True).startswith("<")
    assert resiliparse.extract_plain_text(RAIN, main_content=True, skip_elements=["p"]).find("rained") < 0
    assert resiliparse.extract_plain_text(RAIN, skip_elements=["p", "nav"]) == "Rain"
    with pytest.raises(TypeError):
        resiliparse.extract_plain_text(5)
    with pytest.warns(UserWarning, match="form_fields"):
        resiliparse.extract_plain_text(RAIN, form_fields=True)


def test_resiliparse_takes_its_keywords():
    need("resiliparse")
    import ast
    from pathlib import Path

    import resiliparse.extract

    stub = Path(resiliparse.extract.__file__).parent / "html2text.pyi"
    function = next(n for n in ast.parse(stub.read_text()).body if isinstance(n, ast.FunctionDef))
    from threshr.compat import resiliparse as ours

    taken = set(inspect.signature(ours.extract_plain_text).parameters) | set(ours._IGNORED)
    assert {a.arg for a in function.args.args} <= taken
