#!/bin/bash
# ctest: cli once
# pliant mesh on a closed surface of 70,000 triangles from the modeller, and on the same with small holes: about 2,000 points, none of the tets
# inverted, the surface enclosed. The time is printed and not judged: tests run on machines of any kind.
. "$(dirname "$0")/begin.sh"

# A bowl with a handle: thin walls, a hole through it, edges that are sharp and edges that are blended.
cat >cup.json <<'SCENE'
{
  "pliant": 1,
  "name": "cup",
  "time": {"frames": 1},
  "meshes": {"cup": {"triangles": 70000, "shape": {"kind": "union", "smoothness": 0.02, "children": [
    {"kind": "difference", "children": [
      {"kind": "capsule", "from": [0, 0, 0], "to": [0, 0.5, 0], "radius": 0.4},
      {"kind": "capsule", "from": [0, 0.1, 0], "to": [0, 0.7, 0], "radius": 0.28},
      {"kind": "box", "size": [2, 0.6, 2], "position": [0, 0.9, 0]}]},
    {"kind": "capsule", "from": [0.35, 0.4, 0], "to": [0.65, 0.35, 0], "radius": 0.07},
    {"kind": "capsule", "from": [0.65, 0.35, 0], "to": [0.6, 0.0, 0], "radius": 0.07},
    {"kind": "capsule", "from": [0.6, 0.0, 0], "to": [0.3, -0.1, 0], "radius": 0.07}]}}},
  "bodies": [{"name": "cup", "mesh": "cup", "tets": {"points": 500}}]
}
SCENE
expect 0 run cup.json -o frames --format obj
cup=$(ls frames/*.obj | head -1)

echo "closed"
expect 0 check "$cup"
expect 0 mesh "$cup" -o cup.vtu
cat err
grep -q "enclosed:  100.00 %" err || fail "not enclosed"

echo "with holes"
# One triangle in 500 goes, and with it a patch of six elsewhere.
awk '/^f / { n++; if (n % 500 == 0 || n % 7000 < 6) next } { print }' "$cup" >leaky.obj
expect 3 mesh leaky.obj -o leaky.vtu
cat err
grep -q "warning: the surface has holes" err || fail "no warning"
grep -q "enclosed:  100.00 %" err || fail "not enclosed"

"$PLIANT" info "$cup" --json >cup.surface
for name in cup leaky; do
  expect 0 check $name.vtu
  "$PLIANT" info $name.vtu --json >$name.facts
done
python3 - <<'PY' || fail "counts"
import json
surface, closed, leaky = (json.load(open(name)) for name in ("cup.surface", "cup.facts", "leaky.facts"))
assert 65000 < surface["triangles"] < 75000, surface
for tets in closed, leaky:
    assert 1700 < tets["points"] < 2300 and tets["inverted tets"] == 0, tets
# Holes of a few triangles do not change what is inside.
assert abs(closed["tets"] - leaky["tets"]) < 0.02 * closed["tets"], (closed["tets"], leaky["tets"])
PY
