//! The local HTTP server.

use crate::guard::{Guard, set_headers};
use crate::session::Session;
use crate::{api, assets};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use threshr_core::{Error, Result};

/// Maximum length of a request body, in bytes. The labels of a page with 50,000 blocks are shorter.
const MAX_BODY: usize = 2 << 20;

/// A server that is bound to a port.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    state: Arc<Shared>,
}

/// Summary of the labelled pages of a running server.
#[derive(Debug, Clone)]
pub struct Summary(Arc<Shared>);

impl Summary {
    /// Returns a text with the number of labelled pages, the place of the labels, and the next commands if pages are
    /// done. Returns `None` for a read-only session.
    pub fn text(&self) -> Option<String> {
        let session = &self.0.session;
        let text = session.records.summary()?;
        match session.mode.next_commands().filter(|_| session.records.has_done()) {
            Some(next) => Some(format!("{text}; next: {next}")),
            None => Some(text),
        }
    }
}

/// State that all request handlers share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) session: Session,
    pub(crate) guard: Guard,
}

/// Listens on a port of 127.0.0.1. If `port` is 0, the system selects a free port.
///
/// # Errors
/// If the port is in use.
pub fn bind(session: Session, port: u16) -> Result<Server> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let failed = |e: std::io::Error| {
        Error::invalid_option(format!("the port {port} cannot be used"))
            .expected("a free port, or 0")
            .because(e)
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    Ok(Server { listener, state: Arc::new(Shared { session, guard: Guard::new(port) }) })
}

impl Server {
    /// Returns the URL of the application. The URL gives access to the pages and their labels.
    pub fn address(&self) -> String {
        let port = self.listener.local_addr().map_or(0, |address| address.port());
        // Browsers do not send the fragment after `#`.
        format!("http://127.0.0.1:{port}/#{}", self.state.guard.token())
    }

    /// Returns messages for the user about the annotations, such as a truncated last line.
    pub fn remarks(&self) -> Vec<String> {
        self.state.session.records.remarks()
    }

    /// Returns the summary of the labels. It can be used after [`Server::run`] has consumed the server.
    pub fn summary(&self) -> Summary {
        Summary(Arc::clone(&self.state))
    }

    /// Handles requests until the process ends. Meanwhile, `num_threads` threads label all pages.
    ///
    /// # Errors
    /// If threads or the network are not available.
    pub fn run(self, num_threads: usize) -> Result<()> {
        let failed = |e: std::io::Error| Error::invalid_option("the server cannot be started").because(e);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        self.state.session.library.read_all(num_threads)?;
        let library = Arc::clone(&self.state.session.library);
        let result = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            axum::serve(listener, router(self.state)).await
        });
        library.stop();
        result.map_err(failed)
    }
}

/// Creates the router with all routes.
pub(crate) fn router(state: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(|| async { asset("index.html") }))
        .route("/assets/{name}", get(|Path(name): Path<String>| async move { asset(&name) }))
        .route("/frame/{key}/{page}/{side}", get(api::framed))
        .route("/api/session", get(api::session))
        .route("/api/pages", get(api::pages))
        .route("/api/search", post(api::search))
        .route("/api/agreement", get(api::agreement))
        .route("/api/pages/{page}", get(api::page).post(api::save))
        .route("/api/pages/{page}/similar", get(api::similar))
        .route("/api/pages/{page}/details/{side}", get(api::details))
        .route("/api/pages/{page}/explain/{side}/{block}", get(api::explain))
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is no such address") })
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&state), guarded))
        .with_state(state)
}

/// Returns an error response for requests that the guard rejects, and sets the headers of all responses.
async fn guarded(State(state): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let mut response = match state.guard.check(&parts) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(refused) => refused.into_response(),
    };
    set_headers(response.headers_mut());
    response
}

fn asset(name: &str) -> Response {
    match assets::by_name(name) {
        Some(asset) => ([(header::CONTENT_TYPE, asset.content_type)], asset.content).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such file").into_response(),
    }
}
