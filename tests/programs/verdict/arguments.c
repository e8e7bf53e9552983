// check: safe
// assumption: the program is run without arguments: argc is 1
// headline auto explicit: safe (warning: nothing was asserted: no run got to the assertion at arguments.c:14)
// headline lazy tree: safe
// headline cbmc: safe within bounds (unwind 1 complete, rounds 2)
// headline swarm: safe within bounds (unwind 2 complete, rounds 2, all 1 selection of 2 tiles of size 1)
// headline auto explicit lazy tree cbmc swarm --strict: unknown (assumed: the program is run without arguments: argc is 1)
// The program wants two arguments and gets none: what it does with them was not looked at.
#include <assert.h>

int main(int argc, char **argv) {
    if (argc != 3)
        return 1;
    assert(argv[1][0] != 'x');
}
