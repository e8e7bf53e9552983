# shellcheck shell=bash disable=SC2154
# Swarms beside the numbers of T. L. Nguyen, P. Schrammel, B. Fischer, S. La Torre, G. Parlato: Parallel
# Bug-finding in Concurrent Programs via Reduced Interleaving Instances (ASE 2017), Fig. 5.
#
# Seconds are those on a core: they do not depend on what else the machine does. The paper has 8,000 instances of
# each tile size and lets each take hours; we have a few, and minutes. BENCH_INSTANCES: how many of each size.

# Name, file in the corpus, unwind, rounds (which is also the number of tiles); of the paper: seconds and megabytes
# of one schedule, and of all at once.
swarm_programs() {
    cat <<'END_OF_TABLE'
eliminationstack pthread-complex/elimination_backoff_stack.i 1 2 80.8 661 46764 4204
safestack        pthread-complex/safestack_relacy.i          3 4 55.4 700 24139 6632
END_OF_TABLE
}

# Name, tile size; of the paper: percentage of buggy instances, their least, most and average seconds, megabytes on
# average.
swarm_sizes() {
    cat <<'END_OF_TABLE'
eliminationstack 12 38.33  34.9  4753.6 1116.3 1018
eliminationstack 14 61.38  39.7  7195.2 2169.5 1096
eliminationstack 18 69.01  37.1 10762.0 3162.4 1157
safestack        11  1.26 195.6  2662.6 1172.2  929
safestack        14  2.14 574.8  3521.8 1851.1 1147
safestack        20 10.20 313.0 10315.8 2167.5 1230
END_OF_TABLE
}

# Runs a swarm for at most so many seconds. The result is in $scratch/result.json, and what the whole command took
# of cores in $computing.
swarm_run() {
    local limit=$1 TIMEFORMAT=%U
    shift
    rm -f "$scratch/result.json"
    {
        time "$selvedge" swarm "$@" -m32 --property assertion --time-limit "$limit" --json "$scratch/result.json" \
            </dev/null >"$scratch/out" 2>&1 || true
    } 2>"$scratch/time"
    computing=$(cat "$scratch/time")
    [ ! -s "$scratch/result.json" ] || return 0
    printf 'bench: no result for %s:\n' "$*" >&2
    cat "$scratch/out" >&2
    return 1
}

# The least, greatest or mean CPU time of buggy instances.
of_buggy() {
    sed -n "/\"cpu_seconds_of_buggy\": {/,/}/s/^ *\"$1\": \([0-9.e-]*\),\{0,1\}\$/\1/p" "$scratch/result.json" |
        head -n 1 | awk '{ printf "%.1f", $1 } END { if (!NR) printf "-" }'
}

swarm_format='%-17s %-6s %5s %6s %6s │ %6s %7s %7s %7s %6s │ %6s %7s %8s %8s %6s'

swarm_row() {
    local name=$1 tile=$2 safe buggy late
    shift 2
    safe=$(field 4 safe) buggy=$(field 4 buggy) late=$(field 4 timed_out)
    line "$swarm_format" "$name" "$tile" "$safe" "$buggy" "$late" \
        "$(awk -v b="$buggy" -v n=$((safe + buggy + late)) 'BEGIN { printf n ? "%.1f" : "-", n ? 100 * b / n : 0 }')" \
        "$(of_buggy least)" "$(of_buggy most)" "$(of_buggy mean)" "$(field 4 peak_megabytes)" "$@"
}

swarm_figure() {
    local instances=${BENCH_INSTANCES:-4}
    echo "Buggy instances: their share, seconds on a core, megabytes (ours share one formula; the whole process); the paper's:"
    line "$swarm_format" program tile safe buggy late share least most mean MB share least most mean MB
    swarm_programs | while read -r name file unwind rounds one one_mb all all_mb; do
        [ -f "$corpus/sv-benchmarks/c/$file" ] || continue
        local command=("$corpus/sv-benchmarks/c/$file" --unwind "$unwind" --rounds "$rounds" --keep-going)
        swarm_run $((3 * seconds)) "${command[@]}" --tile-size 100000 --jobs 1 &&
            swarm_row "$name" all - "$all" "$all" "$all" "$all_mb"
        # As good as one schedule: each thread stops at so many points as there are rounds.
        swarm_run "$seconds" "${command[@]}" --tile-size 1 --instances "$instances" &&
            swarm_row "$name" 1 - "$one" "$one" "$one" "$one_mb"
        swarm_sizes | while read -r of size share least most mean megabytes; do
            [ "$of" = "$name" ] || continue
            swarm_run $((instances * seconds)) "${command[@]}" --tile-size "$size" --instances "$instances" \
                --instance-time-limit "$seconds" &&
                swarm_row "$name" "$size" "$share" "$least" "$most" "$mean" "$megabytes"
        done
    done
}

# Without a tile size: how long does it take to find the bug?
swarm_alone() {
    echo "The same without a tile size, $((3 * seconds)) s at most: verdict, seconds, seconds on cores"
    swarm_programs | while read -r name file unwind rounds _; do
        [ -f "$corpus/sv-benchmarks/c/$file" ] || continue
        swarm_run $((3 * seconds)) "$corpus/sv-benchmarks/c/$file" --unwind "$unwind" --rounds "$rounds" || continue
        line '%-17s %-20s %8.1f %8.1f' "$name" "$(verdict)" "$(field 4 wall_seconds)" "$computing"
    done
}

# The number of instances per second on a core: with one solver for all, with a new one for each, and with a
# translation of its own for each.
swarm_throughput() {
    local file=$corpus/sv-benchmarks/c/pthread-complex/safestack_relacy.i reuse
    echo "safestack, unwind 2, rounds 3, tiles of 8 points, 20 instances; seconds on cores, all of the command in brackets:"
    line '%-9s %10s %10s %10s %10s %12s' kept instances seconds computing "(all)" "per second"
    for reuse in solver formula nothing; do
        swarm_run $((3 * seconds)) "$file" --unwind 2 --rounds 3 --tile-size 8 --instances 20 --keep-going \
            --jobs 1 --reuse "$reuse" || continue
        awk -v reuse="$reuse" -v safe="$(field 4 safe)" -v wall="$(field 4 wall_seconds)" \
            -v cpu="$(field 4 cpu_seconds)" -v all="$computing" 'BEGIN {
                printf "%-9s %10d %10.2f %10.2f %10s %12.2f\n", reuse, safe, wall, cpu, "(" all ")",
                    safe / (cpu > 0 ? cpu : 1e-9) }'
    done
}

# The kind of runner and the program; the rest is the command line. All instances of the bounded buffer
# are buggy, so that there is little to learn from one for the next.
swarm_kinds() {
    cat <<'END_OF_TABLE'
solver   safestack_relacy --unwind 3 --rounds 3 --tile-size 11 --instances 60
harder   safestack_relacy --unwind 3 --rounds 4 --tile-size 14 --instances 8
buggy    bounded_buffer   --unwind 2 --rounds 3 --tile-size 10 --instances 2400
formula  safestack_relacy --unwind 2 --rounds 3 --tile-size 8 --instances 24 --reuse formula
nothing  safestack_relacy --unwind 3 --rounds 4 --tile-size 14 --instances 8 --reuse nothing
explicit safestack_relacy --engine explicit --unwind 2 --tiles 2 --tile-size 8 --instances 20
cbmc     safestack_relacy --engine cbmc --unwind 1 --rounds 2 --tile-size 8 --instances 12
END_OF_TABLE
}

# The effect of a second worker. If other programs use the cores as well, only the last column is meaningful:
# twice the seconds on a core of one worker, by those of two together.
swarm_workers() {
    echo "One worker, two workers: instances done, seconds by the clock, seconds on cores; what cores of their own would give"
    line '%-9s %5s %5s │ %8s %8s %6s │ %8s %8s %6s' kind one two one two ratio one two ratio
    swarm_kinds | while read -r kind program arguments; do
        [ "$kind" != cbmc ] || command -v "${CBMC:-cbmc}" >/dev/null || continue
        local done=() wall=() cpu=() jobs
        for jobs in 1 2; do
            # shellcheck disable=SC2086 # words of a command line
            swarm_run $((5 * seconds)) "$corpus/sv-benchmarks/c/pthread-complex/$program.i" $arguments --keep-going \
                --jobs "$jobs" || continue 2
            done+=($(($(field 4 safe) + $(field 4 buggy)))) wall+=("$(field 4 wall_seconds)") cpu+=("$computing")
        done
        awk -v kind="$kind" -v done="${done[*]}" -v wall="${wall[*]}" -v cpu="${cpu[*]}" 'BEGIN {
            split(done, d, " "); split(wall, w, " "); split(cpu, c, " ")
            printf "%-9s %5d %5d │ %8.1f %8.1f %6.2f │ %8.1f %8.1f %6.2f\n", kind, d[1], d[2], w[1], w[2], w[1] / w[2],
                c[1], c[2], 2 * c[1] / c[2] }'
    done
}

swarm_table() {
    echo "Swarms beside the paper's Fig. 5, $seconds s an instance:"
    has_corpus || return 0
    swarm_figure
    echo
    swarm_alone
    echo
    swarm_throughput
    echo
    swarm_workers
}

# The last part of it alone.
workers_table() {
    has_corpus || return 0
    swarm_workers
}
