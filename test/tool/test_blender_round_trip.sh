#!/bin/bash
# ctest: cli long
# A file of Blender with shape keys, textures, colours and vertex numbers is simulated and comes back whole: vertices in their order, texture coordinates,
# materials and names from the GLB, Blender's own vertex numbers from the PC2, everything in its place to 1e-5 m. Blender is not among the project's packages:
# where it is missing the test is skipped.
command -v blender >/dev/null || { echo "skipped: there is no blender" && exit 77; }
blender -b --factory-startup --python-exit-code 1 --python-expr 'import numpy' >/dev/null 2>&1 ||
  { echo "skipped: blender has no numpy, which its importer of glTF needs" && exit 77; }
. "$(dirname "$0")/begin.sh"
# Its settings stay out of the home folder of whoever runs the tests.
in_blender() {
  HOME=$PWD blender -b --factory-startup --python-exit-code 1 --python "$PLIANT_SOURCE_DIR/test/tool/blender_round_trip.py" -- "$1" >out 2>err ||
    fail "$1: exit $? of blender: $(grep '^not ok' out err)"
  grep '^ok ' out
  grep -qx "ok done" out || fail "Blender did not finish: $1"
}
in_blender export
cat >scene.json <<'END'
{
  "pliant": 1, "name": "ball", "time": {"frames": 20, "frame_rate": 24},
  "meshes": {"ball": {"file": "ball.glb"}},
  "bodies": [{"name": "ball", "mesh": "ball", "tets": {"points": 300}, "solid": {"examples": ["squash"]}}],
  "colliders": [{"shape": "half_space"}]
}
END
expect 0 run scene.json -o run --format pc2,glb
in_blender compare
# Painted weights hold the top of the ball where it is.
sed -i 's/"mesh": "ball",/"mesh": "ball", "pins": [{"group": "TOP"}, {"group": "color.red"}],/' scene.json
expect 0 run scene.json -o pinned --format pc2
