// check: safe
// args: --strict
// headline auto explicit lazy tree: safe
// headline cbmc: safe within bounds (unwind 1 complete, rounds 2)
// headline swarm: safe within bounds (unwind 2 complete, rounds 2, all 1 selection of 2 tiles of size 1)
// A function of the program's own is no assumption of ours.
#include <assert.h>

char *getenv(const char *name) {
    return name[0] == 'H' ? "/root" : 0;
}

int main(void) {
    assert(getenv("HOME")[0] == '/');
    return 0;
}
