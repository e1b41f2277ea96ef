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
failed=0
report() {
  echo "$1 is not formatted: run make format"
  failed=1
}
for file in "${sources[@]}"; do clang-format --dry-run -Werror "$file" >/dev/null 2>&1 || report "$file"; done
for file in "${headers[@]}"; do
  clang-format --dry-run -Werror --style="$header_style" "$file" >/dev/null 2>&1 || report "$file"
done
exit $failed
