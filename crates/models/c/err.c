/* <err.h>, <error.h>, <syslog.h>: messages go nowhere, and some of them end the process. */
#include "internal.h"
#include "stdio.c"
#include "stdlib.c"

void warn(const char *format, ...) { (void)format; }
void warnx(const char *format, ...) { (void)format; }
void vwarn(const char *format, __builtin_va_list args) { (void)format, (void)args; }
void vwarnx(const char *format, __builtin_va_list args) { (void)format, (void)args; }
void err(int status, const char *format, ...) { (void)format; __selvedge_model_exit(status); }
void errx(int status, const char *format, ...) { (void)format; __selvedge_model_exit(status); }
void verr(int status, const char *format, __builtin_va_list args) { (void)format, (void)args; __selvedge_model_exit(status); }
void verrx(int status, const char *format, __builtin_va_list args) { (void)format, (void)args; __selvedge_model_exit(status); }

void error(int status, int number, const char *format, ...) {
    (void)number, (void)format;
    if (status)
        __selvedge_model_exit(status);
}

void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...) {
    (void)number, (void)file, (void)line, (void)format;
    if (status)
        __selvedge_model_exit(status);
}

void perror(const char *s) { (void)s; }
void psignal(int number, const char *s) { (void)number, (void)s; }
void openlog(const char *name, int option, int facility) { (void)name, (void)option, (void)facility; }
void syslog(int priority, const char *format, ...) { (void)priority, (void)format; }
void vsyslog(int priority, const char *format, __builtin_va_list args) { (void)priority, (void)format, (void)args; }
void closelog(void) {}
