#!/bin/bash
# ctest: cli
# pliant pose: poses by name from morph targets, files and point caches; the table, the file, and what is wrong with poses.
. "$(dirname "$0")/begin.sh"

# A closed bar 1 x 1 x 4 with a fine surface, and what can be done to it.
python3 - <<'PY'
import base64, json, math, struct
n, m = 6, 24
index, points, faces = {}, [], []
def at(i, j, k):
    if (i, j, k) not in index:
        index[i, j, k] = len(points)
        points.append((i / n - 0.5, j / n - 0.5, 4 * k / m - 2))
    return index[i, j, k]
def side(a, b, corner):
    for i in range(a):
        for j in range(b):
            q = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]
            faces.extend([(q[0], q[1], q[2]), (q[0], q[2], q[3])])
side(n, n, lambda i, j: at(j, i, 0)); side(n, n, lambda i, j: at(i, j, m))
side(n, m, lambda i, k: at(i, 0, k)); side(m, n, lambda k, i: at(i, n, k))
side(m, n, lambda k, j: at(0, j, k)); side(n, m, lambda j, k: at(n, j, k))
def twist(p, turns=1):
    a = 2 * math.pi * turns * (p[2] / 4 + 0.5)
    return (math.cos(a) * p[0] - math.sin(a) * p[1], math.sin(a) * p[0] + math.cos(a) * p[1], p[2])
def elbow(p, a=math.pi / 2):
    s = min(max(p[2] / 0.8 + 0.5, 0), 1)
    return (p[0], (1 - s) * p[1] + s * (math.cos(a) * p[1] - math.sin(a) * p[2]), (1 - s) * p[2] + s * (math.sin(a) * p[1] + math.cos(a) * p[2]))
def obj(name, move, count=None):
    with open(name, "w") as out:
        out.writelines("v %.9g %.9g %.9g\n" % move(p) for p in points[:count])
        if count is None:
            out.writelines("f %d %d %d\n" % tuple(c + 1 for c in f) for f in faces)
obj("bar.obj", lambda p: p); obj("twist.obj", twist); obj("elbow.obj", elbow); obj("mirror.obj", lambda p: (-p[0], p[1], p[2]))
obj("still.obj", lambda p: (p[0] + 3, p[1], p[2])); obj("again.obj", twist); obj("short.obj", twist, 50)
with open("moves.pc2", "wb") as out:
    out.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, len(points), 0.0, 1.0, 3))
    for f in range(3):
        for p in points:
            out.write(struct.pack("<3f", *twist(p, 0.2 * f)))
def pack(rows, kind): return b"".join(struct.pack("<3" + kind, *r) for r in rows)
parts = [pack(points, "f"), pack([[b - a for a, b in zip(p, twist(p, 0.5))] for p in points], "f"), pack(faces, "I")]
views, start = [], 0
for part in parts:
    views.append({"buffer": 0, "byteOffset": start, "byteLength": len(part)}); start += len(part)
low, high = [[f(p[i] for p in points) for i in range(3)] for f in (min, max)]
json.dump({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 2, "targets": [{"POSITION": 1}]}], "extras": {"targetNames": ["half turn"]}}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3", "min": low, "max": high},
        {"bufferView": 1, "componentType": 5126, "count": len(points), "type": "VEC3", "min": [-3] * 3, "max": [3] * 3},
        {"bufferView": 2, "componentType": 5125, "count": 3 * len(faces), "type": "SCALAR"}],
    "bufferViews": views, "buffers": [{"byteLength": start, "uri": "data:application/octet-stream;base64," + base64.b64encode(b"".join(parts)).decode()}]},
    open("bar.gltf", "w"))
PY

# Column NUMBER of pose NAME in the table.
column() { grep "^$1 " out | sed "s/^$1 //" | awk "{ print \$$2 }"; }

echo "a full twist inverts nothing, and the table says how well it is met"
expect 0 mesh bar.obj -o tets.vtu --points 500
expect 0 pose tets.vtu bar.obj twist.obj -o posed.vtu
head -1 out | grep -q "pose.*rms.*min J.*inverted.*weight" || fail "head of the table"
[ "$(column twist 5)" = 0 ] || fail "inverted"
awk "BEGIN { exit !($(column twist 1) < 0.05 && $(column twist 3) > 0.1) }" || fail "fit"
"$PLIANT" info posed.vtu | grep -qE '^poses +1.*twist' || fail "pose in the file"

echo "the same bits again, whatever the format and however the tets come"
expect 0 pose tets.vtu bar.obj twist.obj -o again.vtu
cmp posed.vtu again.vtu || fail "not the same"
expect 0 pose bar.obj twist.obj -o posed.vtk --points 500
"$PLIANT" info posed.vtk | grep -qE '^poses +1.*twist' || fail "pose in the .vtk"
expect 0 convert posed.vtk back.vtu
"$PLIANT" info back.vtu | grep -qE '^poses +1.*twist' || fail "pose after conversion"

echo "morph targets, other names and frames of a point cache"
expect 0 pose tets.vtu bar.gltf spin=twist.obj moves.pc2:1 slow=moves.pc2:2 -o all.vtu
for name in "half turn" spin moves:1 slow; do grep -q "^$name " out || fail "no line for $name"; done
"$PLIANT" info all.vtu | grep -qE '^poses +4.*half turn.*spin.*moves:1.*slow' || fail "names in the file"
expect 1 pose tets.vtu bar.obj moves.pc2:7 -o no.vtu
grep -q "frame 7" err || fail "frame"

echo "an elbow gives way at its crease; imposed exactly it inverts tets"
expect 3 pose tets.vtu bar.obj elbow.obj -o elbow.vtu --exact
[ "$(column elbow 5)" -gt 0 ] || fail "nothing inverted"
grep -q "warning: pose 'elbow' inverts [0-9]* tets" err || fail "no warning"
expect 3 pose tets.vtu bar.obj elbow.obj -o elbow.vtu
[ "$(column elbow 5)" = 0 ] && [ "$(column elbow 7)" -gt 0 ] || fail "inverted, or met"
grep -q "warning: pose 'elbow' is not reached at" err || fail "no warning"

echo "the four kinds of bad poses are reported by name"
expect 3 pose tets.vtu bar.obj still.obj -o no.vtu
grep -q "'still' has the shape of the rest" err || fail "equal to the rest"
expect 3 pose tets.vtu bar.obj twist.obj again.obj -o no.vtu
grep -q "'twist' and 'again' have the same shape" err || fail "equal poses"
expect 3 pose tets.vtu bar.obj mirror.obj -o no.vtu
grep -q "'mirror' .*mirror image" err || fail "mirror image"
rm no.vtu
expect 1 pose tets.vtu bar.obj short.obj elbow.obj -o no.vtu
grep -q "short.obj: error: .*'short' has 50 points" err || fail "number of points"
[ ! -e no.vtu ] || fail "written all the same"
expect 1 pose tets.vtu bar.obj twist.obj twist=elbow.obj -o no.vtu
grep -q "two poses are called 'twist'" err || fail "one name twice"
expect 1 pose tets.vtu bar.obj -o no.vtu
grep -q "no poses" err || fail "no poses"

echo "tets with tets: nothing is fitted, only gathered and checked"
expect 0 convert tets.vtu rest.mesh
python3 - <<'PY'
lines = open("rest.mesh").read().split("\n")
start = lines.index("Vertices") + 2
for i in range(start, start + int(lines[start - 1])):
    x, y, z, tag = map(float, lines[i].split())
    lines[i] = f"{1.1 * x} {0.9 * y} {z} 0"
open("squeezed.mesh", "w").write("\n".join(lines))
PY
expect 0 pose tets.vtu squeezed.mesh -o gathered.vtu --volume
"$PLIANT" info gathered.vtu | grep -qE '^poses +1.*squeezed' || fail "gathered"

echo "wrong use"
expect 2 pose tets.vtu bar.obj twist.obj
expect 2 pose tets.vtu bar.obj twist.obj -o posed.glb
expect 2 pose tets.vtu bar.obj twist.obj -o posed.vtu --exact --weight 3
expect 2 pose tets.vtu -o posed.vtu
