//! Detection of panics that the project catches. A caught panic in code of the project is also an error.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, Once, PoisonError};

/// Messages of the panics since the last run, on any thread.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

thread_local! {
    /// Whether panics in other crates are expected on this thread, because the project catches them.
    static ALLOWS_OTHERS: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread is running a target. `None` for threads that never ran one.
    static IS_RUNNING: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Runs code. Panics if the code panics or has caught a panic.
///
/// # Panics
/// If there was any panic. The message contains the messages of all panics.
pub(crate) fn none_in(run: impl FnOnce()) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        // Replaces the hook of libFuzzer, which would end the program even if the panic is caught.
        let others = take_hook();
        set_hook(Box::new(move |info| note(info, &*others)));
    });
    IS_RUNNING.set(Some(true));
    let result = catch_unwind(AssertUnwindSafe(run));
    IS_RUNNING.set(Some(false));
    let panics = std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner));
    assert!(result.is_ok() && panics.is_empty(), "{}", panics.join("\n"));
}

/// Runs code that may catch panics in third-party crates.
pub(crate) fn allowing_others<T>(run: impl FnOnce() -> T) -> T {
    ALLOWS_OTHERS.set(true);
    let result = run();
    ALLOWS_OTHERS.set(false);
    result
}

fn note(info: &PanicHookInfo<'_>, others: &dyn Fn(&PanicHookInfo<'_>)) {
    let file = info.location().map(|place| place.file()).unwrap_or_default();
    let is_other = file.contains("/registry/src/") || file.starts_with("/rustc/");
    if is_other && ALLOWS_OTHERS.get() {
        return;
    }
    // Rayon workers also run code of the targets. They are threads without a name, and test threads have a
    // name.
    let is_worker = || std::thread::current().name().is_none();
    if IS_RUNNING.get().unwrap_or_else(is_worker) {
        PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
    } else {
        others(info);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_core::{Result, guard};

    #[test]
    fn caught_panics_are_found() {
        let caught = |message: &'static str| {
            let result =
                catch_unwind(|| none_in(|| drop(guard("1", || -> Result<()> { panic!("{message}") }))));
            result.expect_err("a panic").downcast_ref::<String>().cloned().unwrap_or_default()
        };
        assert!(caught("first").contains("first"));
        let second = caught("second");
        assert!(second.contains("second") && !second.contains("first"), "{second}");
        none_in(|| ());
    }
}
