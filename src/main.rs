//! Parse, run, print the cause chain, exit: all of it is `dossier::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    dossier::cli::main()
}
