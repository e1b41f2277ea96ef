#!/bin/bash
# ctest: cli
# The box of 20,000 particles that falls on a plane: the same bits for 1, 2 and 3 threads, and for a run that was interrupted and continued.
# Not among the tests of the thread sanitizer, which would take minutes; test_run and test_resume are.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
scene=$PLIANT_SOURCE_DIR/scenes/box-20k/scene.json
frames=40 # the box lands after 14

fail() {
  echo "FAILED: $*" >&2
  for log in err err2; do [ ! -f $log ] || cat $log >&2; done
  exit 1
}
options=(--frames $frames --format pc2 --hash=frames)

echo "1, 2 and 3 threads"
for threads in 1 2 3; do "$PLIANT" run "$scene" -o t$threads --threads $threads "${options[@]}" >hash$threads 2>err || fail "$threads threads"; done
grep -q "1 body, 20384 particles" err || fail "not the box"
[ "$(wc -l <hash1)" = $((frames + 1)) ] || fail "hashes: $(cat hash1)"
cmp hash1 hash2 && cmp hash1 hash3 || fail "hashes differ"
cmp t1/box.pc2 t2/box.pc2 && cmp t1/box.pc2 t3/box.pc2 || fail "frames differ"

echo "interrupted and gone on"
# On a busy machine the run may be over before the signal is sent; then it is tried again.
for attempt in 1 2 3 4 5 6; do
  rm -rf stopped
  "$PLIANT" run "$scene" -o stopped --threads 2 "${options[@]}" >first 2>err &
  job=$!
  while kill -0 $job 2>/dev/null && [ "$(stat -c %s stopped/pliant.frames 2>/dev/null || echo 0)" -lt 500000 ]; do sleep 0.01; done
  kill -INT $job 2>/dev/null || true
  code=0
  wait $job || code=$?
  [ $code = 0 ] || break
  echo "  attempt $attempt was over too early"
done
[ $code = 1 ] && [ -f stopped/pliant.checkpoint ] || fail "interrupted run: exit $code"
done_count=$("$PLIANT" info stopped/pliant.checkpoint | sed -n 's/^frame  *\([0-9]*\).*/\1/p')
[ "$done_count" -ge 1 ] && [ "$done_count" -lt $frames ] || fail "stopped after '$done_count' frames"
echo "  after $done_count of $frames frames"
"$PLIANT" run --resume stopped --threads 3 --hash >last 2>err2 || fail "resume"
[ "$(cat last)" = "$(tail -1 hash1)" ] || fail "the hash differs: $(cat last)"
cmp stopped/box.pc2 t1/box.pc2 || fail "frames differ"
cat last
