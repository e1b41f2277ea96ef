#!/bin/bash
# scripts/check_install.sh: install build/release under build/prefix and use it from outside: as a user of the tool, by CMake and by
# pkg-config, shared and static; then build it as a part of another project, without EGL, and from a tarball without Node. Prints `ok NAME` or `not ok NAME` for each.
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

as_a_part() { # subdirectory or fetch
  cmake -S "test/install/$1" -B "$work/$1" -G Ninja -DPLIANT_SOURCE="$PWD" && cmake --build "$work/$1" || return 1
  local program
  for program in falls_pliant falls_pliant-static; do
    env -u LD_LIBRARY_PATH "$work/$1/$program" || { echo "$program: exit $?"; return 1; }
  done
  # What is installed is the project's, and of that there is nothing.
  cmake --install "$work/$1" --prefix "$work/$1-prefix" && [ ! -e "$work/$1-prefix" ] || { echo "Pliant installed itself"; return 1; }
}

without_egl() {
  # As deep in the tree as build/release and with its flags, so that ccache knows most of it.
  local folder=build/without-egl
  rm -rf $folder
  cmake -S . -B $folder -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=-O3 -DNDEBUG -g1" -DPLIANT_TESTS=OFF -DPLIANT_EGL=OFF &&
    cmake --build $folder --target pliant-tool || return 1
  local tool=$folder/pliant scene=scenes/jelly-drop/scene.json status=0
  "$tool" --version | grep '^without:.* EGL' || return 1
  if ldd "$tool" | grep -E 'libEGL|libGLES'; then return 1; fi
  "$tool" run $scene --frames 2 --format obj -o "$work/plain-out" || return 1
  "$tool" run $scene --frames 2 --format none -o "$work/plain-out" --picture "$work/plain.png" 2>"$work/plain.err" || status=$?
  cat "$work/plain.err"
  [ $status = 1 ] && grep -q 'PLIANT_EGL' "$work/plain.err" && [ ! -e "$work/plain.png" ]
}

# A folder of links to all programs but node and npm, as the only one that is searched.
path_without_node() {
  local folder program
  mkdir -p "$work/programs"
  local IFS=:
  for folder in $PATH; do
    for program in "$folder"/*; do
      case ${program##*/} in node | nodejs | npm | npx) continue ;; esac
      [ -e "$work/programs/${program##*/}" ] || ln -s "$program" "$work/programs/"
    done
  done
}

from_a_tarball() {
  local tarball folder tool
  tarball=$(scripts/dist.sh) || return 1
  folder=$(mktemp -d) && tar -xzf "$tarball" -C "$folder" && path_without_node || return 1
  (
    trap 'rm -rf "$folder"' EXIT
    source=$(echo "$folder"/pliant-*)
    export PATH=$work/programs
    ! command -v node || exit 1
    build=$source/build/release
    export CCACHE_BASEDIR=$source
    cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=-O3 -DNDEBUG -g1" -DPLIANT_TESTS=OFF &&
      cmake --build "$build" --target pliant-tool || exit 1
    tool=$build/pliant
    "$tool" --version | grep '^commit: *unknown$' || exit 1
    # The page of the tarball is in the program, and not the plain one.
    script=$(cd "$source/studio/web/dist" && find . -name '*.js' | head -1 | cut -c 2-)
    grep -qa "$script" "$tool" || { echo "$script is not in the tool"; exit 1; }
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
# Most of it was compiled before.
if command -v ccache >/dev/null; then export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1; fi
claim "a project has it as a subdirectory" as_a_part subdirectory
claim "a project fetches it" as_a_part fetch
claim "without EGL pictures fail clearly and all else works" without_egl
claim "a tarball builds without Node and has the page" from_a_tarball
exit $failed
