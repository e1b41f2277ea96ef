# What the scripts of this folder begin with (sourced): a scratch folder to work in, a way to fail that shows what the tool said, and `expect`.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
  echo "FAILED: $*" >&2
  cat out err >&2
  exit 1
}

# expect CODE WORDS...: run the tool, keep its output in out and err, compare the exit code.
expect() {
  local wanted=$1 code=0
  shift
  "$PLIANT" "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "pliant $*: exit $code instead of $wanted"
}
