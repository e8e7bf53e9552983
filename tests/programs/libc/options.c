// check: safe
// getopt and getopt_long read the words that they are given, and move the others behind them.
#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static int short_options(void) {
    char *words[] = {"prog", "first", "-n", "5", "-vx", "second", NULL};
    int c, threads = 0, flags = 0;
    while ((c = getopt(6, words, "n:vx")) != -1) {
        switch (c) {
        case 'n': threads = atoi(optarg); break;
        case 'v': flags |= 1; break;
        case 'x': flags |= 2; break;
        default: return 0;
        }
    }
    return threads == 5 && flags == 3 && optind == 4 && !strcmp(words[4], "first") && !strcmp(words[5], "second");
}

static int long_options(void) {
    char *words[] = {"prog", "--threads=3", "--verbose", "--size", "7", "-z", "--", "-n", NULL};
    int c, threads = 0, verbose = 0, size = 0, unknown = 0;
    struct option known[] = {{"threads", required_argument, NULL, 't'},
                             {"size", required_argument, NULL, 's'},
                             {"verbose", no_argument, &verbose, 1},
                             {NULL, 0, NULL, 0}};
    optind = 1;
    while ((c = getopt_long(8, words, "t:s:", known, NULL)) != -1) {
        if (c == 't')
            threads = atoi(optarg);
        else if (c == 's')
            size = atoi(optarg);
        else if (c == '?')
            unknown = optopt;
    }
    return threads == 3 && verbose == 1 && size == 7 && unknown == 'z' && optind == 7;
}

int main(void) {
    assert(short_options());
    assert(long_options());
    return 0;
}
