// check: safe
// args: --strict
// headline auto explicit lazy tree: safe
// headline cbmc: safe within bounds (unwind 1 complete, rounds 2)
// headline swarm: safe within bounds (unwind 2 complete, rounds 2, all 1 selection of 2 tiles of size 1)
// Parameters that main does not read are no assumption.
#include <assert.h>

int x;

int main(int argc, char **argv) {
    argc = 2;
    assert(x == 0);
    return 0;
}
