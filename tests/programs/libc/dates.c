// check: safe
// assumption: the time zone is UTC
// Dates are computed, in universal time.
#include <assert.h>
#include <string.h>
#include <time.h>

int main(void) {
    time_t t = 951827696; /* 2000-02-29 12:34:56 */
    struct tm date;
    char text[32];
    localtime_r(&t, &date);
    assert(date.tm_year == 100 && date.tm_mon == 1 && date.tm_mday == 29 && date.tm_hour == 12 && date.tm_wday == 2 && date.tm_yday == 59);
    assert(mktime(&date) == t);
    assert(strftime(text, sizeof text, "%F %T", &date) == 19 && !strcmp(text, "2000-02-29 12:34:56"));
    t = -1;
    gmtime_r(&t, &date);
    assert(date.tm_year == 69 && date.tm_sec == 59 && date.tm_wday == 3);
    return 0;
}
