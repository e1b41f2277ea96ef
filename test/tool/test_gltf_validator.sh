#!/bin/bash
# ctest: cli
# GLB files that the tool writes have no error and no warning by the validator of Khronos: meshes with poses, frames of bodies, frames in the file that a body
# came from. The validator is fetched with what the tests of the studio's page need; where it is missing the test is skipped.
[ -d "$PLIANT_SOURCE_DIR/studio/web/node_modules/gltf-validator" ] || { echo "skipped: there is no gltf-validator (scripts/build_page.sh --tests)" && exit 77; }
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/small_scene.sh"
validate() {
  node "$PLIANT_SOURCE_DIR/test/tool/validate_gltf.mjs" "$@" >out 2>err || fail "validator: $*"
  cat out
}
small_scene scene.json 5
expect 0 run scene.json -o run --format glb,obj
expect 0 convert run/first_0001.obj own.glb
validate run/first.glb own.glb
# The frames become poses of a file, and that file is simulated again.
cat >again.json <<'END'
{
  "pliant": 1, "name": "again", "time": {"frames": 5},
  "meshes": {"box": {"file": "run/first.glb"}},
  "bodies": [{"name": "again", "mesh": "box", "tets": {"points": 100}, "solid": {"examples": ["frame_0005"]}}],
  "colliders": [{"shape": "half_space"}]
}
END
expect 0 run again.json -o again --format glb
validate again/again.glb
