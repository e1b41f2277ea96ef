#!/bin/bash
# scripts/packages.sh [--list] SECTION...
#   Make sure that the Debian packages of these sections of packages.txt are installed. With all of them there nothing is touched and no
#   network is needed. As root the missing ones are installed; otherwise the line that installs them is printed and the script fails.
#   --list only prints the names.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

list_only=no
if [ "${1:-}" = --list ]; then
  list_only=yes
  shift
fi

names_of() { # section
  awk -v wanted="[$1]" '/^#/ || NF == 0 { next } /^\[/ { inside = ($1 == wanted); known = known || inside; next } inside { print $1 }
    END { exit !known }' "$root/packages.txt" || { echo "packages.sh: no section [$1] in packages.txt" >&2; exit 2; }
}

names=()
for section in "$@"; do
  found=$(names_of "$section")
  while read -r name; do names+=("$name"); done <<<"$found"
done
if [ $list_only = yes ]; then
  printf '%s\n' "${names[@]}"
  exit 0
fi

if ! command -v dpkg-query >/dev/null; then
  echo "note: not a Debian system; packages.txt lists what is needed under its Debian names" >&2
  exit 0
fi

# A package that another one stands in for is there too: the nodejs of Node's own archive provides npm, and Debian's npm could not be installed next to it.
there=$(dpkg-query -W -f='${db:Status-Status} ${Package}, ${Provides}\n' | sed -n 's/^installed //p' | tr , '\n' | sed 's/^ *//; s/[ :].*//')
missing=()
for name in "${names[@]}"; do
  grep -qxF -- "$name" <<<"$there" || missing+=("$name")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "error: packages are missing. As root, run this line and try again:" >&2
  echo "apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

install_missing() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "${missing[@]}"
}

# The package lists are fetched only where the first try fails: they are missing on a fresh machine, and out of date on an old one.
started=$SECONDS
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "installing ${#missing[@]} packages: ${missing[*]}" >&2
if ! install_missing >"$log" 2>&1; then
  echo "fetching the package lists" >&2
  if ! { apt-get update -q && install_missing; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "error: apt-get could not install: ${missing[*]}" >&2
    exit 1
  fi
fi
echo "packages installed in $((SECONDS - started)) s" >&2
