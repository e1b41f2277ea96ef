#!/bin/bash
# ctest: cli
# pliant detail: recording by simulation, adding a surface, what is in a set, segments, coverage, detail on frames; and every way to go wrong.
. "$(dirname "$0")/begin.sh"

# A small block, coarse and fine, pressed at three places.
cat >recipe.json <<'JSON'
{
  "pliant": 1, "name": "block", "gravity": [0, 0, 0], "time": {"step": 0.05, "frames": 2},
  "meshes": {"block": {"triangles": 600, "shape": {"kind": "box", "size": [0.4, 0.1, 0.4], "radius": 0.02}}},
  "bodies": [
    {"name": "fine", "mesh": "block", "method": "fem", "tets": {"cell_size": 0.05}, "position": [-0.5, 0, 0], "fem": {"young": 10000, "poisson": 0.1, "scheme": "implicit-euler", "contact_stiffness": 5e6},
     "pins": [{"within": {"min": [-2, -1, -2], "max": [0, -0.03, 2]}}]},
    {"name": "coarse", "mesh": "block", "method": "fem", "tets": {"cell_size": 0.1}, "position": [0.5, 0, 0], "fem": {"young": 10000, "poisson": 0.1, "scheme": "implicit-euler", "contact_stiffness": 5e6},
     "pins": [{"within": {"min": [0, -1, -2], "max": [2, -0.03, 2]}}]}
  ],
  "recording": {
    "fine": "fine", "coarse": "coarse", "tools": [{"name": "ball", "shape": "sphere", "radius": 0.05}], "steps": 3, "window_radius": 0.08, "stamp_radius": 0.5, "stamp_resolution": 48,
    "stamp_border": 0.1,
    "touches": [
      {"label": "middle", "at": [0, 0.05, 0], "depth": 0.02},
      {"label": "edge", "at": [0.14, 0.05, 0], "depth": 0.02},
      {"label": "pulled", "at": [0.02, 0.05, 0.02], "depth": 0.02, "drag": [0.02, 0, 0]},
      {"label": "pinched", "at": [0.1, 0.05, 0.1], "depth": 0.01, "pinch": true, "held_out": true}
    ]
  }
}
JSON
expect 0 check -q recipe.json
expect 0 detail record recipe.json -o set.pldetail --check
grep -q '^middle' out && grep -q 'held out' out || fail "a line for each touch"
grep -q 'examples: *3 recordings' err || fail "three examples"
expect 0 detail record recipe.json --json
python3 - <<'PY' || fail "own places are met to 1 %"
import json
touches = json.load(open("out"))["touches"]
assert [t["held_out"] for t in touches] == [False, False, False, True]
for t in touches[:3]:
    assert t["coarse"] > 0.02 * t["displacement"], t
    assert t["enriched"] < 0.01 * t["displacement"], t
PY

# Surfaces from files instead of a fine body: those of the fine body give the same set, though the coarse one stands alone.
expect 0 detail record recipe.json -o set.pldetail --surfaces touch
python3 - <<'PY'
import json
scene = json.load(open("recipe.json"))
scene["bodies"].pop(0)
recording = scene["recording"]
del recording["fine"]
for number, touch in enumerate(recording["touches"]):
    touch["surface"] = "touch-%02d-fine.ply" % number
json.dump(scene, open("captured.json", "w"))
recording["touches"][1]["surface"] = "stamps.ply"
json.dump(scene, open("missing.json", "w"))
del recording["touches"][1]["surface"]
json.dump(scene, open("without.json", "w"))
recording["touches"][1]["surface"] = "tetra.obj"
json.dump(scene, open("other.json", "w"))
open("tetra.obj", "w").write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
PY
expect 0 check -q captured.json
expect 0 detail record captured.json -o captured.pldetail
cmp set.pldetail captured.pldetail || fail "captured surfaces give another set than the body they are from"
expect 1 check missing.json
grep -q 'touches\[1\].surface' err out || fail "a surface that is missing"
expect 1 check without.json
grep -q 'neither a fine body nor a surface' err out || fail "a touch without a surface"
expect 1 detail record other.json
grep -q 'does not have the vertices' err out || fail "another surface"

expect 0 detail info set.pldetail -o stamps.png
grep -q '^examples *3' out && [ -s stamps.png ] || fail "three examples, and their picture"
expect 0 info set.pldetail
grep -q '^kind *detail' out || fail "info knows sets"
expect 0 detail info set.pldetail --json
python3 -c 'import json; assert json.load(open("out"))["examples"] == 3' || fail "info as JSON"

# Which places are alike: a block has flats, edges and corners.
expect 0 detail segment recipe.json --body fine -k 3 --window 0.03 -o kinds.ply --json
python3 - <<'PY' || fail "three kinds of places, painted"
import json
kinds = json.load(open("out"))["segments"]
assert len(kinds) == 3 and kinds[0]["points"] >= kinds[1]["points"] >= kinds[2]["points"] > 0
head = open("kinds.ply", "rb").read(400)
assert b"property uchar red" in head
PY
expect 0 detail cover set.pldetail recipe.json --body coarse -k 2 -o cover.png
grep -q '^covered' out && [ -s cover.png ] || fail "coverage, and its picture"
expect 0 detail cover set.pldetail recipe.json --body coarse --json
python3 -c 'import json; assert 0 <= json.load(open("out"))["covered"] <= 1' || fail "coverage as JSON"

# A modelled surface becomes an example, of a new set and of an old one; then detail on frames of a simulation.
"$PLIANT" run recipe.json -o coarse --format ply,pc2 --frames 2 >out 2>err || fail "run"
python3 - <<'PY'
import struct
raw = open("coarse/coarse_0001.ply", "rb").read()
head, body = raw.split(b"end_header\n", 1)
lines = head.decode().split("\n")
count = next(int(l.split()[2]) for l in lines if l.startswith("element vertex"))
faces = next(int(l.split()[2]) for l in lines if l.startswith("element face"))
wide = "property double x" in lines
form = "<3d" if wide else "<3f"
vertex = head.decode().split("element vertex")[1].split("element face")[0]
size = vertex.count("property double") * 8 + vertex.count("property float") * 4  # velocities follow the positions
points = [struct.unpack_from(form, body, size * i) for i in range(count)]
triangles = [struct.unpack_from("<3i", body, size * count + 13 * i + 1) for i in range(faces)]
def write(name, move):
    with open(name, "w") as out:
        for p in points:
            out.write("v %.9g %.9g %.9g\n" % move((p[0] - 0.5, p[1], p[2])))
        for t in triangles:
            out.write("f %d %d %d\n" % tuple(i + 1 for i in t))
def dent(p):
    r2 = (p[0] ** 2 + p[2] ** 2) / 0.08 ** 2
    return (p[0], p[1] - 0.03 * max(0, 1 - r2) ** 2 * (p[1] + 0.05) / 0.1, p[2])
write("base.obj", lambda p: p)
write("dented.obj", dent)
open("short.obj", "w").write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
with open("frames.pc2", "wb") as out:
    out.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, count, 0.0, 1.0, 2))
    for move in (lambda p: p, dent):
        for p in points:
            out.write(struct.pack("<3f", *move((p[0] - 0.5, p[1], p[2]))))
open("contacts.csv", "w").write("frame,x,y,z,pressure,nx,ny,nz\n1,0,0.02,0,1,0,1,0\n")
open("wrong.csv", "w").write("frame,x,y,z\n1,0,0.02\n")
PY
expect 0 detail add new.pldetail base.obj dented.obj --contact 0,0.02,0 --window 0.08 --cell-size 0.1 --label dented -o new.pldetail
grep -q '1 examples' err || fail "one example"
expect 0 detail enrich new.pldetail base.obj frames.pc2 --cell-size 0.1 --contacts contacts.csv -o rich.pc2
python3 - <<'PY' || fail "detail in the frame with a contact alone"
import struct
a, b = open("frames.pc2", "rb").read()[32:], open("rich.pc2", "rb").read()[32:]
assert len(a) == len(b)
half = len(a) // 2
off = lambda x, y: max(abs(p - q) for p, q in zip(struct.unpack("<%df" % (len(x) // 4), x), struct.unpack("<%df" % (len(y) // 4), y)))
assert off(a[:half], b[:half]) == 0
assert 1e-4 < off(a[half:], b[half:]) < 0.05, off(a[half:], b[half:])
PY

# What goes wrong is said, with its place.
expect 2 detail
expect 2 detail recrod recipe.json
grep -q 'did you mean record' err || fail "a suggestion"
expect 2 detail record
expect 2 detail segment recipe.json
expect 2 detail segment recipe.json -k 3 --window 0.1 -o kinds.obj
expect 2 detail add none.pldetail base.obj dented.obj --contact 0,0,0 -o x.pldetail
expect 2 detail add none.pldetail base.obj dented.obj --window 0.1 -o x.pldetail
expect 1 detail add none.pldetail base.obj short.obj --contact 0,0,0 --window 0.1 --cell-size 0.1 -o x.pldetail
expect 1 detail info recipe.json
grep -q 'recipe.json: error: this is not a set' err || fail "a file that is not a set, direct"
expect 1 detail enrich new.pldetail base.obj frames.pc2 --cell-size 0.1 --contacts wrong.csv -o rich.pc2
grep -q 'wrong.csv:2' err || fail "the line of a table"
expect 1 detail record none.json
sed 's/"coarse": "coarse"/"coarse": "corse"/' recipe.json >bad.json
expect 1 detail record bad.json
grep -q 'bad.json:[0-9]*:[0-9]*: error: recording.coarse: there is no body "corse"; did you mean "coarse"?' err || fail "names of bodies"
sed 's/"depth": 0.01, "pinch"/"tool": "bell", "depth": 0.01, "pinch"/' recipe.json >bad.json
expect 1 detail record bad.json
grep -q 'touches\[3\].tool: there is no tool "bell"; did you mean "ball"?' err || fail "names of tools"
sed 's/"depth": 0.02},/"depth": -1},/' recipe.json >bad.json
expect 1 detail record bad.json
grep -q 'touches\[0\].depth' err || fail "depths"
sed 's/"recording"/"rocording"/' recipe.json >bad.json
expect 1 detail record bad.json
grep -q 'did you mean `recording`' err || fail "keys"
python3 - <<'PY'
import json
scene = json.load(open("recipe.json"))
del scene["recording"]
body = scene["bodies"][1]
body["detail"] = {"set": "set.pldetail", "tools": ["finger"]}
scene["colliders"] = [{"name": "finger", "shape": "sphere", "radius": 0.05, "keys": [{"time": 0, "position": [0.5, 0.12, 0]}, {"time": 0.2, "position": [0.5, 0.08, 0]}]}]
scene["time"] = {"step": 0.05, "frame_rate": 20, "frames": 6}
json.dump(scene, open("show.json", "w"))
body["detail"]["set"] = "none.pldetail"
json.dump(scene, open("nofile.json", "w"))
body["detail"] = {"set": "recipe.json"}
json.dump(scene, open("noset.json", "w"))
body["detail"] = {"set": "set.pldetail", "tools": ["fingers"]}
json.dump(scene, open("notool.json", "w"))
PY
expect 1 detail record show.json
grep -q 'has no `recording`' err || fail "a scene without a recording"
expect 1 check nofile.json
grep -q 'detail.set: there is no file' out || fail "a set that is not there"
expect 1 run noset.json -o x --format none
grep -q 'bodies\[1\].detail.set.*not a set of examples' err || fail "a file that is not a set"
expect 1 check notool.json
grep -q 'there is no collider "fingers"; did you mean "finger"?' out || fail "names of colliders"

# A body of a scene shows the detail, whatever the number of threads.
expect 0 run show.json -o with --format pc2 --hash --threads 1
with=$(cat out)
expect 0 run show.json -o again --format pc2 --hash --threads 2
[ "$with" = "$(cat out)" ] && cmp with/coarse.pc2 again/coarse.pc2 || fail "1 and 2 threads"
python3 -c 'import json; s = json.load(open("show.json")); del s["bodies"][1]["detail"]; json.dump(s, open("plain.json", "w"))'
expect 0 run plain.json -o plain --format pc2
! cmp -s with/coarse.pc2 plain/coarse.pc2 || fail "detail does not show"
