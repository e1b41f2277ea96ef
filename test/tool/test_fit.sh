#!/bin/bash
# ctest: cli long
# pliant fit and pliant capture: material and reference shape of a body whose truth is known, after kills, by several programs, and wrong use.
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/fit_results.sh"

cat >scene.json <<'JSON'
{
  "pliant": 1,
  "name": "beam",
  "time": {"step": 0.001041666667, "frame_rate": 30, "frames": 60, "warm_up": 1},
  "meshes": {"beam": {"box": {"size": [0.4, 0.1, 0.1], "cells": [6, 2, 2]}}},
  "bodies": [
    {"name": "beam", "mesh": "beam", "method": "fem", "collides": false,
     "fem": {"young": 300000, "mass_damping": 0.5, "stiffness_damping": 0.003},
     "pins": [{"within": {"min": [-0.21, -0.1, -0.1], "max": [-0.19, 0.1, 0.1]}},
              {"within": {"min": [0.19, -0.1, -0.1], "max": [0.21, 0.1, 0.1]}, "until": 0.5995,
               "keys": [{"time": 0}, {"time": 0.3, "position": [0, -0.04, 0.03]}]}]}
  ]
}
JSON
expect 0 sense scene.json -o shot --start 0.6 --frames 30 --size 160x120
fit=(fit shot/static.vtu shot/truth_points.pc2 --hold shot/held.csv --steps 8)

echo "the modulus comes back, and damping, from a world of shorter steps"
code=0
"$PLIANT" "${fit[@]}" -o whole >out 2>err || code=$?
[ "$code" = 0 ] || [ "$code" = 3 ] || fail "fit: exit $code"
cat out
near "$(value "young 1")" 300000 0.03
near "$(value "stiffness damping")" 0.003 0.1
for file in report.html estimates.csv controls.csv correlations.csv history.csv young.csv reference.vtu scene.json; do
  [ -s "whole/$file" ] || fail "no $file"
done
[ ! -e whole/fit.checkpoint ] || fail "the checkpoint is still there"
cp out wanted

echo "the fitted body is a body of a scene"
"$PLIANT" run whole/scene.json -o run --frames 2 --format csv >out 2>err || [ $? = 3 ] || fail "the scene does not run"

# kill_after ROWS FOLDER OPTION...: run a fit until its history has ROWS iterations, and kill it. One that is at its end before it could be killed begins again.
kill_after() {
  local rows=$1 folder=$2
  shift 2
  for _ in 1 2 3 4 5 6 7 8; do
    "$PLIANT" "${fit[@]}" -o "$folder" "$@" >out 2>err &
    while kill -0 $! 2>/dev/null && ! [ "$(cat "$folder/history.csv" 2>/dev/null | wc -l)" -gt "$rows" ]; do sleep 0.02; done
    kill -9 $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    if [ -e "$folder/fit.checkpoint" ]; then return; fi
    rm -rf "$folder"
    set --
  done
  fail "the fit could not be killed with $rows iterations done"
}

echo "killed at any moment it continues, and ends with the same parameters"
"$PLIANT" "${fit[@]}" -o killed >out 2>err &
sleep 0.2
kill -9 $! 2>/dev/null || true
wait $! 2>/dev/null || true
kill_after 1 killed $([ -e killed/fit.checkpoint ] && echo --resume)
kill_after 3 killed --resume
"$PLIANT" "${fit[@]}" -o killed $([ -e killed/fit.checkpoint ] && echo --resume) >out 2>err || [ $? = 3 ] || fail "fit does not resume"
cmp wanted out || fail "other parameters than without a kill"

echo "a checkpoint of another fit is refused"
"$PLIANT" "${fit[@]}" -o other --max-iterations 1 >out 2>err || [ $? = 3 ] || fail "one iteration"
kill_after 1 stopped --threads 1
expect 1 "${fit[@]}" -o stopped --resume --young 5e5
grep -q "other files or options" err || fail "not told why"

echo "several programs find the same as one"
mpi=$(dirname "$PLIANT")/pliant-mpi
if [ -x "$mpi" ] && command -v mpirun >/dev/null; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  mpirun --oversubscribe -n 2 "$mpi" "${fit[@]}" -o two --threads 1 >out 2>err || [ $? = 3 ] || fail "pliant-mpi"
  cmp wanted out || fail "other parameters with two programs"
else
  echo "  (there is no pliant-mpi or mpirun)"
fi

echo "a fit to a track takes its error from the track, and what is given comes first"
expect 0 track shot shot/static.vtu --hold shot/held.csv --young 2e5 -o track
says() { awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "point_error") c = i } NR > 1 { s += $c * $c; ++n } END { printf "%.3g", 1e3 * sqrt(s / n) }' "$1"; }
tracked=(fit shot/static.vtu track/track_points.pc2 --hold shot/held.csv --steps 4 --no-warm-start --young 2e5)
"$PLIANT" "${tracked[@]}" -o tracked >out 2>err || [ $? = 3 ] || fail "fit to a track"
grep -q "noise: $(says track/residuals.csv) mm" err || fail "the noise of the track is not taken: $(says track/residuals.csv) mm"
near "$(value "young 1")" 300000 0.15
wide=$(awk '$1 == "young" { print $5 - $4 }' out)
"$PLIANT" "${tracked[@]}" -o stated --noise 1e-5 >out 2>err || [ $? = 3 ] || fail "fit to a track"
! grep -q "noise: " err || fail "a stated noise is replaced"
awk -v wide="$wide" '$1 == "young" { exit !($5 - $4 > 0 && $5 - $4 != wide) }' out || fail "the noise of the track changes nothing"

echo "clouds become motion and material, round by round"
"$PLIANT" capture shot/static.vtu shot --hold shot/held.csv --steps 4 --rounds 2 --young 2e5 -o rounds >out 2>err || [ $? = 3 ] || fail "capture"
near "$(value "young 1")" 300000 0.15
cp out wanted
[ "$(wc -l <rounds/rounds.csv)" -ge 2 ] || fail "no rounds"
grep -q "Clouds" rounds/report.html || fail "no clouds in the report"
expect 1 capture shot/static.vtu shot --hold shot/held.csv --rounds 2 -o rounds
grep -q -- "--resume" err || fail "rounds of another run are not kept"

echo "a capture that is killed while it tracks and while it fits resumes, and ends with the same parameters"
capture=(capture shot/static.vtu shot --hold shot/held.csv --steps 4 --rounds 2 --young 2e5)
# kill_when FOLDER FILE: run a capture until the file is there, and kill it.
kill_when() {
  "$PLIANT" "${capture[@]}" -o "$1" $([ -e "$1/round-1" ] && echo --resume) >out 2>err &
  while kill -0 $! 2>/dev/null && ! [ -e "$1/$2" ]; do sleep 0.02; done
  kill -9 $! 2>/dev/null || true
  wait $! 2>/dev/null || true
  [ -e "$1/$2" ] || fail "no $2"
}
for record in round-1/track-1/frame-000007 round-1/fit round-2/track-1/frame-000003 round-2/fit; do kill_when cut "$record"; done
expect 1 "${capture[@]}" -o cut --resume --density 900
grep -q "other data or settings" err || fail "records of another capture are taken"
"$PLIANT" "${capture[@]}" -o cut --resume --threads 1 >out 2>err || [ $? = 3 ] || fail "capture does not resume"
grep -q "resuming after frame 30" err && grep -q "resuming after iteration" err || fail "what was saved is not used"
cmp wanted out || fail "other parameters than without a kill"
cmp rounds/reference.vtu cut/reference.vtu || fail "another rest shape than without a kill"
cmp rounds/round-1/history.csv cut/round-1/history.csv || fail "another history than without a kill"
if [ -x "$mpi" ] && command -v mpirun >/dev/null; then
  mpirun --oversubscribe -n 2 "$mpi" "${capture[@]}" -o shared --threads 1 >out 2>err || [ $? = 3 ] || fail "pliant-mpi capture"
  cmp wanted out || fail "other parameters of a capture by two programs"
fi

echo "wrong use is reported"
expect 1 fit shot/surface.ply shot/truth_points.pc2
grep -q "has no tets" err || fail "surfaces"
expect 1 fit shot/static.vtu shot/truth_surface.pc2 --hold shot/held.csv
grep -q "points and the mesh has" err || fail "another mesh"
expect 2 fit shot/static.vtu shot/truth_points.pc2 --blend round
expect 1 fit shot/static.vtu shot/truth_points.pc2 --hold nothing.csv
expect 2 fit shot/static.vtu shot/truth_points.pc2 --placement nothing.csv
