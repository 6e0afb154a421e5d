//! Standard output, which may be closed.
//!
//! If standard output is closed, the Rust runtime opens the null device instead before it calls `main`.
//! Output would then be lost without an error. Therefore, a constructor that runs earlier records whether
//! standard output is open.

use std::io::{self, StdoutLock};
use threshr_core::{Error, Result};

#[cfg(unix)]
mod noted {
    use std::os::fd::AsFd;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    ctor::declarative::ctor! {
        #[ctor(unsafe)]
        fn note() {
            // A closed descriptor cannot be duplicated.
            IS_CLOSED.store(std::io::stdout().as_fd().try_clone_to_owned().is_err(), Relaxed);
        }
    }

    pub(super) fn is_closed() -> bool {
        IS_CLOSED.load(Relaxed)
    }
}

/// Returns standard output.
///
/// # Errors
/// If the program was started with a closed standard output.
pub(super) fn stdout() -> Result<StdoutLock<'static>> {
    #[cfg(unix)]
    if noted::is_closed() {
        let closed = io::Error::other("it was closed when the program started");
        return Err(Error::io("-", closed).expected("an open standard output, or a file for --out"));
    }
    Ok(io::stdout().lock())
}
