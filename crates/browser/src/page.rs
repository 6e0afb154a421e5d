//! Opens a page in a browser and takes its snapshot.

use crate::browser::Browser;
use crate::pipe::{Message, Pipe};
use crate::snapshot::{STYLES, Snapshot};
use crate::{Input, Settings, geometry, html};
use base64::Engine;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use std::time::Instant;
use threshr_core::{Budget, Error, ErrorKind, Result};
use threshr_html::{DrawnPage, ParseOptions, Tag, parse_within};
use url::Url;

/// The address at which pages without network are opened. The domain `invalid` never exists (RFC 2606).
const PLACE: &str = "http://page.invalid/";

/// Share of the time for a page after which it is drawn although it still loads.
const LOADING: f64 = 0.6;

/// Most characters of an address that an error shows.
const MAX_SHOWN: usize = 100;

/// A page as it is drawn.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// The page after its scripts, HTML in UTF-8 with a byte-order mark.
    pub html: String,
    /// Where its elements are drawn.
    pub geometry: DrawnPage,
    /// Its address, after redirections.
    pub address: Option<String>,
    /// Whether it still loaded when it was drawn.
    pub is_incomplete: bool,
    /// Number of elements in which the parsed HTML differs from the drawing: drawn elements that are missing and have no
    /// geometry, drawn elements with another parent, and elements that are not in the drawing.
    pub num_lost: usize,
}

/// What happens to a page while it is drawn.
struct Watch<'a> {
    /// The page to serve at [`PLACE`], as Base64; it is served once.
    body: Option<String>,
    /// Whether the page is served and not fetched.
    is_served: bool,
    /// Whether requests go to the network.
    network: bool,
    /// The frame of the page, and the connection to it.
    frame: &'a str,
    session: Option<String>,
    is_open: bool,
    is_loaded: bool,
    /// The loading that the shown document comes from.
    loader: Option<String>,
    /// The last answer with a document for the frame.
    answer: Option<Answer>,
    /// The answer that the shown document comes from.
    shown: Option<Answer>,
    /// The connections to frames of other sites and to workers.
    children: FxHashSet<String>,
}

/// An answer with a document.
#[derive(Clone)]
struct Answer {
    /// The loading that it belongs to.
    loader: String,
    status: i64,
    kind: String,
}

/// Draws a page; see [`Browser::draw`].
pub(crate) fn draw(browser: &mut Browser, input: Input<'_>) -> Result<Drawn> {
    let settings = browser.settings.clone();
    let end = Instant::now() + settings.timeout;
    let (place, base, body) = prepared(&settings, input, end)?;
    let mut ignore = |_: &mut Pipe, _: Message| Ok(());
    let context: Value = browser.call(
        "Target.createBrowserContext",
        &json!({"disposeOnDetach": true}),
        None,
        end,
        &mut ignore,
    )?;
    let context = text(&context, "browserContextId")?;
    let deny = json!({"behavior": "deny", "browserContextId": context});
    let _: Value = browser.call("Browser.setDownloadBehavior", &deny, None, end, &mut ignore)?;
    let create = json!({"url": "about:blank", "browserContextId": context});
    let target: Value = browser.call("Target.createTarget", &create, None, end, &mut ignore)?;
    let target = text(&target, "targetId")?;
    let attach = json!({"targetId": target, "flatten": true});
    let session: Value = browser.call("Target.attachToTarget", &attach, None, end, &mut ignore)?;
    let session = text(&session, "sessionId")?;
    let mut watch = Watch::new(&target, &session, body, settings.network);
    for (method, params) in preparations(&settings) {
        let _: Value = browser.call(method, &params, Some(&session), end, &mut |p, m| watch.take(p, m))?;
    }
    let opened: Value =
        browser.call("Page.navigate", &json!({"url": place}), Some(&session), end, &mut |p, m| {
            watch.take(p, m)
        })?;
    if let Some(error) = opened.get("errorText").and_then(Value::as_str) {
        return Err(Error::data(format!("the page cannot be opened: {error}")));
    }
    let is_incomplete =
        watch.wait_until_loaded(browser, Instant::now() + settings.timeout.mul_f64(LOADING), end)?;
    watch.check_answer()?;
    let waited = (Instant::now() + settings.wait).min(end);
    while let Some(message) = browser.pipe.next(waited)? {
        watch.take(&mut browser.pipe, message)?;
    }
    let capture = json!({"computedStyles": STYLES, "includePaintOrder": true, "includeDOMRects": true});
    let snapshot: Snapshot =
        browser.call("DOMSnapshot.captureSnapshot", &capture, Some(&session), end, &mut |p, m| {
            watch.take(p, m)
        })?;
    let dispose = json!({"browserContextId": context});
    let _: Value = browser.call("Target.disposeBrowserContext", &dispose, None, end, &mut ignore)?;
    // scripts may have opened another page meanwhile
    watch.check_answer()?;
    let drawing = snapshot.page()?;
    let shown = snapshot.text(drawing.document_url);
    check_address(shown, watch.is_served)?;
    let address = match input {
        Input::Address(_) => Some(shown.to_owned()),
        Input::Page { .. } => base,
    };
    let plain = html::write(&snapshot, drawing, address.as_deref(), false)?;
    let marked = html::write(&snapshot, drawing, address.as_deref(), true)?;
    let budget = budget(end)?;
    let (geometry, num_lost) = geometry::of(&snapshot, drawing, &marked, &plain, &budget).map_err(late)?;
    Ok(Drawn { html: plain, geometry, address, is_incomplete, num_lost })
}

/// A budget of the time until `end`.
fn budget(end: Instant) -> Result<Budget> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Error::new(ErrorKind::Timeout, "the time for the page is over"));
    }
    Budget::start(Some(left))
}

/// An error of work that has a part of the time for the page.
fn late(error: Error) -> Error {
    if error.kind == ErrorKind::Timeout {
        Error::new(ErrorKind::Timeout, "the page cannot be parsed in its time").because(error)
    } else {
        error
    }
}

/// Rejects a document that a script has put in the place of the page. The address of a page that is served always
/// begins with [`PLACE`], also after changes of the history.
fn check_address(shown: &str, is_served: bool) -> Result<()> {
    let is_page = if is_served { shown.starts_with(PLACE) } else { is_web(shown) };
    if is_page {
        return Ok(());
    }
    if shown.starts_with("chrome-error:") {
        return Err(Error::data("a script of the page has opened an address that cannot be reached"));
    }
    let shown: String = shown.chars().take(MAX_SHOWN).collect();
    Err(Error::data(format!("a script of the page has opened `{shown}` in its place")))
}

/// Whether an address is one of the web.
fn is_web(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// The address to open, the address to which links are relative, and the page to serve as Base64.
fn prepared(
    settings: &Settings,
    input: Input<'_>,
    end: Instant,
) -> Result<(String, Option<String>, Option<String>)> {
    match input {
        Input::Address(address) => {
            if !is_web(address) {
                return Err(Error::recipe(format!("`{address}` is no address of a page"))
                    .expected("an address that begins with http:// or https://"));
            }
            if !settings.network {
                return Err(
                    Error::recipe("an address can be opened with the network only").expected("--network")
                );
            }
            Ok((address.to_owned(), None, None))
        }
        Input::Page { html, address } => {
            let base = address.filter(|a| is_web(a));
            let served = match base {
                Some(address) => with_base(html, address, &budget(end)?).map_err(late)?,
                None => html.to_owned(),
            };
            let body = base64::engine::general_purpose::STANDARD.encode(served);
            Ok((PLACE.to_owned(), base.map(str::to_owned), Some(body)))
        }
    }
}

/// The page with `<base>`, so that its links are relative to its address although it is opened elsewhere. A
/// `<base>` of its own with a full address counts more; one that is relative is resolved.
///
/// # Errors
/// If the budget ends.
fn with_base(html: &str, address: &str, budget: &Budget) -> Result<String> {
    let options = ParseOptions { charset: Some("utf-8".to_owned()), ..ParseOptions::default() };
    let doc = parse_within(html.as_bytes(), &options, budget)?;
    let own = doc.elements_with(|tag| tag == Tag::BASE).find_map(|node| doc.attribute(node, "href"));
    let address = match own {
        Some(own) if Url::parse(own).is_ok() => return Ok(html.to_owned()),
        Some(own) => Url::parse(address).and_then(|a| a.join(own)).map_or(address.to_owned(), String::from),
        None => address.to_owned(),
    };
    let mut out = String::with_capacity(html.len() + address.len() + 16);
    let (before, after) = html.split_at(end_of_doctype(html));
    out.push_str(before);
    out.push_str(&format!("<base href=\"{}\">", html::attribute_value(&address)));
    out.push_str(after);
    Ok(out)
}

/// The end of the doctype, and of white space and comments before it; 0 without a doctype.
fn end_of_doctype(html: &str) -> usize {
    let mut rest = html;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{feff}');
        if let Some(comment) = rest.strip_prefix("<!--") {
            let Some(end) = comment.find("-->") else { return 0 };
            rest = &comment[end + 3..];
        } else if rest.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype")) {
            return rest.find('>').map_or(0, |end| html.len() - rest.len() + end + 1);
        } else {
            return 0;
        }
    }
}

/// The calls before a page is opened.
fn preparations(settings: &Settings) -> Vec<(&'static str, Value)> {
    let (width, height) = (settings.width, settings.height);
    let screen = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
    let features = json!([{"name": "prefers-reduced-motion", "value": "reduce"}, {"name": "prefers-color-scheme", "value": "light"}]);
    let children = json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true});
    vec![
        ("Page.enable", json!({})),
        ("Network.enable", json!({"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})),
        ("Fetch.enable", json!({"patterns": [{"urlPattern": "*"}]})),
        ("Target.setAutoAttach", children),
        ("Emulation.setDeviceMetricsOverride", screen),
        ("Emulation.setEmulatedMedia", json!({"media": "screen", "features": features})),
    ]
}

impl<'a> Watch<'a> {
    /// Watches a page that is not open yet. `body` is what is served for it.
    fn new(frame: &'a str, session: &str, body: Option<String>, network: bool) -> Self {
        Watch {
            is_served: body.is_some(),
            body,
            network,
            frame,
            session: Some(session.to_owned()),
            is_open: false,
            is_loaded: false,
            loader: None,
            answer: None,
            shown: None,
            children: FxHashSet::default(),
        }
    }

    /// Waits until the page is loaded; whether it still loads at `until`, when loading is stopped.
    fn wait_until_loaded(&mut self, browser: &mut Browser, until: Instant, end: Instant) -> Result<bool> {
        while !self.is_loaded {
            match browser.pipe.next(until.min(end))? {
                Some(message) => self.take(&mut browser.pipe, message)?,
                None => {
                    let session = self.session.clone();
                    let mut take = |p: &mut Pipe, m: Message| self.take(p, m);
                    let _: Value =
                        browser.call("Page.stopLoading", &json!({}), session.as_deref(), end, &mut take)?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Reads a message that is no answer to a call that is waited for.
    fn take(&mut self, pipe: &mut Pipe, message: Message) -> Result<()> {
        let Some(method) = message.method else { return Ok(()) };
        let params = message.params.unwrap_or_default();
        let session = message.session;
        let is_own = session == self.session;
        match method.as_str() {
            "Fetch.requestPaused" => self.answer_request(pipe, &params, session.as_deref())?,
            "Page.javascriptDialogOpening" => {
                pipe.send("Page.handleJavaScriptDialog", &json!({"accept": false}), session.as_deref())?;
            }
            // a frame of another site or a worker: the same rules hold for it
            "Target.attachedToTarget" => {
                let child = params["sessionId"].as_str();
                if self.is_of_page(session.as_deref()) {
                    self.children.extend(child.map(str::to_owned));
                }
                pipe.send("Fetch.enable", &json!({"patterns": [{"urlPattern": "*"}]}), child)?;
                pipe.send("Runtime.runIfWaitingForDebugger", &json!({}), child)?;
            }
            "Page.frameNavigated" if is_own && params["frame"]["id"] == self.frame => {
                self.is_open |= params["frame"]["url"] != "about:blank";
                self.loader = params["frame"]["loaderId"].as_str().map(str::to_owned);
                self.match_answer();
            }
            "Page.loadEventFired" if is_own && self.is_open => self.is_loaded = true,
            // also without the event, if a script begins to open another page and that is refused
            "Page.frameStoppedLoading" if is_own && self.is_open && params["frameId"] == self.frame => {
                self.is_loaded = true;
            }
            "Network.responseReceived"
                if is_own && params["type"] == "Document" && params["frameId"] == self.frame =>
            {
                let answer = &params["response"];
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                self.answer = Some(Answer {
                    loader: text(&params["loaderId"]),
                    status: answer["status"].as_i64().unwrap_or(0),
                    kind: text(&answer["mimeType"]),
                });
                self.match_answer();
            }
            // not that of an earlier page, which may arrive late
            "Inspector.targetCrashed" if self.is_of_page(session.as_deref()) => {
                return Err(Error::new(ErrorKind::TooLarge, "the page has crashed in Chromium"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a connection is that of the page, or of a frame or worker of it.
    fn is_of_page(&self, session: Option<&str>) -> bool {
        session.is_some_and(|s| self.session.as_deref() == Some(s) || self.children.contains(s))
    }

    /// Notes the last answer if the shown document comes from it. Answers to downloads and to pages that do not open
    /// are not noted.
    fn match_answer(&mut self) {
        if let Some(answer) = self.answer.as_ref().filter(|a| self.loader.as_ref() == Some(&a.loader)) {
            self.shown = Some(answer.clone());
        }
    }

    /// Serves the page, lets a request through, or refuses it.
    fn answer_request(&mut self, pipe: &mut Pipe, params: &Value, session: Option<&str>) -> Result<()> {
        let (id, address) = (&params["requestId"], params["request"]["url"].as_str().unwrap_or_default());
        let is_page = params["frameId"] == self.frame && params["resourceType"] == "Document";
        if is_page
            && address == PLACE
            && let Some(body) = self.body.take()
        {
            let headers = json!([{"name": "Content-Type", "value": "text/html; charset=utf-8"}]);
            let answer =
                json!({"requestId": id, "responseCode": 200, "responseHeaders": headers, "body": body});
            pipe.send("Fetch.fulfillRequest", &answer, session)?;
            return Ok(());
        }
        let is_web =
            Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "data" | "blob"));
        // a page that is served is not replaced by another one
        let is_replaced = is_page && self.is_served;
        if self.network && is_web && !is_replaced {
            pipe.send("Fetch.continueRequest", &json!({"requestId": id}), session)?;
        } else {
            // an aborted document leaves the one before it in place
            pipe.send("Fetch.failRequest", &json!({"requestId": id, "errorReason": "Aborted"}), session)?;
        }
        Ok(())
    }

    /// Rejects a shown document whose answer is no page.
    fn check_answer(&self) -> Result<()> {
        let Some(Answer { status, kind, .. }) = &self.shown else { return Ok(()) };
        if *status >= 400 {
            return Err(Error::data(format!("the server answers with status {status}")));
        }
        if !matches!(kind.as_str(), "text/html" | "application/xhtml+xml") {
            return Err(Error::new(ErrorKind::NotHtml, format!("the answer is of type `{kind}`"))
                .expected("text/html"));
        }
        Ok(())
    }
}

/// A text in an answer.
fn text(answer: &Value, name: &str) -> Result<String> {
    let text = answer.get(name).and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| Error::data(format!("an answer of Chromium has no `{name}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_to_the_address() {
        let base = |html: &str| {
            with_base(html, "http://a.example/b/?x=1&y=\"2", &Budget::UNLIMITED).expect("within the budget")
        };
        let added = "<base href=\"http://a.example/b/?x=1&amp;y=&quot;2\">";
        assert_eq!(base("<p>a"), format!("{added}<p>a"));
        assert_eq!(
            base("\u{feff} <!-- > -->\n<!DocType html><p>a"),
            format!("\u{feff} <!-- > -->\n<!DocType html>{added}<p>a")
        );
        let own = "<base href='https://c.example/'><p>a";
        assert_eq!(base(own), own);
        assert!(base("<head><base href=../d/>").starts_with("<base href=\"http://a.example/d/\"><head>"));
        assert_eq!(end_of_doctype("<!-- <!doctype html>"), 0);
    }

    #[test]
    fn an_address_needs_the_network() {
        let mut settings = Settings::new("chromium".into());
        let end = Instant::now() + settings.timeout;
        let prepared = |settings: &Settings, input| prepared(settings, input, end);
        for bad in ["file:///etc/passwd", "example.org", "chrome://version", "http://"] {
            assert!(prepared(&settings, Input::Address(bad)).is_err(), "{bad}");
        }
        assert!(prepared(&settings, Input::Address("http://example.org/")).is_err());
        settings.network = true;
        assert!(prepared(&settings, Input::Address("http://example.org/")).is_ok());
        let page = Input::Page { html: "<p>a", address: Some("file:///etc/passwd") };
        let (place, base, body) = prepared(&settings, page).expect("a page");
        assert_eq!((place.as_str(), base), (PLACE, None));
        assert_eq!(body.as_deref(), Some("PHA+YQ=="));
    }

    #[test]
    fn a_page_is_not_replaced() {
        for (shown, is_served, is_right) in [
            ("http://page.invalid/", true, true),
            ("http://page.invalid/history#part", true, true),
            ("about:blank", true, false),
            ("blob:http://page.invalid/1-2", true, false),
            ("http://page.invalid.example/", true, false),
            ("https://a.example/", true, false),
            ("https://a.example/", false, true),
            ("about:blank", false, false),
            ("chrome-error://chromewebdata/", false, false),
        ] {
            assert_eq!(check_address(shown, is_served).is_ok(), is_right, "{shown}");
        }
    }

    #[test]
    fn only_crashes_of_the_page_count() {
        let mut watch = Watch { is_served: true, ..Watch::new("frame", "page", None, false) };
        let mut pipe = Pipe::new(std::io::sink(), std::io::empty());
        let mut take = |message: &str| {
            let message = serde_json::from_str(message).expect("a message");
            watch.take(&mut pipe, message).map_err(|e| e.kind)
        };
        let crash =
            |session: &str| format!(r#"{{"method":"Inspector.targetCrashed","sessionId":"{session}"}}"#);
        let attached =
            r#"{"method":"Target.attachedToTarget","sessionId":"page","params":{"sessionId":"worker"}}"#;
        let foreign =
            r#"{"method":"Target.attachedToTarget","sessionId":"earlier","params":{"sessionId":"its"}}"#;
        assert_eq!(take(&crash("earlier")), Ok(()));
        assert_eq!(take(&crash("worker")), Ok(()), "not attached yet");
        assert_eq!((take(attached), take(foreign)), (Ok(()), Ok(())));
        assert_eq!(take(&crash("its")), Ok(()));
        assert_eq!(take(&crash("worker")), Err(ErrorKind::TooLarge));
        assert_eq!(take(&crash("page")), Err(ErrorKind::TooLarge));
        assert_eq!(take(r#"{"method":"Inspector.targetCrashed"}"#), Ok(()));
    }
}
