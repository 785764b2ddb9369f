//! Parse, run, print the cause chain, exit: all of it is `dossier::cli`; serving an editor is `dossier::lsp_server`.

use std::process::ExitCode;

use dossier::cli::Ended;

fn main() -> ExitCode {
    match dossier::cli::main() {
        Ended::Exit(code) => code,
        Ended::Serve { is_alone } => dossier::lsp_server::main(is_alone),
    }
}
