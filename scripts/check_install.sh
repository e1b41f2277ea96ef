#!/bin/bash
# scripts/check_install.sh: install build/release under build/prefix and use it from outside: as a user of the tool, by CMake and by
# pkg-config, shared and static. Prints `ok NAME` or `not ok NAME` for each.
cd "$(dirname "$0")/.." || exit 1
prefix=$PWD/build/prefix
work=$PWD/build/user
log=$PWD/build/user.log
rm -rf "$prefix" "$work"
mkdir -p "$work"
failed=0

claim() { # name, command...
  local name=$1
  shift
  if "$@" >"$log" 2>&1; then
    echo "ok install: $name"
  else
    cat "$log"
    echo "not ok install: $name"
    failed=1
  fi
}

files_are_there() {
  local file
  for file in bin/pliant include/pliant/runtime.h lib/libpliant.{a,so} lib/libpliant-lab.{a,so} lib/pkgconfig/pliant{,-lab}.pc \
    lib/cmake/pliant/pliantConfig{,Version}.cmake share/man/man1/pliant.1 share/bash-completion/completions/pliant \
    share/zsh/site-functions/_pliant share/fish/vendor_completions.d/pliant.fish share/doc/pliant/LICENSE; do
    [ -s "$prefix/$file" ] || { echo "missing or empty: $file"; return 1; }
  done
}

by_cmake() {
  cmake -S test/install -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$work/cmake" || return 1
  local program
  for program in falls_pliant falls_pliant-static reads_lab reads_lab-static versions; do
    "$work/cmake/$program" || { echo "$program: exit $?"; return 1; }
  done
}

# $1: package, $2: source. Word splitting of what pkg-config prints is wanted.
# shellcheck disable=SC2046
by_pkg_config() {
  cc -o "$work/$1-shared" "test/install/$2" $(pkg-config --cflags --libs "$1") && "$work/$1-shared" || return 1
  cc -o "$work/$1-static" "test/install/$2" $(pkg-config --cflags "$1") -Wl,--as-needed \
    $(pkg-config --static --libs "$1" | sed 's/-lpliant[a-z-]*/-l:&.a/g; s/-l:-l/-l:lib/g') && env -u LD_LIBRARY_PATH "$work/$1-static" || return 1
}

the_gallery() { # the installed tool finds its scenes from any folder
  (cd "$work" && env -u LD_LIBRARY_PATH "$prefix/bin/pliant" demo --list | grep .)
}

the_move() { # an installed tree works at another place
  cp -a "$prefix" "$work/moved" && (
    export PKG_CONFIG_PATH=$work/moved/lib/pkgconfig
    pkg-config --cflags pliant && pkg-config --cflags pliant | grep -q "$work/moved"
  )
}

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
claim "files are put in place" env DESTDIR= cmake --install build/release --prefix "$prefix"
claim "all files are there" files_are_there
claim "the tool runs" env -u LD_LIBRARY_PATH "$prefix/bin/pliant" --version
claim "the tool finds the gallery" the_gallery
claim "a project finds it by CMake, shared and static, C and C++" by_cmake
claim "a program finds the runtime by pkg-config, shared and static" by_pkg_config pliant falls.c
claim "a program finds the lab by pkg-config, shared and static" by_pkg_config pliant-lab reads.c
claim "an installed tree may be moved" the_move
exit $failed
