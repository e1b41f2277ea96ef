#!/bin/bash
# ctest: cli
# pliant tune: numbers that meet the expectations of a scene, the same for any number of threads; and every way to go wrong.
. "$(dirname "$0")/begin.sh"

# A block slides down a slope as far as friction lets it: an actor without goals, whose advance is its way.
scene() { # FILE ADVANCE
  cat >"$1" <<SCENE
{
  "pliant": 1, "name": "slope", "time": {"frames": 26, "frame_rate": 50, "step": 0.02}, "gravity": [5, -8, 0],
  "meshes": {"block": {"box": {"size": [0.3, 0.2, 0.3], "cells": [1, 1, 1]}, "groups": [{"name": "sole", "min": [-1, -0.11, -1], "max": [1, -0.09, 1]}]}},
  "bodies": [{"name": "block", "mesh": "block", "method": "fem", "position": [0, 0.1, 0], "fem": {"young": 3e6, "friction": 0.9},
              "actor": {"behaviour": "stand", "rest": "free", "regularisation": 1e6, "rate_regularisation": 1e6,
                        "parts": [{"name": "sole", "group": "sole", "foot": true}], "expect": {$2}}}],
  "colliders": [{"shape": "half_space", "friction": 0.9}]
}
SCENE
}

scene far.json '"advance": 0.3'
echo "a search ends when the expectations are met, and its scene meets them"
expect 0 tune far.json --vary 'bodies[0].fem.friction=0.001:1' --trials 64 --population 8 -o found.json
cp out first
[ "$(grep -c '^bodies\[0\].fem.friction=' out)" = 1 ] || fail "the number"
grep -q "as it is: advance" err && grep -q "all expectations met" err || fail "what was missed, and met"
"$PLIANT" run found.json -o run --format none 2>err || [ $? = 3 ] || fail "run"
grep -q "advance is .*as expected" err || fail "the found scene"

echo "the same numbers for one thread and for two, for any number of processes, and as --set takes them"
expect 0 tune far.json --vary 'bodies[0].fem.friction=0.001:1' --trials 64 --population 8 --threads 1 -o again.json
cmp -s first out && cmp -s found.json again.json || fail "depends on threads"
mpi=$(dirname "$PLIANT")/pliant-mpi
if [ -x "$mpi" ] && command -v mpirun >/dev/null; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  for count in 2 3; do
    # The libraries of MPI keep memory.
    ASAN_OPTIONS=detect_leaks=0 mpirun --oversubscribe -n $count "$mpi" tune far.json --vary 'bodies[0].fem.friction=0.001:1' --trials 64 --population 8 --threads 1 -o shared.json >out 2>err || fail "pliant-mpi"
    cmp -s first out && cmp -s found.json shared.json || fail "depends on processes"
    grep -q "all expectations met" err || fail "the text of a trial of another process"
  done
else
  echo "  (there is no pliant-mpi or mpirun)"
fi
"$PLIANT" run far.json --set "$(cat first)" -o run --format none 2>err || [ $? = 3 ] || fail "run"
grep -q "as expected" err || fail "--set"

echo "one number in two positions; under a condition too: less gravity along the slope needs less friction"
expect 0 tune far.json --vary 'bodies[0].fem.friction,colliders[0].friction=0.001:1' --trials 64 --population 8 -o both.json
[ "$(cut -d= -f2 out | sort -u | wc -l) $(wc -l <out)" = "1 2" ] || fail "two positions"
expect 0 tune far.json --vary 'bodies[0].fem.friction=0.001:1' --under 'gravity=[3,-8,0] & bodies[0].fem.young=4e6; gravity=[4,-8,0]' --trials 160 --population 8 -o under.json
"$PLIANT" run under.json --set 'gravity=[3,-8,0]' --set 'bodies[0].fem.young=4e6' -o run --format none 2>err || [ $? = 3 ] || fail "run"
grep -q "advance is .*as expected" err || fail "the condition"
"$PLIANT" run found.json --set 'gravity=[3,-8,0]' -o run --format none 2>err || [ $? = 3 ] || fail "run"
grep -q "advance is .*expected at least" err || fail "a condition that does not matter"

echo "with other bits and under the changes of bench robust, with a margin to spare"
sed 's/"friction": 0.9/"friction": 0.01/g' far.json >smooth.json
smooth() { # STATUS OPTIONS...
  status=$1
  shift
  expect "$status" tune smooth.json --vary 'bodies[0].fem.stiffness_damping=0.001:0.002' --trials 4 --population 4 -o smooth-found.json "$@"
}
smooth 0 --perturb 2 --margin 0.1
smooth 3 --robust # friction of 0.4 and more holds the block
grep -q "trial 1: misses .*; advance .* (at least 0.3)" err || fail "the worst run"
smooth 3 --perturb 2 --margin 1
grep -q "misses .*; all expectations met" err || fail "what is met without a margin to spare"

echo "out of reach: the best so far, and status 3"
scene farther.json '"advance": 300'
expect 3 tune farther.json --vary 'bodies[0].fem.friction=0.001:0.1:1' --trials 8 --population 4 -o best.json
grep -q "no numbers found" err && [ -s best.json ] || fail "the best"

echo "mistakes"
expect 2 tune far.json -o x.json
expect 2 tune far.json --vary 'bodies[0].fem.friction=1:0' -o x.json
expect 2 tune far.json --vary 'bodies[0].fem.friction=0.1' -o x.json
expect 2 tune far.json --vary 'bodies[0].fem.friction=0:1' --under 'gravity' -o x.json
expect 1 tune none.json --vary 'bodies[0].fem.friction=0:1' -o x.json
scene nothing.json ''
expect 1 tune nothing.json --vary 'bodies[0].fem.friction=0:1' -o x.json
grep -q '`expect`' err || fail "says what is missing"
[ ! -e x.json ] || fail "nothing is written"
