/* Peterson's filter lock for N processes, as in bench/programs/peterson_filter.c: one step an access. */
#ifndef N
#define N 4
#endif

byte level[N], last[N];
byte inside;

active [N] proctype enter() {
    byte here, other;
    bool found;
    do
    ::  here = 1;
        do
        :: here < N ->
            level[_pid] = here;
            last[here] = _pid;
again:      if
            :: last[here] != _pid -> goto passed
            :: else
            fi;
            d_step { other = 0; found = false }
            do
            :: other == N -> break
            :: other == _pid -> other++
            :: else ->
                if
                :: level[other] >= here -> found = true; break
                :: else -> other++
                fi
            od;
            if
            :: found -> goto again
            :: else
            fi;
passed:     here++
        :: else -> break
        od;
        inside++;
        assert(inside == 1);
        inside--;
        level[_pid] = 0
    od
}
