#!/bin/bash
# scripts/build.sh PRESET [--tests] [TARGET...]
#   Configure a preset of CMakePresets.json where that is needed, and build it in build/PRESET. Without --tests a folder that was never
#   configured gets no tests, so that the tool alone can be built with the packages of section [build]. Output only when something fails,
#   or when a script of the build warns.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
folder=build/$preset
mkdir -p build
options=()
if [ "${1:-}" = --tests ]; then
  options+=(-DPLIANT_TESTS=ON)
  shift
elif [ ! -f "$folder/build.ninja" ]; then
  options+=(-DPLIANT_TESTS=OFF)
fi
command -v ccache >/dev/null && options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
# What was compiled in one folder serves another that lies in its tree the same way.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

log=build/$preset.log
if [ ${#options[@]} -gt 0 ] || [ ! -f "$folder/build.ninja" ]; then
  cmake --preset "$preset" "${options[@]}" >"$log" 2>&1 || { cat "$log"; exit 1; }
fi
if [ -t 1 ]; then
  cmake --build "$folder" "${@/#/--target=}"
else
  # Continue after an error: a reader of the log wants to see all of them.
  cmake --build "$folder" "${@/#/--target=}" -- -k 0 >"$log" 2>&1 || { grep -v '^\[[0-9]*/[0-9]*\] [BL]' "$log"; exit 1; }
  grep '^warning: ' "$log" || true
fi
# The released tool has a fixed place that does not depend on the preset's name.
[ "$preset" != release ] || ln -sfn release/pliant build/pliant
