#!/bin/bash
# scripts/test.sh [--all] [STAGE...]: what is checked before every merge, or some stages of it. Ends with a line `N passed, N failed`, and
# fails if any did. With --all: every test in every build, the long ones too, and a few seconds of fuzzing. test/README.md says what each
# build is for and which tests run where.
#   release       the library as it is installed: all tests but the long ones
#   asan          with asserts and the address and undefined-behaviour sanitizers: all tests but those of the labels once and long
#   tsan          those of the label threads under the thread sanitizer
#   dev           with asserts alone; only in --all, as asan has the asserts too
#   clang         all of it built by clang without a warning; the golden hashes must be those of gcc
#   checks        tests, generated files, headers, reference, formatting, wording, names
#   python        the Python package, built and installed, and its tests
#   package       installed and used from outside
#   documents     every command and snippet of README.md and docs/; links, pictures and tables
#   fuzz          a few seconds of every fuzz target; only in --all
cd "$(dirname "$0")/.." || exit 1
export PYTHONDONTWRITEBYTECODE=1
all=
stages=(release asan tsan clang checks python package documents)
if [ "${1:-}" = --all ]; then
  all=all-
  stages=(release dev asan tsan clang checks python package documents fuzz)
  shift
fi
[ $# -eq 0 ] || stages=("$@")
jobs=$(nproc)
passed=0
failed=0
skipped=0
failures=()
output=build/test-output.log
mkdir -p build

fail() { # name
  failed=$((failed + 1))
  failures+=("$1")
}

# Run a command in silence and say how long it took; its output is kept in $output.
timed() { # title, command...
  local title=$1 begin=$EPOCHREALTIME
  shift
  "$@" >"$output" 2>&1
  local status=$?
  printf '%-44s %7.1f s' "$title" "$(awk "BEGIN { print $EPOCHREALTIME - $begin }")"
  return $status
}

build() { # preset, target...
  local preset=$1
  shift
  if timed "$preset: build" scripts/build.sh "$preset" --tests "$@"; then
    echo
  else
    echo "   failed"
    cat "$output"
    fail "$preset: build"
    return 1
  fi
}

# Count what $output says: lines `ok NAME`, `not ok NAME` and `skipped NAME`. A command that prints none of them counts by its exit status.
count() { # title, status
  local good bad left_out name
  good=$(grep -c '^ok ' "$output")
  bad=$(grep -c '^not ok ' "$output")
  left_out=$(grep -c '^skipped ' "$output")
  if [ $((good + bad)) -eq 0 ] && [ "$2" -eq 0 ]; then good=1; fi
  passed=$((passed + good))
  skipped=$((skipped + left_out))
  while read -r name; do fail "$name"; done < <(sed -n 's/^not ok //p' "$output")
  if [ "$bad" -eq 0 ] && [ "$2" -ne 0 ]; then
    bad=1
    fail "$1"
  fi
  echo "   $((good + bad)) run, $bad failed"
  if [ "$bad" -gt 0 ]; then grep -v '^ok ' "$output"; else grep '^skipped ' "$output"; fi
}

# A script that prints the lines above for each thing it looked at.
check() { # title, command...
  timed "$@"
  count "$1" $?
}

# The tests of one preset.
run_tests() { # preset
  local preset=$1 results=$PWD/build/$1/junit.xml wrapper=()
  # The thread sanitizer of gcc 12 cannot run where addresses are spread more widely than it knows; without that spreading it can.
  [ "$preset" != tsan ] || ! setarch -R true 2>/dev/null || wrapper=(setarch -R)
  rm -f "$results"
  timed "$preset: tests" "${wrapper[@]}" ctest --preset "$all$preset" -j "$jobs" --output-junit "$results"
  [ -f "$results" ] || cat "$output"
  scripts/read_junit.py "$results" "$preset" >"$output"
  count "$preset: tests" $?
}

begin=$SECONDS
for stage in "${stages[@]}"; do
  case $stage in
    dev | asan) build "$stage" tests && run_tests "$stage" ;;
    release) build release all tests && run_tests release ;;
    tsan) build tsan threaded_tests && run_tests tsan ;;
    clang) build clang all tests && run_tests clang ;;
    checks)
      check "tests" scripts/check_tests.py
      check "generated files are up to date" scripts/generate.py --check
      check "headers" scripts/check_headers.sh
      check "reference: doxygen" scripts/reference.sh
      check "reference: declared, exported, documented" scripts/check_reference.py build/release
      check "formatting" scripts/format.sh --check
      check "wording" scripts/check_wording.py
      check "names" scripts/check_names.py
      ;;
    python)
      build release pliant-tool && check "python: package" scripts/python.sh
      timed "python: tests" env ${all:+PLIANT_LONG=1} build/python/bin/python3 -m pytest -q -p no:cacheprovider --junit-xml build/python-junit.xml python/tests
      [ -f build/python-junit.xml ] || cat "$output"
      scripts/read_junit.py build/python-junit.xml python >"$output"
      count "python: tests" $?
      ;;
    package) check "package" scripts/check_install.sh ;;
    documents)
      check "pages" scripts/check_pages.py
      check "documents" scripts/check_documents.py
      ;;
    fuzz) check "fuzz" test/fuzz/run.sh "${FUZZ_SECONDS:-5}" ;;
    *)
      echo "test.sh: there is no stage $stage" >&2
      exit 2
      ;;
  esac
done

echo
printf 'failed: %s\n' "${failures[@]}" | sed '/^failed: $/d'
echo "all stages took $((SECONDS - begin)) s"
echo "$passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
[ $failed -eq 0 ]
