#!/bin/bash
# ctest: cli long
# Characters that we write and bake before independent judges (test/oracle): the Khronos validator, and three.js, which plays them. Node is not among the
# project's packages: where it, or a way to get the judges, is missing the test is skipped.
set -eu
oracle=$PLIANT_SOURCE_DIR/test/oracle
skip() {
  echo "skipped: $*"
  exit 77
}
# Writes the characters; built with the other tests, two folders up from that of this one.
writer=$PWD/../../test_character_bake
[ -x "$writer" ] || skip "test_character_bake is not built"
command -v node >/dev/null || skip "there is no node"
# Installed once in the folder of this test, unless they are already next to the scripts.
if [ -d "$oracle/node_modules/three" ] && [ -d "$oracle/node_modules/gltf-validator" ]; then
  judges=$oracle
else
  mkdir -p oracle && cp "$oracle"/package.json "$oracle"/*.mjs oracle
  [ -d oracle/node_modules/three ] || (cd oracle && timeout 120 npm install --no-audit --no-fund --no-package-lock) >npm.log 2>&1 ||
    skip "npm cannot fetch the judges"
  judges=$PWD/oracle
fi

. "$(dirname "$0")/begin.sh"
judged() { # script arguments...
  node "$judges/$1.mjs" "${@:2}" >out 2>err || fail "$*"
  cat out
}

"$writer" "$scratch" >out 2>err || fail "no characters were written"

echo "the validator finds no error in what was written and baked"
judged validate_gltf ./*.glb

echo "three.js plays a character of ours"
judged compare_character - own.source.glb own.source.json

echo "a round trip GLB, bake, GLB plays the motion and keeps the rest: all joints, chains above the walk that is in the file, a file of others with scales"
judged compare_character own.source.glb own.baked.glb own.json
judged compare_character base.source.glb base.baked.glb base.json
judged compare_character other.gltf other.baked.glb other.json

echo "the judge can tell: the motion of another file is not met"
if node "$judges/compare_character.mjs" base.source.glb base.baked.glb own.json >out 2>err; then fail "a wrong motion passed"; fi
grep -q "plays elsewhere" err || fail "it was refused for another reason"
