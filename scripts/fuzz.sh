#!/usr/bin/env bash
# Fuzzes every reader of text with libFuzzer, over the kept corpus, for SECONDS_ALL seconds in total (60 by default).
#   scripts/fuzz.sh [SECONDS_ALL [TARGET…]]
#
# cargo-fuzz needs a nightly compiler; the flags below are what it would add, without a sanitizer, and any compiler
# has them. Findings are left in target/fuzz/findings; move them to fuzz/corpus once they are fixed.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
targets=("$@")
if ((${#targets[@]} == 0)); then
    mapfile -t targets < <(ls fuzz/corpus)
fi

folder=${CARGO_TARGET_DIR:-$PWD/target}/fuzz
host=$(rustc -vV | sed -n 's/^host: //p')
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
flags+=" -Cllvm-args=-sanitizer-coverage-trace-compares"
# With --target the flags are for our code alone, not for build scripts.
RUSTFLAGS="${RUSTFLAGS:-} $flags" CARGO_TARGET_DIR=$folder \
    cargo build --release --target "$host" --manifest-path fuzz/Cargo.toml

each=$(((seconds + ${#targets[@]} - 1) / ${#targets[@]}))
findings=$folder/findings
for target in "${targets[@]}"; do
    grown=$folder/corpus/$target
    mkdir -p "$grown" "$findings"
    echo "fuzzing $target for $each seconds"
    "$folder/$host/release/$target" -max_total_time="$each" -timeout=20 -rss_limit_mb=4096 -verbosity=0 \
        -print_final_stats=1 -artifact_prefix="$findings/$target-" "$grown" "fuzz/corpus/$target" ||
        { echo "a reader failed on a file in $findings; $target is its target" >&2; exit 1; }
done
