# What the tests of `pliant fit` share.

# value NAME: the second column of the table of parameters on standard output.
value() {
  awk -v name="$1" 'index($0, name) == 1 { sub(name, ""); print $1 }' out
}

# near FOUND TRUTH SHARE
near() {
  awk -v a="$1" -v b="$2" -v s="$3" 'BEGIN { exit !(a > b * (1 - s) && a < b * (1 + s)) }' || fail "$1 instead of $2"
}

# fit WORDS...: undetermined damping is not a failure here.
fit() {
  "$PLIANT" fit "$@" >out 2>err || [ $? = 3 ] || fail "fit $*"
}
