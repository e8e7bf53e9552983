// check: safe
// args: --opt O2 --cflags -D_FORTIFY_SOURCE=2
// What glibc's headers make of library calls at -O2.
#include <string.h>
#include <stdio.h>
#include <assert.h>
char g[16];
int main(int c, char **v) { char b[16]; memcpy(b, g, 16); strcpy(b, "abc"); memset(g, 0, 16); snprintf(g, 16, "%s", b); sprintf(g, "%s", b); printf("%s", g); assert(!strcmp(g, "abc")); }
