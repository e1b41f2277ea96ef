#!/bin/bash
# ctest: cli long
# The GLB files of run and convert before an independent judge, the Khronos validator (test/oracle). It runs on node, which is not among the
# project's packages: where node, or a way to get the validator, is missing the test is skipped.
set -eu
oracle=$PLIANT_SOURCE_DIR/test/oracle
skip() {
  echo "skipped: $*"
  exit 77
}
command -v node >/dev/null || skip "there is no node"
# Installed once in the folder of this test, unless it is already next to the script.
if [ -d "$oracle/node_modules/gltf-validator" ]; then
  judge=$oracle/validate_gltf.mjs
else
  mkdir -p oracle && cp "$oracle/package.json" "$oracle/validate_gltf.mjs" oracle
  [ -d oracle/node_modules/gltf-validator ] || (cd oracle && timeout 60 npm install --no-audit --no-fund --no-package-lock) >npm.log 2>&1 ||
    skip "npm cannot fetch the validator"
  judge=$PWD/oracle/validate_gltf.mjs
fi

. "$(dirname "$0")/small_scene.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
judged() { # file...
  node "$judge" "$@" || { echo "FAILED: $*" >&2 && exit 1; }
}

echo "a run: morph targets and their animation"
small_scene scene.json 6
"$PLIANT" run scene.json -o run --format glb 2>err || { cat err >&2 && exit 1; }
judged run/*.glb

echo "a run of one frame, and of many"
"$PLIANT" run scene.json -o one --format glb --frames 1 2>err
"$PLIANT" run scene.json -o many --format glb --frames 40 2>err
judged one/first.glb many/first.glb

echo "a run of a body that came from glTF, in a copy of its file; copies of files"
cat >again.json <<'END'
{
  "pliant": 1, "name": "again", "time": {"frames": 5},
  "meshes": {"box": {"file": "run/first.glb"}},
  "bodies": [{"name": "again", "mesh": "box", "tets": {"points": 100}, "solid": {"examples": ["frame_0005"]}}],
  "colliders": [{"shape": "half_space"}]
}
END
"$PLIANT" run again.json -o again --format glb 2>err || { cat err >&2 && exit 1; }
python3 "$PLIANT_SOURCE_DIR/test/tool/make_leaf.py"
"$PLIANT" run in.gltf -o leaf --format glb --frames 3 2>err || { cat err >&2 && exit 1; }
"$PLIANT" convert in.gltf whole.glb --scale 2
judged again/again.glb leaf/in.glb whole.glb

echo "convert: triangles, lines, both, and poses"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' >closed.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3\n' >lines.obj
cat closed.obj >both.obj && echo 'l 1 2' >>both.obj
for name in closed lines both; do "$PLIANT" convert $name.obj $name.glb 2>err; done
"$PLIANT" convert run/first.glb poses.glb 2>err
judged closed.glb lines.glb both.glb poses.glb
