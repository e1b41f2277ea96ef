#!/bin/bash
# ctest: cli
# pliant bake: the chains of a character become an animation of its file, once and as a loop; what cannot be baked is refused in words.
#
# The Khronos validator judges what was written, where an earlier test (test_character_oracle.sh) has fetched it.
judges=
for place in "$PLIANT_SOURCE_DIR/test/oracle" "$PWD/../test_character_oracle/oracle" "$PWD/../test_gltf_oracle/oracle"; do
  if [ -d "$place/node_modules/gltf-validator" ] && command -v node >/dev/null; then judges=$place; fi
done
. "$(dirname "$0")/begin.sh"
here=$PLIANT_SOURCE_DIR/test/tool
python3 "$here/make_character.py" ear.gltf
python3 "$here/make_character.py" bald.gltf bald
python3 "$here/make_character.py" wild.gltf wild

cat >reader.py <<'PY'
"""What the tests ask of a GLB: the key frames of its animations, by name and node."""
import json
import struct


def read(path):
    data = open(path, "rb").read()
    assert data[:4] == b"glTF" and struct.unpack("<II", data[4:12]) == (2, len(data)), path
    size = struct.unpack("<I", data[12:16])[0]
    gltf, rest = json.loads(data[20 : 20 + size]), data[20 + size + 8 :]

    def values(index):
        a = gltf["accessors"][index]
        view = gltf["bufferViews"][a["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
        start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        flat = struct.unpack_from(f"<{width * a['count']}f", rest, start)
        return [flat[i : i + width] for i in range(0, len(flat), width)]

    motions = {}
    for animation in gltf["animations"]:
        tracks = motions[animation["name"]] = {}
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            name = gltf["nodes"][channel["target"]["node"]]["name"]
            tracks[name, channel["target"]["path"]] = values(sampler["input"]), values(sampler["output"])
    return gltf, motions


def angle(a, b):
    return 2 * max(abs(x - y) for x, y in zip(a, b if sum(x * y for x, y in zip(a, b)) > 0 else [-y for y in b]))


def points(path):
    data = open(path, "rb").read()
    count, start, rate, frames = struct.unpack_from("<iffi", data, 16)
    flat = struct.unpack_from(f"<{3 * count * frames}f", data, 32)
    return [[flat[3 * (f * count + i) : 3 * (f * count + i) + 3] for i in range(count)] for f in range(frames)]
PY

echo "a character comes back as it was with one animation more, in which the ear moves and the head nods as before"
expect 0 bake ear.gltf -o nod.glb
grep -q "1 chain, 5 joints, 61 frames" err || fail "what is baked is not said"
grep -q "nod baked" err || fail "where it is is not said"
python3 - <<'PY'
import json
from reader import angle, read
source = json.load(open("ear.gltf"))
gltf, motions = read("nod.glb")
assert [n["name"] for n in gltf["nodes"]] == [n["name"] for n in source["nodes"]]
assert gltf["skins"] == source["skins"] and gltf["extensions"] == source["extensions"] and gltf["meshes"] == source["meshes"]
assert list(motions) == ["nod", "walk", "nod baked"], list(motions)
baked = motions["nod baked"]
assert baked["head", "rotation"] == motions["nod"]["head", "rotation"]
times, ear = baked["ear.1", "rotation"]
assert len(times) == 61 and abs(times[-1][0] - 1) < 1e-6
assert max(angle(ear[0], row) for row in ear) > 0.05, "the ear does not move"
PY
expect 0 info nod.glb
grep -q "nod baked" out || fail "info does not list the new animation"

echo "the same for any number of threads; another frame rate shows the same motion"
expect 0 bake ear.gltf -o one.glb --threads 1
expect 0 bake ear.gltf -o three.glb --threads 3
cmp one.glb three.glb || fail "threads matter"
expect 0 bake ear.gltf -o slow.glb --fps 30
python3 - <<'PY'
from reader import angle, read
fast, slow = (read(name)[1]["nod baked"]["ear.3", "rotation"] for name in ("nod.glb", "slow.glb"))
assert len(slow[0]) == 31
assert max(angle(a, b) for a, b in zip(fast[1][::2], slow[1])) < 1e-3
PY

echo "a loop ends as it begins, joints and points, also where the character walks on"
for name in nod walk; do
  expect 0 bake ear.gltf -o "loop-$name.glb" --loop --animation "$name" --format glb,pc2
  grep -q "loop: the end is" err || fail "the difference before the fade is not told"
  NAME=$name python3 - <<'PY'
import os
from reader import angle, points, read
name = os.environ["NAME"]
tracks = read(f"loop-{name}.glb")[1][name + " baked"]
assert not [path for node, path in tracks if node.startswith("ear") and path == "translation"], "the ear is not where the head is"
for k in range(1, 5):
    keys = tracks[f"ear.{k}", "rotation"][1]
    assert angle(keys[0], keys[-1]) < 1e-6, (k, keys[0], keys[-1])
    assert max(angle(a, b) for a, b in zip(keys, keys[1:])) < 0.5, "it jumps"
frames = points(f"loop-{name}.pc2")
assert len(frames) == 61
way = 1 if name == "walk" else 0
for a, b in zip(frames[0], frames[-1]):
    assert max(abs(b[0] - a[0] - way), abs(b[1] - a[1]), abs(b[2] - a[2])) < 1e-5, (a, b)
PY
done

echo "an ear that never comes to rest is faded, with a remark"
expect 3 bake wild.gltf -o wild.glb --loop
grep -q "end of cycle 8 is .* this was the last attempt" err || fail "cycles are not given up"
grep -q "warning: loop: the end is" err || fail "no warning"
python3 - <<'PY'
from reader import angle, read
tracks = read("wild.glb")[1]["nod baked"]
for k in range(1, 5):
    keys = tracks[f"ear.{k}", "rotation"][1]
    assert angle(keys[0], keys[-1]) < 1e-6, (k, keys[0], keys[-1])
PY

echo "a pre-roll lets the ear hang before the first frame; without one it begins in its rest pose"
expect 0 bake ear.gltf -o still.glb --pre-roll 0
expect 0 bake ear.gltf -o hung.glb --pre-roll 3
python3 - <<'PY'
from reader import angle, read
still, hung = (read(name)[1]["nod baked"]["ear.1", "rotation"][1] for name in ("still.glb", "hung.glb"))
assert angle(still[0], (0, 0, 0, 1)) < 0.02 < angle(hung[0], (0, 0, 0, 1)), (still[0], hung[0])
PY

echo "examples follow the camera that is given, and it is said when none is"
expect 0 bake ear.gltf -o side.glb --eye 5,1.5,0 --pre-roll 2
! grep -q "there is none" err || fail "the camera is not seen"
expect 0 bake ear.gltf -o nobody.glb --pre-roll 2
grep -q "examples of this character follow a camera, and there is none" err || fail "no word about the camera"
python3 - <<'PY'
from reader import angle, read
side, nobody = (read(name)[1]["nod baked"]["ear.2", "rotation"][1][0] for name in ("side.glb", "nobody.glb"))
assert angle(side, nobody) > 0.1, (side, nobody)
PY
expect 0 info ear.gltf
grep -q "side .* of 'ear.1', seen from 1 0 0, extent 45.8 degrees" out || fail "info does not tell the example"
grep -q "ear .* 5 joints from 'ear.1', 1 colliders" out || fail "info does not tell the spring"
expect 0 info ear.gltf --json
python3 - <<'PY'
import json
facts = json.load(open("out"))
assert facts["kind"] == "character" and facts["vrm"] == "1.0" and [a["name"] for a in facts["animations"]] == ["nod", "walk"], facts
PY

cat >scene.json <<'SCENE'
{
  "pliant": 1, "name": "two", "description": "A lock of hair that the scene describes, and the character next to it.",
  "time": {"frames": 31, "frame_rate": 30},
  "bodies": [
    {"name": "lock", "method": "rod", "rod": {
      "joints": [{"name": "cap", "position": [0, 1, 0],
                  "keys": [{"time": 0}, {"time": 0.5, "position": [0.1, 0, 0]}, {"time": 1}]}], "stiffness": 0.01,
      "chains": [{"name": "lock", "points": [[0, 1, 0], [0.05, 1, 0], [0.1, 1, 0], [0.15, 1, 0]], "radius": 0.01}]}},
    {"name": "hero", "method": "rod", "rod": {"character": "ear.gltf", "animation": "nod"}}
  ]
}
SCENE
echo "of a scene the skeleton is written with its motion; a character in it is written back"
expect 1 bake scene.json -o x.glb
grep -q "2 bodies with joints; choose one with --body, such as 'lock' or 'hero'" err || fail "the choice is not offered"
expect 1 bake scene.json -o x.glb --body lokc
grep -q "did you mean 'lock'" err || fail "no suggestion"
expect 1 bake scene.json -o x.glb --body lock --eye 1,2,3
expect 0 bake scene.json -o lock.glb --body lock --format glb,pc2
expect 0 bake scene.json -o short.glb --body lock --set time.frames=11
expect 0 bake scene.json -o hero.glb --body hero --pre-roll 0.5
expect 0 run scene.json -o run --format pc2
cmp run/lock.pc2 lock.pc2 || fail "bake and run differ"
python3 - <<'PY'
import json
from reader import angle, points, read
gltf, motions = read("lock.glb")
tracks = motions["baked"]
joints = sorted({node for node, _ in tracks})
assert len(joints) == 5, joints
keys = [rows for (node, path), rows in tracks.items() if path == "rotation"]
assert all(len(times) == 31 for times, _ in keys) and max(angle(rows[0], row) for _, rows in keys for row in rows) > 0.2
assert len(read("short.glb")[1]["baked"][joints[0], "rotation"][0]) == 11
assert len(points("lock.pc2")) == 31
source = json.load(open("ear.gltf"))
gltf, motions = read("hero.glb")
assert [n["name"] for n in gltf["nodes"]] == [n["name"] for n in source["nodes"]] and gltf["skins"] == source["skins"]
assert len(motions["baked"]["ear.2", "rotation"][0]) == 31
PY

if [ -n "$judges" ]; then
  echo "the validator finds no error"
  node "$judges/validate_gltf.mjs" nod.glb loop-walk.glb wild.glb lock.glb hero.glb >out 2>err || fail "the validator finds errors"
fi

echo "points alone, by the ending of the file"
expect 0 bake ear.gltf -o points.pc2 --seconds 0.25
[ -e points.pc2 ] && [ ! -e points.glb ] || fail "other files than asked for"
[ -z "$(ls ./*.tmp 2>/dev/null)" ] || fail "temporary files are left"

echo "spring bones exactly as VRM has them; a file without an animation is remarked; VRM stays VRM"
springs=$PLIANT_SOURCE_DIR/test/fixtures/springs
expect 0 bake ear.gltf -o exact.glb --exact
expect 0 bake ear.gltf -o exact30.glb --exact --fps 30
expect 3 bake "$springs/inside.gltf" -o inside.glb --exact --seconds 3 --pre-roll 0
grep -q "has no animation" err || fail "that there is no animation is not said"
expect 1 bake "$springs/sphere.gltf" -o sphere.vrm --exact
grep -q "is not a VRM file" err || fail "springs alone make no VRM"
python3 - "$springs/sphere.gltf" <<'PY'
import json
import sys
gltf = json.load(open(sys.argv[1]))
gltf["extensions"]["VRMC_vrm"] = {"specVersion": "1.0", "meta": {"name": "chain", "authors": ["us"]}, "humanoid": {"humanBones": {}}}
gltf["extensionsUsed"].append("VRMC_vrm")
json.dump(gltf, open("model.vrm", "w"))
PY
expect 3 bake model.vrm -o sphere.vrm --exact
[ -e sphere.vrm ] && [ ! -e sphere.glb ] || fail "the file is not called as asked for"
python3 - <<'PY'
from reader import angle, read
fast, slow = (read(name)[1]["nod baked"]["ear.3", "rotation"] for name in ("exact.glb", "exact30.glb"))
assert len(fast[0]) == 61 and len(slow[0]) == 31
assert max(angle(a, b) for a, b in zip(fast[1][::2], slow[1])) < 1e-4
# Held by the world, the chain falls until it hangs inside the hollow sphere.
motions = read("inside.glb")[1]["baked"]
assert len(motions["c0", "rotation"][0]) == 181
PY
expect 1 bake ear.gltf -o x.glb --exact --loop
expect 1 bake ear.gltf -o x.glb --exact --fps 50

echo "springs, a collider and an example of a scene move a file that has none as if they were in it, and are in what is written"
scene_of() {
  printf '{"pliant": 1, "name": "ear", "time": {"frames": 61, "frame_rate": 60}, "camera": {"eye": [5, 1.5, 0], "target": [0, 1.5, 0]},
 "bodies": [{"name": "h", "method": "rod", "rod": {"character": "%s", "animation": "nod"%s}}]}\n' "$1" "$2" >"$3"
}
ear='"springs": [{"name": "ear", "nodes": ["ear.1"], "radius": 0.01, "drag": 0.4, "pull": [0, -0.2, 0],
  "examples": [{"name": "side", "direction": [1, 0, 0], "extent": 45.8366236, "turns": [{"node": "ear.2", "degrees": 28.6478898}]}]}],
  "colliders": [{"joint": "head", "shape": "sphere", "radius": 0.05}]'
scene_of ear.gltf "" of-file.json
scene_of bald.gltf ", $ear" of-scene.json
expect 0 check of-scene.json
expect 0 bake of-file.json -o of-file.glb
expect 0 bake of-scene.json -o of-scene.glb
expect 0 bake of-scene.glb -o again.glb --animation nod --eye 5,1.5,0
expect 0 bake ear.gltf -o first.glb --animation nod --eye 5,1.5,0
expect 1 bake of-scene.json -o of-scene.vrm
grep -q "bald.gltf' is not a VRM file" err || fail "the file that is not a VRM is not named"
python3 - <<'PY'
import json
from reader import angle, read
for one, other, name in (("of-file.glb", "of-scene.glb", "baked"), ("first.glb", "again.glb", "nod baked")):
    (a, motions), (b, others) = read(one), read(other)
    for k in range(1, 6):
        left, right = motions[name][f"ear.{k}", "rotation"][1], others[name][f"ear.{k}", "rotation"][1]
        assert len(left) == 61 and max(angle(x, y) for x, y in zip(left, right)) < 1e-5, (one, k)
    assert max(angle(row, motions[name]["ear.1", "rotation"][1][0]) for row in motions[name]["ear.1", "rotation"][1]) > 0.05
assert sorted(b["extensionsUsed"]) == ["PLIANT_rod_examples", "VRMC_springBone"]
source = json.load(open("bald.gltf"))
assert b["meshes"] == source["meshes"] and b["skins"] == source["skins"] and b["nodes"] == source["nodes"]
gltf = dict(source, extensions={"VRMC_vrm": {"specVersion": "1.0", "meta": {"name": "head", "authors": ["us"]}, "humanoid": {"humanBones": {}}}},
            extensionsUsed=["VRMC_vrm"])
json.dump(gltf, open("bald.vrm", "w"))
PY
scene_of bald.vrm ", $ear" of-vrm.json
expect 0 bake of-vrm.json -o of-vrm.vrm
expect 0 info --nodes of-vrm.vrm
grep -q "ear.2 *of 'ear.1'" out && grep -q "5 joints from 'ear.1', 1 colliders" out || fail "the springs are not in the VRM file"
sed 's/"ear.1"/"earr.1"/' of-scene.json >wrong.json
expect 1 bake wrong.json -o x.glb
grep -q 'springs\[0\]: the character has no node "earr.1"; did you mean "ear.1"?' err || fail "the wrong name is not named"
sed 's/"sphere"/"box"/' of-scene.json >wrong.json
expect 1 check wrong.json
if [ -n "$judges" ]; then node "$judges/validate_gltf.mjs" of-scene.glb of-vrm.vrm >out 2>err || fail "the validator finds errors"; fi

echo "a VRM animation of another file moves a VRM model as an animation of its own does, with rods and exactly, from the tool and in a scene"
python3 - <<'PY'
import copy
import json
model = json.load(open("ear.gltf"))
bones = {"humanBones": {"hips": {"node": 0}, "head": {"node": 1}}}
clip = copy.deepcopy(model)
for key in ("extensions", "meshes", "skins"):
    del clip[key]
clip["nodes"][7] = {"name": "ribbon"}
clip["animations"] = clip["animations"][:1]
clip["extensions"], clip["extensionsUsed"] = {"VRMC_vrm_animation": {"specVersion": "1.0", "humanoid": bones}}, ["VRMC_vrm_animation"]
json.dump(clip, open("nod.vrma", "w"))
model["extensions"]["VRMC_vrm"] = {"specVersion": "1.0", "meta": {"name": "head", "authors": ["us"]}, "humanoid": bones}
model["extensionsUsed"].append("VRMC_vrm")
json.dump(model, open("ear.vrm", "w"))
PY
for how in "" --exact; do
  expect 0 bake ear.vrm -o own.vrm --animation nod $how
  expect 0 bake ear.vrm -o other.vrm --motion nod.vrma $how
  python3 - <<'PY'
from reader import angle, read
own, other = read("own.vrm")[1]["nod baked"], read("other.vrm")[1]["nod.vrma baked"]
assert len(own["ear.1", "rotation"][1]) == 61
for k in range(1, 5):
    pairs = list(zip(own[f"ear.{k}", "rotation"][1], other[f"ear.{k}", "rotation"][1]))
    assert len(pairs) == 61 and max(angle(a, b) for a, b in pairs) < 1e-4, k
# The head nods in the file too.
head = other["head", "rotation"][1]
assert max(angle(row, head[0]) for row in head) > 0.2
PY
done
scene_of ear.vrm "" own.json
sed 's/"animation": "nod"/"motion": "nod.vrma"/' own.json >other.json
expect 0 bake own.json -o own.glb
expect 0 bake other.json -o other.glb
python3 - <<'PY'
from reader import angle, read
own, other = (read(name)[1]["baked"]["ear.2", "rotation"][1] for name in ("own.glb", "other.glb"))
assert len(own) == 61 and max(angle(a, b) for a, b in zip(own, other)) < 1e-4
PY
echo "expressions and the gaze of a motion are written as weights of morph targets"
python3 - <<'PY'
import base64
import json
import struct
model, clip = json.load(open("ear.vrm")), json.load(open("nod.vrma"))


def add(document, rows, kind):
    """An accessor of floats in a buffer of its own."""
    data = b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)
    document["buffers"].append({"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()})
    document["bufferViews"].append({"buffer": len(document["buffers"]) - 1, "byteLength": len(data)})
    accessor = {"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126, "count": len(rows), "type": kind}
    if kind == "SCALAR":
        accessor.update({"min": [min(rows)[0]], "max": [max(rows)[0]]})
    if kind == "VEC3":
        accessor.update({"min": [min(r[c] for r in rows) for c in range(3)], "max": [max(r[c] for r in rows) for c in range(3)]})
    document["accessors"].append(accessor)
    return len(document["accessors"]) - 1


count = model["accessors"][model["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]["count"]
targets = [{"POSITION": add(model, [(0, s, 0)] * count, "VEC3")} for s in (0.25, 0.5, 1)]
model["meshes"][0]["primitives"][0]["targets"] = targets
expressions = {"happy": {"morphTargetBinds": [{"node": 7, "index": 0, "weight": 0.5}, {"node": 7, "index": 2, "weight": 1}]},
               "lookLeft": {"morphTargetBinds": [{"node": 7, "index": 1, "weight": 1}]}}
model["extensions"]["VRMC_vrm"].update({"expressions": {"preset": expressions}, "lookAt": {
    "type": "expression", "offsetFromHeadBone": [0, 0, 0], **{f"rangeMap{way}": {"inputMaxValue": 90, "outputScale": 1} for way in ("HorizontalInner", "HorizontalOuter", "VerticalDown", "VerticalUp")}}})
json.dump(model, open("face.vrm", "w"))
clip["nodes"] += [{"name": "happy"}, {"name": "gaze"}]
clip["scenes"][0]["nodes"] += [8, 9]
times = add(clip, [(0,), (1,)], "SCALAR")
half = 0.5 ** 0.5
for node, path, rows, kind in ((8, "translation", [(0, 0, 0), (1, 0, 0)], "VEC3"), (9, "rotation", [(0, 0, 0, 1), (0, half, 0, half)], "VEC4")):
    animation = clip["animations"][0]
    animation["samplers"].append({"input": times, "output": add(clip, rows, kind)})
    animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": {"node": node, "path": path}})
clip["extensions"]["VRMC_vrm_animation"].update({"expressions": {"preset": {"happy": {"node": 8}}}, "lookAt": {"node": 9, "offsetFromHeadBone": [0, 0, 0]}})
json.dump(clip, open("face.vrma", "w"))
PY
sed 's/"animation": "nod"/"motion": "face.vrma"/; s/ear\.vrm/face.vrm/' own.json >face.json
for source in "face.vrm --motion face.vrma" "face.vrm --motion face.vrma --exact" face.json; do
  # shellcheck disable=SC2086
  expect 0 bake $source -o face-baked.vrm
  python3 - "$source" <<'PY'
import sys
from reader import read
tracks = read("face-baked.vrm")[1]
times, rows = tracks[list(tracks)[-1]]["ribbon", "weights"]
weights = [[row[0] for row in rows][3 * k:3 * k + 3] for k in range(len(times))]
assert len(weights) == 61, len(weights)
for time, (first, second, third) in zip(times, weights):
    assert abs(first - 0.5 * time[0]) < 1e-5 and abs(third - time[0]) < 1e-5, (sys.argv[1], time, first, third)
# The gaze turns to the left by a right angle within the second, evenly.
assert abs(weights[0][1]) < 1e-5 and abs(weights[30][1] - 0.5) < 2e-3 and abs(weights[60][1] - 1) < 1e-3, [w[1] for w in weights[::15]]
PY
  if [ -n "$judges" ]; then node "$judges/validate_gltf.mjs" face-baked.vrm >out 2>err || fail "the validator finds errors"; fi
done

expect 1 bake ear.vrm -o x.glb --motion nod.vrma --animation nod
expect 1 bake ear.vrm -o x.glb --motion missing.vrma
expect 1 bake own.json -o x.glb --motion nod.vrma
sed 's/"animation": "nod"/"animation": "nod", "motion": "nod.vrma"/' own.json >wrong.json
expect 1 check wrong.json
if [ -n "$judges" ]; then node "$judges/validate_gltf.mjs" other.vrm >out 2>err || fail "the validator finds errors"; fi

echo "what cannot be baked is refused"
expect 1 bake bald.gltf -o x.glb
grep -q "no spring bones" err || fail "no reason"
expect 1 bake ear.gltf -o x.glb --animation wlak
grep -q "did you mean 'walk'" err || fail "no suggestion"
expect 1 bake ear.gltf -o x.glb --body ear
expect 1 bake ear.gltf -o x.glb --loop --seconds 2
expect 1 bake missing.glb -o x.glb
expect 1 bake ear.gltf -o ./ear.gltf --format glb
expect 2 bake ear.gltf
grep -q "bake needs --output FILE" err || fail "no reason"
expect 2 bake ear.gltf -o x.obj
expect 2 bake ear.gltf -o x.glb --eye 1,2
expect 2 bake ear.gltf -o x.glb --format mdd
expect 2 bake -o x.glb
[ ! -e x.glb ] || fail "a file was written all the same"
