// check: safe
// %n stores the number of characters.
#include <stdio.h>
#include <assert.h>
int main(void) { int n; printf("abc%n", &n); assert(n == 3); }
