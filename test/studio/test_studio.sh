#!/bin/bash
# ctest: cli once
# The studio's page in a browser without a display: its parts alone, its panels with a stand-in for the server, and a scene of every method with the tool
# itself. test_studio_gallery.sh leads through all scenes.
set -eu
web=$PLIANT_SOURCE_DIR/studio/web
for program in node npm; do
  command -v $program >/dev/null || { echo "skipped: no $program (packages.txt, section [build])"; exit 77; }
done
command -v chromium >/dev/null || [ -n "${CHROMIUM:-}" ] || { echo "skipped: no chromium (packages.txt, section [test])"; exit 77; }
"$PLIANT" view --help >/dev/null 2>&1 || { echo "skipped: the tool was built without the studio"; exit 77; }
"$PLIANT_SOURCE_DIR/scripts/build_page.sh" --tests
cd "$web"
node --test test/unit/*.test.mjs
node test/panels.e2e.mjs
python3 "$PLIANT_SOURCE_DIR/test/tool/make_character.py" "$OLDPWD/bald.gltf" bald
node test/springs.e2e.mjs "$OLDPWD/bald.gltf"
node test/world.e2e.mjs jelly-drop solid-camera rod-tuft fem-squeeze detail-cube actor-i capture-bar
