//! Draws pages with an installed Chromium: page or address → the page after its scripts, and its geometry.
//!
//! A [`Browser`] is a Chromium without windows, with a new profile. [`Browser::draw`] opens a page in a
//! context of its own and takes one snapshot, from which both the HTML and the geometry are written, so that
//! they fit.
//!
//! Chromium is driven by the DevTools protocol over two pipes. No port is open that a page or another user
//! could reach, and Chromium ends when this program ends, however it ends.
//!
//! Without [`Settings::network`] a page cannot reach the network: its requests are refused, and Chromium
//! resolves no name and no address. Pages are served under the address `http://page.invalid/`, so they can
//! read no file.

mod browser;
mod find;
mod geometry;
mod html;
mod page;
mod pipe;
mod profile;
mod snapshot;

pub use browser::{Browser, kill_all};
pub use find::find;
pub use page::Drawn;

use std::path::PathBuf;
use std::time::Duration;

/// Settings of a [`Browser`] and of its pages.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The program; see [`find`].
    pub chromium: PathBuf,
    /// Width of the window in CSS pixels.
    pub width: u32,
    /// Height of the window in CSS pixels.
    pub height: u32,
    /// Time for scripts after the page is loaded.
    pub wait: Duration,
    /// Longest time for a page. A page that is still loading after 60 % of it is drawn as it is then.
    pub timeout: Duration,
    /// Whether pages may use the network.
    pub network: bool,
    /// Whether Chromium's sandbox is on. It cannot be on for the user root.
    pub sandbox: bool,
}

impl Settings {
    /// The defaults: a window of 1280 × 1024, 500 ms for scripts, 30 s for a page, no network, with sandbox.
    pub fn new(chromium: PathBuf) -> Self {
        Settings {
            chromium,
            width: 1280,
            height: 1024,
            wait: Duration::from_millis(500),
            timeout: Duration::from_secs(30),
            network: false,
            sandbox: true,
        }
    }
}

/// What is drawn.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// An address, `http` or `https`. It needs [`Settings::network`].
    Address(&'a str),
    /// A page.
    Page {
        /// Its HTML.
        html: &'a str,
        /// Its address, to which its links are relative. The page is not opened at this address.
        address: Option<&'a str>,
    },
}

/// Whether this program runs as root. Chromium's sandbox cannot be on then.
#[cfg(unix)]
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
/// Whether this program runs as root. Chromium's sandbox cannot be on then.
#[cfg(not(unix))]
pub fn is_root() -> bool {
    false
}
