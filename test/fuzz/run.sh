#!/bin/sh
# run.sh [SECONDS [TARGET...]]: build the fuzz targets and run each for SECONDS (default 20), one after the other. Inputs that break one stay in
# the build folder (default build/fuzz, or $PLIANT_FUZZ_BUILD) and are named. A line `ok` or `not ok` for each, then `N passed, N failed`.
set -u
seconds=${1:-20}
[ $# -gt 0 ] && shift
source=$(cd "$(dirname "$0")/../.." && pwd)
build=${PLIANT_FUZZ_BUILD:-$source/build/fuzz}

mkdir -p "$build"
launcher=
command -v ccache >/dev/null && launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
if ! cmake -S "$source" -B "$build" -G Ninja -DPLIANT_FUZZ=ON -DPLIANT_TESTS=OFF -DCMAKE_C_COMPILER="${CLANG:-clang}" \
  -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g" $launcher >"$build/configure.log" 2>&1; then
  cat "$build/configure.log"
  echo "not ok fuzz: configure"
  echo "0 passed, 1 failed"
  exit 1
fi

if [ $# -eq 0 ]; then
  for file in "$source"/test/fuzz/fuzz_*.c; do set -- "$@" "$(basename "$file" .c)"; done
fi
passed=0
failed=0
for target in "$@"; do
  name=${target#fuzz_}
  if ! ninja -C "$build" "fuzz_$name" >"$build/$name.log" 2>&1; then
    tail -20 "$build/$name.log"
    echo "not ok fuzz: $name does not build"
    failed=$((failed + 1))
    continue
  fi
  mkdir -p "$build/corpus/$name"
  seeds="$source/test/fuzz/corpus/$name"
  [ -d "$seeds" ] || seeds=
  # The target that tries all formats starts from the seeds of all.
  [ "$name" = mesh_read ] && seeds=$(ls -d "$source"/test/fuzz/corpus/*/)
  # shellcheck disable=SC2086
  if "$build/test/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=65536 -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="$build/$name-" "$build/corpus/$name" $seeds >"$build/$name.log" 2>&1; then
    echo "ok fuzz: $name, $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") inputs, none broke it"
    passed=$((passed + 1))
  else
    echo "not ok fuzz: $name, broken by $(sed -n 's/.*Test unit written to //p' "$build/$name.log")"
    grep -E 'ERROR|SUMMARY|runtime error' "$build/$name.log" | head -5
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
