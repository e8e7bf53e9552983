// check: unsafe memory
// puts of a null pointer.
#include <stdio.h>
char *p; int main(void) { puts(p); }
