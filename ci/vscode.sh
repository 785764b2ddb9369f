#!/bin/bash
# Builds the extension for VS Code and tries it in a real VS Code in a real browser, against the binary that $DOSSIER names (default
# target/debug/dossier). What is missing is installed: with apt where this is root, and from npm into target/editors, where it stays.
#
#     ci/vscode.sh            all of it; the pictures are in target/editors/pictures
#     ci/vscode.sh setup      only what is installed
#
# VS Code comes as code-server from npm: the package holds VS Code itself, served to a browser.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
root=$PWD
cache=$root/target/editors
extension=$root/editors/vscode
code_server_version=4.99.4 # VS Code 1.99.3, for Node 20
mkdir -p "$cache"

say() { printf '\n== %s\n' "$*"; }
fail() {
    echo "ci/vscode.sh: $*" >&2
    exit 2
}
# Runs a command that talks much, and shows what it said only where it fails.
quietly() {
    local log=$cache/$1.log
    shift
    "$@" >"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        fail "failed: $* (all of it: $log)"
    }
}

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

# A browser, and what VS Code's own modules are compiled with.
system_packages() {
    local missing=() package
    browser >/dev/null || missing+=(chromium)
    command -v rg >/dev/null || missing+=(ripgrep)
    command -v make >/dev/null || missing+=(make)
    command -v g++ >/dev/null || missing+=(g++)
    command -v python3 >/dev/null || missing+=(python3)
    command -v pkg-config >/dev/null || missing+=(pkg-config)
    if command -v apt-get >/dev/null && [ ! -x "$cache/code-server/code-server" ]; then
        for package in libsecret-1-dev libkrb5-dev libx11-dev libxkbfile-dev fonts-dejavu-core; do
            dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
        done
    fi
    [ ${#missing[@]} -eq 0 ] && return
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        fail "missing here: ${missing[*]}. Install them, then run this again"
    fi
    say "apt-get install ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    # A folder of its own for what is fetched: another apt at the same time may empty the usual one.
    mkdir -p "$cache/apt/partial"
    quietly apt-update apt-get -o DPkg::Lock::Timeout=300 -q update
    quietly apt-install apt-get -o DPkg::Lock::Timeout=300 -o "Dir::Cache::archives=$cache/apt" -qy \
        install --no-install-recommends "${missing[@]}"
    rm -rf "$cache/apt"
}

# code-server's own installation downloads, from where it need not be reachable: its steps are taken here, without the downloads.
code_server() {
    local prefix=$cache/code-server
    if [ -x "$prefix/code-server" ] && "$prefix/code-server" --version 2>/dev/null | grep -q "^$code_server_version "; then
        return
    fi
    say "code-server $code_server_version"
    rm -rf "$prefix" && mkdir -p "$prefix"
    cd "$prefix"
    echo '{ "private": true }' >package.json
    # Node's own headers, so that nothing is fetched to compile against.
    local headers
    headers=$(dirname "$(dirname "$(realpath "$(command -v node)")")")
    export npm_config_nodedir=$headers npm_config_yes=true # a module asks npx for node-gyp
    quietly code-server-1 npm install "code-server@$code_server_version" --ignore-scripts --force --no-audit --no-fund
    quietly code-server-2 npm rebuild argon2
    cd node_modules/code-server/lib/vscode
    quietly code-server-3 npm install --ignore-scripts --omit=dev --no-audit --no-fund
    (cd extensions && quietly code-server-4 npm install --ignore-scripts --omit=dev --no-audit --no-fund)
    mkdir -p node_modules/@vscode/ripgrep/bin
    cp "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
    quietly code-server-5 npm rebuild
    ln -sfn node_modules node_modules.asar
    printf '#!/bin/sh\nexec %s %s/node_modules/code-server/out/node/entry.js "$@"\n' "$(command -v node)" "$prefix" \
        >"$prefix/code-server"
    chmod +x "$prefix/code-server"
    cd "$root"
    "$prefix/code-server" --version | grep -q "^$code_server_version " || fail "code-server does not start: $prefix"
}

command -v node >/dev/null || fail "node is not here: install Node.js 20, then run this again"
system_packages
code_server
[ "${1:-}" = setup ] && exit

program=${DOSSIER:-$root/target/debug/dossier}
[ -x "$program" ] || fail "there is no program at $program: \`cargo build\` makes it, or DOSSIER names another"

cd "$extension"
say "npm ci"
# Only where the lock file has changed since.
if [ ! -d node_modules ] || ! cmp -s package-lock.json "$cache/vscode-lock.json"; then
    quietly npm-ci npm ci --no-audit --no-fund
    cp package-lock.json "$cache/vscode-lock.json"
fi
say "npm run package"
quietly package npm run package
quietly stand-in npm run stand-in

say "npm test"
export CODE_SERVER=$cache/code-server/code-server BROWSER PICTURES=$cache/pictures
export VSIX=$extension/dossier.vsix STAND_IN=$extension/test/rust-analyzer-stand-in/stand-in.vsix
export DOSSIER=$program RUST_ANALYZER
BROWSER=$(browser)
RUST_ANALYZER=$(rustup which rust-analyzer 2>/dev/null || true)
if [ -z "$RUST_ANALYZER" ]; then
    say "rustup component add rust-analyzer rust-src"
    rustup component add rust-analyzer rust-src
    RUST_ANALYZER=$(rustup which rust-analyzer)
fi
rm -rf "$PICTURES" && mkdir -p "$PICTURES"
# A run takes three minutes or four; what it starts ends with it.
timeout --kill-after=30 900 npm test
