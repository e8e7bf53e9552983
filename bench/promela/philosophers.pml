/* Four philosophers who reach for the left fork first, as in bench/programs/philosophers.c: deadlock. */
#define N 4
bool taken[N];

active [N] proctype dine() {
    do
    ::  atomic { !taken[_pid] -> taken[_pid] = true };
        atomic { !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = true };
        taken[(_pid + 1) % N] = false;
        taken[_pid] = false
    od
}
