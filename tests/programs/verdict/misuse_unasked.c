// check: safe-within-bounds
// args: --property assertion
// assumption: runs end at the misuse of memory at misuse_unasked.c:18, which was not checked
// headline auto explicit lazy tree: safe within bounds (runs were seen to end only at the misuse of memory at misuse_unasked.c:18, which was not checked)
// headline cbmc: unknown (nothing was checked: no check is reachable within unwind 1 complete, rounds 2)
// headline swarm: unknown (nothing was checked: no check is reachable within unwind 2 complete, rounds 2)
// headline auto explicit lazy tree --strict: unknown (assumed: runs end at the misuse of memory at misuse_unasked.c:18, which was not checked)
// headline cbmc --strict: unknown (nothing was checked: no check is reachable within unwind 1 complete, rounds 2)
// headline explicit --supersteps: safe within bounds (runs were seen to end only at the misuse of memory at misuse_unasked.c:18, which was not checked)
// No run gets to the assertion: all end at a misuse that nobody asked about.
#include <assert.h>

int a[4];
int *volatile somewhere = a;

int main(void) {
    int *p = somewhere;
    p[5] = 1;
    assert(0);
}
