// check: unsafe
// %s without an argument.
#include <stdio.h>
int main(void) { printf("%s %s", "a"); }
