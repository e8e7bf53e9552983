// check: safe
// printf returns the number of characters.
#include <stdio.h>
#include <assert.h>
int main(void) { int n = printf("abc %d\n", 12); assert(n == 7 || n < 0); }
