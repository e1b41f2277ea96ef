#!/bin/bash
# ctest: cli
# mesh, info and convert: on surfaces made here, from format to format and back.
. "$(dirname "$0")/begin.sh"

# A closed ball, and the same with a small hole.
python3 - <<'PY'
import math
rows, around = 24, 48
points = [(0, 1, 0)] + [(math.sin(a) * math.cos(b), math.cos(a), -math.sin(a) * math.sin(b))
    for a in [math.pi * i / rows for i in range(1, rows)] for b in [2 * math.pi * k / around for k in range(around)]] + [(0, -1, 0)]
at = lambda i, k: 1 + (i - 1) * around + k % around
faces = [(0, at(1, k), at(1, k + 1)) for k in range(around)]
for i in range(1, rows - 1):
    for k in range(around):
        faces += [(at(i, k), at(i + 1, k), at(i + 1, k + 1)), (at(i, k), at(i + 1, k + 1), at(i, k + 1))]
faces += [(at(rows - 1, k), len(points) - 1, at(rows - 1, k + 1)) for k in range(around)]
def write(name, faces):
    with open(name, "w") as out:
        out.writelines("v %.9g %.9g %.9g\n" % p for p in points)
        out.writelines("f %d %d %d\n" % tuple(c + 1 for c in f) for f in faces)
write("ball.obj", faces)
write("leaky.obj", faces[:len(faces) // 2] + faces[len(faces) // 2 + 3:])
PY

echo "mesh: about as many points as asked for, the surface enclosed, none inverted"
expect 0 mesh ball.obj -o ball.vtu --points 600 --embedding ball.csv
grep -q "enclosed:  100.00 %" err || fail "not enclosed"
points=$("$PLIANT" info ball.vtu --json | python3 -c 'import json, sys; d = json.load(sys.stdin); assert d["tets"] > 1000 and d["inverted tets"] == 0, d; print(d["points"])')
[ "$points" -ge 480 ] && [ "$points" -le 720 ] || fail "$points points instead of 600"
expect 0 check ball.vtu
python3 - <<'PY' || fail "embedding"
rows = [line.split(",") for line in open("ball.csv")][1:]
assert len(rows) == 23 * 48 + 2, len(rows)
assert all(abs(sum(map(float, r[5:])) - 1) < 1e-5 and min(map(float, r[5:])) > -1e-5 for r in rows)
PY
expect 0 mesh ball.obj -o coarse.mesh --cell-size 0.5 --scale 2
grep -q "cells of 0.5 m" err || fail "cell size"

echo "mesh: a leaky surface works, with a warning"
expect 3 mesh leaky.obj -o leaky.msh --points 600
grep -q "warning: the surface has holes" err || fail "no warning"

echo "mesh: a target that cannot be written leaves nothing"
expect 1 mesh ball.obj -o nowhere/ball.vtu
grep -q "^nowhere/ball.vtu: error: " err || fail "place"
ln -s /dev/full full.vtu
expect 1 mesh ball.obj -o full.vtu
grep -q "error: .*No space left" err || fail "disk full"

echo "convert: surfaces and tets survive the round trip"
counts() { "$PLIANT" info "$1" | grep -E '^(points|triangles|tets) ' | tr -s ' \n' ' '; }
for ending in ply obj glb vtk vtu msh mesh; do
  expect 0 convert ball.obj "ball2.$ending"
  [ "$(counts "ball2.$ending")" = "$(counts ball.obj)" ] || fail "ball as .$ending: $(counts "ball2.$ending")"
done
expect 0 convert ball.obj ball2.stl
for ending in vtk vtu msh mesh node; do
  expect 0 convert ball.vtu "tets.$ending"
  [ "$(counts "tets.$ending" | sed 's/triangles [0-9]*//')" = "$(counts ball.vtu | sed 's/triangles [0-9]*//')" ] || fail "tets as .$ending"
done
expect 0 convert ball2.ply back.obj
expect 0 convert back.obj back2.ply
cmp back2.ply ball2.ply || fail "PLY to OBJ to PLY"

echo "convert: what a target cannot hold is reported"
expect 3 convert ball.vtu surface.stl
grep -q "warning: .stl files cannot hold tets" err || fail "no warning"
printf 'o Left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no Right\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf 4 5 6\n' >groups.obj
expect 3 convert groups.obj groups.ply
grep -q "warning: .ply files cannot hold vertex groups; 2 are" err || fail "no warning"

echo "convert: the name of the only object is not lost; lines are kept where the format has them"
printf 'o Strip\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2 3\n' >lines.obj
for ending in obj ply glb vtk vtu msh mesh; do
  expect 0 convert lines.obj "lines2.$ending"
  "$PLIANT" info "lines2.$ending" --json | python3 -c 'import json, sys; d = json.load(sys.stdin); assert d["segments"] == 2, d' || fail "segments in .$ending"
done
expect 3 convert lines.obj lines2.stl
grep -q "cannot hold segments; 2 are left out" err || fail "no warning"
expect 2 convert ball.obj ball.xyz
grep -q "'ball.xyz' is not a mesh format" err || fail "ending"

echo "convert: --scale"
expect 0 convert ball.obj double.ply --scale 2
"$PLIANT" info double.ply --json | python3 -c 'import json, sys; d = json.load(sys.stdin); assert max(abs(abs(x) - 2) for x in d["min"] + d["max"]) < 0.02, d' || fail "scale"

echo "convert: point caches"
python3 - <<'PY'
import struct
frames = [[(f + 0.5 * p, p, -f) for p in range(5)] for f in range(4)]
with open("cache.pc2", "wb") as out:
    out.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, 5, 0.0, 1.0, 4))
    for frame in frames:
        for p in frame:
            out.write(struct.pack("<3f", *p))
PY
expect 0 convert cache.pc2 cache.mdd --frame-rate 25
"$PLIANT" info cache.mdd | grep -qE '^frame rate +25 ' || fail "frame rate"
expect 0 convert cache.mdd cache2.pc2
cmp cache.pc2 cache2.pc2 || fail "PC2 to MDD to PC2"
expect 0 convert cache.pc2 cache.csv
[ "$(wc -l <cache.csv)" = 21 ] || fail "CSV"
expect 2 convert cache.pc2 cache.obj
head -c 60 cache.pc2 >short.pc2
expect 1 info short.pc2
expect 1 convert short.pc2 short.mdd
[ ! -e short.mdd ] || fail "a file from a broken one"
