//! What of `.cargo/config.toml` has Cargo run programs, by Cargo's reference of its configuration.

use super::document::{self, Leaf, Said};
use super::{flags, variables};

/// Programs that Cargo runs in place of the compiler or around it, in `[build]`.
const PROGRAMS: [&str; 4] = ["rustc", "rustc-wrapper", "rustc-workspace-wrapper", "rustdoc"];
/// In `[build]`, those that an empty text switches off.
const WRAPPERS: [&str; 2] = ["rustc-wrapper", "rustc-workspace-wrapper"];
/// Credential providers that are part of Cargo and start nothing. `cargo:token-from-stdout` runs a command.
const OWN_PROVIDERS: [&str; 5] =
    ["cargo:token", "cargo:paseto", "cargo:libsecret", "cargo:macos-keychain", "cargo:wincred"];

/// What in this text could run a program.
pub(super) fn check(text: &str) -> Said {
    document::check(text, of_leaf)
}

/// `target.*.linker` and `runner` are harmless here: nothing is linked, and nothing that was built is run.
fn of_leaf(leaf: &Leaf<'_>) -> Option<String> {
    let keys: Vec<String> = leaf.path.iter().map(|key| key.replace('_', "-")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let runs = || Some(format!("{} runs {}", leaf.name(), leaf.shown()));
    match keys.as_slice() {
        ["build", key, ..] if PROGRAMS.contains(key) => {
            let is_off = WRAPPERS.contains(key) && leaf.texts().is_some_and(|texts| texts == [""]);
            if is_off { None } else { runs() }
        }
        ["build", "target"] if leaf.texts().is_some_and(|texts| texts.iter().any(is_file)) => {
            Some(format!("{} gives rustc options from the file {}", leaf.name(), leaf.shown()))
        }
        ["registry" | "registries", .., "credential-provider" | "global-credential-providers"] => {
            let own = leaf.arguments().is_some_and(|all| all.iter().all(|one| OWN_PROVIDERS.contains(one)));
            if own { None } else { runs() }
        }
        ["credential-alias", ..] => runs(),
        ["include", ..] => Some(format!("{} reads more of it from {}", leaf.name(), leaf.shown())),
        ["env", ..] => {
            // As it is written: `_` belongs to a variable's name.
            let variable = leaf.path.get(1)?;
            variables::steers_programs(variable)
                .then(|| format!("env.{variable} can change which programs run"))
        }
        [.., "rustflags"] => match leaf.arguments() {
            Some(arguments) => flags::unknown(&arguments).map(|flag| of_flag(leaf, flag)),
            None => Some(format!("{} is {}", leaf.name(), leaf.shown())),
        },
        [.., "codegen-backend"] => Some(format!("{} has rustc load {}", leaf.name(), leaf.shown())),
        _ => None,
    }
}

fn is_file(target: &&str) -> bool {
    target.to_ascii_lowercase().ends_with(".json")
}

fn of_flag(leaf: &Leaf<'_>, flag: &str) -> String {
    format!("{} gives rustc {flag:?}, which is not known to be harmless", leaf.name())
}
