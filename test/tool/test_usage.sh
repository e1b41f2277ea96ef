#!/bin/bash
# ctest: cli
# Help, versions, exit codes and suggestions of the tool.
. "$(dirname "$0")/begin.sh"
says() { grep -qF -- "$1" "$2" || fail "no '$1' in $2"; }

echo "help and version go to standard output with exit 0"
expect 0 help && says "usage: pliant" out
expect 0 --help && says "usage: pliant" out
expect 0 --version && says "pliant " out
for word in '^commit: ' '^compiler: ' '^with: ' '^without: '; do grep -q "$word" out || fail "--version does not say $word"; done
for verb in $("$PLIANT" manual verbs | sed -n 's/^| \[`\([a-z]*\).*/\1/p'); do
  expect 0 help $verb && says "pliant $verb" out && [ ! -s err ] || fail "help $verb"
  expect 0 $verb --help && says "pliant $verb" out
done

echo "no verb, wrong verbs and options are usage errors with a suggestion"
expect 2 && says "usage: pliant" err && [ ! -s out ] || fail "no verb"
expect 2 rnu && says "did you mean run?" err
expect 2 help infos && says "did you mean info?" err
expect 2 gibberish && says "'pliant help' lists the verbs" err
expect 2 run --frame 3 x.json && says "did you mean --frames?" err
expect 2 run --frames && says "needs a value: --frames N" err
expect 2 run --frames 2.5 x.json && says "whole number" err
expect 2 run --frames 0 x.json && says "from 1 to" err
expect 2 run --size 10 x.json && says "WIDTHxHEIGHT" err
expect 2 run --format pc2,xyz x.json && says "not 'xyz'" err
expect 2 run --hash=all x.json && says "one of: end frames; not 'all'" err
expect 2 run --video --size 101x100 x.json && says "even" err
expect 2 run && says "needs a scene" err
expect 2 run a.json b.json && says "one word too many" err
expect 2 run --output a --resume=b && says "two folders" err
expect 2 convert one && says "IN OUT" err
expect 2 mesh x.obj && says "--output" err
expect 2 mesh x.obj -o x.obj && says "cannot hold tets" err
expect 2 mesh x.obj -o x.vtu --points 9 --cell-size 1 && says "exclude each other" err
expect 2 bench solids && says "did you mean solid?" err
expect 2 info && says "info needs FILE" err
expect 2 check && says "check needs FILE" err
echo "all mistakes of a command line are reported, not only the first"
expect 2 run --frame 3 --thread 2 x.json
[ "$(grep -c 'did you mean' err)" = 2 ] || fail "two mistakes"

echo "files that are not there, or are folders, are failures"
for verb in run check info; do
  expect 1 $verb nothing.json && says "nothing.json: error:" err
  expect 1 $verb . && says ".: error:" err
done
expect 1 convert nothing.obj x.ply && says "nothing.obj: error:" err
expect 1 mesh nothing.obj -o x.vtu && says "nothing.obj: error:" err
expect 1 run --resume="$scratch" && says "no checkpoint" err
printf 'hello' >text
expect 1 check text && says "neither a scene nor a mesh" err
expect 1 info text

echo "results that standard output does not take are a failure"
code=0
"$PLIANT" help >/dev/full 2>err || code=$?
[ $code = 1 ] || fail "full standard output: exit $code"

echo "a value is checked before any work begins"
expect 2 track nothing.json nothing.vtu --format xyz && says "a list of: pc2" err
expect 2 fit a b --material steel && says "one of: corotated neo-hookean" err
expect 2 run --set && says "needs a value: --set PATH=VALUE" err
expect 2 run --output= x.json && says "empty value" err
expect 2 bake x.glb && says "bake needs --output FILE" err
expect 2 detail && says "detail needs ACTION" err
expect 2 detail recrod x && says "did you mean record?" err
expect 2 detail enrich x && says "usage: pliant detail enrich SET BODY FRAMES" err

echo "the exit codes are listed in the help, and each of them occurs"
expect 0 help
for code in 0 1 2 3; do grep -q "^  $code  " out || fail "no exit code $code in the help"; done
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >open.obj
expect 0 convert open.obj open.ply
expect 1 convert nothing.obj open.ply
expect 2 convert open.obj
expect 3 check open.obj

echo "no colour without a terminal"
expect 2 rnu
if grep -q "$(printf '\033')" err; then fail "escape codes in a file"; fi

echo "the suites of the benchmark are named"
expect 0 bench --list && says "machine" out && says "solid" out && says "cases: bar-8, bar-16, " out
expect 2 bench objects hangar && says "did you mean hanger?" err
expect 2 bench solid hanger && says "has no cases" err
expect 0 demo --list && [ -s out ] || fail "demo --list"
PLIANT_SCENES=$scratch expect 1 demo --list
says "gallery was not found" err
