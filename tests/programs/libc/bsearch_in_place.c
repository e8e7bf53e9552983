// check: safe
// bsearch compares the key with elements of the array.
#include <stdlib.h>
#include <assert.h>
int a[4] = {0,1,2,3}; int k = 2; int cmp(const void *x, const void *y) { assert(x == &k); assert((int*)y >= a && (int *)y < a + 4); return *(int*)x - *(int*)y; }
int main(void) { assert(bsearch(&k, a, 4, sizeof(int), cmp) == &a[2]); k = 9; assert(!bsearch(&k, a, 4, sizeof(int), cmp)); }
