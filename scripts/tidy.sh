#!/bin/bash
# scripts/tidy.sh [FILE...]: clang-tidy on the given C files, or on all of src/ and tool/. The list of checks is .clang-tidy.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset dev -DPLIANT_TESTS=ON >/dev/null
if [ $# -eq 0 ]; then
  mapfile -t files < <(find src tool -name '*.c' | sort)
  set -- "${files[@]}"
fi
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" clang-tidy -p build/dev --quiet --warnings-as-errors='*' 2>/dev/null
