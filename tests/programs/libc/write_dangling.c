// check: unsafe memory
// What write writes is read.
#include <unistd.h>
#include <stdlib.h>
int main(void) { char *p = malloc(4); p[0] = 0; free(p); write(1, p, 1); }
