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

explicit_format='%-16s │ %-13s %-14s %10s %11s %9s %7s %8s'

explicit_row() {
    local columns
    read -ra columns <<<"$(explicit_measure "${@:3}")"
    line "$explicit_format" "$1" "$2" "${columns[@]}"
}

# One program: as it is, with each reduction more or less, with two workers, with less memory.
explicit_rows() {
    local name=$1
    shift
    explicit_row "$name" '' "$@"
    explicit_row '' 'no merging' "$@" --no-merging
    explicit_row '' 'supersteps' "$@" --supersteps
    explicit_row '' 'no symmetry' "$@" --symmetry=never
    explicit_row '' '2 jobs' "$@" --jobs 2
    explicit_row '' 'compact' "$@" --store compact
    explicit_row '' 'compact, disk' "$@" --store compact --frontier disk
}

# SPIN on the same algorithm, written for it by hand: name, and the file under bench/promela. Safety only, collapse
# compression; its own partial-order reduction is on.
explicit_spin_row() {
    local out=$scratch/spin.out verdict states seconds memory
    (cd "$scratch" && spin -a "$OLDPWD/bench/promela/$2.pml" && cc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c) >"$out" 2>&1 || {
        line "$explicit_format" "$1" SPIN failed - - - - -
        return
    }
    # A verifier writes its trail into the folder that it runs in.
    (cd "$scratch" && timeout "$seconds_limit" ./pan -m2000000) >"$out" 2>&1 || true
    case $(sed -n 's/.*errors: \([0-9]*\).*/\1/p' "$out") in
        0) verdict=safe ;;
        '') verdict=unknown:time ;;
        *) verdict=unsafe ;;
    esac
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$out")
    seconds=$(sed -n 's/^pan: elapsed time \([0-9.e+]*\) seconds.*/\1/p' "$out")
    memory=$(sed -n 's/^ *\([0-9.]*\)\tactual memory usage for states.*/\1/p' "$out")
    line "$explicit_format" "$1" SPIN "$verdict" "${states:--}" \
        "$(sed -n 's/^ *\([0-9.e+]*\) transitions.*/\1/p' "$out")" \
        "$(quotient "${states:-0}" "${seconds:-0}" 0.05)" \
        "$(quotient "$(awk -v m="${memory:-0}" 'BEGIN { printf "%d", m * 1048576 }')" "${states:-0}")" "${seconds:--}"
}

explicit_table() {
    local program hard seconds_limit=$seconds columns=(verdict states transitions states/s B/state seconds)
    echo "Explicit search, one core unless it says jobs, $seconds s a run, and SPIN on the same algorithm."
    line "$explicit_format" program how "${columns[@]}"
    for program in bench/programs/*.c; do
        explicit_rows "$(basename "$program" .c)" "$program"
        [ ! -f "bench/promela/$(basename "$program" .c).pml" ] || ! command -v spin >/dev/null ||
            explicit_spin_row '' "$(basename "$program" .c)"
    done
    has_corpus || return 0
    hard=$(find "$corpus" -name 'safestack_relacy.i' | sort | head -n 1)
    [ -z "$hard" ] || {
        explicit_rows safestack_relacy "$hard"
        # No bug ends it: so many states in so much time.
        explicit_row '' throughput "$hard" --property deadlock --preemptions 7
    }
    hard=$(find "$corpus" -name 'elimination_backoff_stack.i' | sort | head -n 1)
    [ -z "$hard" ] || {
        explicit_row elimination '' "$hard" -m32
        explicit_row '' '2 jobs' "$hard" -m32 --jobs 2
        # Without a bug, and without symmetry: how much a second worker helps a long search.
        explicit_row '' 'up to 1' "$hard" -m32 --preemptions 1 --symmetry=never
        explicit_row '' '2 jobs' "$hard" -m32 --preemptions 1 --symmetry=never --jobs 2
    }
}
