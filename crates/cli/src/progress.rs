//! Progress bars.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use threshr_core::progress::Progress;

/// A progress bar on standard error. It is hidden if `--quiet` is given, or if standard error is not a
/// terminal.
pub(super) struct Bar {
    shown: bool,
    bar: Mutex<Option<ProgressBar>>,
}

impl Bar {
    pub(super) fn new(quiet: bool) -> Self {
        Bar { shown: !quiet && std::io::stderr().is_terminal(), bar: Mutex::new(None) }
    }

    fn show(&self, what: &str, total: u64, template: &str) {
        if !self.shown {
            return;
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what.to_owned());
        self.with(|slot| *slot = Some(bar));
    }

    fn with(&self, act: impl FnOnce(&mut Option<ProgressBar>)) {
        act(&mut self.bar.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Progress for Bar {
    fn start(&self, what: &str, total: u64) {
        self.show(what, total, "{msg:24} {bar:30} {pos}/{len} {per_sec} {eta}");
    }
    fn start_amount(&self, what: &str, total: u64) {
        self.show(what, total, "{msg:12} {bar:20} {percent:>3} % {prefix} {bytes_per_sec} {eta}");
    }
    fn set_done(&self, done: u64, note: &str) {
        self.with(|slot| {
            for bar in slot.iter() {
                bar.set_prefix(note.to_owned());
                bar.set_position(done);
            }
        });
    }
    fn step(&self) {
        self.with(|slot| slot.iter().for_each(|b| b.inc(1)));
    }
    fn finish(&self) {
        self.with(|slot| slot.take().iter().for_each(ProgressBar::finish_and_clear));
    }
}
