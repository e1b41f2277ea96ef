#!/bin/bash
# ctest: cli once long
# A weight on the tip of a beam in a scene: as masses of points, and as a rigid cube that is attached to the end face. Both ring with the frequency of a
# beam with a mass at its end; that of the cube has its inertia and the distance of its centre too.
. "$(dirname "$0")/begin.sh"

# scene MASSES REST FOLDER: a beam with masses; the rest of the list of bodies and of the scene.
scene() {
  cat >scene.json <<JSON
{
  "pliant": 1, "name": "weights", "gravity": [0, 0, 0],
  "time": {"step": 0.00125, "frame_rate": 200, "frames": 400},
  "meshes": {"beam": {"box": {"size": [0.2, 0.04, 0.04], "cells": [8, 2, 2]}}},
  "bodies": [
    {"name": "beam", "mesh": "beam", "method": "fem", "collides": false,
     "fem": {"young": 1e6, "poisson": 0, "element": "quadratic", "mass_damping": 0, "stiffness_damping": 0, "masses": [$1]},
     "pins": [{"within": {"min": [-0.101, -1, -1], "max": [-0.099, 1, 1]}}],
     "pushes": [{"within": {"min": [0.099, -1, -1], "max": [0.11, 1, 1]}, "force": [0, 0.5, 0], "until": 0.05}]}$2
}
JSON
  expect 0 run scene.json -o "$3" --format pc2 --no-tables
}
scene '{"mass": 0.2, "min": [0.099, -1, -1], "max": [0.11, 1, 1]}' ']' points
scene '' ', {"name": "weight", "method": "rigid", "collides": false, "position": [0.12, 0, 0], "rigid": {"shape": "box", "size": [0.04, 0.04, 0.04], "mass": 0.2}}],
  "attachments": [{"a": "beam", "b": "weight", "within": {"min": [0.099, -1, -1], "max": [0.11, 1, 1]}}]' cube

python3 - <<'PYTHON' || fail "a weight does not ring as it should"
import glob, math, struct, sys

young, length, side, density = 1e6, 0.2, 0.04, 1000
moment, mass = side ** 4 / 12, density * side * side * length
shear = 12 * young * moment / (5 / 6 * young / 2 * side * side * length * length)


def closed(weight, inertia, centre):
    """First frequency of a Timoshenko beam of one element with the masses of a beam, and a body at its end."""
    k, m = young * moment / (length ** 3 * (1 + shear)), mass / 420
    K = (12 * k, -6 * length * k, (4 + shear) * length ** 2 * k)
    M = (156 * m + weight, -22 * length * m + weight * centre, 4 * length ** 2 * m + inertia + weight * centre ** 2)
    a, b, c = M[0] * M[2] - M[1] ** 2, K[0] * M[2] + K[2] * M[0] - 2 * K[1] * M[1], K[0] * K[2] - K[1] ** 2
    return math.sqrt((b - math.sqrt(b * b - 4 * a * c)) / (2 * a)) / (2 * math.pi)


def heard(folder):
    raw = open(sorted(glob.glob(folder + "/*beam*.pc2"))[0], "rb").read()
    count, _, _, frames = struct.unpack("<iffi", raw[16:32])
    first = struct.unpack_from("<%df" % (3 * count), raw, 32)
    tip = max(range(count), key=lambda i: first[3 * i])
    y = [struct.unpack_from("<f", raw, 32 + 12 * (count * f + tip) + 4)[0] - first[3 * tip + 1] for f in range(frames)]
    rises = [(f - y[f] / (y[f + 1] - y[f])) / 200 for f in range(20, frames - 1) if y[f] <= 0 < y[f + 1]]
    return (len(rises) - 1) / (rises[-1] - rises[0])


good = True
for folder, wanted in (("points", closed(0.2, 0, 0)), ("cube", closed(0.2, 0.2 * side ** 2 / 6, side / 2))):
    found = heard(folder)
    print("%-6s %.4f Hz, closed form %.4f (%+.2f %%)" % (folder, found, wanted, 100 * (found / wanted - 1)))
    good = good and abs(found / wanted - 1) < 0.01
sys.exit(not good)
PYTHON
