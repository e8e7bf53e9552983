// check: unsafe assertion
// It is not another number.
#include <stdio.h>
#include <assert.h>
int main(void) { assert(printf("abc") != 3); }
