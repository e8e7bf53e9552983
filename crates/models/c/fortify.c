/* The names that _FORTIFY_SOURCE gives to library functions: with how many bytes the compiler knows to be there. Where they do not
 * suffice, glibc ends the process; that is an access outside of the object, or an abort where the object is larger than the
 * part of it that the compiler looked at.
 */
#include "internal.h"
#include "files.c"
#include "format.c"
#include "stdio.c"
#include "string.c"

static void check_room(void *to, __selvedge_size needed, __selvedge_size room) {
    if (needed > room) {
        __selvedge_check_write(to, needed < TOO_LONG ? needed : TOO_LONG);
        __selvedge_violation("abort", "a buffer overflow is detected");
        __selvedge_process_exit();
    }
}

void *__memcpy_chk(void *to, const void *from, __selvedge_size n, __selvedge_size room) { check_room(to, n, room); __builtin_memcpy(to, from, n); return to; }
void *__mempcpy_chk(void *to, const void *from, __selvedge_size n, __selvedge_size room) { check_room(to, n, room); __builtin_memcpy(to, from, n); return (char *)to + n; }
void *__memmove_chk(void *to, const void *from, __selvedge_size n, __selvedge_size room) { check_room(to, n, room); __builtin_memmove(to, from, n); return to; }
void *__memset_chk(void *to, int byte, __selvedge_size n, __selvedge_size room) { check_room(to, n, room); __builtin_memset(to, byte, n); return to; }
void __explicit_bzero_chk(void *to, __selvedge_size n, __selvedge_size room) { check_room(to, n, room); __builtin_memset(to, 0, n); }

static char *copy_text(char *to, const char *from) {
    while ((*to = *from))
        to++, from++;
    return to;
}

char *__strcpy_chk(char *to, const char *from, __selvedge_size room) { check_room(to, text_length(from) + 1, room); copy_text(to, from); return to; }
char *__stpcpy_chk(char *to, const char *from, __selvedge_size room) { check_room(to, text_length(from) + 1, room); return copy_text(to, from); }

char *__strncpy_chk(char *to, const char *from, __selvedge_size n, __selvedge_size room) {
    check_room(to, n, room);
    __selvedge_size length = length_within(from, n);
    for (__selvedge_size i = 0; i < n; i++)
        to[i] = i < length ? from[i] : 0;
    return to;
}

char *__stpncpy_chk(char *to, const char *from, __selvedge_size n, __selvedge_size room) {
    check_room(to, n, room);
    __selvedge_size length = length_within(from, n);
    for (__selvedge_size i = 0; i < n; i++)
        to[i] = i < length ? from[i] : 0;
    return to + length;
}

char *__strcat_chk(char *to, const char *from, __selvedge_size room) {
    __selvedge_size length = text_length(to);
    check_room(to, length + text_length(from) + 1, room);
    copy_text(to + length, from);
    return to;
}

char *__strncat_chk(char *to, const char *from, __selvedge_size n, __selvedge_size room) {
    __selvedge_size length = text_length(to), more = length_within(from, n);
    check_room(to, length + more + 1, room);
    for (__selvedge_size i = 0; i < more; i++)
        to[length + i] = from[i];
    to[length + more] = 0;
    return to;
}

int __vsnprintf_chk(char *to, __selvedge_size size, int flag, __selvedge_size room, const char *format, __builtin_va_list args) {
    (void)flag;
    check_room(to, size, room);
    return format_text(to, size, format, args);
}

int __vsprintf_chk(char *to, int flag, __selvedge_size room, const char *format, __builtin_va_list args) {
    (void)flag;
    int length = format_text(to, room, format, args);
    check_room(to, (__selvedge_size)length + 1, room);
    return length;
}

int __snprintf_chk(char *to, __selvedge_size size, int flag, __selvedge_size room, const char *format, ...) {
    (void)flag;
    __builtin_va_list args;
    check_room(to, size, room);
    __builtin_va_start(args, format);
    int length = format_text(to, size, format, args);
    __builtin_va_end(args);
    return length;
}

int __sprintf_chk(char *to, int flag, __selvedge_size room, const char *format, ...) {
    (void)flag;
    __builtin_va_list args;
    __builtin_va_start(args, format);
    int length = format_text(to, room, format, args);
    __builtin_va_end(args);
    check_room(to, (__selvedge_size)length + 1, room);
    return length;
}

int __vasprintf_chk(char **to, int flag, const char *format, __builtin_va_list args) { (void)flag; return allocate_text(to, format, args); }

int __asprintf_chk(char **to, int flag, const char *format, ...) {
    (void)flag;
    __builtin_va_list args;
    __builtin_va_start(args, format);
    int length = allocate_text(to, format, args);
    __builtin_va_end(args);
    return length;
}

int __printf_chk(int flag, const char *format, ...) { (void)flag; PRINTED((void)format); }
int __fprintf_chk(void *stream, int flag, const char *format, ...) { (void)flag; STREAM_TEXT; return WRITTEN(0); }
int __dprintf_chk(int file, int flag, const char *format, ...) { (void)file, (void)flag; PRINTED((void)format); }
int __vprintf_chk(int flag, const char *format, __builtin_va_list args) { (void)flag; PRINTED(read_arguments(format, args)); }
int __vfprintf_chk(void *stream, int flag, const char *format, __builtin_va_list args) { (void)flag; return print_list(stream, format, args); }
int __vdprintf_chk(int file, int flag, const char *format, __builtin_va_list args) { (void)file, (void)flag; PRINTED(read_arguments(format, args)); }
int __selvedge_full___printf_chk(int flag, const char *format, ...) { (void)flag; FULL_TEXT; }
int __selvedge_full___fprintf_chk(void *stream, int flag, const char *format, ...) { (void)flag; STREAM_TEXT; FULL_TEXT; }
int __selvedge_full___dprintf_chk(int file, int flag, const char *format, ...) { (void)file, (void)flag; FULL_TEXT; }

char *__fgets_chk(char *to, __selvedge_size room, int size, void *stream) {
    check_room(to, size < 0 ? TOO_LONG : (__selvedge_size)size, room);
    return read_some_line(to, size, stream);
}

__selvedge_size __fread_chk(void *to, __selvedge_size room, __selvedge_size size, __selvedge_size count, void *stream) {
    check_room(to, size * count, room);
    return read_items(to, size, count, stream);
}

long __read_chk(int file, void *to, __selvedge_size size, __selvedge_size room) {
    check_room(to, size, room);
    return read_descriptor(file, to, size);
}

long __fdelt_chk(long file) {
    if (file < 0 || file >= 1024) {
        __selvedge_violation("abort", "a buffer overflow is detected");
        __selvedge_process_exit();
    }
    return file / (8 * (long)sizeof(long));
}

void __chk_fail(void) {
    __selvedge_violation("abort", "a buffer overflow is detected");
    __selvedge_process_exit();
}

void __stack_chk_fail(void) {
    __selvedge_violation("abort", "stack smashing is detected");
    __selvedge_process_exit();
}
