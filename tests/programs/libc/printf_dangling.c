// check: unsafe memory
// What %s prints is read.
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *p = malloc(4); p[0] = 0; free(p); printf("%s\n", p); }
