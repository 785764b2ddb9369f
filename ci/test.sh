#!/bin/sh
# Passes the tests on a machine with git and rustup, and installs by itself what else they need.
set -eu
cd "$(dirname "$0")/.."
exec </dev/null

say() { printf '\n== %s\n' "$*"; }
run() { say "$@"; "$@"; }

if ! command -v cargo >/dev/null; then
    echo "ci/test.sh: cargo is not here: install Rust from https://rustup.rs, then run this again" >&2
    exit 2
fi
# A part of the toolchain that is missing answers with an error, and rustup brings it.
cargo fmt --version >/dev/null 2>&1 || run rustup component add rustfmt
cargo clippy --version >/dev/null 2>&1 || run rustup component add clippy

run ci/get-model.sh
run cargo fmt --check
run cargo clippy --locked --all-targets -- -D warnings
run cargo clippy --locked --no-default-features -- -D warnings
run cargo test --locked
say "cargo doc"
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked

# The fixtures are crates that must really build: what is measured on them is measured on real code. They build
# outside their folders, which are test data.
root=$PWD
for manifest in fixtures/*/Cargo.toml; do
    [ -f "$manifest" ] || continue
    say "cargo test: $manifest"
    (cd "$(dirname "$manifest")" && CARGO_TARGET_DIR="$root/target/fixtures" cargo test --quiet --locked)
done

# The editors, for real: VS Code in a browser, two versions of Neovim. They try the program that was just built.
DOSSIER=${CARGO_TARGET_DIR:-$root/target}/debug/dossier
export DOSSIER
run ci/vscode.sh
run ci/nvim.sh

say "all is well"
