// check: safe
// qsort compares elements of the array itself.
#include <stdlib.h>
#include <assert.h>
int a[4] = {3,1,2,0}; int cmp(const void *x, const void *y) { assert((int*)x >= a && (int *)x < a + 4); assert((int*)y >= a && (int *)y < a + 4); return *(int*)x - *(int*)y; }
int main(void) { qsort(a, 4, sizeof(int), cmp); assert(a[0]==0&&a[1]==1&&a[2]==2&&a[3]==3); }
