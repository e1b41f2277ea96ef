#!/bin/bash
# ctest: cli threads
# Runs of a scene: the same bits for any number of threads, every format, seeds, failures of the output folder.
set -eu
. "$(dirname "$0")/small_scene.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
small_scene scene.json 12

fail() {
  echo "FAILED: $*" >&2
  [ ! -f err ] || cat err >&2
  exit 1
}

echo "the hash has 16 digits and is the same for 1, 2 and 3 threads, and so are the files"
for threads in 1 2 3; do
  "$PLIANT" run scene.json -o t$threads --threads $threads --format pc2,glb,mdd --hash >hash$threads 2>err || fail "run"
  grep -qE '^[0-9a-f]{16}$' hash$threads || fail "hash: $(cat hash$threads)"
done
cmp hash1 hash2 && cmp hash1 hash3 || fail "hashes differ"
diff -r t1 t2 && diff -r t1 t3 || fail "files differ"
[ "$(ls t1 | grep -vcE '^(energy|weights)\.csv$')" = 9 ] || fail "three bodies in three formats, and nothing else but tables: $(ls t1)"
[ "$(head -c 36 t1/energy.csv)" = frame,time,contacts,deepest_contact, ] || fail "energies: $(head -1 t1/energy.csv)"
[ "$(wc -l <t1/energy.csv)" -gt 2 ] || fail "a row of energies per frame"

echo "--json prints a report that other programs can read"
"$PLIANT" run scene.json -o json --format none --json >report.json 2>err || fail "--json"
python3 - <<'PY' || fail "report: $(cat report.json)"
import json
report = json.load(open("report.json"))
assert report["complete"] and report["hash"] == open("hash1").read().strip() and report["frames"] > 1 and report["steps"] > 0, report
assert len(report["bodies"]) == 3 and all(body["mass"] > 0 and len(body["center"]) == 3 for body in report["bodies"]), report
assert report["seconds"]["move"] > 0 and report["scene"] == "small", report
PY

echo "--plot draws energies, and weights where there are examples"
"$PLIANT" run scene.json -o plot --format none --plot >/dev/null 2>err || fail "--plot"
grep -q "plot: .*plot/plot.svg" err || fail "the plot is not named"
python3 - <<'PY' || fail "plot"
import xml.etree.ElementTree as tree
texts = [t.text for t in tree.parse("plot/plot.svg").iter("{http://www.w3.org/2000/svg}text")]
assert "energies" in texts and "kinetic" in texts, texts
PY

echo "narration and times go to standard error"
grep -q "^contact" err || fail "no table of stages"
grep -q "^small: 3 bodies" err || fail "no first line"

echo "--hash=frames prints one line per frame and then the end"
"$PLIANT" run scene.json -o hashes --format none --hash=frames >hashes.txt 2>err || fail "run"
[ "$(wc -l <hashes.txt)" = 13 ] || fail "lines: $(cat hashes.txt)"
[ "$(tail -1 hashes.txt)" = "$(cat hash1)" ] || fail "last line"
[ "$(sed -n 12p hashes.txt)" = "frame 11 $(cat hash1)" ] || fail "last frame"
[ -z "$(ls hashes)" ] || fail "--format none wrote $(ls hashes)"

echo "another seed is another run; the scene's own seed is the default"
"$PLIANT" run scene.json -o seed7 --format none --seed 7 --hash >seed7.txt 2>err || fail "run"
"$PLIANT" run scene.json -o seed8 --format none --seed 8 --hash >seed8.txt 2>err || fail "run"
cmp -s seed7.txt hash1 || fail "seed 7"
if cmp -s seed8.txt hash1; then fail "seed 8 changed nothing"; fi

echo "--frames cuts the run, and its frames are those of the longer run"
"$PLIANT" run scene.json -o short --frames 5 --format pc2,csv,obj,ply,vtu 2>err || fail "run"
"$PLIANT" info short/first.pc2 | grep -qE '^frames +5$' || fail "frames"
[ "$(ls short/*.obj | wc -l)" = 15 ] || fail "an .obj per frame and body: $(ls short)"
[ "$(ls short/*.vtu | wc -l)" = 15 ] && [ -f short/first.pvd ] || fail "vtu: $(ls short)"
"$PLIANT" info "$(ls short/first*.vtu | tail -1)" | grep -qE '^tets +[1-9]' || fail "no tets in the VTU files"
python3 - <<'PY' || fail "frames of the short run"
long, short = open("t1/first.pc2", "rb").read()[32:], open("short/first.pc2", "rb").read()[32:]
assert long[:len(short)] == short
rows = open("short/first.csv").read().splitlines()
assert rows[0] == "frame,time,point,x,y,z,vx,vy,vz" and len(rows) == 1 + len(short) // 12, (rows[0], len(rows))
PY

echo "a mesh file's vertex order comes back, also where vertices were welded"
cat >seam.py <<'PY'
# A cube as glTF whose faces have vertices of their own: 24 vertices, 8 places.
import base64, json, struct
corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
points = [corners[c] for face in faces for c in face]
indices = [4 * f + k for f in range(6) for k in (0, 1, 2, 0, 2, 3)]
data = b"".join(struct.pack("<3f", *p) for p in points) + struct.pack("<36H", *indices)
json.dump({"asset": {"version": "2.0"}, "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
    "bufferViews": [{"buffer": 0, "byteLength": 288}, {"buffer": 0, "byteOffset": 288, "byteLength": 72}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 24, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
                  {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}], "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0}, open("cube.gltf", "w"))
json.dump({"pliant": 1, "name": "seam", "time": {"frames": 2}, "meshes": {"cube": {"file": "cube.gltf"}},
    "bodies": [{"name": "cube", "mesh": "cube", "tets": {"points": 60}, "gravity_scale": 0}]}, open("seam.json", "w"))
PY
python3 seam.py
"$PLIANT" run seam.json -o seam --format pc2,glb 2>err || fail "seam"
python3 - <<'PY' || fail "vertex order"
import struct
corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
data = open("seam/cube.pc2", "rb").read()
assert struct.unpack("<i", data[16:20])[0] == 24, data[:32]
for i, c in enumerate(c for face in faces for c in face):
    found = struct.unpack_from("<3f", data, 32 + 12 * i)
    assert max(abs(a - b) for a, b in zip(found, corners[c])) < 1e-5, (i, found, corners[c])
PY

echo "the default folder is out/ and the scene's file name"
"$PLIANT" run scene.json --frames 2 --format pc2 2>err || fail "run"
[ -f "out/$(basename "$scratch")/first.pc2" ] || fail "default folder: $(find out)"

echo "an output folder that cannot be is a failure with a sentence"
touch taken
code=0
"$PLIANT" run scene.json -o taken/here 2>err || code=$?
[ $code = 1 ] && grep -q "error: the folder 'taken" err || fail "a file in the way: exit $code"

echo "a simulation that fails names the body, keeps the frames before and prints no hash"
sed 's/"name": "first", /"name": "first", "solid": {"density": 1e-6}, "pushes": [{"force": [1e38, 0, 0], "from": 0.1}], /' scene.json >boom.json
code=0
"$PLIANT" run boom.json -o boom --format pc2 --hash >boom.hash 2>err || code=$?
[ $code = 1 ] && grep -q "the body 'first'" err && [ ! -s boom.hash ] || fail "boom: exit $code"
"$PLIANT" info boom/first.pc2 | grep -qE '^frames +[4-8]$' || fail "frames before: $("$PLIANT" info boom/first.pc2)"

echo "a full disk is a failure that leaves nothing behind"
code=0
(trap '' XFSZ && ulimit -f 16 && exec "$PLIANT" run scene.json -o full 2>err) || code=$?
[ $code = 1 ] && grep -q "error: cannot be written: " err && [ -z "$(ls full)" ] || fail "full disk: exit $code: $(ls full)"

echo "a scene with mistakes is refused with its places"
sed 's/"position"/"positon"/' scene.json >wrong.json
code=0
"$PLIANT" run wrong.json -o wrong 2>err || code=$?
[ $code = 1 ] && [ "$(grep -c '^wrong.json:[0-9]*:[0-9]*: error: ' err)" -ge 2 ] || fail "mistakes: exit $code"
[ ! -e wrong ] || fail "a folder was made for a scene that is wrong"
