//! Handlers for the API requests of the web application. Responses are JSON.

use crate::differences::differences;
use crate::guard::FRAME_POLICY;
use crate::library::Read;
use crate::page::{Page, Side};
use crate::records::{Change, Labels, Saved};
use crate::server::Shared;
use crate::session::Mode;
use crate::similar;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::Arc;
use threshr_core::{Budget, Error, ErrorKind, Result, guard};
use threshr_extract::RawExtraction;
use threshr_sets::annotations::{Agreement, By, Kappa, Label};
use threshr_view::{explained, frame, rounded};

type Shares = State<Arc<Shared>>;

/// An error response: status and message.
struct Failed(StatusCode, String);

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        let status = match error.kind {
            ErrorKind::Io => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Failed(status, error.with_causes())
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        (self.0, json_of(&json!({ "error": self.1 }))).into_response()
    }
}

fn not_found() -> Failed {
    Failed(StatusCode::NOT_FOUND, "there is no such page or block".to_owned())
}

fn json_of(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// Runs slow work on a separate thread.
async fn run<T: Send + 'static>(
    state: Arc<Shared>,
    work: impl FnOnce(&Shared) -> Result<T, Failed> + Send + 'static,
) -> Result<T, Failed> {
    // A panic gives one error response and does not stop the server.
    let work = move || guard("", || Ok(work(&state))).unwrap_or_else(|e| Err(e.into()));
    let failed = || Failed(StatusCode::INTERNAL_SERVER_ERROR, "an internal error".to_owned());
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(failed()))
}

/// Runs slow work like [`run`] and returns its result as JSON.
async fn answer(
    state: Arc<Shared>,
    work: impl FnOnce(&Shared) -> Result<Value, Failed> + Send + 'static,
) -> Response {
    run(state, work).await.map(|value| json_of(&value)).into_response()
}

/// Returns the result of one model for a page. Fails if there is no model with this index.
fn side_of(page: &Page, side: usize) -> Result<&Side, Failed> {
    page.sides.get(side).ok_or_else(not_found)
}

fn open(shared: &Shared, page: usize) -> Result<(Arc<Page>, &str), Failed> {
    let library = &shared.session.library;
    let id = library.id(page).ok_or_else(not_found)?;
    Ok((library.open(page)?, id))
}

/// Returns the general data that the application shows, such as the mode and the annotator.
pub(crate) async fn session(State(state): Shares) -> Response {
    let session = &state.session;
    let (mode, folder, annotator) = match &session.mode {
        Mode::Annotate { folder, annotator, .. } => {
            ("annotate", folder.file_name().map(|n| n.to_string_lossy()), Some(annotator))
        }
        Mode::Inspect => ("inspect", None, None),
    };
    json_of(&json!({
        "mode": mode,
        "folder": folder,
        "annotator": annotator,
        "next_commands": session.mode.next_commands(),
        "models": session.library.labellers.iter().map(|l| &l.name).collect::<Vec<_>>(),
        "num_pages": session.library.len(),
        "labels": Label::ALL.map(Label::name),
    }))
}

/// Returns the pages that changed after the change counter had the value of the parameter `since`. Without
/// this parameter, returns all pages.
pub(crate) async fn pages(State(state): Shares, RawQuery(query): RawQuery) -> Response {
    let since = query.as_deref().and_then(|q| q.strip_prefix("since=")).and_then(|n| n.parse().ok());
    answer(state, move |shared| {
        let changes = shared.session.library.changes(since);
        let page = |(index, summary): &(usize, Option<Read>)| {
            let id = shared.session.library.id(*index).unwrap_or_default();
            let mut entry = json!({ "page": index, "id": id, "state": shared.session.records.state(id) });
            match summary.as_deref() {
                Some(Ok(found)) => {
                    entry["url"] = json!(found.url);
                    entry["title"] = json!(found.title);
                    entry["doubt"] = json!(rounded(found.doubt));
                    entry["blocks"] = json!(found.num_blocks);
                    entry["kept"] = json!(found.num_kept);
                    entry["different"] = json!(found.num_different);
                }
                Some(Err(error)) => entry["error"] = json!(error),
                None => {}
            }
            entry
        };
        Ok(json!({
            "count": changes.count,
            "num_read": changes.num_read,
            "pages": changes.pages.iter().map(page).collect::<Vec<_>>(),
        }))
    })
    .await
}

/// Returns the pages whose id, URL, title or text contains all words of `text`.
pub(crate) async fn search(State(state): Shares, body: Bytes) -> Response {
    #[derive(serde::Deserialize)]
    struct Query {
        text: String,
    }
    answer(state, move |shared| {
        let query: Query = read(&body)?;
        let wanted = query.text.to_lowercase();
        let words: Vec<&str> = wanted.split_whitespace().collect();
        let library = &shared.session.library;
        let is_found = |index: &usize| {
            let id = library.id(*index).unwrap_or_default().to_lowercase();
            let summary = library.summary(*index);
            let found = summary.as_deref().and_then(|s| s.as_ref().ok());
            let head = found.map(|s| format!("{} {}", s.url.as_deref().unwrap_or_default(), s.title));
            let head = head.unwrap_or_default().to_lowercase();
            let has = |word: &&str| {
                id.contains(word) || head.contains(word) || found.is_some_and(|s| s.text.contains(word))
            };
            words.iter().all(has)
        };
        Ok(json!({ "pages": (0..library.len()).filter(is_found).collect::<Vec<_>>() }))
    })
    .await
}

/// Returns a page with its blocks and the labels of annotators.
pub(crate) async fn page(State(state): Shares, Path(index): Path<usize>) -> Response {
    answer(state, move |shared| {
        let (page, id) = open(shared, index)?;
        let first = side_of(&page, 0)?;
        let records = &shared.session.records;
        let different = match &page.sides[..] {
            [a, b, ..] => differences(a, b).to_vec(),
            _ => Vec::new(),
        };
        let key = shared.guard.frame_key();
        let sides = page.sides.iter().zip(&shared.session.library.labellers).enumerate();
        let sides: Vec<Value> = sides
            .map(|(number, (side, labeller))| {
                let mut shown = side.view().labels(side.type_and_quality.as_ref());
                shown["model"] = json!(labeller.name);
                shown["frame"] = json!(format!("/frame/{key}/{index}/{number}"));
                shown["has_scores"] = json!(labeller.extractor.model().is_some());
                let blocks = shown["blocks"].as_array_mut().into_iter().flatten();
                for (block, (value, place)) in blocks.zip(side.places()).enumerate() {
                    value["place"] = json!(place);
                    if let Some(different) = different.get(number) {
                        value["different"] = json!(different.get(block).copied().unwrap_or(false));
                    }
                }
                shown
            })
            .collect();
        let labels = records.labels(id, &page, first);
        let others = records.others(id, &page, first);
        Ok(json!({
            "page": index,
            "id": id,
            "url": page.url,
            "title": page.title,
            "defect": page.defect,
            "sides": sides,
            "revision": records.revision(id),
            "record": labels.as_ref().map(of_labels),
            "others": others.iter().map(|(name, labels)| {
                let mut value = of_labels(labels);
                value["annotator"] = json!(name);
                value
            }).collect::<Vec<_>>(),
        }))
    })
    .await
}

fn of_labels(labels: &Labels) -> Value {
    json!({
        "state": labels.state,
        "is_changed": labels.is_changed,
        "labels": labels.blocks.iter().map(|b| b.0).collect::<Vec<Label>>(),
        "by": labels.blocks.iter().map(|b| b.1).collect::<Vec<By>>(),
    })
}

/// Saves the labels of a page.
pub(crate) async fn save(State(state): Shares, Path(index): Path<usize>, body: Bytes) -> Response {
    let shared = Arc::clone(&state);
    let work = move |shared: &Shared| -> Result<Value, Failed> {
        let change: Change = read(&body)?;
        let (page, id) = open(shared, index)?;
        let model = &shared.session.library.labellers.first().ok_or_else(not_found)?.name;
        let saved = shared.session.records.save(id, &page, side_of(&page, 0)?, &change, model)?;
        shared.session.library.touch(index);
        match saved {
            Saved::Written(revision) => Ok(json!({ "revision": revision })),
            Saved::Outdated(revision) => {
                let text = format!("another window has saved this page (revision {revision})");
                Err(Failed(StatusCode::CONFLICT, text))
            }
        }
    };
    answer(shared, work).await
}

/// Returns suggested labels from the most similar page of the same site.
pub(crate) async fn similar(State(state): Shares, Path(index): Path<usize>) -> Response {
    answer(state, move |shared| {
        let session = &shared.session;
        if index >= session.library.len() {
            return Err(not_found());
        }
        Ok(match similar::similar(&session.library, &session.records, index)? {
            None => Value::Null,
            Some(found) => json!({
                "page": found.index,
                "id": session.library.id(found.index),
                "similarity": rounded(found.similarity),
                "labels": found.labels,
            }),
        })
    })
    .await
}

/// Returns the agreement of the annotator with each other annotator.
pub(crate) async fn agreement(State(state): Shares) -> Response {
    answer(state, |shared| {
        let library = &shared.session.library;
        let kappa = |kappa: &Kappa| json!({ "by_block": kappa.by_block, "by_letter": kappa.by_letter });
        let one = |(name, found): &(String, Agreement)| {
            let mut pages: Vec<(usize, usize)> = Vec::new();
            for index in found.disagreements.iter().filter_map(|d| library.index_of(&d.id)) {
                match pages.last_mut() {
                    Some((last, count)) if *last == index => *count += 1,
                    _ => pages.push((index, 1)),
                }
            }
            json!({
                "annotator": name,
                "num_pages": found.num_pages,
                "num_blocks": found.num_blocks,
                "num_unmatched": found.num_unmatched,
                "binary": kappa(&found.binary),
                "classes": kappa(&found.classes),
                "num_different": found.disagreements.len(),
                "pages": pages,
            })
        };
        Ok(json!({ "with": shared.session.records.agreements().iter().map(one).collect::<Vec<_>>() }))
    })
    .await
}

/// Returns the units and the metadata of a page.
pub(crate) async fn details(State(state): Shares, Path((index, side)): Path<(usize, usize)>) -> Response {
    answer(state, move |shared| {
        let (page, _) = open(shared, index)?;
        Ok(side_of(&page, side)?.view().details()?)
    })
    .await
}

/// Explains the score of a block.
pub(crate) async fn explain(
    State(state): Shares,
    Path((index, side, block)): Path<(usize, usize, usize)>,
) -> Response {
    answer(state, move |shared| {
        let library = &shared.session.library;
        let labeller = library.labellers.get(side).ok_or_else(not_found)?;
        if labeller.extractor.model().is_none() {
            return Ok(json!({ "why_not": "the page was labelled by a system without scores" }));
        }
        let loaded = library.load(index)?;
        // There is no time limit, because an explanation of one block takes longer than labelling the page.
        let (_, found) = labeller.extractor.explain(&loaded.input(), Some(&[block]), &Budget::UNLIMITED)?;
        found.first().map(explained).ok_or_else(not_found)
    })
    .await
}

/// Returns a page as HTML for its iframe.
pub(crate) async fn framed(
    State(state): Shares,
    Path((key, index, side)): Path<(String, usize, usize)>,
) -> Response {
    if !state.guard.is_frame_key(&key) {
        return (StatusCode::UNAUTHORIZED, "the key is wrong").into_response();
    }
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, FRAME_POLICY)];
    let html = run(state, move |shared| {
        let (page, _) = open(shared, index)?;
        let extraction = &side_of(&page, side)?.extraction;
        Ok(frame(extraction.document(), extraction.page_blocks(), &page.start)?)
    });
    html.await.map(|html| (headers, html)).into_response()
}

/// Parses the body of a request.
fn read<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, Failed> {
    serde_json::from_slice(body)
        .map_err(|e| Failed(StatusCode::BAD_REQUEST, format!("the body of the request is invalid: {e}")))
}
