#!/bin/bash
# scripts/make_studio_pictures.sh [NAME...]: make the pictures of the studio in docs/, or those whose file is called NAME.png, with the commands that stand on the pages.
# scripts/make_studio_pictures.sh SCENE.json … --picture FILE: make one; studio/web/test/picture.mjs lists the options.
# Needs chromium and Node; the tool is build/pliant, or $PLIANT.
set -euo pipefail
cd "$(dirname "$0")/.."
PLIANT=$(realpath "${PLIANT:-build/pliant}")
export PLIANT
scripts/build_page.sh --tests
if [[ "${1:-}" == *.json ]]; then
  exec node studio/web/test/picture.mjs "$@"
fi
grep -ohE '`scripts/make_studio_pictures\.sh [^` ]+\.json [^`]*--picture [^` ]+\.png`' README.md docs/*.md | tr -d '`' | sort -u | while read -r -a words; do
  name=$(basename "${words[-1]}" .png)
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  echo "${words[-1]}"
  node studio/web/test/picture.mjs "${words[@]:1}" </dev/null
done
