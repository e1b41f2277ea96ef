# What the scripts of this folder begin with (sourced): a scratch folder to work in, a way to fail that shows what the tool said, `expect`, and
# interrupting a run without a race.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
  echo "FAILED: $*" >&2
  for log in out err err2; do [ ! -s $log ] || { echo "--- $log" && cat $log; } >&2; done
  exit 1
}

# expect CODE WORDS...: run the tool, keep its output in out and err, compare the exit code.
expect() {
  local wanted=$1 code=0
  shift
  "$PLIANT" "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "pliant $*: exit $code instead of $wanted"
}

# wait_for JOB FILE SIZE: wait until FILE is larger than SIZE bytes, however long that takes; a job that ends before is a failure. A run that is to be
# interrupted is asked for far more frames than it will make: how many it made before the signal came is read from its checkpoint, so that nothing
# depends on how fast the machine is.
wait_for() {
  until [ "$(stat -c %s "$2" 2>/dev/null || echo 0)" -gt "$3" ]; do
    kill -0 "$1" 2>/dev/null || fail "the run ended before $2 was larger than $3 bytes"
    sleep 0.02
  done
}

# stopped_at FOLDER: the frame of its checkpoint.
stopped_at() {
  "$PLIANT" info "$1/pliant.checkpoint" | awk '$1 == "frame" { print $2 }'
}
