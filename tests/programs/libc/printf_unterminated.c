// check: unsafe memory
// %s reads as far as a NUL.
#include <stdio.h>
int main(void) { char p[3] = {'a','b','c'}; printf("%s\n", p); }
