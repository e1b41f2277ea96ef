#!/bin/bash
# ctest: cli
# pliant solve and pliant modes: a cantilever against the beam's formulas, files, and mistakes.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

python3 - <<'PY'
nx, ny, nz, size = 20, 2, 2, (0.3, 0.02, 0.02)
number = lambda i, j, k: 1 + i + (nx + 1) * (j + (ny + 1) * k)
with open("beam.inp", "w") as file:
    file.write("*NODE\n")
    for k in range(nz + 1):
        for j in range(ny + 1):
            for i in range(nx + 1):
                file.write(f"{number(i, j, k)}, {size[0] * i / nx}, {size[1] * (j / ny - 0.5)}, {size[2] * (k / nz - 0.5)}\n")
    file.write("*ELEMENT, TYPE=C3D4, ELSET=BEAM\n")
    count = 0
    # Kuhn's six tets of a cell, along the ways from its lowest corner to its highest.
    for k in range(nz):
        for j in range(ny):
            for i in range(nx):
                for order, turned in (((0, 1, 2), 0), ((1, 2, 0), 0), ((2, 0, 1), 0), ((1, 0, 2), 1), ((0, 2, 1), 1), ((2, 1, 0), 1)):
                    at, way = [i, j, k], [number(i, j, k)]
                    for axis in order:
                        at[axis] += 1
                        way.append(number(*at))
                    if turned:
                        way[2], way[3] = way[3], way[2]
                    count += 1
                    file.write(f"{count}, " + ", ".join(map(str, way)) + "\n")
PY

echo "solve: reaction is the weight, sag that of the beam; files hold points and tets"
"$PLIANT" solve beam.inp --young 1e7 --gravity 0,-1,0 --hold=-1,-1,-1,0.0001,1,1 -o out.vtu --table points.csv --stress stress.csv >out
python3 - <<'PY'
import csv, math
rows = list(csv.DictReader(open("points.csv")))
weight = 1000 * 0.3 * 0.02 * 0.02
assert abs(sum(float(row["ry"]) for row in rows) / weight - 1) < 1e-6
assert abs(sum(float(row["rx"]) for row in rows)) < 1e-6 * weight
E, I, L, shear = 1e7, 0.02 ** 4 / 12, 0.3, 1e7 / 2.6
sag = weight / L * L ** 4 / (8 * E * I) + weight * L / (2 * 5 / 6 * shear * 4e-4)
found = -min(float(row["uy"]) for row in rows)
assert abs(found / sag - 1) < 0.03, (found, sag)
stress = [float(row["von_mises"]) for row in csv.DictReader(open("stress.csv"))]
bending = weight * L / 2 * 0.01 / I
assert len(stress) == 480 and 0.5 * bending < max(stress) < 1.2 * bending, (max(stress), bending)
PY
"$PLIANT" info out.vtu | grep -q tets

echo "solve: a force on the tip, on linear tets, which are too stiff"
"$PLIANT" solve beam.inp --young 1e7 --gravity 0,0,0 --hold=-1,-1,-1,0.0001,1,1 --force 0,-0.01,0 --on 0.2999,-1,-1,1,1,1 --element linear --table linear.csv >/dev/null
"$PLIANT" solve beam.inp --young 1e7 --gravity 0,0,0 --hold=-1,-1,-1,0.0001,1,1 --force 0,-0.01,0 --on 0.2999,-1,-1,1,1,1 --table quadratic.csv >/dev/null
python3 - <<'PY'
import csv
sag = [-min(float(row["uy"]) for row in csv.DictReader(open(f"{name}.csv"))) for name in ("linear", "quadratic")]
formula = 0.01 * 0.3 ** 3 / (3 * 1e7 * 0.02 ** 4 / 12)
assert abs(sag[1] / formula - 1) < 0.03 and sag[0] < 0.8 * formula, (sag, formula)
PY

echo "modes: the first two bend at the frequency of the beam; one animation each"
"$PLIANT" modes beam.inp --young 1e7 --hold=-1,-1,-1,0.0001,1,1 -n 2 -o modes --table modes.csv >/dev/null
python3 - <<'PY'
import csv, math
formula = 1.8751 ** 2 * math.sqrt(1e7 * 0.02 ** 4 / 12 / (1000 * 4e-4)) / 0.3 ** 2 / (2 * math.pi)
for row in csv.DictReader(open("modes.csv")):
    assert abs(float(row["frequency"]) / formula - 1) < 0.03, (row, formula)
PY
test -s modes/mode01.glb && test -s modes/mode02.glb

echo "held points from a table hold the nodes on edges between them, as a box does"
python3 - <<'PY'
with open("held.csv", "w") as file:
    file.write("point\n" + "".join(f"{21 * i}\n" for i in range(9)))
PY
"$PLIANT" modes beam.inp --young 1e7 --hold held.csv -n 2 --table table.csv >/dev/null
cmp modes.csv table.csv || { cat modes.csv table.csv; exit 1; }

echo "a weight on the tip: sag and frequency are those of the beam with it"
weight=(--weight 0.2:0.2999,-1,-1,1,1,1)
"$PLIANT" solve beam.inp --young 1e7 --gravity 0,-1,0 --hold=-1,-1,-1,0.0001,1,1 "${weight[@]}" --table heavy.csv >/dev/null
"$PLIANT" modes beam.inp --young 1e7 --hold=-1,-1,-1,0.0001,1,1 "${weight[@]}" -n 1 --table modes.csv >/dev/null
python3 - <<'PY'
import csv, math
E, I, L, beam, tip = 1e7, 0.02 ** 4 / 12, 0.3, 1000 * 0.3 * 4e-4, 0.2
sag = beam * L ** 3 / (8 * E * I) + tip * L ** 3 / (3 * E * I)
found = -min(float(row["uy"]) for row in csv.DictReader(open("heavy.csv")))
assert abs(found / sag - 1) < 0.03, (found, sag)
formula = math.sqrt(3 * E * I / L ** 3 / (tip + 0.24 * beam)) / (2 * math.pi)
found = float(next(csv.DictReader(open("modes.csv")))["frequency"])
assert abs(found / formula - 1) < 0.02, (found, formula)
PY
code=0; "$PLIANT" modes beam.inp --hold=-1,-1,-1,0.0001,1,1 --weight 0.2 >/dev/null 2>errors || code=$?; test $code -eq 1
grep -q "kilograms and a box" errors
code=0; "$PLIANT" modes beam.inp --hold=-1,-1,-1,0.0001,1,1 --weight 0.2:5,5,5,6,6,6 >/dev/null 2>errors || code=$?; test $code -eq 1
grep -q "no point" errors

echo "mistakes: nothing held, force without points, a surface"
code=0; "$PLIANT" solve beam.inp >/dev/null 2>&1 || code=$?; test $code -eq 2
code=0; "$PLIANT" solve beam.inp --hold=-1,-1,-1,0.0001,1,1 --force 0,1,0 >/dev/null 2>&1 || code=$?; test $code -eq 2
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >surface.obj
code=0; "$PLIANT" modes surface.obj >/dev/null 2>errors || code=$?; test $code -eq 1
grep -q "no tets" errors
