#!/bin/bash
# scripts/python.sh [--sdist]
#   Build the Python package: wheel in build/wheels, installed in build/python, a virtual environment that sees the system's NumPy. No network. With
#   --sdist also the source package. PYTHON selects the interpreter; by default the first python3 that has NumPy.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONDONTWRITEBYTECODE=1

find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3 /usr/bin/python3; do
    [ -n "$candidate" ] && "$candidate" -c 'import numpy, setuptools, wheel' 2>/dev/null && { echo "$candidate"; return; }
  done
  echo "python.sh: no python3 with numpy, setuptools and wheel; run scripts/packages.sh python, or set PYTHON" >&2
  return 1
}

python=$(find_python)
scripts/build.sh release pliant-python
log=$PWD/build/python.log
work=$PWD/build/python-package
rm -rf "$work" build/wheels
mkdir -p "$work" build/wheels
# setuptools writes next to setup.py; a copy keeps the tree clean.
cp -R python/pliant python/setup.py "$work"
ln -sfn "$PWD/python/README.md" "$work/README.md"
commands=(bdist_wheel --dist-dir "$PWD/build/wheels")
[ "${1:-}" != --sdist ] || commands+=(sdist --dist-dir "$PWD/build/wheels")
(cd "$work" && PLIANT_TREE=$OLDPWD "$python" setup.py -q "${commands[@]}") >"$log" 2>&1 || { cat "$log"; exit 1; }

# A wheel is a zip of what goes to site-packages; unpacking it needs no pip.
"$python" -m venv --clear --without-pip --system-site-packages build/python
site=$(build/python/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$python" -m zipfile -e build/wheels/pliant-*.whl "$site"
build/python/bin/python3 -c 'import pliant'
