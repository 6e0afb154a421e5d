//! The `threshr` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    threshr::cli::main()
}
