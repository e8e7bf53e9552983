// check: unsafe memory
// What perror prints is read.
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *p = malloc(2); p[0] = 0; free(p); perror(p); }
