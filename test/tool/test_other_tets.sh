#!/bin/bash
# ctest: cli once long
# What is tracked and fitted need not be made of what was simulated: `pliant sense --tets` gives the static shape of a fine body in coarser tets.
. "$(dirname "$0")/begin.sh"
scene=$PLIANT_SOURCE_DIR/scenes/capture-bar/scene.json
short=(--set time.step=0.008333333333 --set time.warm_up=0 --set 'bodies[0].pins[0].within.max=[-0.199,0.06,0.06]')

expect 0 sense "$scene" -o coarse --frames 1 --size 40x30 "${short[@]}" --set 'meshes.shape.box.cells=[8,2,2]'
expect 0 sense "$scene" -o fine --start 1.2 --frames 8 --size 40x30 "${short[@]}" --set 'meshes.shape.box.cells=[16,4,4]'
expect 0 sense "$scene" -o other --start 1.2 --frames 8 --size 40x30 "${short[@]}" --set 'meshes.shape.box.cells=[16,4,4]' --tets coarse/rest.vtu

echo "pictures and surface are those of the fine body; tets, held points and the true motion those of the coarse one"
cmp fine/surface.ply other/surface.ply || fail "other surfaces"
cmp fine/truth_surface.pc2 other/truth_surface.pc2 || fail "other motions"
diff -rq fine/camera1 other/camera1 || fail "other pictures"
for pair in fine:425 other:81; do
  expect 0 info --json "${pair%:*}/static.vtu"
  grep -q "\"points\": ${pair#*:}" out || fail "points of ${pair%:*}"
done
[ "$(wc -l <other/held.csv)" = 10 ] || fail "the 9 points of the end face are held"

echo "points of the coarse tets that are points of the fine ones are where these are"
expect 3 convert fine/static.vtu fine.ply
expect 3 convert other/static.vtu other.ply
python3 - <<'PY'
import re, struct
def points(path):
    data = open(path, "rb").read()
    head, body = data.split(b"end_header\n", 1)
    count = int(re.search(rb"element vertex (\d+)", head).group(1))
    kind = "d" if b"property double x" in head else "f"
    size = struct.calcsize(kind)
    stride = size * len(re.findall(rb"property (?:float|double) \w+", head.split(b"element face")[0]))
    return [struct.unpack_from("<3" + kind, body, i * stride) for i in range(count)]
fine, other = points("fine.ply"), points("other.ply")
assert len(other) > 60, len(other)
worst = max(min(sum((a - b) ** 2 for a, b in zip(p, q)) for q in fine) for p in other) ** 0.5
assert worst < 1e-6, worst
PY

echo "the exact motion of the fine body is fitted by coarse tets with too low a modulus, and by its own with the right one"
for name in fine other; do
  "$PLIANT" fit $name/static.vtu $name/truth_points.pc2 -o $name-fit --hold $name/held.csv --no-warm-start --young 5e5 --steps 4 \
    --predict $name/truth_points.pc2 >out 2>err || [ $? = 3 ] || fail "fit"
  grep -q "(held out): error" err || fail "the prediction is not told"
done
python3 - <<'PY'
import csv
young = {name: float(next(csv.DictReader(open(f"{name}-fit/estimates.csv")))["value"]) for name in ("fine", "other")}
print(young)
assert 0.93 < young["fine"] / 6.8e5 < 1.07 and 0.5 < young["other"] / 6.8e5 < 0.9 * young["fine"] / 6.8e5, young
PY

echo "tets are tets, and of this shape"
expect 1 sense "$scene" -o none --frames 1 --size 40x30 --tets fine/surface.ply
grep -q "has no tets" err || fail "a surface"
expect 1 sense "$PLIANT_SOURCE_DIR/scenes/capture-taro/scene.json" -o none --frames 1 --size 40x30 --tets fine/rest.vtu --set time.warm_up=0
grep -q "point" err || fail "another shape"
