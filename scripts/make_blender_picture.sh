#!/bin/bash
# Draws a picture in Blender with the add-on: scripts/make_blender_picture.sh SCRIPT.py --picture FILE.png. The script gets the add-on's zip, the tool and the
# picture. The tool is build/pliant, or $PLIANT.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 3 ] && [ "$2" = --picture ] || { echo "usage: $0 SCRIPT.py --picture FILE.png" >&2 && exit 2; }
command -v blender >/dev/null || { echo "$0: there is no blender" >&2 && exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
scripts/blender.sh "$scratch/addon.zip" >/dev/null
HOME=$scratch blender -b --factory-startup --python-exit-code 1 --python "$1" -- "$scratch/addon.zip" "$(realpath "${PLIANT:-build/pliant}")" "$3" >"$scratch/log" 2>&1 ||
  { cat "$scratch/log" >&2 && exit 1; }
