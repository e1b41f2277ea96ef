#!/bin/bash
# scripts/make_pictures.sh [NAME...]: make every picture of README.md and docs/, or those whose file is called NAME.png, NAME.svg or NAME.webp, with the
# commands on the pages themselves (`pliant run SCENE … --picture FILE` or `--video FILE`, `scripts/plot_actor.py SCENE… --picture FILE`).
# NAME.webp is the film alone.
# scripts/check_pages.py checks that every picture has such a command.
# The tool is build/pliant, or $PLIANT.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=${PLIANT:-build/pliant}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p docs/pictures
pages=(README.md docs/*.md docs/notes/*.md src/*/README.md)
set -f # paths of --set have brackets
grep -ohE '`(build/)?pliant run [^`]* --(picture [^` ]+\.png|video [^` ]+\.webp)[^`]*`' "${pages[@]}" | tr -d '`' | sed 's|^[^ ]* ||' | sort -u >"$scratch/commands"
while IFS= read -r line; do
  # Titles are quoted as in a shell.
  eval "words=($line)"
  for ((i = 0; i < ${#words[@]}; i++)); do [[ ${words[i]} != --picture && ${words[i]} != --video ]] || picture=${words[i + 1]}; done
  name=$(basename "$picture" .png)
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  echo "$picture"
  "$tool" "${words[@]}" --format none -o "$scratch/out" </dev/null 2>"$scratch/log" || [ $? -eq 3 ] || { cat "$scratch/log" >&2; exit 1; }
done <"$scratch/commands"

grep -ohE '`scripts/plot_actor\.py [^` ]+\.json [^`]*--picture [^` ]+\.svg[^`]*`' "${pages[@]}" | tr -d '`' | sort -u >"$scratch/plots" || true
while read -r -a words; do
  for ((i = 0; i < ${#words[@]}; i++)); do [ "${words[i]}" != --picture ] || picture=${words[i + 1]}; done
  name=$(basename "$picture" .svg)
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  echo "$picture"
  PLIANT=$tool "${words[@]}" </dev/null >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
done <"$scratch/plots"

grep -ohE '`build/python/bin/python3 python/notebooks/[^` ]+\.py --picture [^` ]+\.png`' "${pages[@]}" | tr -d '`' | sort -u >"$scratch/scripts" || true
while read -r -a words; do
  name=$(basename "${words[3]}" .png)
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  echo "${words[3]}"
  "${words[@]}" </dev/null >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
done <"$scratch/scripts"

grep -ohE '`scripts/make_blender_picture\.sh [^` ]+\.py --picture [^` ]+\.png`' "${pages[@]}" | tr -d '`' | sort -u >"$scratch/blender" || true
while read -r -a words; do
  name=$(basename "${words[3]}" .png)
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  echo "${words[3]}"
  PLIANT=$tool "${words[@]}" </dev/null
done <"$scratch/blender"
