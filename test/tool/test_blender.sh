#!/bin/bash
# ctest: cli long
# The recipes for Blender in docs/formats.md, followed by Blender itself without a window: every frame must stand where Pliant put it, turned from +Y up to
# +Z up. Blender is not among the project's packages: where it is missing the test is skipped.
command -v blender >/dev/null || { echo "skipped: there is no blender" && exit 77; }
blender -b --factory-startup --python-exit-code 1 --python-expr 'import numpy' >/dev/null 2>&1 ||
  { echo "skipped: blender has no numpy, which its importer of glTF needs" && exit 77; }
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/small_scene.sh"
small_scene scene.json 6
expect 0 run scene.json -o run --format pc2,glb,obj
expect 0 convert run/first_0001.obj own.glb
cp run/first_0001.obj own.obj
# Its settings stay out of the home folder of whoever runs the tests.
HOME=$PWD blender -b --factory-startup --python-exit-code 1 --python "$PLIANT_SOURCE_DIR/test/tool/follow_blender_recipe.py" -- \
  "$PLIANT_SOURCE_DIR/docs/formats.md" >out 2>err || fail "exit $? of blender"
grep '^ok ' out
for claim in "Mesh Cache on own.obj" "Mesh Cache on own.glb" "first.glb by itself"; do
  grep -qx "ok $claim" out || fail "Blender did not get as far as: $claim"
done
