// check: safe
// The same seed gives the same numbers again.
#include <stdlib.h>
#include <assert.h>
int main(void) { srand(5); int a = rand(), b = rand(); srand(5); assert(rand() == a); assert(rand() == b); assert(a >= 0 && a <= RAND_MAX); }
