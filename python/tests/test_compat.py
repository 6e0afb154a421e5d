"""Tests of the replacements for other extractors: their keywords, and similarity to their texts."""

from __future__ import annotations

import csv
import inspect
import io
import json
import sys
import warnings
from xml.etree import ElementTree

import pytest
from conftest import RAIN, need

import threshr
from threshr.compat import resiliparse, trafilatura


def test_trafilatura_extract(pages, texts):
    assert trafilatura.extract(pages[0]) == texts[0]
    assert trafilatura.extract(b"%PDF-1.7 x") is None and trafilatura.extract("") is None
    assert trafilatura.extract(RAIN, output_format="markdown") == threshr.extract(RAIN, title=False, links=False).markdown
    assert trafilatura.extract(RAIN, include_formatting=True) == threshr.extract(RAIN, title=False).markdown
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
    # both find the same id and date in this page
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
        theirs = inspect.signature(getattr(original, name)).parameters
        assert list(ours) == list(theirs), "also by position"
        for keyword, parameter in theirs.items():
            assert ours[keyword].kind == parameter.kind, keyword
            if keyword != "config":
                assert ours[keyword].default == parameter.default, f"{name} has another default of {keyword}"


def test_trafilatura_takes_what_trafilatura_takes(pages):
    page = pages[0]
    text = trafilatura.extract(page)
    for nothing in (None, "", b"", 5, [1, 2], object()):
        assert trafilatura.extract(nothing) is None and trafilatura.bare_extraction(nothing) is None
    assert trafilatura.extract(RAIN, url="https://a.org/\ud800"), "no address stops a page"
    assert trafilatura.extract(bytearray(page)) == text

    class Response:
        data = page

    assert trafilatura.extract(Response()) == text
    need("lxml")
    import lxml.etree
    import lxml.html

    decoded = threshr._threshr.decode(page)
    tree = lxml.html.document_fromstring(decoded.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    for given in (tree, tree.getroottree(), tree.body):
        assert trafilatura.extract(given).split()[:20] == text.split()[:20]
    assert trafilatura.bare_extraction(tree).text and tree.getparent() is None


def test_trafilatura_keywords_have_an_effect_or_warn(monkeypatch):
    from threshr import compat

    monkeypatch.setattr(compat, "_warned", set())
    for name, value in (
        {"fast": True, "no_fallback": True, "tei_validation": True, "deduplicate": True, "max_tree_size": 5}
        | {"date_extraction_params": {"a": 1}, "settingsfile": "x.cfg", "config": object(), "options": object()}
    ).items():
        with pytest.warns(UserWarning, match=f"`{name}` of extract") as caught:
            assert trafilatura.extract(RAIN, **{name: value}) == trafilatura.extract(RAIN)
        assert [w.filename for w in caught] == [__file__], "the warning shows the line of the caller"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            trafilatura.extract(RAIN, **{name: value})
    monkeypatch.setattr(compat, "_warned", set())
    with pytest.warns(UserWarning, match="`fast` of bare_extraction"):
        trafilatura.bare_extraction(RAIN, None, True)
    with pytest.raises(TypeError):
        trafilatura.extract(RAIN, no_such_keyword=1)
    html = trafilatura.extract(RAIN, output_format="html", with_metadata=True, url="https://a.org/x?a=1&b=\"")
    assert '<meta name="title" content="Rain">' in html and "<h1>Rain</h1>" in html and "b=&quot;" in html
    assert "<meta" not in trafilatura.extract(RAIN, output_format="html")
    plain = trafilatura.extract(RAIN, output_format="markdown", include_formatting=False)
    assert plain == threshr.extract(RAIN).text
    people = [{"@type": "Person", "name": name} for name in ("Ann Lee", "Bo Ray")]
    article = json.dumps({"@type": "NewsArticle", "headline": "Rain", "author": people})
    authored = f'<script type="application/ld+json">{article}</script>'.encode() + RAIN
    assert trafilatura.bare_extraction(authored, author_blacklist={"ann lee"}).author == "Bo Ray"


def test_trafilatura_prunes_by_xpath(monkeypatch):
    page = "<article><h1>Rain</h1><p>It rained all day in the north of the country, the police said.</p> after"
    page += "<p class=ad>Buy an umbrella in the shop at the corner, before the rain comes here, too.</p></article>"
    assert "umbrella" in trafilatura.extract(page)
    need("lxml")
    for given in ("//p[@class='ad']", ["//h1", "//p[@class='ad']/text()", "//p[@class='ad']"]):
        pruned = trafilatura.extract(page, prune_xpath=given)
        assert "umbrella" not in pruned and "rained" in pruned and ("Rain\n" in pruned) == isinstance(given, str)
    assert "umbrella" not in trafilatura.bare_extraction(page.encode(), prune_xpath="//p[@class='ad']").text
    assert trafilatura.extract("", prune_xpath="//p") is None
    from threshr import compat

    monkeypatch.setattr(compat, "_warned", set())
    monkeypatch.setitem(sys.modules, "lxml", None)
    with pytest.warns(UserWarning, match="prune_xpath") as caught:
        assert "umbrella" in trafilatura.extract(page, prune_xpath="//p")
    assert [w.filename for w in caught] == [__file__]


def test_trafilatura_options_replace_keywords(pages):
    need("trafilatura")
    from trafilatura.settings import Extractor

    options = Extractor(output_format="markdown", links=True, precision=True, url="https://a.org/x", with_metadata=True)
    expected = trafilatura.extract(
        pages[0], "https://a.org/x", output_format="markdown", include_links=True, favor_precision=True, with_metadata=True
    )
    assert trafilatura.extract(pages[0], options=options) == expected
    assert trafilatura.extract(pages[0], options=Extractor(lang="de")) is None
    assert trafilatura.bare_extraction(pages[0], options=Extractor(output_format="python", url="https://a.org/x")).url


def test_the_texts_are_near_those_of_trafilatura(pages):
    need("trafilatura")
    import trafilatura as original

    shares = []
    for page in pages[:12]:
        ours, theirs = set((trafilatura.extract(page) or "").split()), set((original.extract(page) or "").split())
        shares.append(len(ours & theirs) / max(1, len(ours | theirs)))
    assert sorted(shares)[len(shares) // 2] > 0.6


LISTED = (
    "<html><body><nav><a href=/>Home</a></nav><h1>Rain</h1><p>It rained <a href='/x'>all day</a> here with "
    "<img alt='a wet street' src=x> and more &amp; more.</p><ul><li>one<li>two<ul><li>inner</ul></ul><ol><li>first</ol>"
    "<button>Click</button><input value=field><noscript>no script</noscript><pre>a\n\n  b</pre></body></html>"
)


def test_resiliparse_extract_plain_text(pages):
    page = threshr._threshr.decode(pages[0])
    content = resiliparse.extract_plain_text(page, main_content=True, list_bullets=False, alt_texts=False)
    assert content.split() == threshr.extract(page, drop="button").text.split()
    everything = resiliparse.extract_plain_text(page)
    assert len(everything) > len(content) and everything.count("\n") > 5
    assert "\n" not in resiliparse.extract_plain_text(page, preserve_formatting=False)
    assert resiliparse.extract_plain_text(page, preserve_formatting="minimal_html", main_content=True).startswith("<")
    assert resiliparse.extract_plain_text(RAIN, main_content=True, skip_elements=["p"]).find("rained") < 0
    for skipped in (["p", "nav"], "p, nav", ("p", "nav")):
        assert resiliparse.extract_plain_text(RAIN, skip_elements=skipped) == "Rain"
    for wrong in (5, None, [60]):
        with pytest.raises(TypeError):
            resiliparse.extract_plain_text(wrong)


def test_resiliparse_forms_are_those_of_resiliparse():
    need("resiliparse")
    from resiliparse.extract.html2text import extract_plain_text as original
    from resiliparse.parse.html import HTMLTree

    cases: list[dict] = [{}, {"links": True}, {"list_bullets": False}, {"alt_texts": False}, {"preserve_formatting": False}]
    cases += [{"skip_elements": ["ul"]}, {"links": True, "list_bullets": False, "alt_texts": False}]
    for given in cases:
        assert resiliparse.extract_plain_text(LISTED, **given).split() == original(LISTED, **given).split(), given
    text = resiliparse.extract_plain_text(LISTED)
    assert "\n\n  • one\n  • two\n    • inner\n\n  1. first\n\n" in text and "a\n\n  b" in text
    assert resiliparse.extract_plain_text(LISTED, True, False, False, False, True) == resiliparse.extract_plain_text(
        LISTED, list_bullets=False, alt_texts=False, links=True
    )
    tree = HTMLTree.parse(LISTED)
    for given in ({}, {"main_content": True}):
        assert resiliparse.extract_plain_text(tree, **given) == resiliparse.extract_plain_text(LISTED, **given)
    minimal = resiliparse.extract_plain_text(LISTED, preserve_formatting="minimal_html", links=True)
    for part in ("<h1>Rain</h1>", '<a href="/x">all day</a>', "  <li>one</li>", "<ol>", "more &amp; more.</p>", "<pre>a\n\n  b</pre>"):
        assert part in minimal, part
    assert "<a" not in resiliparse.extract_plain_text(LISTED, preserve_formatting="minimal_html")
    for text in ("%PDF-1.7 x", "", "plain"):
        assert resiliparse.extract_plain_text(text) == original(text)
        assert isinstance(resiliparse.extract_plain_text(text.encode(), main_content=True), str)


def test_resiliparse_keywords_have_an_effect_or_warn(monkeypatch):
    from threshr import compat
    from threshr.compat import resiliparse as ours

    monkeypatch.setattr(compat, "_warned", set())
    for name in ("form_fields", "noscript"):
        with pytest.warns(UserWarning, match=name):
            resiliparse.extract_plain_text(LISTED, **{name: True})
    with pytest.raises(TypeError):
        resiliparse.extract_plain_text(LISTED, no_such_keyword=1)
    built = []
    build = ours._extractor
    monkeypatch.setattr(ours, "_extractor", lambda options: built.append(options) or build(options))
    resiliparse.extract_plain_text(LISTED)
    assert [options["system"] for options in built] == ["keep-everything"], "the model does not run"
    built.clear()
    resiliparse.extract_plain_text(LISTED, main_content=True, comments=False, post_meta=False)
    assert built[0]["policy"] == "auto-comments-byline"


def test_resiliparse_takes_its_keywords():
    need("resiliparse")
    import ast
    from pathlib import Path

    import resiliparse.extract

    stub = Path(resiliparse.extract.__file__).parent / "html2text.pyi"
    function = next(n for n in ast.parse(stub.read_text()).body if isinstance(n, ast.FunctionDef))
    from threshr.compat import resiliparse as ours

    assert [a.arg for a in function.args.args] == list(inspect.signature(ours.extract_plain_text).parameters)
