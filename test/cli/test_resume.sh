#!/bin/bash
# ctest: threads
# Runs that are interrupted and go on give the same hash and the same files, byte for byte.
set -eu
. "$(dirname "$0")/small_scene.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
  echo "FAILED: $*" >&2
  for log in err err2; do [ ! -f $log ] || { echo "--- $log" && cat $log; } >&2; done
  exit 1
}
# Wait until FILE is larger than SIZE bytes.
wait_for() {
  for _ in $(seq 1 600); do
    [ ! -f "$1" ] || [ "$(stat -c %s "$1")" -le "$2" ] || return 0
    sleep 0.02
  done
  fail "$1 did not grow"
}
same_as_whole() { # folder, hash file
  cmp "$2" whole.hash && diff -r "$1" whole || fail "$1 differs from the run that was not stopped"
}

# As many frames as take about a second here: enough to be interrupted, not more under a sanitizer.
small_scene scene.json 60
begin=$(date +%s%N)
"$PLIANT" run scene.json -o probe --format none --threads 2 2>err || fail "probe"
frames=$((60 * 1000000000 / ($(date +%s%N) - begin)))
[ $frames -ge 60 ] || frames=60
[ $frames -le 3000 ] || frames=3000
echo "$frames frames"
small_scene scene.json $frames

"$PLIANT" run scene.json -o whole --format pc2,glb --threads 2 --hash >whole.hash 2>err || fail "whole run"
one_frame=$((3 * 130 * 24))

echo "Ctrl-C: the frame is finished, a checkpoint written, and the printed command goes on"
"$PLIANT" run scene.json -o stopped --format pc2,glb --threads 2 --hash >first.hash 2>err &
job=$!
wait_for stopped/pliant.frames $((5 * one_frame))
kill -INT $job
code=0
wait $job || code=$?
[ $code = 1 ] || fail "interrupted run: exit $code"
[ ! -s first.hash ] || fail "a hash of a run that is not over"
[ "$(ls stopped | tr '\n' ' ')" = "pliant.checkpoint pliant.frames " ] || fail "files left: $(ls stopped)"
"$PLIANT" info stopped/pliant.checkpoint | grep -qE '^kind +checkpoint' || fail "info"
command=$(sed -n 's/^resume with: //p' err)
[ -n "$command" ] || fail "no command"
bash -c "$command --threads 3" >stopped.hash 2>err2 || fail "'$command' failed"
same_as_whole stopped stopped.hash

echo "kill -9: the last checkpoint is gone back to"
"$PLIANT" run scene.json -o killed --format pc2,glb --threads 1 --hash --checkpoint-every 0.05 >/dev/null 2>err &
job=$!
wait_for killed/pliant.checkpoint 0
kill -KILL $job
wait $job 2>/dev/null || true
touch "killed/first.pc2.$job-0.tmp"
"$PLIANT" run scene.json --resume killed >killed.hash 2>err2 || fail "resume"
same_as_whole killed killed.hash

echo "twice Ctrl-C stops at once and leaves nothing but a checkpoint, if there is one"
"$PLIANT" run scene.json -o twice --format pc2 --checkpoint-every 0 2>err &
job=$!
wait_for twice/pliant.frames $((3 * one_frame))
kill -INT $job
kill -INT $job 2>/dev/null || true
code=0
wait $job || code=$?
[ $code = 1 ] || fail "twice: exit $code"
case "$(ls twice | tr '\n' ' ')" in
  "" | "pliant.checkpoint pliant.frames ") ;;
  *) fail "files left: $(ls twice)" ;;
esac

echo "SIGTERM is taken like Ctrl-C; a checkpoint of a changed or another scene, or of another seed, is refused"
"$PLIANT" run scene.json -o changed --format pc2 2>err &
job=$!
wait_for changed/pliant.frames $((3 * one_frame))
kill -TERM $job
wait $job || true
[ -f changed/pliant.checkpoint ] || fail "no checkpoint after SIGTERM"
refused() { # sentence, words...
  local sentence=$1 code=0
  shift
  "$PLIANT" run "$@" --resume=changed >/dev/null 2>err || code=$?
  [ $code = 1 ] && grep -q "$sentence" err || fail "not refused: $*"
}
refused "a run with seed 7, not 9" scene.json --seed 9
refused "beyond the end of a run of 2 frames" scene.json --frames 2
refused "points and the run has" scene.json --format vtu
sed 's/"Small soft/"A small soft/; s/falls/FALLS/' scene.json >other.json
refused "another scene" other.json
cp scene.json kept.json
cp other.json scene.json
refused "has changed since" scene.json
cp kept.json scene.json

echo "a damaged checkpoint or log is refused"
cp -r changed broken
printf 'x' | dd of=broken/pliant.checkpoint bs=1 seek=200 conv=notrunc 2>/dev/null
code=0
"$PLIANT" run --resume=broken 2>err || code=$?
[ $code = 1 ] && grep -q "damaged" err || fail "damaged checkpoint"
cp changed/pliant.checkpoint broken/
truncate -s 1000 broken/pliant.frames
code=0
"$PLIANT" run --resume=broken 2>err || code=$?
[ $code = 1 ] && grep -q "log ends before frame" err || fail "short log"

echo "a run without --resume begins again and says so"
"$PLIANT" run scene.json -o changed --format pc2,glb --hash >again.hash 2>err || fail "again"
grep -q "unfinished run" err || fail "no warning"
same_as_whole changed again.hash
