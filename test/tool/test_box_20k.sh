#!/bin/bash
# ctest: cli once
# The box of 20,000 particles that falls on a plane: the same bits for 1, 2 and 3 threads, and for a run that was interrupted and continued.
# Not among the tests of the thread sanitizer, which would take minutes; test_run and test_resume are.
. "$(dirname "$0")/begin.sh"
scene=$PLIANT_SOURCE_DIR/scenes/box-20k/scene.json
frames=40 # the box lands after 14

options=(--frames $frames --format pc2 --hash=frames)

echo "1, 2 and 3 threads"
for threads in 1 2 3; do "$PLIANT" run "$scene" -o t$threads --threads $threads "${options[@]}" >hash$threads 2>err || fail "$threads threads"; done
grep -q "1 body, 20384 particles" err || fail "not the box"
[ "$(wc -l <hash1)" = $((frames + 1)) ] || fail "hashes: $(cat hash1)"
cmp hash1 hash2 && cmp hash1 hash3 || fail "hashes differ"
cmp t1/box.pc2 t2/box.pc2 && cmp t1/box.pc2 t3/box.pc2 || fail "frames differ"

echo "interrupted and continued"
"$PLIANT" run "$scene" -o stopped --threads 2 --frames 100000 --format pc2 >first 2>err &
job=$!
wait_for $job stopped/pliant.frames 500000
kill -INT $job
code=0
wait $job || code=$?
[ $code = 1 ] && [ -f stopped/pliant.checkpoint ] || fail "interrupted run: exit $code"
done_count=$(stopped_at stopped)
# On a machine so busy that more frames were made than the others have, they are made again with more.
if [ "$done_count" -ge $frames ]; then
  frames=$((done_count + 5))
  "$PLIANT" run "$scene" -o t1 --threads 1 --frames $frames --format pc2 --hash=frames >hash1 2>err || fail "the run to compare with"
fi
echo "  after $done_count of $frames frames"
"$PLIANT" run --resume stopped --threads 3 --frames $frames --hash >last 2>err2 || fail "resume"
[ "$(cat last)" = "$(tail -1 hash1)" ] || fail "the hash differs: $(cat last)"
cmp stopped/box.pc2 t1/box.pc2 || fail "frames differ"
cat last
