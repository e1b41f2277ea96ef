#!/bin/bash
# scripts/format.sh [--check] [FOLDER...]: clang-format every C file of the project, or of some of its folders; with --check only name those it would change.
#
# Sources wrap at 120 columns (.clang-format), headers at 100. One configuration cannot tell the two apart, so headers get their limit here. Kernels
# (*_kernel.h) count as sources: they are code that is compiled once per instruction set.
set -euo pipefail
cd "$(dirname "$0")/.."
check=no
if [ "${1:-}" = --check ]; then
  check=yes
  shift
fi
folders=("$@")
[ ${#folders[@]} -gt 0 ] || folders=(include src tool test samples studio bench)
header_style='{BasedOnStyle: InheritParentConfig, ColumnLimit: 100}'

list() {
  find "${folders[@]}" -name node_modules -prune -o \( "$@" \) -print | sort
}
mapfile -t sources < <(list -name '*.c' -o -name '*.cpp' -o -name '*_kernel.h')
mapfile -t headers < <(list -name '*.h' ! -name '*_kernel.h')

if [ $check = no ]; then
  [ ${#sources[@]} -eq 0 ] || clang-format -i "${sources[@]}"
  [ ${#headers[@]} -eq 0 ] || clang-format -i --style="$header_style" "${headers[@]}"
  exit 0
fi
# Each processor takes eight files at a time.
differing() { # style, file...
  local style=$1
  shift
  [ $# -eq 0 ] || printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -n 8 clang-format --dry-run --style="$style" 2>&1 | sed -n 's/^\([^:]*\):[0-9].*-Wclang-format-violations.*/\1/p'
}
found=$({ differing file "${sources[@]}"; differing "$header_style" "${headers[@]}"; } | sort -u)
[ -z "$found" ] && exit 0
sed 's/$/ is not formatted: run make format/' <<<"$found"
exit 1
