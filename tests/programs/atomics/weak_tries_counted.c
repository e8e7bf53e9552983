// check: unsafe assertion
// A loop that counts its tries can tell that one failed for no reason.
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
int main(void) { int e = 0, tries = 0; do { tries++; e = 0; } while (!atomic_compare_exchange_weak(&x, &e, 1) && tries < 3); assert(tries == 1); }
