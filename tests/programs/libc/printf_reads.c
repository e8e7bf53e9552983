// check: safe
// printf of a text that is there.
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *p = malloc(4); p[0] = 0; printf("%s %d %lu %c %p %f %%\n", p, 1, 2ul, 'c', (void *)p, 1.5); free(p); }
