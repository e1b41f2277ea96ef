#!/bin/bash
# ctest: cli once
# pliant fit with known forces and pressures over time: the pushes of a scene with shorter steps give the modulus back.
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/fit_results.sh"

# scene NAME YOUNG PUSHES: a beam that is pushed as the list says.
scene() {
  cat >"$1.json" <<JSON
{
  "pliant": 1,
  "name": "$1",
  "gravity": [0, 0, 0],
  "time": {"step": 0.00125, "frame_rate": 100, "frames": 30},
  "meshes": {"beam": {"box": {"size": [0.2, 0.04, 0.04], "cells": [6, 1, 1]}}},
  "bodies": [
    {"name": "beam", "mesh": "beam", "method": "fem", "collides": false,
     "fem": {"young": $2, "mass_damping": 4, "stiffness_damping": 0.002},
     "pins": [{"within": {"min": [-0.101, -0.1, -0.1], "max": [-0.099, 0.1, 0.1]}}],
     "pushes": [$3]}
  ]
}
JSON
  expect 0 sense "$1.json" -o "$1" --frames 30 --rate 100 --size 80x60
}
tip='"within": {"min": [0.099, -1, -1], "max": [0.11, 1, 1]}'
top='"within": {"min": [-1, 0.0199, -1], "max": [1, 1, 1]}'
keys='"keys": [{"time": 0, "factor": 0}, {"time": 0.08, "factor": 1}, {"time": 0.15, "factor": -1}, {"time": 0.2, "factor": 0}]'
scene forced 100000 "{$tip, \"force\": [0, 0.06, 0.09], $keys}"
scene pressed 100000 "{$top, \"pressure\": 30, $keys}"
scene both 100000 "{$tip, \"force\": [0, 0.06, 0.09], $keys}, {$top, \"pressure\": 30, $keys}"

python3 - <<'PYTHON'
factors = [(0, 0), (0.08, 1), (0.15, -1), (0.2, 0)]
# The first motion is forced only, the second pressed only, and the one to predict has both.
with open("forces.csv", "w") as file:
    file.write("motion,time,force_x,force_y,force_z\n" + "".join("%d,%g,0,%g,%g\n" % (m, t, 0.06 * f, 0.09 * f) for m in (1, 3) for t, f in factors))
with open("pressures.csv", "w") as file:
    file.write("motion,time,pressure\n" + "".join("%d,%g,%g\n" % (m, t, 30 * f) for m in (2, 3) for t, f in factors))
PYTHON
given=(--gravity 0,0,0 --hold=-0.11,-1,-1,-0.099,1,1 --rate 100 --steps 2)
end=0.099,-1,-1,0.11,1,1
side=-1,0.0199,-1,1,1,1

echo "loads by motion give the modulus, also from a warm start in what is free after them, and predict a held-out motion"
fit forced/static.vtu forced/truth_points.pc2 pressed/truth_points.pc2 --predict both/truth_points.pc2 --force forces.csv:$end --pressure pressures.csv:$side "${given[@]}" --young 1e7 -o two
grep -q "warm start: the object oscillates" err || fail "no warm start"
near "$(value "young 1")" 100000 0.01
near "$(value "stiffness damping")" 0.002 0.1
predicted=$(sed -n 's/.*(held out): error .*, \([0-9.e-]*\) %/\1/p' err)
awk -v p="$predicted" 'BEGIN { exit !(p != "" && p < 0.5) }' || fail "held-out motion: '$predicted' %"

echo "wrong use is reported"
expect 1 fit forced/static.vtu forced/truth_points.pc2 --force forces.csv "${given[@]}" -o x
grep -q "a table and a box" err || fail "no box"
expect 1 fit forced/static.vtu forced/truth_points.pc2 --force pressures.csv:$end "${given[@]}" -o x
grep -q "no column .force_x" err || fail "no column"
expect 1 fit forced/static.vtu forced/truth_points.pc2 --force forces.csv:7,7,7,8,8,8 "${given[@]}" -o x
grep -q "has no point of the mesh that is not held" err || fail "no point"
expect 1 fit forced/static.vtu forced/truth_points.pc2 pressed/truth_points.pc2 --pressure pressures.csv:0.0999,0.0199,-1,1,1,-0.0199 "${given[@]}" -o x
grep -q "no triangle of the surface" err || fail "no triangle"
expect 1 fit forced/static.vtu forced/truth_points.pc2 --pressure pressures.csv:$side "${given[@]}" -o x
grep -q "no row for any of the motions" err || fail "no row"
printf 'mode,frequency\n1,7.5\n' >heard.csv
expect 1 fit forced/static.vtu --frequencies heard.csv --force forces.csv:$end "${given[@]}" -o x
grep -q "there are none" err || fail "no motion"
