// check: safe-within-bounds
// args: --property assertion
// assumption: runs end at the undefined arithmetic at division_unasked.c:16, which was not checked
// headline auto explicit lazy tree: safe within bounds (runs were seen to end only at the undefined arithmetic at division_unasked.c:16, which was not checked)
// headline cbmc: unknown (nothing was checked: no check is reachable within unwind 1 complete, rounds 2)
// headline swarm: unknown (nothing was checked: no check is reachable within unwind 2 complete, rounds 2)
// headline auto explicit lazy tree --strict: unknown (assumed: runs end at the undefined arithmetic at division_unasked.c:16, which was not checked)
// headline cbmc --strict: unknown (nothing was checked: no check is reachable within unwind 1 complete, rounds 2)
// headline explicit --supersteps: safe within bounds (runs were seen to end only at the undefined arithmetic at division_unasked.c:16, which was not checked)
// No run gets past the division by zero.
#include <assert.h>

int zero;

int main(void) {
    int x = 7 / zero;
    assert(x == 0);
}
