#!/bin/bash
# ctest: golden once
# Every scene of the gallery: valid by `pliant check`, and with two threads the hash that one thread wrote into test/golden/hashes.txt.
# `test_gallery.sh --write` (with $PLIANT and $PLIANT_SOURCE_DIR set) writes that table again instead of comparing with it.
# Two scenes at a time, in the release build alone: sanitizers would take minutes; they see scenes in test_run, test_resume and test_actor.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export PLIANT_CACHE=$scratch/cache # poses that `check` has fitted serve the run
table=$PLIANT_SOURCE_DIR/test/golden/hashes.txt
other_frames=20
capture_frames=4

fail() {
  echo "FAILED: $*" >&2
  [ ! -f err ] || cat err >&2
  exit 1
}

# Capture targets come to rest in a second of short steps, which would take longer than all other scenes together: they start at once here,
# and run for a fifth of the time.
sets=()
select_frames() { # SCENE
  case $1 in */capture-*) frames=$capture_frames sets=(--set time.warm_up=0) ;; *) frames=$other_frames sets=() ;; esac
}

# Hash of the end state of a scene: hash_of SCENE THREADS
hash_of() {
  select_frames "$1"
  "$PLIANT" run "$1" -o out --frames $frames --threads "$2" --format none --hash "${sets[@]}" 2>err || [ $? = 3 ] || fail "$1 with $2 threads"
}

if [ "${1:-}" = --write ]; then
  {
    echo "# Hash of every scene of the gallery after $other_frames frames, of capture scenes after $capture_frames. The numbers change whenever a scene or a formula does; then look at the pictures and run"
    echo "#   PLIANT=\$PWD/build/pliant PLIANT_SOURCE_DIR=\$PWD test/tool/test_gallery.sh --write"
    for scene in "$PLIANT_SOURCE_DIR"/scenes/*/scene.json; do echo "$(hash_of "$scene" 1) $(basename "$(dirname "$scene")")"; done
  } >hashes.txt
  cp hashes.txt "$table"
  exit
fi

if [ "${1:-}" = --one ]; then # SCENE
  name=$(basename "$(dirname "$2")")
  select_frames "$2"
  "$PLIANT" check -q "$2" "${sets[@]}" >err 2>&1 || fail "$name: exit $? of check"
  # The table is written by one thread: two that agree with it agree with one.
  found=$(hash_of "$2" 2)
  echo "$found $name"
  if ! grep -qx "$found $name" "$table"; then
    [ "$found" = "$(hash_of "$2" 1)" ] || fail "$name: 1 and 2 threads differ"
    fail "$name: the hash was $(grep " $name\$" "$table" || echo "never written"); $table says how to renew it"
  fi
  exit
fi

printf '%s\0' "$PLIANT_SOURCE_DIR"/scenes/*/scene.json | xargs -0 -n 1 -P 2 "$PLIANT_SOURCE_DIR/test/tool/test_gallery.sh" --one
[ "$(grep -vc '^#' "$table")" = "$(ls -d "$PLIANT_SOURCE_DIR"/scenes/*/ | wc -l)" ] || fail "scenes in the table that are not in the gallery"
