#!/bin/sh
# Checks the model with spin: the rules as they are must hold, and each rule that is broken must be found out.
#
#   run.sh           some minutes: the rules as they are in small bounds, and every mutant
#   run.sh --long    larger bounds too
#
# Needs spin and a C compiler. Exit code: 0 all as expected, 1 not, 77 spin is not installed.
set -eu
command -v spin >/dev/null 2>&1 || { echo "spin is not installed: nothing is checked"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# check NAME EXPECTED FLAGS...: EXPECTED is `holds` or `broken`.
check() {
  name=$1 expected=$2
  shift 2
  spin -a "$@" "$here/pair.pml" >spin.out 2>&1 || { cat spin.out; return 1; }
  cc -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=2000 -o pan pan.c
  ./pan -E -m500000 >pan.out 2>&1 || true
  states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.out)
  if grep -q "assertion violated" pan.out; then found=broken
  elif grep -q "errors: 0" pan.out && ! grep -qE "max search depth|out of memory|memory limit" pan.out; then found=holds
  else found="not completed"; fi
  if [ "$found" = "$expected" ]; then echo "ok      $name: $found, $states states"; else
    echo "WRONG   $name: $found, expected $expected, $states states"; return 1; fi
}

status=0
if [ "${1:-}" = --long ]; then
  check "the rules (2 records, 4 epochs, 1 crash)" holds -DRECORDS=2 -DEPOCHS=4 -DCRASHES=1 || status=1
  check "the rules (1 record, 4 epochs, 2 crashes)" holds -DRECORDS=1 -DEPOCHS=4 -DCRASHES=2 || status=1
fi
check "the rules (1 record, 4 epochs, 1 crash)" holds -DRECORDS=1 -DEPOCHS=4 -DCRASHES=1 || status=1
check "the rules (2 records, 2 epochs, 1 crash)" holds -DRECORDS=2 -DEPOCHS=2 -DCRASHES=1 || status=1
for rule in SOLO_ACKS JOIN JOIN_EARLY IN_DOUBT GRACE LEASE; do
  check "mutant $rule" broken "-DBREAK_$rule" || status=1
done
# The smallest bounds in which these two do harm.
check "mutant RESTART" broken -DBREAK_RESTART -DRECORDS=2 -DEPOCHS=2 || status=1
check "mutant REPORT" broken -DBREAK_REPORT -DRECORDS=1 -DEPOCHS=4 || status=1
exit $status
