# shellcheck shell=bash disable=SC2154
# Proofs without bounds: the correct programs of sv-benchmarks whose threads or loops have no end in most, by the engine `prove`.

proofs_format='%-46s │ %-16s %8s  %s'

proofs_row() {
    check "$seconds" "$corpus/$1" --engine prove --property assertion -m32 || return 0
    line "$proofs_format" "${1#*/c/}" "$(verdict)" "$(search_seconds)" \
        "$(sed -n 's/^proof: by \([^,;]*\).*/\1/p' "$scratch/out")"
}

proofs_table() {
    echo "Proofs without bounds, $seconds s a run:"
    has_corpus || return 0
    line "$proofs_format" program verdict seconds technique
    local programs program
    mapfile -t programs < <(awk -F '\t' '$3 == "unreach-call=true" && $2 ~ "/pthread-(ext|lit|nondet)/|/stack_longest-2"' \
        OFS='\t' "$corpus/INDEX.tsv" | cut -f 2)
    for program in "${programs[@]}"; do
        proofs_row "$program"
    done
}
