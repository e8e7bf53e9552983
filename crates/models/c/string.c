/* Strings and blocks of memory. Copies go through the memory intrinsics, which carry pointers and
 * uninitialised bytes along unchanged; what is inspected is inspected byte by byte. */
#include "internal.h"

static __selvedge_size text_length(const char *s) {
    __selvedge_size n = 0;
    while (s[n])
        n++;
    return n;
}

static int same_text(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* Longer than any object, and mostly a negative number. It is rejected at once, before a byte is read; where memory is not
 * checked, the run ends. */
#define TOO_LONG 0x80000000u

static inline void check_length(void *to, __selvedge_size n) {
    if (n >= TOO_LONG) {
        __selvedge_check_write(to, TOO_LONG);
        __selvedge_process_exit();
    }
}

void *memcpy(void *to, const void *from, __selvedge_size n) {
    check_length(to, n);
    __builtin_memcpy(to, from, n);
    return to;
}

void *mempcpy(void *to, const void *from, __selvedge_size n) {
    check_length(to, n);
    __builtin_memcpy(to, from, n);
    return (char *)to + n;
}

void *memmove(void *to, const void *from, __selvedge_size n) {
    check_length(to, n);
    __builtin_memmove(to, from, n);
    return to;
}

void *memset(void *to, int byte, __selvedge_size n) {
    check_length(to, n);
    __builtin_memset(to, byte, n);
    return to;
}

void bzero(void *to, __selvedge_size n) {
    check_length(to, n);
    __builtin_memset(to, 0, n);
}

void explicit_bzero(void *to, __selvedge_size n) {
    check_length(to, n);
    __builtin_memset(to, 0, n);
}

void bcopy(const void *from, void *to, __selvedge_size n) {
    check_length(to, n);
    __builtin_memmove(to, from, n);
}

static int compare_bytes(const void *a, const void *b, __selvedge_size n) {
    const unsigned char *x = a, *y = b;
    for (; n; n--, x++, y++)
        if (*x != *y)
            return *x < *y ? -1 : 1;
    return 0;
}

int memcmp(const void *a, const void *b, __selvedge_size n) {
    return compare_bytes(a, b, n);
}

int bcmp(const void *a, const void *b, __selvedge_size n) {
    return compare_bytes(a, b, n);
}

void *memchr(const void *s, int byte, __selvedge_size n) {
    const unsigned char *p = s;
    for (; n; n--, p++)
        if (*p == (unsigned char)byte)
            return (void *)p;
    return SELVEDGE_NULL;
}

__selvedge_size strlen(const char *s) {
    return text_length(s);
}

static __selvedge_size length_within(const char *s, __selvedge_size most) {
    __selvedge_size n = 0;
    while (n < most && s[n])
        n++;
    return n;
}

__selvedge_size strnlen(const char *s, __selvedge_size most) { return length_within(s, most); }

int strcmp(const char *a, const char *b) {
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    while (*x && *x == *y)
        x++, y++;
    return (*x > *y) - (*x < *y);
}

int strncmp(const char *a, const char *b, __selvedge_size n) {
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (; n; n--, x++, y++) {
        if (*x != *y)
            return *x < *y ? -1 : 1;
        if (!*x)
            return 0;
    }
    return 0;
}

static int lower_case(int c) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

int strcasecmp(const char *a, const char *b) {
    while (*a && lower_case(*a) == lower_case(*b))
        a++, b++;
    return lower_case((unsigned char)*a) - lower_case((unsigned char)*b);
}

int strncasecmp(const char *a, const char *b, __selvedge_size n) {
    for (; n && *a && lower_case(*a) == lower_case(*b); n--)
        a++, b++;
    return n ? lower_case((unsigned char)*a) - lower_case((unsigned char)*b) : 0;
}

char *strcpy(char *to, const char *from) {
    __selvedge_size i = 0;
    while ((to[i] = from[i]))
        i++;
    return to;
}

char *stpcpy(char *to, const char *from) {
    while ((*to = *from))
        to++, from++;
    return to;
}

char *strncpy(char *to, const char *from, __selvedge_size n) {
    check_length(to, n);
    __selvedge_size i = 0;
    for (; i < n && from[i]; i++)
        to[i] = from[i];
    for (; i < n; i++)
        to[i] = 0;
    return to;
}

char *strcat(char *to, const char *from) {
    char *end = to + text_length(to);
    while ((*end++ = *from++))
        ;
    return to;
}

char *strncat(char *to, const char *from, __selvedge_size n) {
    char *end = to + text_length(to);
    for (; n && *from; n--)
        *end++ = *from++;
    *end = 0;
    return to;
}

static char *find_char(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c)
            return (char *)s;
        if (!*s)
            return SELVEDGE_NULL;
    }
}

static char *find_last_char(const char *s, int c) {
    const char *last = SELVEDGE_NULL;
    for (;; s++) {
        if (*s == (char)c)
            last = s;
        if (!*s)
            return (char *)last;
    }
}

char *strchr(const char *s, int c) {
    return find_char(s, c);
}

char *index(const char *s, int c) {
    return find_char(s, c);
}

char *strrchr(const char *s, int c) {
    return find_last_char(s, c);
}

char *rindex(const char *s, int c) {
    return find_last_char(s, c);
}

char *strchrnul(const char *s, int c) {
    while (*s && *s != (char)c)
        s++;
    return (char *)s;
}

char *strstr(const char *s, const char *part) {
    for (;; s++) {
        __selvedge_size i = 0;
        while (part[i] && s[i] == part[i])
            i++;
        if (!part[i])
            return (char *)s;
        if (!*s)
            return SELVEDGE_NULL;
    }
}

/* The length of the prefix of s whose characters are (wanted) or are not (!wanted) in set. */
static __selvedge_size span(const char *s, const char *set, _Bool wanted) {
    __selvedge_size n = 0;
    while (s[n] && (find_char(set, s[n]) != SELVEDGE_NULL) == wanted)
        n++;
    return n;
}

__selvedge_size strspn(const char *s, const char *accept) {
    return span(s, accept, 1);
}

__selvedge_size strcspn(const char *s, const char *reject) {
    return span(s, reject, 0);
}

char *strpbrk(const char *s, const char *accept) {
    s += span(s, accept, 0);
    return *s ? (char *)s : SELVEDGE_NULL;
}

static char *next_token(char *s, const char *separators, char **rest) {
    if (!s)
        s = *rest;
    if (!s)
        return SELVEDGE_NULL;
    s += span(s, separators, 1);
    if (!*s) {
        *rest = SELVEDGE_NULL;
        return SELVEDGE_NULL;
    }
    char *end = s + span(s, separators, 0);
    *rest = *end ? end + 1 : SELVEDGE_NULL;
    *end = 0;
    return s;
}

/* strtok keeps its place in one variable for the whole process: threads that share it do race. */
static char *selvedge_token_rest SELVEDGE_UNPROTECTED;

char *strtok(char *s, const char *separators) {
    return next_token(s, separators, &selvedge_token_rest);
}

char *strtok_r(char *s, const char *separators, char **rest) {
    return next_token(s, separators, rest);
}

char *__strtok_r(char *s, const char *separators, char **rest) {
    return next_token(s, separators, rest);
}

char *strsep(char **s, const char *separators) {
    char *start = *s;
    if (!start)
        return SELVEDGE_NULL;
    char *end = start + span(start, separators, 0);
    *s = *end ? end + 1 : SELVEDGE_NULL;
    *end = 0;
    return start;
}

/* ---- of GNU and POSIX ---- */

void *memmem(const void *all, __selvedge_size size, const void *part, __selvedge_size length) {
    const char *p = all;
    for (__selvedge_size at = 0; at + length <= size; at++)
        if (compare_bytes(p + at, part, length) == 0)
            return (void *)(p + at);
    return SELVEDGE_NULL;
}

void *memrchr(const void *s, int byte, __selvedge_size n) {
    const unsigned char *p = s;
    while (n--)
        if (p[n] == (unsigned char)byte)
            return (void *)(p + n);
    return SELVEDGE_NULL;
}

void *rawmemchr(const void *s, int byte) {
    const unsigned char *p = s;
    while (*p != (unsigned char)byte)
        p++;
    return (void *)p;
}

void *memccpy(void *to, const void *from, int last, __selvedge_size n) {
    char *t = to;
    for (const char *f = from; n; n--)
        if ((*t++ = *f++) == (char)last)
            return t;
    return SELVEDGE_NULL;
}

void swab(const void *from, void *to, long n) {
    const char *f = from;
    char *t = to;
    for (; n > 1; n -= 2, f += 2, t += 2) {
        char first = f[0];
        t[0] = f[1];
        t[1] = first;
    }
}

char *stpncpy(char *to, const char *from, __selvedge_size n) {
    check_length(to, n);
    __selvedge_size i = 0, length;
    for (; i < n && from[i]; i++)
        to[i] = from[i];
    length = i;
    for (; i < n; i++)
        to[i] = 0;
    return to + length;
}

char *strcasestr(const char *s, const char *part) {
    for (;; s++) {
        __selvedge_size i = 0;
        while (part[i] && lower_case(s[i]) == lower_case(part[i]))
            i++;
        if (!part[i])
            return (char *)s;
        if (!*s)
            return SELVEDGE_NULL;
    }
}

/* The locale is that of C. */
static int compare_texts(const char *a, const char *b) {
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    while (*x && *x == *y)
        x++, y++;
    return (*x > *y) - (*x < *y);
}

int strcoll(const char *a, const char *b) {
    return compare_texts(a, b);
}

__selvedge_size strxfrm(char *to, const char *from, __selvedge_size n) {
    __selvedge_size i = 0;
    for (; i < n && (to[i] = from[i]); i++)
        ;
    return text_length(from);
}

__selvedge_size strlcpy(char *to, const char *from, __selvedge_size n) {
    __selvedge_size length = text_length(from), copied = length < n ? length : n ? n - 1 : 0;
    __builtin_memcpy(to, from, copied);
    if (n)
        to[copied] = 0;
    return length;
}

__selvedge_size strlcat(char *to, const char *from, __selvedge_size n) {
    __selvedge_size before = 0, length = text_length(from);
    while (before < n && to[before])
        before++;
    if (before == n)
        return n + length;
    __selvedge_size copied = length < n - before ? length : n - before - 1;
    __builtin_memcpy(to + before, from, copied);
    to[before + copied] = 0;
    return before + length;
}

char *strsignal(int number) {
    static char text[] = "signal";
    (void)number;
    return text;
}

/* ---- wide characters ---- */

typedef __WCHAR_TYPE__ wide;

__selvedge_size wcslen(const wide *s) {
    __selvedge_size n = 0;
    while (s[n])
        n++;
    return n;
}

int wcscmp(const wide *a, const wide *b) {
    while (*a && *a == *b)
        a++, b++;
    return (*a > *b) - (*a < *b);
}

wide *wcscpy(wide *to, const wide *from) {
    for (__selvedge_size i = 0; (to[i] = from[i]); i++)
        ;
    return to;
}

wide *wcschr(const wide *s, wide c) {
    for (; *s != c; s++)
        if (!*s)
            return SELVEDGE_NULL;
    return (wide *)s;
}

wide *wmemcpy(wide *to, const wide *from, __selvedge_size n) {
    __builtin_memcpy(to, from, n * sizeof *to);
    return to;
}

wide *wmemset(wide *to, wide c, __selvedge_size n) {
    for (__selvedge_size i = 0; i < n; i++)
        to[i] = c;
    return to;
}

/* Every error has the same description here. */
char *strerror(int error) {
    static char text[] = "error";
    (void)error;
    return text;
}

static char *describe_error(int error, char *buffer, __selvedge_size size) {
    static const char text[] = "error";
    (void)error;
    if (size)
        buffer[0] = 0;
    for (__selvedge_size i = 0; i + 1 < size && text[i]; i++) {
        buffer[i] = text[i];
        buffer[i + 1] = 0;
    }
    return buffer;
}

/* GNU's, and POSIX's. */
char *strerror_r(int error, char *buffer, __selvedge_size size) { return describe_error(error, buffer, size); }
int __xpg_strerror_r(int error, char *buffer, __selvedge_size size) { describe_error(error, buffer, size); return 0; }

/* ---- paths ---- */

static char *behind_last_slash(char *path) {
    char *last = path;
    for (char *at = path; *at; at++)
        if (*at == '/')
            last = at + 1;
    return last;
}

char *basename(const char *path) { return behind_last_slash((char *)path); }

/* POSIX's: slashes at the end do not count, and are overwritten. */
char *__xpg_basename(char *path) {
    if (!path || !*path)
        return ".";
    char *end = path;
    while (*end)
        end++;
    while (end > path + 1 && end[-1] == '/')
        *--end = 0;
    return end == path + 1 ? path : behind_last_slash(path);
}
