# shellcheck shell=bash disable=SC2154
# Swarms beside the numbers of T. L. Nguyen, P. Schrammel, B. Fischer, S. La Torre, G. Parlato: Parallel
# Bug-finding in Concurrent Programs via Reduced Interleaving Instances (ASE 2017), Fig. 5.
#
# Seconds of computing are those on a core: they do not depend on what else the machine does. The paper has
# 8,000 instances of each tile size and lets each take hours; we have as many as fit into the time limit.

# Name, file in the corpus, unwind, rounds (which is also the number of tiles), tile size; of the paper: seconds
# of all schedules at once, percentage of buggy instances, least and average seconds of these.
swarm_programs() {
    cat <<'END_OF_TABLE'
eliminationstack pthread-complex/elimination_backoff_stack.i 1 2 12 46764 38.33  34.9 1116.3
eliminationstack pthread-complex/elimination_backoff_stack.i 1 2 18 46764 69.01  37.1 3162.4
safestack        pthread-complex/safestack_relacy.i          3 4 11 24139  1.26 195.6 1172.2
safestack        pthread-complex/safestack_relacy.i          3 4 20 24139 10.20 313.0 2167.5
END_OF_TABLE
}

# Runs a swarm for at most so many seconds. The result is in $scratch/result.json.
swarm_run() {
    local limit=$1
    shift
    rm -f "$scratch/result.json"
    "$selvedge" swarm "$@" --time-limit "$limit" --json "$scratch/result.json" </dev/null >"$scratch/out" 2>&1 || true
    [ ! -s "$scratch/result.json" ] || return 0
    printf 'bench: no result for %s:\n' "$*" >&2
    cat "$scratch/out" >&2
    return 1
}

swarm_format='%-17s %6s %6s %5s │ %6s %6s %9s %9s %9s │ %9s %6s %7s %8s'

swarm_figure() {
    line "$swarm_format" program unwind rounds tile done buggy timed-out computing first "paper: all" "buggy%" least average
    swarm_programs | while read -r name file unwind rounds size all share least average; do
        [ -f "$corpus/sv-benchmarks/c/$file" ] || continue
        swarm_run "$seconds" "$corpus/sv-benchmarks/c/$file" -m32 --property assertion --unwind "$unwind" \
            --rounds "$rounds" --tile-size "$size" --instance-time-limit "$seconds" || continue
        line "$swarm_format" "$name" "$unwind" "$rounds" "$size" "$(field 4 safe)" "$(field 4 buggy)" \
            "$(field 4 timed_out)" "$(printf '%.1f' "$(field 4 cpu_seconds)")" \
            "$(printf '%.1f' "$(field 4 wall_seconds)")" "$all" "$share" "$least" "$average"
    done
}

# Without a tile size: how long does it take to find the bug?
swarm_alone() {
    echo "The same without a tile size, $seconds s at most: verdict, seconds, seconds of computing"
    swarm_programs | awk '!seen[$1]++ { print $1, $2, $3, $4 }' | while read -r name file unwind rounds; do
        [ -f "$corpus/sv-benchmarks/c/$file" ] || continue
        swarm_run "$seconds" "$corpus/sv-benchmarks/c/$file" -m32 --property assertion --unwind "$unwind" \
            --rounds "$rounds" || continue
        line '%-17s %-20s %8.1f %8.1f' "$name" "$(verdict)" "$(field 4 wall_seconds)" "$(field 4 cpu_seconds)"
    done
}

# How many instances a second of computing is good for: with one solver for all, with a new one for each, and
# with a translation of its own for each; and with two workers.
swarm_throughput() {
    local file=$corpus/sv-benchmarks/c/pthread-complex/safestack_relacy.i reuse jobs
    echo "safestack, unwind 1, rounds 2, tiles of 6 points, 40 instances:"
    line '%-9s %7s %10s %10s %10s %18s' kept workers instances seconds computing "a second computing"
    for reuse in solver formula nothing; do
        for jobs in 1 2; do
            swarm_run "$seconds" "$file" -m32 --property assertion --unwind 1 --rounds 2 --tile-size 6 \
                --instances 40 --keep-going --jobs "$jobs" --reuse "$reuse" || continue
            awk -v reuse="$reuse" -v jobs="$jobs" -v safe="$(field 4 safe)" -v wall="$(field 4 wall_seconds)" \
                -v cpu="$(field 4 cpu_seconds)" 'BEGIN {
                    printf "%-9s %7d %10d %10.2f %10.2f %18.2f\n", reuse, jobs, safe, wall, cpu, safe / cpu }'
        done
    done
}

swarm_table() {
    echo "Swarms beside the paper's Fig. 5, $seconds s each:"
    has_corpus || return 0
    swarm_figure
    echo
    swarm_alone
    echo
    swarm_throughput
}
