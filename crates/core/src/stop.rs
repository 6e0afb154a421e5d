//! Cancellation of long-running work, such as training after Ctrl-C.
//!
//! A program creates a [`Stop`], and each worker thread calls [`watch`](Stop::watch). Long loops call [`check`] and
//! return its error. A loop that cannot return errors ends early if [`is_requested`] is true; its caller then calls
//! [`check`]. A request cannot be withdrawn, so this [`check`] always fails after an early end, and the incomplete
//! result is not used.

use crate::{Error, ErrorKind, Result};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static WATCHED: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// A request to stop. All clones share the same request.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Requests the stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets this thread watch the request: on this thread, [`check`] and [`is_requested`] then test whether it has
    /// been made. This ends when the thread watches another request or ends.
    pub fn watch(&self) {
        WATCHED.with_borrow_mut(|watched| *watched = Some(self.clone()));
    }
}

/// Returns whether the request that this thread watches has been made. Returns `false` if the thread watches none.
pub fn is_requested() -> bool {
    WATCHED.with_borrow(|watched| watched.as_ref().is_some_and(|stop| stop.0.load(Ordering::Relaxed)))
}

/// Returns an error if this thread is requested to stop.
///
/// # Errors
/// [`ErrorKind::Interrupted`] if the request that this thread watches has been made.
pub fn check() -> Result<()> {
    match is_requested() {
        true => Err(Error::new(ErrorKind::Interrupted, "the work is stopped")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_reaches_the_threads_that_watch_it() {
        let stop = Stop::default();
        let watching = |watch: bool| {
            let stop = stop.clone();
            let run = move || {
                if watch {
                    stop.watch();
                }
                let before = is_requested();
                stop.request();
                (before, is_requested(), check().map_err(|e| e.kind))
            };
            std::thread::spawn(run).join().expect("a thread")
        };
        assert_eq!(watching(true), (false, true, Err(ErrorKind::Interrupted)));
        assert_eq!(watching(false), (false, false, Ok(())));
        assert!(!is_requested());
    }
}
