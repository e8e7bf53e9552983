// check: unsafe assertion
// args: --unknown-functions havoc
// It may write to the whole array that it is given a part of.
#include <assert.h>
void f(int *); int main(void) { int a[3] = {0}; f(&a[1]); assert(a[2] == 0); }
