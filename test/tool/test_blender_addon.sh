#!/bin/bash
# ctest: cli long
# The Blender add-on in Blender itself, without a window: installed from its zip, from an empty scene to a baked cache in one session; mistakes of artists are
# answered in words. Blender is not among the project's packages: where it is missing the test is skipped.
command -v blender >/dev/null || { echo "skipped: there is no blender" && exit 77; }
. "$(dirname "$0")/begin.sh"
"$PLIANT_SOURCE_DIR/scripts/blender.sh" "$PWD/addon.zip" >/dev/null
# Its settings stay out of the home folder of whoever runs the tests.
HOME=$PWD blender -b --factory-startup --python-exit-code 1 --python "$PLIANT_SOURCE_DIR/test/tool/blender_addon.py" -- "$PWD/addon.zip" "$PLIANT" >out 2>err ||
  fail "exit $? of blender"
grep '^ok ' out
grep -qx "ok done" out || fail "Blender did not finish"
