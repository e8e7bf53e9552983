// check: safe
// qsort_r passes one more argument.
#define _GNU_SOURCE
#include <stdlib.h>
#include <assert.h>
int a[3] = {3,1,2}; int cmp(const void *x, const void *y, void *d) { assert(*(int*)d == 5); return *(int*)x - *(int*)y; }
int main(void) { int d = 5; qsort_r(a, 3, sizeof(int), cmp, &d); assert(a[0]==1 && a[2]==3); }
