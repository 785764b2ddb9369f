#!/bin/sh
# Tests the plugin for Neovim in an old and a new Neovim, over a real rust-analyzer and a stand-in for Ollama; installs by
# itself what it needs.
# usage: ci/nvim.sh
#   DOSSIER                    the program (default: target/debug/dossier)
#   DOSSIER_NVIMS              Neovims to test, instead of those of Debian trixie and sid
#   DOSSIER_BENCH_WORKSPACE    a workspace to measure a warm explain in, besides the fixture
set -eu
cd "$(dirname "$0")/.."
exec </dev/null
root=$PWD
# No file of tests may take longer, in seconds.
longest=300

say() { printf '\n== %s\n' "$*"; }
fail() { echo "ci/nvim.sh: $*" >&2; exit 2; }

needed=
for tool in node:nodejs tmux:tmux patchelf:patchelf; do
    command -v "${tool%%:*}" >/dev/null || needed="$needed ${tool#*:}"
done
if [ -n "$needed" ]; then
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || fail "install$needed, then run this again"
    say "apt-get install$needed"
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $needed >/dev/null
fi
rustup component add rust-analyzer rust-src >/dev/null 2>&1 || fail "rust-analyzer is missing: rustup component add rust-analyzer"

DOSSIER=${DOSSIER:-$root/target/debug/dossier}
[ -x "$DOSSIER" ] || fail "$DOSSIER is not there: cargo build, then run this again"
if [ -z "${DOSSIER_NVIMS:-}" ]; then
    for suite in trixie sid; do
        ci/get-nvim.sh "$suite" "target/editors/nvim-$suite"
        DOSSIER_NVIMS="${DOSSIER_NVIMS:-} $root/target/editors/nvim-$suite/bin/nvim"
    done
fi

# All that is kept goes to a folder of this run; the mark finds its processes.
scratch=$(mktemp -d)
EDITOR_TEST_RUN=$scratch
OLLAMA_DOUBLE=$root/editors/test/ollama.mjs
RUST_ANALYZER=$(rustup which rust-analyzer)
export DOSSIER EDITOR_TEST_RUN OLLAMA_DOUBLE RUST_ANALYZER
for name in CACHE CONFIG DATA STATE RUNTIME; do
    mkdir -m 700 "$scratch/$name"
done
export XDG_CACHE_HOME="$scratch/CACHE" XDG_CONFIG_HOME="$scratch/CONFIG" XDG_DATA_HOME="$scratch/DATA"
export XDG_STATE_HOME="$scratch/STATE" XDG_RUNTIME_DIR="$scratch/RUNTIME"
# A daemon is wanted, as users have it; nobody's own settings are. (What begins with DOSSIER_ is a setting.)
export EDITOR_BENCH_WORKSPACE="${DOSSIER_BENCH_WORKSPACE:-}"
unset CI OLLAMA_HOST OLLAMA_MODEL DOSSIER_BENCH_WORKSPACE

# Processes of this run that still are there.
left() {
    for environ in /proc/[0-9]*/environ; do
        if grep -qsF "EDITOR_TEST_RUN=$scratch" "$environ"; then
            process=${environ%/environ}
            echo "${process#/proc/}"
        fi
    done
}

clean() {
    status=$?
    trap - EXIT
    "$DOSSIER" daemon stop >/dev/null 2>&1 || true
    tries=0
    while [ -n "$(left)" ] && [ $tries -lt 50 ]; do
        sleep 0.2
        tries=$((tries + 1))
    done
    for process in $(left); do
        echo "ci/nvim.sh: left behind: $(tr '\0' ' ' <"/proc/$process/cmdline")" >&2
        kill "$process" 2>/dev/null || true
        status=1
    done
    rm -rf "$scratch"
    exit $status
}
trap clean EXIT
trap 'exit 1' INT TERM HUP

tests=$root/editors/nvim/tests
for nvim in $DOSSIER_NVIMS; do
    say "$("$nvim" --version | head -1)"
    for file in features failures terminal; do
        timeout $longest "$nvim" --headless -n -i NONE -u "$tests/init.lua" -c "luafile $tests/$file.lua" -c "cquit 3"
    done
done
say "all is well"
