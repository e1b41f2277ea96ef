#!/bin/bash
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
    for variant in "fixed", "none", "paper", "carry":
        row = cases[f"{model} {variant}", 1]
        assert row["unit"] == "us/chain/step" and row["limit"] > 0 and row["better"] == "lower", row
    assert cases[f"{model} paper/none", 1]["paper"] == 2
    assert cases[f"{model} frame carry", 1]["paper"] == 16.7 and "upper bound" in cases[f"{model} frame carry", 1]["note"]
    for rate in 60, 240:
        assert cases[f"{model} 1/{rate} s width 2 peak carry", 1]["value"] < 5, "carrying brings energy"
for threads in 1, 2:
    assert cases["5000 chains 1/60 s frame carry", threads]["unit"] == "ms/frame"
    assert cases["5000 chains 1/60 s speed carry", threads]["better"] == "higher"
PY

echo "io: reading has a limit beside it, and no file is left"
TMPDIR=$scratch "$PLIANT" bench io --quick --json >lines
grep '"read ply"' lines | grep -q '"limit"'
[ "$(ls)" = lines ]

echo "a table is aligned and names its columns"
"$PLIANT" bench mesh --quick >table
head -1 table | grep -q "suite.*case.*threads.*median.*unit"
