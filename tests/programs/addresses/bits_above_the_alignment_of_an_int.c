// check: unsafe assertion
// check -DPROMISED: safe
#include <assert.h>
#include <stdint.h>

#ifdef PROMISED
enum { MASK = 3 };
#else
enum { MASK = 15 };
#endif

int main(void) {
    int x;
    assert(((uintptr_t)&x & MASK) == 0); //~ violation
    return 0;
}
