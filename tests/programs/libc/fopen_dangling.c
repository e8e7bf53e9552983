// check: unsafe memory
// The name of a file is read.
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *p = malloc(2); p[0] = 0; free(p); fopen(p, "r"); }
