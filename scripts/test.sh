#!/usr/bin/env bash
# Runs all tests, lists those that were skipped because something is missing, and ends with the test runner's summary.
#
# nextest runs every test in a process of its own; where it is not installed, cargo test will do, whose
# summaries, one for each file of tests, are added up.
set -uo pipefail
cd "$(dirname "$0")/.."

folder=${CARGO_TARGET_DIR:-target}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
log=$folder/test.log
export SELVEDGE_SKIPPED=$folder/skipped-tests
: >"$SELVEDGE_SKIPPED"

if command -v cargo-nextest >/dev/null; then
    runner=(cargo nextest run --cargo-profile quick)
    summary() { grep -E '^ *Summary \[' "$log" | tail -n 1; }
else
    runner=(cargo test --profile quick)
    summary() {
        awk '/^test result: / { passed += $4; failed += $6 } END { printf "%d passed, %d failed\n", passed, failed }' "$log"
    }
fi
"${runner[@]}" --workspace --no-fail-fast "$@" 2>&1 | tee "$log"
code=${PIPESTATUS[0]}

echo
if [ -s "$SELVEDGE_SKIPPED" ]; then
    echo "Skipped, as a whole or in part, for want of:"
    sort -u "$SELVEDGE_SKIPPED" | awk -F'\t' '
        { tests[$1]++; all++ }
        END { for (what in tests) printf "    %s: %d tests\n", what, tests[what]; printf "    in all: %d tests\n", all }' | sort
else
    echo "No test was skipped."
fi
echo
summary
exit "$code"
