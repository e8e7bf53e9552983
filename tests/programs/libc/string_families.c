// check: safe
// Relatives of the string functions.
#define _GNU_SOURCE
#include <string.h>
#include <stdlib.h>
#include <stdio.h>
#include <wchar.h>
#include <ctype.h>
#include <assert.h>
int main(void) { assert(strcasestr("aBc", "b")); assert(memmem("abcd", 4, "cd", 2)); assert(memrchr("abab", 'b', 4)); assert(stpncpy((char[8]){0}, "ab", 4)); assert(wcslen(L"abc") == 3); assert(strcoll("a","b") < 0); char b[8]; assert(strxfrm(b, "ab", 8) == 2); assert(rawmemchr("abc", 'c')); assert(isascii(65)); assert(toascii(65)==65); assert(strsignal(2)); assert(memccpy(b, "abc", 'b', 3)); char *l = strdupa("x"); assert(*l == 'x'); swab("ab", b, 2); assert(b[0]=='b'); assert(llabs(-3)==3); }
