// check: safe
// args: --property assertion --strict
// headline auto explicit lazy tree: safe
// headline cbmc: safe within bounds (unwind 1 complete, rounds 2)
// headline swarm: safe within bounds (unwind 2 complete, rounds 2, all 1 selection of 2 tiles of size 1)
// Nothing is misused, so that nothing is assumed, although nobody asked.
#include <assert.h>

int a[4];
int *volatile somewhere = a;

int main(void) {
    int *p = somewhere;
    p[3] = 1;
    assert(a[3] == 1);
    return 0;
}
