// check: unknown assumption
// args: --strict
// headline auto explicit lazy tree cbmc swarm: unknown (assumed: external variable `elsewhere` starts as zero)
// A variable that no file defines starts as zero, unless somebody asks for no assumptions.
#include <assert.h>

extern int elsewhere;

int main(void) {
    assert(elsewhere == 0);
    return 0;
}
