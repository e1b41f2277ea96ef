#!/bin/bash
# scripts/reference.sh: API reference of the public headers in build/docs. A warning of doxygen is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/docs
doxygen docs/Doxyfile >build/docs/doxygen.log 2>&1 || { cat build/docs/doxygen.log; exit 1; }
