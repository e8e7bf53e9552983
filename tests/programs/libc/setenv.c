// check: safe
// Variables that the program sets.
#include <stdlib.h>
#include <string.h>
#include <assert.h>
int main(void) { assert(setenv("A", "b", 1) == 0); assert(!strcmp(getenv("A"), "b")); setenv("A", "c", 0); assert(!strcmp(getenv("A"), "b")); setenv("A", "c", 1); assert(!strcmp(getenv("A"), "c")); unsetenv("A"); assert(!getenv("A")); putenv("Z=1"); assert(!strcmp(getenv("Z"), "1")); }
