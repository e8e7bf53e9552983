#!/usr/bin/env bash
# The measurements. Usage: run.sh SELVEDGE [SECONDS]
#
# Side by side: the explicit search with steps merged that no other thread can see, and without. Then,
# where the corpus lies beside the project, one hard program of it and a summary of a set. Leaves nothing
# behind.
set -euo pipefail
export LC_ALL=C

selvedge=$(realpath "$1")
seconds=${2:-60}
cd "$(dirname "$0")/.."
corpus=../shared/corpus

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The value of a field of the result, at a depth of so many spaces: documents are indented by us.
field() {
    sed -n "s/^ \{$1\}\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$scratch/result.json" | head -n 1
}

# Checks a program and prints: verdict, states, transitions, states/s, bytes/state, seconds.
measure() {
    rm -f "$scratch/result.json"
    "$selvedge" check "$@" --time-limit "$seconds" --json "$scratch/result.json" >"$scratch/out" 2>&1 || true
    if [ ! -s "$scratch/result.json" ]; then
        printf 'failed - - - - -\n'
        printf 'bench: no result for %s:\n' "$*" >&2
        cat "$scratch/out" >&2
        return
    fi
    local verdict states memory
    verdict=$(field 2 verdict)
    states=$(field 4 states)
    memory=$(field 4 peak_memory)
    [ "$verdict" != unknown ] || verdict="unknown:$(field 4 kind)"
    printf '%s %s %s %s %s %s\n' "$verdict" "$states" "$(field 4 transitions)" "$(field 4 states_per_second)" \
        "$((states > 0 ? memory / states : 0))" "$(printf '%.2f' "$(field 4 seconds)")"
}

row='%-20s │ %-13s %11s %12s %10s %7s %8s │ %-13s %11s %12s %10s %7s %8s\n'

both() {
    local name=$1 merged single
    shift
    read -ra merged <<<"$(measure "$@")"
    read -ra single <<<"$(measure "$@" --no-merging)"
    # shellcheck disable=SC2059
    printf "$row" "$name" "${merged[@]}" "${single[@]}"
}

echo "Explicit search, one core, $seconds s a run. Left: invisible steps merged. Right: every access a switch point."
# shellcheck disable=SC2059
printf "$row" program verdict states transitions states/s B/state seconds \
    verdict states transitions states/s B/state seconds
for program in bench/programs/*.c; do
    both "$(basename "$program" .c)" "$program" --engine explicit
done

if [ ! -f "$corpus/INDEX.tsv" ]; then
    echo "There is no corpus beside the project: that is all."
    exit
fi
hard=$(find "$corpus" -name 'safestack_relacy.i' | sort | head -n 1)
if [ -n "$hard" ]; then
    both safestack_relacy "$hard" --engine explicit
fi
echo
echo "The set sv-benchmarks, 10 s a task:"
"$selvedge" suite "$corpus/INDEX.tsv" --set sv-benchmarks --time-limit 10 || true
