#!/bin/bash
# scripts/test.sh [STAGE...]: everything that is checked, or some stages of it. Ends with a line `N passed, N failed`, and fails if any did.
#   dev release   unit, end-to-end and sample programs, with asserts and as released
#   asan          the same under the address and undefined-behaviour sanitizers
#   tsan          those with the label `threads` under the thread sanitizer
#   checks        headers, reference, formatting, wording
#   package       installed and used from outside
#   documents     every command and snippet of README.md and docs/; links, pictures and tables
cd "$(dirname "$0")/.." || exit 1
export PYTHONDONTWRITEBYTECODE=1
[ $# -gt 0 ] || set -- dev release asan tsan checks package documents
jobs=$(nproc)
passed=0
failed=0
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

# ctest of one preset; counts each program.
run_tests() { # preset, ctest option...
  local preset=$1 wrapper=()
  shift
  # The thread sanitizer of gcc 12 cannot run where addresses are spread more widely than it knows; without that spreading it can.
  [ "$preset" != tsan ] || ! setarch -R true 2>/dev/null || wrapper=(setarch -R)
  timed "$preset: tests" "${wrapper[@]}" ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --no-tests=error "$@"
  local status=$? bad all skipped
  all=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$output")
  bad=$(sed -n 's/.*, \([0-9]*\) tests failed out of [0-9]*$/\1/p' "$output")
  skipped=$(grep -c '\*\*\*Skipped' "$output")
  echo "   $((${all:-0} - skipped)) run, ${bad:-1} failed"
  if [ -z "$all" ]; then
    cat "$output"
    fail "$preset: ctest"
    return
  fi
  passed=$((passed + all - bad - skipped))
  sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([^ ]*\) \.*\*\*\*Skipped.*/skipped: \1/p' "$output"
  if [ $status -ne 0 ]; then
    grep -vE '^ +Start +[0-9]+:|   Passed  ' "$output"
    while read -r name; do fail "$preset: $name"; done < <(sed -n '/^The following tests FAILED/,$s/^[\t ]*[0-9]* - \([^ ]*\) (.*/\1/p' "$output")
  fi
}

# A script that prints `ok NAME` or `not ok NAME` for each thing it looked at; one that prints neither counts by its exit status.
check() { # title, command...
  local title=$1 status good bad
  timed "$@"
  status=$?
  good=$(grep -c '^ok ' "$output")
  bad=$(grep -c '^not ok ' "$output")
  if [ $((good + bad)) -eq 0 ] && [ $status -eq 0 ]; then good=1; fi
  passed=$((passed + good))
  while read -r name; do fail "$name"; done < <(sed -n 's/^not ok //p' "$output")
  if [ "$bad" -eq 0 ] && [ $status -ne 0 ]; then
    bad=1
    fail "$title"
  fi
  echo "   $((good + bad)) checked, $bad failed"
  [ "$bad" -eq 0 ] || grep -v '^ok ' "$output"
}

begin=$SECONDS
for stage in "$@"; do
  case $stage in
    dev) build dev tests && run_tests dev ;;
    release) build release all tests && run_tests release ;;
    asan) build asan tests && run_tests asan ;;
    tsan) build tsan threaded_tests && run_tests tsan -L threads ;;
    checks)
      check "headers" scripts/check_headers.sh
      check "reference: doxygen" scripts/reference.sh
      check "reference: declared, exported, documented" scripts/check_reference.py build/release
      check "formatting" scripts/format.sh --check
      check "wording" scripts/check_wording.py
      ;;
    package) check "package" scripts/check_install.sh ;;
    documents)
      check "pages" scripts/check_pages.py
      check "documents" scripts/check_documents.py
      ;;
    *)
      echo "test.sh: no stage $stage" >&2
      exit 2
      ;;
  esac
done

echo
printf 'failed: %s\n' "${failures[@]}" | sed '/^failed: $/d'
echo "all of it took $((SECONDS - begin)) s"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
