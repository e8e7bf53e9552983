// check: unsafe memory
// What fprintf prints is read.
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *p = malloc(4); p[0] = 0; free(p); fprintf(stderr, "x%s", p); }
