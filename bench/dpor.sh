# shellcheck shell=bash disable=SC2154
# The search by conflicts on programs with few orders of conflicting steps, at growing sizes, beside the exact search; and
# beside GenMC and Nidhugg where they are installed.

dpor_format='%-14s %4s │ %10s %8s │ %12s %8s │ %8s %8s'

# The seconds that a command takes, or why there is no answer.
dpor_tool() {
    local started=$EPOCHREALTIME
    command -v "$1" >/dev/null || {
        printf -- '-'
        return
    }
    timeout "$seconds" "$@" >/dev/null 2>&1 || {
        printf '>%s' "$seconds"
        return
    }
    awk -v from="$started" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.2f", to - from }'
}

dpor_row() {
    local program=bench/dpor/$1.c n=$2 runs=- by_conflicts=- states=- exact=-
    if check "$seconds" "$program" -D "N=$n" --engine explicit --reduction dpor; then
        runs=$(field 4 runs)
        by_conflicts=$(search_seconds)
        [ "$(verdict)" = safe ] || by_conflicts=">$seconds"
    fi
    if check "$seconds" "$program" -D "N=$n" --engine explicit; then
        states=$(field 4 states)
        exact=$(search_seconds)
        [ "$(verdict)" = safe ] || exact=">$seconds"
    fi
    line "$dpor_format" "$1" "$n" "$runs" "$by_conflicts" "$states" "$exact" \
        "$(dpor_tool genmc --sc --disable-estimation -- "-DN=$n" "$program")" \
        "$(dpor_tool nidhuggc -DN="$n" -- --sc "$program")"
}

dpor_table() {
    echo "One run for each order of conflicting steps, and all states:"
    line "$dpor_format" program N runs s states s GenMC Nidhugg
    local n
    for n in 4 8 12; do dpor_row readers $n; done
    for n in 4 8 12; do dpor_row lastzero $n; done
    for n in 4 8 12; do dpor_row casrot $n; done
    for n in 11 13 15; do dpor_row indexer $n; done
    for n in 12 16 20; do dpor_row inodes $n; done
    for n in 8 16 24; do dpor_row disjoint $n; done
    for n in 3 5 7; do dpor_row increments $n; done
}
