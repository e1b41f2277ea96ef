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

echo "io: reading has a limit beside it, and no file is left"
TMPDIR=$scratch "$PLIANT" bench io --quick --json >lines
grep '"read ply"' lines | grep -q '"limit"'
[ "$(ls)" = lines ]

echo "a table is aligned and names its columns"
"$PLIANT" bench mesh --quick >table
head -1 table | grep -q "suite.*case.*threads.*median.*unit"
