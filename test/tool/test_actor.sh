#!/bin/bash
# ctest: cli threads
# Runs of scenes with actors: what is said of them, expectations and the exit status, their tables, continuing after an interruption, ghosts and cameras that follow.
. "$(dirname "$0")/begin.sh"

# actor_scene FILE FRAMES EXPECT: a block that stands up for itself.
actor_scene() {
  cat >"$1" <<SCENE
{
  "pliant": 1, "name": "block",
  "time": {"frames": $2, "frame_rate": 50, "step": 0.01},
  "meshes": {"block": {"box": {"size": [0.3, 0.4, 0.3], "cells": [1, 2, 1]},
                       "groups": [{"name": "sole", "min": [-1, -0.21, -1], "max": [1, -0.19, 1]}]}},
  "bodies": [{"name": "block", "mesh": "block", "method": "fem", "position": [0, 0.2, 0], "fem": {"young": 5e4, "stiffness_damping": 0.01},
              "actor": {"behaviour": "stand", "rest": "free", "iterations": 6,
                        "parts": [{"name": "sole", "group": "sole", "foot": true}],
                        "commands": [{"time": 0.1, "speed": 0.1}, {"time": 0.2, "speed": 0, "heading": [0, 0, 1]}],
                        "expect": {$3}}}],
  "colliders": [{"shape": "half_space"}]
}
SCENE
}
one_frame=$((24 * (12 + 19)))

echo "a line for each actor, and what is expected of it"
actor_scene met.json 12 '"advance": -1, "max_tumbles": 1000, "max_lean": 180, "max_unconverged_fraction": 1'
expect 0 run met.json -o met --format csv --hash
grep -qE "^actor 'block' \(stand\): -?[0-9.]+ m ahead, .*iterations per step, .* unfinished, worst residual .*per simulated second" err || fail "no line"
[ "$(grep -c "as expected" err)" = 4 ] || fail "expectations"
cp out whole.hash

echo "what is not met is a warning and a status of its own; fewer frames leave expectations alone"
actor_scene unmet.json 12 '"advance": 100, "hops": 3, "steps": 0'
expect 3 run unmet.json -o unmet --format none
grep -q "warning: actor 'block': advance is .* m; expected at least 100" err || fail "advance"
grep -q "warning: actor 'block': hops is 0; expected at least 3" err || fail "hops"
[ "$(grep -c "as expected" err)" = 1 ] || fail "steps"
expect 0 run unmet.json -o unmet --format none --frames 4
grep -q "apply to all 12 frames" err || fail "fewer frames"

echo "goals that are out of reach are reported by name"
actor_scene reach.json 12 ''
expect 3 run reach.json -o reach --format none --set 'bodies[0].actor.settings.height=1.5' --set 'bodies[0].actor.settings.acceleration=10' \
  --set 'bodies[0].actor.regularisation=1e6' --set 'bodies[0].actor.rate_regularisation=1e6'
grep -q "warning: the goals of actor 'block' are out of reach: in [0-9]* % of its steps" err || fail "reach"
expect 3 run reach.json -o reach --format none --set 'bodies[0].actor.command.speed=10' --set 'bodies[0].actor.commands=[]'
grep -q "warning: the goals of actor 'block' are out of reach: it was commanded to move 2.20 m and moved " err || fail "way"

echo "the table has a row for each frame"
python3 - <<'PY' || fail "table"
import csv
rows = list(csv.DictReader(open("met/block.actor.csv")))
assert len(rows) == 12 and [int(r["frame"]) for r in rows] == list(range(12)), len(rows)
names = list(rows[0])
assert names[:8] == ["frame", "time", "objective", "goal_error", "goal_start", "residual", "iterations", "rest_strain"], names
assert names[-36:] == [f"p{k}" for k in range(36)], names
assert abs(float(rows[5]["time"]) - 0.1) < 1e-12 and float(rows[5]["iterations"]) >= 1
assert abs(float(rows[0]["y"]) - 0.2) < 1e-9 and float(rows[0]["rest_strain"]) == 0
assert float(rows[-1]["rest_strain"]) > 0 and any(float(rows[-1][f"p{k}"]) != 0 for k in range(4))
points = [r for r in csv.DictReader(open("met/block.csv"))]
heights = [float(r["y"]) for r in points if r["frame"] == points[-1]["frame"]]
assert abs(sum(heights) / len(heights) - float(rows[-1]["y"])) < 0.05
PY

echo "a body that turns as a whole has a yaw and no twist"
"$PLIANT" run met.json -o turns --format csv --set 'gravity=[0,0,0]' --set 'bodies[0].position=[0,9,0]' \
  --set 'bodies[0].angular_velocity=[0,2,0]' >out 2>err || [ $? = 3 ] || fail "turns"
python3 - <<'PY' || fail "twist"
import csv, math
last = list(csv.DictReader(open("turns/block.actor.csv")))[-1]
wanted = math.degrees(2 * float(last["time"]))
print(f"yaw {float(last['yaw']):.2f} instead of {wanted:.2f} degrees, twist {float(last['twist']):.2f}")
assert abs(float(last["yaw"]) - wanted) < 2 and abs(float(last["twist"])) < 2
PY

echo "--format actors writes tables of actors alone"
expect 0 run met.json -o alone --format actors
[ "$(ls alone | tr "\n" " ")" = "block.actor.csv energy.csv " ] && cmp alone/block.actor.csv met/block.actor.csv || fail "--format actors"

echo "curves of a table: a panel for all that moves, a curve for each actor"
python3 "$PLIANT_SOURCE_DIR/scripts/plot_actor.py" met/block.actor.csv turns/block.actor.csv --picture curves.svg --only height,twist >curves || fail "curves"
grep -q "^block  *twist  *swings by" curves || fail "figures of curves"
python3 - <<'PY' || fail "picture of curves"
import xml.etree.ElementTree as tree
lines = tree.parse("curves.svg").getroot().findall("{http://www.w3.org/2000/svg}polyline")
assert len(lines) == 4 and all(len(line.get("points").split()) == 12 for line in lines), len(lines)
PY

echo "the same bits for any number of threads and after an interruption, table and all"
expect 0 run met.json -o three --format csv --hash --threads 3
cmp out whole.hash && diff -r met three || fail "threads"
actor_scene long.json 100000 ''
"$PLIANT" run long.json -o stopped --format csv,pc2 --hash --checkpoint-every 0 >out 2>err &
job=$!
wait_for $job stopped/pliant.frames $((8 * one_frame))
kill -INT $job
wait $job || true
[ -f stopped/pliant.checkpoint ] || fail "there is no checkpoint"
frames=$(($(stopped_at stopped) + 5))
expect 0 run long.json -o long --format csv,pc2 --hash --frames $frames
cp out long.hash
expect 0 run --resume stopped --frames $frames
cmp out long.hash && diff -r stopped long || fail "a run that was continued differs"
grep -q "^actor 'block'" err || fail "no line after continuing"

echo "--ghost draws the rest shape"
expect 0 run met.json -o drawn --format none --picture=plain.png --size 160x120
expect 0 run met.json -o drawn --format none --picture=ghost.png --size 160x120 --ghost
! cmp -s plain.png ghost.png || fail "no ghost"

echo "a camera that follows a body sees it as one that stands still sees one at rest"
cat >flies.json <<'SCENE'
{
  "pliant": 1, "name": "flies", "gravity": [0, 0, 0],
  "time": {"frames": 20, "frame_rate": 20, "step": 0.005},
  "meshes": {"box": {"box": {"size": [0.4, 0.4, 0.4], "cells": [2, 2, 2]}}},
  "bodies": [{"name": "box", "mesh": "box", "velocity": [2, 0, 1], "solid": {"damping": 0},
              "repeat": {"counts": [2, 1, 1], "spacing": [0.6, 0, 0]}}],
  "camera": {"eye": [1, 1, 3], "target": [0.3, 0, 0], "follow": "box"}
}
SCENE
expect 0 run flies.json -o flies --format none --picture=follows.png --size 160x120
expect 0 run flies.json -o flies --format none --picture=stays.png --size 160x120 --set 'camera.follow='
expect 0 run flies.json -o flies --format none --picture=rests.png --size 160x120 --set 'bodies[0].velocity=[0,0,0]'
python3 - <<'PY' || fail "camera"
import struct, zlib
def raw(name):
    data, place, packed = open(name, "rb").read(), 8, b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        packed += data[place + 8:place + 8 + size] if kind == b"IDAT" else b""
        place += 12 + size
    return zlib.decompress(packed)
rests, follows, stays = raw("rests.png"), raw("follows.png"), raw("stays.png")
share = lambda other: sum(a != b for a, b in zip(rests, other)) / len(rests)
print(f"{share(follows):.4f} of the picture differs, {share(stays):.4f} without following")
assert share(follows) < 0.02 and share(stays) > 0.04
PY
