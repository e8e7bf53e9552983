# shellcheck shell=bash disable=SC2154
# Code to code: CBMC on the C that we print, with and without intervals, CBMC's own concurrency, and our engine,
# side by side in one run, on the same programs and at the same bounds.

code_format='%-22s %3s %3s │ %6s %7s %6s │ %-7s %9s %9s %7s │ %-7s %9s %9s %7s │ %-7s %9s %9s %7s │ %-7s %9s %9s %7s'

# One word and three numbers, printed by the command after the name. A tool that did not end within the limit is not
# run with more rounds: $hopeless has the names.
code_unless_hopeless() {
    local name=$1 answer
    shift
    case " $hopeless " in *" $name "*)
        echo "later - - -"
        return
        ;;
    esac
    answer=$("$@")
    echo "$answer"
}

# Whether an answer, in columns like those of code_measure, came too late.
code_too_late() {
    [ "$2" = unknown ] && awk -v took="$5" -v limit="$seconds" 'BEGIN { exit !(took >= 0.9 * limit) }' && hopeless+=" $1"
    return 0
}

# One word and three numbers: the verdict, variables, clauses and seconds of a check.
code_measure() {
    check "$seconds" "$@" || {
        echo "failed - - -"
        return
    }
    local verdict
    verdict=$(verdict)
    echo "${verdict%% *} $(field 4 variables) $(field 4 clauses) $(search_seconds)" | sed 's/safe-within-bounds/safe/; s/unknown:nothing-checked/vacuous/; s/unknown:[a-z_-]*/unknown/'
}

# The verdict, variables, clauses and seconds of CBMC on the threads themselves. A rejected program counts, too.
code_native() {
    local started=$EPOCHREALTIME answer=unknown
    timeout "$seconds" cbmc "$1" --32 --unwind "$(($2 + 1))" --no-unwinding-assertions --no-standard-checks \
        --verbosity 8 </dev/null >"$scratch/native" 2>&1 || true
    grep -q 'VERIFICATION SUCCESSFUL' "$scratch/native" && answer=safe
    grep -q 'VERIFICATION FAILED' "$scratch/native" && answer=unsafe
    grep -qi 'unsound' "$scratch/native" && answer=refused
    awk -v answer="$answer" -v from="$started" -v to="$EPOCHREALTIME" '
        / variables, .* clauses/ && !size { size = $1 " " $3 }
        END { printf "%s %s %.2f\n", answer, size ? size : "- -", to - from }
    ' "$scratch/native"
}

code_row() {
    local name=$1 path=$2 unwind=$3 rounds=$4 lines bits
    local bounds=(--unwind "$unwind" --rounds "$rounds") of=(-m32 --property assertion)
    local wide narrow native ours
    if [ ! -f "$path" ]; then
        return
    fi
    lines=$("$selvedge" sequentialize "$path" "${of[@]}" "${bounds[@]}" --backend cbmc 2>/dev/null | wc -l)
    read -ra wide <<<"$(code_unless_hopeless wide code_measure "$path" "${of[@]}" "${bounds[@]}" --engine cbmc --no-intervals)"
    read -ra narrow <<<"$(code_unless_hopeless narrow code_measure "$path" "${of[@]}" "${bounds[@]}" --engine cbmc)"
    read -ra native <<<"$(code_unless_hopeless native code_native "$path" "$unwind")"
    read -ra ours <<<"$(code_unless_hopeless ours code_measure "$path" "${of[@]}" "${bounds[@]}" --engine lazy)"
    code_too_late wide "${wide[@]}"
    code_too_late narrow "${narrow[@]}"
    code_too_late native "${native[@]}"
    code_too_late ours "${ours[@]}"
    bits=("$(field 4 bits)" "$(field 4 bits_needed)")
    line "$code_format" "$name" "$unwind" "$rounds" "$lines" "${bits[@]}" "${wide[@]}" "${narrow[@]}" "${native[@]}" "${ours[@]}"
    echo "${wide[0]} ${wide[3]} ${narrow[0]} ${narrow[3]} ${native[0]} ${native[3]} ${ours[0]} ${ours[3]}" >>"$scratch/code"
}

code_head() {
    line "$code_format" "" "" "" "" bits "" "CBMC, our C" "" "" "" "and intervals" "" "" "" "CBMC, threads" "" "" "" "our engine" "" "" ""
    local columns=(variables clauses seconds)
    line "$code_format" program u K lines declared needed answer "${columns[@]}" answer "${columns[@]}" answer "${columns[@]}" answer "${columns[@]}"
}

# The ratio of CBMC's time to ours, where CBMC takes more than a second; a run without an answer counts with its time,
# and not at all if the other has no answer either.
code_ratio() {
    awk '
        $2 + 0 > 1 && $8 != "-" && !($1 == "unknown" && $7 == "unknown") { wide += log($2 / ($8 > 0.01 ? $8 : 0.01)); n++ }
        $4 + 0 > 1 && $8 != "-" && !($3 == "unknown" && $7 == "unknown") { narrow += log($4 / ($8 > 0.01 ? $8 : 0.01)); m++ }
        $2 != "-" && $4 != "-" && $2 + 0 > 1 { gain += log($2 / ($4 > 0.01 ? $4 : 0.01)); k++ }
        END {
            if (n) printf "CBMC on our C takes %.1f times as long as our engine (geometric mean of %d runs over a second)", exp(wide / n), n
            if (m) printf "; with intervals %.1f times (%d runs)", exp(narrow / m), m
            if (k) printf "; intervals make CBMC %.2f times as fast", exp(gain / k)
            if (n || m) print "."
        }
    ' "$scratch/code"
}

# Safe programs of the corpus, at unwind 1, 2, 4, 8 and 1 to 6 rounds.
code_safe_programs() {
    cat <<'END'
stateful01-2   pthread/stateful01-2.i
sync01         pthread/sync01.i
indexer        pthread/indexer.i
stack-1        pthread/stack-1.i
queue_ok       pthread/queue_ok.i
peterson       pthread-atomic/peterson.i
szymanski      pthread-atomic/szymanski.i
gcd            pthread-atomic/gcd-2.i
25_stack       pthread-ext/25_stack.i
END
}

# A program translated by us and by hand.
code_by_hand() {
    local rounds file by_hand=bench/code_to_code/producer_consumer_by_hand.c
    echo "A producer/consumer program in C of ours, and sequentialized by hand after the paper, both for CBMC:"
    line '%-7s %9s %9s %7s │ %9s %9s %7s' rounds variables clauses seconds "by hand" clauses seconds
    for rounds in 1 2 3 4 5 6; do
        "$selvedge" sequentialize bench/code_to_code/producer_consumer.c --property assertion --unwind 2 --rounds "$rounds" \
            --backend cbmc -o "$scratch/ours.c" 2>/dev/null
        local columns=()
        for file in "$scratch/ours.c" "$by_hand"; do
            cbmc "$file" -DROUNDS="$rounds" --unwind 7 --no-standard-checks --slice-formula --stop-on-fail \
                --verbosity 8 </dev/null >"$scratch/cbmc" 2>&1 || true
            read -ra sizes < <(awk '
                / variables, .* clauses/ && !size { size = $1 " " $3 }
                /Runtime (Symex|Convert SSA|Solver|decision procedure)/ { sub("s$", "", $NF) }
                /Runtime Symex/ || /Runtime decision procedure/ { seconds += $NF }
                END { printf "%s %.2f\n", size, seconds }
            ' "$scratch/cbmc")
            columns+=("${sizes[@]}")
        done
        line '%-7s %9s %9s %7s │ %9s %9s %7s' "$rounds" "${columns[@]}"
    done
}

code_table() {
    local row unwind rounds
    echo "Code to code: lines of C, bits of state, and CBMC on it beside CBMC on the threads and our engine; $seconds s a run."
    command -v cbmc >/dev/null || {
        echo "CBMC is not installed: this is left out."
        return 0
    }
    code_by_hand
    echo
    has_corpus || return 0
    code_head
    while read -ra row; do
        hopeless=
        code_row "${row[0]}" "$corpus/sv-benchmarks/c/${row[1]}" "${row[2]}" "${row[3]}"
    done < <(cav2014_programs)
    while read -ra row; do
        for unwind in ${BENCH_UNWINDINGS:-1 2 4 8}; do
            hopeless=
            for rounds in ${BENCH_ROUNDS:-1 2 3 4 5 6}; do
                code_row "${row[0]}" "$corpus/sv-benchmarks/c/${row[1]}" "$unwind" "$rounds"
            done
        done
    done < <(code_safe_programs)
    code_ratio
}
