# shellcheck shell=bash disable=SC2154
# Our own search and SPIN over our virtual machine on equal programs: states and seconds.

# Prints: verdict, states, transitions, seconds.
spin_measure() {
    check "$seconds" "$@" || {
        echo "failed - - -"
        return
    }
    echo "$(verdict) $(field 4 states) $(field 4 transitions) $(search_seconds)"
}

spin_format='%-20s │ %-13s %11s %12s %8s │ %-13s %11s %12s %8s │ %-13s %11s %12s %8s'

spin_table() {
    local program own spin collapsed columns=(verdict states transitions seconds)
    echo "Explicit search, SPIN over the same virtual machine, and that with -DCOLLAPSE; $seconds s a run. SPIN's"
    echo "seconds include making and compiling its verifier, which takes one or two."
    command -v spin >/dev/null || {
        echo "There is no spin here: this is left out."
        return 0
    }
    line "$spin_format" program "${columns[@]}" "${columns[@]}" "${columns[@]}"
    for program in bench/programs/*.c; do
        read -ra own <<<"$(spin_measure "$program" --engine explicit)"
        read -ra spin <<<"$(spin_measure "$program" --engine spin)"
        read -ra collapsed <<<"$(spin_measure "$program" --engine spin --spin-cflags -DCOLLAPSE)"
        line "$spin_format" "$(basename "$program" .c)" "${own[@]}" "${spin[@]}" "${collapsed[@]}"
    done
}
