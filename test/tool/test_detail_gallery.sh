#!/bin/bash
# ctest: cli long
# What the detail of the gallery must show, on its real models: the pillow's examples at their own places, at places left out, with more and more of them; the sets in the
# folders are those that the recipes make; segments of pillow, meniscus and block by their labels. In the release build alone, as test_gallery.sh.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
scenes=$PLIANT_SOURCE_DIR/scenes

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

"$PLIANT" detail record "$scenes/detail-pillow/recipe.json" -o pillow.pldetail --check --json >pillow.json
python3 - <<'PY' || fail "the pillow's examples"
import json
found = json.load(open("pillow.json"))
known = [t for t in found["touches"] if not t["held_out"]]
assert len(known) == 13 and len({t["site"] for t in known}) == 13
for t in known:  # at its own place and load the enriched surface is the recorded one
    assert t["enriched"] < 0.01 * t["displacement"], t
rms = lambda touches, key: (sum(t[key] ** 2 for t in touches) / len(touches)) ** 0.5
# Each site from the twelve others, and places that were held out: at most 12 % of the motion, and less than half the
# coarse surface's error. Folds do not come back in phase, so that more of the coarse error stays than without a skin.
held = [t for t in found["touches"] if t["held_out"]]
for name, touches, key in (("left out", known, "without_site"), ("held out", held, "enriched")):
    error, coarse = rms(touches, key) / rms(touches, "displacement"), rms(touches, "coarse") / rms(touches, "displacement")
    print("%s: %.1f %% of the motion, coarse %.1f %%" % (name, 100 * error, 100 * coarse))
    assert error < 0.12 and error < 0.5 * coarse
growth = {g["examples"]: g["missing"] for g in found["growth"]}
print("held out:", growth)
assert growth[13] < growth[1]
PY
"$PLIANT" detail info --json pillow.pldetail >made
"$PLIANT" detail info --json "$scenes/detail-pillow/pillow.pldetail" >kept
python3 - <<'PY' || fail "the pillow's set is not what its recipe makes"
import json
made, kept = json.load(open("made")), json.load(open("kept"))
for key, value in made.items():
    if isinstance(value, float):
        assert abs(value - kept[key]) <= 1e-3 * abs(value), key
    else:
        assert value == kept[key], key
PY

# Captured surfaces: a place that was held out is nearer to what was captured there than the coarse body is.
"$PLIANT" detail record "$scenes/detail-captured/recipe.json" -o foam.pldetail --json >foam.json
python3 - <<'PY' || fail "captured examples at a place left out"
import json
held, = [t for t in json.load(open("foam.json"))["touches"] if t["held_out"]]
print("captured: %.1f %% of the motion, coarse %.1f %%" % (100 * held["enriched"] / held["displacement"], 100 * held["coarse"] / held["displacement"]))
assert held["enriched"] < 0.6 * held["coarse"]
PY
cmp foam.pldetail "$scenes/detail-captured/foam.pldetail" || fail "the captured set is not what its recipe makes"

# paint SCENE COUNT WINDOW CELL: labels of the surface points by colour, as "x y z label" lines.
paint() {
  "$PLIANT" detail segment "$1" --count "$2" --window "$3" --cell-size "$4" -o painted.ply >table || fail "segment $1"
  python3 - <<'PY'
import struct
raw = open("painted.ply", "rb").read()
head, body = raw.split(b"end_header\n", 1)
count = next(int(l.split()[2]) for l in head.decode().split("\n") if l.startswith("element vertex"))
colors = {}
rows = [struct.unpack_from("<3d3B", body, 27 * i) for i in range(count)]
sizes = {}
for r in rows:
    sizes[r[3:]] = sizes.get(r[3:], 0) + 1
order = sorted(sizes, key=lambda c: -sizes[c])
with open("labels", "w") as out:
    for r in rows:
        out.write("%.6g %.6g %.6g %d\n" % (*r[:3], order.index(r[3:])))
PY
}

paint "$scenes/detail-pillow/scene.json" 4 0.06 0.025
python3 - <<'PY' || fail "one large interior region on the pillow"
rows = [tuple(map(float, l.split())) for l in open("labels")]
inner = [r[3] for r in rows if abs(r[0]) < 0.1 and abs(r[2]) < 0.1 and r[1] > 0]
outer = [r[3] for r in rows if max(abs(r[0]), abs(r[2])) > 0.25]
label = max(set(inner), key=inner.count)
assert inner.count(label) > 0.95 * len(inner), "the inside of the upper side is one region"
assert outer.count(label) < 0.02 * len(outer), "and the rim is another"
PY

paint "$scenes/detail-meniscus/scene.json" 5 0.025 0.013
python3 - <<'PY' || fail "the meniscus' thin rim apart from its thick part"
rows = [tuple(map(float, l.split())) for l in open("labels")]
near = lambda r: (r[0] ** 2 + r[2] ** 2) ** 0.5
thin = [r[3] for r in rows if near(r) < 0.13 and r[2] > 0]
thick = [r[3] for r in rows if 0.19 < near(r) < 0.205 and r[2] > 0]
for a, b in ((thin, thick), (thick, thin)):
    label = max(set(a), key=a.count)
    print("%.0f %% against %.0f %%" % (100 * a.count(label) / len(a), 100 * b.count(label) / len(b)))
    assert a.count(label) > 0.7 * len(a) and b.count(label) < 0.02 * len(b)
PY

paint "$scenes/detail-cube/scene.json" 4 0.04 0.02
python3 - <<'PY' || fail "flats, edges and corners of the block"
rows = [tuple(map(float, l.split())) for l in open("labels")]
half = (0.18, 0.1, 0.18)
def kind(p):
    far = sorted(h - abs(c) for c, h in zip(p, half))
    return "flat" if far[1] > 0.06 else "edge" if far[1] < 0.015 and far[2] > 0.06 else "corner" if far[2] < 0.02 else None
labels = {k: [r[3] for r in rows if kind(r[:3]) == k] for k in ("flat", "edge", "corner")}
most = {k: max(set(v), key=v.count) for k, v in labels.items()}
print(most, {k: "%.0f %%" % (100 * v.count(most[k]) / len(v)) for k, v in labels.items()})
assert len(set(most.values())) == 3
assert all(v.count(most[k]) > 0.8 * len(v) for k, v in labels.items())
PY
