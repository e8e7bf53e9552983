# shellcheck shell=bash disable=SC2154
# The cost of looking for data races: the explicit search with the properties that it checks anyway, and with races as well.

races_defaults=assertion,deadlock,memory,arithmetic,lock,thread
races_format='%-16s │ %-9s %12s %8s │ %-9s %12s %8s │ %7s %7s'

# Prints: verdict, states, seconds.
races_measure() {
    check "$seconds" "$1" --engine explicit --property "$2" || {
        echo "failed - -"
        return
    }
    echo "$(verdict) $(field 4 states) $(search_seconds)"
}

races_row() {
    local plain with
    read -ra plain <<<"$(races_measure "$1" $races_defaults)"
    read -ra with <<<"$(races_measure "$1" $races_defaults,race)"
    line "$races_format" "$(basename "$1" .c)" "${plain[@]}" "${with[@]}" \
        "$(races_times "${with[1]}" "${plain[1]}")" "$(races_times "${with[2]}" "${plain[2]}")"
}

# How many times as much. Nothing is said of what took no time.
races_times() {
    awk -v n="$1" -v d="$2" 'BEGIN { if (d + 0 > 0.05) printf "%.2f", n / d; else printf "-" }'
}

races_table() {
    echo "The explicit search without and with --property race, and how many times the states and seconds that takes. A race ends"
    echo "the search, so that it may take less."
    line "$races_format" program plain states seconds race states seconds states seconds
    local program
    for program in bench/programs/*.c bench/dpor/*.c examples/*.c; do
        races_row "$program"
    done
}
