# shellcheck shell=bash disable=SC2154
# The two tables of Cordeiro and Fischer (ICSE 2011), with their figures beside ours.

tree_format='%-20s %3s %3s %2s │ %-6s %8s %11s %8s %8s %4s │ %6s %10s %6s %6s %4s'

# program (one of the corpus, or a family with its numbers) | threads B C | theirs: lazy, failed/all, record, uw, iterations
tree_programs() {
    cat <<'END'
reorder 2|3 3 4|<1 1/29 <1 <1 4
reorder 3|4 4 5|<1 1/82 1 4 5
reorder 4|5 5 6|<1 1/277 4 18 6
reorder 5|6 6 7|<1 1/853 36 72 7
twostage 2|3 3 4|1 1/35 1 3 5
twostage 3|4 4 4|2 1/42 1 4 5
twostage 4|5 5 4|2 1/44 1 5 5
twostage 5|6 6 4|2 1/45 2 5 5
wronglock 3|4 4 8|5 2/489 10 89 9
wronglock 4|5 5 8|10 3/2869 50 408 9
wronglock 5|6 6 8|18 4/12106 225 2060 9
wronglock 6|7 7 8|34 5/39100 MO MO 1
micro 2 100|2 1 2|<1 0/4 <1 <1 1
micro 3 100|3 1 2|<1 0/9 <1 <1 1
circular_buffer_ok|2 8 7|477 0/12870 MO MO 1
circular_buffer_bad|2 8 5|<1 3/32 2 11 6
queue_ok|2 41 -|3 0/6 3 3 1
queue_bad|2 41 8|3 91/256 50 373 7
stack_ok|2 11 6|225 0/4094 1026 1097 1
stack_bad|2 11 4|<1 4/16 2 6 4
fsbench_ok|26 26 2|252 0/676 304 301 1
fsbench_bad|27 27 2|<1 729/729 360 786 2
indexer_ok|13 4 2|595 0/17160 220 218 1
stateful20_ok|2 20 4|95 0/1024 487 518 1
sync02_ok|2 21 5|44 0/121 60 60 1
sync02_bad|2 21 21|8 5/186 132 383 3
reorder_10_bad|10 10 11|<1 1/154574 MO MO 1
twostage_100_bad|100 100 4|88 1/139 93 195 5
wronglock 7|8 8 8|90 6/104015 MO MO 1
micro 10 100|10 1 1|254 0/29260 MO MO 1
END
}

# The program of a row: a file.
tree_file() {
    local words
    read -ra words <<<"$1"
    if [ ${#words[@]} -gt 1 ]; then
        bench/tree/family.sh "${words[@]}" >"$scratch/program.c"
        echo "$scratch/program.c"
    else
        echo "$corpus/sctbench/benchmarks/concurrent-software-benchmarks/$1.c"
    fi
}

# The time of the last run, or why it has no answer.
tree_seconds() {
    case $(verdict) in
    unknown:time) echo TO ;;
    unknown:memory) echo MO ;;
    unknown:*) verdict ;;
    *) search_seconds ;;
    esac
}

tree_row() {
    local program=$1 size theirs path properties bounds said found lazy record
    read -ra size <<<"$2"
    read -ra theirs <<<"$3"
    path=$(tree_file "$program")
    [ -f "$path" ] || return 0
    # Programs without assertions are checked for deadlocks.
    properties=assertion
    grep -q 'assert *(' "$path" || properties=assertion,deadlock
    bounds=(--property "$properties" --threads 120 --unwind "${size[1]}")
    [ "${size[2]}" = - ] || bounds+=(--switches "${size[2]}")
    check "$seconds" "$path" --engine tree "${bounds[@]}" || return 0
    said=$(verdict)
    case $said in safe*) said=safe ;; unknown*) said=- ;; esac
    found="$(field 6 failed)/$(field 6 generated)"
    lazy=$(tree_seconds)
    check "$seconds" "$path" --engine tree --strategy record "${bounds[@]}" || return 0
    record=$(tree_seconds)
    check "$seconds" "$path" --engine tree --strategy uw "${bounds[@]}" || return 0
    line "$tree_format" "$program" "${size[@]}" "$said" "$lazy" "$found" "$record" "$(tree_seconds)" \
        "$(field 4 iterations)" "${theirs[@]}"
}

tree_table() {
    echo "Tree engine: the programs of the paper's tables, with its bounds: B for loops, C for context switches. Safe ones"
    echo "have a smaller C where theirs takes too long: their C counts the places at which the scheduler is asked (2 threads"
    echo "have 2^C interleavings), ours the times at which another thread goes on. Seconds, and failed/all interleavings until"
    echo "the first failure, of assertions (or deadlocks, where there are none); on the right the paper's, on a machine of 2011."
    line "$tree_format" program T B C verdict lazy "#FI/#I" record uw iter lazy "#FI/#I" record uw iter
    has_corpus || true
    local program size theirs
    while IFS='|' read -r program size theirs; do
        tree_row "$program" "$size" "$theirs"
    done < <(tree_programs)
}
