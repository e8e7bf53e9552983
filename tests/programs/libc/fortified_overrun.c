// check: unsafe memory
// A fortified copy that is too long.
#include <string.h>
extern void *__memcpy_chk(void *, const void *, unsigned long, unsigned long); extern char *__strcpy_chk(char *, const char *, unsigned long);
char b[4]; int main(void) { __memcpy_chk(b, "abcdefgh", 8, 4); }
