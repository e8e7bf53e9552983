# shellcheck shell=bash disable=SC2154
# The tables of "Verifying Multi-threaded C Programs with SPIN" (SPIN 2008), on programs written by us: states with every
# access a switch point (the paper's "global access"), with invisible steps merged, and with supersteps.

pancam_format='%-24s │ %-14s %9s │ %-14s %9s │ %-14s %9s │ %-14s %9s'

# Checks a program and prints: verdict, states.
pancam_measure() {
    check "$seconds" "$@" --engine explicit || {
        echo "failed -"
        return
    }
    echo "$(verdict) $(field 4 states)"
}

pancam_row() {
    local name=$1 columns=() how
    shift
    for how in --no-merging '' '--supersteps --no-merging' --supersteps; do
        # shellcheck disable=SC2086,SC2207
        columns+=($(pancam_measure "$@" $how))
    done
    line "$pancam_format" "$name" "${columns[@]}"
}

pancam_table() {
    local bound size senders
    echo "Supersteps (SPIN 2008), $seconds s a run: verdict and states."
    line "$pancam_format" program 'every access' '' merged '' 'supersteps of accesses' '' 'supersteps, merged' ''
    for bound in 0 1 2 3 4 6 8; do
        pancam_row "peterson, bug, c=$bound" bench/pancam/peterson.c -DBROKEN --opt O2 --preemptions "$bound"
    done
    for bound in 0 1 2 3 4 6 8; do
        pancam_row "peterson, c=$bound" bench/pancam/peterson.c --opt O2 --preemptions "$bound"
    done
    for size in 2 3 4 5; do
        pancam_row "robots, N=$size" bench/pancam/robots.c "-DSIZE=$size"
    done
    for senders in 1 2; do
        for size in 1 2 3 4; do
            pancam_row "messages, $senders to 1, $size" bench/pancam/messages.c "-DSENDERS=$senders" "-DCAPACITY=$size"
        done
    done
}
