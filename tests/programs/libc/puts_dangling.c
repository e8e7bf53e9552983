// check: unsafe memory
// What puts prints is read.
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *p = malloc(4); p[0] = 0; free(p); puts(p); }
