//! Stops long work from outside, such as training at Ctrl-C.
//!
//! A program makes a [`Stop`] and lets each thread of the work [`watch`](Stop::watch) it. Long loops call [`check`] and
//! return its error. A loop that has no errors ends early by [`is_requested`]; its caller then calls [`check`]. A
//! request is never taken back, so no result of a loop that ended early is used.

use crate::{Error, ErrorKind, Result};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static WATCHED: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// A request to stop. All clones are one request.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Requests the stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets [`check`] and [`is_requested`] on this thread report this request, until another one is watched or the
    /// thread ends.
    pub fn watch(&self) {
        WATCHED.with_borrow_mut(|watched| *watched = Some(self.clone()));
    }
}

/// Whether the request that this thread watches is made. `false` if it watches none.
pub fn is_requested() -> bool {
    WATCHED.with_borrow(|watched| watched.as_ref().is_some_and(|stop| stop.0.load(Ordering::Relaxed)))
}

/// Returns an error if the work of this thread shall stop.
///
/// # Errors
/// [`ErrorKind::Interrupted`] if the request that this thread watches is made.
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
