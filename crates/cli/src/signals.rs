//! Signals that end the program.

use crate::{end_of_run, remark};

/// Installs handlers that remove temporary files and exit with the code of the signal: 130 for Ctrl-C, 143 for
/// SIGTERM, 129 for a hang-up. A signal that the parent process ignores, as `nohup` ignores hang-ups, stays ignored.
#[cfg(unix)]
pub(super) fn handle() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let ignored = ignored(std::fs::read_to_string("/proc/self/status").ok().as_deref());
    let is_handled = |signal: &i32| match ignored {
        Some(ignored) => ignored >> (signal - 1) & 1 == 0,
        // If the ignored signals are unknown, the action for a hang-up stays as the parent process set it.
        None => *signal != SIGHUP,
    };
    let set =
        Signals::new([SIGHUP, SIGINT, SIGTERM].iter().filter(|s| is_handled(s))).and_then(|mut signals| {
            let wait = move || signals.forever().take(1).for_each(|signal| end_of_run(128 + signal));
            std::thread::Builder::new().name("signals".to_owned()).spawn(wait)
        });
    if set.is_err() {
        say_none();
    }
}

/// Installs a handler of Ctrl-C that removes temporary files and exits with code 130.
#[cfg(not(unix))]
pub(super) fn handle() {
    if ctrlc::set_handler(|| end_of_run(130)).is_err() {
        say_none();
    }
}

/// Warns that no handler is installed. The signals still end the program.
fn say_none() {
    remark("no handler for Ctrl-C could be set; an interrupted run may leave a temporary file");
}

/// Returns the bits of the signals that this process ignores, from the text of `/proc/self/status`.
#[cfg(unix)]
fn ignored(status: Option<&str>) -> Option<u64> {
    let line = status?.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_found() {
        let status = "Name:\tthreshr\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\nSigCgt:\t0\n";
        assert_eq!(ignored(Some(status)), Some(0x1001));
        assert_eq!((ignored(Some("Name: x")), ignored(None)), (None, None));
    }
}
