// check: unsafe assertion
// headline explicit lazy tree cbmc spin swarm: unsafe (assertion at call_result_truth.c:15)
// The result of a function that is called by a pointer of another type is converted to the type that the caller expects;
// a truth value is compared with zero.
#include <assert.h>

int two(void) { return 2; }
int many(void) { return 300; }

int main(void) {
    _Bool (*volatile truth)(void) = (_Bool (*)(void))two;
    unsigned char (*volatile byte)(void) = (unsigned char (*)(void))many;
    assert(byte() == 44);
    if (truth())
        assert(0); //~ violation
    return 0;
}
