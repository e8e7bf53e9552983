// check: unsafe assertion
// args: --unknown-functions havoc
// It may write to a block of the heap.
#include <assert.h>
#include <stdlib.h>
void f(int *); int main(void) { int *p = malloc(4); *p = 5; f(p); assert(*p == 5); free(p); }
