// check: safe
// assumption: the environment is empty
// assumption: clocks stand still, or go on in at most three steps where they are read more than once
// headline auto explicit lazy tree: safe
// headline cbmc: safe within bounds (unwind 1 complete, rounds 2)
// headline swarm: safe within bounds (unwind 2 complete, rounds 2, all 1 selection of 2 tiles of size 1)
// headline auto explicit lazy tree cbmc swarm --strict: unknown (assumed: the environment is empty; clocks stand still, or go on in at most three steps where they are read more than once)
// The environment is empty and the clock is read once: both are said.
#include <assert.h>
#include <stdlib.h>
#include <time.h>

int main(void) {
    assert(getenv("DEBUG") == NULL);
    assert(time(NULL) > 0);
    return 0;
}
