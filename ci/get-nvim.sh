#!/bin/sh
# Puts the Neovim of a Debian suite under PREFIX, with its own libraries; the system is left as it is.
# usage: ci/get-nvim.sh trixie|sid PREFIX        on a Debian with patchelf
set -eu
suite=$1
prefix=$(mkdir -p "$2" && cd "$2" && pwd)
[ ! -x "$prefix/bin/nvim" ] || exit 0

# From where the system itself takes its packages.
sources=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | grep -v '^ *#' || true)
archive=$(printf '%s\n' "$sources" | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -1 | tr -d ' ')
if [ -z "$archive" ] || ! command -v patchelf >/dev/null; then
    echo "ci/get-nvim.sh: needs a Debian with patchelf; elsewhere name your own Neovims in DOSSIER_NVIMS" >&2
    exit 2
fi

apt=$prefix/.apt
rm -rf "$apt"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts" "$apt/debs"
: >"$apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $suite main" >"$apt/sources.list"
cat >"$apt/apt.conf" <<CONF
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/parts";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Architecture "$(dpkg --print-architecture)";
APT::Sandbox::User "root";
CONF
export APT_CONFIG="$apt/apt.conf"
apt-get update -qq
packages=$(apt-get install -s --no-install-recommends neovim 2>/dev/null | awk '/^Inst/{print $2}')
# shellcheck disable=SC2086
(cd "$apt/debs" && apt-get download -qq $packages)
for deb in "$apt"/debs/*.deb; do dpkg -x "$deb" "$prefix"; done

# The interpreter is patched in, not wrapped: a wrapper would make v:progpath the dynamic loader.
loader=$(find "$prefix/usr/lib" -name 'ld-linux*' | head -1)
libraries=$(dirname "$loader")
patchelf --set-interpreter "$loader" --set-rpath "$libraries" --force-rpath "$prefix/usr/bin/nvim"
rm -rf "$apt"
mkdir -p "$prefix/bin"
ln -sf ../usr/bin/nvim "$prefix/bin/nvim"
"$prefix/bin/nvim" --version | head -1
