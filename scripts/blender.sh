#!/bin/bash
# Packs the Blender add-on: scripts/blender.sh [FILE]. The parameters of its panels are those of docs/scene.schema.json, which goes into the zip.
set -eu
cd "$(dirname "$0")/.."
zip=$(realpath -m "${1:-build/pliant-blender.zip}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$(dirname "$zip")" "$scratch/pliant_blender"
cp blender/pliant_blender/*.py docs/scene.schema.json LICENSE "$scratch/pliant_blender"
# Python's own packer: the program zip is not on every machine. Fixed times make equal zips of equal files.
(cd "$scratch" && python3 - "$zip" <<'END'
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for name in sorted(os.listdir("pliant_blender")):
        entry = zipfile.ZipInfo("pliant_blender/" + name, (2020, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        archive.writestr(entry, open("pliant_blender/" + name, "rb").read())
END
)
echo "$zip"
