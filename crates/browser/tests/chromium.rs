//! Draws pages with the installed Chromium, hostile ones too. Without a Chromium the tests say that they are skipped.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};
use threshr_browser::{Browser, Drawn, Input, Settings, find, is_root};
use threshr_core::{ErrorKind, Result};
use threshr_html::{Color, Geometry, element_paths, parse_str};

/// The settings; `None`, and a loud remark, if no Chromium is installed.
#[allow(clippy::print_stdout)] // part of a test
fn settings() -> Option<Settings> {
    match find(None) {
        Ok(chromium) => Some(Settings {
            wait: Duration::from_millis(200),
            timeout: Duration::from_secs(60),
            sandbox: !is_root(),
            ..Settings::new(chromium)
        }),
        Err(e) => {
            println!("*** SKIPPED: this test needs Chromium: {e}");
            None
        }
    }
}

fn draw(settings: &Settings, html: &str) -> Result<Drawn> {
    Browser::start(settings)?.draw(Input::Page { html, address: Some("http://a.example/b/") })
}

/// A server on this machine that counts the requests.
struct Server {
    port: u16,
    num: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (num, is_over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, over) = (Arc::clone(&num), Arc::clone(&is_over));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                if over.load(SeqCst) {
                    return;
                }
                count.fetch_add(1, SeqCst);
                let mut request = [0; 4096];
                let num = stream.read(&mut request).unwrap_or(0);
                let (kind, body) = match String::from_utf8_lossy(&request[..num]).split(' ').nth(1) {
                    Some("/page") => ("text/html", "<link rel=stylesheet href=style.css><p>Fetched"),
                    Some("/style.css") => ("text/css", "p { font-size: 40px }"),
                    Some("/pdf") => ("application/pdf", "%PDF-1.4"),
                    Some("/late") => {
                        ("text/html", "<p>Late<script>setTimeout(() => location = 'none', 50)</script>")
                    }
                    Some("/dead") => (
                        "text/html",
                        "<p>Dead<script>setTimeout(() => location = 'http://dead.invalid/', 50)</script>",
                    ),
                    Some("/load") => {
                        ("text/html", "<p>Load<script>setTimeout(() => location = 'pdf.zip', 50)</script>")
                    }
                    Some("/pdf.zip") => ("application/zip", "PK"),
                    Some("/away") => ("text/html", "<p>Before<script>location='file:///etc/passwd'</script>"),
                    _ => ("", ""),
                };
                let status = if kind.is_empty() { "404 Not Found" } else { "200 OK" };
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
            }
        });
        Server { port, num, is_over }
    }
    fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }
    fn num(&self) -> usize {
        self.num.load(SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, SeqCst);
        let _ = std::net::TcpStream::connect(("127.0.0.1", self.port));
    }
}

const PAGE: &str = "<!DOCTYPE html><html lang=en><head><title>Mills &amp; more</title>\
    <style>body{margin:0}h1{font-size:40px;margin:0}#side{background:#000080;color:#fff;opacity:.5}\
    p::before{content:'not in the page'}</style>\
    <script type='application/ld+json'>{\"a\":\"<b>\"}</script></head><body><!-- kept -->\
    <h1>Mills</h1><p id=text>A mill.<pre>\n\n x</pre><table><tr><td>cell</table>\
    <div id=side>side <b>bold</b></div><div style='display:none'>hidden</div><div id=host>light</div>\
    <noscript><p>no script</p></noscript>\
    <script src=http://a.example/x.js></script>\
    <script>document.getElementById('text').innerHTML += ' Added by a <a href=\"x?a&b\">script</a>.';\
    document.getElementById('host').attachShadow({mode:'open'}).innerHTML='<i>in the shadow </i><slot></slot>';\
    </script></body></html>";

#[test]
fn a_page_is_drawn_after_its_scripts_and_the_same_each_time() {
    let Some(settings) = settings() else { return };
    let first = draw(&settings, PAGE).expect("drawn");
    let html = &first.html;
    for part in [
        "\u{feff}<!DOCTYPE html><html lang=\"en\">",
        "<base href=\"http://a.example/b/\">",
        "<title>Mills &amp; more</title>",
        "<!-- kept -->",
        "Added by a <a href=\"x?a&amp;b\">script</a>.",
        "{\"a\":\"<b>\"}",
        "<i>in the shadow </i><slot>light</slot>",
        "<noscript></noscript><script></script><script></script>",
        "<pre>\n\n x</pre>",
    ] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    // the text of the style, not that of the pseudo element
    assert_eq!(html.matches("not in the page").count(), 1, "{html}");
    assert!(!html.contains("getElementById"), "{html}");
    assert_eq!((first.is_incomplete, first.num_lost), (false, 0), "{html}");

    let doc = parse_str(html);
    let geometry = Geometry::read(&first.geometry.to_json().expect("written"), &doc).expect("read");
    let paths = element_paths(&doc, 1 << 20).expect("short");
    let node = |path: &str| paths.iter().find(|p| p.1 == path).expect(path).0;
    let heading = node("/html/body/h1");
    let style = geometry.style(heading).expect("a style");
    assert_eq!((style.font_size, style.font_weight, style.visible), (40.0, 700.0, true));
    let bounds = geometry.outline(heading).expect("an outline").bounds();
    assert_eq!((bounds[0], bounds[1], bounds[2]), (0.0, 0.0, 1280.0));
    let side = geometry.style(node("/html/body/div")).expect("a style");
    assert_eq!((side.color, side.background, side.opacity), (Color([255; 3]), Color([0, 0, 128]), 0.5));
    let bold = geometry.style(node("/html/body/div/b")).expect("a style");
    assert_eq!((bold.background, bold.opacity, bold.font_weight), (Color([0, 0, 128]), 0.5, 700.0));
    assert!(geometry.outline(node("/html/body/div[2]")).is_none(), "it is hidden");
    assert!(geometry.outline(node("/html/body/table/tbody/tr/td")).is_some());
    assert_eq!(geometry.lines(heading).map(|l| l.number), Some(1));

    let second = draw(&settings, PAGE).expect("drawn");
    assert_eq!((&second.html, &second.geometry), (&first.html, &first.geometry));
}

#[test]
fn one_browser_draws_many_pages_and_addresses() {
    let Some(settings) = settings() else { return };
    let server = Server::start();
    let mut browser = Browser::start(&Settings { network: true, ..settings.clone() }).expect("started");
    for i in 0..3 {
        let html = format!(
            "<p>Page {i}<script>localStorage.x = (localStorage.x || '') + 'x'; document.write(localStorage.x)</script>"
        );
        let drawn = browser.draw(Input::Page { html: &html, address: None }).expect("drawn");
        assert!(drawn.html.contains(&format!("Page {i}<script></script>x</p>")), "{}", drawn.html);
    }
    let address = server.address("page");
    let drawn = browser.draw(Input::Address(&address)).expect("drawn");
    assert_eq!(drawn.address.as_deref(), Some(&*address));
    assert!(drawn.html.contains(&format!("<base href=\"{address}\">")));
    assert!(drawn.geometry.styles.iter().any(|s| s.font_size == 40.0), "the style sheet is used");
    let away = browser.draw(Input::Address(&server.address("away"))).expect("drawn");
    assert!(away.html.contains("Before"), "{}", away.html);
    let load =
        browser.draw(Input::Address(&server.address("load"))).expect("a download does not replace the page");
    assert!(load.html.contains("Load"), "{}", load.html);
    // each error ends a browser
    for (path, kind) in [
        ("none", ErrorKind::Data),
        ("pdf", ErrorKind::NotHtml),
        ("late", ErrorKind::Data),
        ("dead", ErrorKind::Data),
    ] {
        let mut browser = Browser::start(&Settings { network: true, ..settings.clone() }).expect("started");
        let error = browser.draw(Input::Address(&server.address(path))).expect_err(path);
        assert!(error.kind == kind || error.to_string().contains("ABORTED"), "{path}: {error}");
    }
}

#[test]
fn a_hostile_page_reaches_neither_files_nor_the_network() {
    let Some(settings) = settings() else { return };
    let server = Server::start();
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("secret.txt");
    std::fs::write(&file, "the-secret-of-the-file").expect("written");
    let (file, port) = (file.display(), server.port);
    let html = format!(
        "<base href='file:///'><p id=out>Begin</p><iframe src='file://{file}'></iframe>
        <img src='http://127.0.0.1:{port}/img'><link rel=stylesheet href='http://localhost:{port}/css'>
        <link rel=preconnect href='http://127.0.0.1:{port}'><link rel=dns-prefetch href='//localhost:{port}'>
        <object data='file://{file}'></object><embed src='file://{file}'>
        <iframe srcdoc=\"<script>fetch('http://127.0.0.1:{port}/frame')</script>\"></iframe>
        <form id=f method=post action='http://127.0.0.1:{port}/form'></form><a id=d download href='data:text/plain,x'>x</a>
        <script>
        const say = t => document.getElementById('out').append(' ' + t);
        alert(1); confirm(2); prompt(3);
        onbeforeunload = () => 'stay';
        for (const u of ['file://{file}', 'http://127.0.0.1:{port}/fetch', 'http://page.invalid/x'])
            fetch(u).then(r => r.text()).then(t => say('READ ' + t)).catch(e => say('refused'));
        const x = new XMLHttpRequest(); try {{ x.open('GET', 'file://{file}', false); x.send(); say('READ ' + x.responseText) }} catch (e) {{ say('refused') }}
        try {{ new WebSocket('ws://127.0.0.1:{port}/ws').onopen = () => say('READ socket') }} catch (e) {{}}
        try {{ new EventSource('http://127.0.0.1:{port}/events') }} catch (e) {{}}
        navigator.sendBeacon('http://127.0.0.1:{port}/beacon', 'x');
        const w = new Worker(URL.createObjectURL(new Blob([`fetch('http://127.0.0.1:{port}/worker');new WebSocket('ws://127.0.0.1:{port}/w');importScripts('http://127.0.0.1:{port}/import')`])));
        const c = new RTCPeerConnection({{iceServers: [{{urls: 'turn:127.0.0.1:{port}?transport=tcp', username: 'a', credential: 'b'}}]}});
        c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o));
        window.open('http://127.0.0.1:{port}/window'); window.open('file://{file}');
        document.getElementById('d').click();
        setTimeout(() => document.getElementById('f').submit(), 20);
        setTimeout(() => location = 'file://{file}', 50);
        setTimeout(() => location = 'http://127.0.0.1:{port}/location', 80);
        </script><meta http-equiv=refresh content='0;url=http://127.0.0.1:{port}/refresh'><p>End of the page"
    );
    let settings = Settings { wait: Duration::from_secs(3), ..settings };
    let drawn = draw(&settings, &html).expect("drawn");
    assert!(drawn.html.contains("Begin refused") && drawn.html.contains("End of the page"), "{}", drawn.html);
    assert!(!drawn.html.contains("READ") && !drawn.html.contains("the-secret-of-the-file"), "{}", drawn.html);
    assert_eq!(server.num(), 0, "a request reached the server");
    // the server would have counted it
    let _ = std::net::TcpStream::connect(("127.0.0.1", port)).expect("connected");
    let until = Instant::now() + Duration::from_secs(5);
    while server.num() == 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(server.num(), 1);
    assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 1, "nothing is downloaded");
}

#[test]
fn a_hostile_page_cannot_hang() {
    let Some(settings) = settings() else { return };
    let settings = Settings { timeout: Duration::from_secs(15), ..settings };
    for (name, html, may_be_drawn) in [
        ("loop", "<p>a<script>for(;;);</script>", false),
        ("alerts", "<p>a<script>for(;;) alert(1)</script>", false),
        ("reload", "<p>a<script>setInterval(() => location.reload(), 1); location.reload()</script>", true),
        ("timer", "<p>a<script>setInterval(() => document.body.append('x'), 0)</script>", true),
        ("unload", "<p>a<script>onunload = onbeforeunload = () => { for(;;); }</script>", true),
    ] {
        let start = Instant::now();
        let drawn = draw(&settings, html);
        // some seconds more to start and to end
        assert!(start.elapsed() < Duration::from_secs(40), "{name}: {:?}", start.elapsed());
        match drawn {
            Ok(drawn) => assert!(may_be_drawn && drawn.html.contains("<p>a"), "{name}: {}", drawn.html),
            Err(e) => assert!(!may_be_drawn && e.kind == ErrorKind::Timeout, "{name}: {e}"),
        }
    }
}

#[test]
fn a_million_elements_are_an_error() {
    let Some(settings) = settings() else { return };
    let html = "<p>a<script>document.body.innerHTML = '<i>x</i>'.repeat(1e6)</script>";
    let error = draw(&settings, html).expect_err("too large");
    assert!(matches!(error.kind, ErrorKind::TooLarge | ErrorKind::Timeout), "{error}");
}

#[test]
fn a_page_cannot_be_replaced() {
    let Some(settings) = settings() else { return };
    for (script, shown) in [
        ("location = 'about:blank'", "about:blank"),
        ("location = URL.createObjectURL(new Blob(['<p>Other'], {type: 'text/html'}))", "blob:"),
    ] {
        for html in [
            format!("<p>First<script>{script}</script>"),
            format!("<p>First<script>setTimeout(() => {{ {script} }}, 50)</script>"),
            format!("<p>First<iframe srcdoc=\"<script>top.{script}</script>\"></iframe>"),
        ] {
            let error = draw(&settings, &html).expect_err(&html).to_string();
            assert!(error.contains(shown), "{html}: {error}");
        }
    }
    let html = "<p>First<script>history.pushState(0, '', '/other?x=1'); location.hash = 'part'</script>";
    // without a base, which would make the address that of another site
    let mut browser = Browser::start(&settings).expect("started");
    let drawn = browser.draw(Input::Page { html, address: None }).expect("drawn");
    assert!(drawn.html.contains("First"), "{}", drawn.html);
}

#[test]
fn texts_with_unpaired_surrogates_are_drawn() {
    let Some(settings) = settings() else { return };
    let html = "<p id=a>x<p>\u{1f600}<script>document.getElementById('a').textContent = 'Hello \u{1f600}'.substr(0, 7)</script>";
    let drawn = draw(&settings, html).expect("drawn");
    assert!(drawn.html.contains("Hello \u{fffd}</p>"), "{}", drawn.html);
    assert!(drawn.html.contains("<p>\u{1f600}"), "{}", drawn.html);
}

#[test]
fn what_is_drawn_is_written() {
    let Some(settings) = settings() else { return };
    let html = "<!DOCTYPE html><style><!-- p { font-size: 30px } --></style>\
        <script type='application/ld+json'><!-- {\"a\": 1} --></script>\
        <object data=x.swf><param name=a><p id=shown>The fallback</object>\
        <object data='data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22/>'><p>not shown</object>\
        <svg width=50 height=50><style>&lt;p>HIDDEN&lt;/p></style><text y=20>a</text>\
        <script>&lt;p>PROGRAM&lt;/p></script><circle r=5></circle></svg><p>After";
    let drawn = draw(&settings, html).expect("drawn");
    for part in [
        "<style><!-- p { font-size: 30px } --></style>",
        "<!-- {\"a\": 1} --></script>",
        "<param name=\"a\"><p id=\"shown\">The fallback</p></object>",
        "></object><svg",
        "<style>&lt;p&gt;HIDDEN&lt;/p&gt;</style>",
        "<script></script><circle r=\"5\"></circle>",
    ] {
        assert!(drawn.html.contains(part), "{part} is missing in {}", drawn.html);
    }
    assert!(drawn.geometry.styles.iter().any(|s| s.font_size == 30.0), "the style is used");
    assert_eq!(drawn.num_lost, 0, "{}", drawn.html);
    let doc = parse_str(&drawn.html);
    let paths = element_paths(&doc, 1 << 20).expect("short");
    let mut paragraphs: Vec<&str> = paths.iter().map(|p| &*p.1).filter(|p| p.contains("/p")).collect();
    paragraphs.sort_unstable();
    assert_eq!(paragraphs, ["/html/body/object/p", "/html/body/object/param", "/html/body/p"]);
    assert!(paths.iter().any(|p| p.1 == "/html/body/svg/circle"), "{}", drawn.html);
}

#[test]
fn elements_in_other_places_are_counted() {
    let Some(settings) = settings() else { return };
    let html = "<!DOCTYPE html><p id=p>In <i>p</i></p><a id=a href=x>Outer </a><table id=t></table><script>\
        const add = (id, html) => { \
            const box = document.createElement('div'); box.innerHTML = html; \
            document.getElementById(id).append(box.firstChild) }; \
        add('p', '<div>A block</div>'); add('a', '<a href=y>inner</a>');\
        document.getElementById('t').append(document.createElement('tr'));\
        document.querySelector('tr').append('cell')</script>";
    let drawn = draw(&settings, html).expect("drawn");
    // the block in the paragraph and the inner link; a row without a body is in its place
    assert_eq!(drawn.num_lost, 2, "{}", drawn.html);
    assert_eq!(draw(&settings, "<table><tr><td>cell</table><p>a<p>b").expect("drawn").num_lost, 0);
}

#[test]
fn a_dropped_browser_leaves_nothing() {
    let Some(settings) = settings() else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let num = || std::fs::read_dir(dir.path()).expect("listed").count();
    for html in ["<p>a<script>localStorage.x = sessionStorage.x = 1</script>", "<script>for (;;);</script>"] {
        let settings = Settings { timeout: Duration::from_secs(4), ..settings.clone() };
        let mut browser = Browser::start_in(dir.path(), &settings).expect("started");
        assert_eq!(num(), 1);
        let drawn = browser.draw(Input::Page { html, address: None });
        assert_eq!(drawn.is_ok(), html.starts_with("<p>"), "{:?}", drawn.err());
        drop(browser);
        assert_eq!(num(), 0);
    }
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(num(), 0, "nothing comes back");
    let mut failing = settings;
    failing.chromium = "/bin/false".into();
    let error = Browser::start(&failing).expect_err("no browser").to_string();
    assert!(error.contains("Chromium does not start"), "{error}");
}
