#!/bin/bash
# ctest: cli once
# pliant fit with markers, static shapes, force-displacement curves and vibrations, with parameters that are fixed and bounded, and wrong use.
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/fit_results.sh"

cat >scene.json <<'JSON'
{
  "pliant": 1,
  "name": "beam",
  "time": {"step": 0.00125, "frame_rate": 100, "frames": 60, "warm_up": 0.5},
  "meshes": {"beam": {"box": {"size": [0.2, 0.04, 0.04], "cells": [6, 1, 1]}}},
  "bodies": [
    {"name": "beam", "mesh": "beam", "method": "fem", "collides": false,
     "fem": {"young": 100000, "mass_damping": 0.5, "stiffness_damping": 0.002},
     "pins": [{"within": {"min": [-0.101, -0.1, -0.1], "max": [-0.099, 0.1, 0.1]}},
              {"within": {"min": [0.099, -0.1, -0.1], "max": [0.101, 0.1, 0.1]}, "until": 0.2995,
               "keys": [{"time": 0}, {"time": 0.2, "position": [-0.001, -0.012, 0.01]}]}]}
  ]
}
JSON
expect 0 sense scene.json -o shot --start 0.3 --frames 40 --rate 100 --size 80x60
for shape in rest static; do expect 0 convert shot/$shape.vtu $shape.mesh; done

python3 - <<'PYTHON'
import random, struct

def points(name):
    words = open(name).read().split()
    at = words.index("Vertices")
    count = int(words[at + 1])
    numbers = list(map(float, words[at + 2:at + 2 + 4 * count]))
    return [tuple(numbers[4 * i:4 * i + 3]) for i in range(count)]

rest, static = points("rest.mesh"), points("static.mesh")
raw = open("shot/truth_points.pc2", "rb").read()
_, count, _, _, frames = struct.unpack("<iiffi", raw[12:32])
motion = [struct.unpack_from("<%df" % (3 * count), raw, 32 + 12 * count * f) for f in range(frames)]
tips = sorted(range(count), key=lambda i: -static[i][0])[:3]
random.seed(1)
names = ["tip", "left", "right"]

def table(name, rows):
    with open(name, "w") as file:
        file.write("time," + ",".join("%s_%s" % (n, a) for n in names for a in "xyz") + "\n")
        for f, row in enumerate(rows):
            cells = ["%.4f" % (0.01 * f)]
            for m, point in enumerate(row):
                missing = f % 9 == 3 + m
                cells += ["" if missing else "%.7f" % (c + random.gauss(0, 1e-4)) for c in point]
            file.write(",".join(cells) + "\n")

table("still.csv", [[static[i] for i in tips] for _ in range(20)])
table("motion.csv", [[motion[f][3 * i:3 * i + 3] for i in tips] for f in range(frames)])
with open("motion.trc", "w") as file:
    file.write("PathFileType\t4\t(X/Y/Z)\tm.trc\nDataRate\tUnits\n100\tmm\nFrame#\tTime\t" + "\t\t\t".join(names) + "\t\t\n\t\tX1\tY1\tZ1\n\n")
    for f in range(frames):
        file.write("%d\t%.3f\t" % (f, 0.01 * f) + "\t".join("%.4f" % (1e3 * c) for i in tips for c in motion[f][3 * i:3 * i + 3]) + "\n")
with open("sags.csv", "w") as file:
    file.write("x,y,z,moved_x,moved_y,moved_z,force_x,force_y,force_z\n")
    for a, b in zip(rest, static):
        file.write(",".join("%.9g" % n for n in (*a, *b, 0, 0, 0)) + "\n")
with open("curve.csv", "w") as file:
    file.write("displacement,force\n")
    for u in (0, 0.0002, 0.0004):
        file.write("%g,%g\n" % (u, 70000 * 0.04 * 0.04 * u / 0.2))
PYTHON

hold=(--hold=-0.11,-1,-1,-0.099,1,1)
echo "three markers with gaps give the modulus, from a table and from TRC"
fit shot/static.vtu motion.csv --markers still.csv "${hold[@]}" --no-warm-start --young 5e4 --steps 4 --noise 1e-4 -o markers
near "$(value "young 1")" 100000 0.03
grep -q "3 markers, 40 frames" err || fail "markers are not reported"
fit shot/static.vtu motion.trc --markers still.csv "${hold[@]}" --no-warm-start --young 5e4 --steps 4 -o markers-trc --start moving --fix mass-damping=0.5
near "$(value "young 1")" 100000 0.03
grep -q "mass damping .*0.5 .*held" out || fail "a parameter was not held"
[ -s markers/report.html ] && [ -s markers/scene.json ] || fail "no report or scene"

echo "the shape under its own weight gives the modulus of a moulded specimen"
fit shot/rest.vtu --sags sags.csv --no-reference "${hold[@]}" --young 4e4 --fix mass-damping=0.5,stiffness-damping=0.002 -o sags
near "$(value "young 1")" 100000 0.01
expect 0 fit shot/rest.vtu --sags sags.csv --no-reference "${hold[@]}" --young 4e4 --fix mass-damping=0.5,stiffness-damping=0.002 -o sags

echo "a mesh whose unstressed shape is not known: the motion tells that this one is as moulded"
fit shot/rest.vtu shot/truth_points.pc2 --rate 100 --shape unknown "${hold[@]}" --no-warm-start --young 2e5 --steps 4 -o unknown
near "$(value "young 1")" 100000 0.03
python3 -c "
import re, sys
found = re.search(r'at rest under \((.*?)\)', open('err').read())
sys.exit(found is None or max(abs(float(w)) for w in found.group(1).split(',')) > 0.3)" || fail "not unstressed: $(grep shape: err)"
fit shot/rest.vtu shot/truth_points.pc2 --rate 100 "${hold[@]}" --no-warm-start --young 2e5 --steps 4 -o wrong-shape
! grep -q "young 1 .* determined" out || fail "a moulded mesh taken for a hanging one determines a modulus: $(cat out)"

echo "a tensile curve gives the modulus by the closed formula, and bounds are kept"
tensile=(shot/rest.vtu --curve curve.csv --grip 0.099,-1,-1,0.11,1,1 --pull 1,0,0 --gravity 0,0,0 "${hold[@]}" --fix poisson=0,mass-damping=0.5,stiffness-damping=0.002)
fit "${tensile[@]}" -o tensile
near "$(value "young 1")" 70000 0.002
fit "${tensile[@]}" --bound young=1e5:1e6 --young 2e5 -o bounded
grep -q "young 1 .*at its bound\|young 1 .*not met" out || fail "the bound is not reported"

echo "refining moves the value towards that of finer tets and widens the interval"
fit "${tensile[@]}" --refine -o refined
grep -q "refined: the modulus of this mesh" err || fail "refining is not reported"
near "$(value "young 1")" 70000 0.01

echo "a frequency gives the modulus"
printf 'mode,frequency,damping_ratio\n1,7.5,0.05\n' >heard.csv
fit shot/static.vtu --frequencies heard.csv "${hold[@]}" --gravity 0,0,0 --fix mass-damping=0.5 -o heard
first=$(value "young 1")
printf 'mode,frequency,damping_ratio\n1,15,0.05\n' >heard.csv
fit shot/static.vtu --frequencies heard.csv "${hold[@]}" --gravity 0,0,0 --fix mass-damping=0.5 -o heard
near "$(value "young 1")" "$(awk -v f="$first" 'BEGIN { print 4 * f }')" 0.002

echo "a weight on the tip makes a stiffer body of the same frequency; the scene has it too"
fit shot/static.vtu --frequencies heard.csv "${hold[@]}" --gravity 0,0,0 --fix mass-damping=0.5 --weight 0.2:0.085,-1,-1,1,1,1 -o heavy
# f² m / E is that of the beam, with 0.24 of its mass at the tip.
near "$(value "young 1")" "$(awk -v f="$first" 'BEGIN { m = 0.24 * 0.32; print 4 * f * (m + 0.2) / m }')" 0.05
grep -q '"masses"' heavy/scene.json || fail "the scene has no masses"
expect 0 check heavy/scene.json

echo "wrong use is reported"
expect 1 fit shot/static.vtu motion.csv "${hold[@]}" -o x
grep -q -- "--markers" err || fail "not told that markers need a rest recording"
expect 1 fit shot/static.vtu "${hold[@]}" -o x
grep -q "no data" err || fail "no data"
expect 2 fit shot/static.vtu motion.csv --markers still.csv "${hold[@]}" --fix modulus=3 -o x
expect 2 fit shot/static.vtu motion.csv --markers still.csv "${hold[@]}" --bound young=3 -o x
expect 1 fit shot/static.vtu --curve curve.csv "${hold[@]}" -o x
expect 1 fit shot/static.vtu --curve still.csv "${hold[@]}" -o x
