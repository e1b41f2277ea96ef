#!/bin/bash
# ctest: cli long
# From depth pictures to material: a coarse pot holder of the gallery whose truth is known. The second round of `pliant capture` is nearer to it than the first.
# scripts/capture_objects.sh does the same with the bodies as they are in the gallery, which takes minutes.
. "$(dirname "$0")/begin.sh"

expect 0 sense "$PLIANT_SOURCE_DIR/scenes/capture-holder/scene.json" -o shot --start 1.2 --frames 12 --size 160x120 \
  --set 'bodies[0].tets.points=300' --set time.warm_up=0.2
capture=(capture shot/static.vtu shot --surface shot/surface.ply --hold shot/held.csv --density 1100 --poisson 0.4)

# column NAME ROUND: a number of rounds.csv.
column() {
  awk -F, -v name="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) k = i } NR == row + 1 { print $k }' found/rounds.csv
}

# check TEXT CONDITION: a condition of awk.
check() {
  awk "BEGIN { exit !($2) }" || fail "$1: $2"
}

echo "the modulus is found, with as many steps as it takes, and the second round is nearer to the truth"
"$PLIANT" "${capture[@]}" -o found --truth shot/truth_surface.pc2 --rounds 2 >out 2>err || [ $? = 3 ] || fail "capture"
grep -E "^round|truth" err
for round in 1 2; do
  check "modulus of round $round" "$(column "young 1" $round) > 0.85 * 7e6 && $(column "young 1" $round) < 1.15 * 7e6"
  check "track of round $round" "$(column error_seen $round) < 0.003 && $(column error_hidden $round) < 0.03 * 0.34"
done
check "where cameras see" "$(column error_seen 2) < 0.9 * $(column error_seen 1)"
check "where they do not" "$(column error_hidden 2) < 0.9 * $(column error_hidden 1)"
grep -q "frames of 8 steps" err || fail "steps are not shortened"
grep -q "error of the track" found/report.html || fail "the report does not have the truth"

echo "more rounds continue where fewer ended"
cp found/rounds.csv before.csv
"$PLIANT" "${capture[@]}" -o found --truth shot/truth_surface.pc2 --rounds 3 --resume >out 2>err || [ $? = 3 ] || fail "no third round"
check "two rounds and more" "$(wc -l <found/rounds.csv) >= 3"
for name in error_seen "young 1"; do
  [ "$(column "$name" 2)" = "$(awk -F, -v name="$name" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) k = i } NR == 3 { print $k }' before.csv)" ] || fail "$name changed"
done

echo "a truth of something else is reported"
expect 1 "${capture[@]}" -o other --truth shot/truth_points.pc2
grep -q "points in" err || fail "other points"
expect 1 "${capture[@]}" -o other --truth shot/truth_surface.pc2,shot/truth_surface.pc2
grep -q "one for each" err || fail "too many truths"
