# shellcheck shell=bash disable=SC2154
# The size of the lazy engine's formulas, depending on rounds and on context-switch points.

rounds_format='%6s │ %-20s %9s %9s %6s %8s'

# One program with an increasing number of rounds.
rounds_table() {
    local program=bench/lazy/local_work.c rounds
    echo "Lazy engine: heavy local computation between few shared accesses ($program), by rounds. What is local is"
    echo "encoded once, so that a round adds only the schedule and what is shared."
    line "$rounds_format" rounds verdict variables clauses points seconds
    for rounds in 1 2 4 8; do
        check "$seconds" "$program" --engine lazy --rounds "$rounds" || continue
        line "$rounds_format" "$rounds" "$(verdict)" "$(field 4 variables)" "$(field 4 clauses)" \
            "$(field 4 switch_points)" "$(search_seconds)"
    done
}

# Programs of the corpus for the table of reductions: of every kind one or two.
reductions_programs() {
    cat <<'END'
pthread/queue.i
pthread/stack-2.i
pthread/twostage_3.i
pthread/sync01.i
pthread/singleton.i
pthread-atomic/qrcu-2.i
pthread-ext/25_stack.i
pthread-lit/qw2004-2.i
pthread-wmm/mix000_power.oepc.i
ldv-races/race-2_2-container_of.i
END
}

# The switch points of the last result after each reduction, in a line.
reductions() {
    sed -n '/^    "reductions": \[/,/^    \]/s/^        "switch_points": \([0-9]*\),\{0,1\}$/\1/p' "$scratch/result.json" | xargs
}

reductions_format='%-30s │ %8s %8s %8s %8s %8s %8s'

# A program's row. One that is too large to be compared has only the last number.
reductions_row() {
    local path=$1 cells
    shift
    check 10 "$path" --engine lazy --unwind 2 --rounds 1 "$@" || return 0
    read -ra cells <<<"$(reductions)"
    [ ${#cells[@]} -gt 0 ] || cells=(- - - - - -)
    cells[-1]=$(field 4 switch_points)
    line "$reductions_format" "$(basename "$path")" "${cells[@]}"
}

reductions_table() {
    local path
    echo "Lazy engine: context-switch points at unwind 2, with one reduction more in each column: all accesses; those in"
    echo "conflict with another thread's; that can run; when the other has been created; and was not waited for; and no"
    echo "lock keeps them apart."
    line "$reductions_format" program accesses conflict live created joined locks
    for path in bench/programs/*.c; do
        reductions_row "$path"
    done
    has_corpus || return 0
    while read -r path; do
        [ ! -f "$corpus/sv-benchmarks/c/$path" ] || reductions_row "$corpus/sv-benchmarks/c/$path" -m32 --property assertion
    done < <(reductions_programs)
}
