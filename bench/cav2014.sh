# shellcheck shell=bash disable=SC2154
# The unsafe programs of O. Inverso, E. Tomasco, B. Fischer, S. La Torre, G. Parlato: Bounded Model Checking
# of Multi-threaded C Programs via Lazy Sequentialization (CAV 2014), table 1, at the paper's bounds.

# Number and name in the paper, file in the corpus, unwind, rounds, and the seconds of Lazy-CSeq with CBMC 4.5
# and with CBMC 4.7: columns 4 and 5 of the paper's table. (The ones before are the bounds and BLITZ, the ones
# after ESBMC and LLBMC, then other tools.)
cav2014_programs() {
    cat <<'END'
27_boop_simple_vf      pthread-ext/27_Boop_simple_vf.i         2  2    0.3   0.3
28_buggy_simple_loop1  pthread-ext/28_buggy_simple_loop1_vf.i  2  1    0.2   0.2
32_pthread5_vs         -                                       2  2    0.2   0.3
40_barrier_vf          pthread-ext/40_barrier_vf.i             4  1    0.3   0.2
49_bigshot_p           pthread/bigshot_p.i                     1  2    0.4   0.3
50_bigshot_s           pthread/bigshot_s.i                     1  2    0.4   0.3
53_fib_bench           pthread/fib_bench-2.i                   5  5    1.1   1.0
55_fib_bench_longer    pthread/fib_bench_longer-2.i            6  6    4.1   1.5
61_lazy01              pthread/lazy01.i                        1  1    0.2   0.2
63_qrcu                pthread-atomic/qrcu-2.i                 1  2    0.6   0.8
65_queue               pthread/queue.i                         2  2    8.4   8.8
67_read_write_lock     pthread-atomic/read_write_lock-2.i      1  2    0.3   0.3
69_reorder_2           pthread/reorder_2.i                     2  1    0.6   0.6
70_reorder_5           pthread/reorder_5.c                     4  1    0.8   0.9
72_sigma               pthread/sigma.i                        16  1    7.6   7.8
73_singleton           pthread/singleton.i                     1  3    0.6   0.5
75_stack               pthread/stack-2.i                       2  1    0.3   0.3
77_stateful01          pthread/stateful01-1.i                  1  1    0.2   0.2
82_twostage_3          pthread/twostage_3.i                    2  1    0.7   0.8
END
}
cav2014_longest='57_fib_bench_longest pthread/fib_bench_longest-2.i 11 11 425.7 214.0'

cav2014_format='%-21s %6s %6s │ %-18s %9s %9s %6s %8s %8s │ %8s %8s  %s'

# The remark for a program, depending on whether its verdict is as expected.
cav2014_remark() {
    case $1:$2 in
    50_bigshot_s:safe*) echo "the corpus has only the repaired program" ;;
    50_bigshot_s:*) echo "WRONG: the corpus has the repaired program, which is safe" ;;
    *:unsafe) ;;
    *) echo "NOT FOUND" ;;
    esac
}

# Checks a program for at most so many seconds, prints its row, and keeps the numbers for the totals.
cav2014_row() {
    local limit=$1 name=$2 file=$3 unwind=$4 rounds=$5 paper=("${@:6}") ours=() remark=
    local path=$corpus/sv-benchmarks/c/$file
    if [ ! -f "$path" ]; then
        ours=("not in the corpus" - - - - -)
    elif check "$limit" "$path" -m32 --property assertion --engine lazy --unwind "$unwind" --rounds "$rounds"; then
        ours=("$(verdict)" "$(field 4 variables)" "$(field 4 clauses)" "$(field 4 switch_points)" "$(search_seconds)" "$whole")
        remark=$(cav2014_remark "$name" "${ours[0]}")
        printf '%s\n' "${ours[*]}" >>"$scratch/cav2014"
    else
        ours=(failed - - - - -)
    fi
    line "$cav2014_format" "$name" "$unwind" "$rounds" "${ours[@]}" "${paper[@]}" "$remark"
}

# The sums of the rows so far. Columns of a kept row: verdict, variables, clauses, points, seconds, whole.
cav2014_totals() {
    local totals
    [ -f "$scratch/cav2014" ] || return 0
    read -ra totals < <(awk '
        { variables += $2; clauses += $3; points += $4; seconds += $5; whole += $6; found += $1 == "unsafe" }
        END { print found, NR, variables, clauses, points, sprintf("%.2f", seconds), sprintf("%.2f", whole) }
    ' "$scratch/cav2014")
    line "$cav2014_format" total "" "" "${totals[0]} unsafe of ${totals[1]}" "${totals[@]:2}" "" "" ""
}

# The verdict of --engine auto on the longest of them without given bounds, which should take less than a minute.
cav2014_auto() {
    local path remark="under 60 s is wanted"
    path=$corpus/sv-benchmarks/c/$(cut -d' ' -f2 <<<"$cav2014_longest")
    [ -f "$path" ] || return 0
    check 120 "$path" -m32 --property assertion --engine auto || return 0
    if [ "$(verdict)" != unsafe ] || [ "${whole%.*}" -ge 60 ]; then
        remark="TOO SLOW: $remark"
    fi
    echo "fib_bench_longest with --engine auto and no bounds: $(verdict) in $whole s, by the engine $(field 2 answered_by) ($remark)"
}

cav2014_table() {
    local limit=${BENCH_LONGEST:-600} row
    echo "Lazy engine: the 20 unsafe programs of the CAV 2014 paper at its bounds, at most $seconds s a run ($limit s the last)."
    echo "seconds: bounding, encoding and solving; whole: with clang and the replay. Right: the seconds in the paper of"
    echo "Lazy-CSeq's backends CBMC 4.5 and CBMC 4.7 alone, to which it adds about one for its translation (Xeon W3520, 2.6 GHz)."
    has_corpus || return 0
    line "$cav2014_format" program unwind rounds verdict variables clauses points seconds whole "CBMC 4.5" "CBMC 4.7" ""
    while read -ra row; do
        cav2014_row "$seconds" "${row[@]}"
    done < <(cav2014_programs)
    cav2014_totals
    read -ra row <<<"$cav2014_longest"
    if [ "$limit" -gt 0 ]; then
        cav2014_row "$limit" "${row[@]}"
    else
        echo "${row[0]} is skipped."
    fi
    cav2014_auto
}
