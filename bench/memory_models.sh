# shellcheck shell=bash disable=SC2154
# Memory models: the programs below crates/to_c/tests/weak say under which models they go wrong. Beside that, CBMC with its
# own memory models (Alglave, Kroening, Tautschnig, CAV 2013), and our C for CBMC.
#
# CBMC's own concurrency takes no pointers and no C11 atomics: threads become calls behind labels, atomics become accesses with
# fences. Three differences are known. A store with a fence before it keeps its order with later stores, too, which a
# release store does not (behind_a_release_store). A union is one location there, which each store to a part of it reads
# and writes: parts_apart never goes wrong, and parts_of_a_word even under sc.

memory_models_header() {
    cat <<'HEADER'
#define FULL __CPROVER_fence("WWfence", "RRfence", "RWfence", "WRfence")
#define STORES __CPROVER_fence("WWfence", "RRfence", "RWfence")
#define atomic_int int
enum { memory_order_relaxed, memory_order_acquire, memory_order_release, memory_order_seq_cst };
#define atomic_load_explicit(p, order) (*(p))
#define atomic_store_explicit(p, v, order) do { if (order == memory_order_release) { STORES; } *(p) = (v); } while (0)
#define atomic_thread_fence(order) do { if (order == memory_order_seq_cst) { FULL; } else if (order == memory_order_release) { STORES; } } while (0)
#define atomic_exchange_explicit(p, v, order) do { FULL; __CPROVER_atomic_begin(); *(p) = (v); __CPROVER_atomic_end(); FULL; } while (0)
_Bool done_1, done_2;
HEADER
}

# The program for CBMC's own concurrency. False if it uses what has no counterpart there.
memory_models_translate() {
    if grep -q 'pthread_mutex\|compare_exchange\|malloc\|memset\|pthread_create(&other' "$1" ||
        grep -q atomic_int "$1" && ! grep -q _explicit "$1"; then
        return 1
    fi
    memory_models_header
    sed -e '/#include <\(pthread\|stdatomic\).h>/d' -e '/pthread_t/d' \
        -e 's/pthread_create(&threads\[[01]\], 0, thread_\([12]\), 0);/__CPROVER_ASYNC_\1: thread_\1(0);/' \
        -e 's/pthread_join(threads\[0\], 0);/__CPROVER_assume(done_1);/' \
        -e 's/pthread_join(threads\[1\], 0);/__CPROVER_assume(done_2); FULL;/' \
        -e '/^static void \*thread_1/,/^}/s/return unused;/FULL; done_1 = 1; return unused;/' \
        -e '/^static void \*thread_2/,/^}/s/return unused;/FULL; done_2 = 1; return unused;/' "$1"
}

memory_models_own() {
    local said
    memory_models_translate "$1" >"$scratch/own.c" || {
        echo -
        return
    }
    said=$(timeout "$seconds" "${CBMC:-cbmc}" --mm "$2" "$scratch/own.c" 2>&1) || true
    case "$said" in
        *"VERIFICATION FAILED"*) echo unsafe ;;
        *"VERIFICATION SUCCESSFUL"*) echo safe ;;
        *) echo refused ;;
    esac
}

# Name, file in the corpus, memory model, unwind, rounds; Lazy-CSeq's seconds and megabytes for all schedules (T. L. Nguyen, P.
# Schrammel, B. Fischer, S. La Torre, G. Parlato: Parallel Bug-finding in Concurrent Programs via Reduced Interleaving
# Instances, ASE 2017, Fig. 5 and VI.C), and the least seconds of a buggy instance of VeriSmart's with the percentage
# of such among the largest tiles. The paper has no eliminationstack with store buffers. In the corpus's text of safestack all
# stores but one are in atomic sections, which drain, so the bugs that the paper finds in three rounds are not there:
# a swarm that looks at everything takes 30 s on cores to say so under pso.
memory_models_stacks() {
    cat <<'END_OF_TABLE'
safestack        pthread-complex/safestack_relacy.i          sc  3 4 24139 6632 195.6 10.20
safestack        pthread-complex/safestack_relacy.i          tso 3 3 11005 4300 none 0
safestack        pthread-complex/safestack_relacy.i          pso 3 3  4777 3708 593.5 26.85
eliminationstack pthread-complex/elimination_backoff_stack.i sc  1 2 46764 4204 34.9 69.01
eliminationstack pthread-complex/elimination_backoff_stack.i tso 1 2 - - - -
eliminationstack pthread-complex/elimination_backoff_stack.i pso 1 2 - - - -
END_OF_TABLE
}

memory_models_stack_format='%-17s %-5s │ %-21s %8s %10s │ %-21s %8s │ %8s %6s %8s %6s'

memory_models_stacks_table() {
    local name file model unwind rounds paper exact states swarm
    echo "Stacks under memory models: the explicit search, a swarm (seconds on cores), Lazy-CSeq and VeriSmart; $((3 * seconds)) s at most:"
    line "$memory_models_stack_format" program model explicit s states swarm s s MB least share
    memory_models_stacks | while read -r name file model unwind rounds paper; do
        file=$corpus/sv-benchmarks/c/$file
        [ -f "$file" ] || continue
        exact=- states=- swarm=-
        if check $((3 * seconds)) "$file" -m32 --engine explicit --property assertion --memory-model "$model"; then
            exact="$(verdict) $(search_seconds)" states=$(field 4 states)
        fi
        computing=-
        ! swarm_run $((3 * seconds)) "$file" --unwind "$unwind" --rounds "$rounds" --memory-model "$model" ||
            swarm=$(verdict)
        # shellcheck disable=SC2086 # columns
        line "$memory_models_stack_format" "$name" "$model" "${exact% *}" "${exact##* }" "$states" "$swarm" "$computing" $paper
    done
}

memory_models_table() {
    local program name model expected ours
    echo "Memory models: what is expected, CBMC's own models, our C for CBMC (3 rounds):"
    printf '%-32s %-5s %-8s %-8s %-8s\n' program model expected own ours
    for program in crates/to_c/tests/weak/*.c; do
        name=$(basename "$program" .c)
        for model in sc tso pso; do
            expected=safe
            ! head -n 1 "$program" | grep -qw "$model" || expected=unsafe
            ours=failed
            ! check "$seconds" "$program" --engine cbmc --memory-model "$model" --rounds 3 --unwind 2 || ours=$(verdict)
            printf '%-32s %-5s %-8s %-8s %-8s\n' "$name" "$model" "$expected" \
                "$(memory_models_own "$program" "$model")" "${ours%-within-bounds}"
        done
    done
    ! has_corpus || {
        echo
        memory_models_stacks_table
    }
}
