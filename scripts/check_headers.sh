#!/bin/bash
# Each public header compiles alone, as C17 and as C++17, with the warnings of the project. Prints `ok NAME` or `not ok NAME` for each.
cd "$(dirname "$0")/.." || exit 1
common=(-fsyntax-only -Iinclude -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wdouble-promotion)
failed=0
# Included from a file of one line: compiling a header itself would warn about what is only odd in a main file.
check() { # language, standard, header, more flags
  local language=$1 standard=$2 header=$3
  shift 3
  if printf '#include "pliant/%s"\n' "$header" | gcc -x "$language" -std="$standard" "${common[@]}" "$@" -; then
    echo "ok header: $header as $standard"
  else
    echo "not ok header: $header as $standard"
    failed=1
  fi
}
for path in include/pliant/*.h; do
  check c c17 "${path##*/}" -Wstrict-prototypes -Wmissing-prototypes -Wvla
  check c++ c++17 "${path##*/}"
done
exit $failed
