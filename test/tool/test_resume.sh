#!/bin/bash
# ctest: cli threads
# Runs that are interrupted and continue give the same hash and the same files, byte for byte.
. "$(dirname "$0")/begin.sh"
. "$PLIANT_SOURCE_DIR/test/tool/small_scene.sh"

# Small steps: few frames a second, so that little is computed between a signal that is due and its arrival on a busy machine.
small_scene scene.json 100000
sed -i 's/"step": 0.005/"step": 0.0002/' scene.json
one_frame=$((3 * 130 * 24))

echo "Ctrl-C: the frame is finished and a checkpoint written"
"$PLIANT" run scene.json -o stopped --format pc2,glb --threads 2 --hash >first.hash 2>err &
job=$!
wait_for $job stopped/pliant.frames $((5 * one_frame))
kill -INT $job
code=0
wait $job || code=$?
[ $code = 1 ] || fail "interrupted run: exit $code"
[ ! -s first.hash ] || fail "a hash of a run that is not over"
[ "$(ls stopped | tr '\n' ' ')" = "pliant.checkpoint pliant.frames " ] || fail "files left: $(ls stopped)"
"$PLIANT" info stopped/pliant.checkpoint | grep -qE '^kind +checkpoint' || fail "info"
command=$(sed -n 's/^resume with: //p' err)
[ -n "$command" ] || fail "no command"

echo "kill -9 leaves the last checkpoint"
"$PLIANT" run scene.json -o killed --format pc2,glb --threads 1 --hash --checkpoint-every 0.05 >/dev/null 2>err &
job=$!
wait_for $job killed/pliant.checkpoint 0
kill -KILL $job
wait $job 2>/dev/null || true
touch "killed/first.pc2.$job-0.tmp"

echo "both continue as a run that was not stopped, the first by the printed command"
frames=$(($(stopped_at stopped) > $(stopped_at killed) ? $(stopped_at stopped) : $(stopped_at killed)))
frames=$((frames + 5))
echo "  stopped at frames $(stopped_at stopped) and $(stopped_at killed), continued to $frames"
"$PLIANT" run scene.json -o whole --format pc2,glb --threads 2 --hash --frames $frames >whole.hash 2>err || fail "whole run"
same_as_whole() { # folder, hash file
  cmp "$2" whole.hash && diff -r "$1" whole || fail "$1 differs from the run that was not stopped"
}
bash -c "$command --threads 3 --frames $frames" >stopped.hash 2>err2 || fail "'$command' failed"
same_as_whole stopped stopped.hash
"$PLIANT" run scene.json --resume killed --frames $frames >killed.hash 2>err2 || fail "resume"
same_as_whole killed killed.hash

echo "twice Ctrl-C stops at once and leaves nothing but a checkpoint, if there is one"
"$PLIANT" run scene.json -o twice --format pc2 --checkpoint-every 0 2>err &
job=$!
wait_for $job twice/pliant.frames $((3 * one_frame))
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
wait_for $job changed/pliant.frames $((3 * one_frame))
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
"$PLIANT" run scene.json -o changed --format pc2,glb --hash --frames $frames >again.hash 2>err || fail "again"
grep -q "unfinished run" err || fail "no warning"
same_as_whole changed again.hash
