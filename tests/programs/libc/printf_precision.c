// check: safe
// A precision limits what %s reads.
#include <stdio.h>
int main(void) { char p[3] = {'a','b','c'}; printf("%.3s\n", p); printf("%.*s\n", 2, p); }
