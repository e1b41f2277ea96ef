#!/bin/bash
# ctest: cli
# --set replaces values of a scene as if they stood in the file; --observer takes pictures from its second camera.
. "$(dirname "$0")/begin.sh"
. "$PLIANT_SOURCE_DIR/test/tool/small_scene.sh"
small_scene scene.json 6
small_scene more.json 9

echo "a value that is set is as good as one in the file"
expect 0 run more.json -o a --format none --hash
cp out wanted
expect 0 run scene.json -o b --format none --hash --set time.frames=9
cmp out wanted || fail "another hash than with the value in the file"
expect 0 run scene.json -o c --format none --hash
! cmp -s out wanted || fail "the value makes no difference"

echo "several at once, numbers, lists and text"
expect 0 run scene.json -o d --format csv --set time.frames=2 --set "gravity=[0,-1,0]" --set "bodies[0].name=renamed"
[ -n "$(find d -name "renamed*.csv")" ] || fail "the name was not replaced"

echo "mistakes are reported as those of the file are, with a suggestion"
expect 1 check scene.json --set time.frame=9
grep -q "did you mean" out || fail "no suggestion"
expect 1 check scene.json --set "time.frames=\"many\""
expect 2 run scene.json --set frames
grep -q "PATH=VALUE" err || fail "no word on what is needed"
expect 2 check scene.json --set =3
expect 0 check scene.json --set time.frames=9

echo "a run continues only with the values it began with"
"$PLIANT" run scene.json -o e --frames 100000 --format none --set time.step=0.004 >out 2>err &
id=$!
wait_for "$id" e/pliant.frames 100000
kill -INT "$id"
wait "$id" || true
[ -e e/pliant.checkpoint ] || fail "there is no checkpoint"
expect 1 run --resume e --set time.step=0.005
grep -q "value replaced by --set" err || fail "another value is not refused"
expect 0 run --resume e --frames $(($(stopped_at e) + 3))

echo "pictures from the second camera differ from those of the first; where there is none that is said"
cat >views.json <<'SCENE'
{
  "pliant": 1, "name": "views", "description": "A ball seen from two sides.",
  "time": {"frames": 2},
  "meshes": {"box": {"box": {"size": [0.4, 0.4, 0.6], "cells": [2, 2, 3]}}},
  "bodies": [{"name": "box", "mesh": "box", "position": [0, 0.5, 0]}],
  "camera": {"eye": [0, 1, 3], "target": [0, 0.5, 0]},
  "observer": {"eye": [3, 1, 0], "target": [0, 0.5, 0]}
}
SCENE
expect 0 run views.json -o f --format none --picture=front.png --size 160x120
expect 0 run views.json -o f --format none --picture=side.png --size 160x120 --observer
! cmp -s front.png side.png || fail "both cameras see the same"
expect 1 run scene.json -o g --picture --observer
grep -q "no second camera" err || fail "no reason"
expect 2 run views.json -o g --observer
grep -q "give one of them" err || fail "no reason"
