//! A local web application for the pages of a folder: it shows how a model labels their blocks, and a person corrects
//! the labels.
//!
//! [`Session`] has the pages and the models, [`bind`] and [`Server::run`] run the application on a port of this machine. Every change is
//! in `annotations.jsonl` ([`threshr_io::annotations`]) before the application is told that it is saved.
//!
//! - `page` reads a page and the labels of its blocks.
//! - `frame` writes a page as HTML that can do nothing, with the blocks marked.
//! - `guard` decides which requests are answered, and sets the headers of the answers.
//! - `library` has all pages; threads predict them in the background.
//! - `records` has the labels of people, and `similar` takes labels from a similar page of the site.
//! - `api` answers the requests; `assets` are the files of the application.

mod api;
mod assets;
mod differences;
mod frame;
mod guard;
mod library;
mod page;
mod records;
mod server;
mod session;
mod similar;

pub use frame::frame;
pub use server::{Server, Summary, bind};
pub use session::{Labeller, Mode, Session};
