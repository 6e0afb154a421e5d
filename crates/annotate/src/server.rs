//! The server on a port of this machine.

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

/// Largest body of a request, in bytes. The labels of a page with 50,000 blocks take less.
const MAX_BODY: usize = 2 << 20;

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    state: Arc<Shared>,
}

/// Counts the pages that are labelled in a running server.
#[derive(Debug, Clone)]
pub struct Summary(Arc<Shared>);

impl Summary {
    /// How many pages are done, and where their labels are saved; `None` for a view that writes nothing.
    pub fn text(&self) -> Option<String> {
        self.0.session.records.summary()
    }
}

/// What the handlers of requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) session: Session,
    pub(crate) guard: Guard,
}

/// Listens on a port of 127.0.0.1; 0 is a free port.
///
/// # Errors
/// If the port is in use.
pub fn bind(session: Session, port: u16) -> Result<Server> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let failed = |e: std::io::Error| {
        Error::recipe(format!("the port {port} cannot be used")).expected("a free port, or 0").because(e)
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    Ok(Server { listener, state: Arc::new(Shared { session, guard: Guard::new(port) }) })
}

impl Server {
    /// The address to open. Whoever knows it can read the pages and change the labels.
    pub fn address(&self) -> String {
        let port = self.listener.local_addr().map_or(0, |address| address.port());
        // browsers do not send the part after #
        format!("http://127.0.0.1:{port}/#{}", self.state.guard.token())
    }

    /// What the user should know about the annotations, such as a cut last line.
    pub fn remark(&self) -> Option<String> {
        self.state.session.records.cut()
    }

    /// What the labels of the session are, for the time after [`Server::run`] has taken the server.
    pub fn summary(&self) -> Summary {
        Summary(Arc::clone(&self.state))
    }

    /// Answers requests until the process ends. `num_threads` threads read all pages meanwhile.
    ///
    /// # Errors
    /// If the system gives no threads or no network.
    pub fn run(self, num_threads: usize) -> Result<()> {
        let failed = |e: std::io::Error| Error::recipe("the server cannot be started").because(e);
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

/// All addresses that are answered.
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

/// Refuses what the guard refuses, and sets the headers of all answers.
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
