#!/bin/bash
# ctest: cli
# What people type does what they mean: a mesh falls on the ground, a character plays, a name is a scene of the gallery, a folder the scene in it; `new` writes a
# scene that passes the check, with comments.
. "$(dirname "$0")/begin.sh"
here=$PLIANT_SOURCE_DIR/test/tool
# The folder out/ is where the tool puts its results.
expect() {
  local wanted=$1 code=0
  shift
  "$PLIANT" "$@" >said 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "pliant $*: exit $code instead of $wanted: $(cat said)"
}
. "$here/small_scene.sh"
small_scene scene.json 3
expect 0 run scene.json -o run --format obj,glb

mkdir files && mv run/first.glb files/posed.glb && cp run/first_0001.obj files/box.obj
expect 0 convert files/box.obj files/cube.glb
for name in box.obj cube.glb; do
  expect 0 run files/$name --frames 3
  grep -q "the scene for it is out/${name%.*}/scene.json" err || fail "the scene is not named"
  [ -s out/${name%.*}/${name%.*}.pc2 ] || fail "no frames of $name"
  expect 0 check out/${name%.*}/scene.json
  grep -q "0 errors, 0 warnings" err || fail "the scene of $name has warnings"
done
# The body starts above the ground and falls.
expect 0 run files/box.obj -o fall --frames 25 --format csv
awk -F, 'NR > 1 && ($1 == 1 || $1 == 25) { n[$1]++; y[$1] += $5; if ($1 == 1 && $5 < least) least = $5 } END { exit !(least >= 0 && y[25] / n[25] < y[1] / n[1] - 0.1) }' fall/box.csv ||
  fail "the mesh does not fall from above the ground"
[ -s fall/scene.json ] || fail "the scene is not in the folder that was asked for"

expect 0 run jelly-drop --frames 1
[ -d out/jelly-drop ] || fail "a name of the gallery"
mkdir one && cp scene.json one/anything.json && expect 0 run one --frames 1
mkdir two && cp files/box.obj two && expect 0 run two -o out/two --frames 1
mkdir none && expect 1 run none
grep -q "folder without a scene.json" err || fail "an empty folder"
expect 1 run jelly-dorp

# A sheet becomes a shell, tets a solid; a large mesh is taken for centimetres or millimetres.
printf 'v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 3 2\nf 1 4 3\n' >sheet.obj
expect 0 new sheet.obj
grep -q '"material": "shell"' sheet.json || fail "an open surface is not a shell"
expect 0 check sheet.json
expect 1 new sheet.obj
grep -q "exists" err || fail "a scene was replaced"
expect 0 new sheet.obj --force
expect 0 mesh files/box.obj --points 100 -o box.vtu
expect 0 new box.vtu -o tets.json
! grep -q '"tets"' tets.json || fail "a lattice for tets"
expect 0 check tets.json
expect 0 convert files/box.obj large.obj --scale 500
expect 0 new large.obj
grep -q '"scale": 0.01' large.json || fail "centimetres are not recognised"
expect 1 new scene.json
# Poses are examples, groups are named, and the comments are kept out of the way.
expect 0 new files/posed.glb -o glb.json
grep -q '"examples": \["frame_0002", "frame_0003"\]' glb.json || fail "poses are not examples"
expect 1 check <(sed 's/"comment"/"coment"/' glb.json)
sed -i 's/"comment": "[^"]*"/"comment": 3/' tets.json && expect 1 check tets.json

# A character with springs plays its animation.
python3 "$here/make_character.py" ear.gltf
expect 0 new ear.gltf
grep -q '"method": "rod"' ear.json && grep -q '"animation"' ear.json || fail "a character does not play"
expect 0 run ear.gltf --frames 2
# So does one without springs, which the scene may add; its points are where the file has them, and it does not fall.
python3 "$here/make_character.py" bald.gltf bald
expect 0 new bald.gltf
grep -q '"springs": \[\]' bald.json && grep -q '"animation": "nod"' bald.json || fail "a rigged file does not play"
expect 0 check bald.json
sed 's/"springs": \[\]/"springs": [{"nodes": ["ear.1"]}]/' bald.json >springs.json
expect 0 check springs.json
expect 0 run springs.json --frames 2 --format none -o out/springs
