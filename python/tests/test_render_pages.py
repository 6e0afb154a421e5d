"""Tests of `threshr-render`: the rendered pages, and protection against hostile pages."""

from __future__ import annotations

import json
import os
import time
import urllib.request

import pytest
from drawing import drawn, server

import threshr
from threshr.render import _browser, _tab

PAGE = (
    "<!DOCTYPE html><html lang=en><head><title>Mills &amp; more</title>"
    "<style>body{margin:0}h1{font-size:40px;margin:0}#side{background:#000080;color:#fff;opacity:.5}"
    "p::before{content:'not in the page'}</style>"
    "<script type='application/ld+json'>{\"a\":\"<b>\"}</script></head><body><!-- kept -->"
    "<h1>Mills</h1><p id=text>A mill.<pre>\n\n x</pre><table><tr><td>cell</table>"
    "<div id=side>side <b>bold</b></div><div style='display:none'>hidden</div><div id=host>light</div>"
    "<noscript><p>no script</p></noscript><script src=http://a.example/x.js></script>"
    "<script>document.getElementById('text').innerHTML += ' Added by a <a href=\"x?a&b\">script</a>.';"
    "document.getElementById('host').attachShadow({mode:'open'}).innerHTML='<i>in the shadow </i><slot></slot>';"
    "</script></body></html>"
)


def test_a_page_is_drawn_after_its_scripts_and_the_same_each_time():
    (first,) = drawn(PAGE)
    html = first.html.decode()
    for part in (
        '\ufeff<!DOCTYPE html><html lang="en">',
        '<base href="http://a.example/b/">',
        "<title>Mills &amp; more</title>",
        "<!-- kept -->",
        'Added by a <a href="x?a&amp;b">script</a>.',
        '{"a":"<b>"}',
        "<i>in the shadow </i><slot>light</slot>",
        "<noscript></noscript><script></script><script></script>",
        "<pre>\n\n x</pre>",
    ):
        assert part in html, part
    # this text occurs once, in the style; the pseudo element is not written
    assert html.count("not in the page") == 1 and "getElementById" not in html
    assert (first.is_incomplete, first.num_lost, first.url) == (False, 0, "http://a.example/b/")

    geometry = json.loads(first.geometry)
    elements = geometry["elements"]
    assert len(elements) == first.num_elements and geometry["page"] == list(first.size)

    def style(path: str) -> dict:
        return geometry["styles"][elements[path]["style"]]

    heading = style("/html/body/h1")
    assert (heading["font_size"], heading["font_weight"], heading["visible"]) == (40, 700, True)
    assert elements["/html/body/h1"]["shape"][:3] == [0, 0, 1280] and elements["/html/body/h1"]["text"]["lines"] == 1
    side, bold = style("/html/body/div"), style("/html/body/div/b")
    assert (side["color"], side["background"], side["opacity"]) == ("#ffffff", "#000080", 0.5)
    assert (bold["background"], bold["opacity"], bold["font_weight"]) == ("#000080", 0.5, 700)
    assert "/html/body/div[2]" not in elements, "it is hidden"
    assert "/html/body/table/tbody/tr/td" in elements
    assert drawn(PAGE) == [first]


def test_one_browser_draws_many_pages_and_addresses():
    with server() as site:
        script = "localStorage.x = (localStorage.x || '') + 'x'; document.write(localStorage.x)"
        pages = drawn(*(f"<p>Page {i}<script>{script}</script>" for i in range(3)), url=None, network=True)
        for i, page in enumerate(pages):
            assert f"Page {i}<script></script>x</p>" in page.html.decode()
        (page,) = drawn(None, url=site.address("page"), network=True)
        assert page.url == site.address("page") and f'<base href="{page.url}">' in page.html.decode()
        assert any(style["font_size"] == 40 for style in json.loads(page.geometry)["styles"]), "the style sheet is used"
        for path, text in (("away", b"Before"), ("load", b"Load")):
            assert text in drawn(None, url=site.address(path), network=True)[0].html
        for path, kind in (
            ("none", threshr.DataError),
            ("pdf", (threshr.NotHtmlError, threshr.DataError)),
            ("late", threshr.DataError),
            ("dead", threshr.DataError),
        ):
            with pytest.raises(kind):
                drawn(None, url=site.address(path), network=True)


def test_a_hostile_page_reaches_neither_files_nor_the_network(tmp_path):
    file = tmp_path / "secret.txt"
    file.write_text("the-secret-of-the-file")
    with server() as site:
        port = site.port
        html = f"""<base href='file:///'><p id=out>Begin</p><iframe src='file://{file}'></iframe>
        <img src='http://127.0.0.1:{port}/img'><link rel=stylesheet href='http://localhost:{port}/css'>
        <link rel=preconnect href='http://127.0.0.1:{port}'><link rel=dns-prefetch href='//localhost:{port}'>
        <link rel=prefetch href='http://127.0.0.1:{port}/prefetch'>
        <object data='file://{file}'></object><embed src='file://{file}'>
        <iframe srcdoc="<script>fetch('http://127.0.0.1:{port}/frame')</script>"></iframe>
        <iframe src='http://127.0.0.1:{port}/frame'></iframe>
        <form id=f method=post action='http://127.0.0.1:{port}/form'></form><a id=d download href='data:text/plain,x'>x</a>
        <script>
        const say = t => document.getElementById('out').append(' ' + t);
        alert(1); confirm(2); prompt(3);
        onbeforeunload = () => 'stay';
        for (const u of ['file://{file}', 'http://127.0.0.1:{port}/fetch', 'http://page.invalid/x'])
            fetch(u).then(r => r.text()).then(t => say('READ ' + t)).catch(e => say('refused'));
        fetch('http://127.0.0.1:{port}/delete', {{method: 'DELETE'}}).then(r => say('READ')).catch(e => say('refused'));
        const x = new XMLHttpRequest();
        try {{ x.open('GET', 'file://{file}', false); x.send(); say('READ ' + x.responseText) }} catch (e) {{ say('refused') }}
        try {{ new WebSocket('ws://127.0.0.1:{port}/ws').onopen = () => say('READ socket') }} catch (e) {{}}
        try {{ new EventSource('http://127.0.0.1:{port}/events') }} catch (e) {{}}
        navigator.sendBeacon('http://127.0.0.1:{port}/beacon', 'x');
        const program = `fetch('http://127.0.0.1:{port}/worker'); new WebSocket('ws://127.0.0.1:{port}/w');
            importScripts('http://127.0.0.1:{port}/import')`;
        new Worker(URL.createObjectURL(new Blob([program])));
        const servers = [{{urls: 'turn:127.0.0.1:{port}?transport=tcp', username: 'a', credential: 'b'}}];
        const c = new RTCPeerConnection({{iceServers: servers}});
        c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o));
        window.open('http://127.0.0.1:{port}/window'); window.open('file://{file}');
        document.getElementById('d').click();
        setTimeout(() => document.getElementById('f').submit(), 20);
        setTimeout(() => location = 'file://{file}', 50);
        setTimeout(() => location = 'http://127.0.0.1:{port}/location', 80);
        </script><meta http-equiv=refresh content='0;url=http://127.0.0.1:{port}/refresh'><p>End of the page"""
        (page,) = drawn(html, wait=3000)
        text = page.html.decode()
        assert "Begin refused" in text and "End of the page" in text
        assert "READ" not in text and "the-secret-of-the-file" not in text
        assert site.num == 0, site.methods
        # shows that the server counts requests
        urllib.request.urlopen(site.address("page")).close()
        assert site.num == 1
    assert os.listdir(tmp_path) == ["secret.txt"], "nothing is downloaded"


def test_with_the_network_servers_still_decide_who_may_call():
    with server() as site:
        (page,) = drawn(None, url=site.address("cross"), network=True, wait=1000)
        assert b"refused" in page.html
        assert "OPTIONS /page" in site.methods and "DELETE /page" not in site.methods, site.methods
        # a page from a file is not left, even with the network
        (page,) = drawn(f"<p>Stays<script>location = '{site.address('page')}'</script>", network=True)
        assert b"Stays" in page.html


@pytest.mark.parametrize(
    ("html", "may_be_drawn"),
    [
        ("<p>a<script>for(;;);</script>", False),
        ("<p>a<script>for(;;) alert(1)</script>", False),
        ("<p>a<script>setInterval(() => location.reload(), 1); location.reload()</script>", True),
        ("<p>a<script>setInterval(() => document.body.append('x'), 0)</script>", True),
        ("<p>a<script>onunload = onbeforeunload = () => { for(;;); }</script>", True),
    ],
    ids=["loop", "alerts", "reload", "timer", "unload"],
)
def test_a_hostile_page_cannot_hang(html, may_be_drawn):
    start = time.monotonic()
    try:
        (page,) = drawn(html, timeout=15.0)
        assert may_be_drawn and b"<p>a" in page.html
    except threshr.PageTimeoutError:
        assert not may_be_drawn
    # starting and ending the browser takes some additional seconds
    assert time.monotonic() - start < 40


@pytest.mark.parametrize(
    "script",
    [
        "document.body.innerHTML = '<i>x</i>'.repeat(1e6)",
        "document.body.textContent = 'x'.repeat(3e8)",
        "document.body.attachShadow({mode: 'open'}).innerHTML = '<i>x</i>'.repeat(3e5)",
        "document.body.attachShadow({mode: 'closed'}).innerHTML = '<i>x</i>'.repeat(5e5)",
        "document.body.title = 'x'.repeat(1.2e8)",
    ],
    ids=["elements", "text", "shadow", "closed", "attribute"],
)
def test_a_page_that_is_too_large_is_an_error(script):
    with pytest.raises((threshr.TooLargeError, threshr.PageTimeoutError)):
        drawn(f"<p>a<script>{script}</script>")


def test_a_page_cannot_be_replaced():
    blob = "location = URL.createObjectURL(new Blob(['<p>Other'], {type: 'text/html'}))"
    for script, shown in (("location = 'about:blank'", "about:blank"), (blob, "blob:")):
        for html in (
            f"<p>First<script>{script}</script>",
            f"<p>First<script>setTimeout(() => {{ {script} }}, 50)</script>",
            f'<p>First<iframe srcdoc="<script>top.{script}</script>"></iframe>',
        ):
            with pytest.raises(threshr.DataError, match=shown):
                drawn(html)
    # without `url`, the page has no base element, which would change the site of the address
    html = "<p>First<script>history.pushState(0, '', '/other?x=1'); location.hash = 'part'</script>"
    assert b"First" in drawn(html, url=None)[0].html
    for address, is_served, is_right in (
        ("http://page.invalid/history#part", True, True),
        ("http://page.invalid.example/", True, False),
        ("https://a.example/", True, False),
        ("https://a.example/", False, True),
        ("about:blank", False, False),
        ("chrome-error://chromewebdata/", False, False),
    ):
        if is_right:
            _tab._check_address(address, is_served)
        else:
            with pytest.raises(threshr.DataError):
                _tab._check_address(address, is_served)


def test_a_page_that_crashes_is_an_error():
    crash = "<p>a<script>const all = []; for (;;) all.push(new Array(1e7).fill(1.5))</script>"
    with pytest.raises((threshr.TooLargeError, threshr.PageTimeoutError)):
        drawn(crash, timeout=20.0)


def test_texts_with_unpaired_surrogates_are_drawn():
    script = "document.getElementById('a').textContent = 'Hello \U0001f600'.substr(0, 7)"
    (page,) = drawn(f"<p id=a>x<p>\U0001f600<script>{script}</script>")
    assert "Hello \ufffd</p>" in page.html.decode() and "<p>\U0001f600" in page.html.decode()


def test_what_is_drawn_is_written():
    (page,) = drawn(
        "<!DOCTYPE html><style><!-- p { font-size: 30px } --></style>"
        "<script type='application/ld+json'><!-- {\"a\": 1} --></script>"
        "<object data=x.swf><param name=a><p id=shown>The fallback</object>"
        "<object data='data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22/>'><p>not shown</object>"
        "<svg width=50 height=50><style>&lt;p>HIDDEN&lt;/p></style><text y=20>a</text>"
        "<script>&lt;p>PROGRAM&lt;/p></script><circle r=5></circle></svg><p>After"
    )
    html = page.html.decode()
    for part in (
        "<style><!-- p { font-size: 30px } --></style>",
        '<!-- {"a": 1} --></script>',
        '<param name="a"><p id="shown">The fallback</p></object>',
        "></object><svg",
        "<style>&lt;p&gt;HIDDEN&lt;/p&gt;</style>",
        '<script></script><circle r="5"></circle>',
    ):
        assert part in html, part
    geometry = json.loads(page.geometry)
    assert any(style["font_size"] == 30 for style in geometry["styles"]), "the style is used"
    assert page.num_lost == 0
    assert {"/html/body/object/p", "/html/body/p", "/html/body/svg/circle"} <= set(geometry["elements"])
    assert "/html/body/object[2]/p" not in geometry["elements"]


def test_elements_in_other_places_are_counted():
    moving, still = drawn(
        "<!DOCTYPE html><p id=p>In <i>p</i></p><a id=a href=x>Outer </a><table id=t></table><script>"
        "const add = (id, html) => { "
        "const box = document.createElement('div'); box.innerHTML = html; "
        "document.getElementById(id).append(box.firstChild) }; "
        "add('p', '<div>A block</div>'); add('a', '<a href=y>inner</a>');"
        "document.getElementById('t').append(document.createElement('tr'));"
        "document.querySelector('tr').append('cell')</script>",
        "<table><tr><td>cell</table><p>a<p>b",
    )
    # the block in the paragraph and the inner link are lost; a table row without a table body is not lost
    assert (moving.num_lost, still.num_lost) == (2, 0)


def test_folders_of_killed_runs_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(_browser, "_MAX_TEMPORARY", len(str(tmp_path)))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("stale", "unlocked"):
        (tmp_path / f".threshr-{name}.tmp/Default").mkdir(parents=True)
    (tmp_path / ".threshr-stale.tmp/threshr-lock").touch()
    with _browser.work_folder() as running, _browser.work_folder() as other:
        assert running.is_dir() and other.is_dir()
        assert not (tmp_path / ".threshr-stale.tmp").exists()
    assert os.listdir(tmp_path) == [".threshr-unlocked.tmp"]
