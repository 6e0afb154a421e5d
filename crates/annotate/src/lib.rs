//! A local web application for the pages of a folder. It shows how a model labels their blocks, and an
//! annotator corrects the labels.
//!
//! A [`Session`] contains the pages and the models. [`bind`] and [`Server::run`] run the application on a
//! local port. Every change is written to `annotations.jsonl` ([`threshr_sets::annotations`]) before the
//! application gets a response.
//!
//! - `page` reads a page and labels its blocks.
//! - `guard` rejects forbidden requests, and sets the headers of the responses.
//! - `library` contains all pages. Threads label them in the background.
//! - `records` contains the labels of annotators. `similar` suggests labels from a similar page of the same site.
//! - `api` handles the API requests. `assets` contains the static files of the application.

mod api;
mod assets;
mod differences;
mod guard;
mod library;
mod page;
mod records;
mod server;
mod session;
mod similar;

pub use server::{Server, Summary, bind};
pub use session::{Labeller, Mode, Session};
