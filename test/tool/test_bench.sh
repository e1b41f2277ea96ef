#!/bin/bash
# ctest: cli long
# pliant bench prints lines of JSON with the keys that are promised.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

echo "machine: every line is an object with suite, case, threads, value, unit and better"
"$PLIANT" bench machine --quick --json >lines
python3 - <<'PY'
import json
lines = [json.loads(line) for line in open("lines")]
assert len(lines) >= 4, lines
for line in lines:
    assert {"suite", "case", "threads", "value", "unit", "better"} <= set(line), line
    assert line["better"] in ("lower", "higher") and line["value"] > 0 and line["repeats"] >= 5, line
PY

echo "contact: frames, the part of contact and the overlap in a heap, with one and two threads"
"$PLIANT" bench contact --quick --json >lines
python3 - <<'PY'
import json
cases = {(line["case"], line["threads"]): line for line in map(json.loads, open("lines"))}
for name in "10 boxes of 64, heap", "100 boxes of 64, apart", "100 boxes of 64, resting":
    for threads in 1, 2:
        assert cases[name, threads]["unit"] == "ms/frame" and cases[name, threads]["value"] > 0, cases[name, threads]
        assert 0 <= cases[f"{name}: contact", threads]["value"] <= 1, cases[f"{name}: contact", threads]
assert cases["10 boxes of 64, heap: overlap, worst", 2]["value"] == 0
assert cases["10 boxes of 64, heap: overlap, end", 2]["value"] == 0
PY
"$PLIANT" bench contact apart --quick --json >lines
grep -q apart lines
! grep -q heap lines

echo "rod: the table of the paper, thousands of chains in real-time factors, and energies"
"$PLIANT" bench rod --quick --json >lines
python3 - <<'PY'
import json
lines = [json.loads(line) for line in open("lines")]
cases = {(line["case"], line["threads"]): line for line in lines}
assert len(cases) == len(lines), "two lines of one name"
for line in lines:
    assert {"suite", "case", "threads", "value", "unit", "better", "spread", "repeats"} <= set(line) and line["suite"] == "rod", line
    assert line["value"] > 0 and (line["repeats"] >= 5 or line["unit"] in ("uJ", "% of none")), line
for model in "bunny", "front hair", "top of head":
    for variant in "fixed", "none", "paper", "transport":
        row = cases[f"{model} {variant}", 1]
        assert row["unit"] == "us/chain/step" and row["limit"] > 0 and row["better"] == "lower", row
    assert cases[f"{model} paper/none", 1]["paper"] == 2
    assert cases[f"{model} frame transport", 1]["paper"] == 16.7 and "upper bound" in cases[f"{model} frame transport", 1]["note"]
    for rate in 60, 240:
        assert cases[f"{model} 1/{rate} s width 2 peak transport", 1]["value"] < 5, "transport brings energy"
for threads in 1, 2:
    assert cases["5000 chains 1/60 s frame transport", threads]["unit"] == "ms/frame"
    assert cases["5000 chains 1/60 s speed transport", threads]["better"] == "higher"
PY

echo "robust: one change of each kind, nobody falls in half a second"
"$PLIANT" bench robust --quick --json >lines
python3 - <<'PY'
import json
lines = [json.loads(line) for line in open("lines")]
assert [line["case"] for line in lines] == ["actor-a", "actor-r", "all"], lines
for line in lines[:2]:
    assert line["runs"] == 5 and list(line["outcomes"]) == ["5", ".3", "u.4", "E/2", "mesh"] and set(line["outcomes"].values()) == {"met"}, line
assert lines[2]["runs"] == 10 and lines[2]["standing_fraction"] == 1, lines
PY

echo "fem: steps with their parts, assembly, the fast material and the cost by size, next to the figures of others for the same mesh"
"$PLIANT" bench fem --quick --json >lines
python3 - <<'PY'
import json
lines = [json.loads(line) for line in open("lines")]
cases = {(line["case"], line["threads"]): line for line in lines}
assert len(cases) == len(lines), "two lines of one name"
for line in lines:
    assert {"suite", "case", "threads", "value", "unit", "better", "spread", "repeats"} <= set(line) and line["suite"] == "fem", line
    assert line["value"] > 0 and line["repeats"] >= 5 and line["better"] == "lower", line
for size in "1k", "3k", "16k":
    for young in "1e5", "1e7":
        parts = {part: cases[f"{size} {young} euler cg {part}", 1]["value"] for part in ("newton", "assembly", "factor", "solve")}
        assert parts["newton"] > max(parts["assembly"], parts["factor"], parts["solve"]), parts
        assert cases[f"{size} {young} euler cg solve", 1]["limit"] > 0
        for name, threads in ("euler cg step", 2), ("2nd cg step", 1):
            assert cases[f"{size} {young} {name}", threads]["unit"] == "ms/step"
assert cases["16k 1e5 euler cg newton", 1]["size"] == 15972 and cases["16k 1e5 euler cg newton", 1]["paper"] == 49
assert "VegaFEM" in cases["16k 1e5 euler cg newton", 1]["note"]
assert cases["16k assembly per tet", 1]["paper"] == 0.93 and cases["16k assembly per tet", 1]["unit"] == "us/tet"
assert cases["fast 16k falling", 1]["paper"] == cases["fast 16k hanging", 1]["paper"] == 1.8
assert cases["newton/tet 16k/3k 1e5 same body", 1]["unit"] == "x"
PY

echo "actor: scenes of the gallery next to the paper's rows; rows without one are skipped"
mkdir -p gallery
cp -r "$PLIANT_SOURCE_DIR/scenes/actor-i" gallery/
PLIANT_SCENES=$scratch/gallery "$PLIANT" bench actor --quick --json >lines 2>err
grep -q "Sphere: skipped" err
python3 - <<'PY'
import json
[line] = [json.loads(line) for line in open("lines")]
assert line["suite"] == "actor" and line["case"] == "I and P: I" and line["unit"] == "s/s" and line["better"] == "lower", line
assert line["paper"] == 0.8 and line["paper_most"] == 0.9 and line["paper_dof"] == [54, 64] and line["threads"] == 1, line
assert 0 < line["limit"] < line["value"] and 0 < line["cpu"] and line["repeats"] >= 5, line
assert abs(line["ratio"] * line["value"] / line["paper"] - 1) < 1e-3 and line["dof"] >= 54 and line["expected"] is None, line
assert abs(line["advance"]) < 1 and line["worst_residual"] < 1e-3 and line["iterations"] >= 1, line
PY
PLIANT_SCENES=$scratch/gallery "$PLIANT" bench actor actor-i --quick >table 2>err
grep -q "^motion .*ahead.*steps.*hops" table
test ! -s err # a scene that is named runs alone
rm -r gallery err table

echo "detail: comparing and weighing by number of examples, stamping, and a whole frame with its parts, next to the figures of the paper"
"$PLIANT" bench detail --quick --json >lines
python3 - <<'PY'
import json
lines = [json.loads(line) for line in open("lines")]
cases = {line["case"]: line for line in lines}
assert len(cases) == len(lines), "two lines of one name"
for line in lines:
    assert line["suite"] == "detail" and line["threads"] == 1 and line["better"] == "lower", line
for count, paper in (5, 10), (10, 10), (100, None), (1000, 200), (10000, None):
    row = cases[f"compare {count}"]
    assert row["unit"] == "us" and row["size"] == count and row.get("paper") == paper and row["value"] > 0 and row["limit"] > 0, row
    if count <= 1000:
        assert cases[f"both {count}"]["value"] > 0 and f"weights {count}" in cases
assert cases["stamp 10k"]["value"] > 0 and cases["stamp 10k"]["limit"] > 0
frame = cases["frame"]
assert frame["unit"] == "ms" and frame["paper"] == 14 and "30 of 30 frames have detail" in frame["note"], frame
for part in "solid", "contact", "detail":
    assert 0 < cases[f"frame: {part}"]["value"] < frame["value"]
PY

echo "capture: a fit of its own tets and steps finds the truth; coarser tets say less, longer steps more, and less so as they are refined"
"$PLIANT" bench capture --quick --json >lines
python3 - <<'PY'
import json
lines = [json.loads(line) for line in open("lines")]
cases = {line["case"]: line for line in lines}
assert len(cases) == len(lines), "two lines of one name"
assert cases["bar, 1 control point"]["worst_young"] < 1e-4
own, held = cases["E, own tets and steps"], cases["held out, own tets and steps"]
assert abs(own["young_off"]) < 1e-4 and abs(own["stiffness_damping_off"]) < 1e-2 and own["rms"] < 1e-4, own
assert held["unit"] == "% of amplitude" and held["limit"] == 5 and held["value"] < 0.1, held
coarse, middle = cases["E, 4 x 1 x 1 cells"], cases["E, 8 x 2 x 2 cells"]
assert coarse["unit"] == "% off" and coarse["value"] < middle["value"] < -5, (coarse, middle)
assert middle["truth_across"] == 2 * middle["across"] and middle["truth_steps"] == 2 * middle["steps"], middle
assert cases["held out, 4 x 1 x 1 cells"]["value"] > cases["held out, 8 x 2 x 2 cells"]["value"] > held["value"]
steps = [cases[f"E, {name} a frame"]["young_off"] for name in ("1 step", "2 steps", "4 steps")]
assert steps[0] > steps[1] > steps[2] > 0, steps
assert 1 < cases["order of 1/E in the edges"]["value"] < 3 and 1 < cases["order of 1/E in the step"]["value"] < 3
PY

echo "objects: from depth pictures to material and to a held-out motion, next to the times of the paper; nothing is left behind"
TMPDIR=$scratch PLIANT_SCENES=$PLIANT_SOURCE_DIR/scenes "$PLIANT" bench objects --quick --json >lines 2>err
[ "$(ls)" = "$(printf 'err\nlines')" ]
rm err
python3 - <<'PY'
import json
cases = {line["case"]: line for line in map(json.loads, open("lines"))}
track, fit = cases["bar, track"], cases["bar, fit"]
assert track["unit"] == fit["unit"] == "s" and track["frames"] == 8 and track["rounds"] == 1 and track["tets"] == fit["size"], (track, fit)
assert 0 < track["error_seen"] < 0.006 and len(fit["values"]) == 4 and 3e5 < fit["values"][0] < 1.2e6, (track, fit)
young, tets = cases["bar, young 1"], cases["bar, moduli of tets"]
assert young["truth"] == 680000 and young["verdict"] == "determined" and young["limit"] == 15, young
assert abs(young["value"] - 100 * (young["young"] / young["truth"] - 1)) < 1e-3 and abs(young["value"]) < 15, young
assert abs(tets["value"] - abs(young["value"])) < 1e-3, (tets, young)
for how in "tracked", "it was":
    held = cases[f"bar, second motion, as {how}"]
    assert held["limit"] == 5 and 0 < held["value"] < 5 and held["amplitude"] > 0.02, held
PY

echo "io: reading has a limit next to it, and no file is left"
TMPDIR=$scratch "$PLIANT" bench io --quick --json >lines
grep '"read ply"' lines | grep -q '"limit"'
[ "$(ls)" = lines ]

echo "a table is aligned and names its columns"
"$PLIANT" bench mesh --quick >table
head -1 table | grep -q "suite.*case.*threads.*value.*unit"
