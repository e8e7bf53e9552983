// check: unsafe memory
// fwrite of more than there is.
#include <stdio.h>
int main(void) { int p[4] = {0}; fwrite(p, 4, 5, stdout); }
