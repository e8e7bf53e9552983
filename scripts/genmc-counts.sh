#!/usr/bin/env bash
# Runs of the search by conflicts beside the executions that GenMC's own tests state, for those programs of the corpus whose
# notes have a number. Usage: genmc-counts.sh SELVEDGE CORPUS [SECONDS]
#
# One row a program: the executions stated, our runs, and whether they are the same number. These reasons for other numbers
# are known:
#
# - A run that an assumption ends, or in which a thread waits for ever, is a run; GenMC counts it among blocked executions
#   (ry+ax+wx+wy, spin-2cas-const, spin-2cas-se, spin-samecas).
# - The order in which threads come to a barrier decides who is told to be the last: n! runs for each use where GenMC
#   makes one (barrier2, barrier3, barrier4).
# - Loops without end are unrolled a few times by GenMC's tests; here they are cut at a depth (lamport-deadlock-safe).
# - A thread that looks before it waits in a loop takes a step (spinloop: 2 runs in place of 1).
#
# Programs whose included files are not there do not compile (verdict none).
set -euo pipefail

selvedge=$(realpath "$1")
corpus=$(realpath "$2")
seconds=${3:-20}
result=$(mktemp)
trap 'rm -f "$result"' EXIT

awk -F'\t' '$1 == "genmc" && match($6, /sc_execs=[0-9]+/) { print $2, substr($6, RSTART + 9, RLENGTH - 9) }' \
    "$corpus/INDEX.tsv" | while read -r program stated; do
    rm -f "$result"
    "$selvedge" check "$corpus/$program" --engine explicit --reduction dpor --time-limit "$seconds" --json "$result" \
        </dev/null >/dev/null 2>&1 || true
    verdict=$(sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$result" 2>/dev/null || true)
    runs=$(sed -n 's/^    "runs": \([0-9]*\),\{0,1\}$/\1/p' "$result" 2>/dev/null | head -n 1 || true)
    same=different
    [ "${runs:-0}" != "$stated" ] || same=same
    printf '%-80s %10s %10s %-10s %s\n' "$program" "$stated" "${runs:--}" "${verdict:-none}" "$same"
done
