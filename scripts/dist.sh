#!/bin/bash
# scripts/dist.sh: write build/pliant-VERSION.tar.gz, the sources as they are tracked by git together with the studio's page, made. Who builds from it needs no Node.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() {
  echo "dist.sh: $*" >&2
  exit 1
}
[ -e .git ] || fail "this is not a git checkout; a tarball is made from one"
command -v npm >/dev/null || fail "npm is missing; it makes the studio's page (scripts/packages.sh build)"
version=$(sed -n 's/^#define PL_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/pliant/base.h | paste -sd.)
scripts/build_page.sh
scripts/build_page.sh --is-made || fail "the studio's page could not be made"

# Changes that are not committed belong to what is tried; a release is made from a clean checkout.
tree=$(git stash create)
[ -z "$tree" ] || echo "dist.sh: with changes that are not committed" >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=pliant-$version
git archive --prefix="$name/" "${tree:-HEAD}" | tar -x -C "$work"
# .made-from says what the page was made from: where Node is there after all, it is not made again.
cp -R studio/web/dist studio/web/.made-from "$work/$name/studio/web/"
mkdir -p build
# The same tree gives the same bytes: names in order, nobody's user, the time of the commit.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" -C "$work" -c "$name" | gzip -n9 >"build/$name.tar.gz"
echo "build/$name.tar.gz"
