# shellcheck shell=bash disable=SC2154
# The explicit search of all states, and of those that a data abstraction tells apart, side by side (pancam, SPIN 2008,
# section 3.1 and figure 9). Each program has an invariant, and counts or carries data that do not matter to it.

# Checks a program and prints: verdict, states, transitions, seconds.
abstraction_measure() {
    check "$seconds" "$@" --engine explicit || {
        echo "failed - - -"
        return
    }
    echo "$(verdict) $(field 4 states) $(field 4 transitions) $(search_seconds)"
}

abstraction_format='%-10s %-10s │ %-22s %10s %12s %8s │ %-22s %10s %12s %8s'

abstraction_row() {
    local program=bench/abstraction/$1.c all some
    read -ra all <<<"$(abstraction_measure "$program" --invariant "$2" "${@:3}")"
    read -ra some <<<"$(abstraction_measure "$program" --invariant "$2" --abstraction update_abs "${@:3}")"
    line "$abstraction_format" "$1" "${3:--}" "${all[@]}" "${some[@]}"
}

abstraction_table() {
    local columns=(verdict states transitions seconds)
    echo "Explicit search, one core, $seconds s a run. Left: all states. Right: under the abstraction."
    line "$abstraction_format" program option "${columns[@]}" "${columns[@]}"
    abstraction_row peterson exclusion
    abstraction_row robots on_board -DN=3
    abstraction_row robots on_board -DN=4
    abstraction_row robots on_board -DN=6
    abstraction_row queue fits
}
