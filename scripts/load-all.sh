#!/usr/bin/env bash
# Checks that every program of a table of tasks loads. Usage: load-all.sh SELVEDGE INDEX.tsv [SET]
#
# Prints each rejected program with the reason, then their number. Programs that clang itself rejects
# are counted separately: that is no limit of ours.
set -euo pipefail

selvedge=$1
index=$2
set_name=${3:-}
root=$(dirname "$index")

load_one() {
    local path=$1 model=$2 message
    if message=$("$selvedge" check "$root/$path" --data-model "$model" --emit program 2>&1 >/dev/null); then
        echo "loaded"
    elif [[ $message == *"does not compile"* ]]; then
        echo "uncompilable $path"
    else
        echo "refused $path: $(head -n 2 <<<"$message" | tr '\n' ' ')"
    fi
}
export -f load_one
export selvedge root

results=$(awk -F'\t' -v set_name="$set_name" 'NR > 1 && index($1, set_name) == 1 { print $2; print $4 }' "$index" |
    tr '\n' '\0' | xargs -0 -n 2 -P "$(nproc)" bash -c 'load_one "$@"' load_one | sort)
grep '^refused' <<<"$results" || true
awk '{ n[$1]++ } END { printf "LOAD: %d loaded, %d refused, %d that clang does not compile\n", n["loaded"], n["refused"], n["uncompilable"] }' <<<"$results"
