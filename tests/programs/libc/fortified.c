// check: safe
// Fortified functions do what the others do.
#include <string.h>
#include <assert.h>
extern void *__memcpy_chk(void *, const void *, unsigned long, unsigned long); extern char *__strcpy_chk(char *, const char *, unsigned long); extern int __sprintf_chk(char *, int, unsigned long, const char *, ...); extern int __printf_chk(int, const char *, ...); extern char *__strcat_chk(char *, const char *, unsigned long); extern void *__memset_chk(void *, int, unsigned long, unsigned long); extern int __snprintf_chk(char *, unsigned long, int, unsigned long, const char *, ...);
char b[16]; int main(void) { __memcpy_chk(b, "abcdefgh", 9, 16); assert(b[7] == 'h'); __strcpy_chk(b, "xy", 16); __strcat_chk(b, "z", 16); assert(!strcmp(b, "xyz")); __memset_chk(b, 0, 16, 16); assert(!b[0]); __sprintf_chk(b, 1, 16, "%d", 42); assert(!strcmp(b, "42")); __snprintf_chk(b, 4, 1, 16, "%d", 4711); assert(!strcmp(b, "471")); __printf_chk(1, "%s", b); }
