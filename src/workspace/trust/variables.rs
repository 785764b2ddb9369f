//! Which variables of the environment decide what programs run, when `[env]` of a Cargo configuration sets them for rustc.

/// Beginnings of the names of those that do: the loader's, the compiler's, rustup's, git's.
const STEERING: [&str; 9] =
    ["LD_", "DYLD_", "RUSTC", "RUSTDOC", "RUSTFLAGS", "RUSTUP_", "GIT_", "SSH_", "CARGO_"];
/// Whole names: where programs, and what belongs to the user, are looked for.
const STEERING_NAMES: [&str; 13] = [
    "PATH",
    "HOME",
    "USERPROFILE",
    "CARGO",
    "RUSTUP",
    "SHELL",
    "COMSPEC",
    "PATHEXT",
    "SYSTEMROOT",
    "GCONV_PATH",
    "LIBPATH",
    "SHLIB_PATH",
    "GLIBC_TUNABLES",
];
/// Of the above, those that are often set and steer nothing.
const HARMLESS: [&str; 10] = [
    "RUSTC_BOOTSTRAP",
    "RUSTC_LOG",
    "CARGO_WORKSPACE_",
    "CARGO_MANIFEST_",
    "CARGO_PKG_",
    "CARGO_TARGET_DIR",
    "CARGO_TERM_",
    "CARGO_NET_",
    "CARGO_INCREMENTAL",
    "CARGO_RUSTC_CURRENT_DIR",
];

/// Windows does not tell `Path` from `PATH`.
pub(super) fn steers_programs(variable: &str) -> bool {
    let variable = variable.to_ascii_uppercase();
    let begins = |names: &[&str]| names.iter().any(|name| variable.starts_with(name));
    (begins(&STEERING) || STEERING_NAMES.contains(&variable.as_str())) && !begins(&HARMLESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_steer_are_told_from_the_rest() {
        for steering in
            ["LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "Path", "RUSTC_WRAPPER", "RUSTUP_TOOLCHAIN", "HOME"]
        {
            assert!(steers_programs(steering), "{steering}");
        }
        for steering in [
            "CARGO_BUILD_RUSTC",
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS",
            "CARGO",
            "GIT_SSH_COMMAND",
        ] {
            assert!(steers_programs(steering), "{steering}");
        }
        for harmless in
            ["CARGO_WORKSPACE_DIR", "RUSTC_BOOTSTRAP", "RUST_LOG", "DATABASE_URL", "CC", "CARGO_TARGET_DIR"]
        {
            assert!(!steers_programs(harmless), "{harmless}");
        }
    }
}
