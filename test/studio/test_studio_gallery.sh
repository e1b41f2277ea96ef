#!/bin/bash
# ctest: cli once long
# Every scene of the gallery in the studio's page: it opens, moves, pauses, steps, goes back and begins again.
set -eu
for program in node npm; do
  command -v $program >/dev/null || { echo "skipped: no $program (packages.txt, section [build])"; exit 77; }
done
command -v chromium >/dev/null || [ -n "${CHROMIUM:-}" ] || { echo "skipped: no chromium (packages.txt, section [test])"; exit 77; }
"$PLIANT" view --help >/dev/null 2>&1 || { echo "skipped: the tool was built without the studio"; exit 77; }
"$PLIANT_SOURCE_DIR/scripts/build_page.sh" --tests
cd "$PLIANT_SOURCE_DIR/studio/web"
node test/world.e2e.mjs
