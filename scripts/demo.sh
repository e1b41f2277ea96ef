#!/bin/bash
# scripts/demo.sh [NAME]: run the gallery, or one scene of it, and say where the pictures are.
set -euo pipefail
cd "$(dirname "$0")/.."
build/pliant demo "$@" -o out/demo
echo
echo "pictures:"
find "$PWD/out/demo" -name '*.png' | sort | sed 's/^/  /'
