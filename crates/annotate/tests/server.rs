//! Tests of the server through HTTP requests: responses, rejected requests, and written files.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use threshr_annotate::{Labeller, Mode, Session, bind};
use threshr_core::Limits;
use threshr_extract::model::Known;
use threshr_extract::model::file;
use threshr_extract::{Extractor, Options};
use threshr_html::ParseOptions;
use threshr_sets::annotations::{By, Label, State, read};

const PAGE: &str = "<!DOCTYPE html><title>Rain</title><link rel=canonical href=https://example.org/rain>\
    <ul><li><a href=/>Home</a><li><a href=/news>News</a></ul><h1>Rain in the north</h1>\
    <p>It rained all day in the north of the country, and some rivers rose by more than two metres.\
    <p>The police said that nobody was hurt, and that the roads would be open again by the weekend.";

/// A running server. Its thread ends with the tests.
struct Client {
    port: u16,
    token: String,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

fn session(folder: &Path, annotator: Option<&str>) -> threshr_core::Result<Session> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny.json");
    let model = file::load(&path, &Known::default()).expect("a model");
    let options =
        Options { parse: ParseOptions { source_map: true, ..ParseOptions::default() }, ..Options::default() };
    let labellers = vec![Labeller { name: "tiny".into(), extractor: Extractor::new(model, options) }];
    let mode = match annotator {
        Some(name) => {
            Mode::Annotate { folder: folder.to_path_buf(), annotator: name.to_owned(), model: None }
        }
        None => Mode::Inspect,
    };
    let sources = threshr_io::sources(&[folder.to_path_buf()], None).expect("a folder").sources;
    Session::open(mode, sources, labellers, Limits::default())
}

fn start(folder: &Path, annotator: Option<&str>) -> Client {
    let server = bind(session(folder, annotator).expect("a session"), 0).expect("a port");
    let address = server.address();
    let (origin, token) = address.split_once("/#").expect("a token");
    let port = origin.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port");
    let token = token.to_owned();
    std::thread::spawn(move || server.run(1));
    Client { port, token }
}

impl Client {
    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        if !body.is_empty() {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).expect("sent");
        // the server may answer before it has read all of the body
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[("X-Threshr-Token", &self.token)], b"")
    }

    fn post(&self, path: &str, body: &[u8]) -> Answer {
        let headers = [("X-Threshr-Token", self.token.as_str()), ("Content-Type", "application/json")];
        self.request("POST", path, &headers, body)
    }
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a folder");
    let pages = dir.path().join("pages");
    std::fs::create_dir(&pages).expect("a folder");
    std::fs::write(pages.join("rain.html"), PAGE).expect("a page");
    std::fs::write(dir.path().join("secret.html"), "a secret").expect("a page");
    (dir, pages)
}

#[test]
fn a_page_is_shown_and_saved() {
    let (_dir, pages) = folder();
    let client = start(&pages, Some("ada"));
    let session = client.get("/api/session").json();
    assert_eq!(
        (&session["mode"], &session["annotator"], &session["num_pages"]),
        (&json!("annotate"), &json!("ada"), &json!(1))
    );
    let page = client.get("/api/pages/0").json();
    let blocks = page["sides"][0]["blocks"].as_array().expect("blocks");
    assert_eq!(
        (page["id"].as_str(), page["url"].as_str()),
        (Some("rain.html"), Some("https://example.org/rain"))
    );
    assert_eq!((blocks.len(), &page["record"], &page["revision"]), (5, &Value::Null, &json!(0)));
    assert_eq!(page["sides"][0]["posts"], json!([]));

    let frame = client.get(page["sides"][0]["frame"].as_str().expect("an address"));
    assert!(
        frame.status == 200 && frame.body.contains("<t-b data-b=\"2\">Rain in the north</t-b>"),
        "{}",
        frame.body
    );
    assert!(frame.head.contains("content-security-policy: default-src 'none'; style-src 'unsafe-inline'"));
    assert!(frame.head.contains("sandbox allow-same-origin"), "{}", frame.head);

    let labels = ["boilerplate", "teaser", "headline", "content", "unsure"];
    let change = json!({ "base": 0, "state": "draft", "labels": labels, "by": vec!["person"; 5] });
    assert_eq!(client.post("/api/pages/0", change.to_string().as_bytes()).json(), json!({ "revision": 1 }));
    // the answer was lost, and the window sends the labels again
    assert_eq!(client.post("/api/pages/0", change.to_string().as_bytes()).json(), json!({ "revision": 1 }));
    // another window
    let mut other = change.clone();
    other["labels"][0] = json!("content");
    let answer = client.post("/api/pages/0", other.to_string().as_bytes());
    assert_eq!(answer.status, 409, "{}", answer.body);

    let stored = read(&pages.join("annotations.jsonl")).expect("annotations");
    let record = &stored.records[0];
    assert!(record.is_of(PAGE.as_bytes()) && record.state == State::Draft && record.annotator == "ada");
    assert!(
        record
            .labels
            .iter()
            .all(|l| l.by == By::Person && PAGE[l.source.clone().expect("a place")] == *l.text)
    );
    assert_eq!(record.labels[2].label, Label::Headline);
    let again = client.get("/api/pages/0").json();
    assert_eq!((&again["record"]["labels"], &again["record"]["state"]), (&json!(labels), &json!("draft")));
    let list = client.get("/api/pages").json();
    assert_eq!((&list["pages"][0]["state"], &list["pages"][0]["title"]), (&json!("draft"), &json!("Rain")));
    let found = client.post("/api/search", br#"{"text": "RIVERS example.org"}"#).json();
    assert_eq!(found, json!({ "pages": [0] }));
}

#[test]
fn one_program_at_a_time_annotates_a_folder() {
    let (_dir, pages) = folder();
    let first = session(&pages, Some("ada")).expect("a session");
    // not every system can lock folders
    if cfg!(unix) {
        assert!(session(&pages, Some("bob")).is_err());
    }
    drop(first);
    assert!(session(&pages, Some("bob")).is_ok());
}

#[test]
fn inspect_writes_nothing() {
    let (_dir, pages) = folder();
    let client = start(&pages, None);
    assert_eq!(client.get("/api/session").json()["mode"], "inspect");
    let labels = vec!["content"; 5];
    let change = json!({ "base": 0, "state": "done", "labels": labels, "by": vec!["person"; 5] });
    assert_eq!(client.post("/api/pages/0", change.to_string().as_bytes()).status, 422);
    assert!(!pages.join("annotations.jsonl").exists());
    let why = client.get("/api/pages/0/explain/0/3").json();
    assert!(why["outcome"] == "kept" && why["columns"].as_array().is_some_and(|c| !c.is_empty()), "{why}");
    let details = client.get("/api/pages/0/details/0").json();
    assert_eq!(details["metadata"]["canonical_url"]["value"], "https://example.org/rain");
    assert!(
        details["units"].as_array().is_some_and(|units| units.iter().any(|u| u["kind"]["kind"] == "heading"))
    );
    for missing in
        ["/api/pages/0/explain/0/5", "/api/pages/0/explain/1/0", "/api/pages/0/details/1", "/api/pages/1"]
    {
        assert!((400..500).contains(&client.get(missing).status), "{missing}");
    }
}

#[test]
fn posts_of_a_thread_are_shown() {
    let (_dir, pages) = folder();
    let post = |number: usize, name: &str, text: &str| {
        format!(
            "<div class=post id=p{number}><a class=username href=/user/{name}>{name}</a> <time>{number} May 2024</time>\
             <div class=content>{text}</div></div>"
        )
    };
    let texts = ["My rear wheel ticks when I pedal uphill.", "Look at the lockring first, it may be loose."];
    let reply = format!("<blockquote>{}</blockquote><p>That was it, thank you.</p>", texts[1]);
    let thread = post(3, "marten", texts[0]) + &post(4, "Torque", texts[1]) + &post(5, "Paula", &reply);
    std::fs::write(pages.join("rain.html"), thread).expect("a page");
    let client = start(&pages, None);
    let page = client.get("/api/pages/0").json();
    let shown: Vec<_> = page["sides"][0]["posts"]
        .as_array()
        .expect("posts")
        .iter()
        .map(|p| (&p["author"], &p["depth"]))
        .collect();
    assert_eq!(
        shown,
        [(&json!("marten"), &json!(0)), (&json!("Torque"), &json!(0)), (&json!("Paula"), &json!(1))]
    );
    assert_eq!(page["sides"][0]["posts"][1]["text"], texts[1]);
}

#[test]
fn requests_of_others_are_refused() {
    let (_dir, pages) = folder();
    let client = start(&pages, Some("ada"));
    let token = ("X-Threshr-Token", client.token.as_str());
    let get = |headers: &[(&str, &str)]| client.request("GET", "/api/session", headers, b"").status;
    assert_eq!(get(&[token]), 200);
    assert_eq!(get(&[]), 401);
    assert_eq!(get(&[("X-Threshr-Token", "0")]), 401);
    assert_eq!(get(&[token, ("Host", "evil.example")]), 421);
    assert_eq!(get(&[token, ("Origin", "http://evil.example")]), 403);
    assert_eq!(get(&[token, ("Sec-Fetch-Site", "cross-site")]), 403);
    let form = [token, ("Content-Type", "text/plain")];
    assert_eq!(client.request("POST", "/api/pages/0", &form, b"{}").status, 415);
    assert_eq!(client.request("DELETE", "/api/pages/0", &form, b"").status, 415);
    let json = [token, ("Content-Type", "application/json")];
    assert_eq!(client.request("DELETE", "/api/pages/0", &json, b"").status, 405);
    assert!(!pages.join("annotations.jsonl").exists());
}

#[test]
fn paths_lead_to_nothing_else() {
    let (_dir, pages) = folder();
    let client = start(&pages, Some("ada"));
    let page = client.get("/api/pages/0").json();
    let key = page["sides"][0]["frame"].as_str().and_then(|f| f.split('/').nth(2)).expect("a key").to_owned();
    for path in [
        "/assets/../secret.html".to_owned(),
        "/assets/..%2f..%2fsecret.html".to_owned(),
        "/assets/%2e%2e%2fsecret.html".to_owned(),
        "/secret.html".to_owned(),
        "/rain.html".to_owned(),
        "/annotations.jsonl".to_owned(),
        "/api/pages/..%2fsecret.html".to_owned(),
        "/api/pages/18446744073709551616".to_owned(),
        format!("/frame/{key}/..%2fsecret.html/0"),
        format!("/frame/{key}/1/0"),
        format!("/frame/{key}/0/1"),
        format!("/frame/{key}0/0/0"),
        format!("/frame/{}/0/0", client.token),
        "/frame//0/0".to_owned(),
    ] {
        let answer = client.get(&path);
        assert!(
            (400..500).contains(&answer.status) && !answer.body.contains("a secret"),
            "{path}: {}",
            answer.status
        );
    }
}

#[test]
fn answers_have_their_headers_and_types() {
    let (_dir, pages) = folder();
    let client = start(&pages, Some("ada"));
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/assets/app.js", "text/javascript; charset=utf-8"),
        ("/assets/app.css", "text/css; charset=utf-8"),
        ("/assets/icon.svg", "image/svg+xml"),
        ("/api/session", "application/json"),
    ] {
        let answer = client.get(path);
        assert_eq!(answer.status, 200, "{path}");
        for line in [
            &format!("content-type: {kind}"),
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
            "cross-origin-opener-policy: same-origin",
            "cross-origin-resource-policy: same-origin",
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'",
        ] {
            assert!(answer.head.contains(line), "{path}: {line} in {}", answer.head);
        }
        assert!(!answer.head.contains("set-cookie") && !answer.head.contains("access-control"), "{path}");
    }
    // the application has no token in its files
    assert!(!client.get("/").body.contains(&client.token));
}

#[test]
fn bodies_are_bounded_and_checked() {
    let (_dir, pages) = folder();
    let client = start(&pages, Some("ada"));
    assert_eq!(client.post("/api/pages/0", &vec![b' '; 3 << 20]).status, 413);
    for body in [
        "{",
        "[]",
        r#"{"base": 0, "state": "done", "labels": [], "by": []}"#,
        r#"{"base": 0, "state": "done", "labels": ["content"], "by": ["person"]}"#,
        r#"{"base": 0, "state": "finished", "labels": [], "by": []}"#,
    ] {
        let status = client.post("/api/pages/0", body.as_bytes()).status;
        assert!(status == 400 || status == 422, "{body}: {status}");
    }
    assert!(!pages.join("annotations.jsonl").exists());
}

#[test]
fn files_of_many_pages_are_refused() {
    let (dir, _) = folder();
    let crawl = dir.path().join("crawl.jsonl");
    std::fs::write(&crawl, "{\"html\": \"<p>a\"}\n").expect("written");
    let sources = threshr_io::sources(&[crawl], None).expect("a file").sources;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny.json");
    let model = file::load(&path, &Known::default()).expect("a model");
    let labellers =
        vec![Labeller { name: "tiny".into(), extractor: Extractor::new(model, Options::default()) }];
    let error = Session::open(Mode::Inspect, sources, labellers, Limits::default()).expect_err("refused");
    assert!(error.to_string().contains("many pages"), "{error}");
}

/// Marks all pages as done. Returns the ids, in order.
fn done_all(client: &Client) -> Vec<String> {
    let pages = client.get("/api/pages").json();
    let pages = pages["pages"].as_array().expect("a list").clone();
    for page in 0..pages.len() {
        let shown = client.get(&format!("/api/pages/{page}")).json();
        let blocks = shown["sides"][0]["blocks"].as_array().expect("blocks");
        let labels: Vec<&str> =
            blocks.iter().map(|b| if b["kept"] == true { "content" } else { "boilerplate" }).collect();
        let change =
            json!({"base": 0, "state": "done", "labels": labels, "by": vec!["person"; labels.len()]});
        let saved = client.post(&format!("/api/pages/{page}"), change.to_string().as_bytes());
        assert_eq!(saved.status, 200, "{}", saved.body);
    }
    pages.iter().map(|page| page["id"].as_str().expect("an id").to_owned()).collect()
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_are_kept_apart() {
    use std::os::unix::ffi::OsStrExt;
    let (_dir, pages) = folder();
    for (name, title) in [(&b"bad\xff.html"[..], "Snow"), (b"bad\xfe.html", "Hail")] {
        let path = pages.join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(path, PAGE.replace("Rain", title)).expect("a page");
    }
    let ids = done_all(&start(&pages, Some("ada")));
    assert!(ids.len() == 3 && ids[0] != ids[1], "{ids:?}");
    let set = threshr_sets::gold::DataSet::open(&pages, &Default::default()).expect("a set");
    assert_eq!(set.pages.len(), 3);
    for title in ["Snow", "Hail", "Rain"] {
        let has_title = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).contains(title);
        assert!(set.pages.iter().any(|page| page.load().is_ok_and(has_title)), "{title}");
    }
}

#[test]
fn labels_follow_a_renamed_page() {
    // the store of a folder stays locked while its server runs, so the labels are copied
    let (_dir, labelled) = folder();
    done_all(&start(&labelled, Some("ada")));
    let (_other, pages) = folder();
    std::fs::copy(labelled.join("annotations.jsonl"), pages.join("annotations.jsonl")).expect("copied");
    std::fs::write(pages.join("snow.html"), PAGE.replace("Rain", "Snow")).expect("a page");
    std::fs::create_dir(pages.join("new")).expect("a folder");
    std::fs::rename(pages.join("rain.html"), pages.join("new/wet.html")).expect("renamed");
    let server = bind(session(&pages, Some("ada")).expect("a session"), 0).expect("a port");
    let told = server.remarks();
    assert!(told.len() == 1 && told[0].contains("rain.html is new/wet.html"), "{told:?}");
    drop(server);
    let client = start(&pages, Some("ada"));
    let listed = client.get("/api/pages").json();
    let state = |page: &Value| (page["id"].as_str().expect("an id").to_owned(), page["state"].clone());
    let states: Vec<_> = listed["pages"].as_array().expect("a list").iter().map(state).collect();
    assert_eq!(states, [("new/wet.html".to_owned(), json!("done")), ("snow.html".to_owned(), Value::Null)]);
}
