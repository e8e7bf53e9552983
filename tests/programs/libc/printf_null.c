// check: safe
// glibc prints (null).
#include <stdio.h>
char *p; int main(void) { printf("x %s", p); }
