/* Dates: <time.h> without the clocks. The time zone is UTC. The text of a date is exact as to its length. */
#include "internal.h"

struct selvedge_tm {
    int second, minute, hour, day, month, year, weekday, yearday, summer;
    long offset;
    const char *zone;
};

static struct selvedge_tm selvedge_date SELVEDGE_UNPROTECTED;
char *tzname[2] = {"UTC", "UTC"};
long timezone;
int daylight;
void tzset(void) {}

/* Days from 1970-01-01 to a date of the Gregorian calendar, after Hinnant; months from 0. */
static long days_before(long year, int month, int day) {
    year -= month < 2;
    long era = (year >= 0 ? year : year - 399) / 400;
    long of_era = year - era * 400;
    long of_year = (153 * ((month + 10) % 12) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static struct selvedge_tm *break_down(long time, struct selvedge_tm *to) {
    long days = time / 86400, rest = time % 86400;
    if (rest < 0)
        rest += 86400, days--;
    long shifted = days + 719468;
    long era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    long of_era = shifted - era * 146097;
    long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    long of_year = of_era - (365 * year + year / 4 - year / 100);
    long month = (5 * of_year + 2) / 153;
    to->day = (int)(of_year - (153 * month + 2) / 5 + 1);
    to->month = (int)(month < 10 ? month + 2 : month - 10);
    year += era * 400 + (to->month < 2);
    to->year = (int)(year - 1900);
    to->hour = (int)(rest / 3600);
    to->minute = (int)(rest / 60 % 60);
    to->second = (int)(rest % 60);
    to->weekday = (int)((days % 7 + 11) % 7);
    to->yearday = (int)(days - days_before(year, 0, 1));
    to->summer = 0;
    to->offset = 0;
    to->zone = "UTC";
    return to;
}

struct selvedge_tm *gmtime(const long *time) { return break_down(*time, &selvedge_date); }
struct selvedge_tm *localtime(const long *time) { return break_down(*time, &selvedge_date); }
struct selvedge_tm *gmtime_r(const long *time, struct selvedge_tm *to) { return break_down(*time, to); }
struct selvedge_tm *localtime_r(const long *time, struct selvedge_tm *to) { return break_down(*time, to); }

static long build_up(struct selvedge_tm *date) {
    long year = date->year + 1900l + date->month / 12;
    int month = date->month % 12;
    if (month < 0)
        month += 12, year--;
    long time = (days_before(year, month, 1) + date->day - 1) * 86400 + date->hour * 3600l + date->minute * 60l + date->second;
    break_down(time, date);
    return time;
}

long mktime(struct selvedge_tm *date) { return build_up(date); }
long timegm(struct selvedge_tm *date) { return build_up(date); }

/* ---- text ---- */

static const char selvedge_days[] = "SunMonTueWedThuFriSat";
static const char selvedge_months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

struct date_sink {
    char *to;
    __selvedge_size room, length;
};

static void put_date(struct date_sink *sink, char c) {
    if (sink->length < sink->room)
        sink->to[sink->length] = c;
    sink->length++;
}

static void put_digits(struct date_sink *sink, int value, int digits, char pad) {
    int power = 1;
    for (int i = 1; i < digits; i++)
        power *= 10;
    for (; power; power /= 10)
        put_date(sink, value < power && power > 1 && pad == ' ' ? ' ' : (char)('0' + value / power % 10));
}

static void put_letters(struct date_sink *sink, const char *letters) {
    for (int i = 0; i < 3; i++)
        put_date(sink, letters[i]);
}

static void put_clock(struct date_sink *sink, const struct selvedge_tm *date) {
    put_digits(sink, date->hour, 2, '0');
    put_date(sink, ':');
    put_digits(sink, date->minute, 2, '0');
    put_date(sink, ':');
    put_digits(sink, date->second, 2, '0');
}

static void put_part(struct date_sink *sink, char part, const struct selvedge_tm *date) {
    switch (part) {
    case 'Y': put_digits(sink, date->year + 1900, 4, '0'); break;
    case 'y': put_digits(sink, date->year % 100, 2, '0'); break;
    case 'm': put_digits(sink, date->month + 1, 2, '0'); break;
    case 'd': put_digits(sink, date->day, 2, '0'); break;
    case 'e': put_digits(sink, date->day, 2, ' '); break;
    case 'H': put_digits(sink, date->hour, 2, '0'); break;
    case 'M': put_digits(sink, date->minute, 2, '0'); break;
    case 'S': put_digits(sink, date->second, 2, '0'); break;
    case 'j': put_digits(sink, date->yearday + 1, 3, '0'); break;
    case 'a': put_letters(sink, selvedge_days + 3 * date->weekday); break;
    case 'b': put_letters(sink, selvedge_months + 3 * date->month); break;
    case 'Z': put_letters(sink, "UTC"); break;
    case 'T': put_clock(sink, date); break;
    case 'F':
        put_digits(sink, date->year + 1900, 4, '0');
        put_date(sink, '-');
        put_digits(sink, date->month + 1, 2, '0');
        put_date(sink, '-');
        put_digits(sink, date->day, 2, '0');
        break;
    case 'z':
        put_date(sink, '+');
        put_digits(sink, 0, 4, '0');
        break;
    case 'n': put_date(sink, '\n'); break;
    case 't': put_date(sink, '\t'); break;
    case '%': put_date(sink, '%'); break;
    default: __selvedge_unsupported("a conversion of strftime that is not modelled");
    }
}

__selvedge_size strftime(char *to, __selvedge_size room, const char *format, const struct selvedge_tm *date) {
    struct date_sink sink = {to, room, 0};
    for (; *format; format++) {
        if (*format == '%')
            put_part(&sink, *++format, date);
        else
            put_date(&sink, *format);
    }
    if (sink.length >= room)
        return 0;
    to[sink.length] = 0;
    return sink.length;
}

static char selvedge_date_text[26] SELVEDGE_UNPROTECTED;

/* "Thu Jan  1 00:00:00 1970\n" */
static char *date_text(const struct selvedge_tm *date, char *to) {
    struct date_sink sink = {to, 25, 0};
    const char *parts = "a b e T Y";
    for (; *parts; parts++) {
        if (*parts == ' ')
            put_date(&sink, ' ');
        else
            put_part(&sink, *parts, date);
    }
    put_date(&sink, '\n');
    to[25] = 0;
    return to;
}

char *asctime(const struct selvedge_tm *date) { return date_text(date, selvedge_date_text); }
char *asctime_r(const struct selvedge_tm *date, char *to) { return date_text(date, to); }

char *ctime(const long *time) {
    struct selvedge_tm date;
    return date_text(break_down(*time, &date), selvedge_date_text);
}

char *ctime_r(const long *time, char *to) {
    struct selvedge_tm date;
    return date_text(break_down(*time, &date), to);
}
