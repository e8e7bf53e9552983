# shellcheck shell=bash disable=SC2154
# The explicit search with steps merged that no other thread can see, and without, side by side. Then, where
# the corpus lies beside the project, one hard program of it.

# Checks a program and prints: verdict, states, transitions, states/s, bytes/state, seconds.
explicit_measure() {
    local states memory
    check "$seconds" "$@" --engine explicit || {
        echo "failed - - - - -"
        return
    }
    states=$(field 4 states)
    memory=$(field 4 peak_memory)
    echo "$(verdict) $states $(field 4 transitions) $(field 4 states_per_second)" \
        "$((states > 0 ? memory / states : 0)) $(search_seconds)"
}

explicit_format='%-20s │ %-13s %11s %12s %10s %7s %8s │ %-13s %11s %12s %10s %7s %8s'

explicit_row() {
    local merged single
    read -ra merged <<<"$(explicit_measure "$2")"
    read -ra single <<<"$(explicit_measure "$2" --no-merging)"
    line "$explicit_format" "$1" "${merged[@]}" "${single[@]}"
}

explicit_table() {
    local program hard columns=(verdict states transitions states/s B/state seconds)
    echo "Explicit search, one core, $seconds s a run. Left: invisible steps merged. Right: every access a switch point."
    line "$explicit_format" program "${columns[@]}" "${columns[@]}"
    for program in bench/programs/*.c; do
        explicit_row "$(basename "$program" .c)" "$program"
    done
    has_corpus || return 0
    hard=$(find "$corpus" -name 'safestack_relacy.i' | sort | head -n 1)
    [ -z "$hard" ] || explicit_row safestack_relacy "$hard"
}
