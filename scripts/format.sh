#!/bin/bash
# scripts/format.sh [--check]: clang-format every C file of the project, or only say which ones it would change.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(find include src tool test samples studio -name node_modules -prune -o \( -name '*.[ch]' -o -name '*.cpp' \) -print | sort)
if [ "${1:-}" != --check ]; then
  clang-format -i "${files[@]}"
  exit 0
fi
failed=0
for file in "${files[@]}"; do
  clang-format --dry-run -Werror "$file" >/dev/null 2>&1 || { echo "$file is not formatted: run make format"; failed=1; }
done
exit $failed
