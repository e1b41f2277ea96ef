#!/bin/bash
# ctest: cli
# pliant check tells all mistakes of a scene at once, each with its place and a fix, and looks into meshes.
set -eu
. "$(dirname "$0")/small_scene.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
  echo "FAILED: $*" >&2
  cat out err >&2
  exit 1
}
expect() {
  local wanted=$1 code=0
  shift
  "$PLIANT" "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "pliant $*: exit $code instead of $wanted"
}

echo "a sound scene has no errors"
small_scene good.json
expect 0 check good.json
[ ! -s out ] || fail "findings"
grep -q "0 errors, 0 warnings" err || fail "no summary"

echo "ten mistakes are ten lines with file, line and column"
cat >ten.json <<'SCENE'
{
  "pliant": 1,
  "name": "ten mistakes",
  "gravty": [0, -9.81, 0],
  "time": {"step": 0, "frames": "many"},
  "meshes": {
    "box": {"box": {"size": [1, -1, 1], "cells": [2, 2]}}
  },
  "bodies": [
    {"name": "a", "mesh": "bx"},
    {"name": "a", "mesh": "box", "solid": {"stiffness": 3}},
    {"mesh": "box", "method": "solidd"}
  ],
  "colliders": [
    {"shape": "half_spce", "friction": -1}
  ]
}
SCENE
expect 1 check ten.json
[ "$(grep -cE '^ten\.json:[0-9]+:[0-9]+: error: [^ ]+: [^;]+; .' out)" -ge 10 ] || fail "fewer than ten"
for place in 4:3 5:20 5:33 7:33 7:50 10:27 11:14 11:57 12:5 12:31 15:15 15:40; do
  grep -q "^ten.json:$place" out || echo "  nothing at $place" >>missing
done
[ ! -f missing ] || { cat missing >&2 && fail "places"; }
grep -q "gravity" out && grep -q "half_space" out && grep -q '"box"' out || fail "suggestions"

echo "mistakes in a rod are reported at their places, with what was meant"
cat >rod.json <<'SCENE'
{
  "pliant": 1,
  "name": "rod",
  "bodies": [
    {
      "name": "ear",
      "method": "rod",
      "rod": {
        "ghost_momentum": "transprt",
        "chains": [
          {
            "name": "ear",
            "base": "bse",
            "points": [[0, 0, 0], [0, 0.1, 0], [0, 0.2, 0]],
            "examples": [{"name": "long", "points": [[0, 0, 0], [0, 0.1, 0], [0, 0.3, 0]]}]
          }
        ]
      }
    }
  ]
}
SCENE
expect 1 check rod.json
grep -q '^rod.json:9:27: error: .*did you mean "transport"' out || fail "word"
grep -q '^rod.json:13:21: error: .*did you mean "base"' out || fail "base"
grep -q '^rod.json:15:78: error: .*0.2 m long, but 0.1 m at rest' out || fail "length"

echo "text that is not JSON is reported with its position"
printf '{\n  "pliant": 1,\n  "name": "x" "y"\n}\n' >broken.json
expect 1 check broken.json
grep -qE '^broken\.json:3:[0-9]+: error: ' out || fail "place"

echo "a mesh file that is missing is a mistake at its place in the scene"
sed 's|"box": {"size".*}}}|"file": "nothing.obj"}}|; s|"cells": \[4, 4, 6\]||' good.json >missing.json
expect 1 check missing.json
grep -q "nothing.obj" out || fail "missing mesh"

echo "meshes: an open surface is a warning, a flat tet is found"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >open.obj
expect 3 check open.obj
grep -q "^open.obj: warning: " out || fail "open"
cat >flat.mesh <<'MESH'
MeshVersionFormatted 1
Dimension 3
Vertices 4
0 0 0 0
1 0 0 0
0 1 0 0
1 1 0 0
Tetrahedra 1
1 2 3 4 0
End
MESH
code=0
"$PLIANT" check flat.mesh >out 2>err || code=$?
[ $code != 0 ] && grep -q "flat.mesh: [a-z]*: " out || fail "flat: exit $code"

echo "several files: the worst of them decides"
expect 1 check good.json open.obj ten.json
expect 3 check good.json open.obj
expect 3 check --quiet open.obj
[ ! -s err ] || fail "--quiet said something"

echo "--schema writes the published schema, with or without files to check"
expect 0 check --schema schema.json
cmp schema.json "$PLIANT_SOURCE_DIR/docs/scene.schema.json" || fail "not the published one"
expect 1 check --schema again.json ten.json
cmp schema.json again.json || fail "--schema with a file"
expect 1 check --schema nowhere/schema.json
grep -q "nowhere/schema.json" err || fail "no place"

echo "a mesh collider that faces inwards, so that all that is outside of it is solid, gets a warning with its place"
cat >tet.obj <<'OBJ'
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 1 4 3
OBJ
sed 's/^f \([0-9]\) \([0-9]\) \([0-9]\)/f \1 \3 \2/' tet.obj >inwards.obj
for mesh in tet inwards; do
  cat >$mesh.json <<SCENE
{
  "pliant": 1,
  "name": "collider",
  "meshes": {"box": {"box": {"size": [1, 1, 1], "cells": [2, 2, 2]}}, "tool": {"file": "$mesh.obj"}},
  "bodies": [{"name": "box", "mesh": "box", "position": [0, 5, 0]}],
  "colliders": [{"name": "tool", "shape": "mesh", "mesh": "tool"}]
}
SCENE
done
expect 0 check tet.json
[ ! -s out ] || fail "findings of a mesh that faces outwards"
expect 3 check inwards.json
grep -q '^inwards.json:6:[0-9]*: warning: colliders\[0\]: .*faces inwards' out || fail "no warning"
