// check: unsafe assertion
// args: --strict
// headline auto explicit lazy tree cbmc swarm: unsafe (assertion at arguments_bug.c:8)
// Without arguments it is wrong already: that needs no assumption.
#include <assert.h>

int main(int argc, char **argv) {
    assert(argc > 1); //~ violation
    return argv[1][0];
}
