//! `threshr man`: manual pages of all commands.

use crate::guard::Guard;
use crate::{command, write_file};
use clap::Command;
use clap_mangen::Man;
use std::path::Path;
use threshr_core::{Error, Result};

/// Writes one manual page for each command into a folder, such as `threshr-predict.1`.
pub(super) fn run(out: &Path) -> Result<()> {
    Guard::default().folder("--out", out, false)?;
    std::fs::create_dir_all(out).map_err(|e| Error::io(out, e))?;
    let mut all = command().disable_help_subcommand(true);
    // gives the subcommands their full names
    all.build();
    write_pages(&all, out)
}

fn write_pages(command: &Command, out: &Path) -> Result<()> {
    let page = Man::new(command.clone()).source(concat!("threshr ", env!("CARGO_PKG_VERSION")));
    let path = out.join(page.get_filename());
    let mut bytes = Vec::new();
    page.render(&mut bytes).map_err(|e| Error::io(&path, e))?;
    // Examples keep their lines.
    let text = String::from_utf8_lossy(&bytes).replace(".SH EXTRA\n", ".SH EXTRA\n.nf\n");
    write_file(&path, text.as_bytes())?;
    command.get_subcommands().try_for_each(|sub| write_pages(sub, out))
}
