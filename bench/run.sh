#!/usr/bin/env bash
# The measurements. Usage: run.sh SELVEDGE [SECONDS [TABLE...]]
#
# Prints the tables explicit, dpor, pancam, abstraction, cav2014, rounds, reductions, code, memory_models, swarm, tree, spin, proofs,
# races and suite, or only those that are named; workers is a part of swarm.
# Measurements that need the corpus are skipped if there is none beside the project. Leaves nothing behind.
#
# BENCH_LONGEST: the time limit of the longest run, that of fib_bench_longest in the table cav2014; 600 seconds
# if it is not set, and 0 skips the run. BENCH_CORPUS: where the corpus is instead.
set -euo pipefail
export LC_ALL=C

selvedge=$(realpath "$1")
seconds=${2:-60}
tables=("${@:3}")
[ ${#tables[@]} -gt 0 ] || tables=(explicit dpor pancam abstraction cav2014 rounds reductions code memory_models swarm tree spin proofs races suite)
cd "$(dirname "$0")/.."
corpus=${BENCH_CORPUS:-../shared/corpus}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

. bench/lib.sh
. bench/explicit.sh
. bench/dpor.sh
. bench/pancam.sh
. bench/abstraction.sh
. bench/cav2014.sh
. bench/lazy.sh
. bench/code_to_code.sh
. bench/memory_models.sh
. bench/swarm.sh
. bench/tree.sh
. bench/spin.sh
. bench/proofs.sh
. bench/races.sh

suite_table() {
    echo "The set sv-benchmarks, 10 s a task:"
    has_corpus || return 0
    "$selvedge" suite "$corpus/INDEX.tsv" --set sv-benchmarks --time-limit 10 || true
}

for table in "${tables[@]}"; do
    "${table}_table"
    echo
done
