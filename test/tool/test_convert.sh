#!/bin/bash
# ctest: cli
# Conversion keeps everything or says what it loses (exit 3): a glTF file becomes a GLB file whole, other formats get what they can hold.
. "$(dirname "$0")/begin.sh"
python3 "$PLIANT_SOURCE_DIR/test/tool/make_leaf.py"
expect 0 convert in.gltf whole.glb --scale 2
[ ! -s err ] || fail "a whole copy warns"
for word in '"name":"leaf"' '"kind":"oak"' '"name":"green"' TEXCOORD_0 _PAINT '"mimeType":"image/png"'; do
  grep -aq -- "$word" whole.glb || fail "$word is lost"
done
"$PLIANT" info whole.glb >out
grep -q '^max  *2 2 0 m' out || fail "--scale"
grep -q '^points  *4$' out || fail "points"
expect 3 convert in.gltf thin.obj
for word in "texture coordinates, materials" "vertex groups" "6 vertices .* become 4 points"; do grep -q "$word" err || fail "no warning of $word"; done
# Formats that hold groups keep the painted weights.
for ending in vtu vtk; do
  expect 3 convert in.gltf kept.$ending
  ! grep -q "vertex groups" err || fail "groups are lost in .$ending"
  expect 0 convert kept.$ending kept.glb
  "$PLIANT" info kept.glb >out
  grep -q '^groups  *1: PAINT' out || fail "no group after .$ending and .glb"
done
expect 3 convert in.obj out.ply
grep -q "left out of 'in.obj': normals, texture coordinates, materials" err || fail "losses of OBJ"
