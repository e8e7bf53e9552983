#!/usr/bin/env bash
# The pictures of the book: pages of runs as a browser without a screen shows them. Usage: pictures.sh SELVEDGE
#
# CHROMIUM names the browser, if it is not called chromium.
set -euo pipefail

selvedge=$(realpath "$1")
cd "$(dirname "$0")/.."
browser=${CHROMIUM:-chromium}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# picture NAME HEIGHT CHECK-ARGUMENTS...
picture() {
    local name=$1 height=$2
    shift 2
    "$selvedge" check -q "$@" --report html="$scratch/$name.html" >/dev/null || [ $? -eq 10 ]
    "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$scratch/profile" \
        --window-size="1040,$height" --virtual-time-budget=3000 \
        --screenshot="$PWD/docs/src/pictures/$name.png" "file://$scratch/$name.html" >/dev/null 2>&1
    ls -l "docs/src/pictures/$name.png"
}

picture assertion 620 examples/bank_transfer.c
picture deadlock 640 examples/dining_philosophers.c
picture race 330 examples/job_pool.c --property race
