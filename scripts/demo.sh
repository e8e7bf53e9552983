#!/usr/bin/env bash
# Shows a bug being found. Finding it is success, so exit code 10 becomes 0, and nothing else does.
set -uo pipefail

selvedge=$1
program=$2

printf '$ selvedge check %s\n' "$program"
"$selvedge" check "$program"
code=$?
if [ "$code" -ne 10 ]; then
    printf 'demo: expected a violation (exit code 10), got exit code %s\n' "$code" >&2
    exit 1
fi
