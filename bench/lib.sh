# shellcheck shell=bash disable=SC2154
# Functions for all tables. Sourced by run.sh, which sets $selvedge, $seconds, $corpus and $scratch.

# The value of a field of the result, at a given indentation: we indent the documents ourselves.
field() {
    sed -n "s/^ \{$1\}\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$scratch/result.json" | head -n 1
}

# Checks a program, for at most so many seconds. The result is in $scratch/result.json, the seconds that
# the whole command took in $whole. False if there is no result: the reason then is on standard error.
check() {
    local limit=$1 started=$EPOCHREALTIME
    shift
    rm -f "$scratch/result.json"
    "$selvedge" check "$@" --time-limit "$limit" --json "$scratch/result.json" </dev/null >"$scratch/out" 2>&1 || true
    # shellcheck disable=SC2034
    whole=$(awk -v from="$started" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.2f", to - from }')
    [ ! -s "$scratch/result.json" ] || return 0
    printf 'bench: no result for %s:\n' "$*" >&2
    cat "$scratch/out" >&2
    return 1
}

# The verdict of the last result in one word, with the reason of an unknown.
verdict() {
    local verdict
    verdict=$(field 2 verdict)
    [ "$verdict" != unknown ] || verdict="unknown:$(field 4 kind)"
    printf '%s' "$verdict"
}

# The time of the search alone in the last result, without clang and the passes.
search_seconds() {
    printf '%.2f' "$(field 4 seconds)"
}

# $1 divided by $2, as an integer; a dash unless $2 is more than $3, by default 0. (In awk an unparenthesised `>`
# behind `printf` would be a redirection.)
quotient() {
    awk -v n="$1" -v d="$2" -v least="${3:-0}" 'BEGIN { if (d + 0 > least + 0) printf "%d", n / d; else printf "-" }'
}

# Prints a row: a format of printf without its end of line, and the columns.
line() {
    local format=$1
    shift
    # shellcheck disable=SC2059
    printf "$format\n" "$@" | sed 's/ *$//'
}

has_corpus() {
    [ -f "$corpus/INDEX.tsv" ] && return
    echo "There is no corpus beside the project ($corpus): this is left out."
    return 1
}
