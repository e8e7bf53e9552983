/* getopt, getopt_long and getopt_long_only, as glibc does it: words that are no options are moved behind those that are,
 * unless the list of options begins with + or POSIXLY_CORRECT is set, which it is not. Messages go nowhere. */
#include "internal.h"

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

struct selvedge_option {
    const char *name;
    int has_argument; /* 1: needed, 2: may follow at once */
    int *flag;
    int value;
};

static int getopt_position; /* within a word of several letters; 0: at the beginning of a word */

/* The word at `from` goes to `to`, and those between move up. */
static void move_argument(char **words, int to, int from) {
    char *moved = words[from];
    for (int i = from; i > to; i--)
        words[i] = words[i - 1];
    words[to] = moved;
}

static const struct selvedge_option *find_long(const struct selvedge_option *options, const char *word, __selvedge_size length,
                                               int *index) {
    const struct selvedge_option *found = SELVEDGE_NULL;
    for (int i = 0; options[i].name; i++) {
        __selvedge_size same = 0;
        while (same < length && options[i].name[same] == word[same])
            same++;
        if (same < length)
            continue;
        *index = i;
        if (!options[i].name[length])
            return &options[i];
        if (found)
            return SELVEDGE_NULL; /* it may mean several */
        found = &options[i];
    }
    return found;
}

static int long_option(int count, char **words, const char *missing, const struct selvedge_option *options, int *longindex,
                       const char *word) {
    __selvedge_size length = 0;
    while (word[length] && word[length] != '=')
        length++;
    int index = 0;
    const struct selvedge_option *option = find_long(options, word, length, &index);
    optind++;
    if (!option) {
        optopt = 0;
        return '?';
    }
    optarg = SELVEDGE_NULL;
    if (word[length] == '=') {
        if (!option->has_argument) {
            optopt = option->value;
            return '?';
        }
        optarg = (char *)word + length + 1;
    } else if (option->has_argument == 1) {
        if (optind >= count) {
            optopt = option->value;
            return *missing == ':' ? ':' : '?';
        }
        optarg = words[optind++];
    }
    if (longindex)
        *longindex = index;
    if (!option->flag)
        return option->value;
    *option->flag = option->value;
    return 0;
}

static int short_option(int count, char **words, const char *letters, const char *missing) {
    const char *word = words[optind];
    char letter = word[getopt_position++];
    const char *known = letters;
    while (*known && (*known != letter || letter == ':'))
        known++;
    _Bool last = !word[getopt_position];
    if (!*known) {
        optopt = (unsigned char)letter;
        if (last)
            optind++, getopt_position = 0;
        return '?';
    }
    optarg = SELVEDGE_NULL;
    if (known[1] == ':') {
        const char *rest = word + getopt_position;
        optind++, getopt_position = 0;
        if (!last) {
            optarg = (char *)rest;
        } else if (known[2] != ':') {
            if (optind >= count) {
                optopt = (unsigned char)letter;
                return *missing == ':' ? ':' : '?';
            }
            optarg = words[optind++];
        }
    } else if (last) {
        optind++, getopt_position = 0;
    }
    return (unsigned char)letter;
}

static int next_option(int count, char **words, const char *letters, const struct selvedge_option *options, int *longindex,
                       _Bool one_dash) {
    _Bool in_order = *letters == '+', all = *letters == '-';
    if (in_order || all)
        letters++;
    const char *missing = letters;
    if (optind == 0)
        optind = 1, getopt_position = 0;
    int skipped = optind;
    if (getopt_position == 0) {
        while (optind < count && !(words[optind][0] == '-' && words[optind][1])) {
            if (in_order)
                return -1;
            if (all) {
                optarg = words[optind++];
                return 1;
            }
            optind++;
        }
        if (optind >= count) {
            optind = skipped;
            return -1;
        }
        if (words[optind][1] == '-' && !words[optind][2]) {
            move_argument(words, skipped, optind);
            optind = skipped + 1;
            return -1;
        }
        int first = optind, result;
        char *word = words[optind];
        _Bool is_long = options && (word[1] == '-' || (one_dash && word[2]));
        if (is_long) {
            result = long_option(count, words, missing, options, longindex, word + (word[1] == '-' ? 2 : 1));
        } else {
            getopt_position = 1;
            result = short_option(count, words, letters, missing);
        }
        /* What was read goes before what was skipped. */
        int end = getopt_position ? optind + 1 : optind, moved = end - first;
        for (int i = 0; i < moved; i++)
            move_argument(words, skipped + i, first + i);
        optind = getopt_position ? skipped : skipped + moved;
        return result;
    }
    return short_option(count, words, letters, missing);
}

int getopt(int count, char *const *words, const char *letters) {
    return next_option(count, (char **)words, letters, SELVEDGE_NULL, SELVEDGE_NULL, 0);
}

int __posix_getopt(int count, char *const *words, const char *letters) {
    return next_option(count, (char **)words, letters, SELVEDGE_NULL, SELVEDGE_NULL, 0);
}

int getopt_long(int count, char *const *words, const char *letters, const struct selvedge_option *options, int *longindex) {
    return next_option(count, (char **)words, letters, options, longindex, 0);
}

int getopt_long_only(int count, char *const *words, const char *letters, const struct selvedge_option *options,
                     int *longindex) {
    return next_option(count, (char **)words, letters, options, longindex, 1);
}
